//! A character: a torso that has all the mass, limbs without mass that end in
//! effectors, and patches of the torso that can bear load as well.
//!
//! Mordatch et al., Appendix A: the pose of a character is where its torso and
//! its effectors are and how they are turned (eq. 12); bases and joints of the
//! limbs follow from that ([`limb`]). Nothing here knows of time or of forces.
//!
//! Torso axes: x forwards, y to the left, z up. Axes of a patch: z is the normal
//! of the surface that it lies on, so it points out of the ground *into* the
//! character; x is forwards, towards the toes or the finger tips.

pub mod collision;
pub mod described;
pub mod limb;
pub mod pose;

use crate::base::RigidBase;
use conatus_math::{DMat3, DVec3};
pub use described::{Description, DescriptionError, ready_made};
pub use limb::{Limb, LimbState, Link};
pub use pose::{Place, Pose};

/// A rectangle on which contact forces act.
#[derive(Clone, Debug, PartialEq)]
pub struct Patch {
    /// Its name.
    pub name: String,
    /// Half of its extent along its own x and y, in metres.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient of friction µ.
    pub friction: f64,
    /// Whether it can hold on to what can be gripped, and so pull.
    pub grasps: bool,
    /// How much dearer its forces are than those of a foot: the paper has 4 for
    /// hands, below (7).
    pub effort: f64,
}

/// A patch of the torso itself: the back, the belly, the seat.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPatch {
    /// What it is.
    pub patch: Patch,
    /// Its centre in torso axes.
    pub position: DVec3,
    /// From its axes to torso axes.
    pub orientation: DMat3,
}

/// An inner joint of a limb that can bear load: a knee, an elbow.
#[derive(Clone, Debug, PartialEq)]
pub struct Knee {
    /// Which of the inner joints.
    pub joint: usize,
    /// What it is; it touches at a point.
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
    pub limbs_bear: bool,
}

impl Character {
    /// How high the torso's centre is when it sits on the ground: as far as its
    /// lowest patch that faces down is below it, or half of its height.
    pub fn seat_height(&self) -> f64 {
        let seats = (self.base.patches.iter()).filter(|p| p.orientation.z_axis.z > 0.9);
        let depths = seats.map(|p| -p.position.z);
        depths.reduce(f64::max).unwrap_or(self.base.half_extents.z)
    }

    /// The number of the limb with this name.
    pub fn limb(&self, name: &str) -> Option<usize> {
        self.limbs.iter().position(|limb| limb.name == name)
    }

    /// How many moving frames it has: the torso, and one for each effector.
    pub fn frames(&self) -> usize {
        1 + self.limbs.len()
    }
}
