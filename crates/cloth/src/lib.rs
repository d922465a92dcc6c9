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
pub mod integrate;
pub mod material;
mod parts;
pub mod piece;
mod pressing;
pub mod response;
mod rest;
pub mod script;
pub mod solve;
mod state;

pub use cloth::{Cloth, FASTEST, Pinch, Stats};
pub use elastic::Elastic;
pub use integrate::{Integrator, Load, Settings, SolveStats, Spring, Tie, TiedBody, WarmStart};
pub use material::{MATERIALS, Material, named};
pub use parts::{BodyState, BodySurface, Collisions, Gust, Obstacle, Parts, Pin};
pub use piece::Piece;
pub use pressing::Pressing;
pub use solve::Solver;
pub use state::{ClothState, OtherCloth};
