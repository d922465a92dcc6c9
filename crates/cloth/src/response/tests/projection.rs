//! Many collisions at once: the inelastic projection.

use super::support::*;
use crate::response::constraint::StencilPair;
use crate::response::fail_safe::{FailSafe, Response};
use crate::response::friction::ZoneFriction;
use crate::response::inelastic_projection::inelastic_projection;
use crate::response::motion::ResponseMotion;
use conatus_math::DVec3;

const PAIR: StencilPair = StencilPair::VertexTriangle;

fn rows(motion: &ResponseMotion, zone: &[Collision]) -> Vec<Vec<f64>> {
    let row = |c: &Collision| gradient(motion, c, c.normal);
    zone.iter().map(row).collect()
}

/// ‖q̇ − q̇′‖² in the mass norm, of free vertices.
fn distance(a: &ResponseMotion, b: &ResponseMotion) -> f64 {
    let n = a.start.len();
    let part = |i: usize| (a.velocity[i] - b.velocity[i]).length_squared() / a.inverse_mass[i];
    (0..n).map(part).sum::<f64>().sqrt()
}

/// Harmon (3)-(5): ∇C q̇′ = 0, and q̇′ agrees with the dense reference, for few
/// collisions and for more than there are degrees of freedom.
#[test]
fn the_projection_is_the_nearest_motion_without_normal_velocities() {
    let mut noise = Noise(11);
    for (vertices, count) in [(4, 1), (5, 2), (8, 4), (8, 12), (5, 20), (12, 40), (9, 90)] {
        for _ in 0..12 {
            let before = free_vertices(&mut noise, vertices);
            let zone: Vec<Collision> = (0..count)
                .map(|_| random_collision(&mut noise, &before))
                .collect();
            let mut after = before.clone();
            let outcome = inelastic_projection(&mut after, &constraints(&before, &zone, 0.0));
            assert!(outcome.violation < 1e-6, "{count}: {}", outcome.violation);
            for c in &zone {
                assert!(normal_velocity(&after, c).abs() < 1e-6);
            }
            let reference = nearest_without(&before, &rows(&before, &zone));
            let off = apart(&state(&after), &reference);
            assert!(off < 2e-5, "{count} on {vertices}: {off}");
            let change = distance(&after, &before);
            assert!((outcome.change - change).abs() < 1e-6 * (1.0 + change));
            // The energy falls by the energy of the change (Pythagoras).
            let lost = energy(&before) - energy(&after);
            assert!((lost - 0.5 * change * change).abs() < 1e-5, "{lost}");
            assert!((momentum(&after) - momentum(&before)).length() < 1e-9);
            let spin = angular_momentum(&after) - angular_momentum(&before);
            assert!(spin.length() < 1e-9);
        }
    }
}

/// Above a hundred rows the system is solved without forming its matrix.
#[test]
fn large_zones_are_projected_like_small_ones() {
    let mut noise = Noise(12);
    for (vertices, count) in [(60, 120), (40, 300)] {
        let before = free_vertices(&mut noise, vertices);
        let zone: Vec<Collision> = (0..count)
            .map(|_| random_collision(&mut noise, &before))
            .collect();
        let mut after = before.clone();
        let outcome = inelastic_projection(&mut after, &constraints(&before, &zone, 0.0));
        assert!(outcome.violation < 1e-5, "{count}: {}", outcome.violation);
        let reference = nearest_without(&before, &rows(&before, &zone));
        let off = apart(&state(&after), &reference);
        assert!(off < 1e-4, "{count} on {vertices}: {off}");
        assert!(energy(&after) < energy(&before));
    }
}

/// The response to a set of collisions depends neither on duplicates nor on the
/// length of the gradients.
#[test]
fn duplicate_collisions_change_nothing() {
    let mut noise = Noise(13);
    for _ in 0..40 {
        let before = free_vertices(&mut noise, 7);
        let zone: Vec<Collision> = (0..5)
            .map(|_| random_collision(&mut noise, &before))
            .collect();
        let mut more = zone.clone();
        more.extend(zone.iter().rev());
        more.extend(zone[..2].iter().map(|c| Collision {
            normal: -c.normal,
            ..*c
        }));
        let (mut once, mut often) = (before.clone(), before.clone());
        inelastic_projection(&mut once, &constraints(&before, &zone, 0.0));
        let outcome = inelastic_projection(&mut often, &constraints(&before, &more, 0.0));
        assert!(apart(&state(&once), &state(&often)) < 1e-6);
        assert!(outcome.impulses.iter().all(|j| j.abs() < 1e3));
    }
}

/// A vertex carried by a lift: its velocity becomes the lift's, whatever the
/// masses, and the lift's stays as scripted.
#[test]
fn scripted_motion_is_followed_and_never_changed() {
    let mut noise = Noise(14);
    let mut motion = free_vertices(&mut noise, 4);
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for (i, corner) in triangle.into_iter().enumerate() {
        motion.start[i] = corner;
        motion.inverse_mass[i] = 0.0;
        motion.velocity[i] = DVec3::new(0.3, 0.0, 2.0);
    }
    motion.start[3] = DVec3::new(0.2, 0.3, 0.1);
    motion.velocity[3] = DVec3::new(-1.0, 0.5, -4.0);
    let c = collision(&motion, PAIR, [0, 1, 2, 3]);
    let zone = [c.constraint(&motion, 0.0)];
    let outcome = inelastic_projection(&mut motion, &zone);
    assert!(outcome.violation < 1e-12);
    assert!((motion.velocity[3] - DVec3::new(-1.0, 0.5, 2.0)).length() < 1e-12);
    for i in 0..3 {
        assert_eq!(motion.velocity[i], DVec3::new(0.3, 0.0, 2.0));
    }
}

/// With scripted points among free ones the dense reference still agrees,
/// including the prescribed relative velocity.
#[test]
fn zones_with_scripted_points_agree_with_the_dense_reference() {
    let mut noise = Noise(15);
    for _ in 0..60 {
        let mut before = free_vertices(&mut noise, 12);
        for i in 0..3 {
            before.inverse_mass[i] = 0.0;
        }
        let zone: Vec<Collision> = (0..6)
            .map(|_| random_collision(&mut noise, &before))
            .collect();
        let mut after = before.clone();
        let outcome = inelastic_projection(&mut after, &constraints(&before, &zone, 0.0));
        assert!(outcome.violation < 1e-6);
        let reference = nearest_without(&before, &rows(&before, &zone));
        assert!(apart(&state(&after), &reference) < 2e-5);
        assert_eq!(after.velocity[..3], before.velocity[..3]);
    }
}

/// Two scripted floors that close on a vertex: no velocity satisfies both. The
/// projection reports it, and the fail-safe fails and names the points.
#[test]
fn a_vertex_between_closing_jaws_is_a_pinch() {
    let mut noise = Noise(16);
    let mut motion = free_vertices(&mut noise, 7);
    for (k, z) in [(0, -0.1), (3, 0.1)] {
        for i in 0..3 {
            motion.start[k + i] =
                [DVec3::X, DVec3::Y, -DVec3::ONE][i] * DVec3::new(1.0, 1.0, 0.0) + DVec3::Z * z;
            motion.inverse_mass[k + i] = 0.0;
            motion.velocity[k + i] = DVec3::Z * (-10.0 * z);
        }
    }
    (motion.start[6], motion.velocity[6]) = (DVec3::ZERO, DVec3::ZERO);
    let jaws = [[0, 1, 2, 6], [3, 4, 5, 6]].map(|p| collision(&motion, PAIR, p));
    for c in &jaws {
        assert!((normal_velocity(&motion, c) + 1.0).abs() < 1e-12);
    }
    let mut after = motion.clone();
    let outcome = inelastic_projection(&mut after, &constraints(&motion, &jaws, 0.0));
    assert!((outcome.violation - 1.0).abs() < 1e-6);
    for response in [
        Response::InelasticProjection,
        Response::RigidImpactZones,
        Response::Lcp,
    ] {
        let mut after = motion.clone();
        let mut zones = FailSafe::new(&motion);
        let hits = jaws.map(|c| c.hit(0.5));
        let result = zones.resolve(&mut after, &hits, response, ZoneFriction::PerZone, |_| 0.0);
        let why = result.expect_err("nothing can be done");
        assert!(why.pinched, "{response:?}");
        assert_eq!(why.points, [0, 1, 2, 3, 4, 5, 6]);
    }
    // One floor alone can be resolved.
    let one = inelastic_projection(&mut motion.clone(), &constraints(&motion, &jaws[..1], 0.0));
    assert!(one.violation < 1e-12);
}

/// Harmon §3, Algorithm 1, lines 4-8: a zone that grows is reset to its
/// velocities before the response, so that the result does not depend on the
/// order in which collisions were found; zones that share only scripted points
/// stay separate.
#[test]
fn zones_grow_from_the_velocities_before_the_response() {
    let mut noise = Noise(17);
    for _ in 0..40 {
        let before = free_vertices(&mut noise, 9);
        // Two on the first five, then one that joins both.
        let zone = [
            collision(&before, PAIR, [0, 1, 2, 3]),
            collision(&before, PAIR, [4, 5, 6, 7]),
            collision(&before, PAIR, [1, 3, 8, 5]),
        ];
        let (mut steps, mut at_once) = (before.clone(), before.clone());
        let mut zones = FailSafe::new(&before);
        let how = ZoneFriction::PerZone;
        let mut resolve = |motion: &mut ResponseMotion, hits: &[Collision]| {
            let hits: Vec<_> = hits.iter().map(|c| c.hit(0.5)).collect();
            let response = Response::InelasticProjection;
            zones
                .resolve(motion, &hits, response, how, |_| 0.0)
                .unwrap();
            zones.zones()
        };
        assert_eq!(resolve(&mut steps, &zone[..2]), 2);
        assert_eq!(resolve(&mut steps, &zone[2..]), 1);
        inelastic_projection(&mut at_once, &constraints(&before, &zone, 0.0));
        assert!(apart(&state(&steps), &state(&at_once)) < 1e-9);
    }
    let mut motion = free_vertices(&mut noise, 5);
    motion.inverse_mass[..3].fill(0.0);
    let mut zones = FailSafe::new(&motion);
    let hits = [[0, 1, 2, 3], [0, 1, 2, 4]].map(|p| collision(&motion, PAIR, p).hit(0.5));
    let how = ZoneFriction::PerZone;
    let response = Response::InelasticProjection;
    zones
        .resolve(&mut motion, &hits, response, how, |_| 0.0)
        .unwrap();
    assert_eq!(zones.zones(), 2);
}
