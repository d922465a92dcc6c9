//! A movement may start from a moving state, so that a plan can begin at any time of
//! another.

use crate::common;
use conatus_math::DVec3;
use conatus_motion::character::Placement;
use conatus_motion::object::Form;
use conatus_motion::variables::MotionState;
use conatus_motion::{Goal, Object, ObjectStart, Problem, Program, Synthesis, Twist, synthesize};
use std::ops::ControlFlow;

fn find(problem: &Problem) -> Synthesis {
    synthesize(problem, &|_| ControlFlow::Continue(()))
}

fn state_at(program: &Program, x: &[f64], time: f64) -> MotionState {
    let mut state = MotionState::default();
    program.update_state(x, &program.layout.moment_at(time), &mut state);
    state
}

/// Positions, orientations and velocities of all frames and limbs agree to 1e-9.
fn assert_continuous(before: &MotionState, after: &MotionState) {
    assert_eq!(before.frames.len(), after.frames.len());
    for (frame, (a, b)) in before.frames.iter().zip(&after.frames).enumerate() {
        assert!(a.position.distance(b.position) < 1e-9, "frame {frame}");
        assert!(a.velocity.distance(b.velocity) < 1e-9, "frame {frame}");
        assert!(a.omega.distance(b.omega) < 1e-9, "frame {frame}");
        for k in 0..3 {
            let apart = (a.matrix.col(k) - b.matrix.col(k)).length();
            assert!(apart < 1e-9, "frame {frame}: {apart}");
        }
    }
    for (a, b) in before.limbs.iter().zip(&after.limbs) {
        for (a, b) in a.points().zip(b.points()) {
            assert!(a.distance(b) < 1e-9, "{a} {b}");
        }
    }
}

#[test]
fn the_second_half_of_a_walk_is_planned_again_from_its_middle() {
    let mut walk = common::walk();
    walk.phases = 8;
    let Goal::Position { target, .. } = &mut walk.goals[1] else {
        panic!("a walk has a target");
    };
    *target = [Some(1.6), Some(0.0), None];
    let first = find(&walk);
    assert!(first.is_good(), "{:?}", first.score());
    let seconds = first.program.layout.seconds();

    // Once at a phase boundary, once between two knots.
    for middle in [0.5 * seconds, 0.5 * seconds - 0.11] {
        let rest = walk.continued_from(&first.program, &first.x, middle);
        let before = state_at(&first.program, &first.x, middle);
        let speed = before.frames[0].velocity.length();
        assert!(speed > 0.1, "the torso moves in the middle: {speed}");
        assert_eq!(rest.check(), [""; 0], "at {middle} s");
        let left = rest.phases as f64 * rest.phase_seconds;
        assert!((left - (seconds - middle)).abs() < 1e-9, "{left}");

        let second = find(&rest);
        assert_continuous(&before, &state_at(&second.program, &second.x, 0.0));
        assert!(second.is_good(), "from {middle} s: {:?}", second.score());
        let end = state_at(&second.program, &second.x, left);
        assert!((end.frames[0].position.x - 1.6).abs() < 0.03);
        assert!(end.frames[0].velocity.length() < 0.05);
    }
}

#[test]
fn goals_keep_their_times_and_those_that_are_over_are_left_out() {
    let mut problem = common::walk();
    let strike = |time: f64| Goal::Strike {
        character: 0,
        limb: 0,
        time,
        position: DVec3::Z,
        velocity: DVec3::ZERO,
    };
    problem.goals.extend([strike(0.5), strike(3.0)]);
    let program = Program::new(&problem);
    let x = common::shaken(&program, 1, 0.01);
    let rest = problem.continued_from(&program, &x, 2.0);
    let times: Vec<f64> = (rest.goals.iter())
        .filter_map(|goal| match goal {
            Goal::Strike { time, .. } => Some(*time),
            _ => None,
        })
        .collect();
    assert_eq!(times, [1.0]);
    assert_eq!(rest.goals.len(), problem.goals.len() - 1);
    assert_eq!((rest.phases, rest.phase_seconds), (6, 0.5));
}

/// An object that starts with a velocity has it at the first knot, and turns.
#[test]
fn the_velocities_of_the_start_are_those_of_the_first_knot() {
    let mut problem = common::walk();
    problem.phases = 2;
    let twist = Twist {
        linear: DVec3::new(0.3, -0.2, 0.5),
        angular: DVec3::new(0.1, 0.7, -0.4),
    };
    let ball = Object::new("ball", Form::Ball(0.1), 0.5, 0.5, false, [0.5; 3]);
    let place = Placement::new(DVec3::new(1.0, 1.0, 0.8), DVec3::Y, DVec3::Z).unwrap();
    problem.objects.push(ObjectStart {
        velocity: twist,
        ..ObjectStart::at_rest(ball, place)
    });
    problem.characters[0].velocity.torso = twist;
    assert!(!problem.starts_at_rest());
    let program = Program::new(&problem);
    let x = common::shaken(&program, 3, 0.1);
    let at = |time: f64| state_at(&program, &x, time);
    for body in 0..2 {
        let frame = program.base_frames[body];
        let start = at(0.0).frames[frame];
        assert!(start.velocity.distance(twist.linear) < 1e-12);
        assert!(start.omega.distance(twist.angular) < 1e-12);
        let given = program.start_state().frames[frame];
        assert_eq!((given.velocity, given.omega), (twist.linear, twist.angular));
        assert_eq!(
            (given.position, given.matrix),
            (start.position, start.matrix)
        );
        // The velocity is the derivative of the position.
        let h = 1e-6;
        let moved = (at(h).frames[frame].position - start.position) / h;
        assert!(moved.distance(twist.linear) < 1e-4, "{moved}");
    }
    // The effectors have no given velocity and are at rest.
    assert_eq!(at(0.0).frames[1].velocity, DVec3::ZERO);
}
