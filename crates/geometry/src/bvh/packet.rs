//! Eight boxes side by side, tested against a ninth all at once.

use crate::Aabb;

/// How many children a node has.
pub(super) const WIDTH: usize = 8;

/// A box in single precision, the lowest corner negated: as (-min, max) both
/// corners are rounded up and merged by the same operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds([f32; 6]);

impl Bounds {
    /// The smallest such box, but for a rounding or two, that holds `b`.
    #[inline]
    pub(super) fn outside(b: &Aabb) -> Self {
        Self([-b.min.x, -b.min.y, -b.min.z, b.max.x, b.max.y, b.max.z].map(above))
    }
}

/// A single-precision number not below `x`. Moving `x` up by one part in 2²³
/// is at least the half part in 2²³ that the conversion may round down; the
/// constant does the same for the tiniest numbers, and the clamp keeps numbers
/// below the range from becoming an infinity that is too high to be tight.
#[inline]
fn above(x: f64) -> f32 {
    const PART: f64 = 1.0 / (1 << 23) as f64;
    const TINY: f64 = 1e-44;
    const LOWEST: f64 = f32::MIN as f64;
    let x = if x > LOWEST { x } else { LOWEST };
    (x + (x.abs() * PART + TINY)) as f32
}

/// Eight boxes, coordinate by coordinate, so that one vector instruction
/// compares one coordinate of several boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet([[f32; WIDTH]; 6]);

impl Packet {
    /// A packet of boxes that overlap nothing.
    pub(super) const EMPTY: Self = Self([[f32::NEG_INFINITY; WIDTH]; 6]);

    /// A packet of up to eight boxes.
    #[inline]
    pub(super) fn of(boxes: impl Iterator<Item = Bounds>) -> Self {
        let mut packet = Self::EMPTY;
        for (lane, bounds) in boxes.take(WIDTH).enumerate() {
            for (row, &value) in packet.0.iter_mut().zip(&bounds.0) {
                row[lane] = value;
            }
        }
        packet
    }

    /// The box round all eight.
    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        Bounds(
            self.0
                .map(|row| row.into_iter().fold(f32::NEG_INFINITY, larger)),
        )
    }

    /// One of the eight.
    #[inline]
    pub(super) fn lane(&self, lane: usize) -> Bounds {
        Bounds(self.0.map(|row| row[lane % WIDTH]))
    }

    /// Which of the eight overlap `query`, as bits.
    #[inline]
    pub(super) fn overlaps(&self, query: &Bounds) -> u32 {
        // min ≤ query max, with the sign turned: -query max ≤ -min.
        let [lx, ly, lz, hx, hy, hz] = &self.0;
        let q = query.0.map(|x| -x);
        let mut mask = 0;
        for k in 0..WIDTH {
            let hit = (q[3] <= lx[k])
                & (q[4] <= ly[k])
                & (q[5] <= lz[k])
                & (q[0] <= hx[k])
                & (q[1] <= hy[k])
                & (q[2] <= hz[k]);
            mask |= u32::from(hit) << k;
        }
        mask
    }
}

#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
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
    use conatus_math::DVec3;
    use proptest::prelude::*;

    #[test]
    fn the_bits_of_a_mask_come_lowest_first() {
        assert_eq!(lanes(0b1010_0001).collect::<Vec<_>>(), [0, 5, 7]);
        assert_eq!(lanes(0).count(), 0);
    }

    #[test]
    fn single_precision_bounds_hold_extreme_numbers() {
        for x in [0.0, 1e-320, 1e-44, 1e-30, 1.0, 1e30, 3.5e38, 1e308] {
            for x in [x, -x] {
                assert!(f64::from(above(x)) >= x, "{x}");
            }
        }
    }

    #[test]
    fn an_empty_box_finds_no_lane() {
        let unit = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let packet = Packet::of([Bounds::outside(&Aabb::EMPTY)].into_iter());
        assert_eq!(packet.overlaps(&Bounds::outside(&unit)), 0);
    }

    proptest! {
        #[test]
        fn rounding_outwards_never_loses_a_point(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            prop_assert!(f64::from(above(x)) >= x);
            prop_assert!(f64::from(above(x)) <= x + x.abs() * 3e-7 + 1e-43 || x > 3e38 || x < -3e38);
        }
    }
}
