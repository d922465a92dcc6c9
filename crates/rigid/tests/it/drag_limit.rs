//! Drag cannot reverse a velocity within a step, however light the body.

use crate::support::Universe;
use conatus_geometry::{Mesh, icosphere};
use conatus_math::DVec3;
use conatus_rigid::State;
use conatus_rigid::forces::{Callback, Drag, Hull, Reach, UpAxis, Water};
use std::sync::Arc;

const H: f64 = 0.01;

fn ball(radius: f64) -> Mesh {
    let mut mesh = icosphere(3);
    mesh.vertices.iter_mut().for_each(|v| *v *= radius);
    mesh
}

/// Deep water without gravity, so that drag acts alone.
fn deep_water(linear_drag: f64, drag_coefficient: f64, current: DVec3) -> Water {
    Water {
        up: UpAxis::Z,
        level: 1e3,
        density: 1000.0,
        gravity: 0.0,
        linear_drag,
        drag_coefficient,
        current,
        extent: None,
        waves: Vec::new(),
        hulls: vec![Hull {
            body: 0,
            mesh: Arc::new(ball(0.1)),
        }],
    }
}

/// A user threw a ball of 1 g and 10 cm radius at 20 m/s into water with
/// quadratic drag, at the default step of 0.01 s. Each step overshot zero by more
/// than the last, and after five steps the ball was faster than light and was
/// quarantined. It must slow down, and never turn back.
#[test]
fn a_light_ball_in_quadratic_drag_slows_down_and_never_turns_back() {
    for mass in [1e-6, 1e-3, 0.1, 10.0] {
        let mut u = Universe::new(H, DVec3::ZERO);
        let start = State {
            velocity: DVec3::X * 20.0,
            ..State::default()
        };
        u.add(mass, DVec3::splat(0.4 * mass * 0.01), start);
        u.push(deep_water(0.0, 1.0, DVec3::ZERO));
        let mut before = 20.0;
        for _ in 0..200 {
            u.step();
            let v = u.state(0).velocity.x;
            assert!(
                (0.0..=before).contains(&v),
                "{mass} kg: {before} m/s, then {v} m/s"
            );
            before = v;
        }
        assert!(before < 2.0, "{mass} kg: still {before} m/s");
    }
}

#[test]
fn a_light_ball_takes_the_velocity_of_the_current_and_does_not_overtake_it() {
    let current = DVec3::new(3.0, -1.0, 0.0);
    let mut u = Universe::new(H, DVec3::ZERO);
    u.add(1e-4, DVec3::splat(0.4e-6), State::default());
    u.push(deep_water(50.0, 1.0, current));
    for _ in 0..100 {
        u.step();
        let share = u.state(0).velocity.dot(current) / current.length_squared();
        assert!((0.0..=1.0 + 1e-12).contains(&share), "{share}");
    }
    assert!(u.state(0).velocity.distance(current) < 1e-6);
}

#[test]
fn a_light_spinning_ball_in_strong_drag_never_spins_backwards() {
    let mut u = Universe::new(H, DVec3::ZERO);
    let start = State {
        omega_body: DVec3::Z * 30.0,
        ..State::default()
    };
    u.add(1e-3, DVec3::splat(0.4e-5), start);
    u.push(Drag {
        reach: Reach::All,
        linear: 10.0,
        angular: 1.0,
    });
    let mut before = 30.0;
    for _ in 0..100 {
        u.step();
        let spin = u.state(0).omega_body.z;
        assert!(
            (0.0..=before).contains(&spin),
            "{before} rad/s, then {spin} rad/s"
        );
        before = spin;
    }
    assert!(before < 1e-3);
}

/// The limit acts only where an explicit step would overshoot: below it drag is
/// unchanged, bit for bit.
#[test]
fn drag_that_cannot_overshoot_is_not_changed() {
    let run = |limited: bool| {
        let mut u = Universe::new(H, DVec3::ZERO);
        let start = State {
            velocity: DVec3::new(2.0, -1.0, 0.5),
            omega_body: DVec3::new(0.3, 0.2, -0.7),
            ..State::default()
        };
        u.add(2.0, DVec3::new(0.3, 0.4, 0.5), start);
        if limited {
            u.push(Drag {
                reach: Reach::All,
                linear: 1.5,
                angular: 0.2,
            });
        } else {
            u.push(Callback::new(|_, view, loads| {
                let s = view.state(0);
                loads.force_at(view, 0, s.velocity * -1.5, s.position);
                loads.torque(view, 0, s.omega() * -0.2);
            }));
        }
        u.run(100);
        u.state(0)
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_callback_may_keep_state() {
    let mut u = Universe::new(H, DVec3::ZERO);
    u.add(1.0, DVec3::ONE, State::default());
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut evaluations = 0;
    u.push(Callback::new(move |t, _, _| {
        evaluations += 1;
        let _ = sender.send((evaluations, t));
    }));
    u.run(2);
    let heard: Vec<(i32, f64)> = receiver.try_iter().collect();
    let times = [0.0, 0.5 * H, 0.5 * H, H, H, 1.5 * H, 1.5 * H, 2.0 * H];
    assert_eq!(heard.len(), times.len(), "four stages in each of two steps");
    for (k, ((count, t), expected)) in heard.iter().zip(times).enumerate() {
        assert_eq!(*count, k as i32 + 1);
        assert!((t - expected).abs() < 1e-15);
    }
}
