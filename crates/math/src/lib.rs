//! The mathematics shared by all crates of Conatus: rotations, poses, the
//! eigenvectors of a symmetric matrix, and SIMD lanes; and for motion
//! optimisation: splines, time-dependent rotation vectors, block-tridiagonal
//! matrices, L-BFGS and Levenberg-Marquardt.
//!
//! Bodies, scenes and files are in other crates. Results are bit-identical on
//! every machine.

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
/// The angle of the vector (x, y), called with y first; bit-identical on every machine.
pub use libm::atan2;
/// The cube root, bit-identical on every machine.
pub use libm::cbrt;
/// Sine and cosine, bit-identical on every machine. The functions of the system
/// differ in the last digit between processors.
pub use libm::sincos;
pub use pose::Pose;
