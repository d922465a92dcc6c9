//! Axis-aligned bounding boxes (AABB): the cheap first test of whether two
//! objects may touch.

use conatus_math::DVec3;

/// An axis-aligned bounding box, from its lowest to its highest corner. The
/// empty box is [`Aabb::EMPTY`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lowest corner.
    pub min: DVec3,
    /// The highest corner.
    pub max: DVec3,
}

impl Default for Aabb {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl Aabb {
    /// The box that contains no point and overlaps nothing; the neutral element
    /// of [`Aabb::union`].
    pub const EMPTY: Self = Self {
        min: DVec3::INFINITY,
        max: DVec3::NEG_INFINITY,
    };

    /// A box from its lowest and highest corner.
    #[inline]
    pub fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// The smallest box that contains all points; [`Aabb::EMPTY`] if there are
    /// none.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |b, p| Self {
            min: b.min.min(p),
            max: b.max.max(p),
        })
    }

    /// The bounding box of a ball.
    #[inline]
    pub fn of_sphere(centre: DVec3, radius: f64) -> Self {
        Self {
            min: centre - DVec3::splat(radius),
            max: centre + DVec3::splat(radius),
        }
    }

    /// The smallest box that contains this one and `other`. For an object that
    /// moves in a straight line between the two in a step, it is the swept box.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: lower(self.min, other.min),
            max: upper(self.max, other.max),
        }
    }

    /// This box with every face moved outwards by `margin`.
    #[inline]
    pub fn grow(&self, margin: f64) -> Self {
        Self {
            min: self.min - DVec3::splat(margin),
            max: self.max + DVec3::splat(margin),
        }
    }

    /// Whether the boxes share a point; boxes that only touch do. A box with
    /// a NaN overlaps nothing.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without short-circuit evaluation: six comparisons are cheaper than
        // one mispredicted branch.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// The distance of a point from the box; 0 inside.
    #[inline]
    pub fn distance(&self, point: DVec3) -> f64 {
        (self.min - point)
            .max(point - self.max)
            .max(DVec3::ZERO)
            .length()
    }

    /// The middle of the box. Halves are added rather than the sum halved, so
    /// that large coordinates do not overflow.
    #[inline]
    pub fn centre(&self) -> DVec3 {
        0.5 * self.min + 0.5 * self.max
    }

    /// The lengths of the edges.
    #[inline]
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// Whether all bounds are finite and in order (a point or a flat box is
    /// valid).
    #[inline]
    pub fn is_valid(&self) -> bool {
        // If lower ≤ upper, lower is not -∞ and upper not +∞, both are finite;
        // a NaN fails every comparison.
        let axis = |low: f64, high: f64| (f64::MIN <= low) & (low <= high) & (high <= f64::MAX);
        axis(self.min.x, self.max.x) & axis(self.min.y, self.max.y) & axis(self.min.z, self.max.z)
    }
}

/// Componentwise minimum by plain comparison: one instruction per component,
/// where `f64::min` takes three to handle NaN.
#[inline]
fn lower(a: DVec3, b: DVec3) -> DVec3 {
    let pick = |a: f64, b: f64| if a < b { a } else { b };
    DVec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}

/// Componentwise maximum by plain comparison; see [`lower`].
#[inline]
fn upper(a: DVec3, b: DVec3) -> DVec3 {
    let pick = |a: f64, b: f64| if a > b { a } else { b };
    DVec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit() -> Aabb {
        Aabb::new(DVec3::ZERO, DVec3::ONE)
    }

    #[test]
    fn the_box_of_a_ball_reaches_one_radius_each_way() {
        let b = Aabb::of_sphere(DVec3::new(1.0, 2.0, 3.0), 0.5);
        assert_eq!(b.min, DVec3::new(0.5, 1.5, 2.5));
        assert_eq!(b.max, DVec3::new(1.5, 2.5, 3.5));
        assert_eq!(b.centre(), DVec3::new(1.0, 2.0, 3.0));
        assert_eq!(b.extent(), DVec3::ONE);
    }

    #[test]
    fn the_box_of_points_is_the_smallest_that_holds_them() {
        let points = [DVec3::new(1.0, -2.0, 3.0), DVec3::new(-1.0, 5.0, 0.0)];
        let b = Aabb::from_points(points);
        assert_eq!(b.min, DVec3::new(-1.0, -2.0, 0.0));
        assert_eq!(b.max, DVec3::new(1.0, 5.0, 3.0));
        assert_eq!(Aabb::from_points([]), Aabb::EMPTY);
    }

    #[test]
    fn the_empty_box_is_neutral_and_overlaps_nothing() {
        assert_eq!(Aabb::EMPTY.union(&unit()), unit());
        assert_eq!(unit().union(&Aabb::EMPTY), unit());
        assert!(!Aabb::EMPTY.overlaps(&unit()));
        assert!(!Aabb::EMPTY.overlaps(&Aabb::EMPTY));
        assert!(!Aabb::EMPTY.is_valid());
    }

    #[test]
    fn boxes_that_only_touch_overlap() {
        let above = Aabb::new(DVec3::new(0.0, 0.0, 1.0), DVec3::new(1.0, 1.0, 2.0));
        assert!(unit().overlaps(&above));
        assert!(!unit().overlaps(&Aabb::new(above.min + 1e-9, above.max)));
        assert!(
            unit()
                .grow(1e-8)
                .overlaps(&Aabb::new(above.min + 1e-9, above.max))
        );
    }

    #[test]
    fn a_box_with_a_nan_is_not_valid_and_overlaps_nothing() {
        let b = Aabb::new(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ONE);
        assert!(!b.is_valid());
        assert!(!b.overlaps(&unit()));
        assert!(!unit().overlaps(&b));
    }

    #[test]
    fn a_point_is_a_valid_box_and_an_inverted_box_is_not() {
        assert!(Aabb::new(DVec3::ONE, DVec3::ONE).is_valid());
        assert!(!Aabb::new(DVec3::ONE, DVec3::ZERO).is_valid());
        assert!(!Aabb::new(DVec3::ZERO, DVec3::INFINITY).is_valid());
    }
}
