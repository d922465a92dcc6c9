//! Characters: a torso that has all the mass, massless limbs that end in effectors,
//! and patches of the torso that can bear load as well.
//!
//! Mordatch et al., Appendix A: the pose of a character consists of the positions and
//! orientations of its torso and its effectors (eq. 12). The bases and joints of the
//! limbs follow from these ([`limb`]). Time and forces are not part of this module.
//!
//! Torso axes: x forwards, y to the left, z up. Patch axes: z is the normal of the
//! surface that the patch lies on, so it points out of the ground *into* the
//! character; x points forwards, to the toes or the finger tips.

pub mod collision;
pub mod description;
pub mod limb;
pub mod pose;

use crate::base::RigidBase;
use conatus_math::{DMat3, DVec3};
pub use description::{Description, DescriptionError, built_in};
pub use limb::{Limb, LimbState, Link};
pub use pose::{CharacterPose, Placement};

/// A rectangle on which contact forces act.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// The name.
    pub name: String,
    /// Half of its extent along its own x and y, in metres.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient of friction µ.
    pub friction: f64,
    /// Whether it can grip surfaces that allow it, and so pull.
    pub grasps: bool,
    /// The factor of the cost of its forces; 1 for a foot. The paper has 4 for hands,
    /// below (7).
    pub effort: f64,
}

/// A patch of the torso itself: the back, the belly, the seat.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPatch {
    /// Size, friction and cost.
    pub patch: Patch,
    /// Its centre in torso axes.
    pub position: DVec3,
    /// From its axes to torso axes.
    pub orientation: DMat3,
}

/// An inner joint of a limb that can bear load: a knee, an elbow.
#[derive(Clone, Debug, PartialEq)]
pub struct Knee {
    /// The index of the inner joint.
    pub joint: usize,
    /// Friction and cost; it touches at a point.
    pub patch: Patch,
}

/// A ball fixed to the torso that must not penetrate anything; several make up its
/// hull.
#[derive(Clone, Debug, PartialEq)]
pub struct HullBall {
    /// The name of the part that it is, such as `head`. Balls without a name are
    /// covered by the torso.
    pub name: Option<String>,
    /// Its centre in torso axes.
    pub position: DVec3,
    /// In metres.
    pub radius: f64,
}

/// A character: a torso with limbs.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    /// The torso: name, mass, inertia, contact patches and hull.
    pub base: RigidBase,
    /// The limbs, each with an effector at its end.
    pub limbs: Vec<Limb>,
    /// The factor of the cost of its forces on objects and on other characters.
    pub workload: f64,
    /// Whether others can touch its limbs as well as its torso.
    pub limb_contacts: bool,
}

impl Character {
    /// The height of the torso's centre when the character sits on the ground: the
    /// depth of the lowest patch that faces down, or half of the torso's height.
    pub fn seat_height(&self) -> f64 {
        let seats = (self.base.patches.iter()).filter(|p| p.orientation.z_axis.z > 0.9);
        let depths = seats.map(|p| -p.position.z);
        depths.reduce(f64::max).unwrap_or(self.base.half_extents.z)
    }

    /// The index of the limb with this name.
    pub fn limb(&self, name: &str) -> Option<usize> {
        self.limbs.iter().position(|limb| limb.name == name)
    }

    /// The number of moving frames: the torso, and one for each effector.
    pub fn frames(&self) -> usize {
        1 + self.limbs.len()
    }
}
