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
//! without ever going through x̂.
//!
//! Contact terms g gᵀ over a few rows are part of L as well: during a
//! triangular solve, the sum of g·t over the finished rows of each term is kept
//! (`ContactRows`), and its other rows need only that. Outside L they would
//! only add C t to the right-hand side of w, as terms between strips and
//! couplings outside the pattern still do;
//! but they are stiff, and a pile of cloth then takes twice as many iterations.
//!
//! Cloth hung by two corners, tolerance 1e-4, iterations at h = 1/480 and
//! 1/120: 1,681 vertices 21 and 86 with diagonal blocks alone, 6 and 20 with
//! this; 10,201 vertices 66 and 299, or 12 and 45. An incomplete factorisation
//! on the same pattern (only D is other) does not beat it, and can break down.
//!
//! Strips of rows that are not coupled to one another ([`super::parts`]) are
//! solved in parallel, seams in sequence. All sums are made in the same order
//! for any number of threads.

use super::contact_rows::ContactRows;
use super::matrix::{BlockMatrix, ContactTerm, each_entry, transposed};
use conatus_math::{DMat3, DVec3};
use rayon::prelude::*;
use std::ops::Range;

/// ω of the over-relaxation. Iterations at 10,201 vertices and h = 1/480 or
/// 1/120: 19 and 76 for 1.0, 13 and 50 for 1.4, 11 and 40 for 1.6.
const OVER_RELAXATION: f64 = 1.5;

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Iterations taken.
    pub iterations: usize,
    /// Residual relative to `scale`; infinite if the matrix was not positive
    /// definite or not finite.
    pub residual: f64,
    /// Norm of the right-hand side, or `least` if that is larger.
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
    /// The contribution of each strip to w in its seam.
    seams: Vec<Vec<DVec3>>,
    /// The contact terms within each strip, and all others.
    contact_rows: Vec<ContactRows>,
    loose: Vec<ContactTerm>,
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
        self.begin(a);
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
        each_entry(&a.parts, &mut self.w, |i, w| *w = b[i] - *w);
        self.forward_only(a);
        self.r.copy_from_slice(&self.w);
        self.z.copy_from_slice(&self.dq);
        let mut rz: f64 = self.r.iter().zip(&self.z).map(|(r, z)| r.dot(*z)).sum();
        self.p.fill(DVec3::ZERO);
        let mut beta = 0.0;
        for iteration in 0..most {
            if rz <= tolerance * tolerance * scale {
                return solved(iteration, rz);
            }
            self.backward(a, beta);
            for term in &self.loose {
                term.add_product(0, &self.t, &mut self.w);
            }
            for coupling in &a.couplings {
                coupling.add_product(&self.t, &mut self.w);
            }
            let alpha = rz / self.forward(a);
            if !alpha.is_finite() || alpha <= 0.0 {
                // NaN, or not positive definite.
                return solved(iteration, f64::INFINITY);
            }
            let next = self.advance(a, alpha, x);
            beta = next / rz;
            rz = next;
        }
        solved(most, rz)
    }

    /// Allocates, inverts the diagonal and sorts contact terms by strip.
    fn begin(&mut self, a: &BlockMatrix) {
        let n = a.len();
        self.inverse.resize(n, DMat3::ZERO);
        each_entry(&a.parts, &mut self.inverse, |i, inverse| {
            *inverse = a.diagonal[i].inverse() * OVER_RELAXATION;
        });
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
        let strips = a.parts.strips();
        self.seams.resize(strips.len(), Vec::new());
        self.contact_rows
            .resize(strips.len(), ContactRows::default());
        for (seam, strip) in self.seams.iter_mut().zip(strips) {
            seam.resize(strip.seam.len(), DVec3::ZERO);
        }
        self.loose.clear();
        let mut within = vec![Vec::new(); strips.len()];
        for (number, term) in (0u32..).zip(&a.ties) {
            let rows = &term.rows[..term.count];
            let strip = a.parts.strip_of(rows[0] as usize);
            let inside = |k: &usize| {
                let strip = &strips[*k].rows;
                rows.iter().all(|&row| strip.contains(&(row as usize)))
            };
            match strip.filter(inside) {
                Some(k) => within[k].push(number),
                None => self.loose.push(*term),
            }
        }
        let each = self.contact_rows.par_iter_mut().zip(&within).zip(strips);
        each.for_each(|((contact_rows, within), strip)| {
            contact_rows.set(&strip.rows, within.iter().map(|&k| &a.ties[k as usize]));
        });
    }

    /// bᵀ M⁻¹ b.
    fn norm_of(&mut self, a: &BlockMatrix, b: &[DVec3]) -> f64 {
        self.w.copy_from_slice(b);
        self.forward_only(a);
        self.w.iter().zip(&self.dq).map(|(w, dw)| w.dot(*dw)).sum()
    }

    /// (D + L) w = w, and D w in dq.
    fn forward_only(&mut self, a: &BlockMatrix) {
        self.p.fill(DVec3::ZERO);
        self.t.fill(DVec3::ZERO);
        self.dq.fill(DVec3::ZERO);
        self.forward(a);
    }

    /// p = z + β p, then (D + Lᵀ) t = p from the last row to the first; leaves
    /// p + (ω − 2) D t in w and D t in dq.
    fn backward(&mut self, a: &BlockMatrix, beta: f64) {
        let Self {
            inverse,
            z,
            p,
            t,
            w,
            dq,
            contact_rows,
            ..
        } = self;
        for seam in a.parts.seams().iter().rev() {
            let range = seam.clone();
            let own = Backward {
                rows: seam.clone(),
                p: &mut p[range.clone()],
                t: &mut t[range.clone()],
                w: &mut w[range.clone()],
                dq: &mut dq[range],
                seam: seam.end,
                beyond: &[],
                contact_rows: &mut ContactRows::default(),
            };
            own.solve(a, inverse, z, beta);
        }
        if let [strip] = a.parts.strips() {
            let own = Backward {
                rows: strip.rows.clone(),
                p,
                t,
                w,
                dq,
                seam: strip.rows.end,
                beyond: &[],
                contact_rows: &mut contact_rows[0],
            };
            return own.solve(a, inverse, z, beta);
        }
        let parts = &a.parts;
        let cut = parts.cut_with_seams(t).into_iter();
        let cut = cut.zip(parts.cut(p)).zip(parts.cut(w)).zip(parts.cut(dq));
        let strips: Vec<Backward> = (cut.zip(parts.strips()).zip(contact_rows))
            .map(
                |((((((t, beyond), p), w), dq), strip), contact_rows)| Backward {
                    rows: strip.rows.clone(),
                    p,
                    t,
                    w,
                    dq,
                    seam: strip.seam.start,
                    beyond,
                    contact_rows,
                },
            )
            .collect();
        (strips.into_par_iter().with_max_len(1)).for_each(|s| s.solve(a, inverse, z, beta));
    }

    /// (D + L) w = w from the first row to the last; adds D w to dq and returns
    /// pᵀ (t + w).
    fn forward(&mut self, a: &BlockMatrix) -> f64 {
        let Self {
            inverse,
            p,
            t,
            w,
            dq,
            seams,
            contact_rows,
            ..
        } = self;
        if let [strip] = a.parts.strips() {
            let own = Forward {
                rows: strip.rows.clone(),
                w,
                dq,
                seam: strip.rows.end,
                beyond: &mut [],
                contact_rows: &mut contact_rows[0],
            };
            return own.solve(a, inverse, p, t);
        }
        let parts = &a.parts;
        let cut = parts.cut(w).into_iter().zip(parts.cut(dq));
        let cut = cut
            .zip(seams.iter_mut())
            .zip(parts.strips())
            .zip(contact_rows);
        let strips: Vec<Forward> = cut
            .map(|((((w, dq), beyond), strip), contact_rows)| Forward {
                rows: strip.rows.clone(),
                w,
                dq,
                seam: strip.seam.start,
                beyond,
                contact_rows,
            })
            .collect();
        let sums: Vec<f64> = (strips.into_par_iter().with_max_len(1))
            .map(|s| s.solve(a, inverse, p, t))
            .collect();
        let mut pq: f64 = sums.iter().sum();
        for (seam, strip) in seams.iter_mut().zip(parts.strips()) {
            for (w, add) in w[strip.seam.clone()].iter_mut().zip(seam) {
                *w += std::mem::take(add);
            }
        }
        for seam in parts.seams() {
            let own = Forward {
                rows: seam.clone(),
                w: &mut w[seam.clone()],
                dq: &mut dq[seam.clone()],
                seam: seam.end,
                beyond: &mut [],
                contact_rows: &mut ContactRows::default(),
            };
            pq += own.solve(a, inverse, p, t);
        }
        pq
    }

    /// x += α t and r, z accordingly; returns r·z.
    fn advance(&mut self, a: &BlockMatrix, alpha: f64, x: &mut [DVec3]) -> f64 {
        let Self { r, z, t, w, dq, .. } = self;
        let step = |x: &mut [DVec3], r: &mut [DVec3], z: &mut [DVec3], first: usize| {
            let mut next = 0.0;
            for k in 0..x.len() {
                let i = first + k;
                x[k] += t[i] * alpha;
                r[k] -= (t[i] + w[i]) * alpha;
                z[k] -= dq[i] * alpha;
                next += r[k].dot(z[k]);
            }
            next
        };
        // Chunks of about the size of a strip.
        if a.parts.strips().len() == 1 {
            return step(x, r, z, 0);
        }
        let size = x.len().div_ceil(a.parts.strips().len());
        let sums: Vec<f64> = (x.par_chunks_mut(size))
            .zip(r.par_chunks_mut(size))
            .zip(z.par_chunks_mut(size))
            .with_max_len(1)
            .enumerate()
            .map(|(k, ((x, r), z))| step(x, r, z, k * size))
            .collect();
        sums.iter().sum()
    }
}

/// The backward solve of some rows; slices begin with the first of them.
struct Backward<'a> {
    rows: Range<usize>,
    p: &'a mut [DVec3],
    t: &'a mut [DVec3],
    w: &'a mut [DVec3],
    dq: &'a mut [DVec3],
    /// The first row of the seam, and t from there on.
    seam: usize,
    beyond: &'a [DVec3],
    contact_rows: &'a mut ContactRows,
}

impl Backward<'_> {
    fn solve(self, a: &BlockMatrix, inverse: &[DMat3], z: &[DVec3], beta: f64) {
        let (first, end) = (self.rows.start, self.rows.end);
        self.contact_rows.begin();
        for i in self.rows.rev() {
            let k = i - first;
            let p = z[i] + self.p[k] * beta;
            self.p[k] = p;
            let mut sum = p;
            let at = |t: &[DVec3], column: u32| match column as usize {
                j if j < end => t[j - first],
                j => self.beyond[j - self.seam],
            };
            for s in a.far.row(i).rev() {
                sum -= at(self.t, a.far.column[s]) * a.numbers[s];
            }
            // Nearest columns last: they were computed most recently.
            for s in a.near.row(i).rev() {
                sum -= a.blocks[s] * at(self.t, a.near.column[s]);
            }
            sum -= self.contact_rows.of_others(k);
            let t = inverse[i] * sum;
            self.contact_rows.add(k, t);
            self.t[k] = t;
            self.dq[k] = sum;
            self.w[k] = p + sum * (OVER_RELAXATION - 2.0);
        }
    }
}

/// The forward solve of some rows; slices begin with the first of them.
struct Forward<'a> {
    rows: Range<usize>,
    w: &'a mut [DVec3],
    dq: &'a mut [DVec3],
    /// The first row of the seam, and what is added to w from there on.
    seam: usize,
    beyond: &'a mut [DVec3],
    contact_rows: &'a mut ContactRows,
}

impl Forward<'_> {
    fn solve(self, a: &BlockMatrix, inverse: &[DMat3], p: &[DVec3], t: &[DVec3]) -> f64 {
        let (first, end) = (self.rows.start, self.rows.end);
        self.contact_rows.begin();
        let mut pq = 0.0;
        for i in self.rows {
            let sum = self.w[i - first] - self.contact_rows.of_others(i - first);
            let w = inverse[i] * sum;
            self.contact_rows.add(i - first, w);
            self.w[i - first] = w;
            self.dq[i - first] += sum;
            for s in a.near.row(i) {
                let change = transposed(&a.blocks[s], w);
                match a.near.column[s] as usize {
                    j if j < end => self.w[j - first] -= change,
                    j => self.beyond[j - self.seam] -= change,
                }
            }
            for s in a.far.row(i) {
                match a.far.column[s] as usize {
                    j if j < end => self.w[j - first] -= w * a.numbers[s],
                    j => self.beyond[j - self.seam] -= w * a.numbers[s],
                }
            }
            pq += p[i].dot(t[i] + w);
        }
        pq
    }
}
