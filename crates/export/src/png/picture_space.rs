//! Picture space: z up, with the motion at the origin and scaled to about 1.

use conatus_math::DVec3;
use conatus_record::{BodyFrame, Up};

/// Points beyond this are not drawn.
const MAX_PICTURE_COORDINATE: f64 = 1e4;

/// From the scene's coordinates to the picture's.
#[derive(Clone, Copy, Debug)]
pub(super) struct PictureSpace {
    pub up: Up,
    pub centre: DVec3,
    /// The length in metres that becomes 1.
    pub scale: f64,
}

impl PictureSpace {
    /// Transforms a direction.
    pub fn turn(&self, v: DVec3) -> DVec3 {
        match self.up {
            Up::Z => v,
            Up::Y => DVec3::new(v.z, v.x, v.y),
        }
    }

    /// Transforms a point; none if it is too far away.
    pub fn at(&self, p: DVec3) -> Option<DVec3> {
        let at = self.turn(p - self.centre) / self.scale;
        (at.abs().max_element() < MAX_PICTURE_COORDINATE).then_some(at)
    }

    /// The position and the axes of a body; none if they are not finite.
    pub fn pose(&self, body: &BodyFrame) -> Option<(DVec3, [DVec3; 3])> {
        let at = self.at(body.position)?;
        let turn = body.orientation;
        let length = turn.length();
        if !(length > 1e-3 && length < 1e3) {
            return None;
        }
        let turn = turn.normalize();
        let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.turn(turn * axis));
        axes.iter().all(|a| a.is_finite()).then_some((at, axes))
    }
}

/// A vector in the precision that pictures are stored in.
pub(super) fn narrow(v: DVec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

/// The same vector in the precision of computations.
pub(super) fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}
