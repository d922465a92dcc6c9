//! Newton's method for the dual of (6).

use super::cone::ProjectionJacobian;
use super::dense::Factor;
use super::group::{Group, GroupProjection};
use super::{BodyDemand, PatchContact, Vector6};

/// The largest error of the optimality condition, in body weights. With firm contacts W
/// is so small that rounding alone leaves 1e-11.
const FORCE_TOLERANCE: f64 = 1e-10;

/// A λ with the projections and the gradient there.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    lambda: Vec<f64>,
    projections: Vec<GroupProjection>,
    /// The gradient of the dual function, λ + G f − τ.
    gradient: Vec<f64>,
}

impl Place {
    fn evaluate(&mut self, demands: &[f64], groups: &[Group]) {
        self.gradient.clear();
        let pairs = self.lambda.iter().zip(demands);
        self.gradient.extend(pairs.map(|(l, d)| l - d));
        self.projections
            .resize(groups.len(), GroupProjection::default());
        for (group, into) in groups.iter().zip(&mut self.projections) {
            project(group, &self.lambda, &mut self.gradient, into);
        }
    }

    fn error(&self) -> f64 {
        self.gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()))
    }

    fn slope_along(&self, step: &[f64]) -> f64 {
        self.gradient.iter().zip(step).map(|(g, s)| g * s).sum()
    }
}

/// [`Group::project`] with the widest registers of the processor.
#[inline]
fn project(group: &Group, lambda: &[f64], gradient: &mut [f64], into: &mut GroupProjection) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(group: &Group, lambda: &[f64], gradient: &mut [f64], into: &mut GroupProjection) {
            group.project(lambda, gradient, into);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was just detected.
            return unsafe { wide(group, lambda, gradient, into) };
        }
    }
    group.project(lambda, gradient, into);
}

/// [`Group::add_square`] with the widest registers of the processor.
#[inline]
fn add_square(group: &Group, projection: &GroupProjection, factor: &mut Factor) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn wide(group: &Group, projection: &GroupProjection, factor: &mut Factor) {
            group.add_square(&projection.slope, factor);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: AVX2 was just detected.
            return unsafe { wide(group, projection, factor) };
        }
    }
    group.add_square(&projection.slope, factor);
}

/// Bodies that are connected by contacts, directly or through others: an independent
/// part of (6).
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies, in order.
    pub bodies: Vec<usize>,
    /// The contacts that act on them, in order.
    pub contacts: Vec<usize>,
    /// The Cholesky factor of H.
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
    /// Solves Mordatch (6) for the cluster, with the present λ as warm start. `places`
    /// gives the number of each body within its cluster.
    pub(super) fn solve(
        &mut self,
        bodies: &[BodyDemand],
        contacts: &[PatchContact],
        places: &[usize],
        lambda: &mut [f64],
        (forces, slopes): (&mut [Vector6], &mut [ProjectionJacobian]),
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
            if self.here.error() <= FORCE_TOLERANCE * scale {
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
        for (group, projection) in self.groups.iter().zip(&self.here.projections) {
            group.scatter(projection, forces, slopes);
        }
    }

    /// The residual Lᵀλ, with H = L Lᵀ, whose square is the cluster's part of the value of
    /// (6): on the face of the cone where f is, f = Proj′ Gᵀλ/W, so
    /// |λ|² + fᵀWf = λᵀHλ.
    pub fn residual(&self, out: &mut Vec<f64>) {
        self.factor.transpose_times(&self.here.lambda, out);
    }

    /// The Cholesky factor of H.
    pub(super) fn factor(&self) -> &Factor {
        &self.factor
    }

    /// The Hessian H = I + Σ G_i Proj_i′ G_iᵀ/W_i, factorised.
    fn linearise(&mut self, n: usize) {
        self.factor.identity(n);
        for (group, projection) in self.groups.iter().zip(&self.here.projections) {
            add_square(group, projection, &mut self.factor);
        }
        self.factor.factorise();
    }

    /// Line search: goes along the step as far as the dual function decreases, at most
    /// its whole length. The slope along the step increases from below zero; where it
    /// becomes positive within the step, its root is bracketed (the Illinois method).
    /// Where the weights of forces are tiny, a step may be a million times too long.
    fn search(&mut self) -> bool {
        let first = self.here.slope_along(&self.step);
        // The precision of the numbers is reached.
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

/// Collects the numbers of some bodies from those of all.
pub(super) fn collect(bodies: &[usize], all: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for &body in bodies {
        out.extend_from_slice(&all[6 * body..6 * body + 6]);
    }
}

/// Writes the numbers of some bodies to those of all.
pub(super) fn scatter(bodies: &[usize], some: &[f64], out: &mut [f64]) {
    for (&body, six) in bodies.iter().zip(some.chunks_exact(6)) {
        out[6 * body..6 * body + 6].copy_from_slice(six);
    }
}
