//! Rigid impact zones, the baseline.

use super::support::*;
use crate::response::constraint::StencilPair;
use crate::response::inelastic_projection::inelastic_projection;
use crate::response::motion::ResponseMotion;
use crate::response::rigid_zones::rigid_motion;
use conatus_math::{DMat3, DVec3};

const PAIR: StencilPair = StencilPair::VertexTriangle;

fn zone(noise: &mut Noise, motion: &ResponseMotion, count: usize) -> Vec<Collision> {
    (0..count)
        .map(|_| random_collision(noise, motion))
        .collect()
}

/// Only points in the zone are compared.
fn touched(motion: &ResponseMotion, zone: &[Collision]) -> Vec<usize> {
    let mut points: Vec<usize> = zone
        .iter()
        .flat_map(|c| c.stencil.points().map(|p| p as usize).collect::<Vec<_>>())
        .collect();
    points.sort_unstable();
    points.dedup();
    points.retain(|&p| motion.body_of[p] == crate::response::NO_BODY);
    points
}

#[test]
fn a_rigid_zone_keeps_all_distances_over_the_step() {
    let mut noise = Noise(31);
    for _ in 0..40 {
        let before = free_vertices(&mut noise, 8);
        let zone = zone(&mut noise, &before, 6);
        let mut after = before.clone();
        // A long step and a large rotation: distances still stay the same.
        after.h = 0.7;
        rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
        let points = touched(&before, &zone);
        let end = |i: usize| after.start[i] + after.h * after.velocity[i];
        for &i in &points {
            for &j in &points {
                let (a, b) = (
                    before.start[i].distance(before.start[j]),
                    end(i).distance(end(j)),
                );
                assert!((a - b).abs() < 1e-13, "{a} became {b}");
            }
        }
    }
}

/// Momentum is conserved to rounding. Angular momentum too, except for the
/// difference between chord and tangent of a finite rotation: first order in
/// the angle.
#[test]
fn a_rigid_zone_conserves_momentum_and_angular_momentum() {
    let mut noise = Noise(32);
    for bodies in [0, 1] {
        for _ in 0..20 {
            let mut before = free_vertices(&mut noise, 8);
            for _ in 0..bodies {
                add_body(&mut noise, &mut before, 4);
            }
            let zone = zone(&mut noise, &before, 6);
            let mut errors = Vec::new();
            for h in [1e-2, 1e-4, 1e-6] {
                let mut after = before.clone();
                after.h = h;
                let outcome = rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
                assert_eq!(outcome.violation, 0.0);
                // (R r − r)/h has the digits of r, divided by h.
                let change = momentum(&after) - momentum(&before);
                assert!(change.length() < 1e-12 + 1e-14 / h, "{change}");
                let change = angular_momentum(&after) - angular_momentum(&before);
                errors.push(change.length());
            }
            assert!(errors[0] < 0.5 && errors[1] < 1.1e-2 * errors[0] + 1e-6);
            // The rotation about a line of points is damped by 1e-9.
            assert!(errors[2] < 1e-6, "{errors:?}");
        }
    }
}

/// A rigid motion of all points is not changed, however they collide.
#[test]
fn a_rigid_motion_is_not_changed() {
    let mut noise = Noise(33);
    let mut before = free_vertices(&mut noise, 8);
    before.h = 1e-7;
    let (v, w) = (noise.vector(), noise.vector());
    for i in 0..8 {
        before.velocity[i] = v + w.cross(before.start[i]);
    }
    let zone = zone(&mut noise, &before, 8);
    let mut after = before.clone();
    let outcome = rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
    assert!(apart(&state(&after), &state(&before)) < 1e-6);
    assert!(outcome.change < 1e-5);
}

/// On the same zone, the projection preserves every motion that a rigid zone
/// preserves, and more: it never loses more energy, and where points slide it
/// loses less.
#[test]
fn rigid_zones_lose_more_energy_than_the_projection() {
    let mut noise = Noise(34);
    for count in [1, 2, 4, 8, 16] {
        for _ in 0..30 {
            let mut before = free_vertices(&mut noise, 9);
            before.h = 1e-4;
            let zone = zone(&mut noise, &before, count);
            let all = constraints(&before, &zone, 0.0);
            let (mut projected, mut rigid) = (before.clone(), before.clone());
            inelastic_projection(&mut projected, &all);
            rigid_motion(&mut rigid, &all);
            let (more, less) = (energy(&projected), energy(&rigid));
            assert!(less <= more + 1e-6, "{less} of {more} with {count}");
            if count <= 2 {
                // Two collisions leave at least six ways to slide.
                assert!(less < 0.999 * more, "{less} of {more}");
            }
        }
    }
}

#[test]
fn a_zone_that_touches_a_static_obstacle_freezes() {
    let mut noise = Noise(35);
    let mut before = free_vertices(&mut noise, 8);
    for i in 0..3 {
        before.inverse_mass[i] = 0.0;
        before.velocity[i] = DVec3::ZERO;
    }
    let zone = [[0, 1, 2, 3], [3, 4, 5, 6], [4, 5, 6, 7]].map(|p| collision(&before, PAIR, p));
    let mut after = before.clone();
    let outcome = rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
    assert!(outcome.violation < 1e-6);
    for i in 3..8 {
        assert!(after.velocity[i].length() < 1e-5, "{}", after.velocity[i]);
    }
    // A plane stops the points that touch it exactly.
    let zone = [
        on_plane(3, DVec3::Z),
        collision(&before, PAIR, [3, 4, 5, 6]),
    ];
    let mut after = before.clone();
    rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
    assert_eq!(after.velocity[3..7], [DVec3::ZERO; 4]);
    assert_eq!(after.velocity[7], before.velocity[7]);
}

/// A bug: the points of a locked body counted as neither free nor scripted, and
/// a zone that touched one kept falling.
#[test]
fn a_zone_follows_a_body_that_is_held() {
    let mut noise = Noise(36);
    let mut before = free_vertices(&mut noise, 3);
    add_body(&mut noise, &mut before, 3);
    let lift = DVec3::new(0.0, 0.0, 2.0);
    let body = &mut before.bodies[0];
    (body.velocity, body.omega) = (lift, DVec3::ZERO);
    (body.inverse_mass, body.inverse_inertia) = (0.0, DMat3::ZERO);
    before.velocity[3..].fill(lift);
    let zone = [0, 1, 2].map(|p| collision(&before, PAIR, [3, 4, 5, p]));
    let mut after = before.clone();
    let outcome = rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
    assert!(outcome.violation < 1e-6);
    for i in 0..3 {
        assert!((after.velocity[i] - lift).length() < 1e-5);
    }
}

/// Scripted points that separate, or rotate about different axes, are
/// consistent with no rigid motion (Harmon §3), and the zone reports by how
/// much.
#[test]
fn contradictory_scripts_are_reported_and_consistent_ones_followed() {
    let mut noise = Noise(37);
    let mut before = free_vertices(&mut noise, 6);
    before.h = 1e-6;
    before.inverse_mass[..3].fill(0.0);
    let zone = [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]].map(|p| collision(&before, PAIR, p));
    let (v, w) = (noise.vector(), noise.vector());
    for i in 0..3 {
        before.velocity[i] = v + w.cross(before.start[i]);
    }
    let mut after = before.clone();
    let outcome = rigid_motion(&mut after, &constraints(&before, &zone, 0.0));
    assert!(outcome.violation < 1e-6, "{}", outcome.violation);
    for i in 3..6 {
        let led = v + w.cross(before.start[i]);
        assert!((after.velocity[i] - led).length() < 1e-5);
    }
    // The triangle now expands as well.
    let middle = (before.start[0] + before.start[1] + before.start[2]) / 3.0;
    for i in 0..3 {
        let out = before.start[i] - middle;
        before.velocity[i] += out;
    }
    let least = (0..3).map(|i| before.start[i].distance(middle));
    let least = least.fold(f64::INFINITY, f64::min);
    let outcome = rigid_motion(&mut before.clone(), &constraints(&before, &zone, 0.0));
    assert!(outcome.violation >= 0.99 * least, "{}", outcome.violation);
}
