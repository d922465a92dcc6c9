//! Contacts: which colliders touch, and what that does to the motion of bodies.
//!
//! [`collider`] says what collides, [`engine`] finds what touches in a step, and
//! [`solver`] changes the motion. [`impulse`] has the closed form of a single impact.

pub mod collider;
pub mod engine;
pub mod impulse;
pub mod solver;

pub use collider::{Collider, ColliderShape, CollisionMesh, ContactMaterial, Groups};
pub use engine::{BodyContact, ContactEngine, Overlap, ScriptedMotion, StoredContact};
pub use solver::SolverSettings;
