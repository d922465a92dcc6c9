//! Open surfaces at rest, for cloth: rectangles, strips, discs and tubes.

use super::cell;
use crate::Mesh;
use conatus_math::{DVec3, sincos};
use std::f64::consts::TAU;

/// A rectangle in the xy plane centred at the origin, `width` along x and
/// `height` along y, with `nx` × `ny` vertices (at least 2 × 2) row by row:
/// number nx·j + i is the i-th along x in row j. It faces +z.
///
/// Diagonals alternate like the fields of a chessboard, so that no direction of
/// the cloth is stiffer than its mirror image.
pub fn rectangle(width: f64, height: f64, nx: u32, ny: u32) -> Mesh {
    let (nx, ny) = (nx.max(2), ny.max(2));
    let at = |i: u32, n: u32| f64::from(i) / f64::from(n - 1) - 0.5;
    let mut vertices = Vec::with_capacity((nx * ny) as usize);
    for j in 0..ny {
        for i in 0..nx {
            vertices.push(DVec3::new(width * at(i, nx), height * at(j, ny), 0.0));
        }
    }
    let mut triangles = Vec::with_capacity(2 * ((nx - 1) * (ny - 1)) as usize);
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let a = nx * j + i;
            cell(
                [a, a + 1, a + nx + 1, a + nx],
                (i + j) % 2 == 0,
                &mut triangles,
            );
        }
    }
    Mesh {
        vertices,
        triangles,
    }
}

/// A disc in the xy plane centred at the origin that faces +z: a middle vertex
/// and `rings` rings (at least one), the k-th of 6k vertices, so that triangles
/// are nearly equilateral: 1 + 3n(n + 1) vertices and 6n² triangles.
pub fn disc(radius: f64, rings: u32) -> Mesh {
    let rings = rings.max(1);
    let first = |k: u32| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
    let mut vertices = vec![DVec3::ZERO];
    let mut triangles = Vec::with_capacity((6 * rings * rings) as usize);
    for k in 1..=rings {
        let r = radius * f64::from(k) / f64::from(rings);
        for i in 0..6 * k {
            let (sin, cos) = sincos(TAU * f64::from(i) / f64::from(6 * k));
            vertices.push(DVec3::new(r * cos, r * sin, 0.0));
        }
        // Each of six sectors has k edges on this ring, k − 1 on the inner one.
        let outer = |i: u32| first(k) + i % (6 * k);
        let inner = |i: u32| first(k - 1) + i % (6 * (k - 1)).max(1);
        for sector in 0..6 {
            let (o, n) = (sector * k, sector * (k - 1));
            for i in 0..k {
                triangles.push([inner(n + i), outer(o + i), outer(o + i + 1)]);
            }
            for i in 0..k - 1 {
                triangles.push([inner(n + i), outer(o + i + 1), inner(n + i + 1)]);
            }
        }
    }
    Mesh {
        vertices,
        triangles,
    }
}

/// The shell of a cylinder about the z axis, open at both ends and centred at
/// the origin, that faces outwards: `along` rings (at least 2) from the lowest
/// up, of `around` vertices each (at least 3). Diagonals alternate, except at
/// the seam if `around` is odd.
pub fn tube(radius: f64, height: f64, around: u32, along: u32) -> Mesh {
    let along = along.max(2);
    let profile: Vec<(f64, f64)> = (0..along)
        .map(|j| (radius, height * (f64::from(j) / f64::from(along - 1) - 0.5)))
        .collect();
    super::revolution(&profile, around)
}
