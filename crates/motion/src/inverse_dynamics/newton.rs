//! Newton's method for the dual of (6).

use super::cone::Slope;
use super::dense::Factor;
use super::group::{Group, Touch};
use super::{Body, Contact, Six};

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
    fn evaluate(&mut self, demands: &[f64], groups: &[Group]) {
        self.gradient.clear();
        let pairs = self.lambda.iter().zip(demands);
        self.gradient.extend(pairs.map(|(l, d)| l - d));
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

/// Bodies that push each other, directly or through others: their part of the
/// programme stands alone.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies, in order.
    pub bodies: Vec<usize>,
    /// The contacts that act on them, in order.
    pub contacts: Vec<usize>,
    /// Of H.
    factor: Factor,
    groups: Vec<Group>,
    /// The contacts that are in the groups.
    gathered: Vec<usize>,
    demands: Vec<f64>,
    step: Vec<f64>,
    here: Place,
    there: Place,
}

impl Cluster {
    /// Solves the programme of Mordatch (6), starting from the λ that is there.
    /// `places` tells which of its bodies a body is.
    pub(super) fn solve(
        &mut self,
        bodies: &[Body],
        contacts: &[Contact],
        places: &[usize],
        lambda: &mut [f64],
        (forces, slopes): (&mut [Six], &mut [Slope]),
    ) {
        let n = 6 * self.bodies.len();
        self.demands.clear();
        let own = self.bodies.iter().map(|&body| &bodies[body].demand);
        self.demands.extend(own.flatten());
        let scale = self.demands.iter().fold(1.0f64, |m, d| m.max(d.abs()));

        let (members, gathered) = (&self.contacts, &mut self.gathered);
        Group::gather(
            bodies,
            contacts,
            places,
            (members, gathered),
            &mut self.groups,
        );
        collect(&self.bodies, lambda, &mut self.here.lambda);
        self.here.evaluate(&self.demands, &self.groups);
        self.linearise(n);
        for _ in 0..100 {
            if self.here.error() <= ACCURACY * scale {
                break;
            }
            self.step.clear();
            self.step.extend(self.here.gradient.iter().map(|g| -g));
            self.factor.solve(&mut self.step);
            if !self.search() {
                break;
            }
            std::mem::swap(&mut self.here, &mut self.there);
            self.linearise(n);
        }
        scatter(&self.bodies, &self.here.lambda, lambda);
        for (group, touch) in self.groups.iter().zip(&self.here.touches) {
            group.scatter(touch, forces, slopes);
        }
    }

    /// The residual Lᵀλ, with H = L Lᵀ, whose square is its part of the value of the
    /// programme: on the face of the cone where f is, f = Proj′ Gᵀλ/W, so
    /// |λ|² + fᵀWf = λᵀHλ.
    pub fn residual(&self, out: &mut Vec<f64>) {
        self.factor.transpose_times(&self.here.lambda, out);
    }

    /// Of H.
    pub(super) fn factor(&self) -> &Factor {
        &self.factor
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
    fn search(&mut self) -> bool {
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
            self.there.evaluate(&self.demands, &self.groups);
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

/// The numbers of some bodies, out of those of all.
pub(super) fn collect(bodies: &[usize], all: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for &body in bodies {
        out.extend_from_slice(&all[6 * body..6 * body + 6]);
    }
}

/// The other way round.
pub(super) fn scatter(bodies: &[usize], some: &[f64], out: &mut [f64]) {
    for (&body, six) in bodies.iter().zip(some.chunks_exact(6)) {
        out[6 * body..6 * body + 6].copy_from_slice(six);
    }
}
