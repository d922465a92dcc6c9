//! Contacts between bodies, and their effect on motion.
//!
//! [`shapes`] tests two shapes, [`detect`] finds all contacts, [`resolve`]
//! applies impulses and removes penetration.

pub mod detect;
pub mod impulse;
pub mod resolve;
pub mod shapes;

pub use shapes::{Contact, Plane, Sphere};
