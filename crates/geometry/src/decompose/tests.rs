use super::*;
use crate::{Aabb, Axis, HalfSpace, Shape, generate};
use conatus_math::{DVec3, Pose, rotation};

/// A prism along y over a polygon in x and z, counter-clockwise seen against y.
fn prism(outline: &[(f64, f64)], triangles: &[[u32; 3]], width: f64) -> Mesh {
    let n = outline.len() as u32;
    let mut mesh = Mesh::default();
    for y in [-0.5 * width, 0.5 * width] {
        let row = outline.iter().map(|&(x, z)| DVec3::new(x, y, z));
        mesh.vertices.extend(row);
    }
    for &[a, b, c] in triangles {
        mesh.triangles.push([a, b, c]);
        mesh.triangles.push([n + a, n + c, n + b]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        mesh.triangles.push([j, i, n + i]);
        mesh.triangles.push([j, n + i, n + j]);
    }
    mesh.check_closed().unwrap();
    assert!(mesh.volume_integrals().volume > 0.0);
    mesh
}

/// A U: two walls on a floor.
fn u_shape() -> Mesh {
    let outline = [
        (-1.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.8, 1.0),
        (0.8, 0.2),
        (-0.8, 0.2),
        (-0.8, 1.0),
        (-1.0, 1.0),
    ];
    let inside = [
        [0, 1, 4],
        [0, 4, 5],
        [1, 2, 3],
        [1, 3, 4],
        [0, 5, 6],
        [0, 6, 7],
    ];
    prism(&outline, &inside, 1.0)
}

fn torus(major: f64, minor: f64, around: u32, across: u32) -> Mesh {
    let mut mesh = Mesh::default();
    for i in 0..around {
        for j in 0..across {
            let (s, c) =
                conatus_math::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(around));
            let (t, d) =
                conatus_math::sincos(std::f64::consts::TAU * f64::from(j) / f64::from(across));
            let r = major + minor * d;
            mesh.vertices.push(DVec3::new(r * c, r * s, minor * t));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.push([quad[0], quad[1], quad[2]]);
            mesh.triangles.push([quad[0], quad[2], quad[3]]);
        }
    }
    mesh.check_closed().unwrap();
    mesh
}

fn contains(parts: &[Arc<ConvexHull>], p: DVec3, margin: f64) -> bool {
    let within = |hull: &Arc<ConvexHull>| {
        let mut faces = hull.faces().iter();
        faces.all(|f| f.normal.dot(p) - f.offset <= margin)
    };
    parts.iter().any(within)
}

#[test]
fn a_u_becomes_three_exact_blocks() {
    let turn = Pose::new(
        rotation::exp(DVec3::new(0.3, 0.5, -0.2)),
        DVec3::new(5.0, -3.0, 2.0),
    );
    for mesh in [u_shape(), u_shape().at(&turn), u_shape().flipped()] {
        let found = mesh.decompose(&DecompositionSettings::default()).unwrap();
        assert_eq!(found.parts.len(), 3);
        assert!(found.excess.abs() < 1e-9, "{}", found.excess);
        let corners = found.parts.iter().map(|hull| hull.vertices().len());
        assert_eq!(corners.collect::<Vec<_>>(), [8; 3]);
    }
}

#[test]
fn convex_meshes_stay_whole() {
    let radius = 0.5;
    for shape in [
        Shape::Sphere { radius },
        Shape::Cone {
            radius,
            height: 1.0,
            axis: Axis::X,
        },
        Shape::Box {
            half_extents: DVec3::new(1.0, 0.1, 2.0),
        },
    ] {
        let found = shape.mesh().decompose(&DecompositionSettings::default());
        let found = found.unwrap();
        assert_eq!(found.parts.len(), 1);
        assert!(found.excess.abs() < 1e-9);
    }
}

#[test]
fn the_hole_of_a_torus_stays_open_and_the_parts_cover_it() {
    let mesh = torus(1.0, 0.3, 32, 12);
    let found = mesh.decompose(&DecompositionSettings::default()).unwrap();
    assert!(
        (6..=16).contains(&found.parts.len()),
        "{}",
        found.parts.len()
    );
    assert!(found.excess < 0.15, "{}", found.excess);
    assert!(!contains(&found.parts, DVec3::ZERO, 0.0));
    for k in 0..24 {
        let (s, c) = conatus_math::sincos(f64::from(k) * std::f64::consts::TAU / 24.0);
        assert!(!contains(
            &found.parts,
            DVec3::new(0.5 * c, 0.5 * s, 0.0),
            0.0
        ));
        assert!(contains(&found.parts, DVec3::new(c, s, 0.0), 1e-9));
    }
    for v in &mesh.vertices {
        assert!(contains(&found.parts, *v, 1e-9), "{v}");
    }
}

#[test]
fn pieces_of_a_cut_have_together_the_volume_of_the_whole() {
    let mesh = torus(1.0, 0.4, 16, 8);
    let whole = ConvexPiece::of_mesh(&mesh).unwrap();
    let mut pieces = vec![whole.clone()];
    for (normal, offset) in [
        (DVec3::X, 0.1),
        (DVec3::new(0.3, 1.0, 0.2).normalize(), 0.05),
        (DVec3::Z, 0.0),
        (DVec3::new(0.0, 0.5, 1.0).normalize(), 0.1),
    ] {
        let plane = HalfSpace { normal, offset };
        let cut = |p: ConvexPiece| p.cut(&plane, &mesh).into_iter().flatten();
        pieces = pieces.into_iter().flat_map(cut).collect();
        let sum: f64 = pieces.iter().map(|p| p.volume).sum();
        assert!((sum / whole.volume - 1.0).abs() < 1e-9, "{sum}");
        assert!(pieces.iter().all(|p| p.excess() > -1e-9));
    }
    assert!(pieces.len() >= 8);
}

/// A block whose corner is cut off by three planes: the piece has a corner where they meet
/// inside of the block, which no triangle of the surface has.
#[test]
fn a_corner_inside_of_the_mesh_belongs_to_the_hull() {
    let mesh = Shape::Box {
        half_extents: DVec3::ONE,
    }
    .mesh();
    let mut piece = ConvexPiece::of_mesh(&mesh).unwrap();
    for normal in [DVec3::X, DVec3::Y, DVec3::Z] {
        let plane = HalfSpace {
            normal,
            offset: 0.25,
        };
        let [_, above] = piece.cut(&plane, &mesh);
        piece = above.unwrap();
    }
    assert!((piece.volume - 0.75f64.powi(3)).abs() < 1e-12);
    assert!(piece.excess().abs() < 1e-12);
    let low = Aabb::from_points(piece.points()).min;
    assert!((low - DVec3::splat(0.25)).length() < 1e-12);
}

#[test]
fn fewer_parts_and_coarse_parts_can_be_asked_for() {
    let mesh = torus(1.0, 0.3, 32, 12);
    let few = DecompositionSettings {
        max_parts: 4,
        concavity: 0.0,
    };
    let found = mesh.decompose(&few).unwrap();
    assert!(found.parts.len() <= 4);
    let coarse = DecompositionSettings {
        concavity: 10.0,
        ..DecompositionSettings::default()
    };
    assert_eq!(mesh.decompose(&coarse).unwrap().parts.len(), 1);
}

#[test]
fn a_mesh_with_a_hole_is_refused() {
    let mut mesh = u_shape();
    mesh.triangles.pop();
    let settings = DecompositionSettings::default();
    let error = mesh.decompose(&settings).unwrap_err();
    assert!(matches!(error, OpenMesh::OpenEdge { .. }));
    let sheet = generate::rectangle(1.0, 1.0, 2, 2);
    assert!(sheet.decompose(&settings).is_err());
}
