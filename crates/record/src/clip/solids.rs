//! The shapes of a character's parts: smooth as a wooden mannequin's, and
//! nowhere larger than what they stand for.

use super::Shape;
use crate::model::MeshData;
use conatus_geometry::generate::revolution;
use conatus_geometry::{Mesh, icosphere};
use conatus_math::{DVec3, cbrt, sincos};
use std::f64::consts::{FRAC_PI_2, PI};

/// Vertices around a limb and around the torso, and pieces of a quarter turn.
const AROUND: u32 = 28;
const TORSO_AROUND: u32 = 40;
const QUARTER: usize = 7;

/// The surface of a shape about its own origin.
pub fn shape(shape: &Shape) -> MeshData {
    match *shape {
        Shape::Box {
            half_extents: h, ..
        } => {
            let edge = 0.08 * h.min_element();
            slab([h.x, h.y], [-h.z, h.z], 2.0 * edge, edge)
        }
        Shape::Sphere { radius } => {
            let mut ball = icosphere(3);
            ball.vertices.iter_mut().for_each(|v| *v *= radius);
            rounded(&ball)
        }
        Shape::Capsule { radius, length } => limb([radius, radius], [-length / 2.0, length / 2.0]),
    }
}

/// A limb along the z axis between two heights, with round ends of two radii.
pub fn limb([below, above]: [f64; 2], [from, to]: [f64; 2]) -> MeshData {
    let quarter = |k: usize| sincos(FRAC_PI_2 * k as f64 / QUARTER as f64);
    let mut profile = vec![(0.0, from - below)];
    profile.extend((1..=QUARTER).map(|k| {
        let (sin, cos) = quarter(k);
        (below * sin, from - below * cos)
    }));
    profile.extend((1..=QUARTER).rev().map(|k| {
        let (sin, cos) = quarter(k);
        (above * sin, to + above * cos)
    }));
    profile.push((0.0, to + above));
    rounded(&revolution(&profile, AROUND))
}

/// A torso within a box: rounded everywhere, and with a waist if it is long.
///
/// A direction d of the unit ball goes to h·d/‖d‖₃, on the surface
/// |x/h_x|³ + |y/h_y|³ + |z/h_z|³ = 1.
pub fn torso(h: DVec3) -> MeshData {
    let rows = 24;
    let mut profile = vec![(0.0, -1.0)];
    profile.extend((1..rows).map(|k| {
        let (sin, cos) = sincos(PI * f64::from(k) / f64::from(rows));
        (sin, -cos)
    }));
    profile.push((0.0, 1.0));
    let mut mesh = revolution(&profile, TORSO_AROUND);
    // The poles lie at the ends of the longest axis; a turn of all three axes
    // keeps the outside outside.
    let long = (0..3).max_by(|a, b| h[*a].total_cmp(&h[*b])).unwrap_or(2);
    let [u, v] = [(long + 1) % 3, (long + 2) % 3];
    let slender = (h[long] / h[u].max(h[v]) - 1.0).clamp(0.0, 1.0);
    for vertex in &mut mesh.vertices {
        let mut d = DVec3::ZERO;
        (d[u], d[v], d[long]) = (vertex.x, vertex.y, vertex.z);
        let cubes = d.abs().to_array().map(|c| c * c * c);
        d /= cbrt(cubes.iter().sum());
        // The waist is a little below the middle.
        let off = ((d[long] + 0.15) / 0.85).clamp(-1.0, 1.0);
        let waist = 1.0 - 0.2 * slender * (1.0 - off * off) * (1.0 - off * off);
        // Only across: the back stays where its patch is.
        d[if h[u] > h[v] { u } else { v }] *= waist;
        *vertex = d * h;
    }
    rounded(&mesh)
}

/// A flat block between two heights over a rectangle with round corners; its
/// edges are round as well.
pub fn slab(half: [f64; 2], [from, to]: [f64; 2], corner: f64, edge: f64) -> MeshData {
    let edge = edge.min((to - from) / 2.0);
    let arc = |k: usize| {
        let (sin, cos) = sincos(FRAC_PI_2 * k as f64 / 3.0);
        [edge * (1.0 - sin), edge * (1.0 - cos)]
    };
    let rings = (0..=3).map(|k| {
        let [inset, rise] = arc(k);
        (inset, from + rise)
    });
    let top = (0..=3).rev().map(|k| {
        let [inset, rise] = arc(k);
        (inset, to - rise)
    });
    let mut mesh = MeshData::default();
    let around = 4 * (QUARTER as u32 + 1);
    mesh.vertices.push(DVec3::new(0.0, 0.0, from));
    for (inset, z) in rings.chain(top) {
        mesh.vertices.extend(outline(half, inset, corner, z));
    }
    mesh.vertices.push(DVec3::new(0.0, 0.0, to));
    let last = mesh.vertices.len() as u32 - 1;
    let at = |ring: u32, k: u32| 1 + ring * around + k % around;
    for k in 0..around {
        mesh.triangles.push([0, at(0, k + 1), at(0, k)]);
        for ring in 0..7 {
            let [a, b] = [at(ring, k), at(ring, k + 1)];
            let [c, d] = [at(ring + 1, k + 1), at(ring + 1, k)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh.triangles.push([last, at(7, k), at(7, k + 1)]);
    }
    micrometres(&mut mesh.vertices);
    mesh
}

/// A rectangle with round corners, counter-clockwise, made smaller all around.
fn outline([a, b]: [f64; 2], inset: f64, corner: f64, z: f64) -> impl Iterator<Item = DVec3> {
    let corner = corner.min(a).min(b);
    let radius = (corner - inset).max(0.1 * corner);
    let [a, b] = [a - inset - radius, b - inset - radius].map(|side| side.max(0.0));
    (0..4).flat_map(move |quadrant| {
        let [x, y] = [[a, b], [-a, b], [-a, -b], [a, -b]][quadrant];
        (0..=QUARTER).map(move |k| {
            let turn = quadrant as f64 + k as f64 / QUARTER as f64;
            let (sin, cos) = sincos(FRAC_PI_2 * turn);
            DVec3::new(x + radius * cos, y + radius * sin, z)
        })
    })
}

fn rounded(mesh: &Mesh) -> MeshData {
    let mut data = MeshData::from(mesh);
    micrometres(&mut data.vertices);
    data
}

/// Rounds to what one could see at most, which keeps headers short.
fn micrometres(vertices: &mut [DVec3]) {
    for v in vertices {
        *v = (*v * 1e6).round() / 1e6 + 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(mesh: &MeshData) -> f64 {
        let at = |i: u32| mesh.vertices[i as usize];
        let six = |[a, b, c]: [u32; 3]| at(a).dot(at(b).cross(at(c)));
        mesh.triangles.iter().map(|t| six(*t)).sum::<f64>() / 6.0
    }

    #[test]
    fn all_shapes_are_closed_and_turn_their_outside_out() {
        let flat = DVec3::new(0.3, 0.2, 0.1);
        for (mesh, most) in [
            (torso(DVec3::new(0.1, 0.17, 0.3)), 8.0 * 0.1 * 0.17 * 0.3),
            (torso(flat), 8.0 * 0.3 * 0.2 * 0.1),
            (
                slab([0.12, 0.05], [0.0, 0.03], 0.03, 0.01),
                0.24 * 0.1 * 0.03,
            ),
            (
                shape(&Shape::Box {
                    half_extents: flat,
                    radius: 0.0,
                }),
                8.0 * 0.006,
            ),
            (limb([0.06, 0.05], [-0.2, 0.2]), 0.12 * 0.12 * 0.52),
            (shape(&Shape::Sphere { radius: 0.1 }), 0.008),
        ] {
            let closed = Mesh {
                vertices: mesh.vertices.clone(),
                triangles: mesh.triangles.clone(),
            };
            assert!(closed.check_closed().is_ok());
            let volume = volume(&mesh);
            assert!(volume > 0.45 * most && volume < most, "{volume} of {most}");
        }
    }

    #[test]
    fn parts_stay_within_what_they_stand_for() {
        let h = DVec3::new(0.1, 0.17, 0.3);
        for v in torso(h).vertices {
            assert!((v.abs() - h).max_element() < 1e-5);
        }
        for v in limb([0.06, 0.05], [-0.2, 0.2]).vertices {
            let axis = v.with_z(v.z - v.z.clamp(-0.2, 0.2));
            assert!(axis.length() < 0.06 + 1e-5);
        }
    }
}
