//! The mathematics that every other part of Conatus shares: rotations, poses,
//! the eigenvectors of a symmetric matrix, and numbers that come in lanes.
//!
//! Nothing here knows about bodies, scenes or files.

pub mod eigen;
pub mod lanes;
pub mod pose;
pub mod rotation;

pub use glam::{DMat3, DQuat, DVec3};
pub use pose::Pose;
