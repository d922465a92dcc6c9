//! Rays, and where they meet boxes.

use crate::Aabb;
use conatus_math::{DVec3, Pose};

/// A half-line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Its direction, of unit length.
    pub direction: DVec3,
}

/// Where a ray enters a shape first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The distance from the start of the ray in metres; 0 if it starts in the shape.
    pub distance: f64,
    /// The outward unit normal of the surface. The opposite of the ray's direction if it
    /// starts in the shape; towards the start of the ray on surfaces without an inside.
    pub normal: DVec3,
}

impl RayHit {
    /// Of a ray that starts in the shape.
    pub fn inside(ray: &Ray) -> Self {
        Self {
            distance: 0.0,
            normal: -ray.direction,
        }
    }
}

impl Ray {
    /// A ray along a vector of any length; `None` if the vector has no direction or a
    /// coordinate is not finite.
    pub fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let direction = direction.try_normalize().filter(|d| d.is_finite())?;
        origin.is_finite().then_some(Self { origin, direction })
    }

    /// The point at a distance.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }

    /// The ray in the axes of something at a pose.
    #[must_use]
    pub fn seen_from(&self, pose: &Pose) -> Self {
        let back = pose.inverse();
        Self {
            origin: back.point(self.origin),
            direction: back.direction(self.direction),
        }
    }

    /// The distances at which it enters and leaves a box, as if it were a line; `None` if
    /// it misses the box. Rounding never makes it miss.
    pub fn slab(&self, bounds: &Aabb) -> Option<[f64; 2]> {
        let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in 0..3 {
            let (o, d) = (self.origin[axis], self.direction[axis]);
            let (low, high) = (bounds.min[axis], bounds.max[axis]);
            if d == 0.0 {
                if o < low || o > high {
                    return None;
                }
                continue;
            }
            let (near, far) = match d > 0.0 {
                true => ((low - o) / d, (high - o) / d),
                false => ((high - o) / d, (low - o) / d),
            };
            // A few roundings, outwards.
            enter = enter.max(near - near.abs() * 1e-15);
            leave = leave.min(far + far.abs() * 1e-15);
        }
        (enter <= leave).then_some([enter, leave])
    }

    /// The distance at which it enters a box, or 0 if it starts inside; infinity if it
    /// misses the box.
    pub fn entry(&self, bounds: &Aabb) -> f64 {
        match self.slab(bounds) {
            Some([enter, leave]) if leave >= 0.0 => enter.max(0.0),
            _ => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_enters_a_box_where_its_sides_say() {
        let cube = Aabb::new(DVec3::ZERO, DVec3::ONE);
        let ray = |o: [f64; 3], d: [f64; 3]| Ray::new(o.into(), d.into()).unwrap();
        let entry = ray([-2.0, 0.5, 0.5], [3.0, 0.0, 0.0]).entry(&cube);
        assert!((entry - 2.0).abs() < 1e-12);
        assert_eq!(ray([0.5; 3], [0.0, 0.0, 1.0]).entry(&cube), 0.0);
        assert_eq!(
            ray([2.0, 0.5, 0.5], [1.0, 0.0, 0.0]).entry(&cube),
            f64::INFINITY
        );
        assert_eq!(
            ray([-1.0, 2.0, 0.5], [1.0, 0.0, 0.0]).entry(&cube),
            f64::INFINITY
        );
    }

    #[test]
    fn a_ray_without_direction_is_refused() {
        assert_eq!(Ray::new(DVec3::ZERO, DVec3::ZERO), None);
        assert_eq!(Ray::new(DVec3::ZERO, DVec3::NAN), None);
        assert_eq!(Ray::new(DVec3::INFINITY, DVec3::X), None);
    }
}
