//! Shared by the minimisers: stopping criteria, progress and results.

use std::collections::VecDeque;

/// Stopping criteria of a minimiser.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Maximum number of iterations.
    pub iterations: usize,
    /// Stop when the norm of the gradient is at most this.
    pub gradient: f64,
    /// Stop when the last [`window`](Self::window) iterations together reduced
    /// the value by no more than this fraction; never if negative.
    pub decrease: f64,
    /// The number of iterations that [`decrease`](Self::decrease) considers.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            iterations: 1000,
            gradient: 1e-8,
            decrease: 1e-10,
            window: 10,
        }
    }
}

/// The state of a minimiser after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Iteration<'a> {
    /// Number of iterations.
    pub number: usize,
    /// Number of evaluations of the function.
    pub evaluations: usize,
    /// Its value.
    pub value: f64,
    /// The length of its gradient.
    pub gradient_norm: f64,
    /// The length of the last step.
    pub step: f64,
    /// The unknowns.
    pub x: &'a [f64],
}

/// Why a minimiser stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The gradient is below its limit.
    Gradient,
    /// The value hardly decreases any more.
    Decrease,
    /// The maximum number of iterations was reached.
    Iterations,
    /// The caller stopped it: `on_iteration` broke, or the objective returned
    /// `None`.
    Stopped,
    /// No step reduces the value: at the precision of the numbers, at a kink,
    /// or because the gradient is wrong.
    NoProgress,
    /// The value at the start is not finite, or a gradient at a finite value.
    NotFinite,
}

/// The result of a minimiser, besides the best unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The value at the unknowns.
    pub value: f64,
    /// The length of the gradient there.
    pub gradient_norm: f64,
    /// Number of iterations.
    pub iterations: usize,
    /// Number of evaluations, with or without gradient.
    pub evaluations: usize,
    /// Why it stopped.
    pub reason: Reason,
}

/// Checks the stopping criteria.
pub(crate) struct Watch {
    limits: Limits,
    /// The last values, the newest last.
    past: VecDeque<f64>,
}

impl Watch {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            past: VecDeque::new(),
        }
    }

    /// Whether to stop after `iterations` iterations, of which the last gave
    /// this value and gradient; must also be called before the first.
    pub fn enough(&mut self, iterations: usize, value: f64, gradient_norm: f64) -> Option<Reason> {
        let limits = &self.limits;
        self.past.push_back(value);
        let before = if self.past.len() > limits.window.max(1) {
            self.past.pop_front()
        } else {
            None
        };
        if gradient_norm <= limits.gradient {
            Some(Reason::Gradient)
        } else if before.is_some_and(|b| b - value <= limits.decrease * b.abs()) {
            Some(Reason::Decrease)
        } else if iterations >= limits.iterations {
            Some(Reason::Iterations)
        } else {
            None
        }
    }
}
