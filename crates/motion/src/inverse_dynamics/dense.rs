//! The Cholesky factor of a small dense matrix.

/// H, and then L with H = L Lᵀ, in the lower triangle, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    n: usize,
    l: Vec<f64>,
    /// The diagonal of L, inverted.
    inverse: Vec<f64>,
    /// A column, contiguous in memory, for vectorised updates of rows.
    column: Vec<f64>,
}

/// Calls a kernel with the size as a constant where it is that of one body or of
/// a few: the compiler then unrolls loops.
macro_rules! sized {
    ($kernel:ident($self:ident $(, $argument:expr)*)) => {
        match $self.n {
            6 => $kernel(6 $(, $argument)*),
            12 => $kernel(12 $(, $argument)*),
            18 => $kernel(18 $(, $argument)*),
            n => $kernel(n $(, $argument)*),
        }
    };
}

impl Factor {
    /// Sets H to the identity.
    pub fn identity(&mut self, n: usize) {
        self.n = n;
        self.l.clear();
        self.l.resize(n * n, 0.0);
        self.inverse.resize(n, 0.0);
        self.column.resize(n, 0.0);
        for i in 0..n {
            self.l[i * n + i] = 1.0;
        }
    }

    /// Adds to the block of two bodies, `a` ≥ `b`. Entries above the diagonal are never
    /// read.
    #[inline]
    pub fn add(&mut self, a: usize, b: usize, block: &[[f64; 6]; 6]) {
        for (i, row) in block.iter().enumerate() {
            let into = &mut self.l[(6 * a + i) * self.n + 6 * b..][..6];
            into.iter_mut().zip(row).for_each(|(l, x)| *l += x);
        }
    }

    /// Replaces H by L. H is the identity plus squares, so it is positive definite.
    pub fn factorise(&mut self) {
        sized!(factorise(
            self,
            &mut self.l,
            &mut self.inverse,
            &mut self.column
        ));
    }

    /// Replaces x by H⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        sized!(solve(self, &self.l, &self.inverse, x));
        self.solve_transposed(x);
    }

    /// Replaces x by L⁻ᵀ x.
    pub fn solve_transposed(&self, x: &mut [f64]) {
        sized!(solve_transposed(self, &self.l, &self.inverse, x));
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

#[inline(always)]
fn factorise(n: usize, l: &mut [f64], inverse: &mut [f64], column: &mut [f64]) {
    let (l, inverse, column) = (&mut l[..n * n], &mut inverse[..n], &mut column[..n]);
    for k in 0..n {
        let root = l[k * n + k].max(1e-300).sqrt();
        l[k * n + k] = root;
        inverse[k] = 1.0 / root;
        for i in k + 1..n {
            l[i * n + k] *= inverse[k];
            column[i] = l[i * n + k];
        }
        for i in k + 1..n {
            let (factor, row) = (column[i], &mut l[i * n..i * n + n]);
            for j in k + 1..=i {
                row[j] -= factor * column[j];
            }
        }
    }
}

#[inline(always)]
fn solve(n: usize, l: &[f64], inverse: &[f64], x: &mut [f64]) {
    let (l, inverse, x) = (&l[..n * n], &inverse[..n], &mut x[..n]);
    for i in 0..n {
        let mut sum = x[i];
        for j in 0..i {
            sum -= l[i * n + j] * x[j];
        }
        x[i] = sum * inverse[i];
    }
}

#[inline(always)]
fn solve_transposed(n: usize, l: &[f64], inverse: &[f64], x: &mut [f64]) {
    let (l, inverse, x) = (&l[..n * n], &inverse[..n], &mut x[..n]);
    for i in (0..n).rev() {
        x[i] *= inverse[i];
        for j in 0..i {
            x[j] -= l[i * n + j] * x[i];
        }
    }
}
