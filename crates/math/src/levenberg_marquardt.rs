//! Minimises a sum of squares ½ Σ ρᵢ² whose residuals couple only neighbouring
//! blocks of unknowns: the method of Levenberg and Marquardt.
//!
//! At x, with g = Jᵀρ and A = JᵀJ, a step h solves (A + μ D) h = −g. D is the
//! diagonal of A (Marquardt), so that units do not matter, with a lower bound,
//! so that unknowns without residuals keep their value. The damping μ is
//! updated by the ratio of the actual decrease to the decrease predicted by the
//! quadratic model, ½ h·(μ D h − g) (Nielsen 1999). Near a minimum with small
//! residuals convergence is quadratic; the method refines a good start and does
//! not search globally.

use crate::banded::{BlockTridiagonal, Cholesky};
use crate::minimise::{Iteration, Limits, Outcome, Reason, Watch};
use crate::vector::norm;
use std::ops::ControlFlow;

/// Settings of the minimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// When to stop.
    pub limits: Limits,
    /// Initial μ, relative to the diagonal.
    pub damping: f64,
    /// Lower bound of entries of D, relative to the largest.
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

/// The range of μ: below it, μ is lost in rounding; above it, steps are.
const DAMPING_RANGE: std::ops::RangeInclusive<f64> = 1e-14..=1e14;

/// The smallest factor of μ after a good step. Nielsen's 1/3 takes one more
/// iteration for the last digits of a chain of residuals that vanish.
const MIN_DAMPING_FACTOR: f64 = 0.1;

/// Minimises starting at `x`; `x` becomes the best point found.
///
/// `linearise` fills in g = Jᵀρ and adds JᵀJ to a matrix that is zero, and
/// returns the cost ½ Σ ρᵢ²; `cost` returns the cost alone. Either ends the
/// minimisation at once by returning `None`. `matrix` gives the sizes of the
/// blocks and the memory. Where the cost is not finite, steps are shortened. An
/// iteration is a linearisation with the step that follows; `on_iteration` is
/// called after each and may stop it.
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
    // `max` ignores NaN, so this holds for NaN settings too.
    let (mut mu, mut growth) = (settings.damping.max(*DAMPING_RANGE.start()), 2.0);

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
        let mut first_predicted = None;
        let accepted = loop {
            for (damping, d) in damping.iter_mut().zip(&diagonal) {
                *damping = mu * d;
            }
            if cholesky.factorise(matrix, &damping).is_ok() {
                step.iter_mut().zip(&gradient).for_each(|(h, g)| *h = -g);
                cholesky.solve(&mut step);
                let predicted = predicted_decrease(&step, &damping, &gradient);
                // The predicted decrease is below rounding of the cost.
                if *first_predicted.get_or_insert(predicted) <= f64::EPSILON * value {
                    break Err(Reason::Decrease);
                }
                let sums = x.iter().zip(&step).map(|(x, h)| x + h);
                trial.iter_mut().zip(sums).for_each(|(t, sum)| *t = sum);
                outcome.evaluations += 1;
                let trial_cost: Option<f64> = cost(&trial).into();
                let Some(trial_cost) = trial_cost else {
                    break Err(Reason::Stopped);
                };
                let gain = (value - trial_cost) / predicted;
                if gain > 1e-4 && gain.is_finite() {
                    break Ok((gain, trial_cost));
                }
            }
            mu *= growth;
            growth *= 2.0;
            if mu > *DAMPING_RANGE.end() {
                break Err(Reason::NoProgress);
            }
        };
        let (gain, trial_cost) = match accepted {
            Ok(accepted) => accepted,
            Err(reason) => break reason,
        };
        let surprise = 2.0 * gain - 1.0;
        mu *= (1.0 - surprise * surprise * surprise).max(MIN_DAMPING_FACTOR);
        (mu, growth) = (mu.max(*DAMPING_RANGE.start()), 2.0);

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

/// The decrease of the quadratic model for the step h: ½ h·(μ D h − g).
fn predicted_decrease(step: &[f64], damping: &[f64], gradient: &[f64]) -> f64 {
    let terms = step.iter().zip(damping).zip(gradient);
    0.5 * terms.fold(0.0, |sum, ((h, d), g)| sum + h * (d * h - g))
}
