//! A bounding-volume hierarchy: finds which of thousands of boxes overlap
//! without testing every pair.
//!
//! The boxes are sorted so that neighbours in the list are neighbours in space
//! (`median.rs`); every eight in a row share a leaf, every eight leaves a node
//! above, and so on. The tree's shape therefore follows from the number of
//! boxes alone: no child pointers are stored, and moving the boxes a little
//! ([`Bvh::refit`]) is one pass over flat arrays.
//!
//! Nodes hold bounds of about seven digits, rounded outwards, as a quick
//! filter; the boxes themselves are compared in `f64`, so results are exact.

mod median;
mod packet;
mod pairs;
mod search;

use crate::Aabb;
use median::MedianOrder;
use packet::{Bounds, Packet, WIDTH};
use rayon::prelude::*;

/// Boxes whose new places are worth a task.
const MIN_PARALLEL_BOXES: usize = 512;

/// A bounding-volume hierarchy. Boxes are numbered as they were given to
/// [`Bvh::build`]. A box that is not valid (see [`Aabb::is_valid`]) keeps its
/// number and overlaps nothing.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    /// The boxes in sorted order; invalid ones are replaced by empty ones.
    boxes: Vec<Aabb>,
    /// The caller's number of each of `boxes`.
    ids: Vec<u32>,
    /// All nodes, the leaves' level first and the root last.
    packets: Vec<Packet>,
    /// Where each level starts in `packets`; the leaves are level 0.
    levels: Vec<usize>,
    /// A buffer that is reused between builds.
    order: MedianOrder,
    scratch: pairs::Scratch,
}

impl Bvh {
    /// Builds a tree over `boxes`, at most `u32::MAX` of them.
    pub fn build(boxes: &[Aabb]) -> Self {
        let mut bvh = Self::default();
        bvh.rebuild(boxes);
        bvh
    }

    /// Rebuilds the tree and reuses its memory; once that is large enough,
    /// nothing is allocated.
    pub fn rebuild(&mut self, boxes: &[Aabb]) {
        let boxes = &boxes[..boxes.len().min(u32::MAX as usize)];
        self.order.sort(boxes, &mut self.ids);
        self.lay_out(boxes.len());
        self.refit(boxes);
    }

    /// Updates the positions of the same boxes and keeps the tree's shape. Much
    /// faster than building, and still exact; queries slow down as boxes move
    /// away from where they were when the tree was built. If the number of
    /// boxes differs, the tree is rebuilt.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        if boxes.len() != self.ids.len() {
            return self.rebuild(boxes);
        }
        let ids = self.ids.par_iter().with_min_len(MIN_PARALLEL_BOXES);
        ids.map(|&id| match boxes[id as usize] {
            b if b.is_valid() => b,
            _ => Aabb::EMPTY,
        })
        .collect_into_vec(&mut self.boxes);
        let leaves = self.boxes.par_chunks(WIDTH);
        let filled = self.packets.par_iter_mut().zip(leaves);
        filled
            .with_min_len(MIN_PARALLEL_BOXES / WIDTH)
            .for_each(|(packet, chunk)| packet.fill(chunk.iter().map(Bounds::outside)));
        for level in 1..self.levels.len() {
            let (below, above) = self.packets.split_at_mut(self.levels[level]);
            let children = below[self.levels[level - 1]..].chunks(WIDTH);
            for (packet, chunk) in above.iter_mut().zip(children) {
                packet.fill(chunk.iter().map(Packet::bounds));
            }
        }
    }

    /// How many boxes there are, valid or not.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Calls `found` with the number of every box that overlaps `query`, each
    /// once, in an order that depends on the boxes only. A query that is not
    /// valid finds nothing.
    pub fn for_each_overlap(&self, query: &Aabb, mut found: impl FnMut(u32)) {
        if query.is_valid() && !self.levels.is_empty() {
            let root = self.levels.len() - 1;
            self.visit(root, 0, query, &Bounds::outside(query), &mut found);
        }
    }

    /// Descends from one packet. Each level divides the boxes by eight, so
    /// there are at most eleven levels.
    fn visit(
        &self,
        level: usize,
        index: usize,
        query: &Aabb,
        bounds: &Bounds,
        found: &mut impl FnMut(u32),
    ) {
        let mask = self.packets[self.levels[level] + index].overlaps(bounds);
        for lane in packet::lanes(mask) {
            let child = index * WIDTH + lane;
            if level > 0 {
                self.visit(level - 1, child, query, bounds, found);
            } else if self.boxes.get(child).is_some_and(|b| b.overlaps(query)) {
                found(self.ids[child]);
            }
        }
    }

    /// Allocates the nodes over `count` boxes and stores where each level
    /// starts.
    fn lay_out(&mut self, count: usize) {
        self.levels.clear();
        let (mut total, mut below) = (0, count);
        while below > 0 && (below > 1 || total == 0) {
            below = below.div_ceil(WIDTH);
            self.levels.push(total);
            total += below;
        }
        self.packets.clear();
        self.packets.resize(total, Packet::EMPTY);
    }
}
