//! Contacts: which colliders touch, and what that does to the motion of bodies.
//!
//! [`collider`] says what collides, [`engine`] finds what touches in a step (first by
//! boxes, then exactly), [`solver`] changes the motion, and [`sleep`] leaves out what is at
//! rest. [`impulse`] has the closed form of a single impact.

mod broad;
pub mod collider;
pub mod engine;
pub mod impulse;
mod narrow;
mod record;
mod scripted;
pub mod sleep;
pub mod solver;

pub use collider::{Collider, ColliderShape, CollisionMesh, ContactMaterial, Groups};
pub use engine::ContactEngine;
pub use record::{BodyContact, EngineContact, Overlap, StoredContact};
pub use scripted::ScriptedMotion;
pub use sleep::{SleepSettings, SleepState};
pub use solver::SolverSettings;
