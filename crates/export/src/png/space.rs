//! The coordinates that pictures are computed in: z up, the motion about the
//! origin and about as large as 1, whatever the scene's units and axes.

use conatus_math::DVec3;
use conatus_record::{BodyFrame, Up};

/// What is farther off than this is not in any picture.
const BEYOND: f64 = 1e4;

/// From the scene's coordinates to the picture's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub up: Up,
    pub centre: DVec3,
    /// How many metres become 1.
    pub scale: f64,
}

impl Space {
    /// A direction.
    pub fn turn(&self, v: DVec3) -> DVec3 {
        match self.up {
            Up::Z => v,
            Up::Y => DVec3::new(v.z, v.x, v.y),
        }
    }

    /// A point; none if it is nowhere near the picture.
    pub fn at(&self, p: DVec3) -> Option<DVec3> {
        let at = self.turn(p - self.centre) / self.scale;
        (at.abs().max_element() < BEYOND).then_some(at)
    }

    /// Where a body is, and its three axes; none if its numbers went wrong.
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
