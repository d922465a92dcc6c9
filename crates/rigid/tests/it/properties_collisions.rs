//! Conservation laws of collisions and merging, for random bodies.

use crate::support::Universe;
use crate::support::strategies::{Collider, collider, direction, inertia, meeting, state, vector};
use conatus_math::DVec3;
use conatus_rigid::contact::impulse::{Meeting, collide};
use conatus_rigid::{Activity, Bodies, Constants, State};
use proptest::prelude::*;

/// Lets two bodies collide with restitution `c`, on the side on which they
/// close in.
fn meet(a: &mut Collider, b: &mut Collider, at: &mut Meeting, c: f64) {
    let (p, q) = (&mut a.participant, &mut b.participant);
    let closing = (p.velocity_at(at.arm_a) - q.velocity_at(at.arm_b)).dot(at.normal);
    at.normal *= closing.signum();
    collide(p, q, at, c * closing.abs());
}

/// Momentum, angular momentum about the point of contact, and energy.
fn sums(a: &Collider, b: &Collider, at: &Meeting) -> (DVec3, DVec3, f64) {
    (
        a.momentum() + b.momentum(),
        a.angular_momentum(-at.arm_a) + b.angular_momentum(-at.arm_b),
        a.energy() + b.energy(),
    )
}

proptest! {
    /// Di Pierro (75): without friction and with c = 1 no energy is lost.
    #[test]
    fn an_elastic_collision_conserves_energy_and_momenta(
        mut a in collider(), mut b in collider(), mut at in meeting(0.0),
    ) {
        let before = sums(&a, &b, &at);
        meet(&mut a, &mut b, &mut at, 1.0);
        let after = sums(&a, &b, &at);
        let scale = 1.0 + before.2;
        prop_assert!((after.0 - before.0).length() < 1e-11 * scale);
        prop_assert!((after.1 - before.1).length() < 1e-11 * scale);
        prop_assert!((after.2 - before.2).abs() < 1e-11 * scale);
    }

    /// Di Pierro (77)-(80): momenta are conserved with any friction and
    /// restitution.
    #[test]
    fn every_collision_conserves_momentum_and_angular_momentum(
        mut a in collider(), mut b in collider(), mut at in meeting(2.0), c in 0.0..=1.0,
    ) {
        let before = sums(&a, &b, &at);
        meet(&mut a, &mut b, &mut at, c);
        let after = sums(&a, &b, &at);
        let scale = 1.0 + before.2;
        prop_assert!((after.0 - before.0).length() < 1e-11 * scale);
        prop_assert!((after.1 - before.1).length() < 1e-11 * scale);
    }

    /// Di Pierro (76): no collision gains energy, with any friction, arms and
    /// tensors.
    #[test]
    fn no_collision_gains_energy(
        mut a in collider(), mut b in collider(), mut at in meeting(2.0), c in 0.0..=1.0,
    ) {
        let before = a.energy() + b.energy();
        meet(&mut a, &mut b, &mut at, c);
        let after = a.energy() + b.energy();
        prop_assert!(after <= before * (1.0 + 1e-12), "{before} {after}");
    }

    /// Balls through detection and response: momenta are conserved, energy
    /// never grows, and elastic smooth balls conserve it.
    #[test]
    fn a_pair_of_balls_conserves_momentum_and_gains_no_energy(
        masses in (0.1..5.0, 0.1..5.0), radii in (0.1..1.0, 0.1..1.0),
        velocities in (vector(3.0), vector(3.0)), spins in (vector(5.0), vector(5.0)),
        n in direction(), c in prop_oneof![Just(1.0), 0.0..1.0], mu in prop_oneof![Just(0.0), 0.0..1.0],
    ) {
        let mut u = Universe::new(1e-7, DVec3::ZERO);
        let reach: f64 = radii.0 + radii.1;
        let at = |position, velocity, omega_body| State {
            position, velocity, omega_body, ..State::default()
        };
        u.add_ball(masses.0, radii.0, c, mu, at(DVec3::ZERO, velocities.0, spins.0));
        let second = n * (reach - 1e-9);
        u.add_ball(masses.1, radii.1, c, mu, at(second, velocities.1, spins.1));
        let before = u.bodies.totals();
        u.step();
        let after = u.bodies.totals();
        let scale = 1.0 + before.0;
        prop_assert!((after.1 - before.1).length() < 1e-12 * scale);
        prop_assert!((after.2 - before.2).length() < 1e-7 * scale);
        prop_assert!(after.0 <= before.0 * (1.0 + 1e-12));
        if c == 1.0 && mu == 0.0 {
            prop_assert!((after.0 - before.0).abs() < 1e-12 * scale);
        }
    }

    /// Di Pierro (64)-(67): merging two to four bodies, and again with the
    /// others, conserves mass, momentum and angular momentum about the origin,
    /// and never gains energy.
    #[test]
    fn merging_keeps_mass_and_momenta_and_gains_no_energy(
        parts in proptest::collection::vec((inertia(), state()), 3..7), first in 2usize..5,
    ) {
        let mut bodies = Bodies::new();
        for ((mass, moments), state) in &parts {
            bodies.add(Constants::new(*mass, *moments), *state, Activity::Free);
        }
        let mass = |b: &Bodies| b.movers().map(|m| b.constants(m).mass).sum::<f64>();
        let (total, mut sums) = (mass(&bodies), bodies.totals());
        let all: Vec<usize> = (0..parts.len()).collect();
        let first = first.min(parts.len());
        for list in [&all[..first], &all[first - 1..], &all[..]] {
            let poses: Vec<_> = all.iter().map(|&i| bodies.state(i).pose()).collect();
            bodies.merge(list);
            let after = bodies.totals();
            let scale = 1.0 + sums.0 + sums.2.length();
            prop_assert!((mass(&bodies) - total).abs() < 1e-12 * total);
            prop_assert!((after.1 - sums.1).length() < 1e-11 * scale);
            prop_assert!((after.2 - sums.2).length() < 1e-11 * scale);
            prop_assert!(after.0 <= sums.0 * (1.0 + 1e-11));
            // Positions are continuous.
            for (&i, pose) in all.iter().zip(&poses) {
                let p = DVec3::new(0.3, -0.2, 0.5);
                prop_assert!((bodies.state(i).point_position(p) - pose.point(p)).length() < 1e-11);
            }
            sums = after;
        }
        prop_assert_eq!(bodies.movers().count(), 1);
    }
}
