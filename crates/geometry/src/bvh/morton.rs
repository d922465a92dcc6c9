//! An order of points in a list that keeps neighbours in space together.
//!
//! Space is halved along x, y and z in turn, again and again; the Morton code
//! of a point holds one bit per halving, so sorting by code visits space cell
//! by cell. Twenty-one halvings per axis tell apart things a two-millionth of
//! the scene's size, so one stray far away does not lump the rest together.

use crate::Aabb;
use conatus_math::DVec3;

const BITS_PER_AXIS: u32 = 21;
/// Sorted digit by digit: three digits of eleven bits, from the highest.
const DIGIT: u32 = 11;
const BUCKETS: usize = 1 << DIGIT;
/// The lower bits, which only rarely tell two boxes apart, are left to a
/// comparison sort.
const LOW_BITS: u32 = 3 * BITS_PER_AXIS - 3 * DIGIT;

/// Sorts by code, then by number: the order is total, so it depends on the
/// boxes alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    code: u64,
    id: u32,
}

/// Memory for the sort, used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct MortonOrder {
    keys: Vec<Key>,
    other: Vec<Key>,
}

impl MortonOrder {
    /// Fills `ids` with the numbers of `boxes` in the order of their centres'
    /// codes.
    pub(super) fn sort(&mut self, boxes: &[Aabb], ids: &mut Vec<u32>) {
        self.fill(boxes);
        // Radix sort, lowest digit first; each pass is stable. A digit of
        // which all keys have the same value is skipped.
        self.other.clear();
        self.other.resize(self.keys.len(), Key::default());
        for pass in 0..3 {
            if scatter(&self.keys, &mut self.other, LOW_BITS + pass * DIGIT) {
                std::mem::swap(&mut self.keys, &mut self.other);
            }
        }
        for run in self
            .keys
            .chunk_by_mut(|a, b| a.code >> LOW_BITS == b.code >> LOW_BITS)
        {
            if run.len() > 1 {
                run.sort_unstable();
            }
        }
        ids.clear();
        ids.extend(self.keys.iter().map(|k| k.id));
    }

    /// One key for each box; boxes that are not valid get the code 0.
    fn fill(&mut self, boxes: &[Aabb]) {
        let all = boxes
            .iter()
            .filter(|b| b.is_valid())
            .fold(Aabb::EMPTY, |all, b| {
                let c = b.centre();
                all.union(&Aabb::new(c, c))
            });
        // The same scale for all axes: cells are cubes also in a flat scene.
        // Points all in one place, or too far apart to subtract, share a cell.
        let cells = (1u32 << BITS_PER_AXIS) as f64;
        let scale = 0.999_999 * cells / all.extent().max_element();
        let scale = if scale.is_finite() { scale } else { 0.0 };
        self.keys.clear();
        self.keys.extend((0u32..).zip(boxes).map(|(id, b)| {
            let cell = (b.centre() - all.min) * scale;
            let code = if b.is_valid() { code(cell) } else { 0 };
            Key { code, id }
        }));
    }
}

/// Moves keys to where they belong by the digit at `shift`; false if all have
/// the same digit and nothing was moved.
fn scatter(from: &[Key], to: &mut [Key], shift: u32) -> bool {
    let digit = |k: &Key| (k.code >> shift) as usize & (BUCKETS - 1);
    let mut starts = [0u32; BUCKETS];
    for k in from {
        starts[digit(k)] += 1;
    }
    if starts.iter().any(|&count| count as usize == from.len()) {
        return false;
    }
    let mut next = 0;
    for start in &mut starts {
        next += std::mem::replace(start, next);
    }
    for k in from {
        let place = &mut starts[digit(k)];
        to[*place as usize] = *k;
        *place += 1;
    }
    true
}

/// The bits of the three whole parts, taken in turn. Numbers outside the
/// range saturate.
fn code(cell: DVec3) -> u64 {
    spread(cell.x) << 2 | spread(cell.y) << 1 | spread(cell.z)
}

/// Puts two zero bits before each of the 21 bits of `x`: the number is cut
/// in halves that move apart, then each half, and so on.
fn spread(x: f64) -> u64 {
    let x = u64::from((x as u32).min((1 << BITS_PER_AXIS) - 1));
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_moves_bit_k_to_bit_3k() {
        for k in 0..BITS_PER_AXIS {
            assert_eq!(spread(f64::from(1u32 << k)), 1 << (3 * k));
        }
        assert_eq!(spread(-1.0), 0);
        assert_eq!(spread(f64::NAN), 0);
        assert_eq!(spread(1e9).count_ones(), BITS_PER_AXIS);
    }

    #[test]
    fn the_order_is_that_of_a_plain_sort() {
        // A cluster far smaller than the whole, so that codes share digits.
        let boxes: Vec<Aabb> = (0..500u32)
            .map(|i| {
                let t = f64::from(i);
                let c = DVec3::new((t * 1.7).sin(), (t * 2.3).cos(), (t * 0.9).sin());
                let size = if i % 2 == 0 { 1e-4 } else { 1.0 };
                Aabb::of_sphere(c * size, 0.1)
            })
            .collect();
        let (mut order, mut ids) = (MortonOrder::default(), Vec::new());
        order.sort(&boxes, &mut ids);
        let mut plain = MortonOrder::default();
        plain.fill(&boxes);
        plain.keys.sort();
        assert_eq!(ids, plain.keys.iter().map(|k| k.id).collect::<Vec<_>>());
    }

    #[test]
    fn boxes_in_one_place_keep_their_order() {
        let boxes = vec![Aabb::of_sphere(DVec3::ONE, 1.0); 100];
        let (mut order, mut ids) = (MortonOrder::default(), Vec::new());
        order.sort(&boxes, &mut ids);
        assert_eq!(ids, (0..100).collect::<Vec<_>>());
    }
}
