//! Cloth and thin shells as triangle meshes: what they are made of, how they
//! resist stretching, shearing and bending, how the air holds them, and how
//! they collide with themselves, with bodies and with what the scene moves.
//!
//! [`Cloth`] makes steps with everything. [`Elastic::candidate_velocities`] is
//! the first half of one: where a step would lead if nothing stood in the way.

#![forbid(unsafe_code)]

mod air;
mod cloth;
pub mod collide;
pub mod elastic;
mod implicit_contacts;
pub mod integrate;
pub mod material;
mod parts;
pub mod piece;
pub mod response;
mod rest;
pub mod script;
pub mod solve;
mod state;

pub use cloth::{Cloth, MAX_SPEED_M_S, Pinch, Stats};
pub use elastic::Elastic;
pub use implicit_contacts::PersistentContact;
pub use integrate::{
    ClothIntegrator, ClothLoad, ClothSettings, ClothSpring, ImplicitBody, ImplicitContact,
    SolveStats, WarmStart,
};
pub use material::{MATERIALS, Material, named};
pub use parts::{BodyState, BodySurface, ClothParts, Collisions, Gust, Obstacle, Pin};
pub use piece::Piece;
pub use solve::Solver;
pub use state::{ClothMismatch, ClothState};
