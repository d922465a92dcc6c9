//! A symmetric matrix of 3×3 blocks whose pattern never changes.

use super::parts::Parts;
use conatus_math::{DMat3, DVec3};

/// Compressed rows of the strict upper triangle: the columns of row i are
/// `column[start[i]..start[i + 1]]`, ascending and greater than i.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Where each row starts, and one past the last.
    pub start: Vec<u32>,
    /// Columns, row after row.
    pub column: Vec<u32>,
}

impl Rows {
    /// Rows for `n` unknowns from pairs (i, j) with i < j, sorted and without
    /// doubles.
    pub fn new(n: usize, pairs: &[(u32, u32)]) -> Self {
        let mut start = vec![0; n + 1];
        for &(i, _) in pairs {
            start[i as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        Self {
            start,
            column: pairs.iter().map(|&(_, j)| j).collect(),
        }
    }

    /// Positions of row i's entries.
    #[inline(always)]
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// Position of entry (i, j), i < j, if the pattern has it.
    pub fn find(&self, i: u32, j: u32) -> Option<u32> {
        let row = self.row(i as usize);
        let at = self.column[row.clone()].binary_search(&j).ok()?;
        Some((row.start + at) as u32)
    }
}

/// The matrix: blocks where triangles couple vertices, single numbers (times
/// the unit block) where only quadratic bending does. These are half of all
/// entries and a ninth of the work.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    /// Diagonal blocks, symmetric.
    pub diagonal: Vec<DMat3>,
    /// Pattern of the full blocks above the diagonal.
    pub near: Rows,
    /// Their values.
    pub blocks: Vec<DMat3>,
    /// Pattern of the entries that are multiples of the unit block.
    pub far: Rows,
    /// Their values.
    pub numbers: Vec<f64>,
    /// What of it can be worked on side by side.
    pub parts: Parts,
    /// Terms g gᵀ that tie a few rows together and come and go. Their own
    /// diagonal blocks are part of `diagonal`.
    pub ties: Vec<Tied>,
}

/// The most rows that a tie has: three vertices, and the velocity and angular
/// velocity of a body.
pub const MOST_TIED: usize = 5;

/// A term g gᵀ: the rows where g is not zero, and g there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tied {
    /// Rows; only the first `count` count.
    pub rows: [u32; MOST_TIED],
    /// g at those rows.
    pub gradient: [DVec3; MOST_TIED],
    /// How many.
    pub count: usize,
}

impl Tied {
    /// y += (g gᵀ without its diagonal blocks) x, of vectors that begin with
    /// row `first`.
    #[inline]
    pub(crate) fn add_product(&self, first: usize, x: &[DVec3], y: &mut [DVec3]) {
        let mut dots = [0.0; MOST_TIED];
        for k in 0..self.count {
            dots[k] = self.gradient[k].dot(x[self.rows[k] as usize - first]);
        }
        let sum: f64 = dots[..self.count].iter().sum();
        for k in 0..self.count {
            y[self.rows[k] as usize - first] += self.gradient[k] * (sum - dots[k]);
        }
    }
}

/// mᵀ x without forming the transpose.
#[inline(always)]
pub(crate) fn transposed(m: &DMat3, x: DVec3) -> DVec3 {
    DVec3::new(m.x_axis.dot(x), m.y_axis.dot(x), m.z_axis.dot(x))
}

impl BlockMatrix {
    /// A matrix of zeros.
    pub fn new(near: Rows, far: Rows) -> Self {
        Self {
            diagonal: vec![DMat3::ZERO; near.start.len() - 1],
            parts: Parts::whole(near.start.len() - 1),
            blocks: vec![DMat3::ZERO; near.column.len()],
            numbers: vec![0.0; far.column.len()],
            near,
            far,
            ties: Vec::new(),
        }
    }

    /// Adds the term g gᵀ.
    pub fn tie(&mut self, term: Tied) {
        for k in 0..term.count {
            let g = term.gradient[k];
            self.diagonal[term.rows[k] as usize] += DMat3::from_cols(g * g.x, g * g.y, g * g.z);
        }
        if term.count > 1 {
            self.ties.push(term);
        }
    }

    /// Appends `count` rows that refer to no others but by ties.
    pub fn append(&mut self, count: usize) {
        for rows in [&mut self.near, &mut self.far] {
            let end = rows.column.len() as u32;
            rows.start.resize(rows.start.len() + count, end);
        }
        self.diagonal.resize(self.len() + count, DMat3::ZERO);
        self.parts.add(&[count], 0);
    }

    /// Number of block rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there are no rows at all.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// y = A x.
    pub fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        for ((y, d), x) in y.iter_mut().zip(&self.diagonal).zip(x) {
            *y = *d * *x;
        }
        for i in 0..self.len() {
            let xi = x[i];
            let mut sum = y[i];
            for s in self.near.row(i) {
                let j = self.near.column[s] as usize;
                sum += self.blocks[s] * x[j];
                y[j] += transposed(&self.blocks[s], xi);
            }
            for s in self.far.row(i) {
                let j = self.far.column[s] as usize;
                sum += x[j] * self.numbers[s];
                y[j] += xi * self.numbers[s];
            }
            y[i] = sum;
        }
        for tie in &self.ties {
            tie.add_product(0, x, y);
        }
    }

    /// Adds to every diagonal block what makes its row sum to zero: elastic
    /// forces do not see a translation. Call it while `diagonal` still holds
    /// only what does.
    pub fn balance_rows(&mut self) {
        for i in 0..self.diagonal.len() {
            let mut sum = DMat3::ZERO;
            for s in self.near.row(i) {
                let j = self.near.column[s] as usize;
                sum += self.blocks[s];
                self.diagonal[j] -= self.blocks[s].transpose();
            }
            let mut number = 0.0;
            for s in self.far.row(i) {
                let j = self.far.column[s] as usize;
                number += self.numbers[s];
                add_to_diagonal(&mut self.diagonal[j], -self.numbers[s]);
            }
            self.diagonal[i] -= sum;
            add_to_diagonal(&mut self.diagonal[i], -number);
        }
    }

    /// Takes unknowns that are known to be zero out of the system A x = b:
    /// their rows become x = 0 and nothing else refers to them. They weigh
    /// nothing in norms, unlike vertices held by huge masses.
    pub fn leave_out(&mut self, zero: &[bool], b: &mut [DVec3]) {
        for i in 0..self.len() {
            for s in self.near.row(i) {
                if zero[i] || zero[self.near.column[s] as usize] {
                    self.blocks[s] = DMat3::ZERO;
                }
            }
            for s in self.far.row(i) {
                if zero[i] || zero[self.far.column[s] as usize] {
                    self.numbers[s] = 0.0;
                }
            }
            if zero[i] {
                self.diagonal[i] = DMat3::IDENTITY;
                b[i] = DVec3::ZERO;
            }
        }
    }
}

/// m += value·1.
#[inline(always)]
pub(crate) fn add_to_diagonal(m: &mut DMat3, value: f64) {
    m.x_axis.x += value;
    m.y_axis.y += value;
    m.z_axis.z += value;
}
