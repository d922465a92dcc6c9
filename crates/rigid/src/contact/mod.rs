//! Contacts between bodies, and their effect on motion.
//!
//! Worlds use contact spheres and planes: [`shapes`] tests two shapes, [`detect`] finds
//! all contacts, [`resolve`] applies impulses and removes penetration.
//!
//! Their successor collides all convex shapes as they are: [`collider`] says what
//! collides, [`engine`] finds what touches in a step, and [`solver`] changes the motion
//! in substeps. [`impulse`], the closed form of a single impact, serves both.

pub mod collider;
pub mod detect;
pub mod engine;
pub mod impulse;
pub mod resolve;
pub mod shapes;
pub mod solver;

pub use shapes::{Contact, Plane, Sphere};
