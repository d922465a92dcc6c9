//! The weights of all costs, in one place: the paper gives none (see
//! docs/errata.md).
//!
//! Metres, radians, seconds; forces in body weights, moments in body weights
//! times metres. Running costs are integrals over time.

use serde::{Deserialize, Serialize};

/// The weights of all costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CostWeights {
    /// L_CI (2): the distance of a contact from touching, and its slip.
    pub contact: f64,
    /// Of that: the patch's normal against the surface's.
    pub contact_normal: f64,
    /// Of that: the patch's angular velocity.
    pub contact_spin: f64,
    /// L_Physics (8).
    pub physics: f64,
    /// k₀ of (7).
    pub k0: f64,
    /// k₁ of (7).
    pub k1: f64,
    /// Limbs whose length is out of range.
    pub limb: f64,
    /// Joints beyond their limits (per unit of cosine).
    pub joint_limit: f64,
    /// Penetration.
    pub penetration: f64,
    /// u of (9): torques of the joints.
    pub torque: f64,
    /// Torques above the strength of a joint.
    pub strength: f64,
    /// ‖f‖² of (9).
    pub force: f64,
    /// q̈ of (9): acceleration of torsos.
    pub torso_acceleration: f64,
    /// Angular acceleration of torsos.
    pub torso_turning: f64,
    /// Acceleration of effectors.
    pub effector_acceleration: f64,
    /// Angular acceleration of effectors.
    pub effector_turning: f64,
    /// Effectors that move along a surface close above it.
    pub clearance: f64,
    /// Goals (10).
    pub task: f64,
    /// Velocities at the end, and at strikes.
    pub task_velocity: f64,
    /// L_Hint (11), in stage 2 only. Zero by default: no movement was found more often
    /// or sooner with it.
    pub hint: f64,
}

impl Default for CostWeights {
    fn default() -> Self {
        Self {
            contact: 30.0,
            contact_normal: 0.1,
            contact_spin: 0.02,
            physics: 100.0,
            k0: 1e-2,
            k1: 1e-3,
            limb: 1000.0,
            joint_limit: 100.0,
            penetration: 1000.0,
            torque: 2.0,
            strength: 200.0,
            force: 0.0,
            torso_acceleration: 0.01,
            torso_turning: 1e-3,
            effector_acceleration: 1e-4,
            effector_turning: 1e-4,
            clearance: 0.3,
            task: 100.0,
            task_velocity: 10.0,
            hint: 0.0,
        }
    }
}
