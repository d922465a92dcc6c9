//! Levenberg-Marquardt and the preconditioner of L-BFGS, applied to a program.

use super::monitor::Monitor;
use crate::costs::TermWeights;
use crate::objective::Evaluator;
use crate::program::Program;
use conatus_math::banded::{BlockTridiagonal, Cholesky};
use conatus_math::levenberg_marquardt;
use conatus_math::minimise::{Iteration, Limits, Outcome};

/// Minimises by the method of Levenberg and Marquardt.
pub(super) fn least_squares(
    program: &Program,
    samples: usize,
    mix: &TermWeights,
    limits: Limits,
    x: &mut [f64],
    monitor: &Monitor,
) -> Outcome {
    let interrupt = || monitor.poll();
    // Two evaluators with separate warm starts: a rejected trial must not change the
    // next linearisation.
    let mut evaluator = Evaluator::new(program, samples).interrupted_by(&interrupt);
    let mut trial = Evaluator::new(program, samples).interrupted_by(&interrupt);
    let mut matrix = BlockTridiagonal::new(&program.layout.sizes());
    let settings = levenberg_marquardt::Settings {
        limits,
        ..levenberg_marquardt::Settings::default()
    };
    levenberg_marquardt::minimise(
        x,
        &mut matrix,
        &settings,
        |x, g, m| {
            let cost = evaluator.linearise(mix, x, g, m);
            (!evaluator.was_interrupted()).then_some(cost)
        },
        |x| {
            let cost = 0.5 * trial.value(mix, x);
            (!trial.was_interrupted()).then_some(cost)
        },
        |i: &Iteration| monitor.iteration(i),
    )
}

/// The Hessian of accelerations plus the identity, factorised.
pub(super) struct Preconditioner(Cholesky);

impl Preconditioner {
    pub fn new(program: &Program, evaluator: &mut Evaluator, x: &[f64]) -> Self {
        let mut matrix = BlockTridiagonal::new(&program.layout.sizes());
        let smooth = TermWeights {
            effort: 1.0,
            ..TermWeights::NONE
        };
        evaluator.linearise(&smooth, x, &mut vec![0.0; x.len()], &mut matrix);
        let mut cholesky = Cholesky::new(&matrix);
        let halves = vec![0.5; x.len()];
        // Positive definite: a sum of squares and a multiple of the identity.
        let _ = cholesky.factorise(&matrix, &halves);
        Self(cholesky)
    }

    /// Multiplies by the inverse Hessian. The matrix is half of the Hessian.
    pub fn apply(&self, v: &mut [f64]) {
        self.0.solve(v);
        v.iter_mut().for_each(|v| *v *= 0.5);
    }
}
