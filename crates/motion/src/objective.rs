//! The sum (1) of all costs over all moments: its value, its gradient for L-BFGS, and
//! its normal equations for Levenberg-Marquardt.
//!
//! All three come from one loop over the moments (`Evaluator::accumulate`); they
//! differ only in what they do with the residuals of a moment (`Accumulator`).

use crate::costs::physics::PhysicsMemory;
use crate::costs::{TermWeights, Terms, evaluate_running_costs, task};
use crate::program::Program;
use crate::variables::{
    CostSum, GradientSink, Layout, Moment, MomentGradient, MotionState, NormalEquations,
    ResidualSink, RowBuffer,
};
use conatus_math::banded::BlockTridiagonal;
use conatus_math::lbfgs;
use conatus_math::minimise::Limits;
use cpu_time::ThreadTime;
use serde::Serialize;
use std::ops::ControlFlow;

/// How many moments are evaluated between two calls of the interrupt.
const MOMENTS_PER_POLL: usize = 16;

/// Called during an evaluation; if it breaks, the evaluation ends early.
pub type Interrupt<'a> = dyn Fn() -> ControlFlow<()> + 'a;

/// Evaluates L(s).
pub struct Evaluator<'a> {
    program: &'a Program,
    moments: Vec<Moment>,
    /// λ of each moment, from which its next solution starts.
    lambdas: Vec<Vec<f64>>,
    /// One for all moments, so that it stays in the processor's cache.
    memory: PhysicsMemory,
    state: MotionState,
    descent: GradientSink,
    local: MomentGradient,
    scratch: RowBuffer,
    interrupt: Option<&'a Interrupt<'a>>,
    interrupted: bool,
}

/// The costs of one moment, as a function of where their residuals go.
struct MomentCosts<'a> {
    program: &'a Program,
    mix: &'a TermWeights,
    moment: &'a Moment,
    state: &'a MotionState,
    kind: CostKind<'a>,
}

enum CostKind<'a> {
    /// The costs that are integrated over time.
    Running(&'a mut PhysicsMemory),
    /// One goal, at its moment.
    Goal(&'a task::TaskTerm),
}

impl MomentCosts<'_> {
    fn evaluate(&mut self, sink: &mut impl ResidualSink) {
        let (program, mix, state) = (self.program, self.mix, self.state);
        match &mut self.kind {
            CostKind::Running(memory) => {
                evaluate_running_costs(program, mix, self.moment, state, memory, sink);
            }
            CostKind::Goal(term) => task::evaluate(program, mix, term, state, sink),
        }
    }
}

/// Adds up the costs of all moments.
trait Accumulator {
    fn add(&mut self, costs: &mut MomentCosts);
}

impl Accumulator for CostSum {
    fn add(&mut self, costs: &mut MomentCosts) {
        costs.evaluate(self);
    }
}

/// The value and the gradient.
struct GradientSum<'a> {
    layout: &'a Layout,
    descent: &'a mut GradientSink,
    gradient: &'a mut [f64],
}

impl Accumulator for GradientSum<'_> {
    fn add(&mut self, costs: &mut MomentCosts) {
        costs.evaluate(self.descent);
        (self.descent).flush(self.layout, costs.moment, costs.state, self.gradient);
    }
}

/// Half of the value, Jᵀρ and JᵀJ.
struct NormalSum<'a> {
    layout: &'a Layout,
    cost: f64,
    gradient: &'a mut [f64],
    matrix: &'a mut BlockTridiagonal,
    local: &'a mut MomentGradient,
    scratch: &'a mut RowBuffer,
}

impl Accumulator for NormalSum<'_> {
    fn add(&mut self, costs: &mut MomentCosts) {
        let sums = (&mut *self.gradient, &mut *self.matrix);
        let buffers = (&mut *self.local, &mut *self.scratch);
        let mut rows = NormalEquations::new(self.layout, costs.moment, costs.state, sums, buffers);
        costs.evaluate(&mut rows);
        self.cost += rows.cost;
    }
}

impl<'a> Evaluator<'a> {
    /// With this many moments in each segment.
    pub fn new(program: &'a Program, samples: usize) -> Self {
        let layout = &program.layout;
        let moments = layout.moments(samples);
        Self {
            program,
            lambdas: vec![Vec::new(); moments.len()],
            memory: PhysicsMemory::default(),
            moments,
            state: MotionState::default(),
            descent: GradientSink::new(layout),
            local: MomentGradient::new(layout.frames, layout.contacts),
            scratch: RowBuffer::default(),
            interrupt: None,
            interrupted: false,
        }
    }

    /// Ends evaluations early when `interrupt` breaks. What an interrupted evaluation
    /// returns is incomplete: see [`was_interrupted`](Self::was_interrupted).
    pub fn interrupted_by(mut self, interrupt: &'a Interrupt<'a>) -> Self {
        self.interrupt = Some(interrupt);
        self
    }

    /// Whether the last evaluation ended early.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// The value at x, and the gradient.
    pub fn gradient(&mut self, mix: &TermWeights, x: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let layout = &self.program.layout;
        let mut descent = std::mem::take(&mut self.descent);
        descent.cost = 0.0;
        let mut sum = GradientSum {
            layout,
            descent: &mut descent,
            gradient,
        };
        self.accumulate(mix, x, &mut sum);
        self.descent = descent;
        self.descent.cost
    }

    /// The value at x.
    pub fn value(&mut self, mix: &TermWeights, x: &[f64]) -> f64 {
        let mut value = CostSum::default();
        self.accumulate(mix, x, &mut value);
        value.0
    }

    /// Half the value at x, Jᵀρ and JᵀJ.
    pub fn linearise(
        &mut self,
        mix: &TermWeights,
        x: &[f64],
        gradient: &mut [f64],
        matrix: &mut BlockTridiagonal,
    ) -> f64 {
        gradient.fill(0.0);
        let layout = &self.program.layout;
        let mut local = std::mem::take(&mut self.local);
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut sum = NormalSum {
            layout,
            cost: 0.0,
            gradient,
            matrix,
            local: &mut local,
            scratch: &mut scratch,
        };
        self.accumulate(mix, x, &mut sum);
        let cost = sum.cost;
        scratch.flush(matrix);
        (self.local, self.scratch) = (local, scratch);
        cost
    }

    /// The loop over all moments and goals. Each problem (6) starts from the solution
    /// that it had in the last evaluation.
    fn accumulate(&mut self, mix: &TermWeights, x: &[f64], sum: &mut impl Accumulator) {
        let program = self.program;
        self.interrupted = false;
        for (i, (moment, lambda)) in self.moments.iter().zip(&mut self.lambdas).enumerate() {
            if i % MOMENTS_PER_POLL == 0 && self.interrupt.is_some_and(|stop| stop().is_break()) {
                self.interrupted = true;
                return;
            }
            self.memory.swap_start(lambda);
            program.update_state(x, moment, &mut self.state);
            sum.add(&mut MomentCosts {
                program,
                mix,
                moment,
                state: &self.state,
                kind: CostKind::Running(&mut self.memory),
            });
            self.memory.swap_start(lambda);
        }
        for term in program
            .task_terms
            .iter()
            .filter(|a| a.weight_in_stage(mix) > 0.0)
        {
            program.update_state(x, &term.moment, &mut self.state);
            sum.add(&mut MomentCosts {
                program,
                mix,
                moment: &term.moment,
                state: &self.state,
                kind: CostKind::Goal(term),
            });
        }
    }

    /// The value at x, term by term.
    pub fn terms(&mut self, x: &[f64]) -> Terms {
        let off = TermWeights::NONE;
        let mut only = |mix: TermWeights| self.value(&mix, x);
        let contact = only(TermWeights {
            contact: 1.0,
            ..off
        });
        let physics = only(TermWeights {
            physics: 1.0,
            bounds: 1.0,
            penetration: 1.0,
            ..off
        });
        let task = only(TermWeights { task: 1.0, ..off });
        let all = only(TermWeights::ALL);
        let hint = only(TermWeights { hint: 1.0, ..off });
        Terms {
            contact,
            physics,
            task: task + (all - contact - physics - task).max(0.0),
            hint,
        }
    }
}

/// Processor seconds, term by term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CostTimes {
    /// States from knots, and gradients back to knots.
    pub frames: f64,
    /// L_CI.
    pub contact: f64,
    /// Forces.
    pub physics: f64,
    /// Torques.
    pub torque: f64,
    /// Limits of limbs and joints.
    pub limb: f64,
    /// Penetration.
    pub penetration: f64,
    /// Accelerations and comfort.
    pub acceleration: f64,
    /// Goals.
    pub task: f64,
    /// All at once.
    pub all: f64,
    /// L-BFGS itself, without the objective.
    pub solver: f64,
}

/// Measures `count` gradients around x, and as many iterations of L-BFGS. Each term is
/// measured alone. Unknowns differ a little from one gradient to the next, as they do
/// in a search; otherwise every problem (6) would start from its solution.
pub fn measure_cost_times(program: &Program, samples: usize, x: &[f64], count: usize) -> CostTimes {
    let mut evaluator = Evaluator::new(program, samples);
    let (mut gradient, mut moved) = (vec![0.0; x.len()], x.to_vec());
    let mut measure = |mix: TermWeights| {
        let start = ThreadTime::try_now().ok();
        for k in 0..count {
            for (i, (moved, x)) in moved.iter_mut().zip(x).enumerate() {
                *moved = x + 1e-3 * ((i * 7 + k * 3) % 11) as f64 / 11.0;
            }
            evaluator.gradient(&mix, &moved, &mut gradient);
        }
        start.map_or(0.0, |start| start.elapsed().as_secs_f64())
    };
    let off = TermWeights::NONE;
    let frames = measure(off);
    let mut alone = |mix: TermWeights| (measure(mix) - frames).max(0.0);
    let contact = alone(TermWeights {
        contact: 1.0,
        ..off
    });
    let physics = alone(TermWeights {
        physics: 1.0,
        ..off
    });
    let torque = alone(TermWeights {
        physics: 1.0,
        torque: 1.0,
        ..off
    });
    let limb = alone(TermWeights { bounds: 1.0, ..off });
    let penetration = alone(TermWeights {
        penetration: 1.0,
        ..off
    });
    let acceleration = alone(TermWeights { effort: 1.0, ..off });
    let task = alone(TermWeights { task: 1.0, ..off });
    CostTimes {
        frames,
        contact,
        physics,
        torque: (torque - physics).max(0.0),
        limb,
        penetration,
        acceleration,
        task,
        all: measure(TermWeights::ALL),
        solver: measure_solver(x.len(), count),
    }
}

/// L-BFGS with an objective that costs almost nothing.
fn measure_solver(unknowns: usize, iterations: usize) -> f64 {
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
