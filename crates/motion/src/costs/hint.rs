//! L_Hint, Mordatch (11): the zero moment point belongs over the support.
//! ```text
//! Σ max(|z − n| − ε, 0)²      n = Σ λ_i p_i,  λ_i ≥ 0,  Σ λ_i = 1
//! ```
//! λ minimises |z − n|² + Σ W_i λ_i² with the weights W of (7), so that only
//! patches whose contact variables count are support. z is where the line along
//! which all contact forces together act passes through the height of the
//! support: on uneven ground each patch has its own height, and with z_i where
//! the line passes that of patch i
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
use crate::inverse_dynamics::MOMENT;
use crate::program::Program;
use crate::variables::{Sink, State, add_outer};
use conatus_math::{DMat3, DVec3};

/// ε: how far from the convex hull of the patches' centres the zero moment point
/// may be, in metres. About what the patches themselves extend.
pub const EPSILON: f64 = 0.1;

/// Below twice this share of the weight the divisor of z leaves the force across
/// the ground for a floor: in flight there is no zero moment point.
const LIGHT: f64 = 0.1;

/// The line along which all contact forces of a character together act, in units
/// of its weight.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// The centre of mass.
    centre: DVec3,
    /// The force.
    force: DVec3,
    /// Its moment about the centre of mass.
    moment: DVec3,
    /// The force across the ground, floored, and its derivative.
    across: (f64, f64),
}

impl Line {
    fn new(program: &Program, state: &State, character: usize) -> Self {
        let body = physics::body(program, state, character);
        let force = DVec3::from_slice(&body.demand);
        Self {
            centre: body.position,
            force,
            moment: DVec3::from_slice(&body.demand[3..]) / MOMENT,
            across: floored(force.z),
        }
    }

    /// Where it passes a height: there the moment has no horizontal part.
    fn at(&self, height: f64) -> DVec3 {
        let rise = height - self.centre.z;
        let (f, m) = (self.force, self.moment);
        let across = self.across.0;
        DVec3::new(
            self.centre.x + (rise * f.x - m.y) / across,
            self.centre.y + (rise * f.y + m.x) / across,
            height,
        )
    }
}

/// F where the ground bears a part of the weight worth the name; from there it
/// bends smoothly to a floor. With the derivative.
fn floored(force: f64) -> (f64, f64) {
    if force >= 2.0 * LIGHT {
        (force, 1.0)
    } else if force > 0.0 {
        (LIGHT + force * force / (4.0 * LIGHT), force / (2.0 * LIGHT))
    } else {
        (LIGHT, 0.0)
    }
}

/// The zero moment point z of Mordatch (11) of a character, at a height.
pub fn zero_moment_point(program: &Program, state: &State, character: usize, height: f64) -> DVec3 {
    Line::new(program, state, character).at(height)
}

/// The support programme of one character: patches as h_i = (d_i, −1), with W.
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

    /// Newton's method; the function is convex and quadratic in pieces. There is
    /// at least one patch.
    fn solve(&mut self) {
        // All patches count at first.
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
                // The last one is where rounding hides what is gained.
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

    /// The adjoint of z − n: from its derivatives to those by d_i and by W_i.
    fn pull(&self, i: usize, by_distance: DVec3) -> (DVec3, f64) {
        let share = self.share(i, self.u);
        if share == 0.0 {
            return (DVec3::ZERO, 0.0);
        }
        let y = self.inverse * by_distance;
        let along = y.dot(self.patches[i]) / self.weights[i];
        (y * share - self.u * along, -along * share)
    }
}

/// The cost of all characters at one moment, Mordatch (11).
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    for character in 0..program.characters.len() {
        let line = Line::new(program, state, character);
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
        if distance <= EPSILON {
            continue;
        }
        let frames: Vec<usize> = program.frames_of(character).collect();
        let residual = [distance - EPSILON];
        sink.rows(weight, &residual, &frames, &contacts, |seed, out| {
            let by_apart = apart * (seed[0] / distance);
            let (mut by_force, mut by_moment) = (DVec3::ZERO, DVec3::ZERO);
            for (k, &i) in contacts.iter().enumerate() {
                let (by_d, by_weight) = support.pull(k, by_apart);
                let (w, slope) = program.force_weight(i, state.contacts[i]);
                debug_assert_eq!(w, support.weights[k]);
                out.contacts[i] += by_weight * slope;

                // d = z − p with z of `Line::at`.
                let (f, across) = (line.force, line.across.0);
                let p = place(i);
                let rise = p.z - line.centre.z;
                let by_rise = (by_d.x * f.x + by_d.y * f.y) / across;
                let by_place = DVec3::new(by_d.x, by_d.y, -by_rise);
                physics::centre_of_mass_vjp(program, state, character, by_place, out);
                let spec = &program.contacts[i];
                out.frames[spec.frame].pull_point(spec.offset, -by_place);
                let way = line.at(p.z) - line.centre;
                by_force.x += by_d.x * rise / across;
                by_force.y += by_d.y * rise / across;
                by_force.z -= (by_d.x * way.x + by_d.y * way.y) / across * line.across.1;
                by_moment += DVec3::new(by_d.y, -by_d.x, 0.0) / across;
            }
            let by_moment = by_moment / MOMENT;
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

    /// The best value over all sets of patches that bear: each gives a linear
    /// system in (λ, ν), of which only those with λ ≥ 0 count.
    fn by_trying_everything(d: &[DVec3], w: &[f64]) -> (f64, DVec3) {
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
    fn the_support_is_the_one_that_trying_every_set_of_patches_finds() {
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
            let (value, apart) = by_trying_everything(&d, &w);
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
            let measured = (floored(force + h).0 - floored(force - h).0) / (2.0 * h);
            assert!((measured - floored(force).1).abs() < 1e-6, "{force}");
        }
    }
}
