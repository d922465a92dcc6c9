//! The sum (1) of all costs over all moments, as L-BFGS and
//! Levenberg-Marquardt want it.

use crate::costs::physics::PhysicsMemory;
use crate::costs::{Mix, Terms, along_the_way, task};
use crate::program::Program;
use crate::variables::{Descent, Local, Moment, Rows, Scratch, State, Value};
use conatus_math::banded::BlockTridiagonal;

/// Evaluates L(s).
pub struct Evaluator<'a> {
    program: &'a Program,
    moments: Vec<Moment>,
    memories: Vec<PhysicsMemory>,
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
            memories: vec![PhysicsMemory::default(); moments.len()],
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
        for (moment, memory) in self.moments.iter().zip(&mut self.memories) {
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            along_the_way(program, mix, moment, &self.state, memory, &mut self.descent);
            self.descent.settle(layout, moment, &self.state, gradient);
        }
        for aim in &program.aims {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            task::deliver(program, mix.task, aim, &self.state, &mut self.descent);
            self.descent
                .settle(layout, &aim.moment, &self.state, gradient);
        }
        self.descent.cost
    }

    /// The value at x.
    pub fn value(&mut self, mix: &Mix, x: &[f64]) -> f64 {
        let (program, layout) = (self.program, &self.program.layout);
        let mut value = Value::default();
        for (moment, memory) in self.moments.iter().zip(&mut self.memories) {
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            along_the_way(program, mix, moment, &self.state, memory, &mut value);
        }
        for aim in &program.aims {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            task::deliver(program, mix.task, aim, &self.state, &mut value);
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
        for (moment, memory) in self.moments.iter().zip(&mut self.memories) {
            self.state.update(layout, x, moment);
            self.state.update_limbs(&program.characters, false);
            let sums = (&mut *gradient, &mut *matrix);
            let room = (&mut self.local, &mut self.scratch);
            let mut rows = Rows::new(layout, moment, &self.state, sums, room);
            along_the_way(program, mix, moment, &self.state, memory, &mut rows);
            cost += rows.cost;
        }
        for aim in &program.aims {
            self.state.update(layout, x, &aim.moment);
            self.state.update_limbs(&program.characters, false);
            let sums = (&mut *gradient, &mut *matrix);
            let room = (&mut self.local, &mut self.scratch);
            let mut rows = Rows::new(layout, &aim.moment, &self.state, sums, room);
            task::deliver(program, mix.task, aim, &self.state, &mut rows);
            cost += rows.cost;
        }
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
