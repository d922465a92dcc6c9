//! A pose: position and orientation.

use glam::{DQuat, DVec3};

/// A rigid transform; it takes a point `p` to `rotation · p + translation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The turn, applied first. Always of unit length.
    pub rotation: DQuat,
    /// The shift, applied after the turn, in metres.
    pub translation: DVec3,
}

impl Pose {
    /// The pose that moves nothing.
    pub const IDENTITY: Self = Self {
        rotation: DQuat::IDENTITY,
        translation: DVec3::ZERO,
    };

    /// A pose from its two parts.
    #[inline]
    pub fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self {
            rotation,
            translation,
        }
    }

    /// A pose that only shifts.
    #[inline]
    pub fn shift(translation: DVec3) -> Self {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// Where the point `p` goes.
    #[inline]
    pub fn point(&self, p: DVec3) -> DVec3 {
        self.rotation * p + self.translation
    }

    /// The direction `d` rotated, not shifted. Di Pierro (20)-(22): lengths and
    /// angles are preserved.
    #[inline]
    pub fn direction(&self, d: DVec3) -> DVec3 {
        self.rotation * d
    }

    /// The inverse pose.
    #[inline]
    pub fn inverse(&self) -> Self {
        let back = self.rotation.conjugate();
        Self::new(back, -(back * self.translation))
    }

    /// `inner` first, then this pose: the rotations multiply in the order of
    /// Di Pierro (27)-(28).
    #[inline]
    pub fn after(&self, inner: &Self) -> Self {
        Self::new(
            (self.rotation * inner.rotation).normalize(),
            self.point(inner.translation),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_and_its_inverse_cancel() {
        let pose = Pose::new(
            DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7),
            DVec3::new(4.0, 5.0, 6.0),
        );
        let p = DVec3::new(-1.0, 0.5, 2.0);
        assert!((pose.inverse().point(pose.point(p)) - p).length() < 1e-14);
        let both = pose.after(&pose.inverse());
        assert!((both.point(p) - p).length() < 1e-14);
    }
}
