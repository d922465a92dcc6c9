//! A symmetric matrix of 3×3 blocks with a fixed sparsity pattern.

use super::parts::StripPartition;
use conatus_math::{DMat3, DVec3};
use rayon::prelude::*;

/// Compressed rows of the strict upper triangle: the columns of row i are
/// `column[start[i]..start[i + 1]]`, ascending and greater than i.
#[derive(Clone, Debug, Default)]
pub struct RowPattern {
    /// The start of each row, and one past the last.
    pub start: Vec<u32>,
    /// Columns, row after row.
    pub column: Vec<u32>,
}

impl RowPattern {
    /// The pattern for `n` unknowns from pairs (i, j) with i < j, sorted and
    /// without duplicates.
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
    pub near: RowPattern,
    /// Their values.
    pub blocks: Vec<DMat3>,
    /// Pattern of the entries that are multiples of the unit block.
    pub far: RowPattern,
    /// Their values.
    pub numbers: Vec<f64>,
    /// The strips that can be processed in parallel.
    pub parts: StripPartition,
    /// Contact terms g gᵀ, which change in every step. Their diagonal blocks
    /// are part of `diagonal`.
    pub ties: Vec<ContactTerm>,
    /// Blocks outside the pattern, which change in every step too.
    pub couplings: Vec<Coupling>,
}

/// A block outside the pattern, and its transpose on the other side of the
/// diagonal.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    /// Its row.
    pub row: u32,
    /// Its column, another one.
    pub column: u32,
    /// Its value.
    pub block: DMat3,
}

impl Coupling {
    /// y += C x.
    #[inline]
    pub(crate) fn add_product(&self, x: &[DVec3], y: &mut [DVec3]) {
        let (i, j) = (self.row as usize, self.column as usize);
        y[i] += self.block * x[j];
        y[j] += transposed(&self.block, x[i]);
    }
}

/// The maximum number of rows of a contact term: three vertices, and the
/// velocity and angular velocity of a body.
pub const MAX_CONTACT_ROWS: usize = 5;

/// A term g gᵀ: the rows where g is not zero, and g there.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactTerm {
    /// Rows; only the first `count` are used.
    pub rows: [u32; MAX_CONTACT_ROWS],
    /// g at those rows.
    pub gradient: [DVec3; MAX_CONTACT_ROWS],
    /// Number of rows.
    pub count: usize,
}

impl ContactTerm {
    /// y += (g gᵀ without its diagonal blocks) x, of vectors that begin with
    /// row `first`.
    #[inline]
    pub(crate) fn add_product(&self, first: usize, x: &[DVec3], y: &mut [DVec3]) {
        match self.count {
            // Two edges, or a vertex and a triangle: nearly all terms.
            4 => self.add_product_of::<4>(first, x, y),
            3 => self.add_product_of::<3>(first, x, y),
            2 => self.add_product_of::<2>(first, x, y),
            0 | 1 => {}
            _ => self.add_product_of::<MAX_CONTACT_ROWS>(first, x, y),
        }
    }

    #[inline(always)]
    fn add_product_of<const N: usize>(&self, first: usize, x: &[DVec3], y: &mut [DVec3]) {
        let mut dots = [0.0; N];
        let mut sum = 0.0;
        for (k, dot) in dots.iter_mut().enumerate() {
            *dot = self.gradient[k].dot(x[self.rows[k] as usize - first]);
            sum += *dot;
        }
        for (k, dot) in dots.iter().enumerate() {
            y[self.rows[k] as usize - first] += self.gradient[k] * (sum - dot);
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
    pub fn new(near: RowPattern, far: RowPattern) -> Self {
        Self {
            diagonal: vec![DMat3::ZERO; near.start.len() - 1],
            parts: StripPartition::whole(near.start.len() - 1),
            blocks: vec![DMat3::ZERO; near.column.len()],
            numbers: vec![0.0; far.column.len()],
            near,
            far,
            ties: Vec::new(),
            couplings: Vec::new(),
        }
    }

    /// Adds the term g gᵀ.
    pub fn tie(&mut self, term: ContactTerm) {
        for k in 0..term.count {
            let g = term.gradient[k];
            self.diagonal[term.rows[k] as usize] += DMat3::from_cols(g * g.x, g * g.y, g * g.z);
        }
        if term.count > 1 {
            self.ties.push(term);
        }
    }

    /// Appends `count` rows that are coupled to others by contact terms only.
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
        each_entry(&self.parts, y, |i, y| *y = self.diagonal[i] * x[i]);
        self.parts.add_up(y, DVec3::ZERO, |mut y| {
            for i in y.rows.clone() {
                let xi = x[i];
                let mut sum = *y.at(i);
                for s in self.near.row(i) {
                    let j = self.near.column[s] as usize;
                    sum += self.blocks[s] * x[j];
                    *y.at(j) += transposed(&self.blocks[s], xi);
                }
                for s in self.far.row(i) {
                    let j = self.far.column[s] as usize;
                    sum += x[j] * self.numbers[s];
                    *y.at(j) += xi * self.numbers[s];
                }
                *y.at(i) = sum;
            }
        });
        for tie in &self.ties {
            tie.add_product(0, x, y);
        }
        for coupling in &self.couplings {
            coupling.add_product(x, y);
        }
    }

    /// Adds to every diagonal block what makes its row sum to zero: elastic
    /// forces are invariant under translation. Call it while `diagonal` holds
    /// only elastic terms.
    pub fn balance_rows(&mut self) {
        let Self {
            diagonal,
            near,
            blocks,
            far,
            numbers,
            parts,
            ..
        } = self;
        parts.add_up(diagonal, DMat3::ZERO, |mut diagonal| {
            for i in diagonal.rows.clone() {
                let mut sum = DMat3::ZERO;
                for s in near.row(i) {
                    sum += blocks[s];
                    *diagonal.at(near.column[s] as usize) -= blocks[s].transpose();
                }
                let mut number = 0.0;
                for s in far.row(i) {
                    number += numbers[s];
                    add_to_diagonal(diagonal.at(far.column[s] as usize), -numbers[s]);
                }
                *diagonal.at(i) -= sum;
                add_to_diagonal(diagonal.at(i), -number);
            }
        });
    }

    /// Removes unknowns that are zero from the system A x = b: their rows
    /// become x = 0, uncoupled from the others. They do not affect norms,
    /// unlike vertices fixed by huge masses.
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

/// Rows handled by one task.
const ROWS_PER_TASK: usize = 2048;

/// Calls `work` with each row and its entry in a vector; in parallel if there
/// are many.
pub(crate) fn each_entry<T: Send>(
    parts: &StripPartition,
    vector: &mut [T],
    work: impl Fn(usize, &mut T) + Sync,
) {
    match parts.is_large() {
        true => (vector
            .par_iter_mut()
            .with_min_len(ROWS_PER_TASK)
            .enumerate())
        .for_each(|(i, entry)| work(i, entry)),
        false => vector
            .iter_mut()
            .enumerate()
            .for_each(|(i, entry)| work(i, entry)),
    }
}

/// m += value·1.
#[inline(always)]
pub(crate) fn add_to_diagonal(m: &mut DMat3, value: f64) {
    m.x_axis.x += value;
    m.y_axis.y += value;
    m.z_axis.z += value;
}
