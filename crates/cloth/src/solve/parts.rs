//! Partition of a matrix for parallel processing.
//!
//! Rows are arranged in groups: a few *strips* that are not coupled to one
//! another, followed by a *seam* that all of them may be coupled to. A
//! triangular solve processes the strips of all groups in parallel, and the
//! seams before or after them. The arrangement, and with it the result, is the
//! same for any number of threads.

use rayon::prelude::*;
use std::ops::{AddAssign, Range};

/// Rows that are coupled only to each other and to their own seam.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The rows.
    pub rows: Range<usize>,
    /// The rows of their seam; empty if there is none.
    pub seam: Range<usize>,
}

/// Some rows of a vector and their seam, to add to.
pub(crate) struct StripSlice<'a, T> {
    /// The rows.
    pub(crate) rows: Range<usize>,
    own: &'a mut [T],
    seam: usize,
    beyond: &'a mut [T],
}

impl<T> StripSlice<'_, T> {
    /// The entry of one of the rows or of their seam.
    #[inline(always)]
    pub(crate) fn at(&mut self, row: usize) -> &mut T {
        match row {
            row if row < self.rows.end => &mut self.own[row - self.rows.start],
            row => &mut self.beyond[row - self.seam],
        }
    }
}

/// How the rows of a matrix are arranged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StripPartition {
    strips: Vec<Strip>,
    seams: Vec<Range<usize>>,
    rows: usize,
}

impl StripPartition {
    /// All rows in one strip.
    pub fn whole(rows: usize) -> Self {
        let mut parts = Self::default();
        parts.add(&[rows], 0);
        parts
    }

    /// Adds strips of these numbers of rows, and their seam.
    pub fn add(&mut self, strips: &[usize], seam: usize) {
        let first = self.rows;
        self.rows += strips.iter().sum::<usize>() + seam;
        let seam = self.rows - seam..self.rows;
        if let ([_], Some(last)) = (strips, self.strips.last_mut())
            && seam.is_empty()
            && last.seam.is_empty()
        {
            // Small pieces are combined into one strip.
            *last = Strip {
                rows: last.rows.start..self.rows,
                seam,
            };
            return;
        }
        let mut start = first;
        for count in strips {
            self.strips.push(Strip {
                rows: start..start + count,
                seam: seam.clone(),
            });
            start += count;
        }
        if !seam.is_empty() {
            self.seams.push(seam);
        }
    }

    /// The strips in the order of their rows.
    pub fn strips(&self) -> &[Strip] {
        &self.strips
    }

    /// The seams that are not empty.
    pub fn seams(&self) -> &[Range<usize>] {
        &self.seams
    }

    /// The index of the strip of row i, or `None` in a seam.
    pub fn strip_of(&self, i: usize) -> Option<usize> {
        let k = self.strips.partition_point(|s| s.rows.end <= i);
        let strip = self.strips.get(k)?;
        strip.rows.contains(&i).then_some(k)
    }

    /// Processes all rows, strips in parallel and seams afterwards. `work` adds
    /// to entries of a vector: those of its own rows, and those coupled to
    /// them.
    pub(crate) fn add_up<T: Copy + AddAssign + Send>(
        &self,
        vector: &mut [T],
        zero: T,
        work: impl Fn(StripSlice<T>) + Sync,
    ) {
        if let [strip] = &self.strips[..] {
            return work(StripSlice {
                rows: strip.rows.clone(),
                own: vector,
                seam: strip.rows.end,
                beyond: &mut [],
            });
        }
        let mut beyond: Vec<Vec<T>> = (self.strips.iter())
            .map(|s| vec![zero; s.seam.len()])
            .collect();
        let cut = self.cut(vector).into_iter().zip(&mut beyond);
        let slices: Vec<StripSlice<T>> = (cut.zip(&self.strips))
            .map(|((own, beyond), strip)| StripSlice {
                rows: strip.rows.clone(),
                own,
                seam: strip.seam.start,
                beyond,
            })
            .collect();
        (slices.into_par_iter().with_max_len(1)).for_each(&work);
        for (added, strip) in beyond.iter().zip(&self.strips) {
            for (entry, added) in vector[strip.seam.clone()].iter_mut().zip(added) {
                *entry += *added;
            }
        }
        for seam in &self.seams {
            work(StripSlice {
                rows: seam.clone(),
                own: &mut vector[seam.clone()],
                seam: seam.end,
                beyond: &mut [],
            });
        }
    }

    /// Whether it is large enough for parallel processing.
    pub(crate) fn is_large(&self) -> bool {
        self.strips.len() > 1
    }

    /// Splits a vector with one entry for each row into the strips' slices.
    pub(crate) fn cut<'a, T>(&self, mut vector: &'a mut [T]) -> Vec<&'a mut [T]> {
        let mut at = 0;
        let mut pieces = Vec::with_capacity(self.strips.len());
        for strip in &self.strips {
            let (_, rest) = vector.split_at_mut(strip.rows.start - at);
            let (piece, rest) = rest.split_at_mut(strip.rows.len());
            pieces.push(piece);
            vector = rest;
            at = strip.rows.end;
        }
        pieces
    }

    /// The same, with a read-only slice of each strip's seam.
    pub(crate) fn cut_with_seams<'a, T>(
        &self,
        mut vector: &'a mut [T],
    ) -> Vec<(&'a mut [T], &'a [T])> {
        let mut at = 0;
        let mut pieces: Vec<(&'a mut [T], &'a [T])> = Vec::with_capacity(self.strips.len());
        let mut k = 0;
        while k < self.strips.len() {
            let seam = self.strips[k].seam.clone();
            let group = pieces.len();
            while k < self.strips.len() && self.strips[k].seam == seam {
                let rows = &self.strips[k].rows;
                let (_, rest) = vector.split_at_mut(rows.start - at);
                let (piece, rest) = rest.split_at_mut(rows.len());
                pieces.push((piece, &[]));
                vector = rest;
                at = rows.end;
                k += 1;
            }
            if !seam.is_empty() {
                let (piece, rest) = vector.split_at_mut(seam.len());
                let piece: &'a [T] = piece;
                pieces[group..].iter_mut().for_each(|p| p.1 = piece);
                vector = rest;
                at = seam.end;
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_cut_where_parts_are() {
        let mut parts = StripPartition::default();
        parts.add(&[2], 0);
        parts.add(&[3], 0);
        parts.add(&[4, 5], 2);
        parts.add(&[1], 0);
        let rows: Vec<_> = parts.strips().iter().map(|s| s.rows.clone()).collect();
        assert_eq!(rows, [0..5, 5..9, 9..14, 16..17]);
        assert_eq!((parts.seams().len(), &parts.seams()[0]), (1, &(14..16)));
        let mut numbers: Vec<usize> = (0..17).collect();
        let cut = parts.cut(&mut numbers);
        assert!(
            cut.iter()
                .zip(&rows)
                .all(|(c, r)| c.iter().copied().eq(r.clone()))
        );
        let cut = parts.cut_with_seams(&mut numbers);
        let seams: Vec<_> = cut.iter().map(|c| c.1.to_vec()).collect();
        assert_eq!(seams, [vec![], vec![14, 15], vec![14, 15], vec![]]);
        assert!(
            cut.iter()
                .zip(&rows)
                .all(|(c, r)| c.0.iter().copied().eq(r.clone()))
        );
        assert_eq!(
            [4, 5, 13, 14, 16].map(|i| parts.strip_of(i)),
            [Some(0), Some(1), Some(2), None, Some(3)]
        );
    }
}
