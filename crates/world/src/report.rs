//! The report that closes a run. Scripts rely on its keys.

use serde::Serialize;

/// What a run did.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The scene's name.
    pub scene: String,
    /// The seed.
    pub seed: u64,
    /// Simulated seconds.
    pub seconds: f64,
    /// Steps made.
    pub steps: u64,
    /// Frames recorded.
    pub frames: u64,
    /// Seconds on the clock.
    pub wall_seconds: f64,
    /// Processor seconds over all threads.
    pub cpu_seconds: f64,
    /// Threads at work.
    pub threads: usize,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Energy in joules.
    pub energy: Energy,
    /// Angular momentum.
    pub angular_momentum: AngularMomentum,
    /// Rigid bodies.
    pub rigid: Rigid,
}

/// Energy over the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Energy {
    /// At the first frame.
    pub start: f64,
    /// At the last frame.
    pub end: f64,
    /// The largest change over all frames, against the larger of the first
    /// total and the largest kinetic energy.
    pub max_relative_drift: f64,
}

/// Angular momentum over the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct AngularMomentum {
    /// The largest change over all frames, against the largest value.
    pub max_relative_drift: f64,
}

/// Rigid bodies over the run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Rigid {
    /// How many there are.
    pub bodies: usize,
    /// The most contacts in one step.
    pub contacts_max: usize,
    /// The deepest penetration in metres, before it was taken away.
    pub max_penetration: f64,
    /// The names of the bodies that were frozen because their numbers went
    /// wrong.
    pub quarantined: Vec<String>,
}

impl Report {
    /// Whether the run went through to its end with all its bodies.
    pub fn succeeded(&self) -> bool {
        !self.interrupted && self.rigid.quarantined.is_empty()
    }
}
