//! The mathematics that every other part of Conatus shares: rotations, poses,
//! the eigenvectors of a symmetric matrix, and numbers that come in lanes; and
//! what optimises motions: splines, rotations by vectors that change in time,
//! block-tridiagonal matrices, L-BFGS and Levenberg-Marquardt.
//!
//! Nothing here knows about bodies, scenes or files. Results are the same bits
//! on every machine.

pub mod banded;
pub mod eigen;
pub mod exp_map;
pub mod hermite;
pub mod lanes;
pub mod lbfgs;
pub mod levenberg_marquardt;
mod line_search;
pub mod minimise;
pub mod pose;
pub mod rotation;
mod vector;

pub use glam::{DMat3, DQuat, DVec3};
/// The cube root, the same bits on every machine.
pub use libm::cbrt;
/// Sine and cosine that give the same bits on every machine. The system's own
/// differ in the last digit from one processor to the next.
pub use libm::sincos;
pub use pose::Pose;
