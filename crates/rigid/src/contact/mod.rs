//! Contacts: which bodies touch, and what that does to their motion.
//!
//! [`shapes`] tells when two shapes touch, [`detect`] finds all that do,
//! [`resolve`] answers with impulses and takes penetration away.

pub mod detect;
pub mod impulse;
pub mod resolve;
pub mod shapes;

pub use shapes::{Contact, Plane, Sphere};
