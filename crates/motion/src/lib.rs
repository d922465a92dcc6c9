//! Characters that find their own movements: contact-invariant optimisation, after
//! Mordatch, Todorov and Popović 2012.
//!
//! A movement is found from a start state and a goal of one or two lines; foot steps
//! and grips are not prescribed. Besides the movement itself the unknowns
//! ([`variables`]) are contact variables, which say how active each contact is in each
//! phase. They enter both the cost of not touching and the cost of forces, so that the
//! minimum of all [`costs`] has contacts where they are needed.
//!
//! The way from a problem to a movement: [`Problem`] → [`Program`] →
//! [`phases::attempt`], which minimises an [`objective::Evaluator`] → [`score`].
//! [`synthesize`] makes several attempts and keeps the best. Which physics a character
//! has is behind [`dynamics::DynamicModel`].
//!
//! Scene files, recordings and pictures are not part of this crate.

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
pub use weights::CostWeights;
