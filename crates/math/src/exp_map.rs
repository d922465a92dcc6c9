//! Rotations by a vector that may change in time: the exponential map
//! (Grassia 1998, "Practical parameterization of rotations using the
//! exponential map"), with angular velocity, angular acceleration and exact
//! derivatives of all three.
//!
//! Any vector r is a rotation, about its direction and by its length, so r can
//! be a spline or an unknown of an optimisation without any constraint. The
//! disadvantage is a singular shell: at |r| = 2π (and its multiples) all
//! directions give the same rotation, and rates of r have no effect there. See
//! [`re_centre`].
//!
//! # Formulas
//! Let u = |r|² and c_k(u) = 1/k! − u/(k+2)! + u²/(k+4)! − …, so that c₀ = cos|r|
//! and c₁ = sin|r|/|r|. With p = r·ṙ:
//! ```text
//! R = c₀ I + c₁ [r]× + c₂ r rᵀ                 (Rodrigues)
//! J = c₁ I + c₂ [r]× + c₃ r rᵀ                 (the left Jacobian)
//! ω = J ṙ = c₁ ṙ + c₂ r×ṙ + c₃ p r
//! α = ω̇ = J r̈ + c₃ |ṙ|² r + c₃ p ṙ + 2p (c₁′ ṙ + c₂′ r×ṙ + c₃′ p r)
//! ```
//! where ′ is the derivative with respect to u, c_k′ = (k c_{k+2} − c_{k+1})/2.
//! Two derivatives of c₁, c₂ and c₃ therefore need only c₀ to c₇.

use crate::rotation::{rows, skew};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};

/// A rotation that changes in time, with its rates, in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Rotation {
    /// The matrix R(r).
    pub matrix: DMat3,
    /// The angular velocity ω: Ṙ = ω × R.
    pub omega: DVec3,
    /// The angular acceleration α = ω̇.
    pub alpha: DVec3,
    r: DVec3,
    r_dot: DVec3,
    r_ddot: DVec3,
    c: Coefficients,
}

/// Derivatives of a number with respect to r, ṙ and r̈.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// With respect to r.
    pub r: DVec3,
    /// With respect to ṙ.
    pub r_dot: DVec3,
    /// With respect to r̈.
    pub r_ddot: DVec3,
}

impl Rotation {
    /// The rotation by `r` with the rates `r_dot` and `r_ddot`.
    #[inline]
    pub fn new(r: DVec3, r_dot: DVec3, r_ddot: DVec3) -> Self {
        let c = Coefficients::new(r.length_squared());
        let [c0, c1, c2, c3] = c.value;
        let [d1, d2, d3] = c.first;
        let p = r.dot(r_dot);
        let across = r.cross(r_dot);
        let change = r_dot * d1 + across * d2 + r * (p * d3);
        Self {
            matrix: rodrigues_sum(r, c0, c1, c2),
            omega: r_dot * c1 + across * c2 + r * (c3 * p),
            alpha: r_ddot * c1
                + r.cross(r_ddot) * c2
                + r * (c3 * (r.dot(r_ddot) + r_dot.length_squared()))
                + r_dot * (c3 * p)
                + change * (2.0 * p),
            r,
            r_dot,
            r_ddot,
            c,
        }
    }

    /// The left Jacobian J: ω = J ṙ, and a small change dr of r rotates the
    /// matrix further by the vector J dr, in world axes.
    pub fn left_jacobian(&self) -> DMat3 {
        let [_, c1, c2, c3] = self.c.value;
        rodrigues_sum(self.r, c1, c2, c3)
    }

    /// The adjoint: maps the derivatives of a number with respect to the
    /// entries of the matrix, ω and α to its derivatives with respect to r, ṙ
    /// and r̈.
    #[inline]
    pub fn adjoint(&self, matrix: &DMat3, omega: DVec3, alpha: DVec3) -> Gradient {
        let Self {
            r, r_dot, r_ddot, ..
        } = *self;
        let [_, c1, c2, c3] = self.c.value;
        let [d1, d2, d3] = self.c.first;
        let [e1, e2, e3] = self.c.second;
        let p = r.dot(r_dot);

        // Each of the three sums below is differentiated with respect to the
        // vectors in it and, through c_k, with respect to u; ∂u/∂r = 2r comes
        // last.
        //
        // ⟨G, R⟩ = c₀ tr G + c₁ r·axial(G) + c₂ r·G r, with c₀′ = −c₁/2.
        let g = matrix;
        let trace = g.x_axis.x + g.y_axis.y + g.z_axis.z;
        let axial = DVec3::new(
            g.y_axis.z - g.z_axis.y,
            g.z_axis.x - g.x_axis.z,
            g.x_axis.y - g.y_axis.x,
        );
        let (forth, back) = (
            *g * r,
            DVec3::new(g.x_axis.dot(r), g.y_axis.dot(r), g.z_axis.dot(r)),
        );
        let mut by_r = axial * c1 + (forth + back) * c2;
        let mut by_u = d1 * r.dot(axial) + d2 * r.dot(forth) - 0.5 * c1 * trace;

        // w·ω = c₁ w·ṙ + c₂ w·(r×ṙ) + c₃ p w·r.
        let mut by_r_dot = DVec3::ZERO;
        let across = r.cross(r_dot);
        let w = omega;
        if w != DVec3::ZERO {
            let (w_r, w_dot) = (w.dot(r), w.dot(r_dot));
            by_r += r_dot.cross(w) * c2 + (w * p + r_dot * w_r) * c3;
            by_u += d1 * w_dot + d2 * w.dot(across) + d3 * p * w_r;
            by_r_dot = w * c1 + w.cross(r) * c2 + r * (c3 * w_r);
        }

        // z·α = c₁ z·r̈ + c₂ z·(r×r̈) + c₃ (q z·r + p z·ṙ)
        //     + 2p (c₁′ z·ṙ + c₂′ z·(r×ṙ) + c₃′ p z·r), with q = ṙ·ṙ + r·r̈.
        let mut by_r_ddot = DVec3::ZERO;
        let z = alpha;
        // Usually nothing depends on α.
        if z != DVec3::ZERO {
            let q = r_dot.length_squared() + r.dot(r_ddot);
            let (z_r, z_dot, z_across) = (z.dot(r), z.dot(r_dot), z.dot(across));
            let z_turned = z.cross(r);
            let by_p = 2.0 * (d1 * z_dot + d2 * z_across) + 4.0 * p * d3 * z_r + c3 * z_dot;
            let by_q = c3 * z_r;
            by_r += r_dot * by_p
                + r_ddot * by_q
                + r_ddot.cross(z) * c2
                + z * (c3 * q + 2.0 * p * p * d3)
                + r_dot.cross(z) * (2.0 * p * d2);
            by_u += d1 * z.dot(r_ddot)
                + d2 * r_ddot.dot(z_turned)
                + d3 * (q * z_r + p * z_dot)
                + 2.0 * p * (e1 * z_dot + e2 * z_across + e3 * p * z_r);
            by_r_dot += r * by_p
                + r_dot * (2.0 * by_q)
                + (z * d1 + z_turned * d2) * (2.0 * p)
                + z * (c3 * p);
            by_r_ddot = z * c1 + z_turned * c2 + r * by_q;
        }

        Gradient {
            r: by_r + r * (2.0 * by_u),
            r_dot: by_r_dot,
            r_ddot: by_r_ddot,
        }
    }
}

/// The same rotation by a vector no longer than π: r (1 − 2π/|r|), or with as
/// many whole turns as needed. The rates become those of the new vector, so
/// that the matrix, ω and α are unchanged; a vector of length π or less is
/// returned as it is.
///
/// Far from the singular shell it has no benefit, and a spline needs care:
/// between two knots of which one was re-centred it would rotate the long way
/// round. Re-centre where a motion is divided or begins, with all later knots,
/// not knot by knot.
pub fn re_centre(r: DVec3, r_dot: DVec3, r_ddot: DVec3) -> [DVec3; 3] {
    let angle = r.length();
    if angle <= PI || !angle.is_finite() {
        return [r, r_dot, r_ddot];
    }
    // r = angle · n is shortened by `turns` times n, and its rates by those of
    // n.
    let turns = TAU * (angle / TAU).round();
    let n = r / angle;
    let angle_dot = n.dot(r_dot);
    let n_dot = (r_dot - n * angle_dot) / angle;
    let angle_ddot = n_dot.dot(r_dot) + n.dot(r_ddot);
    let n_ddot = (r_ddot - n * angle_ddot - n_dot * (2.0 * angle_dot)) / angle;
    [
        n * (angle - turns),
        r_dot - n_dot * turns,
        r_ddot - n_ddot * turns,
    ]
}

/// x I + y [r]× + z r rᵀ.
#[inline]
fn rodrigues_sum(r: DVec3, x: f64, y: f64, z: f64) -> DMat3 {
    let t = r * z;
    DMat3::from_cols(r * t.x, r * t.y, r * t.z)
        + rows([x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x])
        + skew(r * y)
}

/// The functions c₀ to c₃ of u and derivatives of c₁ to c₃.
#[derive(Clone, Copy, Debug)]
struct Coefficients {
    value: [f64; 4],
    first: [f64; 3],
    second: [f64; 3],
}

/// 1/k!.
const INVERSE_FACTORIAL: [f64; 26] = {
    let mut out = [1.0; 26];
    let mut factorial = 1.0;
    let mut k = 1;
    while k < 26 {
        factorial *= k as f64;
        out[k] = 1.0 / factorial;
        k += 1;
    }
    out
};

impl Coefficients {
    #[inline]
    fn new(u: f64) -> Self {
        const I: [f64; 26] = INVERSE_FACTORIAL;
        // c_k = 1/k! − u c_{k+2}. The upward recursion loses digits for small
        // u, the downward one for large u. For |r| < 2 it starts from series of
        // c₆ and c₇, whose truncation error is 2e-18 of the sum.
        let c: [f64; 8] = if u < 4.0 {
            let (mut c6, mut c7) = (I[24], I[25]);
            let mut k = 24;
            while k > 6 {
                k -= 2;
                c6 = I[k] - u * c6;
                c7 = I[k + 1] - u * c7;
            }
            let (c4, c5) = (I[4] - u * c6, I[5] - u * c7);
            let (c2, c3) = (I[2] - u * c4, I[3] - u * c5);
            [1.0 - u * c2, 1.0 - u * c3, c2, c3, c4, c5, c6, c7]
        } else {
            let angle = u.sqrt();
            let (sin, c0) = libm::sincos(angle);
            let (c1, v) = (sin / angle, 1.0 / u);
            let (c2, c3) = ((1.0 - c0) * v, (1.0 - c1) * v);
            let (c4, c5) = ((I[2] - c2) * v, (I[3] - c3) * v);
            [c0, c1, c2, c3, c4, c5, (I[4] - c4) * v, (I[5] - c5) * v]
        };
        let first = |k: usize| 0.5 * (k as f64 * c[k + 2] - c[k + 1]);
        let second = |k: usize| 0.5 * (k as f64 * first(k + 2) - first(k + 1));
        Self {
            value: [c[0], c[1], c[2], c[3]],
            first: [first(1), first(2), first(3)],
            second: [second(1), second(2), second(3)],
        }
    }
}
