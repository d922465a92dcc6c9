//! Rigid bodies with six degrees of freedom in zones with cloth.

use super::support::*;
use crate::response::continuous;
use crate::response::inelastic_projection::{complementarity, inelastic_projection};
use crate::response::motion::{NO_BODY, ResponseMotion};

/// Some free vertices and a body, with collisions that all involve both.
fn meeting(noise: &mut Noise, count: usize) -> (ResponseMotion, Vec<Collision>) {
    let mut motion = free_vertices(noise, 6);
    add_body(noise, &mut motion, 5);
    let mut zone = Vec::new();
    while zone.len() < count {
        let c = random_collision(noise, &motion);
        if c.constraint(&motion, 0.0).body != NO_BODY {
            zone.push(c);
        }
    }
    (motion, zone)
}

/// A body in a collision: the weights of its points act as one force and one
/// torque.
#[test]
fn a_body_in_a_collision_answers_with_mass_and_inertia() {
    let mut noise = Noise(51);
    for _ in 0..100 {
        let (before, zone) = meeting(&mut noise, 1);
        let g = gradient(&before, &zone[0], zone[0].normal);
        let c = zone[0].constraint(&before, 0.0);
        let mass = dot(&g, &inverse_mass_times(&before, &g));
        assert!((c.inverse_mass - mass).abs() < 1e-12 * mass);
        let lambda = -dot(&g, &state(&before)) / mass;
        let mut expected = state(&before);
        add(&mut expected, lambda, &inverse_mass_times(&before, &g));
        let mut after = before.clone();
        inelastic_projection(&mut after, &[c]);
        assert!(apart(&state(&after), &expected) < 1e-12);
    }
}

#[test]
fn bodies_and_cloth_together_conserve_momentum_and_angular_momentum() {
    let mut noise = Noise(52);
    for count in [1, 2, 5, 12] {
        for _ in 0..20 {
            let (before, zone) = meeting(&mut noise, count);
            let all = constraints(&before, &zone, 0.0);
            let mut one_by_one = before.clone();
            let mut hits: Vec<_> = zone.iter().map(|c| c.hit(0.5)).collect();
            continuous::resolve(&mut one_by_one, &mut hits, |_| 0.0);
            let mut projected = before.clone();
            inelastic_projection(&mut projected, &all);
            let mut pushed = before.clone();
            complementarity(&mut pushed, &all);
            for after in [one_by_one, projected, pushed] {
                assert!((momentum(&after) - momentum(&before)).length() < 1e-10);
                let change = angular_momentum(&after) - angular_momentum(&before);
                assert!(change.length() < 1e-10, "{count}: {change}");
                assert!(energy(&after) <= energy(&before) * (1.0 + 1e-9));
            }
        }
    }
}

#[test]
fn zones_with_bodies_agree_with_the_dense_reference() {
    let mut noise = Noise(53);
    for count in [2, 5, 12, 30] {
        for _ in 0..10 {
            let (before, zone) = meeting(&mut noise, count);
            let mut after = before.clone();
            let outcome = inelastic_projection(&mut after, &constraints(&before, &zone, 0.0));
            assert!(outcome.violation < 1e-6, "{count}: {}", outcome.violation);
            let rows: Vec<Vec<f64>> = zone
                .iter()
                .map(|c| gradient(&before, c, c.normal))
                .collect();
            let off = apart(&state(&after), &nearest_without(&before, &rows));
            assert!(off < 2e-5, "{count}: {off}");
        }
    }
}
