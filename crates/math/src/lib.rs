//! The mathematics that every other part of Conatus shares: rotations, poses,
//! the eigenvectors of a symmetric matrix, and numbers that come in lanes.
//!
//! Nothing here knows about bodies, scenes or files.

pub mod eigen;
pub mod lanes;
pub mod pose;
pub mod rotation;

pub use glam::{DMat3, DQuat, DVec3};
/// The cube root, the same bits on every machine.
pub use libm::cbrt;
/// Sine and cosine that give the same bits on every machine. The system's own
/// differ in the last digit from one processor to the next.
pub use libm::sincos;
pub use pose::Pose;
