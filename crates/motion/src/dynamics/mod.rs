//! Models of the dynamics of characters and objects.
//!
//! Costs, score and clips get mass, centre of mass and rate of momentum from a
//! [`DynamicModel`], and never use masses directly. Contact forces and gravity have to
//! supply the rate of momentum (Mordatch (5)); [`crate::inverse_dynamics`] finds the
//! forces. So another model, such as limbs with mass, is another implementation of the
//! trait, put into [`Program::dynamics`](crate::Program::dynamics); nothing else
//! changes.
//!
//! Each quantity that enters a cost comes with its vector-Jacobian product: given the
//! derivatives of a number by the quantity, the derivatives of that number by the
//! frames are added to a gradient.

mod single_rigid_body;

pub use single_rigid_body::SingleRigidBody;

use crate::character::LimbState;
use crate::variables::{FrameGradient, FrameState};
use conatus_math::{DMat3, DVec3};

/// The motion of one character or object at one moment.
#[derive(Clone, Copy, Debug)]
pub struct BodyMotion<'a> {
    /// Its frames: the base, then the effectors in the order of the limbs.
    pub frames: &'a [FrameState],
    /// Its limbs, with their joints placed.
    pub limbs: &'a [LimbState],
}

/// The rate of momentum of a body: what contact forces and gravity have to supply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MomentumRate {
    /// Rate of linear momentum divided by the mass: the acceleration of the centre of
    /// mass, in m/s².
    pub linear_per_mass: DVec3,
    /// Rate of angular momentum about the centre of mass, in N·m.
    pub angular: DVec3,
}

/// A model of the dynamics of one character or object.
pub trait DynamicModel: std::fmt::Debug + Send + Sync {
    /// The mass of the whole, in kilograms.
    fn mass(&self) -> f64;

    /// The inertia tensor of the base about its own origin, in its own axes, in kg·m².
    fn base_inertia(&self) -> DMat3;

    /// The centre of mass of the whole.
    fn centre_of_mass(&self, motion: BodyMotion) -> DVec3;

    /// The vector-Jacobian product of [`centre_of_mass`](Self::centre_of_mass): adds
    /// to the gradient of the body's frames.
    fn centre_of_mass_vjp(&self, motion: BodyMotion, by: DVec3, out: &mut [FrameGradient]);

    /// The rate of momentum, M(q) q̈ + C(q, q̇) q̇ of Mordatch (5) without gravity.
    fn momentum_rate(&self, motion: BodyMotion) -> MomentumRate;

    /// The vector-Jacobian product of [`momentum_rate`](Self::momentum_rate).
    fn momentum_rate_vjp(&self, motion: BodyMotion, by: &MomentumRate, out: &mut [FrameGradient]);

    /// The torque about a joint that the mass beyond it needs for its motion and
    /// against gravity, in N·m; joint 0 is the limb's base. Zero where limbs have no
    /// mass.
    fn distal_torque(
        &self,
        _motion: BodyMotion,
        _gravity: DVec3,
        _limb: usize,
        _joint: usize,
    ) -> DVec3 {
        DVec3::ZERO
    }

    /// The vector-Jacobian product of [`distal_torque`](Self::distal_torque).
    fn distal_torque_vjp(
        &self,
        _motion: BodyMotion,
        _gravity: DVec3,
        _limb: usize,
        _joint: usize,
        _by: DVec3,
        _out: &mut [FrameGradient],
    ) {
    }

    /// Whether limbs have mass, so that [`distal_torque`](Self::distal_torque) is not
    /// zero.
    fn has_limb_masses(&self) -> bool {
        false
    }
}
