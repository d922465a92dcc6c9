//! The state in which a movement starts: poses and velocities of all characters and
//! objects.
//!
//! A movement starts at rest by default. With velocities it can continue another
//! movement from any time of that ([`Problem::continued_from`]).
//!
//! [`Problem::continued_from`]: crate::Problem::continued_from

use crate::character::{Character, CharacterPose, Placement};
use crate::object::Object;
use conatus_math::DVec3;

/// Linear and angular velocity of a frame, in world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// The velocity of the frame's origin, in m/s.
    pub linear: DVec3,
    /// The angular velocity, in rad/s.
    pub angular: DVec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self {
        linear: DVec3::ZERO,
        angular: DVec3::ZERO,
    };
}

/// The rate of change of a [`CharacterPose`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseVelocity {
    /// Of the torso.
    pub torso: Twist,
    /// Of the effectors, in the order of the limbs. Effectors beyond the end of the
    /// list are at rest.
    pub effectors: Vec<Twist>,
}

impl PoseVelocity {
    /// Whether nothing moves.
    pub fn is_at_rest(&self) -> bool {
        let mut all = self.effectors.iter().chain([&self.torso]);
        all.all(|twist| *twist == Twist::ZERO)
    }
}

/// A character with the state in which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct CharacterStart {
    /// The character.
    pub character: Character,
    /// Where its torso and its effectors are.
    pub pose: CharacterPose,
    /// How fast they move.
    pub velocity: PoseVelocity,
}

impl CharacterStart {
    /// A character that starts at rest.
    pub fn at_rest(character: Character, pose: CharacterPose) -> Self {
        Self {
            character,
            pose,
            velocity: PoseVelocity::default(),
        }
    }
}

/// An object with the state in which it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectStart {
    /// The object.
    pub object: Object,
    /// Where it is.
    pub place: Placement,
    /// How fast it moves.
    pub velocity: Twist,
}

impl ObjectStart {
    /// An object that starts at rest.
    pub fn at_rest(object: Object, place: Placement) -> Self {
        Self {
            object,
            place,
            velocity: Twist::ZERO,
        }
    }
}
