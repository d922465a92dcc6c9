//! Capsules and balls: all points within a distance of a segment.

use super::{Distance, outer};
use conatus_math::{DMat3, DVec3};

/// All points within `radius` of a segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    /// One end of the segment.
    pub start: DVec3,
    /// Its other end; the same for a ball.
    pub end: DVec3,
    /// In metres.
    pub radius: f64,
}

impl Capsule {
    /// A ball.
    pub fn ball_at(position: DVec3, radius: f64) -> Self {
        Self {
            start: position,
            end: position,
            radius,
        }
    }

    /// The signed distance of a point: |p − nearest point of the segment| − r.
    pub fn distance(&self, p: DVec3) -> Distance {
        let along = self.end - self.start;
        let square = along.length_squared();
        let share = if square > 1e-18 {
            (p - self.start).dot(along) / square
        } else {
            0.0
        };
        let nearest = self.start + along * share.clamp(0.0, 1.0);
        let offset = p - nearest;
        let length = offset.length().max(1e-9);
        let n = if length > 1e-9 {
            offset / length
        } else {
            DVec3::Z
        };
        let mut flat = DMat3::IDENTITY - outer(n, n);
        if (0.0..1.0).contains(&share) && square > 1e-18 {
            let t = along / square.sqrt();
            flat -= outer(t, t);
        }
        Distance::exact(length - self.radius, n, flat * (1.0 / length))
    }

    /// A bounding sphere.
    pub(super) fn bounding_sphere(&self) -> (DVec3, f64) {
        let half = 0.5 * self.start.distance(self.end);
        ((self.start + self.end) * 0.5, half + self.radius)
    }
}
