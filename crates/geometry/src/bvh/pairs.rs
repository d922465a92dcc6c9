//! All pairs of overlapping boxes in a tree: the tree is traversed against
//! itself from the root, two nodes at a time.

use super::Bvh;
use super::packet::{self, Packet, WIDTH};
use rayon::prelude::*;

/// Minimum number of boxes for parallel processing. Above it the root lies
/// higher than [`TASK_LEVEL`].
const MIN_PARALLEL_BOXES: usize = 4096;
/// The level whose pairs of nodes are distributed over threads: nodes of 512
/// boxes.
const TASK_LEVEL: usize = 2;

/// Two nodes of [`TASK_LEVEL`] that overlap, and the pairs found between them.
#[derive(Clone, Debug, Default)]
struct Task {
    nodes: (usize, usize),
    found: Vec<(u32, u32)>,
}

/// Buffers of the search, reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    tasks: Vec<Task>,
}

impl Bvh {
    /// Fills `out` with all pairs (i, j), i < j, of boxes that overlap, each
    /// once and sorted; the same for any number of threads.
    ///
    /// Takes `&mut self` only for its working memory.
    pub fn pairs(&mut self, out: &mut Vec<(u32, u32)>) {
        self.pairs_as_found(out);
        // Packed into one integer, a pair compares without branches. Rayon's
        // parallel sort made the search of 8,000 balls slower, not faster.
        out.sort_unstable_by_key(|&(i, j)| u64::from(i) << 32 | u64::from(j));
    }

    /// The same pairs in the order of the tree, which depends on the boxes it
    /// was built from and not on the number of threads.
    pub fn pairs_as_found(&mut self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let Some(root) = self.levels.len().checked_sub(1) else {
            return;
        };
        if self.boxes.len() < MIN_PARALLEL_BOXES {
            self.traverse(root, (0, 0), 0, &mut |p, q| {
                self.push_if_overlapping(p, q, out)
            });
        } else {
            self.pairs_in_parallel(root, out);
        }
    }

    /// The pairs of a large tree, unsorted: pairs of large nodes are found
    /// first and processed in parallel.
    fn pairs_in_parallel(&mut self, root: usize, out: &mut Vec<(u32, u32)>) {
        let mut tasks = std::mem::take(&mut self.scratch.tasks);
        let mut count = 0;
        self.traverse(root, (0, 0), TASK_LEVEL + 1, &mut |a, b| {
            if count == tasks.len() {
                tasks.push(Task::default());
            }
            if let Some(task) = tasks.get_mut(count) {
                task.nodes = (a, b);
                count += 1;
            }
        });
        tasks.par_iter_mut().take(count).for_each(|task| {
            let Task { nodes, found } = task;
            found.clear();
            self.traverse(TASK_LEVEL, *nodes, 0, &mut |p, q| {
                self.push_if_overlapping(p, q, found)
            });
        });
        for task in tasks.iter().take(count) {
            out.extend_from_slice(&task.found);
        }
        self.scratch.tasks = tasks;
    }

    /// Descends from two nodes of one level, a ≤ b, and calls `found` with the
    /// pairs of children of the nodes of level `stop` that may overlap, each
    /// once: (i, j) with i ≤ j, or i < j if those are boxes.
    fn traverse(
        &self,
        level: usize,
        (a, b): (usize, usize),
        stop: usize,
        found: &mut impl FnMut(usize, usize),
    ) {
        let nodes = &self.packets[self.levels[level]..];
        let (first, second) = (&nodes[a], &nodes[b]);
        for i in packet::lanes(self.near(level, first, a, b)) {
            let mut mask = second.overlaps(&first.lane(i));
            if a == b {
                // Each pair is found from its first element only. A node may
                // contain pairs, a box does not.
                mask &= u32::MAX << (i + usize::from(level == 0));
            }
            for j in packet::lanes(mask) {
                let children = (a * WIDTH + i, b * WIDTH + j);
                if level == stop {
                    found(children.0, children.1);
                } else {
                    self.traverse(level - 1, children, stop, found);
                }
            }
        }
    }

    /// The children of node `a` that may overlap node `b`.
    #[inline]
    fn near(&self, level: usize, first: &Packet, a: usize, b: usize) -> u32 {
        // The bounds of node b are stored in its parent.
        match self.levels.get(level + 1) {
            Some(start) if a != b => {
                let parent = &self.packets[start + b / WIDTH];
                first.overlaps(&parent.lane(b % WIDTH))
            }
            _ => u32::MAX >> (u32::BITS as usize - WIDTH),
        }
    }

    /// Adds a pair of boxes if they overlap in double precision.
    #[inline]
    fn push_if_overlapping(&self, p: usize, q: usize, out: &mut Vec<(u32, u32)>) {
        if let (Some(a), Some(b)) = (self.boxes.get(p), self.boxes.get(q))
            && a.overlaps(b)
        {
            let (i, j) = (self.ids[p], self.ids[q]);
            out.push((i.min(j), i.max(j)));
        }
    }
}
