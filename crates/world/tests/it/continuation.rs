//! Movements that continue another: a plan may begin at any moment of a plan,
//! from a moving state.

use crate::support::{Kept, built_in, movement};
use conatus_record::clip::ClipTwists;
use conatus_record::{BodyFrame, Clip};
use conatus_world::motion::{ContinuationError, Movement};
use conatus_world::scene::Setup;
use std::ops::ControlFlow;

/// Positions and velocities must agree to this where one movement follows
/// another.
const CONTINUOUS: f64 = 1e-9;

/// The middle of the walk, in seconds.
const SEAM: f64 = 2.5;

/// The state of the parts that a movement is planned for, as a world plays it:
/// links follow from these.
fn played(setup: &Setup, time: f64) -> Vec<BodyFrame> {
    let motion = setup.world.motion.as_ref().unwrap();
    let parts = motion.clip().parts();
    let frames = motion.parts(time).into_iter().zip(parts);
    frames
        .filter(|(_, part)| !matches!(part.of, conatus_record::clip::ClipPartSource::Link { .. }))
        .map(|(frame, _)| frame)
        .collect()
}

#[track_caller]
fn assert_continuous(before: &[BodyFrame], after: &[BodyFrame]) {
    assert_eq!(before.len(), after.len());
    for (a, b) in before.iter().zip(after) {
        let turn = a.orientation.inverse() * b.orientation;
        let jumps = [
            ("position", a.position.distance(b.position)),
            ("orientation", turn.xyz().length()),
            ("velocity", a.velocity.distance(b.velocity)),
            ("angular velocity", a.omega_body.distance(b.omega_body)),
        ];
        for (what, jump) in jumps {
            assert!(jump < CONTINUOUS, "{what} jumps by {jump:e}");
        }
    }
}

/// The second half of the walk, planned again from its middle.
fn second_half(first: &Clip) -> Movement {
    let planner = built_in("walk", &[]).planner.unwrap();
    let rest = planner.continued_from(first, SEAM).unwrap();
    assert_eq!(rest.start_seconds, SEAM);
    assert_eq!((rest.problem.phases, rest.problem.phase_seconds), (5, 0.5));
    assert_eq!(rest.goals, planner.goals);
    assert!(!rest.problem.starts_at_rest());
    rest.plan(&|_| ControlFlow::Continue(()))
}

#[test]
fn the_second_half_of_a_walk_is_planned_again_from_its_middle() {
    let first = movement("walk");
    let second = second_half(&first.clip);
    assert_eq!(second.clip.start_time(), SEAM);
    let end = |clip: &Clip| *clip.time.last().unwrap();
    assert!((end(&second.clip) - end(&first.clip)).abs() < 1e-9);
    assert!(second.report.good, "{:?}", second.report.failure);

    let mut original = built_in("walk", &[]);
    original.set_movement(&first).unwrap();
    let mut setup = built_in("walk", &[]);
    setup.set_movement(&first).unwrap();
    setup.continue_movement(&second).unwrap();
    // The walker moves at the seam; otherwise the test would prove nothing.
    let at_seam = played(&original, SEAM);
    assert!(at_seam[0].velocity.length() > 0.1);
    assert_continuous(&at_seam, &played(&setup, SEAM));
    // Also in the limit from either side: nothing jumps within a nanosecond.
    let [before, after] = [-1e-12, 1e-12].map(|shift| played(&setup, SEAM + shift));
    assert_continuous(&before, &after);
    for time in [0.0, 1.0, 2.49] {
        let same = played(&original, time) == played(&setup, time);
        assert!(same, "the first half differs at {time} s");
    }

    // In a run: frames before the seam are those of the first movement, and the
    // walk ends where the second one ends.
    let mut kept = Kept::default();
    let Ok(report) = conatus_world::run(&mut setup.world, &setup.schedule, &mut kept, |_| true);
    assert!(report.succeeded(), "{report:?}");
    let events = kept.events.iter().filter(|e| e.kind == "motion");
    assert_eq!(events.count(), 2);
    let last = kept.frames.last().unwrap().bodies[0].position;
    let torso = &second.clip.characters[0].torso;
    assert!(last.distance(*torso.position.last().unwrap()) < CONTINUOUS);
    for pair in kept.frames.windows(2) {
        let (a, b) = (&pair[0].bodies[0], &pair[1].bodies[0]);
        let step = pair[1].time - pair[0].time;
        let displacement = (a.velocity + b.velocity) * (0.5 * step);
        let error = (b.position - a.position).distance(displacement);
        assert!(error < 0.01, "{error} m at {} s", pair[1].time);
    }
}

#[test]
fn a_joined_clip_is_valid_and_can_be_recorded() {
    let first = movement("walk");
    // The second half of the same movement serves as the second movement.
    let next = from_moment(&first.clip, first.clip.moment(SEAM));
    let joined = first.clip.followed_by(&next).unwrap();
    assert_eq!(joined, first.clip);
    let read = Clip::from_json(&joined.to_json().unwrap()).unwrap();
    assert_eq!(read, joined);
}

#[test]
fn a_movement_that_does_not_continue_another_is_refused() {
    let first = movement("walk");
    let mut next = Movement {
        clip: from_moment(&first.clip, first.clip.moment(SEAM)),
        report: first.report.clone(),
    };
    let mut setup = built_in("walk", &[]);
    setup.set_movement(&first).unwrap();
    setup.continue_movement(&next).unwrap();
    for position in &mut next.clip.characters[0].torso.position {
        position.x += 0.01;
    }
    let mut setup = built_in("walk", &[]);
    setup.set_movement(&first).unwrap();
    let error = setup.continue_movement(&next).unwrap_err();
    assert!(error.to_string().contains("away"), "{error}");
    // Later than the first movement ends.
    next.clip.time.iter_mut().for_each(|t| *t += 10.0);
    assert!(setup.continue_movement(&next).is_err());
    // The world still plays the first.
    assert_eq!(setup.world.motion.unwrap().clip(), &first.clip);
}

#[test]
fn clips_without_velocities_and_of_others_cannot_be_continued() {
    let first = movement("walk");
    let planner = built_in("walk", &[]).planner.unwrap();
    let mut clip = first.clip.clone();
    clip.velocities = None;
    let refused = planner.continued_from(&clip, SEAM);
    assert!(matches!(refused, Err(ContinuationError::NoVelocities)));
    let mut clip = first.clip.clone();
    if let Some(velocities) = &mut clip.velocities {
        velocities.characters[0].torso = ClipTwists::default();
    }
    let refused = planner.continued_from(&clip, SEAM);
    assert!(matches!(refused, Err(ContinuationError::NoVelocities)));
    let mut clip = first.clip.clone();
    clip.characters[0].name = "eve".into();
    let refused = planner.continued_from(&clip, SEAM);
    assert!(matches!(refused, Err(ContinuationError::OtherCharacters)));
    let refused = planner.continued_from(&first.clip, 1e9);
    assert!(matches!(refused, Err(ContinuationError::NothingLeft(_))));
}

/// A movement of the clip from one of its moments on. Every list per moment
/// loses its beginning, found by its length.
fn from_moment(clip: &Clip, moment: usize) -> Clip {
    fn cut(value: &mut serde_json::Value, length: usize, moment: usize) {
        match value {
            serde_json::Value::Array(list) if list.len() == length => {
                list.drain(..moment);
            }
            serde_json::Value::Array(list) => {
                list.iter_mut().for_each(|v| cut(v, length, moment));
            }
            serde_json::Value::Object(table) => {
                table.values_mut().for_each(|v| cut(v, length, moment));
            }
            _ => {}
        }
    }
    let mut value = serde_json::to_value(clip).unwrap();
    cut(&mut value, clip.time.len(), moment);
    let mut cut: Clip = serde_json::from_value(value).unwrap();
    let phases = clip
        .phases
        .partition_point(|t| *t < clip.time[moment] - 1e-9);
    cut.phases.drain(..phases);
    for effector in cut.characters.iter_mut().flat_map(|c| &mut c.effectors) {
        effector.contact.drain(..phases);
    }
    cut.check().unwrap();
    cut
}

/// A plan of a plan: three movements in one world.
#[test]
fn a_continued_movement_can_be_continued_again() {
    let first = movement("walk");
    let planner = built_in("walk", &[]).planner.unwrap();
    let second = planner.continued_from(&first.clip, 1.0).unwrap();
    let third = second.continued_from(&first.clip, SEAM).unwrap();
    let direct = planner.continued_from(&first.clip, SEAM).unwrap();
    assert_eq!(third.start_seconds, direct.start_seconds);
    assert_eq!(third.problem.phases, direct.problem.phases);
    assert!((third.problem.phase_seconds - direct.problem.phase_seconds).abs() < 1e-12);
    assert_eq!(third.problem.goals, direct.problem.goals);
    let starts = |p: &conatus_world::motion::MotionPlanner| p.problem.characters[0].pose.clone();
    assert_eq!(starts(&third), starts(&direct));
}
