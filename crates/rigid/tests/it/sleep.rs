//! Islands fall asleep and wake.

use crate::engine::{Heap, at, material};
use conatus_geometry::Shape;
use conatus_math::{DVec3, Pose};
use conatus_rigid::contact::{Collider, ScriptedMotion};
use conatus_rigid::joint::{Freedom, Joint};
use conatus_rigid::{Activity, State};

const HALF: DVec3 = DVec3::splat(0.25);

fn stack(boxes: usize) -> Heap {
    let mut heap = Heap::new(0.01);
    heap.sleeps = true;
    heap.floor(material(0.0, 0.6));
    add_stack(&mut heap, 0.0, boxes);
    heap
}

fn add_stack(heap: &mut Heap, x: f64, boxes: usize) {
    for k in 0..boxes {
        let place = DVec3::new(x, 0.0, 0.25 + 0.5 * k as f64);
        heap.add_box(HALF, 60.0, at(place), material(0.0, 0.6));
    }
}

fn asleep(heap: &Heap) -> usize {
    (0..heap.bodies.len())
        .filter(|&m| heap.bodies.activity(m) == Activity::Asleep)
        .count()
}

#[test]
fn a_stack_falls_asleep_with_exactly_no_velocity() {
    let mut heap = stack(10);
    let energy = heap.energy();
    heap.run(3.0);
    assert_eq!(asleep(&heap), 10);
    let places: Vec<State> = (0..10).map(|m| heap.bodies.state(m)).collect();
    for (k, s) in places.iter().enumerate() {
        assert_eq!((s.velocity, s.omega_body), (DVec3::ZERO, DVec3::ZERO));
        assert!((s.position.z - 0.25 - 0.5 * k as f64).abs() < 0.02, "{s:?}");
    }
    // Its energy still counts.
    assert!((heap.energy() / energy - 1.0).abs() < 1e-2);
    heap.run(60.0);
    for (m, s) in places.iter().enumerate() {
        assert_eq!(heap.bodies.state(m), *s);
    }
}

/// A ball that arrives at a sleeping box within one step meets the mass of the box, not
/// a wall: momentum along the floor without friction is that of the ball.
#[test]
fn a_fast_ball_wakes_what_it_hits_and_shares_its_momentum() {
    for sleeps in [false, true] {
        let mut heap = Heap::new(0.01);
        heap.sleeps = sleeps;
        heap.floor(material(0.0, 0.0));
        let block = heap.add_box(HALF, 4.0, at(DVec3::Z * 0.25), material(0.0, 0.0));
        heap.run(2.0);
        assert_eq!(asleep(&heap), usize::from(sleeps));
        let shot = State {
            position: DVec3::new(-3.0, 0.0, 0.25),
            velocity: DVec3::X * 50.0,
            ..State::default()
        };
        let ball = heap.add_ball(0.1, 1.0, shot, material(0.0, 0.0));
        heap.run(0.2);
        let [a, b] = [block, ball].map(|m| heap.bodies.state(m).velocity.x);
        assert!((4.0 * a + b - 50.0).abs() < 1e-9, "{a} {b}");
        assert!((a - 10.0).abs() < 0.1, "{a} {b}");
    }
}

#[test]
fn only_the_island_that_is_touched_wakes() {
    let mut heap = stack(3);
    add_stack(&mut heap, 2.0, 3);
    heap.run(2.0);
    assert_eq!(asleep(&heap), 6);
    heap.add_ball(0.1, 1.0, at(DVec3::Z * 2.0), material(0.0, 0.6));
    heap.run(0.5);
    let states = |heap: &Heap| (0..6).map(|m| heap.bodies.activity(m)).collect::<Vec<_>>();
    let [awake, sleeping] = [Activity::Free, Activity::Asleep];
    assert_eq!(
        states(&heap),
        [awake, awake, awake, sleeping, sleeping, sleeping]
    );
    heap.engine.wake_body(&mut heap.bodies, 5);
    assert_eq!(asleep(&heap), 0);
    heap.run(3.0);
    // The ball came to rest on the stack, or fell beside it.
    assert!(asleep(&heap) >= 6);
}

#[test]
fn a_stack_that_wakes_does_not_move() {
    let mut heap = stack(5);
    heap.run(3.0);
    assert_eq!(asleep(&heap), 5);
    let places: Vec<DVec3> = (0..5).map(|m| heap.bodies.state(m).position).collect();
    heap.engine.wake_all(&mut heap.bodies);
    assert_eq!(asleep(&heap), 0);
    heap.step();
    for (m, place) in places.iter().enumerate() {
        let moved = heap.bodies.state(m).position.distance(*place);
        assert!(moved < 1e-6, "box {m} moved {moved}");
    }
    heap.run(2.0);
    assert_eq!(asleep(&heap), 5);
}

#[test]
fn what_floats_freely_never_sleeps() {
    let mut heap = Heap::new(0.01);
    heap.sleeps = true;
    heap.gravity = DVec3::ZERO;
    let drifting = State {
        velocity: DVec3::X * 1e-4,
        ..State::default()
    };
    heap.floor(material(0.0, 0.0));
    let body = heap.add_ball(
        0.1,
        1.0,
        State {
            position: DVec3::Z,
            ..drifting
        },
        material(0.0, 0.0),
    );
    heap.run(10.0);
    assert!((heap.bodies.state(body).position.x - 1e-3).abs() < 1e-12);
}

#[test]
fn a_moving_platform_wakes_what_lies_on_it() {
    let mut heap = Heap::new(0.01);
    heap.sleeps = true;
    let slab = Shape::Box {
        half_extents: DVec3::new(1.0, 1.0, 0.1),
    };
    let platform = Collider::scripted(0, slab, Pose::IDENTITY, material(0.0, 0.8));
    heap.engine.colliders.push(platform);
    heap.engine.scripted = vec![ScriptedMotion::at_rest(Pose::IDENTITY)];
    let body = heap.add_box(HALF, 10.0, at(DVec3::Z * 0.35), material(0.0, 0.8));
    heap.run(2.0);
    assert_eq!(asleep(&heap), 1);
    for k in 0..100 {
        heap.engine.scripted = vec![ScriptedMotion {
            pose: Pose::shift(DVec3::Z * (0.005 * f64::from(k))),
            velocity: DVec3::Z * 0.5,
            omega: DVec3::ZERO,
        }];
        heap.step();
    }
    assert!((heap.bodies.state(body).position.z - 0.85).abs() < 2e-3);
}

#[test]
fn a_hanging_chain_sleeps_as_one_island() {
    let mut heap = Heap::new(0.01);
    heap.sleeps = true;
    let mut above = None;
    for k in 0..4 {
        let z = -0.3 * f64::from(k) - 0.3;
        let body = heap.add_ball(0.05, 1.0, at(DVec3::Z * z), material(0.0, 0.0));
        let anchors = match above {
            None => [DVec3::ZERO, DVec3::Z * 0.3],
            Some(_) => [DVec3::Z * -0.15, DVec3::Z * 0.15],
        };
        let frames = anchors.map(Pose::shift);
        let joint = Joint::ball([above, Some(body)], frames, None, Freedom::FREE);
        heap.engine.joints.push(joint);
        above = Some(body);
    }
    heap.run(2.0);
    assert_eq!(asleep(&heap), 4);
    let push = State {
        position: DVec3::new(-1.0, 0.0, -1.2),
        velocity: DVec3::new(5.0, 0.0, 1.0),
        ..State::default()
    };
    heap.add_ball(0.05, 1.0, push, material(1.0, 0.0));
    heap.run(0.4);
    assert_eq!(asleep(&heap), 0);
    assert!(heap.bodies.state(0).velocity.length() > 0.01);
}
