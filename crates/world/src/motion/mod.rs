//! Characters in the world. Their movement is planned before the run; in the
//! run it is played like anything else that the scene scripts.
//!
//! [`MotionPlanner`] plans what the scene requests; a [`Movement`] is a result:
//! a [`Clip`] and a report. [`MotionWorld`] plays it.

mod clip;
mod contact_report;
mod continuation;
mod planner;
mod report;

pub use conatus_motion::ATTEMPTS_PER_ROUND;
pub use conatus_motion::Progress;
pub use conatus_motion::phases::STAGES;
pub use contact_report::ContactReport;
pub use continuation::ContinuationError;
pub use planner::MotionPlanner;
pub use report::{AttemptEntry, CostReport, KeptEntry, MotionReport};

use conatus_cloth::script::{Ease, Key, Path};
use conatus_math::Pose;
use conatus_record::clip::ClipTracks;
use conatus_record::{BodyFrame, Clip, ContactFrame};
use std::sync::Arc;

/// The kind of the event that holds a movement's report in a recording.
pub const MOVEMENT_EVENT: &str = "motion";

/// A planned movement of all characters of a scene.
#[derive(Clone, Debug)]
pub struct Movement {
    /// Where everything is over time, and which forces act.
    pub clip: Clip,
    /// How the movement was found, and its score.
    pub report: MotionReport,
}

/// Why a movement cannot be played in a world.
#[derive(Debug, thiserror::Error)]
pub enum MovementMismatch {
    /// It belongs to other characters than those of the scene.
    #[error("the movement is of other characters or objects than those of the scene")]
    OtherCharacters,
    /// It does not continue the movement before it.
    #[error("the movement does not continue the one before it: {0}")]
    NotContinuous(String),
}

/// The movements that a search has kept.
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

    /// Labels for a list to choose from: `movement 1 of 3, cost 12.34`. Empty if
    /// there is only one movement.
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

/// Formats a cost with two decimals or three significant digits.
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
    tracks: ClipTracks,
    /// The index of the first part among the obstacles of cloth, if there is cloth.
    pub(crate) first_obstacle: Option<usize>,
}

impl MotionWorld {
    /// Characters that stand still in their start poses.
    pub fn still(start: Clip) -> Self {
        Self {
            movement: None,
            tracks: start.tracks(),
            start: Arc::new(start),
            first_obstacle: None,
        }
    }

    /// Plays a movement from now on, if it is one of these characters.
    pub(crate) fn set_movement(
        &mut self,
        movement: &Arc<Movement>,
    ) -> Result<(), MovementMismatch> {
        let names = |clip: &Clip| -> Vec<String> {
            clip.parts().into_iter().map(|part| part.name).collect()
        };
        if names(&self.start) != names(&movement.clip) {
            return Err(MovementMismatch::OtherCharacters);
        }
        self.tracks = movement.clip.tracks();
        self.movement = Some(Arc::clone(movement));
        Ok(())
    }

    /// Plays a movement from its start time on, and what was set before until then.
    pub(crate) fn continue_movement(
        &mut self,
        movement: &Movement,
    ) -> Result<(), MovementMismatch> {
        let clip = self.clip().followed_by(&movement.clip);
        let clip = clip.map_err(MovementMismatch::NotContinuous)?;
        let report = movement.report.clone();
        self.set_movement(&Arc::new(Movement { clip, report }))
    }

    /// The movement that is played, once it is set.
    pub fn movement(&self) -> Option<&Arc<Movement>> {
        self.movement.as_ref()
    }

    /// The clip that is played: the movement, or the start poses.
    pub fn clip(&self) -> &Clip {
        match &self.movement {
            Some(movement) => &movement.clip,
            None => &self.start,
        }
    }

    /// The report of the movement.
    pub fn report(&self) -> Option<&MotionReport> {
        self.movement.as_ref().map(|m| &m.report)
    }

    /// The states of all parts at a time.
    pub fn parts(&self, time: f64) -> Vec<BodyFrame> {
        self.tracks.poses(time)
    }

    /// The contact forces on characters at a time, as impulses of a step.
    pub fn contacts(&self, time: f64, step: f64) -> Vec<ContactFrame> {
        self.clip().contact_frames(time, step)
    }

    /// The paths of all parts, for the obstacles of cloth.
    pub(crate) fn paths(&self) -> Vec<Path> {
        paths(self.clip(), &self.tracks)
    }
}

fn paths(clip: &Clip, tracks: &ClipTracks) -> Vec<Path> {
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
