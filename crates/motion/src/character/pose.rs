//! Where the parts of a character are at one moment.

use conatus_math::{DMat3, DVec3};

/// A place and how something is turned there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// In world axes.
    pub position: DVec3,
    /// From its own axes to world axes.
    pub orientation: DMat3,
}

impl Place {
    /// With the x axis as near to `forward` as it can be, and z along `normal`.
    pub fn new(position: DVec3, forward: DVec3, normal: DVec3) -> Option<Self> {
        let z = normal.try_normalize()?;
        let x = (forward - z * forward.dot(z)).try_normalize()?;
        Some(Self {
            position,
            orientation: DMat3::from_cols(x, z.cross(x), z),
        })
    }

    /// Turned about the vertical through the origin, then shifted.
    pub fn moved(&self, turn: DMat3, shift: DVec3) -> Self {
        Self {
            position: turn * self.position + shift,
            orientation: turn * self.orientation,
        }
    }

    /// Mirrored at the plane y = 0.
    pub fn mirrored(&self) -> Self {
        let m = |v: DVec3| DVec3::new(v.x, -v.y, v.z);
        let o = &self.orientation;
        // A mirror image is no rotation: its y axis points the other way.
        Self {
            position: m(self.position),
            orientation: DMat3::from_cols(m(o.x_axis), -m(o.y_axis), m(o.z_axis)),
        }
    }
}

/// Where a character is (Mordatch (12)).
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// The torso.
    pub torso: Place,
    /// The effectors, in the order of the limbs.
    pub effectors: Vec<Place>,
}

impl Pose {
    /// Turned about the vertical by an angle, then shifted.
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
