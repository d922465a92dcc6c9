//! The costs of Mordatch (1), one file each.
//!
//! Each is a function of a [`MotionState`], the state at one moment, and passes its
//! residuals to a [`ResidualSink`]. The minimisers are elsewhere.

pub mod acceleration;
pub mod comfort;
pub mod contact_invariant;
pub mod hint;
pub mod limb;
pub mod obstacles;
pub mod penetration;
pub mod physics;
pub mod task;

use crate::program::Program;
use crate::variables::{Moment, MotionState, ResidualSink};
use physics::PhysicsMemory;

/// The factors of the terms of (1) in a stage of the optimisation (Mordatch §4.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TermWeights {
    /// L_CI.
    pub contact: f64,
    /// The forces of L_Physics.
    pub physics: f64,
    /// The limits of limbs and joints in L_Physics.
    pub bounds: f64,
    /// Penetration.
    pub penetration: f64,
    /// L_Task: the goals.
    pub task: f64,
    /// Of L_Task: zero acceleration at the end. This cost is far steeper than all
    /// others, so only the polish has it.
    pub rest: f64,
    /// Of L_Task: guides on the way to goals.
    pub guide: f64,
    /// Running costs of L_Task: accelerations and comfort.
    pub effort: f64,
    /// Running costs of L_Task: torques and forces.
    pub torque: f64,
    /// Torques above the strength of a joint, as limits in L_Physics.
    pub strength: f64,
    /// L_Hint.
    pub hint: f64,
}

impl TermWeights {
    /// All factors are zero.
    pub const NONE: Self = Self {
        contact: 0.0,
        physics: 0.0,
        bounds: 0.0,
        penetration: 0.0,
        task: 0.0,
        rest: 0.0,
        guide: 0.0,
        effort: 0.0,
        torque: 0.0,
        strength: 0.0,
        hint: 0.0,
    };

    /// All terms but the hint, the guides and the rest at the end: stage 3.
    pub const ALL: Self = Self {
        contact: 1.0,
        physics: 1.0,
        bounds: 1.0,
        penetration: 1.0,
        task: 1.0,
        rest: 0.0,
        guide: 0.0,
        effort: 1.0,
        torque: 1.0,
        strength: 1.0,
        hint: 0.0,
    };
}

/// The values of the terms of Mordatch (1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// L_CI.
    pub contact: f64,
    /// L_Physics.
    pub physics: f64,
    /// L_Task.
    pub task: f64,
    /// L_Hint.
    pub hint: f64,
}

impl Terms {
    /// The sum (1).
    pub fn total(&self) -> f64 {
        self.contact + self.physics + self.task + self.hint
    }
}

/// Evaluates the running costs at one moment: what Mordatch (1) sums up over time.
pub fn evaluate_running_costs(
    program: &Program,
    mix: &TermWeights,
    moment: &Moment,
    state: &MotionState,
    memory: &mut PhysicsMemory,
    sink: &mut impl ResidualSink,
) {
    let dt = moment.weight;
    let w = &program.weights;
    if mix.contact > 0.0 {
        contact_invariant::evaluate(program, state, mix.contact * w.contact * dt, sink);
    }
    if mix.physics > 0.0 {
        physics::evaluate(program, mix, dt, state, memory, sink);
    }
    if mix.bounds > 0.0 {
        limb::evaluate(program, mix.bounds * dt, state, sink);
    }
    if mix.penetration > 0.0 {
        penetration::evaluate(program, mix.penetration * dt, state, sink);
    }
    if mix.effort > 0.0 {
        acceleration::evaluate(program, mix.effort * dt, state, sink);
        comfort::evaluate(program, mix.effort * dt, state, sink);
        if mix.contact > 0.0 {
            acceleration::evaluate_clearance(program, mix.effort * dt, state, sink);
        }
    }
    if mix.hint * w.hint > 0.0 {
        hint::evaluate(program, mix.hint * w.hint * dt, state, sink);
    }
}
