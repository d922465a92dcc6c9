//! A swept bounding box: a moving box in which a point or primitive is expected
//! to stay for several steps.
//!
//! The box moves along a straight line at constant velocity, as free motion
//! does over a short time, so it needs only a small radius around that path.
//! Objects that move together without touching therefore have disjoint swept
//! boxes, however far they move in a step.

use conatus_geometry::Aabb;
use conatus_math::DVec3;

/// A box at the start and at the end of the look-ahead time; its faces move
/// linearly in between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptBox {
    early: Aabb,
    late: Aabb,
}

impl SweptBox {
    /// The empty box.
    pub(crate) const EMPTY: Self = Self {
        early: Aabb::EMPTY,
        late: Aabb::EMPTY,
    };

    /// The swept box of a ball whose centre moves from `early` to `late`.
    pub(crate) fn along(early: DVec3, late: DVec3, radius: f64) -> Self {
        Self {
            early: Aabb::of_sphere(early, radius),
            late: Aabb::of_sphere(late, radius),
        }
    }

    /// The smallest box that contains both.
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self {
            early: self.early.union(&other.early),
            late: self.late.union(&other.late),
        }
    }

    /// The box with every face moved outwards.
    #[inline]
    pub(crate) fn grow(&self, margin: f64) -> Self {
        Self {
            early: self.early.grow(margin),
            late: self.late.grow(margin),
        }
    }

    /// Whether `point` is inside at this fraction of the time.
    #[inline]
    pub(crate) fn contains(&self, share: f64, point: DVec3) -> bool {
        let min = self.early.min.lerp(self.late.min, share);
        let max = self.early.max.lerp(self.late.max, share);
        point.cmpge(min).all() && point.cmple(max).all()
    }

    /// Whether the two overlap at any common time. Boxes that are disjoint
    /// along an axis at the start and at the end, on the same side, are
    /// disjoint all the time.
    #[inline]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let below =
            |a: &Self, b: &Self| a.early.max.cmplt(b.early.min) & a.late.max.cmplt(b.late.min);
        !(below(self, other) | below(other, self)).any()
    }

    /// The maximum of n·x over the box, at the start and at the end.
    #[inline(always)]
    pub(crate) fn max_along(&self, n: DVec3) -> [f64; 2] {
        [&self.early, &self.late].map(|b| {
            let (low, high) = (n * b.min, n * b.max);
            let pick = |a: f64, b: f64| if a > b { a } else { b };
            pick(low.x, high.x) + pick(low.y, high.y) + pick(low.z, high.z)
        })
    }

    /// The bounding box of the whole motion.
    #[inline]
    pub(crate) fn swept(&self) -> Aabb {
        self.early.union(&self.late)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_move_together_do_not_overlap() {
        let fall = -10.0 * DVec3::Z;
        let ball = |at: DVec3, by: DVec3| SweptBox::along(at, at + by, 0.1);
        let (a, b) = (ball(DVec3::ZERO, fall), ball(DVec3::Z, fall));
        assert!(!a.overlaps(&b) && a.swept().overlaps(&b.swept()));
        // One overtakes the other.
        assert!(ball(DVec3::Z, 2.0 * fall).overlaps(&a));
        // The box beside it stays apart.
        assert!(!ball(DVec3::X, 2.0 * fall).overlaps(&a));
        assert!(a.overlaps(&a));
    }

    #[test]
    fn a_box_contains_a_point_only_at_the_right_time() {
        let swept = SweptBox::along(DVec3::ZERO, DVec3::X, 0.1);
        assert!(swept.contains(0.5, DVec3::new(0.55, 0.0, 0.0)));
        assert!(!swept.contains(0.5, DVec3::new(0.65, 0.0, 0.0)));
        assert!(!SweptBox::EMPTY.contains(0.0, DVec3::ZERO));
    }
}
