//! Newton's method for the dual of (6).

use super::cone::{Nearest, Slope};
use super::dense::Factor;
use super::{Body, Contact, MOMENT, Six, Solution, add_times, transpose_times};

/// How exactly forces explain what they can, in body weights. Where contacts
/// are firm, W is so small that rounding leaves 1e-11.
const ACCURACY: f64 = 1e-10;

/// A λ and what belongs to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub lambda: Vec<f64>,
    /// Proj(Gᵀλ) of each contact.
    pub nearest: Vec<Nearest>,
    /// The gradient of the dual function, λ + G f − τ.
    gradient: Vec<f64>,
}

impl Place {
    fn evaluate(&mut self, bodies: &[Body], contacts: &[Contact]) {
        self.gradient.clear();
        for (lambda, body) in self.lambda.chunks_exact(6).zip(bodies) {
            let pairs = lambda.iter().zip(&body.demand);
            self.gradient.extend(pairs.map(|(l, d)| l - d));
        }
        self.nearest.clear();
        for contact in contacts {
            let x = transpose_times(bodies, contact, &self.lambda);
            let nearest = match &contact.cone {
                Some(cone) => cone.nearest(&x),
                None => Nearest::free(&x),
            };
            if !nearest.is_tip() {
                let f = force(contact, &nearest);
                add_times(bodies, contact, &f, &mut self.gradient);
            }
            self.nearest.push(nearest);
        }
    }

    fn error(&self) -> f64 {
        self.gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()))
    }

    fn slope_along(&self, step: &[f64]) -> f64 {
        self.gradient.iter().zip(step).map(|(g, s)| g * s).sum()
    }
}

/// f = Proj/W.
#[inline]
fn force(contact: &Contact, nearest: &Nearest) -> Six {
    let inverse = 1.0 / contact.weight;
    nearest.point.map(|p| p * inverse)
}

impl Solution {
    /// Solves the programme, starting from the λ that is there.
    pub fn solve(&mut self, bodies: &[Body], contacts: &[Contact]) {
        let n = 6 * bodies.len();
        self.lambda.resize(n, 0.0);
        let demands = bodies.iter().flat_map(|body| &body.demand);
        let scale = demands.fold(1.0f64, |m, d| m.max(d.abs()));

        self.here.lambda.clone_from(&self.lambda);
        self.here.evaluate(bodies, contacts);
        self.linearise(bodies, contacts);
        for _ in 0..100 {
            if self.here.error() <= ACCURACY * scale {
                break;
            }
            self.step.clear();
            self.step.extend(self.here.gradient.iter().map(|g| -g));
            self.factor.solve(&mut self.step);
            if !self.search(bodies, contacts) {
                break;
            }
            std::mem::swap(&mut self.here, &mut self.there);
            self.linearise(bodies, contacts);
        }
        self.lambda.clone_from(&self.here.lambda);
        self.forces.clear();
        let pairs = contacts.iter().zip(&self.here.nearest);
        self.forces
            .extend(pairs.map(|(c, nearest)| force(c, nearest)));
    }

    /// The Hessian H = I + Σ G_i Proj_i′ G_iᵀ/W_i, factorised.
    fn linearise(&mut self, bodies: &[Body], contacts: &[Contact]) {
        self.factor.identity(6 * bodies.len());
        self.slopes.clear();
        for (contact, nearest) in contacts.iter().zip(&self.here.nearest) {
            let slope = nearest.slope(1.0 / contact.weight);
            if !nearest.is_tip() {
                add_square(bodies, contact, &slope, &mut self.factor);
            }
            self.slopes.push(slope);
        }
        self.factor.factorise();
    }

    /// Goes along the step as far as the dual function falls, its whole length
    /// at most. Its slope along the step rises from below zero; where it rises
    /// above within the step, its root is bracketed (the Illinois method). Where
    /// forces are nearly free, a step may be a million times too long.
    fn search(&mut self, bodies: &[Body], contacts: &[Contact]) -> bool {
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
            self.there.evaluate(bodies, contacts);
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

/// H += G S Gᵀ. The slope S is made of few directions, so what they become
/// under G is multiplied out one by one.
fn add_square(bodies: &[Body], contact: &Contact, slope: &Slope, factor: &mut Factor) {
    let columns = |body: usize, factor: f64| {
        let arm = contact.position - bodies[body].position;
        Columns::new(contact, slope, factor, arm)
    };
    let on = columns(contact.on, 1.0);
    factor.add(contact.on, contact.on, &on.times_transposed(&on, slope));
    if let Some((other, ratio)) = contact.against {
        let against = columns(other, -ratio);
        factor.add(other, other, &against.times_transposed(&against, slope));
        if other > contact.on {
            factor.add(other, contact.on, &against.times_transposed(&on, slope));
        } else {
            factor.add(contact.on, other, &on.times_transposed(&against, slope));
        }
    }
}

/// Columns of G for one body.
#[derive(Clone, Copy)]
struct Columns {
    /// Of forces along the surface.
    slide: [Six; 2],
    /// G n.
    across: Six,
    /// The lower half of those of moments; the upper half is zero.
    moments: [[f64; 3]; 3],
}

impl Columns {
    #[inline(always)]
    fn new(contact: &Contact, slope: &Slope, ratio: f64, arm: conatus_math::DVec3) -> Self {
        let axes = [
            contact.matrix.x_axis,
            contact.matrix.y_axis,
            contact.matrix.z_axis,
        ];
        let pushes = axes.map(|axis| {
            let (push, turn) = (axis * ratio, arm.cross(axis) * (MOMENT * ratio));
            [push.x, push.y, push.z, turn.x, turn.y, turn.z]
        });
        let moments = axes.map(|axis| (axis * (MOMENT * ratio)).to_array());
        let n = &slope.across;
        let mut across = [0.0; 6];
        for row in 0..6 {
            across[row] = pushes[0][row] * n[0] + pushes[1][row] * n[1] + pushes[2][row] * n[2];
        }
        for row in 0..3 {
            across[row + 3] +=
                moments[0][row] * n[3] + moments[1][row] * n[4] + moments[2][row] * n[5];
        }
        Self {
            slide: [pushes[0], pushes[1]],
            across,
            moments,
        }
    }

    /// G S Gᵀ, with rows of this body and columns of another.
    #[inline(always)]
    fn times_transposed(&self, other: &Self, slope: &Slope) -> [Six; 6] {
        let ([p, q], [xx, xy, yy]) = (&self.slide, slope.slide);
        let [r, s] = &other.slide;
        let mut out = [[0.0; 6]; 6];
        for i in 0..6 {
            let x = xx * p[i] + xy * q[i];
            let y = xy * p[i] + yy * q[i];
            let z = slope.share * self.across[i];
            for j in 0..6 {
                out[i][j] = x * r[j] + y * s[j] + z * other.across[j];
            }
        }
        for (k, share) in slope.moments.iter().enumerate() {
            for i in 0..3 {
                let x = share * self.moments[k][i];
                for j in 0..3 {
                    out[i + 3][j + 3] += x * other.moments[k][j];
                }
            }
        }
        out
    }
}
