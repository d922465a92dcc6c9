//! Cloth and thin shells as triangle meshes: what they are made of, how they
//! resist stretching, shearing and bending, how the air holds them, and where
//! all that would take them in one step of time if nothing stood in the way.
//!
//! Collisions are not known here: [`Elastic::candidate_velocities`] gives the
//! velocities that a collision response filters afterwards.

#![forbid(unsafe_code)]

mod air;
mod cloth;
pub mod collide;
pub mod elastic;
pub mod integrate;
pub mod material;
pub mod piece;
mod pressing;
pub mod response;
pub mod script;
pub mod solve;
mod state;

pub use cloth::{
    BodyState, BodySurface, Cloth, Collisions, FASTEST, Gust, Obstacle, Parts, Pin, Pinch, Stats,
};
pub use elastic::Elastic;
pub use integrate::{Integrator, Load, Settings, SolveStats, Spring, Tie, TiedBody, WarmStart};
pub use material::{MATERIALS, Material, named};
pub use piece::Piece;
pub use pressing::Pressing;
pub use solve::Solver;
pub use state::{ClothState, OtherCloth};
