//! The linear system of the projection, Harmon (5): ∇C M⁻¹ ∇Cᵀ λ = ∇C q̇.
//!
//! Its matrix is often singular, because collisions are often redundant. Any
//! solution gives the same velocities; the requirements are that the residual
//! of every row is small and that λ is not so large that digits are lost. Small
//! systems are solved by pivoted Cholesky, which leaves out dependent rows,
//! large ones by MINRES, which never forms the matrix; an eigenvalue
//! decomposition is the fallback for both.

use super::eigen::Eigen;

/// A symmetric positive semi-definite operator with ones on its diagonal.
pub(crate) trait Gram {
    /// Number of rows.
    fn len(&self) -> usize;
    /// out = A x.
    fn multiply(&self, x: &[f64], out: &mut [f64]);
    /// Calls `entry(i, j, a)` for the nonzero entries with j ≤ i, row by row.
    fn entries(&self, entry: &mut dyn FnMut(usize, usize, f64));
}

/// Largest system for which the matrix is formed.
const MAX_DENSE_ROWS: usize = 96;
/// Rows with a pivot below this fraction of the diagonal are dependent.
const DEPENDENT_PIVOT_RATIO: f64 = 1e-9;
/// Maximum number of MINRES iterations.
const MAX_MINRES_ITERATIONS: usize = 400;
/// Largest system for the eigenvalue fallback.
const MAX_EIGEN_ROWS: usize = 600;
/// Eigenvalues below this fraction of the largest count as zero. The residual
/// of a row is at most its square root; rounding alone makes some 1e-15 of it.
const ZERO_EIGENVALUE_RATIO: f64 = 1e-13;

/// Solves A λ = b to within `tolerance` per row, if possible; returns the
/// largest residual. With `eigenvalue_fallback`, a system that does not
/// converge is solved by its eigenvalues.
pub(crate) fn solve(
    a: &impl Gram,
    b: &[f64],
    tolerance: f64,
    eigenvalue_fallback: bool,
    lambda: &mut Vec<f64>,
) -> f64 {
    let n = a.len();
    lambda.clear();
    lambda.resize(n, 0.0);
    let mut left = if n <= MAX_DENSE_ROWS {
        let dense = Dense::new(a);
        dense.solve(a, b, tolerance, lambda)
    } else {
        minres(a, b, tolerance, MAX_MINRES_ITERATIONS, lambda)
    };
    if left > tolerance && eigenvalue_fallback && n <= MAX_EIGEN_ROWS {
        let mut other = vec![0.0; n];
        pseudo_inverse(a, b, &mut other);
        let instead = residual(a, b, &other).1;
        if instead < left {
            left = instead;
            *lambda = other;
        }
    }
    left
}

/// b − A x and its largest entry.
fn residual(a: &impl Gram, b: &[f64], x: &[f64]) -> (Vec<f64>, f64) {
    let mut r = vec![0.0; b.len()];
    a.multiply(x, &mut r);
    for (r, b) in r.iter_mut().zip(b) {
        *r = b - *r;
    }
    let largest = r.iter().fold(0.0f64, |m, r| m.max(r.abs()));
    (r, largest)
}

/// Pivoted Cholesky factor: P A Pᵀ = L Lᵀ for the independent rows.
struct Dense {
    n: usize,
    rank: usize,
    order: Vec<usize>,
    /// Row-major lower triangle, in the order of pivots.
    factor: Vec<f64>,
}

impl Dense {
    fn new(a: &impl Gram) -> Self {
        let n = a.len();
        let mut m = vec![0.0; n * n];
        a.entries(&mut |i, j, v| {
            m[i * n + j] = v;
            m[j * n + i] = v;
        });
        let mut order: Vec<usize> = (0..n).collect();
        let mut diagonal: Vec<f64> = (0..n).map(|i| m[i * n + i]).collect();
        let mut factor = vec![0.0; n * n];
        let mut rank = 0;
        while rank < n {
            // The largest remaining pivot; the first of equal ones.
            let (best, pivot) = (rank..n).fold((rank, f64::NEG_INFINITY), |best, i| {
                let d = diagonal[order[i]];
                if d > best.1 { (i, d) } else { best }
            });
            if pivot <= DEPENDENT_PIVOT_RATIO {
                break;
            }
            order.swap(rank, best);
            for k in 0..rank {
                factor.swap(rank * n + k, best * n + k);
            }
            let root = pivot.sqrt();
            factor[rank * n + rank] = root;
            let p = order[rank];
            for (i, &q) in order.iter().enumerate().skip(rank + 1) {
                let (above, below) = factor.split_at_mut(i * n);
                let pivot_row = &above[rank * n..rank * n + rank];
                let dot: f64 = (pivot_row.iter().zip(&below[..rank]))
                    .map(|(x, y)| x * y)
                    .sum();
                let value = (m[q * n + p] - dot) / root;
                below[rank] = value;
                diagonal[q] -= value * value;
            }
            rank += 1;
        }
        Self {
            n,
            rank,
            order,
            factor,
        }
    }

    /// Solves with a few steps of iterative refinement.
    fn solve(&self, a: &impl Gram, b: &[f64], tolerance: f64, x: &mut [f64]) -> f64 {
        let mut r = b.to_vec();
        let mut left = f64::INFINITY;
        for _ in 0..3 {
            let mut y = vec![0.0; self.rank];
            for i in 0..self.rank {
                let row = &self.factor[i * self.n..i * self.n + i];
                let dot: f64 = row.iter().zip(&y).map(|(l, y)| l * y).sum();
                y[i] = (r[self.order[i]] - dot) / self.factor[i * self.n + i];
            }
            for i in (0..self.rank).rev() {
                y[i] /= self.factor[i * self.n + i];
                for k in 0..i {
                    y[k] -= self.factor[i * self.n + k] * y[i];
                }
            }
            let mut next = x.to_vec();
            for (y, &i) in y.iter().zip(&self.order) {
                next[i] += y;
            }
            let (after, largest) = residual(a, b, &next);
            if largest >= left {
                break;
            }
            x.copy_from_slice(&next);
            (r, left) = (after, largest);
            if left <= 0.1 * tolerance {
                break;
            }
        }
        left
    }
}

/// MINRES (Paige and Saunders 1975) from λ = 0: each iteration minimises the
/// residual over its Krylov space, for singular systems too.
fn minres(a: &impl Gram, b: &[f64], tolerance: f64, rounds: usize, x: &mut [f64]) -> f64 {
    let n = b.len();
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut beta = norm(b);
    if beta == 0.0 {
        return 0.0;
    }
    let enough = 0.3 * tolerance;
    let mut v_before = vec![0.0; n];
    let mut v: Vec<f64> = b.iter().map(|b| b / beta).collect();
    let (mut w_before, mut w) = (vec![0.0; n], vec![0.0; n]);
    let mut next = vec![0.0; n];
    // Givens rotations of the last two iterations.
    let (mut c_before, mut s_before, mut c, mut s) = (1.0, 0.0, 1.0, 0.0);
    let mut eta = beta;
    beta = 0.0;
    for _ in 0..rounds.min(4 * n + 16) {
        a.multiply(&v, &mut next);
        let alpha: f64 = v.iter().zip(&next).map(|(v, n)| v * n).sum();
        for i in 0..n {
            next[i] -= alpha * v[i] + beta * v_before[i];
        }
        let beta_next = norm(&next);
        let delta = c * alpha - c_before * s * beta;
        let rho1 = (delta * delta + beta_next * beta_next).sqrt();
        let rho2 = s * alpha + c_before * c * beta;
        let rho3 = s_before * beta;
        if rho1 <= 1e-14 {
            break;
        }
        let (c_next, s_next) = (delta / rho1, beta_next / rho1);
        for i in 0..n {
            let wi = (v[i] - rho3 * w_before[i] - rho2 * w[i]) / rho1;
            w_before[i] = w[i];
            w[i] = wi;
            x[i] += c_next * eta * wi;
        }
        eta *= -s_next;
        (c_before, s_before, c, s) = (c, s, c_next, s_next);
        // The norm of the residual bounds its largest entry.
        if eta.abs() <= enough || beta_next <= 1e-14 {
            break;
        }
        for i in 0..n {
            v_before[i] = v[i];
            v[i] = next[i] / beta_next;
        }
        beta = beta_next;
    }
    residual(a, b, x).1
}

/// λ = A⁺ b by an eigenvalue decomposition.
fn pseudo_inverse(a: &impl Gram, b: &[f64], x: &mut [f64]) {
    let n = b.len();
    let mut m = vec![0.0; n * n];
    a.entries(&mut |i, j, v| {
        m[i * n + j] = v;
        m[j * n + i] = v;
    });
    let Some(eigen) = Eigen::of(n, m) else {
        return;
    };
    let largest = eigen.values.iter().fold(0.0f64, |m, s| m.max(s.abs()));
    for (k, s) in eigen.values.iter().enumerate() {
        if *s > ZERO_EIGENVALUE_RATIO * largest {
            let u = eigen.vector(k);
            let dot: f64 = u.iter().zip(b).map(|(u, b)| u * b).sum();
            for (x, u) in x.iter_mut().zip(u) {
                *x += u * dot / s;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// J Jᵀ with unit rows.
    struct ZoneRows(Vec<Vec<f64>>);

    impl ZoneRows {
        fn random(count: usize, width: usize, rank: usize, seed: u64) -> Self {
            let mut state = seed;
            let mut next = || {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
            };
            let basis: Vec<Vec<f64>> = (0..rank)
                .map(|_| (0..width).map(|_| next()).collect())
                .collect();
            let rows = (0..count).map(|_| {
                let mix: Vec<f64> = (0..rank).map(|_| next()).collect();
                let row: Vec<f64> = (0..width)
                    .map(|j| (0..rank).map(|k| mix[k] * basis[k][j]).sum())
                    .collect();
                let norm = row.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
                row.iter().map(|x| x / norm).collect()
            });
            Self(rows.collect())
        }

        fn times(&self, q: &[f64]) -> Vec<f64> {
            let dot = |r: &Vec<f64>| r.iter().zip(q).map(|(a, b)| a * b).sum();
            self.0.iter().map(dot).collect()
        }
    }

    impl Gram for ZoneRows {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn multiply(&self, x: &[f64], out: &mut [f64]) {
            let mut q = vec![0.0; self.0[0].len()];
            for (r, x) in self.0.iter().zip(x) {
                for (q, r) in q.iter_mut().zip(r) {
                    *q += r * x;
                }
            }
            out.copy_from_slice(&self.times(&q));
        }
        fn entries(&self, entry: &mut dyn FnMut(usize, usize, f64)) {
            for i in 0..self.0.len() {
                for j in 0..=i {
                    let dot = self.0[i].iter().zip(&self.0[j]).map(|(a, b)| a * b).sum();
                    entry(i, j, dot);
                }
            }
        }
    }

    #[test]
    fn singular_systems_are_solved_by_every_method() {
        for (count, rank) in [(3, 3), (32, 20), (60, 60), (90, 40), (300, 120)] {
            let rows = ZoneRows::random(count, 150, rank, 7 + count as u64);
            let q: Vec<f64> = (0..150)
                .map(|i| ((i * 37 % 19) as f64 - 9.0) / 9.0)
                .collect();
            let b = rows.times(&q);
            let mut lambda = Vec::new();
            let left = solve(&rows, &b, 1e-7, true, &mut lambda);
            assert!(left < 1e-7, "{count} rows of rank {rank}: {left}");
            let mut x = vec![0.0; count];
            let left = minres(&rows, &b, 1e-7, 2000, &mut x);
            assert!(left < 1e-6, "MINRES, {count} rows of rank {rank}: {left}");
            let mut x = vec![0.0; count];
            pseudo_inverse(&rows, &b, &mut x);
            let left = residual(&rows, &b, &x).1;
            assert!(
                left < 1e-7,
                "eigenvalues, {count} rows of rank {rank}: {left}"
            );
        }
    }

    #[test]
    fn contradictory_rows_return_the_largest_violation() {
        // Two equal rows with different right-hand sides.
        let rows = ZoneRows(vec![vec![1.0, 0.0], vec![1.0, 0.0]]);
        let left = solve(&rows, &[1.0, -1.0], 1e-9, true, &mut Vec::new());
        assert!(left > 0.5);
    }
}
