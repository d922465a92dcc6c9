//! L_Hint, Mordatch (11): the zero moment point should be over the support.
//! ```text
//! Σ max(|z − n| − ε, 0)²      n = Σ λ_i p_i,  λ_i ≥ 0,  Σ λ_i = 1
//! ```
//! λ minimises |z − n|² + Σ W_i λ_i² with the weights W of (7), so that only patches
//! with active contact variables are support. z is the intersection of the line of
//! action of the total contact force with the height of the support. On uneven ground
//! each patch has its own height; with z_i the intersection at the height of patch i
//! ```text
//! z − n = Σ λ_i d_i,   d_i = z_i − p_i          (horizontal)
//! ```
//! which on flat ground is the same. Like (6) the small programme is solved through
//! its dual: with h_i = (d_i, −1) and u = (z − n, ν), ν the multiplier of Σ λ = 1,
//! ```text
//! λ_i = max(−h_i·u, 0)/W_i,      E u − Σ h_i λ_i = (0, 0, 1),    E = diag(1, 1, 0)
//! ```
//! are three equations for each character, however many patches it has.

use super::physics;
use crate::inverse_dynamics::MOMENT_SCALE;
use crate::program::Program;
use crate::variables::{MotionState, ResidualSink, add_outer};
use conatus_math::{DMat3, DVec3};

/// ε: the distance of the zero moment point from the convex hull of the patch centres
/// that costs nothing, in metres. It is about the size of a patch.
pub const SUPPORT_MARGIN_M: f64 = 0.1;

/// The floor of the vertical force in the divisor of z, in body weights: in flight there
/// is no zero moment point. The divisor departs from the force below twice this value.
const MIN_VERTICAL_FORCE: f64 = 0.1;

/// The line of action of the total contact force of a character, in body weights.
#[derive(Clone, Copy, Debug)]
struct ForceLine {
    /// The centre of mass.
    centre: DVec3,
    /// The force.
    force: DVec3,
    /// Its moment about the centre of mass.
    moment: DVec3,
    /// The vertical force with a smooth floor, and its derivative.
    divisor: (f64, f64),
}

impl ForceLine {
    fn new(program: &Program, state: &MotionState, character: usize) -> Self {
        let body = physics::body(program, state, character);
        let force = DVec3::from_slice(&body.demand);
        Self {
            centre: body.position,
            force,
            moment: DVec3::from_slice(&body.demand[3..]) / MOMENT_SCALE,
            divisor: smooth_floor(force.z),
        }
    }

    /// Its intersection with a height, where the moment has no horizontal part.
    fn at(&self, height: f64) -> DVec3 {
        let rise = height - self.centre.z;
        let (f, m) = (self.force, self.moment);
        let divisor = self.divisor.0;
        DVec3::new(
            self.centre.x + (rise * f.x - m.y) / divisor,
            self.centre.y + (rise * f.y + m.x) / divisor,
            height,
        )
    }
}

/// The force F with a smooth floor, and its derivative.
fn smooth_floor(force: f64) -> (f64, f64) {
    if force >= 2.0 * MIN_VERTICAL_FORCE {
        (force, 1.0)
    } else if force > 0.0 {
        (
            MIN_VERTICAL_FORCE + force * force / (4.0 * MIN_VERTICAL_FORCE),
            force / (2.0 * MIN_VERTICAL_FORCE),
        )
    } else {
        (MIN_VERTICAL_FORCE, 0.0)
    }
}

/// The zero moment point z of Mordatch (11) of a character at a height.
pub fn zero_moment_point(
    program: &Program,
    state: &MotionState,
    character: usize,
    height: f64,
) -> DVec3 {
    ForceLine::new(program, state, character).at(height)
}

/// The quadratic program for the support of one character: patches h_i = (d_i, −1),
/// with weights W.
#[derive(Clone, Debug, Default)]
struct Support {
    patches: Vec<DVec3>,
    weights: Vec<f64>,
    /// (z − n, ν).
    u: DVec3,
    /// The inverse Hessian of the dual function at u.
    inverse: DMat3,
}

impl Support {
    /// λ_i at a u.
    fn share(&self, i: usize, u: DVec3) -> f64 {
        (-self.patches[i].dot(u)).max(0.0) / self.weights[i]
    }

    /// The dual function ½ uᵀE u + Σ ½ W_i λ_i² − ν and its gradient.
    fn dual(&self, u: DVec3) -> (f64, DVec3) {
        let flat = u - DVec3::Z * u.z;
        let mut value = 0.5 * flat.length_squared() - u.z;
        let mut gradient = flat - DVec3::Z;
        for (i, h) in self.patches.iter().enumerate() {
            let share = self.share(i, u);
            value += 0.5 * self.weights[i] * share * share;
            gradient -= *h * share;
        }
        (value, gradient)
    }

    /// Minimises the dual function, which is convex and piecewise quadratic, by Newton's
    /// method. There is at least one patch.
    fn solve(&mut self) {
        // Start with all patches active.
        let sum: f64 = self.weights.iter().map(|w| 1.0 / w).sum();
        self.u = DVec3::Z / sum;
        let (mut value, mut gradient) = self.dual(self.u);
        for _ in 0..50 {
            let mut hessian = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
            for (i, h) in self.patches.iter().enumerate() {
                if self.share(i, self.u) > 0.0 {
                    add_outer(&mut hessian, *h / self.weights[i], *h);
                }
            }
            self.inverse = hessian.inverse();
            if gradient.length() <= 1e-13 {
                return;
            }
            let step = self.inverse * -gradient;
            let slope = gradient.dot(step);
            let mut length = 1.0;
            let (next, at) = loop {
                let at = self.u + step * length;
                let next = self.dual(at);
                // A very short step means that rounding hides the decrease.
                if next.0 <= value + 0.1 * length * slope || length < 1e-9 {
                    break (next, at);
                }
                length *= 0.5;
            };
            if next.0 > value {
                return;
            }
            self.u = at;
            (value, gradient) = next;
        }
    }

    /// The vector-Jacobian product of z − n: the gradients by d_i and by W_i.
    fn vector_jacobian_product(&self, i: usize, by_distance: DVec3) -> (DVec3, f64) {
        let share = self.share(i, self.u);
        if share == 0.0 {
            return (DVec3::ZERO, 0.0);
        }
        let y = self.inverse * by_distance;
        let along = y.dot(self.patches[i]) / self.weights[i];
        (y * share - self.u * along, -along * share)
    }
}

/// Evaluates the cost of all characters at one moment, Mordatch (11).
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
    for character in 0..program.characters.len() {
        let line = ForceLine::new(program, state, character);
        let contacts: Vec<usize> = (0..program.contacts.len())
            .filter(|&i| program.contacts[i].body == character)
            .filter(|&i| program.contacts[i].has_corners())
            .collect();
        let place = |i: usize| {
            let spec = &program.contacts[i];
            state.frames[spec.frame].point(spec.offset)
        };
        let mut support = Support::default();
        for &i in &contacts {
            let p = place(i);
            let d = line.at(p.z) - p;
            support.patches.push(DVec3::new(d.x, d.y, -1.0));
            let (w, _) = program.force_weight(i, state.contacts[i]);
            support.weights.push(w);
        }
        if contacts.is_empty() {
            continue;
        }
        support.solve();
        let apart = DVec3::new(support.u.x, support.u.y, 0.0);
        let distance = apart.length();
        if distance <= SUPPORT_MARGIN_M {
            continue;
        }
        let frames: Vec<usize> = program.frames_of(character).collect();
        let residual = [distance - SUPPORT_MARGIN_M];
        sink.rows(weight, &residual, &frames, &contacts, |seed, out| {
            let by_apart = apart * (seed[0] / distance);
            let (mut by_force, mut by_moment) = (DVec3::ZERO, DVec3::ZERO);
            for (k, &i) in contacts.iter().enumerate() {
                let (by_d, by_weight) = support.vector_jacobian_product(k, by_apart);
                let (w, slope) = program.force_weight(i, state.contacts[i]);
                debug_assert_eq!(w, support.weights[k]);
                out.contacts[i] += by_weight * slope;

                // d = z − p with z of `ForceLine::at`.
                let (f, divisor) = (line.force, line.divisor.0);
                let p = place(i);
                let rise = p.z - line.centre.z;
                let by_rise = (by_d.x * f.x + by_d.y * f.y) / divisor;
                let by_place = DVec3::new(by_d.x, by_d.y, -by_rise);
                physics::centre_of_mass_vjp(program, state, character, by_place, out);
                let spec = &program.contacts[i];
                out.frames[spec.frame].add_point_gradient(spec.offset, -by_place);
                let offset = line.at(p.z) - line.centre;
                by_force.x += by_d.x * rise / divisor;
                by_force.y += by_d.y * rise / divisor;
                by_force.z -= (by_d.x * offset.x + by_d.y * offset.y) / divisor * line.divisor.1;
                by_moment += DVec3::new(by_d.y, -by_d.x, 0.0) / divisor;
            }
            let by_moment = by_moment / MOMENT_SCALE;
            let seed = [
                by_force.x,
                by_force.y,
                by_force.z,
                by_moment.x,
                by_moment.y,
                by_moment.z,
            ];
            physics::body_vjp(program, state, character, &seed, out);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best value over all sets of active patches. Each set gives a linear system in
    /// (λ, ν); solutions with λ < 0 are skipped.
    fn brute_force(d: &[DVec3], w: &[f64]) -> (f64, DVec3) {
        let mut best = (f64::INFINITY, DVec3::ZERO);
        for set in 1u32..1 << d.len() {
            let chosen: Vec<usize> = (0..d.len()).filter(|i| set >> i & 1 == 1).collect();
            // λ = ν M⁻¹ 1 with M = DᵀD + W, found by elimination.
            let n = chosen.len();
            let mut m: Vec<Vec<f64>> = (chosen.iter())
                .map(|&i| {
                    let dots = chosen.iter().map(|&j| d[i].dot(d[j]));
                    dots.chain([1.0]).collect()
                })
                .collect();
            for (k, &i) in chosen.iter().enumerate() {
                m[k][k] += w[i];
            }
            for k in 0..n {
                for row in k + 1..n {
                    let factor = m[row][k] / m[k][k];
                    let (above, below) = m.split_at_mut(row);
                    for (b, a) in below[0].iter_mut().zip(&above[k]) {
                        *b -= factor * a;
                    }
                }
            }
            let mut lambda = vec![0.0; n];
            for k in (0..n).rev() {
                let known: f64 = (k + 1..n).map(|j| m[k][j] * lambda[j]).sum();
                lambda[k] = (m[k][n] - known) / m[k][k];
            }
            let sum: f64 = lambda.iter().sum();
            if lambda.iter().any(|l| l / sum < 0.0) {
                continue;
            }
            let apart: DVec3 = (chosen.iter().zip(&lambda))
                .map(|(&i, l)| d[i] * (l / sum))
                .sum();
            let price: f64 = (chosen.iter().zip(&lambda))
                .map(|(&i, l)| w[i] * (l / sum) * (l / sum))
                .sum();
            let value = apart.length_squared() + price;
            if value < best.0 {
                best = (value, apart);
            }
        }
        best
    }

    /// Mordatch (11).
    #[test]
    fn the_support_is_that_of_a_brute_force_search_over_sets_of_patches() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for case in 0..500 {
            let count = 1 + case % 6;
            let d: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(random() + 0.3, random(), 0.0))
                .collect();
            let w: Vec<f64> = (0..count)
                .map(|_| 10f64.powf(-0.5 + 2.5 * random()))
                .collect();
            let mut support = Support {
                patches: d.iter().map(|d| *d - DVec3::Z).collect(),
                weights: w.clone(),
                ..Support::default()
            };
            support.solve();
            let (value, apart) = brute_force(&d, &w);
            let shares = (0..count).map(|i| support.share(i, support.u));
            let (mut sum, mut found) = (0.0, 0.0);
            for (share, w) in shares.zip(&w) {
                sum += share;
                found += w * share * share;
            }
            let r = DVec3::new(support.u.x, support.u.y, 0.0);
            found += r.length_squared();
            assert!((sum - 1.0).abs() < 1e-9, "case {case}: {sum}");
            assert!((r - apart).length() < 1e-8, "case {case}: {r} {apart}");
            assert!((found - value).abs() < 1e-9, "case {case}: {found} {value}");
        }
    }

    #[test]
    fn the_floor_of_the_divisor_is_smooth() {
        for force in [-0.5, 0.0, 0.05, 0.1, 0.2, 0.7] {
            let h = 1e-7;
            let measured = (smooth_floor(force + h).0 - smooth_floor(force - h).0) / (2.0 * h);
            assert!((measured - smooth_floor(force).1).abs() < 1e-6, "{force}");
        }
    }
}
