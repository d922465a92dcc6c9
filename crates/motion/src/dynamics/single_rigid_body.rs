//! Single rigid body dynamics: all mass is in the base, limbs have none.
//! ```text
//! acceleration of the centre of mass = p̈
//! rate of angular momentum           = I ω̇ + ω × I ω,    I = R D Rᵀ
//! ```
//! This is what Mordatch et al. use (Appendix A), and TOWR for its robots.

use super::{BodyMotion, DynamicModel, MomentumRate};
use crate::base::RigidBase;
use crate::variables::{FrameGradient, FrameState, add_outer};
use conatus_math::{DMat3, DVec3};

/// A rigid body without anything that moves relative to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleRigidBody {
    /// In kilograms.
    pub mass: f64,
    /// D: moments of inertia about the axes of the base, in kg·m².
    pub inertia: DVec3,
}

impl SingleRigidBody {
    /// The dynamics of a base alone.
    pub fn new(base: &RigidBase) -> Self {
        Self {
            mass: base.mass,
            inertia: base.inertia,
        }
    }

    /// I v = R D Rᵀ v.
    fn inertia_times(&self, frame: &FrameState, v: DVec3) -> DVec3 {
        frame.matrix * (self.inertia * (frame.matrix.transpose() * v))
    }
}

impl DynamicModel for SingleRigidBody {
    fn mass(&self) -> f64 {
        self.mass
    }

    fn base_inertia(&self) -> DMat3 {
        DMat3::from_diagonal(self.inertia)
    }

    fn centre_of_mass(&self, motion: BodyMotion) -> DVec3 {
        motion.frames[0].position
    }

    fn centre_of_mass_vjp(&self, _: BodyMotion, by: DVec3, out: &mut [FrameGradient]) {
        out[0].position += by;
    }

    /// Mordatch (5) for a single rigid body.
    fn momentum_rate(&self, motion: BodyMotion) -> MomentumRate {
        let frame = &motion.frames[0];
        let spin = self.inertia_times(frame, frame.omega);
        MomentumRate {
            linear_per_mass: frame.acceleration,
            angular: self.inertia_times(frame, frame.alpha) + frame.omega.cross(spin),
        }
    }

    fn momentum_rate_vjp(&self, motion: BodyMotion, by: &MomentumRate, out: &mut [FrameGradient]) {
        let (frame, gradient) = (&motion.frames[0], &mut out[0]);
        gradient.acceleration += by.linear_per_mass;
        // t·(I α) + t·(ω × I ω) with I = R D Rᵀ. For symmetric products x·(I y):
        // by R it is x (D Rᵀ y)ᵀ + y (D Rᵀ x)ᵀ.
        let (r, d, t) = (&frame.matrix, self.inertia, by.angular);
        let back = |v: DVec3| d * (r.transpose() * v);
        gradient.alpha += *r * back(t);
        add_outer(&mut gradient.matrix, t, back(frame.alpha));
        add_outer(&mut gradient.matrix, frame.alpha, back(t));
        // t·(ω × s) = s·(t × ω), s = I ω.
        let across = t.cross(frame.omega);
        add_outer(&mut gradient.matrix, across, back(frame.omega));
        add_outer(&mut gradient.matrix, frame.omega, back(across));
        let spin = *r * back(frame.omega);
        gradient.omega += *r * back(across) + spin.cross(t);
    }
}
