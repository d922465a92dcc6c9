//! Parallel assembly: the triangles of one strip of the matrix's
//! [`StripPartition`](crate::solve::parts::StripPartition) write to its rows
//! only, so strips run in parallel. Triangles that reach into a seam come
//! afterwards. The sums are the same for any number of threads.

use super::Elastic;
use super::membrane::Triangle;
use crate::solve::matrix::BlockMatrix;
use crate::solve::parts::StripPartition;
use conatus_math::{DMat3, DVec3};
use rayon::prelude::*;
use std::ops::Range;

/// Some triangles, and the rows that they write to.
pub(crate) struct Share<'a> {
    pub(crate) triangles: &'a [Triangle],
    /// The row and the block at which the slices begin.
    pub(crate) first_row: usize,
    pub(crate) first_block: usize,
    pub(crate) diagonal: &'a mut [DMat3],
    pub(crate) blocks: &'a mut [DMat3],
    /// A vector with an entry for each row.
    pub(crate) vector: &'a mut [DVec3],
}

/// Sorts triangles by strip, those in no strip at the end; returns the range of
/// each strip.
pub(crate) fn sort(triangles: &mut [Triangle], parts: &StripPartition) -> Vec<Range<usize>> {
    let strip = |t: &Triangle| {
        let strip = parts.strip_of(t.corners[0] as usize);
        let within = |k: &usize| {
            let rows = &parts.strips()[*k].rows;
            t.corners.iter().all(|c| rows.contains(&(*c as usize)))
        };
        strip.filter(within).unwrap_or(usize::MAX)
    };
    // Within a strip in the order of the matrix, for sequential memory access.
    triangles.sort_by_cached_key(|t| (strip(t), t.corners));
    let first = |k| triangles.partition_point(|t| strip(t) < k);
    (0..parts.strips().len())
        .map(|k| first(k)..first(k + 1))
        .collect()
}

impl Elastic {
    /// Calls `work` with the triangles of each strip, in parallel, and returns
    /// the results.
    pub(crate) fn map_strips<R: Send>(
        &self,
        a: &mut BlockMatrix,
        vector: &mut [DVec3],
        work: impl Fn(Share) -> R + Sync,
    ) -> Vec<R> {
        let mut shares = Vec::new();
        let BlockMatrix {
            diagonal,
            blocks,
            near,
            parts,
            ..
        } = a;
        let (mut row, mut block) = (0, 0);
        let mut rest = (&mut diagonal[..], &mut blocks[..], &mut *vector);
        for (strip, range) in parts.strips().iter().zip(&self.shares) {
            if range.is_empty() {
                continue;
            }
            let rows = strip.rows.clone();
            let first = near.start[rows.start] as usize;
            let end = near.start[rows.end] as usize;
            let diagonal = cut(&mut rest.0, rows.start - row, rows.len());
            shares.push(Share {
                triangles: &self.triangles[range.clone()],
                first_row: rows.start,
                first_block: first,
                diagonal,
                blocks: cut(&mut rest.1, first - block, end - first),
                vector: cut(&mut rest.2, rows.start - row, rows.len()),
            });
            (row, block) = (rows.end, end);
        }
        let mut done: Vec<R> = match shares.len() {
            1 => shares.into_iter().map(&work).collect(),
            _ => (shares.into_par_iter().with_max_len(1))
                .map(&work)
                .collect(),
        };
        let after = self.shares.last().map_or(0, |s| s.end);
        done.push(work(Share {
            triangles: &self.triangles[after..],
            first_row: 0,
            first_block: 0,
            diagonal,
            blocks,
            vector,
        }));
        done
    }
}

/// Splits `count` entries off a slice after skipping `skip` entries.
fn cut<'a, T>(slice: &mut &'a mut [T], skip: usize, count: usize) -> &'a mut [T] {
    let (_, behind) = std::mem::take(slice).split_at_mut(skip);
    let (piece, behind) = behind.split_at_mut(count);
    *slice = behind;
    piece
}
