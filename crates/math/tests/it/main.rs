//! The integration tests of the crate, in one binary so that they link once.

mod banded;
mod chaney_rotations;
mod di_pierro_rotations;
mod exp_map;
mod lbfgs;
mod levenberg_marquardt;
