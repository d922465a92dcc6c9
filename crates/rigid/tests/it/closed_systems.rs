//! Nothing from outside acts: momentum and angular momentum stay, whatever the bodies of
//! the system do to each other.

use crate::engine::{Heap, material};
use crate::support::pieces::{Piece, Rng, every_kind};
use conatus_math::{DVec3, Pose};
use conatus_rigid::State;
use conatus_rigid::joint::{Freedom, Joint, Motor, MotorTarget};

/// Of what a system may change in one step, as a share of its scale.
const TOLERANCE: f64 = 1e-9;

fn empty_space(h: f64) -> Heap {
    let mut heap = Heap::new(h);
    heap.gravity = DVec3::ZERO;
    heap
}

/// The sums of the sizes of momenta, and of angular momenta about the centre of mass.
fn scales(heap: &Heap) -> (f64, f64) {
    let mut sums = (0.0, 0.0);
    let n = heap.bodies.len();
    let mass: f64 = (0..n).map(|k| heap.bodies.constants(k).mass).sum();
    let centre = (0..n)
        .map(|k| heap.bodies.state(k).position * heap.bodies.constants(k).mass)
        .sum::<DVec3>()
        / mass;
    for k in 0..n {
        let (s, c) = (heap.bodies.state(k), heap.bodies.constants(k));
        let momentum = s.velocity.length() * c.mass;
        sums.0 += momentum;
        sums.1 +=
            (s.position - centre).length() * momentum + s.angular_momentum(c.moments).length();
    }
    sums
}

/// Runs and returns the greatest changes in a step, as shares of the scales.
fn worst_changes(heap: &mut Heap, seconds: f64) -> (f64, f64) {
    let mut worst = (0.0f64, 0.0f64);
    for _ in 0..(seconds / heap.h).round() as usize {
        let scales = scales(heap);
        let before = heap.bodies.totals();
        heap.step();
        let after = heap.bodies.totals();
        worst.0 = worst.0.max((after.1 - before.1).length() / scales.0);
        worst.1 = worst.1.max((after.2 - before.2).length() / scales.1);
    }
    worst
}

fn add(heap: &mut Heap, piece: &Piece, state: State, e: f64, mu: f64) -> usize {
    heap.add(
        piece.shape.clone(),
        piece.mass,
        piece.moments,
        state,
        material(e, mu),
    )
}

/// A cloud of bodies of every kind that fly towards its centre, collide there, press on
/// each other and slide along each other.
fn cloud(h: f64, restitution: f64, friction: f64) -> Heap {
    let mut heap = empty_space(h);
    let mut rng = Rng(11);
    for k in 0..14 {
        let pieces = every_kind(rng.scale(0.5, 20.0));
        let piece = &pieces[k % pieces.len()];
        let (i, j, l) = (k % 3, k / 3 % 3, k / 9);
        let place = DVec3::new(i as f64, j as f64, l as f64) * 1.5 - DVec3::splat(1.5);
        let state = State {
            position: place,
            velocity: place * -1.0 + rng.vector(0.3),
            orientation: rng.turn(),
            omega_body: rng.vector(3.0),
        };
        add(&mut heap, piece, state, restitution, friction);
    }
    heap
}

#[test]
fn an_elastic_smooth_cloud_keeps_its_momenta_in_every_step() {
    let mut heap = cloud(1.0 / 120.0, 1.0, 0.0);
    let worst = worst_changes(&mut heap, 2.0);
    assert!(worst.0 < TOLERANCE && worst.1 < TOLERANCE, "{worst:?}");
}

/// Slow contacts are soft and press for many steps; both kinds are in one step here.
#[test]
fn inelastic_and_rough_clouds_keep_their_momenta_in_every_step() {
    for (restitution, friction) in [(0.0, 0.0), (0.0, 0.5), (0.4, 0.3), (0.8, 1.0)] {
        let mut heap = cloud(1.0 / 120.0, restitution, friction);
        let worst = worst_changes(&mut heap, 2.0);
        assert!(
            worst.0 < TOLERANCE && worst.1 < TOLERANCE,
            "{restitution}, {friction}: {worst:?}"
        );
    }
}

/// Jointed bodies in free flight, with limits, springs and motors.
#[test]
fn jointed_bodies_keep_their_momenta() {
    let mut rng = Rng(3);
    let about = Freedom {
        range: Some([-0.3, 0.4]),
        ..Freedom::FREE
    };
    let driven = Freedom {
        motor: Some(Motor::new(MotorTarget::Velocity(5.0), 3.0)),
        ..Freedom::FREE
    };
    for kind in 0..8 {
        let mut heap = empty_space(1.0 / 120.0);
        let pieces = every_kind(1.5);
        for k in 0..4 {
            let state = State {
                position: DVec3::X * (1.4 * k as f64),
                velocity: rng.vector(1.0),
                orientation: rng.turn(),
                omega_body: rng.vector(3.0),
            };
            add(&mut heap, &pieces[(k + kind) % 7], state, 0.0, 0.3);
        }
        for k in 1..4 {
            let world = Pose::new(rng.turn(), DVec3::X * (1.4 * k as f64 - 0.7));
            let bodies = [Some(k - 1), Some(k)];
            let frames = [k - 1, k].map(|b| heap.bodies.state(b).pose().inverse().after(&world));
            let joint = match kind {
                0 => Joint::fixed(bodies, frames),
                1 => Joint::ball(bodies, frames, Some(0.4), about),
                2 => Joint::hinge(bodies, frames, about),
                3 => Joint::hinge(bodies, frames, driven),
                4 => Joint::slider(bodies, frames, about),
                5 => Joint::universal(bodies, frames, [about, driven]),
                6 => Joint::rope(bodies, [DVec3::ZERO; 2], 1.45),
                _ => Joint::distance(bodies, [DVec3::ZERO; 2], Freedom::within(1.4, 1.4)),
            };
            heap.engine.joints.push(joint);
        }
        heap.engine.colliders.clear();
        let worst = worst_changes(&mut heap, 2.0);
        assert!(
            worst.0 < TOLERANCE && worst.1 < TOLERANCE,
            "{kind}: {worst:?}"
        );
    }
}

/// A ball flies into a chain that floats freely, and is stopped by it.
#[test]
fn a_chain_that_is_hit_keeps_its_momenta() {
    for (restitution, friction) in [(1.0, 0.0), (0.0, 0.5), (0.6, 0.3)] {
        let mut heap = empty_space(1.0 / 120.0);
        let pieces = every_kind(1.5);
        for k in 0..5 {
            let place = State {
                position: DVec3::X * (1.2 * k as f64),
                ..State::default()
            };
            add(&mut heap, &pieces[k % 7], place, restitution, friction);
        }
        for k in 1..5 {
            let world = Pose::shift(DVec3::X * (1.2 * k as f64 - 0.6));
            let frames = [k - 1, k].map(|b| heap.bodies.state(b).pose().inverse().after(&world));
            let bodies = [Some(k - 1), Some(k)];
            let joint = match k % 2 {
                0 => Joint::hinge(bodies, frames, Freedom::FREE),
                _ => Joint::ball(bodies, frames, None, Freedom::FREE),
            };
            heap.engine.joints.push(joint);
        }
        let flying = State {
            position: DVec3::new(2.0, -3.0, 0.2),
            velocity: DVec3::Y * 6.0,
            ..State::default()
        };
        add(&mut heap, &pieces[0], flying, restitution, friction);
        let worst = worst_changes(&mut heap, 1.5);
        let start = 6.0 * heap.bodies.constants(5).mass;
        let pushed = heap.bodies.state(2).velocity.length();
        assert!(pushed > 0.1 && start > 0.0, "{pushed}");
        assert!(
            worst.0 < TOLERANCE && worst.1 < TOLERANCE,
            "{restitution}, {friction}: {worst:?}"
        );
    }
}
