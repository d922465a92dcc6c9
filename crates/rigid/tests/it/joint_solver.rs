//! The blocks of the joint solver: the same bits at every width and on any number of
//! threads, and conserved momenta for joints of all kinds.

use crate::support::{Universe, resting};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_rigid::State;
use conatus_rigid::blocks::Width;
use conatus_rigid::joint::{Freedom, Joint, Motor, MotorTarget, Spring};

fn frames() -> [Pose; 2] {
    [Pose::shift(DVec3::X * 0.5), Pose::shift(DVec3::X * -0.5)]
}

/// One joint of every structure.
fn kinds(bodies: [Option<usize>; 2]) -> Vec<Joint> {
    let limited = Freedom::within(-0.2, 0.3);
    let driven = Freedom {
        spring: Some(Spring {
            rest: 0.1,
            stiffness: 20.0,
            damping: 0.5,
        }),
        motor: Some(Motor::new(MotorTarget::Velocity(1.0), 0.5)),
        ..limited
    };
    let anchors = frames().map(|f| f.translation);
    let mut chain = Joint::axes(bodies, frames(), [Freedom::LOCKED; 3], [driven; 3]);
    chain.chain = true;
    vec![
        Joint::ball(bodies, frames(), None, Freedom::FREE),
        Joint::ball(bodies, frames(), Some(0.3), limited),
        Joint::hinge(bodies, frames(), driven),
        Joint::fixed(bodies, frames()),
        Joint::slider(bodies, frames(), driven),
        Joint::universal(bodies, frames(), [limited, Freedom::FREE]),
        Joint::wheel(bodies, frames(), driven, driven, limited),
        Joint::rope(bodies, anchors, 0.05),
        Joint::distance(bodies, anchors, Freedom::within(0.02, 0.02)),
        chain,
    ]
}

fn spinning(k: usize, position: DVec3) -> State {
    let wave = |n: f64| (n * (k as f64 + 1.0)).sin();
    let mut state = resting(position);
    state.velocity = DVec3::new(wave(1.3), wave(2.1), wave(0.7)) * 0.3;
    state.omega_body = DVec3::new(wave(0.9), wave(1.7), wave(2.9));
    state
}

/// Rows of bodies that hang on each other by joints of all kinds, and one body with more
/// joints than there are colours.
fn crowd(width: Width) -> Vec<State> {
    let mut m = Universe::new(1.0 / 120.0, DVec3::Z * -9.81);
    m.bodies.set_width(width);
    let inertia = DVec3::new(0.02, 0.05, 0.06);
    let mut bodies = Vec::new();
    for row in 0..12 {
        let mut before = None;
        for column in 0..11 {
            let position = DVec3::new(column as f64 + 0.5, row as f64, 0.0);
            let state = spinning(bodies.len(), position);
            let body = m.add(1.0 + 0.1 * row as f64, inertia, state);
            let all = kinds([before, Some(body)]);
            let mut joint = all[(row * 5 + column) % all.len()];
            if before.is_none() {
                joint.frames[0].translation = position - DVec3::X * 0.5;
            }
            m.engine.joints.push(joint);
            bodies.push(body);
            before = Some(body);
        }
    }
    let hub = m.add(50.0, DVec3::splat(5.0), resting(DVec3::Z * 5.0));
    for (k, &body) in bodies.iter().enumerate().take(40) {
        let at = m.state(body).position - DVec3::Z * 5.0;
        let anchors = [at * 0.5, DVec3::ZERO];
        let length = at.length();
        let pair = [Some(hub), Some(body)];
        m.engine
            .joints
            .push(Joint::rope(pair, anchors, length * (0.6 + 0.01 * k as f64)));
    }
    m.run(40);
    bodies.iter().map(|&body| m.state(body)).collect()
}

#[test]
fn joints_give_the_same_bits_at_every_width_and_on_any_number_of_threads() {
    let expected = crowd(Width::Baseline);
    assert!(expected.iter().all(|s| s.position.is_finite()));
    for width in [Width::Avx2, Width::Avx512] {
        assert_eq!(crowd(width), expected, "{width:?}");
    }
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let found = pool.install(|| crowd(Width::Scalar));
        assert_eq!(found, expected, "{threads} threads");
    }
}

/// Joints of all kinds push two free bodies with opposite impulses at one point.
#[test]
fn joints_of_all_kinds_keep_momentum_and_angular_momentum() {
    for (k, joint) in kinds([Some(0), Some(1)]).into_iter().enumerate() {
        let mut m = Universe::new(1.0 / 240.0, DVec3::ZERO);
        m.add(1.0, DVec3::new(0.1, 0.2, 0.25), spinning(1, DVec3::ZERO));
        let mut second = spinning(2, DVec3::X);
        second.orientation = DQuat::from_rotation_z(0.05);
        m.add(2.0, DVec3::new(0.3, 0.2, 0.4), second);
        m.engine.joints.push(joint);
        let mut last = m.bodies.totals();
        for _ in 0..480 {
            m.step();
            let now = m.bodies.totals();
            assert!((now.1 - last.1).length() < 1e-13, "{k}");
            assert!((now.2 - last.2).length() < 1e-11, "{k}");
            last = now;
        }
        let load = m.engine.joints[0].load;
        assert!(
            load.error < 5e-3 && load.angle_error < 2e-2,
            "{k}: {load:?}"
        );
    }
}
