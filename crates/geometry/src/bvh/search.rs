//! Searches that visit the boxes of a tree in order of a bound, and leave out those
//! that cannot improve the result: rays, casts of shapes, nearest points.

use super::Bvh;
use super::packet::WIDTH;
use crate::Aabb;

impl Bvh {
    /// Visits the boxes whose `bound` is at most a limit, near ones first.
    ///
    /// `bound` returns a number that nothing in a box lies below, and infinity for a box
    /// that does not matter; it may not decrease when a box shrinks. `visit` gets the number
    /// of a box and returns the new limit. Boxes with a bound equal to the limit are
    /// visited, so that ties can be decided by number.
    pub fn search(
        &self,
        limit: f64,
        bound: &impl Fn(&Aabb) -> f64,
        mut visit: impl FnMut(u32) -> f64,
    ) {
        if let Some(root) = self.levels.len().checked_sub(1) {
            let mut limit = limit;
            self.descend(root, 0, &mut limit, bound, &mut visit);
        }
    }

    fn descend(
        &self,
        level: usize,
        index: usize,
        limit: &mut f64,
        bound: &impl Fn(&Aabb) -> f64,
        visit: &mut impl FnMut(u32) -> f64,
    ) {
        let packet = &self.packets[self.levels[level] + index];
        let mut children = [(0.0, 0); WIDTH];
        let mut count = 0;
        for lane in 0..WIDTH {
            let child = index * WIDTH + lane;
            let bounds = match level {
                0 => self.boxes.get(child).copied().filter(Aabb::is_valid),
                _ => packet.lane(lane).to_aabb(),
            };
            let near = bounds.map_or(f64::INFINITY, |b| bound(&b));
            if near < f64::INFINITY && near <= *limit {
                children[count] = (near, child);
                count += 1;
            }
        }
        let children = &mut children[..count];
        children.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for &mut (near, child) in children {
            if near > *limit {
                break;
            }
            if level > 0 {
                self.descend(level - 1, child, limit, bound, visit);
            } else {
                *limit = limit.min(visit(self.ids[child]));
            }
        }
    }
}
