//! Places on the way to goals of the end, which lead while physics is weak.

use super::{Aim, Feature};
use crate::problem::{Goal, Problem};
use crate::program::Program;
use conatus_math::DVec3;

/// How much a place on the way weighs against the goal at its end.
const GUIDE: f64 = 0.1;

/// From which share of the time to which things are on their way.
const FETCHED: (f64, f64) = (0.25, 0.85);
/// The same for what is thrown.
const THROWN: (f64, f64) = (0.75, 1.0);

/// Things are carried at this share of the height of who could carry them,
const CARRIED: f64 = 0.8;
/// at least where they are farther than this share of the way from both its ends,
const LIFTED: f64 = 0.2;
/// if the way is longer than this, in metres.
const FAR: f64 = 0.5;
/// They are put down from above: from so far, in metres.
const ABOVE: f64 = 0.15;

/// How much higher than the straight way a thing is led at a share of it, so that
/// it is carried at a height and put down from above.
fn lift(share: f64, from: DVec3, to: DVec3, height: f64) -> f64 {
    let straight = from.lerp(to, share).z;
    let near = (share.min(1.0 - share) / LIFTED).clamp(0.0, 1.0);
    if (to - from).truncate().length() < FAR {
        return 0.0;
    }
    let height = height.max(from.z.max(to.z) + ABOVE);
    (height - straight) * near * near * (3.0 - 2.0 * near)
}

/// The share of the way that is behind one at a share of the time: an even pace
/// that begins and ends at rest.
fn pace(time: f64) -> f64 {
    /// How long it takes to get going, and to stop.
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

/// Places on the straight way to where somebody is to be in the end. Goals of the
/// end alone are left to the last moment: nothing asks for anything before, and a
/// step that was not begun early is not found later.
pub(super) fn guides(problem: &Problem, program: &Program) -> Vec<Aim> {
    let layout = &program.layout;
    let mut guides = Vec::new();
    let torsos = &program.base_frames[..program.characters.len()];
    let heights = (torsos.iter()).map(|&torso| CARRIED * layout.start[torso].position.z);
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
        // Things wait for who comes for them, and are there before the end.
        let body = program.body_of(subject);
        let object = program.object(body);
        let (from, to) = match object {
            Some(_) if moving => THROWN,
            Some(_) => FETCHED,
            None => (0.0, 1.0),
        };
        let frame = program.base_frames[body];
        let start = layout.start[frame].position;
        let end = DVec3::from_array([0, 1, 2].map(|k| target[k].unwrap_or(start[k])));
        let carried = object.is_some_and(|object| !object.slides && !moving);
        let there = (layout.seconds() - hold).max(layout.segment_seconds());
        for segment in 0..layout.blocks() - 1 {
            let moment = layout.moment(segment, 1.0, 1.0);
            let share = (moment.time / there - from) / (to - from);
            let share = pace(share.clamp(0.0, 1.0));
            let mut place = start.lerp(end, share);
            if carried {
                place.z += lift(share, start, end, height);
            }
            let counts = |k: usize| f64::from(u8::from(target[k].is_some()));
            guides.push(Aim {
                moment,
                feature: Feature::Point {
                    frame,
                    local: DVec3::ZERO,
                    target: place,
                    share: DVec3::new(counts(0), counts(1), counts(2)),
                },
                weight: GUIDE * problem.weights.task,
                is_rate: true,
                guides: true,
            });
        }
    }
    guides
}
