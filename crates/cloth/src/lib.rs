//! Cloth and thin shells as triangle meshes: materials, resistance to
//! stretching, shearing and bending, aerodynamic drag, and collisions with
//! themselves, with bodies and with scripted obstacles.
//!
//! [`Cloth`] makes complete steps. [`Elastic::candidate_velocities`] is the
//! first half of one: the velocities without collisions.

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
mod pins;
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
    SolveStats, VertexAttachment, WarmStart,
};
pub use material::{MATERIALS, Material, named};
pub use parts::{BodyState, BodySurface, ClothParts, Collisions, Gust, Obstacle, Pin, PinFrame};
pub use piece::Piece;
pub use solve::Solver;
pub use state::{ClothMismatch, ClothState};
