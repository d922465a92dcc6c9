//! Conjugate gradients, preconditioned by symmetric block successive
//! over-relaxation in the form of Eisenstat (1981).
//!
//! With A = B + L + Lᵀ, B the diagonal blocks, and D = B/ω, the preconditioner
//! is M = (D + L) D⁻¹ (D + Lᵀ). Solve instead of A x = b
//!
//! Â x̂ = b̂,  Â = (D + L)⁻¹ A (D + Lᵀ)⁻¹,  x̂ = (D + Lᵀ) x,  b̂ = (D + L)⁻¹ b,
//!
//! with the preconditioner D⁻¹ that is left of M. Because
//! A = (D + L) + (D + Lᵀ) + (ω − 2) D,
//!
//! Â p = t + w,  (D + Lᵀ) t = p,  (D + L) w = p + (ω − 2) D t:
//!
//! two triangular solves cost what a product with A does, so the
//! preconditioner is free. D t and D w, which the residual needs, are the
//! right-hand sides just before the last division by D. And x follows from t
//! without ever going through x̂. Terms of A that are not in L, the ties C,
//! only add C t to the right-hand side of w.
//!
//! Cloth hung by two corners, tolerance 1e-4, iterations at h = 1/480 and
//! 1/120: 1,681 vertices 21 and 86 with diagonal blocks alone, 6 and 20 with
//! this; 10,201 vertices 66 and 299, or 12 and 45. An incomplete factorisation
//! on the same pattern (only D is other) does not beat it, and can break down.

use super::matrix::{BlockMatrix, transposed};
use conatus_math::{DMat3, DVec3};

/// ω of the over-relaxation. Iterations at 10,201 vertices and h = 1/480 or
/// 1/120: 19 and 76 for 1.0, 13 and 50 for 1.4, 11 and 40 for 1.6.
const RELAXATION: f64 = 1.5;

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Iterations taken.
    pub iterations: usize,
    /// Residual relative to `scale`; infinite if the matrix was not positive
    /// definite or not finite.
    pub residual: f64,
    /// Norm of the right-hand side, or the least that was asked for.
    pub scale: f64,
}

/// The vectors of a solve by conjugate gradients, kept between steps.
#[derive(Clone, Debug, Default)]
pub struct Pcg {
    /// D⁻¹.
    inverse: Vec<DMat3>,
    /// Residual of the transformed system.
    r: Vec<DVec3>,
    /// D times that.
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    t: Vec<DVec3>,
    w: Vec<DVec3>,
    /// D (t + w).
    dq: Vec<DVec3>,
}

impl Pcg {
    /// Solves A x = b from the guess in `x`, until the residual, in the norm
    /// rᵀ M⁻¹ r that is close to the energy of the error, has fallen to
    /// `tolerance` times that of x = 0 or of `least`, whichever is larger.
    pub fn solve(
        &mut self,
        a: &BlockMatrix,
        b: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
        least: f64,
        most: usize,
    ) -> Solved {
        let n = a.len();
        self.inverse.clear();
        self.inverse
            .extend(a.diagonal.iter().map(|d| d.inverse() * RELAXATION));
        for v in [
            &mut self.r,
            &mut self.z,
            &mut self.p,
            &mut self.t,
            &mut self.w,
            &mut self.dq,
        ] {
            v.resize(n, DVec3::ZERO);
        }
        let scale = self.norm_of(a, b).max(least * least);
        if scale == 0.0 {
            x.fill(DVec3::ZERO);
            return Solved {
                iterations: 0,
                residual: 0.0,
                scale: 0.0,
            };
        }
        let solved = |iterations, rz: f64| Solved {
            iterations,
            residual: (rz / scale).sqrt(),
            scale: scale.sqrt(),
        };
        a.multiply(x, &mut self.w);
        for (w, b) in self.w.iter_mut().zip(b) {
            *w = *b - *w;
        }
        self.p.fill(DVec3::ZERO);
        self.t.fill(DVec3::ZERO);
        self.dq.fill(DVec3::ZERO);
        self.forward(a);
        let mut rz = 0.0;
        for i in 0..n {
            self.r[i] = self.w[i];
            self.z[i] = self.dq[i];
            rz += self.r[i].dot(self.z[i]);
        }
        let mut beta = 0.0;
        for iteration in 0..most {
            if rz <= tolerance * tolerance * scale {
                return solved(iteration, rz);
            }
            self.backward(a, beta);
            a.add_ties(&self.t, &mut self.w);
            let alpha = rz / self.forward(a);
            if !alpha.is_finite() || alpha <= 0.0 {
                // Not a number somewhere, or not positive definite.
                return solved(iteration, f64::INFINITY);
            }
            let mut next = 0.0;
            for (i, x) in x.iter_mut().enumerate() {
                *x += self.t[i] * alpha;
                self.r[i] -= (self.t[i] + self.w[i]) * alpha;
                self.z[i] -= self.dq[i] * alpha;
                next += self.r[i].dot(self.z[i]);
            }
            beta = next / rz;
            rz = next;
        }
        solved(most, rz)
    }

    /// bᵀ M⁻¹ b.
    fn norm_of(&mut self, a: &BlockMatrix, b: &[DVec3]) -> f64 {
        self.w.copy_from_slice(b);
        self.p.fill(DVec3::ZERO);
        self.t.fill(DVec3::ZERO);
        self.dq.fill(DVec3::ZERO);
        self.forward(a);
        self.w.iter().zip(&self.dq).map(|(w, dw)| w.dot(*dw)).sum()
    }

    /// p = z + β p, then (D + Lᵀ) t = p from the last row to the first; leaves
    /// p + (ω − 2) D t in w and D t in dq.
    fn backward(&mut self, a: &BlockMatrix, beta: f64) {
        for i in (0..a.len()).rev() {
            let p = self.z[i] + self.p[i] * beta;
            self.p[i] = p;
            let mut sum = p;
            for s in a.far.row(i).rev() {
                sum -= self.t[a.far.column[s] as usize] * a.numbers[s];
            }
            // Nearest columns last: they were computed last.
            for s in a.near.row(i).rev() {
                sum -= a.blocks[s] * self.t[a.near.column[s] as usize];
            }
            self.t[i] = self.inverse[i] * sum;
            self.dq[i] = sum;
            self.w[i] = p + sum * (RELAXATION - 2.0);
        }
    }

    /// (D + L) w = w from the first row to the last; adds D w to dq and
    /// returns pᵀ (t + w).
    fn forward(&mut self, a: &BlockMatrix) -> f64 {
        let mut pq = 0.0;
        for i in 0..a.len() {
            let sum = self.w[i];
            let w = self.inverse[i] * sum;
            self.w[i] = w;
            self.dq[i] += sum;
            for s in a.near.row(i) {
                self.w[a.near.column[s] as usize] -= transposed(&a.blocks[s], w);
            }
            for s in a.far.row(i) {
                self.w[a.far.column[s] as usize] -= w * a.numbers[s];
            }
            pq += self.p[i].dot(self.t[i] + w);
        }
        pq
    }
}
