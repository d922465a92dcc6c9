//! Commands from the user while a world runs: they have their effect, they are recorded,
//! and they are replayed from the recording bit for bit.

use conatus_math::DVec3;
use conatus_record::{Event, Frame};
use conatus_rigid::{Constants, State};
use conatus_world::{Command, World};
use proptest::prelude::*;

const H: f64 = 0.01;

fn ball() -> (World, usize) {
    let mut world = World::new(H);
    world.gravity = DVec3::ZERO;
    let constants = Constants::new(2.0, DVec3::splat(0.1));
    let body = world.add_body("ball", constants, State::default());
    (world, body)
}

fn pull(hand: u32, body: usize, target: DVec3) -> Command {
    Command::Pull {
        hand,
        body,
        point_body: DVec3::ZERO,
        target,
        stiffness: 200.0,
        damping: 40.0,
    }
}

/// κ = m ω², γ = 2 m ω is critical damping: x = X(1 − (1 + ω t) e^(−ω t)).
#[test]
fn a_pulled_ball_moves_to_the_target_as_a_critically_damped_spring() {
    let (mut world, body) = ball();
    let target = DVec3::new(1.0, -2.0, 0.5);
    world.input(pull(1, body, target));
    for _ in 0..100 {
        world.step();
    }
    let decay = 10.0 * world.time();
    let expected = target * (1.0 - (1.0 + decay) * (-decay).exp());
    let found = world.bodies.state(body).position;
    assert!(found.distance(expected) < 1e-5, "{found} {expected}");
    assert_eq!(world.pointer_springs().len(), 1);
}

#[test]
fn a_hand_that_lets_go_pulls_no_more_and_holds_no_energy() {
    let (mut world, body) = ball();
    world.input(pull(1, body, DVec3::X));
    world.step();
    assert!(world.totals().potential > 0.0);
    world.input(Command::LetGo { hand: 1 });
    world.step();
    let velocity = world.bodies.state(body).velocity;
    assert!(velocity.x > 0.0 && world.pointer_springs().is_empty());
    world.step();
    assert_eq!(world.bodies.state(body).velocity, velocity);
    assert_eq!(world.totals().potential, 0.0);
    assert_eq!(world.force_count(), 0);
}

#[test]
fn a_hand_moves_with_its_latest_target_and_two_hands_share_a_body() {
    let (mut world, body) = ball();
    for target in [DVec3::X, DVec3::Y, DVec3::X] {
        world.input(pull(1, body, target));
    }
    world.input(pull(2, body, -DVec3::X));
    for _ in 0..50 {
        world.step();
    }
    assert_eq!(world.pointer_springs().len(), 2);
    let position = world.bodies.state(body).position;
    assert!(position.length() < 1e-12, "{position}");
}

/// A pull beside the centre of mass turns the body as well.
#[test]
fn pulling_beside_the_centre_turns_the_body() {
    let (mut world, body) = ball();
    world.input(Command::Pull {
        hand: 0,
        body,
        point_body: DVec3::X,
        target: DVec3::new(1.0, 1.0, 0.0),
        stiffness: 1.0,
        damping: 0.0,
    });
    world.step();
    let state = world.bodies.state(body);
    assert!(state.omega_body.z > 0.0 && state.velocity.y > 0.0);
}

#[test]
fn pausing_changes_nothing_but_is_recorded() {
    let (mut world, body) = ball();
    world.input(Command::Pause);
    world.input(Command::Resume);
    world.step();
    let still = State::default();
    assert_eq!(world.bodies.state(body).position, still.position);
    let events = world.take_events();
    let kinds: Vec<_> = events
        .iter()
        .map(|e| (&*e.kind, e.detail.clone()))
        .collect();
    assert_eq!(
        kinds,
        [("input", "pause".into()), ("input", "resume".into())]
    );
}

fn vector() -> impl Strategy<Value = DVec3> {
    let number = prop_oneof![-3.0..3.0, -1e-300..1e-300, any::<i16>().prop_map(f64::from)];
    [number.clone(), number.clone(), number].prop_map(DVec3::from)
}

fn command() -> impl Strategy<Value = Command> {
    let body = 0..3usize;
    prop_oneof![
        (body.clone(), vector(), proptest::option::of(vector())).prop_map(|(body, p, l)| {
            Command::Kick {
                body,
                momentum: Some(p),
                angular_momentum: l,
            }
        }),
        (body.clone(), vector(), vector()).prop_map(|(body, impulse, point_body)| {
            Command::Impulse {
                body,
                impulse,
                point_body,
            }
        }),
        (0..3u32, body.clone(), vector(), vector(), 0.0..50.0).prop_map(
            |(hand, body, point_body, target, stiffness)| Command::Pull {
                hand,
                body,
                point_body,
                target,
                stiffness,
                damping: stiffness / 7.0,
            }
        ),
        (0..3u32).prop_map(|hand| Command::LetGo { hand }),
        body.clone().prop_map(Command::Lock),
        body.prop_map(Command::Unlock),
        Just(Command::Merge(vec![0, 2])),
        Just(Command::Pause),
        Just(Command::Resume),
    ]
}

fn three() -> World {
    let mut world = World::new(H);
    world.gravity = DVec3::new(0.0, 0.0, -1.0);
    for k in 0..3 {
        let constants = Constants::new(1.0 + k as f64, DVec3::new(0.1, 0.2, 0.25));
        let position = DVec3::X * k as f64;
        let state = State {
            position,
            ..State::default()
        };
        world.add_body(&format!("body \"{k}\""), constants, state);
    }
    world.command(0.05, Command::Lock(1));
    world.command(0.2, Command::Unlock(1));
    world
}

/// Runs 40 steps with a frame after every fourth.
fn run(world: &mut World, mut before_step: impl FnMut(&mut World)) -> (Vec<Frame>, Vec<Event>) {
    let (mut frames, mut events) = (Vec::new(), Vec::new());
    for step in 0..40 {
        before_step(world);
        world.step();
        events.extend(world.take_events());
        if step % 4 == 3 {
            frames.push(world.frame());
        }
    }
    (frames, events)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 4))]

    /// The recording's events, written as JSON and read again, repeat the run.
    #[test]
    fn inputs_are_replayed_from_the_recording_bit_for_bit(
        inputs in proptest::collection::vec((0..40u64, command()), 0..20)
    ) {
        let (frames, events) = run(&mut three(), |world| {
            let now = world.steps();
            for (_, command) in inputs.iter().filter(|(step, _)| *step == now) {
                world.input(command.clone());
            }
        });
        let kept = serde_json::to_string(&events).unwrap();
        let kept: Vec<Event> = serde_json::from_str(&kept).unwrap();
        let mut again = three();
        again.repeat_inputs(&kept).unwrap();
        let (frames_again, events_again) = run(&mut again, |_| {});
        prop_assert_eq!(encoded(&frames), encoded(&frames_again));
        prop_assert_eq!(events, events_again);
    }
}

fn encoded(frames: &[Frame]) -> Vec<u8> {
    let mut bytes = Vec::new();
    frames.iter().for_each(|frame| frame.encode(&mut bytes));
    bytes
}

#[test]
fn an_input_for_a_missing_body_is_refused() {
    let event = |detail| Event {
        time: 0.0,
        step: 7,
        kind: "input".into(),
        detail,
    };
    let (mut world, _) = ball();
    for wrong in [
        serde_json::json!({ "lock": "cube" }),
        serde_json::json!({ "lock": 3 }),
        serde_json::json!({ "explode": "ball" }),
        serde_json::json!(null),
    ] {
        let error = world.repeat_inputs(&[event(wrong)]).unwrap_err();
        assert!(error.to_string().contains("step 7"), "{error}");
    }
    let scenes = Event {
        kind: "command".into(),
        ..event(serde_json::json!({ "lock": "cube" }))
    };
    assert!(world.repeat_inputs(&[scenes]).is_ok());
}
