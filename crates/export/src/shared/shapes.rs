//! The shapes that exporters need besides the bodies' own meshes.

use crate::shared::bounds::Extent;
use conatus_math::DVec3;
use conatus_record::{MeshData, PlaneInfo};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// Balls as one mesh: octahedra, subdivided three times and projected.
pub(crate) fn spheres(spheres: &[(DVec3, f64)]) -> MeshData {
    let unit = unit_ball(3);
    let mut mesh = MeshData::default();
    for (centre, radius) in spheres {
        let offset = mesh.vertices.len() as u32;
        let place = |v: &DVec3| *centre + *v * radius.abs();
        mesh.vertices.extend(unit.vertices.iter().map(place));
        let moved = |t: &[u32; 3]| t.map(|i| i + offset);
        mesh.triangles.extend(unit.triangles.iter().map(moved));
    }
    mesh
}

/// The mesh with vertices of equal position merged.
pub(crate) fn welded(mesh: &MeshData) -> MeshData {
    let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut of_vertex = Vec::with_capacity(mesh.vertices.len());
    for v in &mesh.vertices {
        // Adding zero turns −0 into 0.
        let place = (*v + 0.0).to_array().map(f64::to_bits);
        let index = *known.entry(place).or_insert_with(|| {
            vertices.push(*v);
            vertices.len() as u32 - 1
        });
        of_vertex.push(index);
    }
    let joined = |t: &[u32; 3]| t.map(|i| of_vertex.get(i as usize).copied().unwrap_or(0));
    MeshData {
        vertices,
        triangles: mesh.triangles.iter().map(joined).collect(),
    }
}

/// Whether a surface has a boundary: an edge of one triangle only.
pub(crate) fn is_open(mesh: &MeshData) -> bool {
    let largest = mesh.vertices.iter().map(|v| v.abs().max_element());
    let grain = 1e-9 * largest.fold(0.0, f64::max).max(1e-300);
    // Seams of closed surfaces may differ in their last bits.
    let rounded = MeshData {
        vertices: mesh.vertices.iter().map(|v| (*v / grain).round()).collect(),
        triangles: mesh.triangles.clone(),
    };
    let mut sides: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for [a, b, c] in welded(&rounded).triangles {
        if a != b && b != c && c != a {
            for [a, b] in [[a, b], [b, c], [c, a]] {
                *sides.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
        }
    }
    sides.values().any(|count| *count == 1)
}

fn unit_ball(divisions: u32) -> MeshData {
    let mut corners: Vec<[DVec3; 3]> = Vec::new();
    for x in [1.0, -1.0] {
        for y in [1.0, -1.0] {
            for z in [1.0, -1.0] {
                let [a, b, c] = [DVec3::X * x, DVec3::Y * y, DVec3::Z * z];
                corners.push(if x * y * z > 0.0 {
                    [a, b, c]
                } else {
                    [a, c, b]
                });
            }
        }
    }
    for _ in 0..divisions {
        corners = corners
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (ab, bc, ca) = (a + b, b + c, c + a);
                let [ab, bc, ca] = [ab, bc, ca].map(|v| v.normalize());
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let triangles = (0..corners.len() as u32)
        .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
        .collect();
    MeshData {
        vertices: corners.into_flattened(),
        triangles,
    }
}

/// The visible part of a plane: the projection of a box onto it.
pub(crate) fn quad(display_box: &Extent, plane: &PlaneInfo) -> Option<MeshData> {
    let normal = plane.normal.try_normalize()?;
    // Aligned with the axes, so that walls meet at their edges.
    let axis = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .min_by(|a, b| a.dot(normal).abs().total_cmp(&b.dot(normal).abs()))?;
    let u = (axis - normal * axis.dot(normal)).try_normalize()?;
    let v = normal.cross(u);
    let (mut lo, mut hi) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for corner in display_box.corners() {
        for (k, direction) in [u, v].into_iter().enumerate() {
            let along = (corner - plane.point).dot(direction);
            lo[k] = lo[k].min(along);
            hi[k] = hi[k].max(along);
        }
    }
    let at = |a: f64, b: f64| plane.point + u * a + v * b;
    Some(MeshData {
        vertices: vec![
            at(lo[0], lo[1]),
            at(hi[0], lo[1]),
            at(hi[0], hi[1]),
            at(lo[0], hi[1]),
        ],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    })
}

/// A coil about the z axis from the origin to (0, 0, 1), wound at distance
/// `radius` from the axis. The wire is `wire` thick across the axis and `along`
/// along it: springs stretch the two differently.
pub(crate) fn coil(turns: usize, radius: f64, wire: f64, along: f64) -> MeshData {
    const AROUND: usize = 6;
    let steps = turns * 14;
    let mut mesh = MeshData::default();
    for i in 0..=steps {
        let s = i as f64 / steps as f64;
        // The wire leaves the axis and returns to it within half a turn.
        let reach = (s.min(1.0 - s) * 2.0 * turns as f64).min(1.0) * radius;
        let (sin, cos) = (TAU * turns as f64 * s).sin_cos();
        let out = DVec3::new(cos, sin, 0.0);
        let centre = out * reach + DVec3::Z * s;
        for j in 0..AROUND {
            let (sj, cj) = (TAU * j as f64 / AROUND as f64).sin_cos();
            mesh.vertices
                .push(centre + out * (cj * wire) + DVec3::Z * (sj * along));
        }
    }
    for i in 0..steps {
        for j in 0..AROUND {
            let at = |i: usize, j: usize| (i * AROUND + j % AROUND) as u32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// A straight wire along the z axis from the origin to (0, 0, 1).
pub(crate) fn wire(thickness: f64) -> MeshData {
    let ring = |z: f64| {
        let corner = move |j: u32| {
            let (sin, cos) = (TAU * f64::from(j) / 6.0).sin_cos();
            DVec3::new(cos * thickness, sin * thickness, z)
        };
        (0..6).map(corner)
    };
    let side = |j: u32| {
        let k = (j + 1) % 6;
        [[j, k, k + 6], [j, k + 6, j + 6]]
    };
    MeshData {
        vertices: ring(0.0).chain(ring(1.0)).collect(),
        triangles: (0..6).flat_map(side).collect(),
    }
}
