//! Contacts: which colliders touch, and what that does to the motion of bodies.
//!
//! [`collider`] says what collides, [`engine`] finds what touches in a step (first by
//! boxes, then exactly), [`solver`] changes the motion, and [`sleep`] leaves out what is at
//! rest. [`impulse`] has the closed form of a single impact. [`query`] answers questions
//! about colliders between steps.

mod awake;
mod broad;
pub mod collider;
pub mod engine;
pub mod events;
mod hook;
pub mod impulse;
mod narrow;
pub mod query;
mod record;
mod scripted;
pub mod sleep;
pub mod solver;
mod surface;
mod transfer;

pub use collider::{Collider, ContactMaterial, Groups};
pub use engine::ContactEngine;
pub use events::{ColliderOwner, StoredTouches, TouchEvent, TouchKind, TouchTracker};
pub use hook::{ContactCallback, ContactHook, PendingContact};
pub use query::{ColliderHit, ColliderQueries, QueryTree};
pub use record::{BodyContact, EngineContact, Overlap, StoredContact};
pub use scripted::ScriptedMotion;
pub use sleep::{SleepSettings, SleepState};
pub use solver::SolverSettings;
