//! Rigid bodies with exact free motion (Chaney, *Simulating Single Rigid
//! Bodies*) in a universe of forces, springs, water and collisions (Di Pierro,
//! *Game Physics in a Nutshell*), both corrected (docs/errata.md).
//!
//! Mass properties ([`mass`]) are diagonalised once; states ([`state`]) move by
//! Runge-Kutta ([`rk4`]) in SIMD blocks ([`blocks`]) or, where forces
//! ([`forces`]) act, stage by stage ([`integrate`]); contacts are detected and
//! resolved in [`contact`], together with joints ([`joint`]). Scene files and the loop over time are in
//! `conatus-world`.

pub mod blocks;
pub mod bodies;
pub mod contact;
pub mod forces;
pub mod integrate;
pub mod joint;
pub mod mass;
mod merge;
pub mod rk4;
pub mod snapshot;
pub mod state;

pub use bodies::{Activity, Bodies, Constants};
pub use integrate::{Integration, Integrator};
pub use joint::Joint;
pub use mass::{Diagonal, MassError, MassProperties};
pub use state::{Load, State};
