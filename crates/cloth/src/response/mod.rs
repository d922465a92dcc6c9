//! Collision response: the three stages of Harmon et al., Algorithm 1.
//!
//! 1. `repulsion.rs`: primitives close to each other are kept apart.
//! 2. `continuous.rs`: collisions within the step are stopped one by one.
//! 3. `fail_safe.rs`: remaining collisions are resolved together, in zones.
//!
//! All stages act on velocities over one step ([`ResponseMotion`]), through
//! constraints ([`constraint::Constraint`]) that treat vertices of cloth, rigid
//! bodies and scripted objects alike.

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

/// The stages in order, for [`crate::Cloth`].
pub(crate) mod stages {
    pub(crate) use super::continuous::resolve as continuous;
    pub(crate) use super::repulsion::{resolve as repulsion, target};
}
