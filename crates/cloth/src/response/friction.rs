//! Friction in an impact zone (Harmon et al. §4, with the errata): sliding is
//! slowed down in a direction that causes no new collision in the zone.

use super::constraint::Constraint;
use super::fail_safe::Response;
use super::inelastic_projection::{
    Outcome, ZERO_VELOCITY_M_S, complementarity, inelastic_projection,
};
use super::motion::ResponseMotion;
use super::zone::ZoneRows;
use conatus_math::DVec3;

/// How friction acts in a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZoneFriction {
    /// One coefficient and one magnitude for the whole zone, as in the paper.
    #[default]
    PerZone,
    /// Coulomb's limit for every collision separately.
    PerConstraint,
}

/// Applies friction after the fail-safe `response` with the result `outcome`.
pub(crate) fn apply(
    motion: &mut ResponseMotion,
    constraints: &[Constraint],
    outcome: &Outcome,
    response: Response,
    how: ZoneFriction,
) {
    if constraints.iter().all(|c| c.friction == 0.0) {
        return;
    }
    let slow = match how {
        ZoneFriction::PerZone => per_zone,
        ZoneFriction::PerConstraint => per_constraint,
    };
    match response {
        Response::InelasticProjection => {
            slow(motion, constraints, outcome);
            if how == ZoneFriction::PerConstraint {
                // Removes the normal velocities caused by friction.
                inelastic_projection(motion, constraints);
            }
        }
        Response::Lcp => {
            // Separating collisions have no friction, and must not be pulled
            // back.
            let all = constraints.iter().zip(&outcome.impulses);
            let (pressing, impulses): (Vec<Constraint>, Vec<f64>) = all
                .filter(|(_, j)| **j > 0.0)
                .map(|(c, j)| (*c, *j))
                .unzip();
            let part = Outcome {
                impulses,
                ..*outcome
            };
            slow(motion, &pressing, &part);
            complementarity(motion, constraints);
        }
        // Rigid zones do not slide.
        Response::RigidImpactZones => {}
    }
}

/// Of q̇′ the part without any relative velocity, q̇′_fix, is found by
/// projection with ∇H in place of ∇C; the rest slides, Harmon (6). The change
/// is Δq̇ = −min(μ‖q̇′ − q̇‖, ‖q̇′_slide‖) q̇′_slide/‖q̇′_slide‖ in the mass norm
/// (Harmon §4, with the errata).
/// As it stays within the row space of ∇H it is a sum of impulses at the
/// collisions.
fn per_zone(motion: &mut ResponseMotion, constraints: &[Constraint], outcome: &Outcome) {
    let rows = ZoneRows::all_directions(motion, constraints);
    let mut b = Vec::with_capacity(3 * constraints.len());
    for (k, c) in constraints.iter().enumerate() {
        let u = c.relative_velocity(motion);
        // After the projection it has no normal component.
        let u = u - u.dot(c.normal) * c.normal;
        b.extend((0..3).map(|i| rows.scale[3 * k + i] * u[i]));
    }
    let mut lambda = Vec::new();
    let scale = rows.scale.iter().copied().fold(f64::INFINITY, f64::min);
    rows.solve(&b, 1e3 * ZERO_VELOCITY_M_S * scale, false, &mut lambda);
    let slide = rows.norm(&lambda);
    if slide <= 0.0 {
        return;
    }
    let share = (coefficient(constraints, outcome) * outcome.change / slide).min(1.0);
    for (k, c) in constraints.iter().enumerate() {
        let at = |i: usize| lambda[3 * k + i] * rows.scale[3 * k + i];
        let impulse = DVec3::new(at(0), at(1), at(2));
        c.apply(motion, -share * impulse);
    }
}

/// The one coefficient of a zone: the mean over its impulses.
fn coefficient(constraints: &[Constraint], outcome: &Outcome) -> f64 {
    let weights = outcome.impulses.iter().map(|j| j.abs());
    let (mut sum, mut total) = (0.0, 0.0);
    for (c, w) in constraints.iter().zip(weights) {
        sum += w * c.friction;
        total += w;
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// Coulomb's limit for every collision separately, by sweeps of Gauss-Seidel.
fn per_constraint(motion: &mut ResponseMotion, constraints: &[Constraint], outcome: &Outcome) {
    let mut given = vec![DVec3::ZERO; constraints.len()];
    for _ in 0..8 {
        for ((c, given), normal) in constraints.iter().zip(&mut given).zip(&outcome.impulses) {
            let u = c.relative_velocity(motion);
            let slide = u - u.dot(c.normal) * c.normal;
            let speed = slide.length();
            if speed <= ZERO_VELOCITY_M_S {
                continue;
            }
            let t = slide / speed;
            let mass = t.dot(c.velocity_change(motion, t));
            if mass <= 0.0 {
                continue;
            }
            let wanted = *given - slide / mass;
            let most = c.friction * normal.abs();
            let size = wanted.length();
            let next = if size > most {
                wanted * (most / size)
            } else {
                wanted
            };
            c.apply(motion, next - *given);
            *given = next;
        }
    }
}
