//! Guides: intermediate positions on the way to goals at the end, for the stages in
//! which physics is weak.
//!
//! Goals at the end alone leave everything to the last moment: nothing else depends on
//! the time before, and steps that do not begin early are not found later. In the stage
//! with full physics the guides have no weight.

use super::{Feature, TaskTerm};
use crate::problem::{Goal, Problem};
use crate::program::Program;
use conatus_math::DVec3;

/// The weight of a guide, as a fraction of that of its goal.
const GUIDE_WEIGHT: f64 = 0.1;

/// The fractions of the time between which an object is guided.
const CARRY_WINDOW: (f64, f64) = (0.25, 0.85);
/// The same for an object that is thrown.
const THROW_WINDOW: (f64, f64) = (0.75, 1.0);

/// The height of a guided object, as a fraction of the height of the lowest torso.
const CARRY_HEIGHT: f64 = 0.8;
/// The fractions of the path at either end in which an object rises and descends.
const LIFT_FRACTION: f64 = 0.2;
/// Objects whose path is shorter are not lifted, in metres.
const MIN_LIFT_DISTANCE_M: f64 = 0.5;
/// The least height of the path above both its ends, so that objects are put down from
/// above, in metres.
const LIFT_CLEARANCE_M: f64 = 0.15;

/// The height of an object's guide above the straight path at a fraction of it.
fn lift(share: f64, from: DVec3, to: DVec3, height: f64) -> f64 {
    let straight = from.lerp(to, share).z;
    let near = (share.min(1.0 - share) / LIFT_FRACTION).clamp(0.0, 1.0);
    if (to - from).truncate().length() < MIN_LIFT_DISTANCE_M {
        return 0.0;
    }
    let height = height.max(from.z.max(to.z) + LIFT_CLEARANCE_M);
    (height - straight) * near * near * (3.0 - 2.0 * near)
}

/// The fraction of the path that is complete at a fraction of the time: constant speed
/// with acceleration at the start and deceleration at the end.
fn path_fraction(time: f64) -> f64 {
    /// The fraction of the time for acceleration, and for deceleration.
    const RAMP: f64 = 0.2;
    let whole = 1.0 - RAMP;
    if time < RAMP {
        0.5 * time * time / RAMP / whole
    } else if time > 1.0 - RAMP {
        1.0 - 0.5 * (1.0 - time) * (1.0 - time) / RAMP / whole
    } else {
        (time - 0.5 * RAMP) / whole
    }
}

/// Guides on the straight path to each position goal at the end.
pub(super) fn guide_terms(problem: &Problem, program: &Program) -> Vec<TaskTerm> {
    let layout = &program.layout;
    let mut guides = Vec::new();
    let torsos = &program.base_frames[..program.characters.len()];
    let heights = (torsos.iter()).map(|&torso| CARRY_HEIGHT * layout.start[torso].position.z);
    let height = heights.fold(f64::INFINITY, f64::min);
    for goal in &problem.goals {
        let &Goal::Position {
            subject,
            target,
            time: None,
            hold,
            moving,
        } = goal
        else {
            continue;
        };
        // Objects start later, when a character can have reached them, and arrive earlier.
        let body = program.body_of(subject);
        let object = program.object(body);
        let (from, to) = match object {
            Some(_) if moving => THROW_WINDOW,
            Some(_) => CARRY_WINDOW,
            None => (0.0, 1.0),
        };
        let frame = program.base_frames[body];
        let start = layout.start[frame].position;
        let end = DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k])));
        let carried = object.is_some_and(|object| !object.slides && !moving);
        let arrival = (layout.seconds() - hold).max(layout.segment_seconds());
        for segment in 0..layout.blocks() - 1 {
            let moment = layout.moment(segment, 1.0, 1.0);
            let share = (moment.time / arrival - from) / (to - from);
            let share = path_fraction(share.clamp(0.0, 1.0));
            let mut place = start.lerp(end, share);
            if carried {
                place.z += lift(share, start, end, height);
            }
            let counts = |k: usize| f64::from(u8::from(target[k].is_some()));
            guides.push(TaskTerm {
                moment,
                feature: Feature::Point {
                    frame,
                    local: DVec3::ZERO,
                    target: place,
                    share: DVec3::new(counts(0), counts(1), counts(2)),
                },
                weight: GUIDE_WEIGHT * problem.weights.task,
                excluded_from_score: true,
                is_guide: true,
            });
        }
    }
    guides
}
