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
            name: String::new(),
            groups: Vec::new(),
            collides_with: None,
            sensor: false,
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

    /// Its name, for events.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The groups that it is in.
    pub fn groups<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.groups = names.into_iter().map(Into::into).collect();
        self
    }

    /// The groups that it collides with; it collides with all by default.
    pub fn collides_with<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.collides_with = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// A sensor, which reports what overlaps it and touches nothing.
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }
}
