//! Planes.

use crate::scene::model::*;

impl PlaneSpec {
    /// A static plane through a point, with bodies on the side of its normal.
    pub fn new(point: impl Into<Vec3>, normal: impl Into<Vec3>) -> Self {
        Self {
            point: point.into(),
            normal: normal.into(),
            restitution: None,
            friction: None,
        }
    }

    /// The plane z = 0 with bodies above it.
    pub fn ground() -> Self {
        Self::new([0.0; 3], [0.0, 0.0, 1.0])
    }

    /// The coefficient of restitution, instead of the body's.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = Some(restitution);
        self
    }

    /// Coulomb friction, instead of the body's.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = Some(friction);
        self
    }
}
