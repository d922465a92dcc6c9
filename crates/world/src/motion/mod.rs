//! Characters in the world: a movement is found before the run begins, and in
//! the run its parts move as it says, like anything that the scene scripts.
//!
//! [`Ask`] is what a scene asks for, [`Movement`] what was found: a
//! [`Clip`] and a report. [`MotionWorld`] plays it.

mod ask;
mod carried;
mod clip;
mod report;

pub use ask::Ask;
pub use carried::ContactReport;
pub use conatus_motion::Progress;
pub use conatus_motion::ROUND;
pub use conatus_motion::phases::STAGES;
pub use report::{AttemptEntry, CostReport, KeptEntry, MotionReport};

use conatus_cloth::script::{Ease, Key, Path};
use conatus_math::Pose;
use conatus_record::clip::PartTracks;
use conatus_record::{BodyFrame, Clip, ContactFrame};
use std::sync::Arc;

/// The kind of the event that carries a movement's report in a recording.
pub const FOUND: &str = "motion";

/// A movement that was found.
#[derive(Clone, Debug)]
pub struct Movement {
    /// What everybody does.
    pub clip: Clip,
    /// How it was found, and how good it is.
    pub report: MotionReport,
}

/// All movements that a search has kept.
#[derive(Clone, Debug)]
pub struct Movements {
    /// The best.
    pub best: Arc<Movement>,
    /// Others that are good and different, the cheapest first.
    pub others: Vec<Arc<Movement>>,
}

impl Movements {
    /// All of them, the best first.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Movement>> {
        std::iter::once(&self.best).chain(&self.others)
    }

    /// What a list to choose from calls them: `movement 1 of 3, cost 12.34`. Empty
    /// where there is nothing to choose.
    pub fn labels(&self) -> Vec<String> {
        let of = 1 + self.others.len();
        let label = |(index, movement): (usize, &Arc<Movement>)| {
            let report = &movement.report;
            let paid = report.attempts.get(report.best).map_or(0.0, |a| a.cost);
            format!("movement {} of {of}, cost {}", index + 1, cost(paid))
        };
        match of {
            1 => Vec::new(),
            _ => self.all().enumerate().map(label).collect(),
        }
    }
}

/// A cost with the digits that people compare.
pub fn cost(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{value:.3e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

/// The characters of a world.
pub struct MotionWorld {
    movement: Option<Arc<Movement>>,
    start: Arc<Clip>,
    tracks: PartTracks,
    /// The first of the parts among the obstacles of cloth, if there is cloth.
    pub(crate) first_obstacle: Option<usize>,
}

impl MotionWorld {
    /// Characters that stand still as they start.
    pub fn still(start: Clip) -> Self {
        Self {
            movement: None,
            tracks: start.tracks(),
            start: Arc::new(start),
            first_obstacle: None,
        }
    }

    /// Has them move.
    pub(crate) fn put(&mut self, movement: &Arc<Movement>) {
        self.tracks = movement.clip.tracks();
        self.movement = Some(Arc::clone(movement));
    }

    /// Their movement, once it is found.
    pub fn movement(&self) -> Option<&Arc<Movement>> {
        self.movement.as_ref()
    }

    /// What they do: the movement, or the pose they start in.
    pub fn clip(&self) -> &Clip {
        match &self.movement {
            Some(movement) => &movement.clip,
            None => &self.start,
        }
    }

    /// How the movement was found.
    pub fn report(&self) -> Option<&MotionReport> {
        self.movement.as_ref().map(|m| &m.report)
    }

    /// Where all parts are at a time.
    pub fn parts(&self, time: f64) -> Vec<BodyFrame> {
        self.tracks.poses(time)
    }

    /// The forces on characters at a time, as impulses of a step.
    pub fn contacts(&self, time: f64, step: f64) -> Vec<ContactFrame> {
        self.clip().contact_frames(time, step)
    }

    /// The paths of all parts, as obstacles of cloth have them.
    pub(crate) fn paths(&self) -> Vec<Path> {
        paths(self.clip(), &self.tracks)
    }
}

fn paths(clip: &Clip, tracks: &PartTracks) -> Vec<Path> {
    let mut keys: Vec<Vec<Key>> = Vec::new();
    for &time in &clip.time {
        let poses = tracks.poses(time);
        keys.resize(poses.len(), Vec::new());
        for (keys, pose) in keys.iter_mut().zip(poses) {
            keys.push(Key {
                time,
                pose: Pose::new(pose.orientation, pose.position),
            });
        }
    }
    let through = |keys| Path::through(keys, Ease::Linear);
    keys.into_iter().map(through).collect()
}
