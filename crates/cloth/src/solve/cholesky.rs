//! Sparse Cholesky factorisation A = L Lᵀ in 3×3 blocks.
//!
//! The pattern of L is found once; each step computes the values column by
//! column (left-looking). Single-threaded, without fused multiply-add, in a
//! fixed order: bit-identical on every machine, which the usual libraries do
//! not promise.

use super::dissection::nested_dissection;
use super::matrix::{BlockMatrix, transposed};
use conatus_math::{DMat3, DVec3};

/// Pattern and values of the factor.
#[derive(Clone, Debug)]
pub struct SparseCholesky {
    /// The elimination order of each row of the matrix.
    place: Vec<u32>,
    /// Column k of L holds rows `row[start[k]..start[k + 1]]`, ascending, all
    /// below the diagonal.
    start: Vec<usize>,
    row: Vec<u32>,
    value: Vec<DMat3>,
    /// Inverse of each diagonal block of L.
    inverse: Vec<DMat3>,
    scratch: Scratch,
}

#[derive(Clone, Debug)]
struct Scratch {
    /// The current column, by row.
    column: Vec<DMat3>,
    /// Lists of the columns whose next row is k: head[k], then next[column].
    head: Vec<u32>,
    next: Vec<u32>,
    /// How far each column has been used.
    used: Vec<usize>,
    /// Columns of the matrix in the order of elimination: rows and slots.
    entries: Vec<(u32, Entry)>,
    entry_start: Vec<usize>,
    vector: Vec<DVec3>,
}

/// The source of a block below the diagonal.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Block(u32),
    Transposed(u32),
    Number(u32),
}

const NO_ENTRY: u32 = u32::MAX;

impl SparseCholesky {
    /// Finds the pattern of the factor for all matrices with the pattern of
    /// `a`, whose unknowns lie at `positions`.
    pub fn new(a: &BlockMatrix, positions: &[DVec3]) -> Self {
        let n = a.len();
        let mut place = vec![0; n];
        for (k, i) in nested_dissection(a, positions).into_iter().enumerate() {
            place[i as usize] = k as u32;
        }
        // Entries below the diagonal, sorted into columns.
        let mut entries: Vec<(u32, u32, Entry)> = Vec::new();
        for i in 0..n {
            for s in a.near.row(i) {
                let (p, q) = (place[i], place[a.near.column[s] as usize]);
                // The block couples row i to column j; below the diagonal it
                // is itself if i comes later.
                entries.push(if p > q {
                    (q, p, Entry::Block(s as u32))
                } else {
                    (p, q, Entry::Transposed(s as u32))
                });
            }
            for s in a.far.row(i) {
                let (p, q) = (place[i], place[a.far.column[s] as usize]);
                entries.push((p.min(q), p.max(q), Entry::Number(s as u32)));
            }
        }
        entries.sort_by_key(|&(column, row, _)| (column, row));
        let mut entry_start = vec![0; n + 1];
        for &(column, _, _) in &entries {
            entry_start[column as usize + 1] += 1;
        }
        for k in 0..n {
            entry_start[k + 1] += entry_start[k];
        }
        let entries: Vec<(u32, Entry)> = entries.into_iter().map(|(_, r, e)| (r, e)).collect();

        let (start, row) = fill(n, &entries, &entry_start);
        Self {
            place,
            value: vec![DMat3::ZERO; row.len()],
            inverse: vec![DMat3::ZERO; n],
            scratch: Scratch {
                column: vec![DMat3::ZERO; n],
                head: vec![NO_ENTRY; n],
                next: vec![NO_ENTRY; n],
                used: vec![0; n],
                entries,
                entry_start,
                vector: vec![DVec3::ZERO; n],
            },
            start,
            row,
        }
    }

    /// Number of blocks below the diagonal of the factor.
    pub fn blocks(&self) -> usize {
        self.row.len()
    }

    /// Computes the values for `a`. False if it is not positive definite.
    pub fn factorise(&mut self, a: &BlockMatrix) -> bool {
        let n = a.len();
        let w = &mut self.scratch;
        w.head.fill(NO_ENTRY);
        let mut diagonal = vec![DMat3::ZERO; n];
        for (i, place) in self.place.iter().enumerate() {
            diagonal[*place as usize] = a.diagonal[i];
        }
        for (k, mut pivot) in diagonal.into_iter().enumerate() {
            let rows = self.start[k]..self.start[k + 1];
            for r in &self.row[rows.clone()] {
                w.column[*r as usize] = DMat3::ZERO;
            }
            for (r, entry) in &w.entries[w.entry_start[k]..w.entry_start[k + 1]] {
                w.column[*r as usize] = match entry {
                    Entry::Block(s) => a.blocks[*s as usize],
                    Entry::Transposed(s) => a.blocks[*s as usize].transpose(),
                    Entry::Number(s) => DMat3::from_diagonal(DVec3::splat(a.numbers[*s as usize])),
                };
            }
            let mut c = w.head[k];
            while c != NO_ENTRY {
                let column = c as usize;
                c = w.next[column];
                let from = w.used[column];
                let until = self.start[column + 1];
                let mine = self.value[from].transpose();
                pivot -= self.value[from] * mine;
                for s in from + 1..until {
                    w.column[self.row[s] as usize] -= self.value[s] * mine;
                }
                w.used[column] = from + 1;
                if from + 1 < until {
                    let r = self.row[from + 1] as usize;
                    w.next[column] = w.head[r];
                    w.head[r] = column as u32;
                }
            }
            let Some(inverse) = inverse_of_factor(&pivot) else {
                return false;
            };
            self.inverse[k] = inverse;
            let across = inverse.transpose();
            for s in rows.clone() {
                self.value[s] = w.column[self.row[s] as usize] * across;
            }
            w.used[k] = rows.start;
            if !rows.is_empty() {
                let r = self.row[rows.start] as usize;
                w.next[k] = w.head[r];
                w.head[r] = k as u32;
            }
        }
        true
    }

    /// x = A⁻¹ b with the values last computed.
    pub fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        let y = &mut self.scratch.vector;
        for (place, b) in self.place.iter().zip(b) {
            y[*place as usize] = *b;
        }
        let n = y.len();
        for k in 0..n {
            let yk = self.inverse[k] * y[k];
            y[k] = yk;
            for s in self.start[k]..self.start[k + 1] {
                y[self.row[s] as usize] -= self.value[s] * yk;
            }
        }
        for k in (0..n).rev() {
            let mut sum = y[k];
            for s in self.start[k]..self.start[k + 1] {
                sum -= transposed(&self.value[s], y[self.row[s] as usize]);
            }
            y[k] = transposed(&self.inverse[k], sum);
        }
        for (place, x) in self.place.iter().zip(x) {
            *x = y[*place as usize];
        }
    }
}

/// The pattern of L: column k has the rows of A's column, and those of every
/// column whose first row below the diagonal is k.
fn fill(n: usize, entries: &[(u32, Entry)], entry_start: &[usize]) -> (Vec<usize>, Vec<u32>) {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut seen = vec![NO_ENTRY; n];
    let (mut start, mut row) = (vec![0], Vec::new());
    for k in 0..n {
        let first = row.len();
        seen[k] = k as u32;
        for (r, _) in &entries[entry_start[k]..entry_start[k + 1]] {
            if seen[*r as usize] != k as u32 {
                seen[*r as usize] = k as u32;
                row.push(*r);
            }
        }
        for child in std::mem::take(&mut children[k]) {
            for s in start[child as usize]..start[child as usize + 1] {
                let r = row[s];
                if seen[r as usize] != k as u32 {
                    seen[r as usize] = k as u32;
                    row.push(r);
                }
            }
        }
        row[first..].sort_unstable();
        if let Some(parent) = row.get(first) {
            children[*parent as usize].push(k as u32);
        }
        start.push(row.len());
    }
    (start, row)
}

/// The inverse of the lower triangular G with G Gᵀ = m.
fn inverse_of_factor(m: &DMat3) -> Option<DMat3> {
    let positive = |x: f64| (x > 0.0 && x.is_finite()).then(|| x.sqrt());
    let a = positive(m.x_axis.x)?;
    let (b, c) = (m.x_axis.y / a, m.x_axis.z / a);
    let d = positive(m.y_axis.y - b * b)?;
    let e = (m.y_axis.z - c * b) / d;
    let f = positive(m.z_axis.z - c * c - e * e)?;
    let (ia, id, jf) = (1.0 / a, 1.0 / d, 1.0 / f);
    let ib = -b * ia * id;
    Some(DMat3::from_cols(
        DVec3::new(ia, ib, -(c * ia + e * ib) * jf),
        DVec3::new(0.0, id, -e * id * jf),
        DVec3::new(0.0, 0.0, jf),
    ))
}
