//! The complementarity problem that the paper leaves for later.

use super::support::*;
use crate::response::constraint::StencilPair;
use crate::response::inelastic_projection::{complementarity, inelastic_projection};
use crate::response::motion::ResponseMotion;
use conatus_math::DVec3;

const PAIR: StencilPair = StencilPair::VertexTriangle;

/// Brute force: tries every set of pressing collisions. Those have no normal
/// velocity, the others no impulse. Returns q̇′ of the set that is a solution.
fn enumerate(motion: &ResponseMotion, zone: &[Collision]) -> Option<Vec<f64>> {
    let k = zone.len();
    let rows: Vec<Vec<f64>> = zone
        .iter()
        .map(|c| {
            let g = gradient(motion, c, c.normal);
            let size = dot(&g, &inverse_mass_times(motion, &g)).sqrt();
            g.iter().map(|x| x / size).collect()
        })
        .collect();
    let q = state(motion);
    for set in 0..1u32 << k {
        let pressing: Vec<usize> = (0..k).filter(|i| set >> i & 1 == 1).collect();
        let a = pressing.iter().map(|&i| {
            let image = inverse_mass_times(motion, &rows[i]);
            pressing.iter().map(|&j| dot(&rows[j], &image)).collect()
        });
        let b = pressing.iter().map(|&i| -dot(&rows[i], &q)).collect();
        let Some(lambda) = gauss(a.collect(), b) else {
            continue;
        };
        let mut after = q.clone();
        for (&i, &l) in pressing.iter().zip(&lambda) {
            add(&mut after, l, &inverse_mass_times(motion, &rows[i]));
        }
        let pushes = lambda.iter().all(|&l| l >= -1e-9);
        let apart = rows.iter().all(|r| dot(r, &after) >= -1e-9);
        if pushes && apart {
            return Some(after);
        }
    }
    None
}

/// Harmon §2: nonnegative impulses, nonnegative normal velocities, one of the
/// two zero; and of those motions the one with the least energy, which brute
/// force over all sets of pressing collisions finds as well.
#[test]
fn the_complementarity_problem_agrees_with_brute_force() {
    let mut noise = Noise(21);
    let mut lazy = 0;
    for (vertices, count) in [(4, 1), (5, 2), (6, 4), (8, 6), (5, 6)] {
        for _ in 0..30 {
            let before = free_vertices(&mut noise, vertices);
            let zone: Vec<Collision> = (0..count)
                .map(|_| random_collision(&mut noise, &before))
                .collect();
            let mut after = before.clone();
            let outcome = complementarity(&mut after, &constraints(&before, &zone, 0.0));
            assert!(outcome.violation < 1e-5, "{}", outcome.violation);
            for (c, &j) in zone.iter().zip(&outcome.impulses) {
                let n = normal_velocity(&after, c);
                assert!(j >= 0.0 && n > -1e-5 && j * n.abs() < 1e-5, "{j}, {n}");
                lazy += usize::from(j == 0.0);
            }
            let reference = enumerate(&before, &zone).expect("there is always a solution");
            let off = apart(&state(&after), &reference);
            assert!(off < 1e-4, "{count} on {vertices}: {off}");
            assert!(energy(&after) <= energy(&before) * (1.0 + 1e-9));
        }
    }
    assert!(lazy > 50, "only {lazy} collisions without an impulse");
}

/// A vertex on a floor is lifted by a second collision: the projection holds it
/// on the floor ("sticking"), the complementarity problem releases it.
#[test]
fn a_separating_vertex_does_not_stick() {
    let mut noise = Noise(22);
    let mut before = free_vertices(&mut noise, 5);
    before.inverse_mass[..3].fill(0.0);
    let flat = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for (i, corner) in flat.into_iter().enumerate() {
        before.start[i] = corner - DVec3::Z;
        before.velocity[i] = DVec3::Z * 3.0;
    }
    before.start[3] = DVec3::new(0.2, 0.2, 0.0);
    before.velocity[3] = DVec3::NEG_Z;
    let zone = [
        on_plane(3, DVec3::Z),
        collision(&before, PAIR, [0, 1, 2, 3]),
    ];
    let (mut free, mut stuck) = (before.clone(), before.clone());
    let outcome = complementarity(&mut free, &constraints(&before, &zone, 0.0));
    assert!((free.velocity[3].z - 3.0).abs() < 1e-6);
    assert!(outcome.impulses[0] == 0.0 && outcome.violation < 1e-6);
    let outcome = inelastic_projection(&mut stuck, &constraints(&before, &zone, 0.0));
    assert!(outcome.violation > 1.0, "two floors contradict each other");
}
