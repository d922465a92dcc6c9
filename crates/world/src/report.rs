//! The report that closes a run. Scripts rely on its keys.

use crate::motion::MotionReport;
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
    pub energy: EnergyReport,
    /// Angular momentum.
    pub angular_momentum: AngularMomentumReport,
    /// Rigid bodies; absent from the text if there are none.
    #[serde(skip_serializing_if = "RigidReport::is_absent")]
    pub rigid: RigidReport,
    /// Cloth; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothReport>,
    /// Characters; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionReport>,
}

/// Cloth over the run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClothReport {
    /// Vertices of all pieces.
    pub vertices: usize,
    /// Triangles of all pieces.
    pub triangles: usize,
    /// Degrees of freedom: three for each vertex.
    pub dofs: usize,
    /// Frames looked at.
    pub frames: u64,
    /// Collisions found within steps.
    pub collisions: u64,
    /// Impact zones that were resolved.
    pub impact_zones: u64,
    /// The most constraints in one zone.
    pub largest_zone: usize,
    /// Steps that needed the fail-safe.
    pub failsafe_calls: u64,
    /// Steps made, halves counted.
    pub substeps: u64,
    /// Pairs of intersecting triangles, and triangles that reach behind a
    /// plane, over all recorded frames.
    pub intersections: u64,
    /// The longest edge against its length at rest, over all recorded frames.
    pub max_stretch: f64,
    /// Mean speed of the vertices at the end, in m/s.
    pub mean_speed: f64,
    /// Seconds on the clock for cloth in all.
    pub total_seconds: f64,
    /// Of these, for collisions.
    pub collision_seconds: f64,
    /// Why the cloth could not go on, if so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Energy over the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct EnergyReport {
    /// At the first frame.
    pub start: f64,
    /// At the last frame.
    pub end: f64,
    /// The largest change over all frames, against the larger of the first
    /// total and the largest kinetic energy.
    pub max_relative_drift: f64,
    /// Joules by which the total grew although nothing in the scene adds energy (no motor,
    /// script, wind, wave, command or drag); absent if that is at most 10% of the run's
    /// energy scale. It hints at a step that is too long or at contacts that push too hard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<f64>,
}

/// Angular momentum over the run.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct AngularMomentumReport {
    /// The largest change over all frames, against the largest value.
    pub max_relative_drift: f64,
}

/// Rigid bodies over the run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RigidReport {
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

impl RigidReport {
    fn is_absent(&self) -> bool {
        self.bodies == 0
    }
}

impl Report {
    /// Whether the run went through to its end with all its bodies and cloth,
    /// and characters do what they are to do.
    pub fn succeeded(&self) -> bool {
        let torn = self.cloth.as_ref().is_some_and(|c| c.failure.is_some());
        let clumsy = self.motion.as_ref().is_some_and(|m| m.failure.is_some());
        !self.interrupted && self.rigid.quarantined.is_empty() && !torn && !clumsy
    }
}
