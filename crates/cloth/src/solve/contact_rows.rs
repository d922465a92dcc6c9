//! Ties row by row, for triangular solves.
//!
//! A tie is a term g gᵀ. In a solve that goes through the rows one after the
//! other, row i takes Σ gᵢ (gⱼ·xⱼ) over the rows j that are done. That sum over
//! j is the same number for whichever row comes next, so each tie keeps it.

use super::matrix::ContactTerm;
use conatus_math::DVec3;
use std::ops::Range;

/// The part of a row in a tie.
#[derive(Clone, Copy, Debug)]
struct Knot {
    gradient: DVec3,
    tie: u32,
}

/// The ties within some rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Knots {
    /// Those of row k, counted from the first, are `knots[start[k]..start[k + 1]]`;
    /// empty if there are no ties at all.
    start: Vec<u32>,
    knots: Vec<Knot>,
    /// For each tie, Σ g·x over the rows that are done.
    sums: Vec<f64>,
}

impl Knots {
    /// Takes these ties, all of whose rows are among `rows`.
    pub(super) fn set<'a>(
        &mut self,
        rows: &Range<usize>,
        ties: impl ExactSizeIterator<Item = &'a ContactTerm> + Clone,
    ) {
        self.start.clear();
        self.knots.clear();
        self.sums.clear();
        self.sums.resize(ties.len(), 0.0);
        if ties.len() == 0 {
            return;
        }
        self.start.resize(rows.len() + 1, 0);
        for tie in ties.clone() {
            for &row in &tie.rows[..tie.count] {
                self.start[row as usize - rows.start + 1] += 1;
            }
        }
        for k in 0..rows.len() {
            self.start[k + 1] += self.start[k];
        }
        let none = Knot {
            gradient: DVec3::ZERO,
            tie: 0,
        };
        self.knots.resize(self.start[rows.len()] as usize, none);
        // Filled from the end of each row; then the starts are right again.
        for k in (1..=rows.len()).rev() {
            self.start[k] = self.start[k - 1];
        }
        for (number, tie) in (0u32..).zip(ties) {
            for (&row, &gradient) in tie.rows.iter().zip(&tie.gradient).take(tie.count) {
                let at = &mut self.start[row as usize - rows.start + 1];
                self.knots[*at as usize] = Knot {
                    gradient,
                    tie: number,
                };
                *at += 1;
            }
        }
    }

    /// No row is done.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.sums.fill(0.0);
    }

    #[inline(always)]
    fn row(&self, k: usize) -> Range<usize> {
        match self.start.is_empty() {
            true => 0..0,
            false => self.start[k] as usize..self.start[k + 1] as usize,
        }
    }

    /// What the rows that are done take from row k.
    #[inline(always)]
    pub(super) fn of_others(&self, k: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for knot in &self.knots[self.row(k)] {
            sum += knot.gradient * self.sums[knot.tie as usize];
        }
        sum
    }

    /// Row k is done and has the value x.
    #[inline(always)]
    pub(super) fn add(&mut self, k: usize, x: DVec3) {
        for knot in &self.knots[self.row(k)] {
            self.sums[knot.tie as usize] += knot.gradient.dot(x);
        }
    }
}
