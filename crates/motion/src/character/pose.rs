//! Poses: where the torso and the effectors of a character are at one moment.

use conatus_math::{DMat3, DVec3};

/// A position and an orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// In world axes.
    pub position: DVec3,
    /// From its own axes to world axes.
    pub orientation: DMat3,
}

impl Placement {
    /// A placement with z along `normal` and x as close to `forward` as possible; none
    /// if the two are parallel or zero.
    pub fn new(position: DVec3, forward: DVec3, normal: DVec3) -> Option<Self> {
        let z = normal.try_normalize()?;
        let x = (forward - z * forward.dot(z)).try_normalize()?;
        Some(Self {
            position,
            orientation: DMat3::from_cols(x, z.cross(x), z),
        })
    }

    /// This placement rotated about the origin, then translated.
    pub fn moved(&self, turn: DMat3, shift: DVec3) -> Self {
        Self {
            position: turn * self.position + shift,
            orientation: turn * self.orientation,
        }
    }

    /// This placement mirrored at the plane y = 0.
    pub fn mirrored(&self) -> Self {
        let m = |v: DVec3| DVec3::new(v.x, -v.y, v.z);
        let o = &self.orientation;
        // The mirror image of a rotation is not a rotation; flipping y makes it one.
        Self {
            position: m(self.position),
            orientation: DMat3::from_cols(m(o.x_axis), -m(o.y_axis), m(o.z_axis)),
        }
    }
}

/// The pose of a character (Mordatch (12)).
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterPose {
    /// The torso.
    pub torso: Placement,
    /// The effectors, in the order of the limbs.
    pub effectors: Vec<Placement>,
}

impl CharacterPose {
    /// This pose rotated about the vertical by an angle, then translated.
    pub fn moved(&self, angle: f64, shift: DVec3) -> Self {
        let (sin, cos) = conatus_math::sincos(angle);
        let turn = DMat3::from_cols(
            DVec3::new(cos, sin, 0.0),
            DVec3::new(-sin, cos, 0.0),
            DVec3::Z,
        );
        Self {
            torso: self.torso.moved(turn, shift),
            effectors: (self.effectors.iter())
                .map(|e| e.moved(turn, shift))
                .collect(),
        }
    }
}
