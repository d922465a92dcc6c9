//! Line search: finds a step that satisfies the weak Wolfe conditions.
//!
//! A step t along d from f₀ with slope s₀ = ∇f·d < 0 is accepted when
//! ```text
//! f(t) ≤ f₀ + c₁ t s₀        sufficient decrease, and
//! s(t) ≥ c₂ s₀               the curvature condition.
//! ```
//! Steps that violate the first are too long, those that violate the second too
//! short, so an acceptable step is bracketed and the bracket shrinks (Lewis and
//! Overton 2013), which also terminates at kinks. Where the function is smooth,
//! a cubic through the ends of the bracket finds the step in one or two trials.

use crate::vector::{add_scaled, dot};
use std::ops::ControlFlow;

/// Unknowns, with the value and the gradient.
#[derive(Clone, Debug, Default)]
pub(crate) struct Point {
    pub x: Vec<f64>,
    pub gradient: Vec<f64>,
    pub value: f64,
}

/// The Wolfe conditions and the limit of evaluations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wolfe {
    /// c₁.
    pub decrease: f64,
    /// c₂.
    pub curvature: f64,
    /// Maximum number of evaluations.
    pub trials: usize,
}

/// A step, with value and slope there.
#[derive(Clone, Copy, Debug)]
struct Place {
    step: f64,
    value: f64,
    slope: f64,
}

/// Searches from `start` along `direction`, a descent direction with this
/// `slope`, beginning with the step `first`. Returns the step and leaves its
/// point in `trial`; `spare` is a buffer. `None` if no step with a smaller
/// value was found. Breaks where `evaluate` does.
///
/// If `trials` are used up, a step with sufficient decrease is accepted even if
/// it violates the curvature condition.
pub(crate) fn search(
    wolfe: &Wolfe,
    start: &Point,
    (direction, slope): (&[f64], f64),
    first: f64,
    (trial, spare): (&mut Point, &mut Point),
    mut evaluate: impl FnMut(&mut Point) -> ControlFlow<()>,
) -> ControlFlow<(), Option<f64>> {
    let origin = Place {
        step: 0.0,
        value: start.value,
        slope,
    };
    let (mut before, mut short, mut long) = (origin, origin, None);
    let mut width = f64::INFINITY;
    let mut step = first;
    for _ in 0..wolfe.trials {
        trial.x.clone_from(&start.x);
        add_scaled(&mut trial.x, step, direction);
        if trial.x == start.x {
            break;
        }
        evaluate(trial)?;
        let here = Place {
            step,
            value: trial.value,
            slope: dot(&trial.gradient, direction),
        };
        // The slope is not finite if the gradient is not. By rounding, the goal
        // may equal the value at the start.
        let finite = here.value.is_finite() && here.slope.is_finite();
        let goal = start.value + wolfe.decrease * step * slope;
        if !(finite && here.value <= goal && here.value < start.value) {
            long = Some(here);
        } else if here.slope < wolfe.curvature * slope {
            (before, short) = (short, here);
            std::mem::swap(trial, spare);
        } else {
            return ControlFlow::Continue(Some(step));
        }
        let Some(long) = long else {
            step = longer(before, short);
            continue;
        };
        // Cubic steps can converge to one end of the bracket; then bisect.
        let old_width = std::mem::replace(&mut width, long.step - short.step);
        step = match width > 0.6 * old_width {
            true => short.step + 0.5 * width,
            false => between(short, long),
        };
    }
    if short.step > 0.0 {
        std::mem::swap(trial, spare);
        return ControlFlow::Continue(Some(short.step));
    }
    ControlFlow::Continue(None)
}

/// A step longer than `short`: extrapolates the last two slopes to zero.
fn longer(before: Place, short: Place) -> f64 {
    let rise = (short.slope - before.slope) / (short.step - before.step);
    let level = short.step - short.slope / rise;
    if rise > 0.0 {
        level.clamp(2.0 * short.step, 10.0 * short.step)
    } else {
        4.0 * short.step
    }
}

/// A step between the two: the minimum of the cubic with their values and
/// slopes, with a minimum distance from the ends.
fn between(short: Place, long: Place) -> f64 {
    let width = long.step - short.step;
    if !(long.value.is_finite() && long.slope.is_finite()) {
        return short.step + 0.25 * width;
    }
    let a = short.slope + long.slope - 3.0 * (long.value - short.value) / width;
    let b = (a * a - short.slope * long.slope).sqrt();
    let share = 1.0 - (long.slope + b - a) / (long.slope - short.slope + 2.0 * b);
    let share = if share.is_finite() { share } else { 0.5 };
    short.step + share.clamp(0.1, 0.9) * width
}
