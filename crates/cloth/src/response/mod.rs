//! Answering collisions: the three stages of Harmon et al., Algorithm 1.
//!
//! 1. `repulsion.rs`: what comes near within the step is kept apart.
//! 2. `continuous.rs`: what collides within the step is stopped, one by one.
//! 3. `fail_safe.rs`: what still collides is resolved all at once, in zones.
//!
//! All of it acts on velocities over one step ([`ResponseMotion`]), and is written
//! over constraints ([`constraint::Constraint`]) in which vertices of cloth,
//! rigid bodies and scripted things take part alike.

pub mod constraint;
mod continuous;
mod eigen;
mod fail_safe;
mod friction;
mod gram;
mod inelastic_projection;
mod motion;
mod repulsion;
mod rigid_zones;
#[cfg(test)]
mod tests;
mod zone;

pub use fail_safe::Response;
pub use friction::ZoneFriction;
pub use motion::{NO_BODY, ResponseBody, ResponseMotion};

pub(crate) use fail_safe::{FailSafe, GaveUp};
pub(crate) use repulsion::{Contact, ImplicitImpulse, Limit};

/// The stages one after the other, for [`crate::Cloth`].
pub(crate) mod stages {
    pub(crate) use super::continuous::resolve as continuous;
    pub(crate) use super::repulsion::{resolve as repulsion, target};
}
