//! Newton's method for the dual of (6).

use super::cone::Slope;
use super::dense::Factor;
use super::group::{Group, Touch};
use super::{Body, Contact, Solution};

/// How exactly forces explain what they can, in body weights. Where contacts
/// are firm, W is so small that rounding leaves 1e-11.
const ACCURACY: f64 = 1e-10;

/// A λ and what belongs to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    lambda: Vec<f64>,
    touches: Vec<Touch>,
    /// The gradient of the dual function, λ + G f − τ.
    gradient: Vec<f64>,
}

impl Place {
    fn evaluate(&mut self, bodies: &[Body], groups: &[Group]) {
        self.gradient.clear();
        for (lambda, body) in self.lambda.chunks_exact(6).zip(bodies) {
            let pairs = lambda.iter().zip(&body.demand);
            self.gradient.extend(pairs.map(|(l, d)| l - d));
        }
        self.touches.resize(groups.len(), Touch::default());
        for (group, into) in groups.iter().zip(&mut self.touches) {
            touch(group, &self.lambda, &mut self.gradient, into);
        }
    }

    fn error(&self) -> f64 {
        self.gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()))
    }

    fn slope_along(&self, step: &[f64]) -> f64 {
        self.gradient.iter().zip(step).map(|(g, s)| g * s).sum()
    }
}

/// [`Group::touch`] with the widest registers there are.
#[inline]
fn touch(group: &Group, lambda: &[f64], gradient: &mut [f64], into: &mut Touch) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(group: &Group, lambda: &[f64], gradient: &mut [f64], into: &mut Touch) {
            group.touch(lambda, gradient, into);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was just asked for AVX2.
            return unsafe { wide(group, lambda, gradient, into) };
        }
    }
    group.touch(lambda, gradient, into);
}

/// [`Group::add_square`] with the widest registers there are.
#[inline]
fn add_square(group: &Group, touch: &Touch, factor: &mut Factor) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(group: &Group, touch: &Touch, factor: &mut Factor) {
            group.add_square(&touch.slope, factor);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor was just asked for AVX2.
            return unsafe { wide(group, touch, factor) };
        }
    }
    group.add_square(&touch.slope, factor);
}

impl Solution {
    /// Solves the programme of Mordatch (6), starting from the λ that is there.
    pub fn solve(&mut self, bodies: &[Body], contacts: &[Contact]) {
        let n = 6 * bodies.len();
        self.lambda.resize(n, 0.0);
        let demands = bodies.iter().flat_map(|body| &body.demand);
        let scale = demands.fold(1.0f64, |m, d| m.max(d.abs()));

        Group::gather(bodies, contacts, &mut self.groups);
        self.here.lambda.clone_from(&self.lambda);
        self.here.evaluate(bodies, &self.groups);
        self.linearise(n);
        for _ in 0..100 {
            if self.here.error() <= ACCURACY * scale {
                break;
            }
            self.step.clear();
            self.step.extend(self.here.gradient.iter().map(|g| -g));
            self.factor.solve(&mut self.step);
            if !self.search(bodies) {
                break;
            }
            std::mem::swap(&mut self.here, &mut self.there);
            self.linearise(n);
        }
        self.lambda.clone_from(&self.here.lambda);
        self.forces.resize(contacts.len(), [0.0; 6]);
        self.slopes.resize(contacts.len(), Slope::default());
        for (group, touch) in self.groups.iter().zip(&self.here.touches) {
            group.scatter(touch, &mut self.forces, &mut self.slopes);
        }
    }

    /// The Hessian H = I + Σ G_i Proj_i′ G_iᵀ/W_i, factorised.
    fn linearise(&mut self, n: usize) {
        self.factor.identity(n);
        for (group, touch) in self.groups.iter().zip(&self.here.touches) {
            add_square(group, touch, &mut self.factor);
        }
        self.factor.factorise();
    }

    /// Goes along the step as far as the dual function falls, its whole length
    /// at most. Its slope along the step rises from below zero; where it rises
    /// above within the step, its root is bracketed (the Illinois method). Where
    /// forces are nearly free, a step may be a million times too long.
    fn search(&mut self, bodies: &[Body]) -> bool {
        let first = self.here.slope_along(&self.step);
        // Rounding: as good as it gets.
        if first >= 0.0 {
            return false;
        }
        let (mut low, mut low_slope) = (0.0, first);
        let (mut high, mut high_slope) = (1.0, f64::NAN);
        let mut length = 1.0;
        let mut side = 0;
        for _ in 0..60 {
            self.there.lambda.clear();
            let moved = self.here.lambda.iter().zip(&self.step);
            (self.there.lambda).extend(moved.map(|(l, s)| l + length * s));
            self.there.evaluate(bodies, &self.groups);
            let slope = self.there.slope_along(&self.step);
            if slope.abs() <= -0.1 * first || slope <= 0.0 && length == 1.0 {
                return true;
            }
            if slope > 0.0 {
                if side == 1 {
                    low_slope *= 0.5;
                }
                (high, high_slope, side) = (length, slope, 1);
            } else {
                if side == -1 {
                    high_slope *= 0.5;
                }
                (low, low_slope, side) = (length, slope, -1);
            }
            length = (low * high_slope - high * low_slope) / (high_slope - low_slope);
        }
        true
    }
}
