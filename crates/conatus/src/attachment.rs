//! Handles of bodies, and the ends of springs.

use conatus_math::DVec3;

/// A body of a scene or of its simulations. It stays valid for as long as the
/// simulation does, whether other bodies are added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) usize);

impl BodyId {
    /// The body's index in frames, recordings and [`View`](crate::View).
    pub fn index(self) -> usize {
        self.0
    }
}

/// A shape that collides: one of a body, a plane, an obstacle, or a part of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) u32);

impl ColliderId {
    /// Its number in the order of all colliders.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One end of a spring: a body, a point of a body, or a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attachment {
    /// The centre of mass of a body.
    Body(BodyId),
    /// A point of a body, in the coordinates that its shape is given in.
    Point(BodyId, DVec3),
    /// A fixed point of the world.
    Pin(DVec3),
}

impl From<BodyId> for Attachment {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

impl<P: Into<DVec3>> From<(BodyId, P)> for Attachment {
    fn from((body, point): (BodyId, P)) -> Self {
        Self::Point(body, point.into())
    }
}

impl From<DVec3> for Attachment {
    fn from(point: DVec3) -> Self {
        Self::Pin(point)
    }
}

impl From<[f64; 3]> for Attachment {
    fn from(point: [f64; 3]) -> Self {
        Self::Pin(point.into())
    }
}
