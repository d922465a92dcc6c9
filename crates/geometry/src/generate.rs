//! Meshes of round solids, closed and facing outwards, and of open surfaces: cloth at rest,
//! and obstacles for it. [`Shape::mesh`](crate::Shape::mesh) has the surfaces of shapes.
//!
//! Vertices lie on the true surface, so a round mesh is slightly smaller than
//! its solid, and their bounding boxes agree along axes that meet a vertex.

mod sheet;
mod swept;
#[cfg(test)]
mod tests;

pub use sheet::{disc, rectangle, tube};
pub use swept::{extrusion, funnel_profile, revolution, trough};

use crate::Mesh;
use crate::shape::Axis;
use conatus_math::DVec3;
use std::collections::HashMap;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Vertices around a cylinder, cone or capsule. A multiple of four, so that there are
/// vertices exactly on the axes.
const SEGMENTS: u32 = 48;
/// Rings from the rim of a capsule's half ball to its pole.
const CAP_RINGS: u32 = 12;
/// The most subdivisions of an icosphere: 5 million triangles.
const MAX_SUBDIVISIONS: u32 = 9;

/// A ball of radius 1 as an icosahedron subdivided `subdivisions` times (at
/// most 9), each triangle into four, with all vertices on the ball: 10·4ⁿ + 2
/// vertices and 20·4ⁿ triangles.
///
/// The six axis directions are vertices, so from the first subdivision on its
/// bounding box is exactly that of the ball.
pub fn icosphere(subdivisions: u32) -> Mesh {
    let mut mesh = icosahedron();
    for _ in 0..subdivisions.min(MAX_SUBDIVISIONS) {
        mesh = subdivide(&mesh);
    }
    mesh
}

/// The corners are the cyclic permutations of (0, ±1, ±φ), φ the golden ratio:
/// the edge from (0, 1, φ) to (0, -1, φ) has its middle on the z axis, so the
/// axis directions are vertices after one subdivision.
fn icosahedron() -> Mesh {
    let phi = 0.5 * (1.0 + 5f64.sqrt());
    let (a, b) = {
        let length = phi.hypot(1.0);
        (1.0 / length, phi / length)
    };
    let corner = |i: u32, j: u32, axis: u32| {
        let s = if i == 0 { a } else { -a };
        let t = if j == 0 { b } else { -b };
        match axis {
            0 => DVec3::new(0.0, s, t),
            1 => DVec3::new(t, 0.0, s),
            _ => DVec3::new(s, t, 0.0),
        }
    };
    let mut vertices = Vec::with_capacity(12);
    for axis in 0..3 {
        for j in 0..2 {
            for i in 0..2 {
                vertices.push(corner(i, j, axis));
            }
        }
    }
    // Corners 4·axis + 2·j + i. Eight triangles have one corner of each
    // permutation (one per octant); twelve contain the six short edges, two for
    // each.
    let mut triangles = Vec::with_capacity(20);
    for octant in 0..8u32 {
        let (x, y, z) = (octant & 1, octant >> 1 & 1, octant >> 2 & 1);
        triangles.push([y + 2 * z, 4 + z + 2 * x, 8 + x + 2 * y]);
    }
    for j in 0..2u32 {
        for k in 0..2u32 {
            // The edge i = 0, 1 of a permutation, and the corner of the next
            // one on the side k of it.
            triangles.push([2 * j, 2 * j + 1, 4 + j + 2 * k]);
            triangles.push([4 + 2 * j, 5 + 2 * j, 8 + j + 2 * k]);
            triangles.push([8 + 2 * j, 9 + 2 * j, j + 2 * k]);
        }
    }
    // A positive determinant means counter-clockwise as seen from outside.
    for t in &mut triangles {
        let [p, q, r] = t.map(|i| vertices[i as usize]);
        if p.dot(q.cross(r)) < 0.0 {
            t.swap(1, 2);
        }
    }
    Mesh {
        vertices,
        triangles,
    }
}

/// Splits every triangle into four at its edge midpoints, which are projected
/// onto the unit ball.
fn subdivide(mesh: &Mesh) -> Mesh {
    let mut vertices = mesh.vertices.clone();
    let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
    let mut middle = |i: u32, j: u32| {
        *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
            let sum = vertices[i as usize] + vertices[j as usize];
            vertices.push(sum.normalize());
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::with_capacity(4 * mesh.triangles.len());
    for &[a, b, c] in &mesh.triangles {
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Mesh {
        vertices,
        triangles,
    }
}

/// The cube from -1 to 1, with 8 vertices; vertex 4z + 2y + x.
pub(crate) fn cube() -> Mesh {
    let sign = |bit: u32| if bit & 1 == 0 { -1.0 } else { 1.0 };
    let vertices = (0..8)
        .map(|i| DVec3::new(sign(i), sign(i >> 1), sign(i >> 2)))
        .collect();
    let quads: [[u32; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let triangles = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .collect();
    Mesh {
        vertices,
        triangles,
    }
}

/// A mesh with its coordinates multiplied.
pub(crate) fn scaled(mut mesh: Mesh, factors: DVec3) -> Mesh {
    for v in &mut mesh.vertices {
        *v *= factors;
    }
    mesh
}

/// A capsule about the origin; `height` is that of its cylinder.
pub(crate) fn capsule(radius: f64, height: f64, axis: Axis) -> Mesh {
    let half = 0.5 * height;
    let cap = |ring: u32| {
        let (sin, cos) = (FRAC_PI_2 * f64::from(ring) / f64::from(CAP_RINGS)).sin_cos();
        (radius * cos, half + radius * sin)
    };
    let lower = (0..CAP_RINGS).rev().map(|i| {
        let (r, z) = cap(i);
        (r, -z)
    });
    let rings: Vec<(f64, f64)> = lower.chain((0..CAP_RINGS).map(cap)).collect();
    lathe(-half - radius, &rings, half + radius, axis)
}

/// A solid of revolution: a pole at the height `bottom`, rings of (radius,
/// height) upwards, and a pole at `top`.
pub(crate) fn lathe(bottom: f64, rings: &[(f64, f64)], top: f64, axis: Axis) -> Mesh {
    let mut vertices = Vec::with_capacity(rings.len() * SEGMENTS as usize + 2);
    for &(radius, height) in rings {
        for k in 0..SEGMENTS {
            let (sin, cos) = direction(k);
            vertices.push(along(axis, radius * cos, radius * sin, height));
        }
    }
    let ring_count = rings.len() as u32;
    let (south, north) = (ring_count * SEGMENTS, ring_count * SEGMENTS + 1);
    vertices.push(along(axis, 0.0, 0.0, bottom));
    vertices.push(along(axis, 0.0, 0.0, top));

    let last = (ring_count - 1) * SEGMENTS;
    let mut triangles = Vec::with_capacity(2 * rings.len() * SEGMENTS as usize);
    for k in 0..SEGMENTS {
        let next = (k + 1) % SEGMENTS;
        triangles.push([south, next, k]);
        for ring in 1..ring_count {
            let (below, above) = ((ring - 1) * SEGMENTS, ring * SEGMENTS);
            triangles.push([below + k, below + next, above + next]);
            triangles.push([below + k, above + next, above + k]);
        }
        triangles.push([north, last + k, last + next]);
    }
    Mesh {
        vertices,
        triangles,
    }
}

/// Sine and cosine of the direction of segment `k`, exact on the axes and
/// symmetric: all follow from the first quadrant.
fn direction(k: u32) -> (f64, f64) {
    let quarter = SEGMENTS / 4;
    let (sin, cos) = match k % quarter {
        0 => (0.0, 1.0),
        step => (TAU * f64::from(step) / f64::from(SEGMENTS)).sin_cos(),
    };
    match k / quarter {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The point with coordinates (u, v) across the axis and w along it. A cyclic
/// permutation keeps the orientation.
fn along(axis: Axis, u: f64, v: f64, w: f64) -> DVec3 {
    match axis {
        Axis::X => DVec3::new(w, u, v),
        Axis::Y => DVec3::new(v, w, u),
        Axis::Z => DVec3::new(u, v, w),
    }
}

/// Splits the cell with corners a, b, c, d, counter-clockwise, along a-c or
/// b-d.
fn cell([a, b, c, d]: [u32; 4], along_ac: bool, triangles: &mut Vec<[u32; 3]>) {
    triangles.extend(if along_ac {
        [[a, b, c], [a, c, d]]
    } else {
        [[a, b, d], [b, c, d]]
    });
}
