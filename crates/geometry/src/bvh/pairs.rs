//! All pairs of boxes in a tree that overlap: the tree is gone down from the
//! root against itself, two nodes at a time.

use super::Bvh;
use super::packet::{self, Packet, WIDTH};
use rayon::prelude::*;

/// Below this many boxes threads cost more than they save. Above it the root
/// lies higher than [`TASK_LEVEL`].
const PARALLEL: usize = 4096;
/// The level whose pairs of nodes are shared out among threads: nodes of 512
/// boxes.
const TASK_LEVEL: usize = 2;

/// Two nodes of [`TASK_LEVEL`] that overlap, and the pairs found between them.
#[derive(Clone, Debug, Default)]
struct Task {
    nodes: (usize, usize),
    found: Vec<(u32, u32)>,
}

/// Memory for the search, used again and again.
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
        // As one number, a pair compares without branches. Rayon's parallel
        // sort made the search of 8,000 balls slower, not faster.
        out.sort_unstable_by_key(|&(i, j)| u64::from(i) << 32 | u64::from(j));
    }

    /// The same pairs in the order of the tree, which depends on the boxes it
    /// was built from and not on the number of threads.
    pub fn pairs_as_found(&mut self, out: &mut Vec<(u32, u32)>) {
        out.clear();
        let Some(root) = self.levels.len().checked_sub(1) else {
            return;
        };
        if self.boxes.len() < PARALLEL {
            self.meet(root, (0, 0), 0, &mut |p, q| self.exact(p, q, out));
        } else {
            self.share_out(root, out);
        }
    }

    /// The pairs of a large tree, in no order: the pairs of large nodes are
    /// found first and gone through in parallel.
    fn share_out(&mut self, root: usize, out: &mut Vec<(u32, u32)>) {
        let mut tasks = std::mem::take(&mut self.scratch.tasks);
        let mut count = 0;
        self.meet(root, (0, 0), TASK_LEVEL + 1, &mut |a, b| {
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
            self.meet(TASK_LEVEL, *nodes, 0, &mut |p, q| self.exact(p, q, found));
        });
        for task in tasks.iter().take(count) {
            out.extend_from_slice(&task.found);
        }
        self.scratch.tasks = tasks;
    }

    /// Goes down from two nodes of one level, a ≤ b, and calls `found` with
    /// the pairs of children of the nodes of level `stop` that may overlap,
    /// each once: (i, j) with i ≤ j, or i < j if those are boxes.
    fn meet(
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
                // Each pair from its first half only. A node may hold pairs
                // within itself, a box does not.
                mask &= u32::MAX << (i + usize::from(level == 0));
            }
            for j in packet::lanes(mask) {
                let children = (a * WIDTH + i, b * WIDTH + j);
                if level == stop {
                    found(children.0, children.1);
                } else {
                    self.meet(level - 1, children, stop, found);
                }
            }
        }
    }

    /// The children of node `a` that may reach into node `b` at all.
    #[inline]
    fn near(&self, level: usize, first: &Packet, a: usize, b: usize) -> u32 {
        // The box round node b is the one that its parent holds.
        match self.levels.get(level + 1) {
            Some(start) if a != b => {
                let parent = &self.packets[start + b / WIDTH];
                first.overlaps(&parent.lane(b % WIDTH))
            }
            _ => u32::MAX >> (u32::BITS as usize - WIDTH),
        }
    }

    /// Notes a pair of boxes if they overlap in double precision.
    #[inline]
    fn exact(&self, p: usize, q: usize, out: &mut Vec<(u32, u32)>) {
        if let (Some(a), Some(b)) = (self.boxes.get(p), self.boxes.get(q))
            && a.overlaps(b)
        {
            let (i, j) = (self.ids[p], self.ids[q]);
            out.push((i.min(j), i.max(j)));
        }
    }
}
