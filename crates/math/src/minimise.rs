//! What the minimisers share: when they stop, and what they tell on the way.

use std::collections::VecDeque;

/// When a minimiser stops by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// After so many iterations.
    pub iterations: usize,
    /// When the gradient is no longer than this.
    pub gradient: f64,
    /// When the last [`window`](Self::window) iterations together took away no
    /// more than this share of the value; never if negative.
    pub decrease: f64,
    /// How many iterations [`decrease`](Self::decrease) looks back.
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

/// Where a minimiser is after an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Iteration<'a> {
    /// How many iterations were made.
    pub number: usize,
    /// How often the function was evaluated.
    pub evaluations: usize,
    /// Its value.
    pub value: f64,
    /// The length of its gradient.
    pub gradient_norm: f64,
    /// The length of the step that led here.
    pub step: f64,
    /// The unknowns.
    pub x: &'a [f64],
}

/// Why a minimiser stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The gradient is as short as was asked for.
    Gradient,
    /// The value hardly falls any more.
    Decrease,
    /// All iterations were made.
    Iterations,
    /// The caller ended it: `on_iteration` broke, or the objective returned `None`.
    Stopped,
    /// No step makes the value smaller: at the precision of the numbers, at a
    /// kink, or because the gradient is wrong.
    Stuck,
    /// The value at the start is not finite, or a gradient where the value is.
    NotFinite,
}

/// What a minimiser leaves behind, besides the best unknowns it found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The value at the unknowns.
    pub value: f64,
    /// The length of the gradient there.
    pub gradient_norm: f64,
    /// How many iterations were made.
    pub iterations: usize,
    /// How often the function was evaluated, with its gradient or without.
    pub evaluations: usize,
    /// Why it was enough.
    pub reason: Reason,
}

/// Watches the limits.
pub(crate) struct Watch {
    limits: Limits,
    /// The last values, the newest at the back.
    past: VecDeque<f64>,
}

impl Watch {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            past: VecDeque::new(),
        }
    }

    /// Whether it is enough after `iterations` iterations, of which the last
    /// led to this value and gradient; to be asked before the first as well.
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
