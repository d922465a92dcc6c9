//! Where something is expected to be for a few steps: a box that moves.
//!
//! It goes along a straight line at constant velocity, as free motion does
//! over a short time, and points need a little room about that only. So what
//! falls or flies together, near but not touching, stays apart in its swept boxes,
//! however far it moves in a step.

use conatus_geometry::Aabb;
use conatus_math::DVec3;

/// A box at the beginning and at the end of the time looked ahead; in between
/// its faces move evenly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptBox {
    early: Aabb,
    late: Aabb,
}

impl SweptBox {
    /// Of nothing.
    pub(crate) const EMPTY: Self = Self {
        early: Aabb::EMPTY,
        late: Aabb::EMPTY,
    };

    /// A ball's, with its centre on the way.
    pub(crate) fn along(early: DVec3, late: DVec3, radius: f64) -> Self {
        Self {
            early: Aabb::of_sphere(early, radius),
            late: Aabb::of_sphere(late, radius),
        }
    }

    /// Round both.
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            early: self.early.union(&other.early),
            late: self.late.union(&other.late),
        }
    }

    /// With every face moved outwards.
    #[inline]
    pub(crate) fn grow(&self, margin: f64) -> Self {
        Self {
            early: self.early.grow(margin),
            late: self.late.grow(margin),
        }
    }

    /// Whether `point` is inside at this share of the time.
    #[inline]
    pub(crate) fn holds(&self, share: f64, point: DVec3) -> bool {
        let min = self.early.min.lerp(self.late.min, share);
        let max = self.early.max.lerp(self.late.max, share);
        point.cmpge(min).all() && point.cmple(max).all()
    }

    /// Whether the two may share a point at the same time. Boxes that are
    /// apart along an axis, early and late, and on the same side, are so all
    /// the time.
    #[inline]
    pub(crate) fn meets(&self, other: &Self) -> bool {
        let below =
            |a: &Self, b: &Self| a.early.max.cmplt(b.early.min) & a.late.max.cmplt(b.late.min);
        !(below(self, other) | below(other, self)).any()
    }

    /// How far along `n` the box extends at most, early and late.
    #[inline(always)]
    pub(crate) fn highest_along(&self, n: DVec3) -> [f64; 2] {
        [&self.early, &self.late].map(|b| {
            let (low, high) = (n * b.min, n * b.max);
            let pick = |a: f64, b: f64| if a > b { a } else { b };
            pick(low.x, high.x) + pick(low.y, high.y) + pick(low.z, high.z)
        })
    }

    /// The box round all of it.
    #[inline]
    pub(crate) fn swept(&self) -> Aabb {
        self.early.union(&self.late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_together_does_not_meet() {
        let fall = -10.0 * DVec3::Z;
        let ball = |at: DVec3, by: DVec3| SweptBox::along(at, at + by, 0.1);
        let (a, b) = (ball(DVec3::ZERO, fall), ball(DVec3::Z, fall));
        assert!(!a.meets(&b) && a.swept().overlaps(&b.swept()));
        // One overtakes the other.
        assert!(ball(DVec3::Z, 2.0 * fall).meets(&a));
        // Beside it.
        assert!(!ball(DVec3::X, 2.0 * fall).meets(&a));
        assert!(a.meets(&a));
    }

    #[test]
    fn a_point_is_held_where_the_box_is_at_the_time() {
        let swept = SweptBox::along(DVec3::ZERO, DVec3::X, 0.1);
        assert!(swept.holds(0.5, DVec3::new(0.55, 0.0, 0.0)));
        assert!(!swept.holds(0.5, DVec3::new(0.65, 0.0, 0.0)));
        assert!(!SweptBox::EMPTY.holds(0.0, DVec3::ZERO));
    }
}
