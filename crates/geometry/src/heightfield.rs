//! Heightfields: heights on a grid, blended by cubic B-splines.
//!
//! The splines have continuous slopes and curvatures, and bumps are a little lower than
//! their grid values.

use conatus_math::DVec3;

/// Heights on a regular grid; beyond its border the heights of the border continue.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// The corner with the least x and y; its z is added to all heights.
    pub origin: DVec3,
    /// The grid spacing in metres.
    pub spacing: f64,
    /// The number of grid points along x.
    pub columns: usize,
    /// The heights row by row, along x first.
    pub heights: Vec<f64>,
}

/// Cubic B-spline weights of four neighbours at the fraction t of a cell, and their
/// first and second derivatives.
fn weights(t: f64) -> [[f64; 4]; 3] {
    let u = 1.0 - t;
    [
        [
            u * u * u / 6.0,
            (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
            (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
            t * t * t / 6.0,
        ],
        [
            -0.5 * u * u,
            1.5 * t * t - 2.0 * t,
            -1.5 * u * u + 2.0 * u,
            0.5 * t * t,
        ],
        [u, 3.0 * t - 2.0, 3.0 * u - 2.0, t],
    ]
}

impl Heightfield {
    /// The number of grid points along y.
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns.max(1)
    }

    /// The height at a point, with its first and second derivatives:
    /// h, h_x, h_y, h_xx, h_xy, h_yy.
    pub fn height(&self, x: f64, y: f64) -> [f64; 6] {
        let (columns, rows) = (self.columns as i64, self.rows() as i64);
        let split = |v: f64| {
            let v = v.clamp(-1e6, 1e6);
            (v.floor() as i64, v - v.floor())
        };
        let (i, s) = split((x - self.origin.x) / self.spacing);
        let (j, t) = split((y - self.origin.y) / self.spacing);
        let (a, b) = (weights(s), weights(t));
        let mut sums = [0.0; 6];
        for (l, row) in (j - 1..j + 3).enumerate() {
            for (k, column) in (i - 1..i + 3).enumerate() {
                let at = row.clamp(0, rows - 1) * columns + column.clamp(0, columns - 1);
                let h = self.heights[at as usize];
                for (sum, (p, q)) in
                    sums.iter_mut()
                        .zip([(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
                {
                    *sum += h * a[p][k] * b[q][l];
                }
            }
        }
        let d = self.spacing;
        let [h, hx, hy, hxx, hxy, hyy] = sums;
        let (f, s) = (1.0 / d, 1.0 / (d * d));
        [self.origin.z + h, hx * f, hy * f, hxx * s, hxy * s, hyy * s]
    }
}
