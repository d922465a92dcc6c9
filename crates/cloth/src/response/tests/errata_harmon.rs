//! Errors in Harmon et al. as printed: the printed formula, computed here,
//! fails against an independent check, and the code does not. See
//! docs/errata.md.

use super::support::*;
use crate::response::fail_safe::Response;
use crate::response::friction::{self, ZoneFriction};
use crate::response::inelastic_projection::inelastic_projection;
use crate::response::motion::ResponseMotion;
use crate::response::zone::ZoneRows;
use conatus_math::DVec3;

const RESPONSE: Response = Response::InelasticProjection;

/// A collision of free vertices that approach and slide, and the motion after
/// the projection.
fn impact(seed: u64) -> (ResponseMotion, Collision, ResponseMotion) {
    let mut noise = Noise(seed);
    loop {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        if normal_velocity(&before, &c) < -0.1 {
            let mut after = before.clone();
            inelastic_projection(&mut after, &[c.constraint(&before, 0.0)]);
            return (before, c, after);
        }
    }
}

fn relative(motion: &ResponseMotion, c: &Collision, q: &[f64]) -> DVec3 {
    let along = |d: DVec3| dot(&gradient(motion, c, d), q);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

/// ∇H of one collision.
fn directions(motion: &ResponseMotion, c: &Collision) -> [Vec<f64>; 3] {
    [DVec3::X, DVec3::Y, DVec3::Z].map(|d| gradient(motion, c, d))
}

/// λ′ of ∇H M⁻¹ ∇Hᵀ λ′ = b.
fn multipliers(motion: &ResponseMotion, c: &Collision, b: DVec3) -> Vec<f64> {
    let rows = directions(motion, c);
    let image = rows.clone().map(|r| inverse_mass_times(motion, &r));
    let a = rows.map(|r| image.iter().map(|i| dot(&r, i)).collect());
    gauss(a.to_vec(), b.to_array().to_vec()).expect("one collision is not redundant")
}

/// q̇ + sign · M⁻¹ ∇Hᵀ λ′.
fn moved(motion: &ResponseMotion, c: &Collision, q: &[f64], lambda: &[f64], sign: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    for (row, l) in directions(motion, c).iter().zip(lambda) {
        add(&mut q, sign * l, &inverse_mass_times(motion, row));
    }
    q
}

/// Harmon §2, single constraint: p − p′ = ∇Cᵀλ with λ ≥ 0 pulls colliding
/// points together; the normal velocity doubles instead of vanishing.
#[test]
fn an_impulse_pushes_colliding_things_apart() {
    for seed in 0..20 {
        let (before, c, after) = impact(600 + seed);
        let g = gradient(&before, &c, c.normal);
        let lambda = -dot(&g, &state(&before)) / dot(&g, &inverse_mass_times(&before, &g));
        assert!(lambda > 0.0);
        let mut printed = state(&before);
        add(&mut printed, -lambda, &inverse_mass_times(&before, &g));
        let closing = normal_velocity(&before, &c);
        assert!((dot(&g, &printed) - 2.0 * closing).abs() < 1e-12);
        assert!(normal_velocity(&after, &c).abs() < 1e-12);
    }
}

/// Harmon §4: λ′ is said to lie in R³ⁿ, but ∇H has 3k rows, so its transpose
/// can only be applied to 3k numbers. And the right-hand side is ∇H q̇′, the
/// velocity after the projection: with ∇H q̇ a relative velocity remains.
#[test]
fn friction_has_three_multipliers_for_every_collision() {
    for seed in 0..20 {
        let (before, c, after) = impact(620 + seed);
        let n = before.start.len();
        let rows = ZoneRows::all_directions(&before, &[c.constraint(&before, 0.3)]);
        assert_eq!((rows.scale.len(), n), (3, 4));
        let q = state(&after);
        let printed = relative(&before, &c, &state(&before));
        let printed = multipliers(&before, &c, printed);
        let fix = moved(&before, &c, &q, &printed, -1.0);
        assert!(relative(&before, &c, &fix).length() > 0.09);
        let right = multipliers(&before, &c, relative(&before, &c, &q));
        let fix = moved(&before, &c, &q, &right, -1.0);
        assert!(relative(&before, &c, &fix).length() < 1e-12);
        sticks_to(&before, &c, &after, &fix);
    }
}

/// With a large friction coefficient the code ends at q̇′_fix.
fn sticks_to(before: &ResponseMotion, c: &Collision, after: &ResponseMotion, fix: &[f64]) {
    let zone = [c.constraint(before, 1e6)];
    let mut rough = before.clone();
    let outcome = inelastic_projection(&mut rough, &zone);
    assert!(apart(&state(&rough), &state(after)) < 1e-12);
    friction::apply(&mut rough, &zone, &outcome, RESPONSE, ZoneFriction::PerZone);
    assert!(apart(&state(&rough), fix) < 1e-6);
}

/// Harmon §4: q̇′_fix = q̇′ + M⁻¹∇Hᵀλ′ doubles the relative velocity that it
/// should remove (and q′ is printed, not its rate).
#[test]
fn the_part_without_sliding_is_found_by_subtraction() {
    for seed in 0..20 {
        let (before, c, after) = impact(640 + seed);
        let q = state(&after);
        let sliding = relative(&before, &c, &q);
        let lambda = multipliers(&before, &c, sliding);
        let printed = moved(&before, &c, &q, &lambda, 1.0);
        let left = relative(&before, &c, &printed);
        assert!((left - 2.0 * sliding).length() < 1e-12 && sliding.length() > 1e-3);
        let fix = moved(&before, &c, &q, &lambda, -1.0);
        assert!(relative(&before, &c, &fix).length() < 1e-12);
        sticks_to(&before, &c, &after, &fix);
    }
}

/// Harmon §4: Δq̇ = min(μ‖q̇′ − q̇‖, ‖q̇′_slide‖) q̇′_slide is along the
/// sliding and speeds it up; and it is quadratic in the velocity, so the motion
/// changes when time is scaled by two. Coulomb's law does not depend on the
/// time scale.
#[test]
fn friction_opposes_sliding_in_proportion() {
    let mu = 0.2;
    for seed in 0..20 {
        let (once, c, _) = impact(660 + seed);
        let mut printed_share = Vec::new();
        for film in [1.0, 2.0] {
            let mut before = once.clone();
            before.velocity.iter_mut().for_each(|v| *v *= film);
            let mut after = before.clone();
            let zone = [c.constraint(&before, mu)];
            let outcome = inelastic_projection(&mut after, &zone);
            let sliding = relative(&before, &c, &state(&after));
            // In the mass norm, a relative velocity u weighs |u|/√K.
            let root = zone[0].inverse_mass.sqrt();
            let closing = -normal_velocity(&before, &c);
            let size = (mu * closing / root).min(sliding.length() / root);
            let printed = sliding + size * sliding;
            assert!(printed.length() > sliding.length());
            printed_share.push(printed.length() / film);

            friction::apply(&mut after, &zone, &outcome, RESPONSE, ZoneFriction::PerZone);
            let coulomb = (sliding.length() - mu * closing).max(0.0);
            let expected = sliding.normalize() * coulomb;
            let found = relative(&before, &c, &state(&after));
            assert!((found - expected).length() < 1e-6);
        }
        assert!(printed_share[1] > 1.0001 * printed_share[0]);
    }
}

/// Harmon §4: the norms are printed without the M of §2. Without it a speck of
/// dust that hits the floor beside a stone would stop the stone, which has no
/// contact force.
#[test]
fn a_speck_of_dust_does_not_stop_a_stone() {
    let mut noise = Noise(680);
    let mut before = free_vertices(&mut noise, 2);
    before.inverse_mass = vec![1e12, 1.0];
    before.velocity = vec![DVec3::new(0.0, 0.0, -10.0), DVec3::X];
    let mu = 0.3;
    let zone = [on_plane(0, DVec3::Z), on_plane(1, DVec3::Z)].map(|c| c.constraint(&before, mu));
    let mut after = before.clone();
    let outcome = inelastic_projection(&mut after, &zone);
    let change: f64 = (0..2)
        .map(|i| (after.velocity[i] - before.velocity[i]).length_squared())
        .sum();
    let plain = (mu * change.sqrt()).min(1.0);
    assert_eq!(plain, 1.0, "in the plain norm the stone stops");
    friction::apply(&mut after, &zone, &outcome, RESPONSE, ZoneFriction::PerZone);
    assert!((after.velocity[1] - DVec3::X).length() < 1e-5);
}
