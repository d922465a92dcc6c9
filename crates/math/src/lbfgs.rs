//! Minimises a smooth function of many unknowns from values and gradients:
//! the limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Liu
//! and Nocedal 1989).
//!
//! The last steps sᵢ and changes of the gradient yᵢ approximate the inverse
//! Hessian, which turns the gradient into a direction by the two-loop
//! recursion. Constraints and global minima are not supported.

use crate::line_search::{Point, Wolfe, search};
use crate::minimise::{Iteration, Limits, Outcome, Reason, Watch};
use crate::vector::{add_scaled, dot, norm};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Settings of the minimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// When to stop.
    pub limits: Limits,
    /// Number of stored steps.
    pub memory: usize,
    /// The value has to fall by this fraction of the slope's prediction (c₁ of
    /// the weak Wolfe conditions).
    pub decrease: f64,
    /// The slope has to fall to this fraction (c₂).
    pub curvature: f64,
    /// Maximum number of evaluations in a line search.
    pub trials: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            memory: 20,
            decrease: 1e-4,
            curvature: 0.9,
            trials: 30,
        }
    }
}

/// Minimises `objective`, which returns the value at the unknowns in its first
/// argument and fills in the gradient, starting at `x`; `x` becomes the best
/// point evaluated. Where the objective is not finite, steps are shortened. An
/// objective that returns `None` ends the minimisation at once, even within a
/// line search. `on_iteration` is called after each iteration and may stop it.
pub fn minimise<V: Into<Option<f64>>>(
    x: &mut [f64],
    settings: &Settings,
    objective: impl FnMut(&[f64], &mut [f64]) -> V,
    on_iteration: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Outcome {
    run(x, settings, objective, None::<fn(&mut [f64])>, on_iteration)
}

/// The same with an initial approximation of the inverse Hessian instead of a
/// multiple of the identity: `precondition` replaces a vector by its product
/// with it, which has to be positive definite.
pub fn minimise_preconditioned<V: Into<Option<f64>>>(
    x: &mut [f64],
    settings: &Settings,
    objective: impl FnMut(&[f64], &mut [f64]) -> V,
    precondition: impl FnMut(&mut [f64]),
    on_iteration: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Outcome {
    run(x, settings, objective, Some(precondition), on_iteration)
}

fn run<V: Into<Option<f64>>>(
    x: &mut [f64],
    settings: &Settings,
    objective: impl FnMut(&[f64], &mut [f64]) -> V,
    mut precondition: Option<impl FnMut(&mut [f64])>,
    mut on_iteration: impl FnMut(&Iteration) -> ControlFlow<()>,
) -> Outcome {
    let wolfe = Wolfe {
        decrease: settings.decrease,
        curvature: settings.curvature,
        trials: settings.trials,
    };
    let mut here = Point {
        x: x.to_vec(),
        gradient: vec![0.0; x.len()],
        value: 0.0,
    };
    let (mut trial, mut spare) = (here.clone(), here.clone());
    let mut direction = vec![0.0; x.len()];
    let mut history = History::new(settings.memory);
    let mut watch = Watch::new(settings.limits);
    let mut best = Best::new(x, objective);

    if best.evaluate(&mut here).is_break() {
        best.outcome.reason = Reason::Stopped;
        return best.outcome;
    }
    let mut gradient_norm = norm(&here.gradient);
    if !(here.value.is_finite() && gradient_norm.is_finite()) {
        return best.outcome;
    }
    let mut enough = watch.enough(0, here.value, gradient_norm);
    // Whether to use steepest descent.
    let mut plain = false;
    best.outcome.reason = loop {
        if let Some(reason) = enough {
            break reason;
        }
        direction.copy_from_slice(&here.gradient);
        if !plain {
            history.apply(&mut direction, precondition.as_mut());
        }
        direction.iter_mut().for_each(|d| *d = -*d);
        let slope = dot(&direction, &here.gradient);
        let scaled = !history.pairs.is_empty() || precondition.is_some() && !plain;
        let first = if scaled {
            1.0
        } else {
            (1.0 / gradient_norm).min(1.0)
        };
        let (way, memory) = ((&direction[..], slope), (&mut trial, &mut spare));
        let evaluate = |point: &mut Point| best.evaluate(point);
        let found = match slope < 0.0 {
            true => search(&wolfe, &here, way, first, memory, evaluate),
            false => ControlFlow::Continue(None),
        };
        let ControlFlow::Continue(found) = found else {
            break Reason::Stopped;
        };
        let Some(step) = found else {
            // No descent: clear the history, then drop the caller's
            // preconditioner.
            if !history.pairs.is_empty() {
                history.pairs.clear();
            } else if precondition.is_some() && !plain {
                plain = true;
            } else {
                break Reason::NoProgress;
            }
            continue;
        };
        plain = false;
        history.push(&here, &trial);
        std::mem::swap(&mut here, &mut trial);
        gradient_norm = norm(&here.gradient);
        best.outcome.iterations += 1;
        enough = watch.enough(best.outcome.iterations, here.value, gradient_norm);
        let told = on_iteration(&Iteration {
            number: best.outcome.iterations,
            evaluations: best.outcome.evaluations,
            value: here.value,
            gradient_norm,
            step: step * norm(&direction),
            x: &here.x,
        });
        if told.is_break() {
            break Reason::Stopped;
        }
    };
    best.outcome
}

/// The best point of all that were evaluated, including trial points of line
/// searches.
struct Best<'a, F> {
    x: &'a mut [f64],
    objective: F,
    outcome: Outcome,
}

impl<'a, V: Into<Option<f64>>, F: FnMut(&[f64], &mut [f64]) -> V> Best<'a, F> {
    fn new(x: &'a mut [f64], objective: F) -> Self {
        let outcome = Outcome {
            value: f64::INFINITY,
            gradient_norm: f64::INFINITY,
            iterations: 0,
            evaluations: 0,
            reason: Reason::NotFinite,
        };
        Self {
            x,
            objective,
            outcome,
        }
    }

    /// Breaks if the objective returns `None`.
    fn evaluate(&mut self, point: &mut Point) -> ControlFlow<()> {
        let Some(value) = (self.objective)(&point.x, &mut point.gradient).into() else {
            return ControlFlow::Break(());
        };
        point.value = value;
        self.outcome.evaluations += 1;
        let gradient_norm = norm(&point.gradient);
        let finite = point.value.is_finite() && gradient_norm.is_finite();
        if finite && point.value < self.outcome.value {
            self.outcome.value = point.value;
            self.outcome.gradient_norm = gradient_norm;
            self.x.copy_from_slice(&point.x);
        }
        ControlFlow::Continue(())
    }
}

/// The last steps and their changes of the gradient, the oldest first.
struct History {
    memory: usize,
    pairs: VecDeque<Pair>,
}

#[derive(Default)]
struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
    /// 1 / s·y.
    rho: f64,
    /// γ = s·y / y·y, the scale of the inverse Hessian.
    scale: f64,
    alpha: f64,
}

impl History {
    fn new(memory: usize) -> Self {
        Self {
            memory,
            pairs: VecDeque::with_capacity(memory),
        }
    }

    /// Adds a step to the history if the curvature along it is positive.
    fn push(&mut self, from: &Point, to: &Point) {
        if self.memory == 0 {
            return;
        }
        let full = self.pairs.len() == self.memory;
        let oldest = if full { self.pairs.pop_front() } else { None };
        let mut pair = oldest.unwrap_or_default();
        pair.s.clear();
        pair.s.extend(to.x.iter().zip(&from.x).map(|(b, a)| b - a));
        pair.y.clear();
        let gradients = to.gradient.iter().zip(&from.gradient);
        pair.y.extend(gradients.map(|(b, a)| b - a));
        let curvature = dot(&pair.s, &pair.y);
        let yy = dot(&pair.y, &pair.y);
        // The cosine of the angle between s and y.
        if curvature > 1e-10 * norm(&pair.s) * yy.sqrt() {
            pair.rho = 1.0 / curvature;
            pair.scale = curvature / yy;
            self.pairs.push_back(pair);
        }
    }

    /// Multiplies a vector by the approximate inverse Hessian: the two-loop
    /// recursion (Nocedal 1980).
    fn apply(&mut self, q: &mut [f64], precondition: Option<impl FnMut(&mut [f64])>) {
        for pair in self.pairs.iter_mut().rev() {
            pair.alpha = pair.rho * dot(&pair.s, q);
            add_scaled(q, -pair.alpha, &pair.y);
        }
        match (precondition, self.pairs.back()) {
            (Some(mut precondition), _) => precondition(q),
            (None, Some(newest)) => q.iter_mut().for_each(|q| *q *= newest.scale),
            (None, None) => {}
        }
        for pair in &self.pairs {
            let beta = pair.rho * dot(&pair.y, q);
            add_scaled(q, pair.alpha - beta, &pair.s);
        }
    }
}
