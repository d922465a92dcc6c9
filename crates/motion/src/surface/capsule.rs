//! All that is near to a segment: bars, and balls.

use super::{Distance, outer};
use conatus_math::{DMat3, DVec3};

/// All that is no farther than `radius` from a segment.
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

    /// How far a point is from it: |p − nearest point of the segment| − r.
    pub fn distance(&self, p: DVec3) -> Distance {
        let along = self.end - self.start;
        let square = along.length_squared();
        let share = if square > 1e-18 {
            (p - self.start).dot(along) / square
        } else {
            0.0
        };
        let nearest = self.start + along * share.clamp(0.0, 1.0);
        let way = p - nearest;
        let length = way.length().max(1e-9);
        let n = if length > 1e-9 {
            way / length
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

    /// A ball around it.
    pub(super) fn ball(&self) -> (DVec3, f64) {
        let half = 0.5 * self.start.distance(self.end);
        ((self.start + self.end) * 0.5, half + self.radius)
    }
}
