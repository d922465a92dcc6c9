//! The rigid body that characters and objects have in common.
//!
//! A character is a base with limbs ([`Character`](crate::Character)), an object a
//! base with a shape that others can touch ([`Object`](crate::object::Object)). What
//! the two share is here and nothing else: mass, inertia, contact patches and a
//! collision hull. The equations of motion are in [`crate::dynamics`].

use crate::character::{BodyPatch, HullBall};
use conatus_math::DVec3;

/// A rigid body with six degrees of freedom: the torso of a character, or an object.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBase {
    /// The name of the character or object.
    pub name: String,
    /// Mass in kilograms.
    pub mass: f64,
    /// Moments of inertia about its own axes, in kg·m².
    pub inertia: DVec3,
    /// Half of its size along its own axes, in metres.
    pub half_extents: DVec3,
    /// Patches of its surface on which contact forces may act.
    pub patches: Vec<BodyPatch>,
    /// Balls that must not penetrate anything.
    pub hull: Vec<HullBall>,
    /// Red, green and blue from 0 to 1.
    pub color: [f32; 3],
}
