//! Half-spaces, the only form of a plane.

use crate::{Ray, RayHit};
use conatus_math::{DVec3, Pose};

/// All points p with normal · p ≤ offset; what collides with it stays on the side of the
/// normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    /// The outward unit normal.
    pub normal: DVec3,
    /// Along the normal, in metres.
    pub offset: f64,
}

impl HalfSpace {
    /// The half-space whose plane goes through a point; `normal` has length 1.
    pub fn through(point: DVec3, normal: DVec3) -> Self {
        Self {
            normal,
            offset: normal.dot(point),
        }
    }

    /// The same at a pose.
    #[must_use]
    pub fn at(&self, pose: &Pose) -> Self {
        let normal = pose.direction(self.normal);
        Self {
            normal,
            offset: self.offset + normal.dot(pose.translation),
        }
    }

    /// The signed distance of a point from the plane, negative inside.
    #[inline]
    pub fn height(&self, p: DVec3) -> f64 {
        self.normal.dot(p) - self.offset
    }

    /// Where a ray enters it.
    pub fn ray_cast(&self, ray: &Ray) -> Option<RayHit> {
        let height = self.height(ray.origin);
        if height <= 0.0 {
            return Some(RayHit::inside(ray));
        }
        let normal = self.normal;
        let distance = -height / normal.dot(ray.direction);
        (distance > 0.0 && distance.is_finite()).then_some(RayHit { distance, normal })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_meets_a_half_space_on_its_plane() {
        let half_space = |normal, offset| HalfSpace { normal, offset };
        let ray = Ray::new(DVec3::new(0.0, 0.0, 3.0), DVec3::new(3.0, 0.0, -4.0)).unwrap();
        let hit = half_space(DVec3::Z, 1.0).ray_cast(&ray).unwrap();
        assert!((hit.distance - 2.5).abs() < 1e-12);
        assert_eq!(hit.normal, DVec3::Z);
        let around = half_space(DVec3::NEG_X, 1.0).ray_cast(&ray);
        assert_eq!(around.unwrap().distance, 0.0);
        assert!(half_space(DVec3::NEG_Z, -4.0).ray_cast(&ray).is_none());
    }

    #[test]
    fn a_half_space_moves_with_its_pose() {
        let pose = Pose::shift(DVec3::new(1.0, 2.0, 3.0));
        let moved = HalfSpace::through(DVec3::ZERO, DVec3::Z).at(&pose);
        assert_eq!(moved.height(DVec3::new(7.0, 0.0, 4.0)), 1.0);
    }
}
