use super::*;
use crate::{Aabb, Axis, Shape, Topology};

/// One of every solid, with distinct sizes, and its bounding box.
fn solids() -> Vec<(Shape, Aabb)> {
    let (radius, height) = (0.7, 1.9);
    let mut all = vec![
        (Shape::Sphere { radius: 0.3 }, DVec3::splat(0.3)),
        (
            Shape::Box {
                half_extents: DVec3::new(0.1, 2.0, 0.5),
            },
            DVec3::new(0.1, 2.0, 0.5),
        ),
        (
            Shape::Ellipsoid {
                semi_axes: DVec3::new(1.0, 0.2, 3.0),
            },
            DVec3::new(1.0, 0.2, 3.0),
        ),
    ]
    .into_iter()
    .map(|(s, h)| (s, Aabb::new(-h, h)))
    .collect::<Vec<_>>();
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        let from_to = |low: f64, high: f64| {
            Aabb::from_points([
                along(axis, -radius, -radius, low),
                along(axis, radius, radius, high),
            ])
        };
        let (half, round) = (0.5 * height, 0.5 * height + radius);
        all.push((
            Shape::Cylinder {
                radius,
                height,
                axis,
            },
            from_to(-half, half),
        ));
        all.push((
            Shape::Capsule {
                radius,
                height,
                axis,
            },
            from_to(-round, round),
        ));
        all.push((
            Shape::Cone {
                radius,
                height,
                axis,
            },
            from_to(-0.25 * height, 0.75 * height),
        ));
    }
    all
}

#[test]
fn every_solid_is_closed_and_faces_outwards() {
    for (solid, _) in solids() {
        let mesh = solid.mesh();
        assert_eq!(mesh.check_closed(), Ok(()), "{solid:?}");
        assert!(mesh.volume_integrals().volume > 0.0, "{solid:?}");
    }
}

#[test]
fn every_mesh_has_nearly_the_volume_of_its_solid() {
    for (solid, _) in solids() {
        let ratio = solid.mesh().volume_integrals().volume / solid.volume().unwrap();
        assert!(ratio > 0.985 && ratio < 1.0 + 1e-12, "{solid:?}: {ratio}");
    }
}

#[test]
fn every_mesh_fills_the_box_of_its_solid() {
    for (solid, expected) in solids() {
        let found = solid.mesh().aabb();
        assert!(found.min.abs_diff_eq(expected.min, 1e-15), "{solid:?}");
        assert!(found.max.abs_diff_eq(expected.max, 1e-15), "{solid:?}");
    }
}

#[test]
fn every_origin_is_the_centre_of_mass() {
    for (solid, _) in solids() {
        let i = solid.mesh().volume_integrals();
        assert!((i.first / i.volume).length() < 1e-14, "{solid:?}");
    }
}

#[test]
fn subdividing_a_ball_converges_to_its_volume_at_second_order() {
    let exact = Shape::Sphere { radius: 1.0 }.volume().unwrap();
    let error = |n| 1.0 - icosphere(n).volume_integrals().volume / exact;
    assert!(error(5) < 1e-3);
    for n in 2..5 {
        let ratio = error(n) / error(n + 1);
        assert!((ratio - 4.0).abs() < 0.2, "{ratio}");
    }
}

#[test]
fn an_icosphere_has_the_counts_of_its_formula() {
    for n in 0..4 {
        let (mesh, four) = (icosphere(n), 4usize.pow(n));
        assert_eq!(mesh.vertices.len(), 10 * four + 2);
        assert_eq!(mesh.triangles.len(), 20 * four);
        assert_eq!(mesh.check_closed(), Ok(()));
        assert!(
            mesh.vertices
                .iter()
                .all(|v| (v.length() - 1.0).abs() < 1e-15)
        );
    }
    assert_eq!(Shape::Sphere { radius: 1.0 }.mesh().vertices.len(), 642);
}

#[test]
fn a_cone_points_along_its_axis() {
    let mesh = Shape::Cone {
        radius: 1.0,
        height: 4.0,
        axis: Axis::Y,
    }
    .mesh();
    assert!(mesh.vertices.contains(&DVec3::new(0.0, 3.0, 0.0)));
    assert!(!mesh.vertices.contains(&DVec3::new(0.0, -3.0, 0.0)));
}

/// Vertices − edges + triangles, the number of boundary loops, and the area.
fn shape(mesh: &Mesh) -> (i64, usize, f64) {
    let topology = Topology::of(&mesh.triangles, mesh.vertices.len()).unwrap();
    topology.check(&mesh.vertices).unwrap();
    let count = |n: usize| n as i64;
    let euler =
        count(mesh.vertices.len()) - count(topology.edges.len()) + count(mesh.triangles.len());
    let area = (0..mesh.triangles.len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            0.5 * (b - a).cross(c - a).length()
        })
        .sum();
    (euler, loops(&topology), area)
}

/// How many closed lines the boundary edges make.
fn loops(topology: &Topology) -> usize {
    let border = || {
        topology
            .boundary_edges()
            .map(|e| topology.edges[e as usize])
    };
    let mut label: Vec<usize> = (0..topology.boundary_vertex.len()).collect();
    let count = border().count();
    for _ in 0..count {
        for [a, b] in border() {
            let least = label[a as usize].min(label[b as usize]);
            (label[a as usize], label[b as usize]) = (least, least);
        }
    }
    let on_border = |v: &usize| topology.boundary_vertex[*v];
    (0..label.len())
        .filter(on_border)
        .filter(|&v| label[v] == v)
        .count()
}

fn is_near(a: f64, b: f64, relative: f64) -> bool {
    (a - b).abs() <= relative * b.abs()
}

/// Whether `f` of the normal and the middle of every triangle is positive.
fn faces(mesh: &Mesh, f: impl Fn(DVec3, DVec3) -> f64) -> bool {
    (0..mesh.triangles.len()).all(|t| {
        let [a, b, c] = mesh.corners(t);
        f((a + b + c) / 3.0, (b - a).cross(c - a)) > 0.0
    })
}

#[test]
fn a_rectangle_has_its_area_and_one_border() {
    for (nx, ny) in [(2, 2), (3, 7), (40, 2), (31, 31)] {
        let mesh = rectangle(2.0, 3.0, nx, ny);
        assert_eq!(mesh.vertices.len(), (nx * ny) as usize);
        assert_eq!(mesh.vertices[0], DVec3::new(-1.0, -1.5, 0.0));
        assert_eq!(mesh.vertices[nx as usize - 1], DVec3::new(1.0, -1.5, 0.0));
        let (euler, loops, area) = shape(&mesh);
        assert_eq!((euler, loops), (1, 1));
        assert!(is_near(area, 6.0, 1e-13));
        assert!(faces(&mesh, |_, n| n.z));
    }
}

#[test]
fn the_diagonals_of_a_rectangle_have_no_bias() {
    let mesh = rectangle(1.0, 1.0, 5, 5);
    let slopes = mesh
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let slope = slopes.map(|(a, b)| {
        let d = mesh.vertices[b as usize] - mesh.vertices[a as usize];
        d.x * d.y
    });
    assert!(slope.sum::<f64>().abs() < 1e-15);
}

#[test]
fn a_disc_is_round_and_nearly_equilateral() {
    for rings in [1, 2, 9, 20] {
        let (mesh, n) = (disc(0.5, rings), rings as usize);
        assert_eq!(mesh.vertices.len(), 1 + 3 * n * (n + 1));
        assert_eq!(mesh.triangles.len(), 6 * n * n);
        let (euler, loops, area) = shape(&mesh);
        assert_eq!((euler, loops), (1, 1));
        assert!(faces(&mesh, |_, n| n.z));
        // A polygon of 6n corners.
        let corners = 6.0 * n as f64;
        let polygon = 0.5 * corners * (TAU / corners).sin() * 0.25;
        assert!(is_near(area, polygon, 1e-13));
        for t in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(t);
            let sides = [a.distance(b), b.distance(c), c.distance(a)];
            let (least, most) = sides
                .iter()
                .fold((9.0, 0.0), |(l, m): (f64, f64), s| (l.min(*s), m.max(*s)));
            assert!(most < 1.6 * least, "{sides:?}");
        }
    }
}

#[test]
fn a_tube_is_open_at_both_ends() {
    for around in [3, 16, 17] {
        let mesh = tube(0.3, 2.0, around, 9);
        let (euler, loops, area) = shape(&mesh);
        assert_eq!((euler, loops), (0, 2));
        let side = 2.0 * 0.3 * (0.5 * TAU / f64::from(around)).sin();
        assert!(is_near(area, f64::from(around) * side * 2.0, 1e-13));
        assert!(faces(&mesh, |at, n| n.dot(DVec3::new(at.x, at.y, 0.0))));
    }
}

#[test]
fn a_profile_between_two_poles_is_closed() {
    let mesh = revolution(&[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0)], 4);
    assert_eq!(mesh.vertices.len(), 6);
    assert_eq!(mesh.check_closed(), Ok(()));
    assert!(is_near(mesh.volume_integrals().volume, 4.0 / 3.0, 1e-14));
}

#[test]
fn a_funnel_is_a_cone_a_round_lip_and_a_chute() {
    let (r, f) = (0.1, 0.04);
    let profile = funnel_profile(0.5, 0.3, r, 0.0, f, 0.2, 8);
    assert_eq!(profile.first(), Some(&(r, -0.2)));
    assert_eq!(profile.last(), Some(&(0.5, 0.3)));
    assert_eq!(profile.len(), 2 + 9);
    // The arc's points lie on its circle, and its ends on chute and cone.
    let centre = (r + f, profile[1].1);
    for &(x, z) in &profile[1..10] {
        assert!(is_near((x - centre.0).hypot(z - centre.1), f, 1e-12));
    }
    assert_eq!(profile[1].0, r);
    let (x, z) = profile[9];
    assert!(((x - r) * 0.3 - z * 0.4).abs() < 1e-15);
    // The angle at its ends is as small as within: cone and chute are tangents.
    let turn = |i: usize| {
        let d = |j: usize| {
            (
                profile[j + 1].0 - profile[j].0,
                profile[j + 1].1 - profile[j].1,
            )
        };
        let ((a, b), (c, e)) = (d(i - 1), d(i));
        ((a * e - b * c) / (a.hypot(b) * c.hypot(e))).abs()
    };
    let largest = (1..10).map(turn).fold(0.0, f64::max);
    assert!(largest < 0.13, "{largest}");

    let mesh = revolution(&profile, 64);
    let (euler, loops, area) = shape(&mesh);
    assert_eq!((euler, loops), (0, 2));
    // Without the fillet: a cone's and a cylinder's mantle.
    let sharp = 0.5 * TAU * (0.5 + r) * 0.5 + TAU * r * 0.2;
    assert!(is_near(area, sharp, 0.02), "{area} {sharp}");
}

#[test]
fn a_funnel_needs_no_fillet_and_no_chute() {
    let sharp = funnel_profile(0.5, 0.3, 0.1, 0.0, 0.0, 0.2, 8);
    assert_eq!(sharp, [(0.1, -0.2), (0.1, 0.0), (0.5, 0.3)]);
    let short = funnel_profile(0.5, 0.3, 0.1, 0.0, 0.04, 0.0, 8);
    assert_eq!(short, [(0.1, 0.0), (0.5, 0.3)]);
    // A fillet as long as the chute.
    let round = funnel_profile(0.5, 0.3, 0.1, 0.0, 9.0, 0.2, 8);
    assert_eq!(shape(&revolution(&round, 12)).1, 2);
    assert!(round.iter().all(|p| p.0.is_finite() && p.1.is_finite()));
}

#[test]
fn a_trough_is_half_a_cylinder_or_a_v() {
    let round = trough(2.0, 5.0, 1.0, 40);
    let (euler, loops, area) = shape(&round);
    assert_eq!((euler, loops), (1, 1));
    assert!(is_near(area, 0.5 * TAU * 5.0, 2e-3));
    assert!(faces(&round, |at, n| -n.dot(DVec3::new(at.x, 0.0, at.z))));
    let pointed = trough(2.0, 5.0, 1.0, 2);
    assert!(is_near(shape(&pointed).2, 2.0 * 2f64.sqrt() * 5.0, 1e-14));
    assert!(faces(&pointed, |_, n| n.z));
}

#[test]
fn an_extruded_step_has_the_area_of_its_profile() {
    let mesh = extrusion(&[(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (4.0, 2.0)], 3.0, 7);
    assert_eq!(mesh.vertices.len(), 4 * 8);
    let (euler, loops, area) = shape(&mesh);
    assert_eq!((euler, loops), (1, 1));
    assert!(is_near(area, 6.0 * 3.0, 1e-14));
}
