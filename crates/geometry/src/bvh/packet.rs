//! Eight boxes tested against a ninth at once.
//!
//! Coordinates are stored as integers in the order of the real ones, because
//! then the sign of one sum decides a comparison, and a vector unit does eight
//! of them with a handful of instructions.

use crate::Aabb;
use conatus_math::DVec3;

/// How many children a node has.
pub(super) const WIDTH: usize = 8;

/// Bound of an empty box: below every number that [`above`] returns.
const EMPTY_BOUND: i32 = -(1 << 30);

/// A box rounded outwards, as (-min, max): with the lowest corner negated, both
/// corners are rounded up and merged by the same operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds([i32; 6]);

impl Bounds {
    /// The bounds of `b`, larger than it by up to a few parts in 10⁷ of its
    /// coordinates.
    #[inline]
    pub(super) fn outside(b: &Aabb) -> Self {
        Self([
            above(-b.min.x),
            above(-b.min.y),
            above(-b.min.z),
            above(b.max.x),
            above(b.max.y),
            above(b.max.z),
        ])
    }

    /// A box of `f64` that contains these bounds; `None` of an empty box.
    pub(super) fn to_aabb(self) -> Option<Aabb> {
        let [a, b, c, d, e, f] = self.0;
        if a == EMPTY_BOUND {
            return None;
        }
        Some(Aabb::new(
            -DVec3::new(largest(a), largest(b), largest(c)),
            DVec3::new(largest(d), largest(e), largest(f)),
        ))
    }
}

/// A number that no x with u(x) = `u` exceeds: 2u is at least k + 1, and p(x) ≤ k + 1;
/// see [`above`].
fn largest(u: i32) -> f64 {
    let k = u.saturating_mul(2);
    if k >= f32::INFINITY.to_bits() as i32 {
        return f64::INFINITY;
    }
    f64::from(f32::from_bits((k ^ ((k >> 31) & i32::MAX)) as u32))
}

/// An integer u(x) that grows with x, for which x ≤ y implies u(-x) + u(y) ≥ 0.
///
/// Read as integers, the bit patterns of positive floats have the order of the
/// floats; inverting the other bits where the sign is set extends that to
/// negative ones. Let p(x) be that integer, linearly interpolated between
/// floats; note p(-x) = -1 - p(x). Rounding x to the nearest float gives a k
/// with p(x) ≤ k + 1, and u = ⌊k/2⌋ + 1 is at least (k + 1)/2. So for x ≤ y
///
///   u(-x) + u(y) ≥ (p(-x) + p(y))/2 ≥ (p(-x) + p(x))/2 = -1/2,
///
/// and an integer of at least -1/2 is at least 0. The half keeps u within ±2³⁰,
/// so that such sums do not overflow.
#[inline]
fn above(x: f64) -> i32 {
    let bits = (x as f32).to_bits() as i32;
    let k = bits ^ ((bits >> 31) & i32::MAX);
    (k >> 1) + 1
}

/// Eight boxes, coordinate by coordinate, so that one vector instruction
/// works on one coordinate of several boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet([[i32; WIDTH]; 6]);

impl Packet {
    /// A packet of boxes that overlap nothing.
    pub(super) const EMPTY: Self = Self([[EMPTY_BOUND; WIDTH]; 6]);

    /// Puts up to eight boxes into this packet.
    #[inline]
    pub(super) fn fill(&mut self, boxes: impl Iterator<Item = Bounds>) {
        *self = Self::EMPTY;
        for (lane, bounds) in (0..WIDTH).zip(boxes) {
            for (row, &value) in self.0.iter_mut().zip(&bounds.0) {
                row[lane] = value;
            }
        }
    }

    /// The bounding box of all eight.
    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        let [a, b, c, d, e, f] = &self.0;
        let largest = |row: &[i32; WIDTH]| row.iter().fold(EMPTY_BOUND, |a, &b| a.max(b));
        Bounds([
            largest(a),
            largest(b),
            largest(c),
            largest(d),
            largest(e),
            largest(f),
        ])
    }

    /// One of the eight boxes.
    #[inline]
    pub(super) fn lane(&self, lane: usize) -> Bounds {
        let [a, b, c, d, e, f] = &self.0;
        let k = lane % WIDTH;
        Bounds([a[k], b[k], c[k], d[k], e[k], f[k]])
    }

    /// Which of the eight may overlap `query`, as a bit mask; no overlap is
    /// missed.
    #[inline(always)]
    pub(super) fn overlaps(&self, query: &Bounds) -> u32 {
        // min ≤ query.max and query.min ≤ max for all axes, each as the sum of
        // [`above`]; the sign bit of any negative sum stays in `misses`.
        let [a, b, c, d, e, f] = query.0;
        let mut misses = [0i32; WIDTH];
        for (row, side) in self.0.iter().zip([d, e, f, a, b, c]) {
            for (miss, bound) in misses.iter_mut().zip(row) {
                *miss |= bound.wrapping_add(side);
            }
        }
        // One byte per lane, 0 or -1. `black_box` keeps the compiler from
        // merging this with the code below, which would then become scalar.
        let bytes = std::hint::black_box(misses.map(|m| (m >> 31) as u8));
        let hits = !u64::from_le_bytes(bytes) & 0x0101_0101_0101_0101;
        // The product moves bit 8k of `hits` to bit 56 + k, by the factor's bit
        // 56 - 7k; no other products fall there.
        (hits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    }
}

/// The positions of the bits that are set, lowest first.
#[inline]
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_bits_of_a_mask_come_lowest_first() {
        assert_eq!(lanes(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(lanes(0).count(), 0);
    }

    #[test]
    fn an_empty_box_and_a_missing_one_find_no_lane() {
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let mut packet = Packet::EMPTY;
        packet.fill([Bounds::outside(&Aabb::EMPTY)].into_iter());
        assert_eq!(packet.overlaps(&Bounds::outside(&unit)), 0);
    }

    #[test]
    fn boxes_apart_by_a_millionth_are_told_apart() {
        let at = |x: f64| Bounds::outside(&Aabb::of_sphere(DVec3::new(x, 0.0, 0.0), 0.5));
        let mut packet = Packet::EMPTY;
        packet.fill([at(1.0), at(2.000_001), at(2.0), at(0.0), at(-0.000_001)].into_iter());
        assert_eq!(packet.overlaps(&at(1.0)), 0b01101);
    }

    fn number() -> impl Strategy<Value = f64> {
        let special = vec![
            0.0,
            -0.0,
            1e-320,
            1e-44,
            1e-38,
            1.0,
            3.5e38,
            1e308,
            f64::MAX,
        ];
        let special = (prop::sample::select(special), any::<bool>())
            .prop_map(|(x, negative)| if negative { -x } else { x });
        let any = any::<f64>().prop_filter("finite", |x| x.is_finite());
        prop_oneof![special, any, -1e3..1e3f64]
    }

    proptest! {
        #[test]
        fn rounding_outwards_keeps_ordered_numbers_together(x in number(), y in number()) {
            let (x, y) = (x.min(y), x.max(y));
            prop_assert!(above(-x) + above(y) >= 0);
            prop_assert!(above(x) <= above(y));
            prop_assert!(above(-x) + above(x) >= 0);
            prop_assert!(above(x) > EMPTY_BOUND);
            prop_assert!(largest(above(x)) >= x);
        }

        #[test]
        fn clearly_ordered_numbers_are_separated(x in -1e6..1e6f64, gap in 1e-6..1.0f64) {
            // x > y: the sum must be negative once they differ by a millionth.
            let y = x - gap * x.abs().max(1e-3);
            prop_assert!(above(-x) + above(y) < 0);
        }
    }
}
