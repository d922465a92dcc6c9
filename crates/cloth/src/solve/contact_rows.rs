//! Contact terms by row, for triangular solves.
//!
//! A contact term is g gᵀ. In a solve that processes the rows in sequence, row
//! i needs Σ gᵢ (gⱼ·xⱼ) over the finished rows j. The sum over j does not
//! depend on i, so it is kept for each term.

use super::matrix::ContactTerm;
use conatus_math::DVec3;
use std::ops::Range;

/// The part of a row in a contact term.
#[derive(Clone, Copy, Debug)]
struct ContactEntry {
    gradient: DVec3,
    term: u32,
}

/// The contact terms within some rows.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactRows {
    /// The entries of row k, counted from the first, are
    /// `entries[start[k]..start[k + 1]]`; empty if there are no terms.
    start: Vec<u32>,
    entries: Vec<ContactEntry>,
    /// For each term, Σ g·x over the finished rows.
    sums: Vec<f64>,
}

impl ContactRows {
    /// Stores these terms, all of whose rows are among `rows`.
    pub(super) fn set<'a>(
        &mut self,
        rows: &Range<usize>,
        terms: impl ExactSizeIterator<Item = &'a ContactTerm> + Clone,
    ) {
        self.start.clear();
        self.entries.clear();
        self.sums.clear();
        self.sums.resize(terms.len(), 0.0);
        if terms.len() == 0 {
            return;
        }
        self.start.resize(rows.len() + 1, 0);
        for term in terms.clone() {
            for &row in &term.rows[..term.count] {
                self.start[row as usize - rows.start + 1] += 1;
            }
        }
        for k in 0..rows.len() {
            self.start[k + 1] += self.start[k];
        }
        let none = ContactEntry {
            gradient: DVec3::ZERO,
            term: 0,
        };
        self.entries.resize(self.start[rows.len()] as usize, none);
        // Each entry advances its row's start, which restores the starts at the
        // end.
        for k in (1..=rows.len()).rev() {
            self.start[k] = self.start[k - 1];
        }
        for (number, term) in (0u32..).zip(terms) {
            for (&row, &gradient) in term.rows.iter().zip(&term.gradient).take(term.count) {
                let at = &mut self.start[row as usize - rows.start + 1];
                self.entries[*at as usize] = ContactEntry {
                    gradient,
                    term: number,
                };
                *at += 1;
            }
        }
    }

    /// Starts a solve: no row is finished.
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

    /// The contribution of the finished rows to row k.
    #[inline(always)]
    pub(super) fn of_others(&self, k: usize) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for entry in &self.entries[self.row(k)] {
            sum += entry.gradient * self.sums[entry.term as usize];
        }
        sum
    }

    /// Finishes row k with the value x.
    #[inline(always)]
    pub(super) fn add(&mut self, k: usize, x: DVec3) {
        for entry in &self.entries[self.row(k)] {
            self.sums[entry.term as usize] += entry.gradient.dot(x);
        }
    }
}
