//! The costs of Mordatch (1), one file each.
//!
//! Each is a function of a [`State`], what everything is at one moment, and
//! delivers residuals to a [`Sink`]; nothing here knows how those are minimised.

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
use crate::variables::{Moment, Sink, State};
use physics::PhysicsMemory;

/// How the terms of (1) are weighted in a stage of the optimisation
/// (Mordatch §4.5).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    /// L_CI.
    pub contact: f64,
    /// L_Physics proper: forces.
    pub physics: f64,
    /// The rest of L_Physics: limbs and joints,
    pub bounds: f64,
    /// and penetration.
    pub penetration: f64,
    /// L_Task: the goals.
    pub task: f64,
    /// Of that: weight is carried at the end, not braked. Accelerations are far
    /// steeper than all else, so this is left to the polish.
    pub rest: f64,
    /// Of that: places on the way to goals.
    pub guide: f64,
    /// L_Task along the way: accelerations and comfort.
    pub effort: f64,
    /// L_Task along the way: torques and forces.
    pub torque: f64,
    /// L_Hint.
    pub hint: f64,
}

impl Mix {
    /// Nothing counts.
    pub const OFF: Self = Self {
        contact: 0.0,
        physics: 0.0,
        bounds: 0.0,
        penetration: 0.0,
        task: 0.0,
        rest: 0.0,
        guide: 0.0,
        effort: 0.0,
        torque: 0.0,
        hint: 0.0,
    };

    /// Everything but the hint and the rest counts in full: stage 3.
    pub const FULL: Self = Self {
        contact: 1.0,
        physics: 1.0,
        bounds: 1.0,
        penetration: 1.0,
        task: 1.0,
        rest: 0.0,
        guide: 0.0,
        effort: 1.0,
        torque: 1.0,
        hint: 0.0,
    };
}

/// What the terms of Mordatch (1) come to.
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
    /// All of (1).
    pub fn total(&self) -> f64 {
        self.contact + self.physics + self.task + self.hint
    }
}

/// All costs of one moment along the way: what Mordatch (1) sums up over time.
pub fn along_the_way(
    program: &Program,
    mix: &Mix,
    moment: &Moment,
    state: &State,
    memory: &mut PhysicsMemory,
    sink: &mut impl Sink,
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
