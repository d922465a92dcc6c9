//! Joints against closed forms: periods, limits, motors, conservation.

use crate::engine::{Heap, at, material};
use crate::support::elliptic::complete_k;
use crate::support::{Universe, resting};
use conatus_math::{DQuat, DVec3, Pose, rotation};
use conatus_rigid::joint::{Freedom, Joint, Motor, MotorTarget, Spring};
use std::f64::consts::{FRAC_PI_2, PI};

const STEPS_PER_SECOND: usize = 240;

fn universe(gravity: DVec3) -> Universe {
    Universe::new(1.0 / STEPS_PER_SECOND as f64, gravity)
}

fn frame(position: DVec3) -> Pose {
    Pose::new(DQuat::IDENTITY, position)
}

/// The coordinates of a joint.
fn values(m: &Universe, joint: usize) -> [f64; 6] {
    let joint = &m.engine.joints[joint];
    let pose = |side: usize| match joint.bodies[side] {
        Some(body) => m.state(body).pose().after(&joint.frames[side]),
        None => joint.frames[side],
    };
    joint.values(&pose(0), &pose(1))
}

fn worst_error(m: &Universe) -> f64 {
    let errors = m.engine.joints.iter().map(|j| j.load.error);
    errors.fold(0.0, f64::max)
}

/// T = 4 √(I/(m g l)) K(sin θ₀/2) for a compound pendulum let go at θ₀.
#[test]
fn a_hinged_rod_swings_with_the_period_of_the_elliptic_integral() {
    let (mass, length, g) = (2.0, 1.2, 9.81);
    let inertia = mass * length * length / 12.0;
    for degrees in [10.0f64, 60.0, 120.0] {
        let start = degrees.to_radians();
        let mut m = universe(DVec3::Z * -g);
        let turn = DQuat::from_rotation_y(-start);
        let mut state = resting(turn * (DVec3::Z * (-0.5 * length)));
        state.orientation = turn;
        let rod = m.add(mass, DVec3::new(inertia, inertia, 1e-3), state);
        // The z axis of the frames is the y axis of the world.
        let about_y = DQuat::from_rotation_x(-FRAC_PI_2);
        let frames = [
            Pose::new(about_y, DVec3::ZERO),
            Pose::new(about_y, DVec3::Z * (0.5 * length)),
        ];
        m.engine
            .joints
            .push(Joint::hinge([None, Some(rod)], frames, Freedom::FREE));
        let about_pivot = inertia + mass * (0.5 * length).powi(2);
        let expected = 4.0
            * (about_pivot / (mass * g * 0.5 * length)).sqrt()
            * complete_k((0.5 * start).sin().powi(2));
        // The times at which it passes the lowest point from the same side.
        let mut passes = Vec::new();
        let mut last = m.state(rod).position.x;
        while passes.len() < 6 {
            m.step();
            let x = m.state(rod).position.x;
            if last < 0.0 && x >= 0.0 || last > 0.0 && x <= 0.0 {
                let share = last / (last - x);
                passes.push((m.steps as f64 - 1.0 + share) * m.h);
            }
            last = x;
            assert!(m.steps < 10_000);
        }
        let period = (passes[4] - passes[0]) / 2.0;
        assert!(
            (period / expected - 1.0).abs() < 2e-3,
            "{degrees}: {period} {expected}"
        );
        assert!(worst_error(&m) < 1e-3, "{}", worst_error(&m));
    }
}

/// Two bodies in free flight, joined by a ball joint, keep momentum and angular momentum.
#[test]
fn free_joined_bodies_keep_their_momenta() {
    let mut m = universe(DVec3::ZERO);
    let mut a = resting(DVec3::ZERO);
    a.omega_body = DVec3::new(2.0, 0.5, -1.0);
    let mut b = resting(DVec3::X);
    b.velocity = DVec3::new(0.0, 1.0, 0.3);
    b.omega_body = DVec3::new(-1.0, 3.0, 0.2);
    let a = m.add(1.0, DVec3::new(0.1, 0.2, 0.25), a);
    let b = m.add(2.0, DVec3::new(0.3, 0.2, 0.4), b);
    let frames = [frame(DVec3::X * 0.5), frame(DVec3::X * -0.5)];
    m.engine
        .joints
        .push(Joint::ball([Some(a), Some(b)], frames, None, Freedom::FREE));
    let start = m.bodies.totals();
    for _ in 0..2400 {
        m.step();
        let now = m.bodies.totals();
        assert!((now.1 - start.1).length() < 1e-10);
        assert!(
            (now.2 - start.2).length() < 1e-10,
            "{}",
            (now.2 - start.2).length()
        );
        assert!(now.0 < start.0 * (1.0 + 1e-3));
    }
    assert!(worst_error(&m) < 1e-3);
}

/// A motor with a greatest torque speeds a wheel up as τ t / I, then holds its speed.
#[test]
fn a_motor_turns_a_wheel_with_its_torque() {
    let inertia = 0.5;
    let mut m = universe(DVec3::Z * -9.81);
    let wheel = m.add(3.0, DVec3::new(0.3, 0.3, inertia), resting(DVec3::ZERO));
    let about = Freedom {
        motor: Some(Motor::new(MotorTarget::Velocity(4.0), 1.0)),
        ..Freedom::FREE
    };
    let frames = [Pose::IDENTITY; 2];
    m.engine
        .joints
        .push(Joint::hinge([None, Some(wheel)], frames, about));
    m.run(STEPS_PER_SECOND);
    let spin = m.state(wheel).omega_body.z;
    assert!((spin - 2.0).abs() < 1e-6, "{spin}");
    m.run(2 * STEPS_PER_SECOND);
    let spin = m.state(wheel).omega_body.z;
    assert!((spin - 4.0).abs() < 1e-6, "{spin}");
    // The hinge carries the weight.
    let force = m.engine.joints[0].load.force;
    assert!((force - DVec3::Z * (3.0 * 9.81)).length() < 1e-3, "{force}");
}

#[test]
fn a_position_motor_reaches_its_target_and_limits_hold() {
    let about = Freedom {
        range: Some([-0.5, 0.7]),
        motor: Some(Motor::new(MotorTarget::Position(2.0), 50.0)),
        ..Freedom::FREE
    };
    let mut m = universe(DVec3::ZERO);
    let arm = m.add(1.0, DVec3::splat(0.2), resting(DVec3::ZERO));
    m.engine
        .joints
        .push(Joint::hinge([None, Some(arm)], [Pose::IDENTITY; 2], about));
    m.run(2 * STEPS_PER_SECOND);
    let angle = values(&m, 0)[5];
    assert!((angle - 0.7).abs() < 5e-3, "{angle}");
    if let Some(freedom) = m.engine.joints[0].freedom_mut(5) {
        freedom.motor = Some(Motor::new(MotorTarget::Position(-0.3), 50.0));
    }
    m.run(2 * STEPS_PER_SECOND);
    let angle = values(&m, 0)[5];
    assert!((angle + 0.3).abs() < 1e-3, "{angle}");
}

/// A mass on a spring along a slider: ω² = k/m.
#[test]
fn a_spring_on_a_slider_has_its_period() {
    let (mass, stiffness) = (2.0, 200.0);
    let mut m = universe(DVec3::ZERO);
    let body = m.add(mass, DVec3::splat(0.1), resting(DVec3::Z * 0.2));
    let along = Freedom {
        spring: Some(Spring {
            rest: 0.0,
            stiffness,
            damping: 0.0,
        }),
        ..Freedom::FREE
    };
    m.engine.joints.push(Joint::slider(
        [None, Some(body)],
        [Pose::IDENTITY; 2],
        along,
    ));
    let mut crossings = Vec::new();
    let mut last = 0.2;
    while crossings.len() < 5 {
        m.step();
        let z = m.state(body).position.z;
        if last * z < 0.0 {
            crossings.push((m.steps as f64 - 1.0 + last / (last - z)) * m.h);
        }
        last = z;
        assert!(m.steps < 2000);
    }
    let period = (crossings[4] - crossings[0]) / 2.0;
    let expected = 2.0 * PI * (mass / stiffness).sqrt();
    assert!(
        (period / expected - 1.0).abs() < 5e-3,
        "{period} {expected}"
    );
}

#[test]
fn a_rope_holds_a_falling_weight_and_a_rod_keeps_its_length() {
    let mut m = universe(DVec3::Z * -9.81);
    let weight = m.add(5.0, DVec3::splat(0.1), resting(DVec3::new(0.3, 0.0, 0.0)));
    let anchors = [DVec3::ZERO; 2];
    m.engine
        .joints
        .push(Joint::rope([None, Some(weight)], anchors, 1.0));
    let bob = m.add(1.0, DVec3::splat(0.1), resting(DVec3::new(3.0, 0.0, 0.0)));
    let rod = Freedom::within(1.0, 1.0);
    m.engine.joints.push(Joint::distance(
        [None, Some(bob)],
        [DVec3::X * 2.0, DVec3::ZERO],
        rod,
    ));
    let mut farthest: f64 = 0.0;
    for _ in 0..1200 {
        m.step();
        farthest = farthest.max(m.state(weight).position.length());
        let length = m.state(bob).position.distance(DVec3::X * 2.0);
        assert!((length - 1.0).abs() < 1e-3, "{length}");
    }
    assert!(farthest > 0.99 && farthest < 1.002, "{farthest}");
}

/// A universal joint between shafts bent by β turns the second one at
/// ω₂ = ω₁ cos β / (1 − sin²β cos²φ), φ the angle of the first from where its fork lies in
/// the plane of the bend.
#[test]
fn a_universal_joint_turns_unevenly() {
    let bend = 30f64.to_radians();
    let mut m = universe(DVec3::ZERO);
    let inertia = DVec3::splat(0.1);
    let speed = 5.0;
    let driver = m.add(1.0, inertia, resting(DVec3::ZERO));
    // The second shaft lies along z turned by the bend about x.
    let turn = DQuat::from_rotation_x(bend);
    let mut state = resting(DVec3::ZERO);
    state.orientation = turn;
    let driven = m.add(1.0, inertia, state);
    let motor = Freedom {
        motor: Some(Motor::new(MotorTarget::Velocity(speed), 1e6)),
        ..Freedom::FREE
    };
    m.engine.joints.push(Joint::hinge(
        [None, Some(driver)],
        [Pose::IDENTITY; 2],
        motor,
    ));
    m.engine.joints.push(Joint::hinge(
        [None, Some(driven)],
        [Pose::new(turn, DVec3::ZERO), Pose::IDENTITY],
        Freedom::FREE,
    ));
    m.engine.joints.push(Joint::universal(
        [Some(driver), Some(driven)],
        [Pose::IDENTITY; 2],
        [Freedom::FREE; 2],
    ));
    m.run(STEPS_PER_SECOND / 2);
    let mut seen = [f64::INFINITY, 0.0f64];
    for _ in 0..600 {
        m.step();
        let s = m.state(driven);
        let spin = (s.orientation * s.omega_body).dot(turn * DVec3::Z);
        seen = [seen[0].min(spin), seen[1].max(spin)];
    }
    let [low, high] = [speed * bend.cos(), speed / bend.cos()];
    assert!((seen[0] / low - 1.0).abs() < 0.01, "{seen:?} {low} {high}");
    assert!((seen[1] / high - 1.0).abs() < 0.01, "{seen:?} {low} {high}");
}

#[test]
fn a_cone_limits_the_swing_of_a_ball_joint() {
    let mut m = universe(DVec3::X * 9.81);
    let arm = m.add(1.0, DVec3::splat(0.05), resting(DVec3::Z * 0.5));
    let frames = [Pose::IDENTITY, frame(DVec3::Z * -0.5)];
    let swing = 0.4;
    m.engine.joints.push(Joint::ball(
        [None, Some(arm)],
        frames,
        Some(swing),
        Freedom::within(-0.1, 0.1),
    ));
    m.run(4 * STEPS_PER_SECOND);
    let lean = m.state(arm).orientation * DVec3::Z;
    let angle = lean.angle_between(DVec3::Z);
    assert!((angle - swing).abs() < 0.01, "{angle}");
}

#[test]
fn a_joint_breaks_above_its_strength_and_not_below() {
    for (strength, breaks) in [(30.0, false), (19.0, true)] {
        let mut m = universe(DVec3::Z * -9.81);
        let weight = m.add(2.0, DVec3::splat(0.1), resting(DVec3::ZERO));
        let mut joint = Joint::fixed([None, Some(weight)], [Pose::IDENTITY; 2]);
        joint.strength.force = strength;
        m.engine.joints.push(joint);
        m.run(STEPS_PER_SECOND);
        assert_eq!(m.engine.joints[0].broken, breaks);
        assert_eq!(m.state(weight).position.z < -1.0, breaks);
    }
}

/// A closed loop of four links hangs from two points and comes to no harm.
#[test]
fn loops_of_joints_hold() {
    let mut m = universe(DVec3::Z * -9.81);
    let inertia = DVec3::new(0.01, 0.1, 0.1);
    let mut links = Vec::new();
    let corners = [
        DVec3::new(-0.5, 0.0, 0.5),
        DVec3::new(0.5, 0.0, 0.5),
        DVec3::new(0.5, 0.0, -0.5),
        DVec3::new(-0.5, 0.0, -0.5),
    ];
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        let mut state = resting(0.5 * (a + b));
        state.orientation = DQuat::from_rotation_arc(DVec3::X, (b - a).normalize());
        links.push(m.add(1.0, inertia, state));
    }
    let ends = [frame(DVec3::X * 0.5), frame(DVec3::X * -0.5)];
    for k in 0..4 {
        let pair = [Some(links[k]), Some(links[(k + 1) % 4])];
        m.engine
            .joints
            .push(Joint::ball(pair, ends, None, Freedom::FREE));
    }
    m.engine.joints.push(Joint::ball(
        [None, Some(links[0])],
        [frame(corners[0]), ends[1]],
        None,
        Freedom::FREE,
    ));
    for _ in 0..2400 {
        m.step();
        assert!(worst_error(&m) < 5e-3, "{}", worst_error(&m));
    }
    let speeds = links.iter().map(|&b| m.state(b).velocity.length());
    assert!(speeds.fold(0.0, f64::max) < 10.0);
}

#[test]
fn joined_bodies_do_not_collide_unless_asked() {
    for collide in [false, true] {
        let mut m = universe(DVec3::ZERO);
        let bodies: Vec<usize> = (0..2)
            .map(|k| m.add_ball(1.0, 0.4, 0.0, 0.0, resting(DVec3::X * (0.5 * k as f64))))
            .collect();
        let mut joint = Joint::rope([Some(bodies[0]), Some(bodies[1])], [DVec3::ZERO; 2], 2.0);
        joint.collide = collide;
        m.engine.joints.push(joint);
        m.run(STEPS_PER_SECOND);
        let apart = m
            .bodies
            .state(bodies[0])
            .position
            .distance(m.state(bodies[1]).position);
        assert_eq!(apart > 0.75, collide, "{apart}");
    }
}

/// The coordinates of a joint change as its rows say: finite differences of the values
/// against small rotations.
#[test]
fn angles_of_joints_follow_small_rotations() {
    use conatus_rigid::joint::solve::angles;
    let (free, locked) = (Freedom::FREE, Freedom::LOCKED);
    let a = rotation::exp(DVec3::new(0.3, -0.2, 0.5));
    // About one axis.
    for k in 0..3 {
        let mut axis = [0.0; 3];
        axis[k] = 0.4;
        let mut angular = [locked; 3];
        angular[k] = free;
        let b = a * rotation::exp(DVec3::from(axis));
        let found = angles(&angular, false, a, b);
        for (i, value) in found.iter().enumerate() {
            let expected = if i == k { 0.4 } else { 0.0 };
            assert!((value - expected).abs() < 1e-12, "{k}: {found:?}");
        }
    }
    // About two axes: the later one first, then the earlier one of the turned frame.
    for (low, high) in [(0, 1), (1, 2), (0, 2)] {
        let unit = |k: usize| [DVec3::X, DVec3::Y, DVec3::Z][k];
        let mut angular = [free; 3];
        angular[3 - low - high] = locked;
        let b = a * rotation::exp(unit(high) * 0.3) * rotation::exp(unit(low) * -0.5);
        let found = angles(&angular, false, a, b);
        assert!((found[high] - 0.3).abs() < 1e-12, "{found:?}");
        assert!((found[low] + 0.5).abs() < 1e-12, "{found:?}");
        assert!(found[3 - low - high].abs() < 1e-12, "{found:?}");
    }
}

/// A heavy box falls on a light rod that hangs on a hinge: the impact must not pull the
/// hinge open.
#[test]
fn an_impact_does_not_open_a_hinge() {
    for h in [0.01, 0.002] {
        let mut heap = Heap::new(h);
        let rod = heap.add_box(
            DVec3::new(0.5, 0.05, 0.02),
            1.6,
            at(DVec3::X * 0.5),
            material(0.0, 0.3),
        );
        let frames = [Pose::IDENTITY, Pose::shift(DVec3::X * -0.5)];
        let turn = DQuat::from_rotation_x(-FRAC_PI_2);
        let frames = frames.map(|f| Pose::new(turn, f.translation));
        let mut hinge = Joint::hinge([None, Some(rod)], frames, Freedom::FREE);
        hinge.collide = true;
        heap.engine.joints.push(hinge);
        let falling = DVec3::new(0.6, 0.0, 1.3);
        heap.add_box(DVec3::splat(0.1), 30.0, at(falling), material(0.0, 0.3));
        let mut widest: f64 = 0.0;
        for _ in 0..(1.0 / h) as usize {
            heap.step();
            widest = widest.max(heap.engine.joints[0].load.error);
        }
        println!("h = {h}: {:.2} mm", 1e3 * widest);
        assert!(widest < 3e-3, "h = {h}: {widest} m");
    }
}

/// A motor goes to its position no faster than it may.
#[test]
fn a_position_motor_keeps_its_greatest_speed() {
    let mut heap = Heap::new(0.01);
    heap.gravity = DVec3::ZERO;
    let arm = heap.add_ball(0.1, 1.0, at(DVec3::ZERO), material(0.0, 0.0));
    let mut motor = Motor::new(MotorTarget::Position(1.0), 100.0);
    motor.max_speed = 0.5;
    let freedom = Freedom {
        motor: Some(motor),
        ..Freedom::FREE
    };
    let frames = [Pose::IDENTITY; 2];
    heap.engine
        .joints
        .push(Joint::slider([None, Some(arm)], frames, freedom));
    let mut fastest: f64 = 0.0;
    for _ in 0..500 {
        heap.step();
        fastest = fastest.max(heap.bodies.state(arm).velocity.length());
    }
    assert!((fastest - 0.5).abs() < 1e-6, "{fastest}");
    assert!((heap.bodies.state(arm).position.z - 1.0).abs() < 1e-3);
}

/// Three hinges one after another: their angles, and the work of a torque about each.
#[test]
fn a_chain_of_hinges_has_the_angles_of_its_rotations() {
    use conatus_rigid::joint::solve::angles;
    let a = rotation::exp(DVec3::new(0.3, -0.2, 0.5));
    for [z, y, x] in [[0.4, 1.1, -0.7], [-2.5, -0.9, 3.0], [0.0, 0.0, 0.0]] {
        let [z_turn, y_turn, x_turn] =
            [DVec3::Z * z, DVec3::Y * y, DVec3::X * x].map(rotation::exp);
        let found = angles(&[Freedom::FREE; 3], true, a, a * z_turn * y_turn * x_turn);
        for (value, expected) in found.into_iter().zip([x, y, z]) {
            assert!((value - expected).abs() < 1e-12, "{found:?}");
        }
    }
}

/// A spring on each hinge of a chain pulls that hinge alone to its rest.
#[test]
fn springs_on_a_chain_of_hinges_settle_at_their_rests() {
    let mut m = universe(DVec3::ZERO);
    let body = m.add(1.0, DVec3::new(0.02, 0.03, 0.04), resting(DVec3::ZERO));
    let sprung = |rest: f64| Freedom {
        spring: Some(Spring {
            rest,
            stiffness: 4.0,
            damping: 0.5,
        }),
        ..Freedom::FREE
    };
    let rests = [0.3, -0.8, 1.2];
    let mut joint = Joint::axes(
        [None, Some(body)],
        [frame(DVec3::ZERO); 2],
        [Freedom::LOCKED; 3],
        rests.map(sprung),
    );
    joint.chain = true;
    m.engine.joints.push(joint);
    for _ in 0..6 * STEPS_PER_SECOND {
        m.step();
    }
    let found = values(&m, 0);
    for (value, rest) in found[3..].iter().zip(rests) {
        assert!((value - rest).abs() < 1e-6, "{found:?}");
    }
}
