//! The integration tests of the crate, in one binary so that they link once.

mod collision_support;
mod elastic_support;

mod collision_momentum;
mod collision_piles;
mod collisions;
mod elastic_closed_forms;
mod elastic_derivatives;
mod solvers;
