//! Resistance of a triangle to stretching and shearing.
//!
//! A triangle maps its plane at rest, with coordinates (u, v) along warp and
//! weft, linearly into space. The columns of that map's derivative, F_u = ∂x/∂u
//! and F_v = ∂x/∂v, are the deformed thread directions (Baraff and Witkin 1998,
//! §4.2). With A the area at rest the energy is
//!
//! E/A = ½ k_u (|F_u| − 1)² + ½ k_v (|F_v| − 1)² + ½ k_s (|F_d| − |F_e|)²,
//!
//! where F_d, F_e = (F_u ± F_v)/√2 are the diagonals. For a small shear
//! γ = F_u·F_v the last bracket is γ, as in the paper; but there the energy is
//! (F_u·F_v)², which grows with the fourth power of a stretch and hardens
//! without bound. Here every term is a linear spring in some length, so that a
//! single linearised step does not overshoot at any stretch.

use crate::Material;
use conatus_math::{DMat3, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// A triangle and its constants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Corners in ascending order, so that the blocks (0,1), (0,2) and (1,2)
    /// all lie in the upper triangle of the matrix.
    pub corners: [u32; 3],
    /// The slots of these three blocks.
    pub slots: [u32; 3],
    /// F_u = Σ along_u[k] (x_{k+1} − x_0).
    pub along_u: [f64; 2],
    /// The same for F_v.
    pub along_v: [f64; 2],
    /// Area at rest, m².
    pub area: f64,
    /// Which piece it belongs to.
    pub piece: u32,
}

impl Triangle {
    /// The triangle with these corners (ascending) and points at rest, or
    /// `None` if it has no area.
    pub fn new(corners: [u32; 3], at: [DVec3; 3], warp: DVec3, piece: u32) -> Option<Self> {
        let (p, q) = (at[1] - at[0], at[2] - at[0]);
        let normal = p.cross(q);
        let double_area = normal.length();
        if double_area.is_nan() || double_area <= 1e-14 * (p.length_squared() + q.length_squared())
        {
            return None;
        }
        let normal = normal / double_area;
        // Any direction across the warp works, if it is always the same one.
        let flat = |axis: DVec3| axis - normal * axis.dot(normal);
        let u = [warp, DVec3::Y, DVec3::Z, DVec3::X]
            .into_iter()
            .map(|axis| flat(axis.normalize_or_zero()))
            .find(|axis| axis.length() > 1e-3)?
            .normalize();
        let v = normal.cross(u);
        // Inverse of [p q] in the coordinates (u, v).
        let (pu, pv, qu, qv) = (p.dot(u), p.dot(v), q.dot(u), q.dot(v));
        let det = pu * qv - qu * pv;
        Some(Self {
            corners,
            slots: [0; 3],
            along_u: [qv / det, -pv / det],
            along_v: [-qu / det, pu / det],
            area: 0.5 * double_area,
            piece,
        })
    }
}

/// Stiffnesses of a triangle, times its area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stiffness {
    warp: f64,
    weft: f64,
    shear: f64,
    compression: f64,
}

impl Stiffness {
    pub fn new(material: &Material) -> Self {
        Self {
            warp: material.stretch_warp,
            weft: material.stretch_weft,
            shear: material.shear,
            compression: material.compression,
        }
    }
}

/// The deformed state of a triangle: its lengths and directions.
pub(crate) struct Strained<'a> {
    triangle: &'a Triangle,
    warp: Direction,
    weft: Direction,
    plus: Direction,
    minus: Direction,
    shear: f64,
}

/// A stretched direction: unit vector, length, stiffness times area.
#[derive(Clone, Copy)]
struct Direction {
    unit: DVec3,
    length: f64,
    stiffness: f64,
}

impl Direction {
    #[inline(always)]
    fn new(f: DVec3) -> Self {
        let length = f.length();
        // A direction of zero length has no force.
        let unit = if length > 1e-12 {
            f * (1.0 / length)
        } else {
            DVec3::ZERO
        };
        Self {
            unit,
            length,
            stiffness: 0.0,
        }
    }

    #[inline(always)]
    fn with(mut self, stiffness: f64, compression: f64) -> Self {
        self.stiffness = if self.length < 1.0 {
            stiffness * compression
        } else {
            stiffness
        };
        self
    }

    #[inline(always)]
    fn energy(&self) -> f64 {
        0.5 * self.stiffness * (self.length - 1.0) * (self.length - 1.0)
    }

    #[inline(always)]
    fn gradient(&self) -> DVec3 {
        self.unit * (self.stiffness * (self.length - 1.0))
    }

    /// k (û ûᵀ + τ (1 − û ûᵀ)) with τ = 1 − 1/|F|, which is negative in
    /// compression and left out there: a compressed thread is free to turn.
    #[inline(always)]
    fn hessian(&self) -> Symmetric {
        let tension = if self.length > 1.0 {
            self.stiffness * (1.0 - 1.0 / self.length)
        } else {
            0.0
        };
        Symmetric::new(self.unit, self.stiffness - tension, tension)
    }
}

/// Upper triangle of a symmetric matrix: xx, xy, xz, yy, yz, zz.
#[derive(Clone, Copy)]
struct Symmetric([f64; 6]);

impl Symmetric {
    /// along·û ûᵀ + all·1
    #[inline(always)]
    fn new(unit: DVec3, along: f64, all: f64) -> Self {
        let s = unit * along;
        Self([
            s.x * unit.x + all,
            s.x * unit.y,
            s.x * unit.z,
            s.y * unit.y + all,
            s.y * unit.z,
            s.z * unit.z + all,
        ])
    }
}

impl<'a> Strained<'a> {
    /// Computes the deformed state of a triangle. `scale` multiplies all
    /// stiffnesses.
    #[inline(always)]
    pub fn new(triangle: &'a Triangle, x: &[DVec3], k: &Stiffness, scale: f64) -> Self {
        let [a, b, c] = triangle.corners.map(|i| x[i as usize]);
        let (p, q) = (b - a, c - a);
        let fu = p * triangle.along_u[0] + q * triangle.along_u[1];
        let fv = p * triangle.along_v[0] + q * triangle.along_v[1];
        let area = triangle.area * scale;
        Self {
            triangle,
            warp: Direction::new(fu).with(k.warp * area, k.compression),
            weft: Direction::new(fv).with(k.weft * area, k.compression),
            plus: Direction::new((fu + fv) * FRAC_1_SQRT_2),
            minus: Direction::new((fu - fv) * FRAC_1_SQRT_2),
            shear: k.shear * area,
        }
    }

    /// |F_d| − |F_e|, the shear in radians when it is small.
    #[inline(always)]
    fn sheared(&self) -> f64 {
        self.plus.length - self.minus.length
    }

    /// Derivatives of the shear with respect to F_u and F_v.
    #[inline(always)]
    fn shear_directions(&self) -> (DVec3, DVec3) {
        (
            (self.plus.unit - self.minus.unit) * FRAC_1_SQRT_2,
            (self.plus.unit + self.minus.unit) * FRAC_1_SQRT_2,
        )
    }

    pub fn energy(&self) -> f64 {
        let s = self.sheared();
        self.warp.energy() + self.weft.energy() + 0.5 * self.shear * s * s
    }

    /// Forces on corners 1 and 2; that on corner 0 balances them.
    #[inline(always)]
    pub fn forces(&self) -> [DVec3; 2] {
        let (gu, gv) = self.shear_directions();
        let s = self.shear * self.sheared();
        let pu = self.warp.gradient() + gu * s;
        let pv = self.weft.gradient() + gv * s;
        let t = self.triangle;
        [0, 1].map(|k| -(pu * t.along_u[k] + pv * t.along_v[k]))
    }

    /// The blocks (0,1), (0,2), (1,2) of the energy's second derivative,
    /// without the parts that could make it indefinite. Rows sum to zero, which
    /// gives the diagonal blocks.
    ///
    /// The shear's exact second derivative is k (g gᵀ + s ∇²|F_d| − s ∇²|F_e|)
    /// with g the gradient of s; the last two are semi-definite up to the sign
    /// of s, so one of them stays.
    #[inline(always)]
    pub fn blocks(&self) -> [DMat3; 3] {
        let t = self.triangle;
        let (hu, hv) = (self.warp.hessian(), self.weft.hessian());
        let (gu, gv) = self.shear_directions();
        let s = self.sheared();
        let (turning, sign) = if s > 0.0 {
            (&self.plus, 1.0)
        } else {
            (&self.minus, -1.0)
        };
        // |s| is at most the longer diagonal, so the quotient is at most one.
        let tension = if turning.length > 1e-12 {
            self.shear * s.abs() / turning.length
        } else {
            0.0
        };
        let ht = Symmetric::new(turning.unit, -tension, tension);

        let u = [-t.along_u[0] - t.along_u[1], t.along_u[0], t.along_u[1]];
        let v = [-t.along_v[0] - t.along_v[1], t.along_v[0], t.along_v[1]];
        let w: [f64; 3] = std::array::from_fn(|i| (u[i] + v[i] * sign) * FRAC_1_SQRT_2);
        let g: [DVec3; 3] = std::array::from_fn(|i| gu * u[i] + gv * v[i]);
        [(0, 1), (0, 2), (1, 2)].map(|(i, j)| {
            let (a, b, c) = (u[i] * u[j], v[i] * v[j], w[i] * w[j]);
            let m: [f64; 6] = std::array::from_fn(|k| a * hu.0[k] + b * hv.0[k] + c * ht.0[k]);
            let (p, q) = (g[i] * self.shear, g[j]);
            DMat3::from_cols(
                DVec3::new(m[0], m[1], m[2]) + p * q.x,
                DVec3::new(m[1], m[3], m[4]) + p * q.y,
                DVec3::new(m[2], m[4], m[5]) + p * q.z,
            )
        })
    }
}
