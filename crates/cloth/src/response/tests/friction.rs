//! Friction in impact zones.

use super::support::*;
use crate::response::constraint::Constraint;
use crate::response::fail_safe::Response;
use crate::response::friction::{self, ZoneFriction};
use crate::response::inelastic_projection::{Outcome, complementarity, inelastic_projection};
use crate::response::motion::ResponseMotion;
use conatus_math::DVec3;

const BOTH: [ZoneFriction; 2] = [ZoneFriction::PerZone, ZoneFriction::PerConstraint];

type FailSafe = fn(&mut ResponseMotion, &[Constraint]) -> Outcome;
const RESPONSES: [(Response, FailSafe); 2] = [
    (Response::InelasticProjection, inelastic_projection),
    (Response::Lcp, complementarity),
];

fn relative(motion: &ResponseMotion, c: &Collision) -> DVec3 {
    c.constraint(motion, 0.0).relative_velocity(motion)
}

/// Harmon (6), (7) and §4 with its errata: with one contact between vertices
/// the friction of a zone is exactly Coulomb's. It sticks if μ is large, loses
/// μ|Δv_n| of its speed if not, and never reverses.
#[test]
fn with_one_contact_zone_friction_is_coulombs() {
    let mut noise = Noise(41);
    let (mut sticks, mut slides) = (0, 0);
    for _ in 0..300 {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        let u = relative(&before, &c);
        let n = u.dot(c.normal);
        if n >= 0.0 {
            continue;
        }
        let slide = u - n * c.normal;
        let mu = noise.share();
        let left = (slide.length() + mu * n).max(0.0);
        let expected = slide.normalize() * left;
        for how in BOTH {
            for (response, fail_safe) in RESPONSES {
                let mut after = before.clone();
                let zone = [c.constraint(&before, mu)];
                let outcome = fail_safe(&mut after, &zone);
                friction::apply(&mut after, &zone, &outcome, response, how);
                let found = relative(&after, &c);
                assert!((found - expected).length() < 1e-6, "{how:?}");
                assert!((momentum(&after) - momentum(&before)).length() < 1e-12);
            }
        }
        match left > 0.0 {
            true => slides += 1,
            false => sticks += 1,
        }
    }
    assert!(sticks > 10 && slides > 10);
}

/// Harmon §4: the change is along q̇′_slide, so that no normal velocity
/// returns, and its size in the mass norm is min(μ‖q̇′ − q̇‖, ‖q̇′_slide‖).
#[test]
fn zone_friction_agrees_with_the_dense_reference() {
    let mut noise = Noise(42);
    for count in [1, 2, 4, 7] {
        for mu in [0.05, 0.4, 5.0] {
            let before = free_vertices(&mut noise, 12);
            let zone: Vec<Collision> = (0..count)
                .map(|_| random_collision(&mut noise, &before))
                .collect();
            let all = constraints(&before, &zone, mu);
            let mut projected = before.clone();
            let outcome = inelastic_projection(&mut projected, &all);
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            let rows: Vec<Vec<f64>> = zone
                .iter()
                .flat_map(|c| axes.map(|a| gradient(&before, c, a)))
                .collect();
            let fix = nearest_without(&projected, &rows);
            let mut slide = state(&projected);
            add(&mut slide, -1.0, &fix);
            let norm = |q: &[f64]| {
                let at = |i: usize| DVec3::new(q[3 * i], q[3 * i + 1], q[3 * i + 2]);
                let part = |i: usize| at(i).length_squared() / before.inverse_mass[i];
                (0..12).map(part).sum::<f64>().sqrt()
            };
            let mut change = state(&projected);
            add(&mut change, -1.0, &state(&before));
            let size = (mu * norm(&change)).min(norm(&slide));
            let mut expected = state(&projected);
            add(&mut expected, -size / norm(&slide), &slide);

            let mut after = projected.clone();
            friction::apply(
                &mut after,
                &all,
                &outcome,
                Response::InelasticProjection,
                ZoneFriction::PerZone,
            );
            let off = apart(&state(&after), &expected);
            assert!(off < 1e-4, "{count} with {mu}: {off}");
            for c in &zone {
                assert!(normal_velocity(&after, c).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn friction_never_adds_energy_and_keeps_collisions_resolved() {
    let mut noise = Noise(43);
    for round in 0..200 {
        let vertices = [5, 8, 12][round % 3];
        let before = free_vertices(&mut noise, vertices);
        let zone: Vec<Collision> = (0..1 + round % 10)
            .map(|_| random_collision(&mut noise, &before))
            .collect();
        let all = constraints(&before, &zone, 0.1 + noise.share());
        for how in BOTH {
            for (response, fail_safe) in RESPONSES {
                let mut smooth = before.clone();
                let outcome = fail_safe(&mut smooth, &all);
                let mut rough = smooth.clone();
                friction::apply(&mut rough, &all, &outcome, response, how);
                let (more, less) = (energy(&smooth), energy(&rough));
                let what = format!("{how:?}, {response:?}, round {round}");
                assert!(
                    less <= more * (1.0 + 1e-6) + 1e-9,
                    "{what}: {less} of {more}"
                );
                for c in &zone {
                    let n = normal_velocity(&rough, c);
                    assert!(n > -1e-3, "{what}: {n}");
                }
                assert!((momentum(&rough) - momentum(&before)).length() < 1e-9);
            }
        }
    }
}

/// A bug: friction by constraint ended with the projection also for the
/// complementarity problem, and separating points stuck again.
#[test]
fn friction_does_not_hold_back_separating_points() {
    let mut noise = Noise(44);
    let mut before = free_vertices(&mut noise, 2);
    before.velocity = vec![DVec3::new(1.0, 0.0, -1.0), DVec3::new(1.0, 0.0, 0.5)];
    let zone = [on_plane(0, DVec3::Z), on_plane(1, DVec3::Z)];
    let all = constraints(&before, &zone, 0.3);
    for how in BOTH {
        let mut after = before.clone();
        let outcome = complementarity(&mut after, &all);
        friction::apply(&mut after, &all, &outcome, Response::Lcp, how);
        assert!((after.velocity[1].z - 0.5).abs() < 1e-6, "{how:?}");
        assert!(after.velocity[0].z.abs() < 1e-6 && after.velocity[0].x < 0.95);
    }
}

/// Every collision has its own coefficient and its own limit: a contact without
/// normal impulse is not slowed by the friction of its neighbour.
#[test]
fn friction_by_constraint_has_one_limit_per_collision() {
    let mut noise = Noise(45);
    let mut before = free_vertices(&mut noise, 3);
    before.velocity = vec![
        DVec3::new(1.0, 0.0, -1.0),
        DVec3::new(1.0, 0.0, -0.5),
        DVec3::new(1.0, 0.0, 0.0),
    ];
    let zone: Vec<Collision> = (0..3).map(|p| on_plane(p, DVec3::Z)).collect();
    let all: Vec<Constraint> = (zone.iter().zip([0.3, 0.0, 0.9]))
        .map(|(c, mu)| c.constraint(&before, mu))
        .collect();
    let mut after = before.clone();
    let outcome = inelastic_projection(&mut after, &all);
    friction::apply(
        &mut after,
        &all,
        &outcome,
        Response::InelasticProjection,
        ZoneFriction::PerConstraint,
    );
    for (v, x) in after.velocity.iter().zip([0.7, 1.0, 1.0]) {
        assert!((*v - DVec3::X * x).length() < 1e-12, "{v}");
    }
}
