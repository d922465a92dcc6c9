//! All pairs of boxes in a tree that overlap.

use super::Bvh;
use super::packet::{self, Bounds, WIDTH};
use rayon::prelude::*;

/// Below this many leaves threads cost more than they save.
const PARALLEL_LEAVES: usize = 512;
/// Leaves that one task works through.
const TASK_LEAVES: usize = 128;

/// Memory for the search, used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The pairs that each task found.
    found: Vec<Vec<(u32, u32)>>,
}

impl Bvh {
    /// Fills `out` with all pairs (i, j), i < j, of boxes that overlap, each
    /// once and sorted; the same for any number of threads.
    ///
    /// Takes `&mut self` only for its working memory.
    pub fn pairs(&mut self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let leaves = self.boxes.len().div_ceil(WIDTH);
        if leaves < PARALLEL_LEAVES {
            for leaf in 0..leaves {
                self.pairs_of_leaf(leaf, out);
            }
        } else {
            let mut scratch = std::mem::take(&mut self.scratch);
            let tasks = leaves.div_ceil(TASK_LEAVES);
            scratch.found.resize_with(tasks, Vec::new);
            scratch
                .found
                .par_iter_mut()
                .enumerate()
                .for_each(|(task, found)| {
                    found.clear();
                    let first = task * TASK_LEAVES;
                    for leaf in first..(first + TASK_LEAVES).min(leaves) {
                        self.pairs_of_leaf(leaf, found);
                    }
                });
            for found in &scratch.found {
                out.extend_from_slice(found);
            }
            self.scratch = scratch;
        }
        out.sort_unstable_by_key(|&(i, j)| u64::from(i) << 32 | u64::from(j));
    }

    /// The pairs of boxes of one leaf among themselves and with those of
    /// later leaves.
    fn pairs_of_leaf(&self, leaf: usize, out: &mut Vec<(u32, u32)>) {
        let bounds = self.packets[leaf].bounds();
        self.seek(self.levels.len() - 1, 0, leaf, &bounds, out);
    }

    /// Goes down to the leaves from `leaf` on that overlap its `bounds`.
    fn seek(
        &self,
        level: usize,
        index: usize,
        leaf: usize,
        bounds: &Bounds,
        out: &mut Vec<(u32, u32)>,
    ) {
        if level == 0 {
            return self.pairs_between(leaf, index, out);
        }
        let mut mask = self.packets[self.levels[level] + index].overlaps(bounds);
        // Children before the one that holds `leaf` were seen from the other
        // side.
        let own = leaf >> (WIDTH.ilog2() as usize * (level - 1));
        mask &= u32::MAX << own.saturating_sub(index * WIDTH).min(WIDTH);
        for lane in packet::lanes(mask) {
            self.seek(level - 1, index * WIDTH + lane, leaf, bounds, out);
        }
    }

    /// Tests the boxes of leaf `a` against those of leaf `b`, a ≤ b.
    fn pairs_between(&self, a: usize, b: usize, out: &mut Vec<(u32, u32)>) {
        let (first, second) = (&self.packets[a], &self.packets[b]);
        let near = if a == b {
            u32::MAX >> (32 - WIDTH)
        } else {
            first.overlaps(&second.bounds())
        };
        for i in packet::lanes(near) {
            let mut mask = second.overlaps(&first.lane(i));
            if a == b {
                // Only the boxes after this one.
                mask &= u32::MAX << (i + 1);
            }
            for j in packet::lanes(mask) {
                self.exact(a * WIDTH + i, b * WIDTH + j, out);
            }
        }
    }

    /// The decision in double precision.
    fn exact(&self, p: usize, q: usize, out: &mut Vec<(u32, u32)>) {
        if let (Some(a), Some(b)) = (self.boxes.get(p), self.boxes.get(q))
            && a.overlaps(b)
        {
            let (i, j) = (self.ids[p], self.ids[q]);
            out.push((i.min(j), i.max(j)));
        }
    }
}
