//! A run that is continued from a checkpoint ends with the same bits as one that
//! was never stopped.

use crate::support::{Kept, built_in, from_text};
use conatus_math::DVec3;
use conatus_record::{Event, Frame, Status};
use conatus_world::checkpoint::{CACHE_CLEAR_STEPS, CHECKPOINT_FRAMES};
use conatus_world::scene::Setup;
use conatus_world::{Checkpoint, CheckpointError, Report, RunLog, RunSink};
use serde_json::{Value, json};
use std::convert::Infallible;

/// Everything of a run, with the checkpoints and how many frames and events
/// came before each.
#[derive(Default)]
struct Whole {
    kept: Kept,
    checkpoints: Vec<(usize, usize, Vec<u8>)>,
}

impl RunSink for Whole {
    type Error = Infallible;
    fn frame(&mut self, frame: &Frame) -> Result<(), Infallible> {
        self.kept.frame(frame)
    }
    fn event(&mut self, event: &Event) -> Result<(), Infallible> {
        self.kept.event(event)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), Infallible> {
        let mut bytes = Vec::new();
        checkpoint.encode(&mut bytes);
        self.checkpoints
            .push((self.kept.frames.len(), self.kept.events.len(), bytes));
        Ok(())
    }
}

fn go(setup: &mut Setup, log: RunLog) -> (Report, Whole) {
    let mut whole = Whole::default();
    let Ok(report) =
        conatus_world::resume(&mut setup.world, &setup.schedule, log, &mut whole, |_| true);
    (report, whole)
}

fn bits(frames: &[Frame]) -> Vec<Vec<u8>> {
    let encode = |frame: &Frame| {
        let mut out = Vec::new();
        frame.encode(&mut out);
        out
    };
    frames.iter().map(encode).collect()
}

/// The report without wall and processor times.
fn figures(report: &Report) -> Value {
    let mut value = serde_json::to_value(report).unwrap();
    for (table, keys) in [
        ("", ["wall_seconds", "cpu_seconds"]),
        ("/cloth", ["total_seconds", "collision_seconds"]),
    ] {
        if let Some(table) = value.pointer_mut(table).and_then(Value::as_object_mut) {
            for key in keys {
                assert!(table.remove(key).is_some(), "no {key}");
            }
        }
    }
    value
}

/// Runs a scene to its end, continues it from some of its checkpoints in a newly
/// built world, and compares everything.
#[track_caller]
fn check_resumed_runs(build: impl Fn() -> Setup) -> (Whole, Setup) {
    let mut setup = build();
    let (report, whole) = go(&mut setup, RunLog::new());
    let all = bits(&whole.kept.frames);
    let count = whole.checkpoints.len();
    assert!(count > 2, "only {count} checkpoints");
    for k in [count / 2, count - 1] {
        let (frames, events, state) = &whole.checkpoints[k];
        let mut again = build();
        let log = again.world.restore(state).unwrap();
        let (report_again, rest) = go(&mut again, log);
        assert!(
            bits(&rest.kept.frames) == all[*frames..],
            "frames behind the {frames}th differ"
        );
        assert_eq!(rest.kept.events, whole.kept.events[*events..]);
        assert_eq!(figures(&report_again), figures(&report));
        for ((.., a), (.., b)) in rest.checkpoints.iter().zip(&whole.checkpoints[k + 1..]) {
            assert_eq!(a.len(), b.len());
        }
        let states = |setup: &Setup| format!("{:?}", setup.world.bodies.snapshot());
        assert_eq!(states(&again), states(&setup));
        if let (Some(a), Some(b)) = (&setup.world.cloth, &again.world.cloth) {
            let state = |c: &conatus_world::cloth::ClothWorld| {
                let mut state = c.cloth.state();
                (state.stats.total_seconds, state.stats.collision_seconds) = (0.0, 0.0);
                state
            };
            assert_eq!(state(a), state(b));
        }
    }
    (whole, setup)
}

/// The number of pressing contacts at the end.
fn pressing(setup: &Setup) -> usize {
    let cloth = setup.world.cloth.as_ref().unwrap();
    cloth.cloth.state().pressing.len()
}

#[test]
fn runs_with_merging_bodies_resume_with_the_same_bits() {
    let (whole, _) = check_resumed_runs(|| built_in("merging", &[]));
    let (_, events, _) = whole.checkpoints[whole.checkpoints.len() / 2];
    assert!(
        0 < events && events < whole.kept.events.len(),
        "none in one half"
    );
}

#[test]
fn runs_with_bouncing_and_floating_bodies_resume_with_the_same_bits() {
    check_resumed_runs(|| built_in("billiards", &["time.seconds=4"]));
    check_resumed_runs(|| built_in("water", &["time.seconds=4"]));
    check_resumed_runs(|| built_in("gas", &["time.seconds=3"]));
}

/// A motor that gets another target, a limit, a rope that breaks under its load, and a
/// joint that a command breaks.
const JOINED: &str = r#"
[time]
step = 0.01
seconds = 6
steps_per_frame = 2
[[body]]
name = "arm"
shape.box.half_extents = [0.5, 0.05, 0.05]
density = 500
position = [0.5, 0, 2]
[[body]]
name = "load"
shape.sphere.radius = 0.1
density = 3000
position = [1, 0, 1.5]
[[body]]
name = "bob"
shape.sphere.radius = 0.1
density = 3000
position = [-1, 0, 1.5]
[[joint]]
name = "drive"
type = "hinge"
bodies = ["arm"]
at = [0, 0, 2]
axis = [0, 1, 0]
limits = [-1, 1]
motor = { speed = 0.5, max_force = 300 }
[[joint]]
name = "rope"
type = "rope"
bodies = ["arm", "load"]
ends = [[1, 0, 2], [1, 0, 1.5]]
break_force = 400
[[joint]]
name = "ball"
type = "ball"
bodies = ["bob"]
at = [-1.5, 0, 1.5]
[[command]]
time = 2.5
motor = { joint = "drive", speed = -3 }
[[command]]
time = 4.5
break = "ball"
"#;

#[test]
fn runs_with_joints_resume_with_the_same_bits() {
    let (whole, setup) = check_resumed_runs(|| from_text(JOINED, &[]).unwrap());
    let broken: Vec<_> = whole
        .kept
        .events
        .iter()
        .filter_map(Event::broken_joint)
        .collect();
    assert!(broken.contains(&"ball"), "{broken:?}");
    assert!(setup.world.joints().iter().any(|joint| joint.broken));
}

/// Commands of all kinds between the checkpoints, at them and after them.
const COMMANDED: &str = r#"
gravity = [0, 0, -9.81]
[time]
step = 0.01
seconds = 4
steps_per_frame = 2
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[body]]
name = "a"
shape.sphere.radius = 0.5
density = 300
position = [0, 0, 3]
[[body]]
name = "b"
shape.box.half_extents = [0.4, 0.3, 0.2]
density = 300
position = [3, 0, 2]
omega_body = [1, 2, 3]
[[body]]
name = "c"
shape.sphere.radius = 0.3
density = 300
position = [6, 0, 2]
[[command]]
time = 0.32
kick = { body = "a", momentum = [0, 200, 0] }
[[command]]
time = 0.64
lock = "b"
[[command]]
time = 1.0
merge = ["a", "b"]
[[command]]
time = 1.28
unlock = "b"
[[command]]
time = 2.0
kick = { body = "c", momentum = [0, 0, 300] }
[[command]]
time = 3.0
kick = { body = "a", angular_momentum = [20, 0, 30] }
"#;

#[test]
fn commands_are_executed_once_and_at_their_time() {
    let (whole, _) =
        check_resumed_runs(|| from_text(COMMANDED, &[]).unwrap_or_else(|e| panic!("{e}")));
    let commands = whole.kept.events.iter().filter(|e| e.kind == "command");
    assert_eq!(commands.count(), 6, "{:?}", whole.kept.events);
}

#[test]
fn inputs_are_replayed_after_resuming() {
    let input = |step: u64, detail: Value| Event {
        time: 0.0,
        step,
        kind: "input".into(),
        detail,
    };
    let pull = json!({ "pull": { "hand": 1, "body": "c", "point_body": DVec3::X * 0.1,
        "target": DVec3::splat(2.0), "stiffness": 300.0, "damping": 3.0 } });
    let events = [
        input(100, pull),
        input(
            250,
            json!({ "kick": { "body": "a", "momentum": [1.0, 2.0, 3.0],
            "angular_momentum": null } }),
        ),
        input(330, json!({ "let_go": { "hand": 1 } })),
    ];
    // Only the first world is given the inputs; the others read them from the checkpoint.
    let told = std::cell::Cell::new(false);
    let (whole, _) = check_resumed_runs(|| {
        let mut setup = from_text(COMMANDED, &[]).unwrap_or_else(|e| panic!("{e}"));
        if !told.replace(true) {
            setup.world.repeat_inputs(&events).unwrap();
        }
        setup
    });
    assert_eq!(
        whole
            .kept
            .events
            .iter()
            .filter(|e| e.kind == "input")
            .count(),
        3
    );
}

#[test]
fn cloth_that_catches_a_body_resumes_with_the_same_bits() {
    let (_, end) =
        check_resumed_runs(|| built_in("catch", &["cloth.resolution=11", "time.seconds=2.2"]));
    assert!(pressing(&end) > 0);
}

#[test]
fn cloth_in_the_wind_resumes_with_the_same_bits() {
    let vertices = "cloth.piece.flag.shape.rectangle.vertices=[16, 11]";
    check_resumed_runs(|| built_in("flag", &[vertices, "time.seconds=2.7"]));
}

#[test]
fn cloth_in_a_funnel_resumes_with_the_same_bits() {
    let vertices = "cloth.piece.cloth.shape.rectangle.vertices=[13, 15]";
    let (_, end) = check_resumed_runs(|| built_in("funnel-low", &[vertices, "time.seconds=2.5"]));
    assert!(pressing(&end) > 0);
}

#[test]
fn a_heap_of_cloth_resumes_with_the_same_bits() {
    let (whole, end) = check_resumed_runs(|| built_in("squares-incline", &["time.seconds=6"]));
    assert!(end.world.cloth.unwrap().cloth.stats.failsafe_calls > 0);
    let apart = whole.checkpoints[1].0 - whole.checkpoints[0].0;
    assert_eq!(apart as u64, 2 * CHECKPOINT_FRAMES);
}

#[test]
fn checkpoints_lie_at_frames_and_where_caches_are_cleared() {
    let mut schedule = built_in("catch", &[]).schedule;
    for frame in [1, 2, 3, 5, 20, 31, 32, 1000, 123_456_789] {
        schedule.steps_per_frame = frame;
        let steps = schedule.checkpoint_steps();
        assert!(steps.is_multiple_of(frame) && steps.is_multiple_of(CACHE_CLEAR_STEPS));
        let frames = steps / frame;
        assert!(frames == CHECKPOINT_FRAMES || frames == 2 * CHECKPOINT_FRAMES);
    }
    schedule.steps_per_frame = u64::MAX / 2;
    assert!(schedule.checkpoint_steps() > u64::MAX / 2);
}

#[test]
fn a_run_that_is_stopped_between_two_frames_writes_no_checkpoint_there() {
    // Stopped in the middle of the sixteenth frame, where caches are cleared too.
    let mut setup = built_in("cylon", &["time.steps_per_frame=512", "time.seconds=1000"]);
    let mut whole = Whole::default();
    let Ok(report) = conatus_world::run(&mut setup.world, &setup.schedule, &mut whole, |steps| {
        steps < 15 * 512 + 256
    });
    assert!(report.interrupted);
    assert_eq!((whole.kept.frames.len(), whole.checkpoints.len()), (17, 1));
}

/// A checkpoint of cloth in contact with a body, and a world to restore it in.
fn catch_checkpoint() -> (Vec<u8>, Setup) {
    let build = || built_in("catch", &["cloth.resolution=7", "time.seconds=1.5"]);
    let (_, whole) = go(&mut build(), RunLog::new());
    (whole.checkpoints.last().unwrap().2.clone(), build())
}

#[test]
fn a_truncated_checkpoint_is_refused() {
    let (state, mut setup) = catch_checkpoint();
    for length in (0..state.len()).step_by(7).chain([state.len() - 1]) {
        let error = setup.world.restore(&state[..length]).err().unwrap();
        assert!(matches!(error, CheckpointError::Damaged), "{error}");
    }
    let mut longer = state.clone();
    longer.push(0);
    assert!(setup.world.restore(&longer).is_err());
    assert!(setup.world.restore(&state).is_ok());
}

#[test]
fn a_checkpoint_of_another_version_or_scene_is_refused() {
    let (mut state, mut setup) = catch_checkpoint();
    let others = [
        built_in("catch", &["cloth.resolution=8"]),
        built_in("flag", &[]),
        built_in("cylon", &[]),
    ];
    for mut other in others {
        assert!(other.world.restore(&state).is_err());
    }
    state[0] ^= 0xff;
    let error = setup.world.restore(&state).err().unwrap();
    assert!(matches!(error, CheckpointError::Version), "{error}");
}

/// A user continued a recording with `--resume` whose checkpoint held a NaN. It was
/// restored without a check, and the program panicked in a later step. A number that
/// is not finite must be refused when the checkpoint is restored, with an error that
/// says so, wherever the number is.
#[test]
fn a_checkpoint_with_a_number_that_is_not_finite_is_refused() {
    let (state, mut setup) = catch_checkpoint();
    let body = setup.world.bodies.state(0);
    setup.world.restore(&state).unwrap();
    let moved = setup.world.bodies.state(0);
    assert_ne!(body.position, moved.position);
    let cloth = setup.world.cloth.as_ref().unwrap().cloth.state();
    let vectors = [
        moved.position,
        moved.velocity,
        moved.omega_body,
        cloth.positions[3],
        cloth.velocities[5],
        cloth.velocities[24],
    ];
    // Numbers are found by their bits, so they must not be round.
    let numbers = vectors.into_iter().flat_map(|v| v.to_array());
    let numbers: Vec<f64> = numbers.filter(|x| x.fract() != 0.0).collect();
    assert!(numbers.len() > 5, "{numbers:?}");
    for number in numbers {
        let bytes = number.to_bits().to_le_bytes();
        let at = state.windows(8).position(|window| window == bytes);
        let at = at.expect("the checkpoint holds the number");
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut damaged = state.clone();
            damaged[at..at + 8].copy_from_slice(&wrong.to_bits().to_le_bytes());
            let error = setup.world.restore(&damaged).err().unwrap();
            assert!(matches!(error, CheckpointError::NotFinite), "{error}");
            assert_eq!(error.to_string(), "it holds a number that is not finite");
        }
    }
    assert!(setup.world.restore(&state).is_ok());
}

/// Every 8 bytes of a checkpoint in turn become a NaN, an infinity, or a number
/// so large that squares overflow: restoring refuses it, or the next steps run.
#[test]
fn no_number_in_a_checkpoint_makes_a_step_panic() {
    let (state, mut setup) = catch_checkpoint();
    let mut refused = 0;
    for (round, at) in (4..state.len() - 8).step_by(23).enumerate() {
        let wrong = [f64::NAN, f64::INFINITY, 1e300, -1e300, 0.0][round % 5];
        let mut damaged = state.clone();
        damaged[at..at + 8].copy_from_slice(&wrong.to_bits().to_le_bytes());
        match setup.world.restore(&damaged) {
            Ok(_) => drop((0..2).map(|_| setup.world.step()).count()),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 0);
}

/// Checksums protect the content of a file. If they fail, a wrong bit is refused or
/// gives another run; it never panics nor allocates unbounded memory.
#[test]
fn wrong_bits_never_panic() {
    let (state, _) = catch_checkpoint();
    let mut setup = catch_checkpoint().1;
    let mut refused = 0;
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for round in 0..400 {
        let mut wrong = state.clone();
        for _ in 0..=round % 3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let place = random as usize % wrong.len();
            wrong[place] ^= 1 << (random >> 60 & 7);
        }
        match setup.world.restore(&wrong) {
            Ok(log) => drop((0..2).map(|_| setup.world.step()).count() as u64 + log.frames()),
            Err(_) => refused += 1,
        }
    }
    assert!((1..400).contains(&refused), "{refused} refused");
}

/// A cloth between two free bodies, a locked one and an obstacle that moves.
#[test]
fn runs_with_cloth_pinned_to_bodies_resume_with_the_same_bits() {
    let text = r#"
        time = { step = 0.004, seconds = 1, steps_per_frame = 1 }
        [[obstacle]]
        name = "hook"
        shape.sphere.radius = 0.03
        keyframe = [
            { time = 0, position = [-0.24, 0.16, 1.05] },
            { time = 1, position = [-0.1, 0.2, 1.1], turn = { axis = [0, 0, 1], degrees = 30 } },
        ]
        [[cloth.piece]]
        shape.rectangle = { width = 0.4, height = 0.3, vertices = [9, 7] }
        position = [0, 0, 1]
        pin = [
            { vertices = [1], body = "a" },
            { vertices = [9, 18], body = "b" },
            { vertices = [55], obstacle = "hook" },
            { vertices = [63], body = "wall", until = 0.6 },
        ]
        [[body]]
        name = "a"
        shape.sphere.radius = 0.03
        mass = 0.05
        position = [-0.24, -0.16, 1]
        [[body]]
        name = "b"
        shape.box.half_extents = [0.03, 0.04, 0.02]
        mass = 0.1
        position = [0.24, -0.12, 1]
        angular_velocity = [2, 0, 5]
        [[body]]
        name = "wall"
        shape.sphere.radius = 0.03
        mass = 1
        position = [0.24, 0.16, 1]
        locked = true
    "#;
    check_resumed_runs(|| from_text(text, &[]).unwrap_or_else(|e| panic!("{e}")));
}

/// Bodies and joints come and go, on water, through a sensor, with events of contacts.
const CHANGING: &str = r#"
time.seconds = 4
contact.events = true
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[water]]
level = 0.5
extent = { min = [2, -3], max = [8, 3] }
[[body]]
name = "a"
shape.sphere.radius = 0.2
density = 500
position = [0, 0, 2]
restitution = 0.7
[[body]]
name = "gate"
shape.box.half_extents = [1, 1, 0.1]
density = 500
position = [0, 0, 1]
locked = true
sensor = true
[[command]]
time = 0.4
add_body = { name = "late", shape = { box = { half_extents = [0.2, 0.2, 0.2] } }, density = 500, position = [0.3, 0, 2.5] }
[[command]]
time = 0.9
add_joint = { name = "rope", type = "rope", bodies = ["a", "late"], length = 0.8 }
[[command]]
time = 2
remove_joint = "rope"
[[command]]
time = 2.3
remove_body = "a"
[[command]]
time = 2.6
add_body = { shape = { sphere = { radius = 0.3 } }, density = 400, position = [4, 0, 2] }
[[command]]
time = 3
add_joint = { type = "ball", bodies = ["late"], at = [0, 0, 2] }
"#;

#[test]
fn a_run_in_which_bodies_and_joints_come_and_go_resumes_with_the_same_bits() {
    let (whole, end) =
        check_resumed_runs(|| from_text(CHANGING, &[]).unwrap_or_else(|e| panic!("{e}")));
    let kinds = |kind: &str| {
        let of_kind = whole.kept.events.iter().filter(|e| e.kind == kind);
        of_kind.count()
    };
    assert_eq!(kinds("command"), 6);
    assert!(kinds("contact_begin") > 3, "{:?}", whole.kept.events);
    assert!(kinds("sensor_enter") > 0 && kinds("sensor_leave") > 0);
    let last = whole.kept.frames.last().unwrap();
    let statuses: Vec<Status> = last.bodies.iter().map(|b| b.status).collect();
    assert_eq!(statuses[..2], [Status::Removed, Status::Locked]);
    assert!(!statuses[2..].contains(&Status::Removed), "{statuses:?}");
    let first = &whole.kept.frames[0].bodies[2..];
    assert!(first.iter().all(|b| b.status == Status::Removed));
    // The last body floats: the water acts on it from when it is there.
    let height = end.world.bodies.state(3).position.z;
    assert!(height > 0.3 && height < 0.8, "{height}");
}
