//! The sum (1) of all costs over all moments, as L-BFGS and
//! Levenberg-Marquardt want it.

use crate::costs::physics::PhysicsMemory;
use crate::costs::{Mix, Terms, along_the_way, task};
use crate::program::Program;
use crate::variables::{Descent, Local, Moment, Rows, Scratch, State, Value};
use conatus_math::banded::BlockTridiagonal;
use conatus_math::lbfgs;
use conatus_math::minimise::Limits;
use cpu_time::ThreadTime;
use serde::Serialize;
use std::ops::ControlFlow;

/// Evaluates L(s).
pub struct Evaluator<'a> {
    program: &'a Program,
    moments: Vec<Moment>,
    /// λ of each moment, from which its next solution starts.
    lambdas: Vec<Vec<f64>>,
    /// One for all moments, because a cache holds one.
    memory: PhysicsMemory,
    state: State,
    descent: Descent,
    local: Local,
    scratch: Scratch,
}

impl<'a> Evaluator<'a> {
    /// With so many moments in each segment.
    pub fn new(program: &'a Program, samples: usize) -> Self {
        let layout = &program.layout;
        let moments = layout.moments(samples);
        Self {
            program,
            lambdas: vec![Vec::new(); moments.len()],
            memory: PhysicsMemory::default(),
            moments,
            state: State::default(),
            descent: Descent::new(layout),
            local: Local::new(layout.frames, layout.contacts),
            scratch: Scratch::default(),
        }
    }

    /// The value at x, and the gradient.
    pub fn gradient(&mut self, mix: &Mix, x: &[f64], gradient: &mut [f64]) -> f64 {
        let (program, layout) = (self.program, &self.program.layout);
        gradient.fill(0.0);
        self.descent.cost = 0.0;
        for (moment, lambda) in self.moments.iter().zip(&mut self.lambdas) {
            let memory = &mut self.memory;
            memory.swap_start(lambda);
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            along_the_way(program, mix, moment, &self.state, memory, &mut self.descent);
            memory.swap_start(lambda);
            self.descent.settle(layout, moment, &self.state, gradient);
        }
        for aim in program
            .task_terms
            .iter()
            .filter(|a| a.weight_in_stage(mix) > 0.0)
        {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            task::evaluate(program, mix, aim, &self.state, &mut self.descent);
            self.descent
                .settle(layout, &aim.moment, &self.state, gradient);
        }
        self.descent.cost
    }

    /// The value at x.
    pub fn value(&mut self, mix: &Mix, x: &[f64]) -> f64 {
        let (program, layout) = (self.program, &self.program.layout);
        let mut value = Value::default();
        for (moment, lambda) in self.moments.iter().zip(&mut self.lambdas) {
            let memory = &mut self.memory;
            memory.swap_start(lambda);
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            along_the_way(program, mix, moment, &self.state, memory, &mut value);
            memory.swap_start(lambda);
        }
        for aim in program
            .task_terms
            .iter()
            .filter(|a| a.weight_in_stage(mix) > 0.0)
        {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            task::evaluate(program, mix, aim, &self.state, &mut value);
        }
        value.0
    }

    /// Half the value at x, Jᵀρ and JᵀJ.
    pub fn linearise(
        &mut self,
        mix: &Mix,
        x: &[f64],
        gradient: &mut [f64],
        matrix: &mut BlockTridiagonal,
    ) -> f64 {
        let (program, layout) = (self.program, &self.program.layout);
        gradient.fill(0.0);
        let mut cost = 0.0;
        for (moment, lambda) in self.moments.iter().zip(&mut self.lambdas) {
            let memory = &mut self.memory;
            memory.swap_start(lambda);
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            let sums = (&mut *gradient, &mut *matrix);
            let room = (&mut self.local, &mut self.scratch);
            let mut rows = Rows::new(layout, moment, &self.state, sums, room);
            along_the_way(program, mix, moment, &self.state, memory, &mut rows);
            memory.swap_start(lambda);
            cost += rows.cost;
        }
        for aim in program
            .task_terms
            .iter()
            .filter(|a| a.weight_in_stage(mix) > 0.0)
        {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            let sums = (&mut *gradient, &mut *matrix);
            let room = (&mut self.local, &mut self.scratch);
            let mut rows = Rows::new(layout, &aim.moment, &self.state, sums, room);
            task::evaluate(program, mix, aim, &self.state, &mut rows);
            cost += rows.cost;
        }
        self.scratch.settle(matrix);
        cost
    }

    /// The value at x, term by term.
    pub fn terms(&mut self, x: &[f64]) -> Terms {
        let off = Mix::OFF;
        let mut only = |mix: Mix| self.value(&mix, x);
        let contact = only(Mix {
            contact: 1.0,
            ..off
        });
        let physics = only(Mix {
            physics: 1.0,
            bounds: 1.0,
            penetration: 1.0,
            ..off
        });
        let task = only(Mix { task: 1.0, ..off });
        let all = only(Mix::FULL);
        let hint = only(Mix { hint: 1.0, ..off });
        Terms {
            contact,
            physics,
            task: task + (all - contact - physics - task).max(0.0),
            hint,
        }
    }
}

/// Seconds of processor time, term by term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Seconds {
    /// Where everything is, and what pulls at it, from knots and back.
    pub frames: f64,
    /// L_CI.
    pub contact: f64,
    /// Forces.
    pub physics: f64,
    /// Torques.
    pub torque: f64,
    /// Limits of limbs and joints.
    pub limb: f64,
    /// What enters something.
    pub penetration: f64,
    /// Accelerations and comfort.
    pub acceleration: f64,
    /// Goals.
    pub task: f64,
    /// All at once.
    pub all: f64,
    /// What L-BFGS does by itself.
    pub solver: f64,
}

/// What `count` gradients around x, and as many iterations of L-BFGS, cost. Each
/// term is measured alone; places differ a little from one gradient to the next,
/// as they do in a search, or forces would be known already.
pub fn seconds(program: &Program, samples: usize, x: &[f64], count: usize) -> Seconds {
    let mut evaluator = Evaluator::new(program, samples);
    let (mut gradient, mut moved) = (vec![0.0; x.len()], x.to_vec());
    let mut measure = |mix: Mix| {
        let start = ThreadTime::try_now().ok();
        for k in 0..count {
            for (i, (moved, x)) in moved.iter_mut().zip(x).enumerate() {
                *moved = x + 1e-3 * ((i * 7 + k * 3) % 11) as f64 / 11.0;
            }
            evaluator.gradient(&mix, &moved, &mut gradient);
        }
        start.map_or(0.0, |start| start.elapsed().as_secs_f64())
    };
    let off = Mix::OFF;
    let frames = measure(off);
    let mut alone = |mix: Mix| (measure(mix) - frames).max(0.0);
    let contact = alone(Mix {
        contact: 1.0,
        ..off
    });
    let physics = alone(Mix {
        physics: 1.0,
        ..off
    });
    let torque = alone(Mix {
        physics: 1.0,
        torque: 1.0,
        ..off
    });
    let limb = alone(Mix { bounds: 1.0, ..off });
    let penetration = alone(Mix {
        penetration: 1.0,
        ..off
    });
    let acceleration = alone(Mix { effort: 1.0, ..off });
    let task = alone(Mix { task: 1.0, ..off });
    Seconds {
        frames,
        contact,
        physics,
        torque: (torque - physics).max(0.0),
        limb,
        penetration,
        acceleration,
        task,
        all: measure(Mix::FULL),
        solver: solver_seconds(x.len(), count),
    }
}

/// L-BFGS with a function that costs next to nothing.
fn solver_seconds(unknowns: usize, iterations: usize) -> f64 {
    let settings = lbfgs::Settings {
        limits: Limits {
            iterations,
            gradient: 0.0,
            decrease: 0.0,
            window: iterations.max(1),
        },
        ..lbfgs::Settings::default()
    };
    let mut x: Vec<f64> = (0..unknowns).map(|i| 1.0 + (i % 7) as f64).collect();
    let bowl = |x: &[f64], gradient: &mut [f64]| {
        let mut value = 0.0;
        for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
            let steep = (1 + i % 97) as f64;
            value += steep * x * x * x * x;
            *g = 4.0 * steep * x * x * x;
        }
        value
    };
    let start = ThreadTime::try_now().ok();
    lbfgs::minimise(&mut x, &settings, bowl, |_| ControlFlow::Continue(()));
    start.map_or(0.0, |start| start.elapsed().as_secs_f64())
}
