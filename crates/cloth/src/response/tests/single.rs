//! One collision.

use super::support::*;
use crate::response::continuous;
use crate::response::inelastic_projection::{complementarity, inelastic_projection};
use conatus_math::DVec3;

/// Harmon §2 and Harmon (1), (2): the weights are −α for the triangle or the
/// first edge and α for the vertex or the second edge, and N times them is
/// the gradient of the distance.
#[test]
fn the_gradient_is_the_change_of_the_distance() {
    let mut noise = Noise(1);
    for _ in 0..200 {
        let motion = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &motion);
        let distance = |by: f64| {
            let mut moved = motion.clone();
            for (x, v) in moved.start.iter_mut().zip(&motion.velocity) {
                *x += by * *v;
            }
            let c = collision(&moved, c.stencil.pair, c.stencil.points);
            let x = |i: usize| moved.start[c.stencil.points[i] as usize];
            (0..4).map(|i| c.weights[i] * x(i)).sum::<DVec3>().length()
        };
        let d = 1e-6;
        let rate = (distance(d) - distance(-d)) / (2.0 * d);
        let own = c.constraint(&motion, 0.0);
        let found = own.normal.dot(own.relative_velocity(&motion));
        // Where the nearest point moves from a corner to an edge, only the
        // second derivative of the distance is discontinuous.
        assert!((found - rate).abs() < 1e-4, "{found} and {rate}");
        assert!((found - normal_velocity(&motion, &c)).abs() < 1e-14);
    }
}

/// Harmon §2, single constraint: λ = −∇C q̇ / ⟨∇C, ∇C⟩ in the M⁻¹ norm, after
/// which the normal velocity is zero.
#[test]
fn the_impulse_of_one_collision_is_the_closed_form() {
    let mut noise = Noise(2);
    for _ in 0..200 {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        let g = gradient(&before, &c, c.normal);
        let lambda = -dot(&g, &state(&before)) / dot(&g, &inverse_mass_times(&before, &g));
        let mut expected = state(&before);
        add(&mut expected, lambda, &inverse_mass_times(&before, &g));

        let mut after = before.clone();
        let outcome = inelastic_projection(&mut after, &[c.constraint(&before, 0.0)]);
        assert!((outcome.impulses[0] - lambda).abs() < 1e-12);
        assert!(apart(&state(&after), &expected) < 1e-12);
        assert!(normal_velocity(&after, &c).abs() < 1e-12);
    }
}

/// Harmon §3: with one collision the projection is continuous collision
/// response, and so is the complementarity problem. Continuous response and the
/// complementarity problem leave separating points unchanged; the projection
/// does not.
#[test]
fn for_one_approaching_collision_all_responses_but_rigid_ones_agree() {
    let mut noise = Noise(3);
    let mut approaching = 0;
    for _ in 0..200 {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        let zone = [c.constraint(&before, 0.0)];
        let (mut one, mut two, mut three) = (before.clone(), before.clone(), before.clone());
        continuous::resolve(&mut one, &mut [c.hit(0.5)], |_| 0.0);
        inelastic_projection(&mut two, &zone);
        complementarity(&mut three, &zone);
        assert!(apart(&state(&one), &state(&three)) < 1e-6);
        if normal_velocity(&before, &c) < 0.0 {
            approaching += 1;
            assert!(apart(&state(&one), &state(&two)) < 1e-12);
        } else {
            assert_eq!(state(&one), state(&before));
        }
    }
    assert!(approaching > 50);
}

#[test]
fn a_collision_of_free_points_conserves_momentum_and_angular_momentum() {
    let mut noise = Noise(4);
    for _ in 0..200 {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        for friction in [0.0, 0.4] {
            let mut after = before.clone();
            continuous::resolve(&mut after, &mut [c.hit(0.5)], |_| friction);
            assert!((momentum(&after) - momentum(&before)).length() < 1e-13);
            // Friction acts at both nearest points, a gap apart: only normal
            // impulses have a common line of action.
            if friction == 0.0 {
                let change = angular_momentum(&after) - angular_momentum(&before);
                assert!(change.length() < 1e-13, "{change}");
            }
            assert!(energy(&after) <= energy(&before) * (1.0 + 1e-14));
        }
    }
}

/// Coulomb's law, closed form: after an impact of normal speed n, the sliding
/// speed is max(s − μ n, 0) in the same direction.
#[test]
fn stage_2_has_coulombs_friction() {
    let mut noise = Noise(5);
    let (mut sticks, mut slides) = (0, 0);
    for _ in 0..300 {
        let before = free_vertices(&mut noise, 4);
        let c = random_collision(&mut noise, &before);
        let u = c.constraint(&before, 0.0).relative_velocity(&before);
        let n = u.dot(c.normal);
        if n >= 0.0 {
            continue;
        }
        let slide = u - n * c.normal;
        let mu = noise.share();
        let left = (slide.length() + mu * n).max(0.0);
        let expected = slide.normalize() * left;
        let mut after = before.clone();
        continuous::resolve(&mut after, &mut [c.hit(0.5)], |_| mu);
        let found = c.constraint(&after, 0.0).relative_velocity(&after);
        assert!((found - expected).length() < 1e-13);
        match left > 0.0 {
            true => slides += 1,
            false => sticks += 1,
        }
    }
    assert!(sticks > 10 && slides > 10);
}

/// The constraint widens a gap that has become tiny to one and a half times its
/// size.
#[test]
fn a_very_small_gap_is_widened() {
    let mut noise = Noise(6);
    let mut motion = free_vertices(&mut noise, 1);
    motion.velocity[0] = DVec3::NEG_Z;
    let mut hit = on_plane(0, DVec3::Z).hit(0.5);
    (hit.distance, hit.gap, hit.thickness) = (1e-6, 1e-6, 1e-3);
    continuous::resolve(&mut motion, &mut [hit], |_| 0.0);
    assert!((motion.velocity[0].z * motion.h - 0.5e-6).abs() < 1e-17);
}
