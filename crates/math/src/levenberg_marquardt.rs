//! Minimises a sum of squares ½ Σ ρᵢ² whose residuals couple only neighbouring
//! blocks of unknowns: the method of Levenberg and Marquardt.
//!
//! At x, with g = Jᵀρ and A = JᵀJ, a step h solves (A + μ D) h = −g. D is the
//! diagonal of A (Marquardt), so that units do not matter, with a floor, so that
//! unknowns no residual depends on stay where they are. The damping μ follows
//! what the step gained in comparison with what the quadratic model promised,
//! ½ h·(μ D h − g) (Nielsen 1999). Near a minimum with small residuals
//! convergence is quadratic; far from any it is a method for polishing, not for
//! finding.

use crate::banded::{BlockTridiagonal, Cholesky};
use crate::minimise::{Iteration, Limits, Outcome, Reason, Watch};
use crate::vector::norm;
use std::ops::ControlFlow;

/// How to minimise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// When to stop.
    pub limits: Limits,
    /// μ to begin with, in shares of the diagonal.
    pub damping: f64,
    /// Entries of D are at least this share of the largest.
    pub floor: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits {
                iterations: 100,
                window: 3,
                ..Limits::default()
            },
            damping: 1e-3,
            floor: 1e-8,
        }
    }
}

/// μ stays between these: below, it is lost in rounding; above, steps are.
const DAMPING: std::ops::RangeInclusive<f64> = 1e-14..=1e14;

/// The most that one good step relaxes μ. Nielsen's 1/3 takes one iteration
/// more for the last digits of a chain of residuals that vanish.
const RELAX: f64 = 0.1;

/// Minimises from `x` on; `x` becomes the best point that was found.
///
/// `linearise` fills in g = Jᵀρ and adds JᵀJ to a matrix that is zero, and
/// returns the cost ½ Σ ρᵢ²; `cost` returns the cost alone. Either ends the
/// minimisation at once by returning `None`. `matrix` gives the sizes of the blocks and
/// the memory. Where the cost is not finite, steps are
/// made shorter. An iteration is a linearisation with the step that follows;
/// `on_iteration` hears of each and may end it.
pub fn minimise<L: Into<Option<f64>>, C: Into<Option<f64>>>(
    x: &mut [f64],
    matrix: &mut BlockTridiagonal,
    settings: &Settings,
    mut linearise: impl FnMut(&[f64], &mut [f64], &mut BlockTridiagonal) -> L,
    mut cost: impl FnMut(&[f64]) -> C,
    mut on_iteration: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Outcome {
    assert_eq!(x.len(), matrix.len(), "one row for each unknown");
    let n = x.len();
    let mut cholesky = Cholesky::new(matrix);
    let mut watch = Watch::new(settings.limits);
    let (mut gradient, mut diagonal, mut damping) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let (mut step, mut trial) = (vec![0.0; n], vec![0.0; n]);
    // Also where the settings hold no number: `max` passes over NaN.
    let (mut mu, mut growth) = (settings.damping.max(*DAMPING.start()), 2.0);

    let mut relinearise = |x: &[f64], gradient: &mut [f64], matrix: &mut BlockTridiagonal| {
        matrix.clear();
        linearise(x, gradient, matrix).into()
    };
    let first: Option<f64> = relinearise(x, &mut gradient, matrix);
    let mut outcome = Outcome {
        value: first.unwrap_or(f64::INFINITY),
        gradient_norm: norm(&gradient),
        iterations: 0,
        evaluations: 1,
        reason: match first {
            Some(_) => Reason::NotFinite,
            None => Reason::Stopped,
        },
    };
    if !(outcome.value.is_finite() && outcome.gradient_norm.is_finite()) {
        return outcome;
    }
    outcome.reason = loop {
        let (value, gradient_norm) = (outcome.value, outcome.gradient_norm);
        if let Some(reason) = watch.enough(outcome.iterations, value, gradient_norm) {
            break reason;
        }
        let largest = (0..n).fold(0.0f64, |m, i| m.max(matrix.get(i, i)));
        for (i, d) in diagonal.iter_mut().enumerate() {
            *d = matrix.get(i, i).max(settings.floor * largest);
        }
        let mut promised = None;
        let accepted = loop {
            for (damping, d) in damping.iter_mut().zip(&diagonal) {
                *damping = mu * d;
            }
            if cholesky.factorise(matrix, &damping).is_ok() {
                step.iter_mut().zip(&gradient).for_each(|(h, g)| *h = -g);
                cholesky.solve(&mut step);
                let promise = promise(&step, &damping, &gradient);
                // As little as rounding makes of the cost.
                if *promised.get_or_insert(promise) <= f64::EPSILON * value {
                    break Err(Reason::Decrease);
                }
                let sums = x.iter().zip(&step).map(|(x, h)| x + h);
                trial.iter_mut().zip(sums).for_each(|(t, sum)| *t = sum);
                outcome.evaluations += 1;
                let trial_cost: Option<f64> = cost(&trial).into();
                let Some(trial_cost) = trial_cost else {
                    break Err(Reason::Stopped);
                };
                let gain = (value - trial_cost) / promise;
                if gain > 1e-4 && gain.is_finite() {
                    break Ok((gain, trial_cost));
                }
            }
            mu *= growth;
            growth *= 2.0;
            if mu > *DAMPING.end() {
                break Err(Reason::Stuck);
            }
        };
        let (gain, trial_cost) = match accepted {
            Ok(accepted) => accepted,
            Err(reason) => break reason,
        };
        let surprise = 2.0 * gain - 1.0;
        mu *= (1.0 - surprise * surprise * surprise).max(RELAX);
        (mu, growth) = (mu.max(*DAMPING.start()), 2.0);

        x.copy_from_slice(&trial);
        outcome.iterations += 1;
        outcome.evaluations += 1;
        let Some(value) = relinearise(x, &mut gradient, matrix) else {
            outcome.value = trial_cost;
            break Reason::Stopped;
        };
        outcome.value = value;
        outcome.gradient_norm = norm(&gradient);
        let told = on_iteration(&Iteration {
            number: outcome.iterations,
            evaluations: outcome.evaluations,
            value: outcome.value,
            gradient_norm: outcome.gradient_norm,
            step: norm(&step),
            x,
        });
        if !outcome.gradient_norm.is_finite() {
            break Reason::NotFinite;
        }
        if told.is_break() {
            break Reason::Stopped;
        }
    };
    outcome
}

/// What the quadratic model promises of the step h: ½ h·(μ D h − g).
fn promise(step: &[f64], damping: &[f64], gradient: &[f64]) -> f64 {
    let terms = step.iter().zip(damping).zip(gradient);
    0.5 * terms.fold(0.0, |sum, ((h, d), g)| sum + h * (d * h - g))
}
