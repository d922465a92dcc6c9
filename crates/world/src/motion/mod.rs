//! Characters in the world. Their movement is planned before the run; in the
//! run it is played like anything else that the scene scripts.
//!
//! [`MotionPlanner`] plans what the scene requests; a [`Movement`] is a result:
//! a [`Clip`] and a report. [`MotionWorld`] plays it.

mod clip;
mod contact_report;
mod continuation;
mod planner;
mod playback;
mod report;

pub use conatus_motion::ATTEMPTS_PER_ROUND;
pub use conatus_motion::Progress;
pub use conatus_motion::character::description::{Description, built_in as built_in_description};
pub use conatus_motion::phases::STAGES;
pub use contact_report::ContactReport;
pub use continuation::ContinuationError;
pub use planner::MotionPlanner;
pub use playback::{MOVEMENT_EVENT, MotionWorld};
pub use report::{AttemptEntry, CostReport, KeptEntry, MotionReport};

pub(crate) use conatus_motion::character::description::PlaceDescription;

use conatus_record::Clip;
use std::sync::Arc;

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
