//! Characters that find out by themselves how to move: contact-invariant
//! optimisation, after Mordatch, Todorov and Popović 2012.
//!
//! From a still pose and a goal of one or two lines a movement emerges; nobody
//! says where feet step or which hands hold. Besides the movement itself the
//! unknowns ([`variables`]) are numbers that say how much each contact counts in
//! each phase; they enter both the cost of not touching and the price of forces,
//! so that the minimum of all [`costs`] has contacts where they are needed.
//!
//! Nothing here knows of scene files, recordings or pictures.

pub mod base;
pub mod character;
pub mod contact_pattern;
pub mod contact_state;
pub mod costs;
pub mod dynamics;
pub mod inverse_dynamics;
pub mod object;
pub mod objective;
pub mod phases;
pub mod problem;
pub mod program;
pub mod score;
pub mod slide;
pub mod start;
pub mod surface;
mod synthesize;
pub mod variables;
pub mod weights;

pub use base::RigidBase;
pub use character::{Character, CharacterPose};
pub use object::Object;
pub use problem::{Effort, Goal, Problem, Subject};
pub use program::Program;
pub use start::{CharacterStart, ObjectStart, PoseVelocity, Twist};
pub use synthesize::{
    ATTEMPTS_PER_ROUND, AttemptReport, KeptMovement, Progress, Synthesis, synthesize,
};
pub use weights::Weights;
