//! The Cholesky factor of a small dense matrix.

/// H, and then L with H = L Lᵀ, in the lower triangle, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    n: usize,
    l: Vec<f64>,
}

impl Factor {
    /// Becomes the identity.
    pub fn identity(&mut self, n: usize) {
        self.n = n;
        self.l.clear();
        self.l.resize(n * n, 0.0);
        for i in 0..n {
            self.l[i * n + i] = 1.0;
        }
    }

    /// Adds to an entry with `i` ≥ `j`.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.l[i * self.n + j] += value;
    }

    /// H becomes L. It is the identity and what squares added, so it is positive
    /// definite.
    pub fn factorise(&mut self) {
        let n = self.n;
        for i in 0..n {
            for j in 0..=i {
                let mut sum = self.l[i * n + j];
                for k in 0..j {
                    sum -= self.l[i * n + k] * self.l[j * n + k];
                }
                self.l[i * n + j] = if i == j {
                    sum.max(1e-300).sqrt()
                } else {
                    sum / self.l[j * n + j]
                };
            }
        }
    }

    /// x becomes H⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let mut sum = x[i];
            for (l, x) in self.l[i * n..i * n + i].iter().zip(x.iter()) {
                sum -= l * x;
            }
            x[i] = sum / self.l[i * n + i];
        }
        self.solve_transposed(x);
    }

    /// x becomes L⁻ᵀ x.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        let n = self.n;
        for i in (0..n).rev() {
            x[i] /= self.l[i * n + i];
            let value = x[i];
            let row = &self.l[i * n..i * n + i];
            x.iter_mut().zip(row).for_each(|(x, l)| *x -= l * value);
        }
    }

    /// out = Lᵀ x.
    pub fn transpose_times(&self, x: &[f64], out: &mut Vec<f64>) {
        let n = self.n;
        out.clear();
        out.resize(n, 0.0);
        for (i, x) in x.iter().enumerate().take(n) {
            let row = &self.l[i * n..=i * n + i];
            out.iter_mut().zip(row).for_each(|(out, l)| *out += l * x);
        }
    }
}
