//! A spatial sort of boxes that keeps neighbours in space together.
//!
//! The list is split at the median along its longest axis, each half again, and
//! so on down to single leaves. Splits fall only between whole nodes of the
//! future tree, so every node holds one compact block.

use super::packet::WIDTH;
use crate::Aabb;

/// Minimum number of boxes for parallel processing.
const MIN_PARALLEL_BOXES: usize = 4096;
/// Grid resolution: with an outlier a billion times farther away than the
/// distance between the others, these still fall in different cells.
const GRID_CELLS: f64 = (1 << 30) as f64;

/// The centre of a box on an integer grid; integers compare faster than floats.
/// Rounding only affects the order.
#[derive(Clone, Copy, Debug)]
struct Point {
    cell: [i32; 3],
    id: u32,
}

/// Buffers of the sort, reused between builds.
#[derive(Clone, Debug, Default)]
pub(super) struct MedianOrder {
    points: Vec<Point>,
}

impl MedianOrder {
    /// Fills `ids` with the numbers of `boxes` in sorted order.
    pub(super) fn sort(&mut self, boxes: &[Aabb], ids: &mut Vec<u32>) {
        self.fill(boxes);
        let mut block = WIDTH;
        while block * WIDTH < self.points.len() {
            block *= WIDTH;
        }
        halve(&mut self.points, block);
        ids.clear();
        ids.extend(self.points.iter().map(|p| p.id));
    }

    /// One point for each box; invalid boxes are put in a corner of the grid.
    fn fill(&mut self, boxes: &[Aabb]) {
        let mut all = Aabb::EMPTY;
        for b in boxes.iter().filter(|b| b.is_valid()) {
            let c = b.centre();
            all = all.union(&Aabb::new(c, c));
        }
        // The same scale for all axes, so that lengths are comparable.
        // Coincident points, and points too far apart to subtract, share a
        // cell.
        let scale = GRID_CELLS / all.extent().max_element();
        let scale = if scale.is_finite() { scale } else { 0.0 };
        self.points.clear();
        self.points.extend((0u32..).zip(boxes).map(|(id, b)| {
            // The cast saturates, and maps NaN to zero.
            let c = (b.centre() - all.min) * scale;
            let cell = [c.x as i32, c.y as i32, c.z as i32];
            Point { cell, id }
        }));
    }
}

/// Sorts the points of a node whose children hold `block` boxes each; the last
/// child may hold fewer.
fn halve(points: &mut [Point], mut block: usize) {
    while block >= points.len() {
        if block <= WIDTH {
            return;
        }
        block /= WIDTH;
    }
    let middle = points.len().div_ceil(block).div_ceil(2) * block;
    // The search is instantiated for each axis, with a fixed offset in the
    // point.
    match longest_axis(points) {
        0 => points.select_nth_unstable_by_key(middle, |p| p.cell[0]),
        1 => points.select_nth_unstable_by_key(middle, |p| p.cell[1]),
        _ => points.select_nth_unstable_by_key(middle, |p| p.cell[2]),
    };
    let (left, right) = points.split_at_mut(middle);
    if left.len() >= MIN_PARALLEL_BOXES {
        rayon::join(|| halve(left, block), || halve(right, block));
    } else {
        halve(left, block);
        halve(right, block);
    }
}

fn longest_axis(points: &[Point]) -> usize {
    let mut min = [i32::MAX; 3];
    let mut max = [i32::MIN; 3];
    for p in points {
        for k in 0..3 {
            min[k] = min[k].min(p.cell[k]);
            max[k] = max[k].max(p.cell[k]);
        }
    }
    let extent = |k: usize| max[k].abs_diff(min[k]);
    let longer = usize::from(extent(1) > extent(0));
    if extent(2) > extent(longer) {
        2
    } else {
        longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_math::DVec3;

    fn order(boxes: &[Aabb]) -> Vec<u32> {
        let mut ids = Vec::new();
        MedianOrder::default().sort(boxes, &mut ids);
        ids
    }

    fn at(x: f64, y: f64, z: f64) -> Aabb {
        Aabb::of_sphere(DVec3::new(x, y, z), 0.1)
    }

    #[test]
    fn every_box_keeps_its_number_once() {
        for count in [0, 1, 7, 8, 9, 63, 64, 65, 513, 5000u32] {
            let boxes: Vec<Aabb> = (0..count)
                .map(|i| {
                    let t = f64::from(i);
                    let z = if i % 11 == 0 { f64::NAN } else { t % 7.0 };
                    at((t * 1.7).sin(), (t * 2.3).cos(), z)
                })
                .collect();
            let mut ids = order(&boxes);
            ids.sort_unstable();
            assert_eq!(ids, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_leaves_of_a_grid_are_its_blocks() {
        // 8 x 8 x 8 points, shuffled with a stride coprime to 512.
        let place = |i: u32| {
            let k = i * 37 % 512;
            (k % 8, k / 8 % 8, k / 64)
        };
        let boxes: Vec<Aabb> = (0..512)
            .map(|i| {
                let (x, y, z) = place(i);
                at(f64::from(x), f64::from(y), f64::from(z))
            })
            .collect();
        for leaf in order(&boxes).chunks(WIDTH) {
            let (x, y, z) = place(leaf[0]);
            let block = (x / 2, y / 2, z / 2);
            assert!(leaf.iter().all(|&i| {
                let (x, y, z) = place(i);
                (x / 2, y / 2, z / 2) == block
            }));
        }
    }

    #[test]
    fn a_distant_outlier_does_not_lump_the_others_together() {
        let mut boxes: Vec<Aabb> = (0..64)
            .map(|i| at(f64::from(i * 29 % 64), 0.0, 0.0))
            .collect();
        boxes.push(at(1e6, 1e6, 1e6));
        let ids = order(&boxes);
        for leaf in ids.chunks(WIDTH).take(8) {
            let x: Vec<u32> = leaf.iter().map(|i| i * 29 % 64).collect();
            assert_eq!(x.iter().max().unwrap() - x.iter().min().unwrap(), 7);
        }
    }
}
