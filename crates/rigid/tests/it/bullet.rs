//! Nothing passes through a thin plate, however fast it flies.

use crate::engine::{Heap, at, material};
use crate::random_scenes::grid;
use crate::support::pieces::Rng;
use conatus_geometry::Shape;
use conatus_math::{DQuat, DVec3, Pose};
use conatus_rigid::Activity;
use conatus_rigid::State;
use conatus_rigid::contact::ScriptedMotion;
use conatus_rigid::contact::collider::Collider;

const HALF_THICKNESS_M: f64 = 0.005;
const HALF_SIZE_M: f64 = 0.5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Plate {
    Free,
    Locked,
    Moving,
}

/// A plate across the x axis, in its own pose.
fn plate(heap: &mut Heap, kind: Plate, turn: DQuat, velocity: DVec3) -> Option<usize> {
    let half = DVec3::new(HALF_THICKNESS_M, HALF_SIZE_M, HALF_SIZE_M);
    let pose = Pose::new(turn, DVec3::ZERO);
    let m = material(0.3, 0.3);
    match kind {
        Plate::Free | Plate::Locked => {
            let mut state = at(DVec3::ZERO);
            state.orientation = turn;
            let body = heap.add_box(half, 78.0, state, m);
            if kind == Plate::Locked {
                heap.bodies.set_activity(body, Activity::Locked);
            } else {
                heap.bodies
                    .set_mover_state(body, &State { velocity, ..state });
            }
            Some(body)
        }
        Plate::Moving => {
            let shape = Shape::Box { half_extents: half };
            heap.engine
                .add(Collider::scripted(0, shape, Pose::IDENTITY, m));
            heap.engine.scripted = vec![ScriptedMotion {
                pose,
                velocity,
                omega: DVec3::ZERO,
            }];
            None
        }
    }
}

/// One shot: which side of the plate the bullet is on after it, and whether it met it.
fn shot(seed: u64) -> Result<bool, String> {
    let mut rng = Rng(seed);
    let kind = [Plate::Free, Plate::Locked, Plate::Moving][rng.below(3) as usize];
    let rate = [60.0, 240.0, 1000.0][rng.below(3) as usize];
    let mut heap = Heap::new(1.0 / rate);
    heap.gravity = DVec3::ZERO;
    let turn = rng.turn();
    let normal = turn * DVec3::X;
    let drift = match kind {
        Plate::Free | Plate::Moving => normal * rng.within(0.0, 20.0),
        Plate::Locked => DVec3::ZERO,
    };
    let body = plate(&mut heap, kind, turn, drift);
    // From a point on the side of the normal to a point of the plate.
    let speed = rng.scale(10.0, 2000.0);
    let size = rng.scale(0.002, 0.03);
    let target = turn * DVec3::new(0.0, rng.within(-0.4, 0.4), rng.within(-0.4, 0.4));
    let direction = loop {
        let d = rng.direction();
        if d.dot(normal) < -0.1 {
            break d;
        }
    };
    let flight = rng.within(0.05, 2.5) / rate;
    // Where it meets the plate, which moves until then.
    let back = (flight * speed).max(3.0 * (size + HALF_THICKNESS_M) / -direction.dot(normal));
    let flight = back / speed;
    let state = State {
        position: target + drift * flight - direction * back,
        velocity: direction * speed,
        orientation: rng.turn(),
        omega_body: rng.vector(100.0),
    };
    let volume = size.powi(3) * 4.0;
    let bullet = heap.add_ball(size, 8000.0 * volume, state, material(0.3, 0.3));
    let mut met = false;
    let steps = (1.3 * flight * rate).ceil() as usize + 1;
    for _ in 0..steps {
        heap.step();
        met |= heap.engine.contacts.iter().any(|c| c.acted);
        let (p, q) = match body {
            Some(b) => (
                heap.bodies.state(b).position,
                heap.bodies.state(b).orientation,
            ),
            None => {
                let own = &mut heap.engine.scripted[0];
                own.pose.translation += own.velocity * heap.h;
                (own.pose.translation, own.pose.rotation)
            }
        };
        let s = heap.bodies.state(bullet);
        let seen = q.conjugate() * (s.position - p);
        let beside = seen.y.abs() > HALF_SIZE_M || seen.z.abs() > HALF_SIZE_M;
        if seen.x < 0.0 && !(met && beside) {
            return Err(format!(
                "{kind:?} at {speed} m/s, {} m, h {}, {}: {seen}",
                size,
                heap.h,
                heap.bodies.len()
            ));
        }
        if met && beside {
            break;
        }
    }
    Ok(met)
}

#[test]
fn no_ball_passes_through_a_plate_of_a_centimetre_at_up_to_2000_m_s() {
    for seed in 0..1000 {
        assert_eq!(shot(seed), Ok(true), "seed {seed}");
    }
}

/// Story: only the triangles below a bullet at the start of its step stopped it, so it flew
/// through the next ones.
#[test]
fn no_bullet_passes_a_mesh_at_any_angle() {
    let mut passed = Vec::new();
    for seed in 0..400 {
        let mut rng = Rng(seed);
        let mut heap = Heap::new(1.0 / 60.0);
        heap.gravity = DVec3::ZERO;
        let m = material(0.3, 0.3);
        let mesh = Shape::mesh_of(grid(20.0, 4 + rng.below(80) as usize));
        heap.engine.add(Collider::fixed(mesh, Pose::IDENTITY, m));
        let speed = rng.scale(50.0, 2000.0);
        let slope = rng.scale(0.02, 1.0);
        let direction = DVec3::new(1.0, rng.within(-0.3, 0.3), -slope).normalize();
        let target = DVec3::new(rng.within(-5.0, 5.0), rng.within(-5.0, 5.0), 0.0);
        let back = (rng.within(0.05, 1.5) * speed * heap.h).max(0.3 / slope);
        let state = State {
            position: target - direction * back,
            velocity: direction * speed,
            orientation: rng.turn(),
            omega_body: DVec3::ZERO,
        };
        let size = rng.scale(0.005, 0.05);
        let b = heap.add_ball(size, 0.1, state, m);
        for _ in 0..4 {
            heap.step();
            let p = heap.bodies.state(b).position;
            if p.z < 0.0 && p.x.abs() < 19.0 && p.y.abs() < 19.0 {
                passed.push((seed, p));
                break;
            }
        }
    }
    assert!(passed.is_empty(), "{} {passed:?}", passed.len());
}
