//! The report that closes a run. Scripts rely on its keys.

use crate::motion::MotionReport;
use serde::{Deserialize, Deserializer, Serialize};

/// What a run did. A recording carries it as JSON ([`Report::to_json`]), from
/// which it can be read back ([`Report::from_json`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    /// Elapsed wall time in seconds.
    pub wall_seconds: f64,
    /// Processor seconds over all threads.
    pub cpu_seconds: f64,
    /// The number of threads.
    pub threads: usize,
    /// Whether it was stopped before its end.
    pub interrupted: bool,
    /// Energy in joules.
    pub energy: EnergyReport,
    /// Angular momentum.
    pub angular_momentum: AngularMomentumReport,
    /// Rigid bodies; absent from the text if there are none.
    #[serde(default, skip_serializing_if = "RigidReport::is_absent")]
    pub rigid: RigidReport,
    /// Cloth; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothReport>,
    /// Characters; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionReport>,
}

/// Cloth over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClothReport {
    /// Vertices of all pieces.
    pub vertices: usize,
    /// Triangles of all pieces.
    pub triangles: usize,
    /// Degrees of freedom: three for each vertex.
    pub dofs: usize,
    /// Frames checked.
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
    #[serde(deserialize_with = "null_as_nan")]
    pub max_stretch: f64,
    /// Mean speed of the vertices at the end, in m/s.
    #[serde(deserialize_with = "null_as_nan")]
    pub mean_speed: f64,
    /// Seconds on the clock for cloth in all.
    pub total_seconds: f64,
    /// Of these, for collisions.
    pub collision_seconds: f64,
    /// Why the cloth stopped, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// Energy over the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyReport {
    /// At the first frame.
    #[serde(deserialize_with = "null_as_nan")]
    pub start: f64,
    /// At the last frame.
    #[serde(deserialize_with = "null_as_nan")]
    pub end: f64,
    /// The largest change over all frames, against the larger of the first
    /// total and the largest kinetic energy.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_relative_drift: f64,
    /// Joules by which the total grew although nothing in the scene adds energy (no motor,
    /// script, wind, wave, command or drag); absent if that is at most 10% of the run's
    /// energy scale. It hints at a step that is too long or at contacts that push too hard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<f64>,
}

/// Angular momentum over the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AngularMomentumReport {
    /// The largest change over all frames, against the largest value.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_relative_drift: f64,
}

/// Rigid bodies over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RigidReport {
    /// How many there are.
    pub bodies: usize,
    /// The most contacts in one step.
    pub contacts_max: usize,
    /// The deepest penetration in metres, before it was taken away.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_penetration: f64,
    /// The names of the bodies that were frozen because their state was no longer
    /// valid.
    pub quarantined: Vec<String>,
    /// Joints; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joints: Option<JointsReport>,
}

/// Joints over the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointsReport {
    /// How many there are.
    pub count: usize,
    /// The largest error of a locked translation, a length or a limit, in metres, at the
    /// end of a step.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_error: f64,
    /// The largest error of a locked rotation or a limit, in radians, at the end of a step.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_angle_error: f64,
    /// The largest force of a joint in newtons, the mean of a step.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_force: f64,
    /// The largest torque of a joint in newton metres, the mean of a step.
    #[serde(deserialize_with = "null_as_nan")]
    pub max_torque: f64,
    /// The names of those that broke.
    pub broken: Vec<String>,
}

impl RigidReport {
    fn is_absent(&self) -> bool {
        self.bodies == 0
    }
}

impl Report {
    /// The report as a recording carries it.
    pub fn to_json(&self) -> serde_json::Value {
        // Text keys and finite or absent numbers: this cannot fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Reads a report back from a recording.
    pub fn from_json(value: &serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(value)
    }

    /// Whether the run reached its end with all bodies and cloth valid and all movements
    /// successful.
    pub fn succeeded(&self) -> bool {
        let cloth_failed = self.cloth.as_ref().is_some_and(|c| c.failure.is_some());
        let motion_failed = self.motion.as_ref().is_some_and(|m| m.has_failed());
        !self.interrupted && self.rigid.quarantined.is_empty() && !cloth_failed && !motion_failed
    }
}

/// JSON has no number for infinity or NaN and writes `null` instead.
fn null_as_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

#[cfg(all(test, feature = "motion"))]
mod tests {
    use super::*;
    use crate::motion::{AttemptEntry, KeptEntry};
    use conatus_motion::score::Score;

    fn full() -> Report {
        let score = Score {
            true_residual_max_bw: 0.25,
            true_residual_mean_bw: 0.125,
            contact_drift_max: 1e-3,
            limb_error_max: 2e-3,
            penetration_max: 3e-3,
            task_error: 0.1,
            torque_excess: 0.0,
        };
        let attempt = AttemptEntry {
            seed: u64::MAX,
            score,
            ..AttemptEntry::default()
        };
        let kept = KeptEntry {
            score,
            ..KeptEntry::default()
        };
        Report {
            scene: "full".into(),
            steps: 7,
            rigid: RigidReport {
                bodies: 2,
                quarantined: vec!["ball".into()],
                ..RigidReport::default()
            },
            cloth: Some(ClothReport {
                vertices: 9,
                failure: Some("torn".into()),
                ..ClothReport::default()
            }),
            motion: Some(MotionReport {
                score,
                keep: Some(2),
                kept: Some(vec![kept]),
                attempts: vec![attempt],
                ..MotionReport::default()
            }),
            ..Report::default()
        }
    }

    #[test]
    fn a_report_is_read_back_as_it_was_written() {
        for report in [Report::default(), full()] {
            let text = report.to_json().to_string();
            let read = Report::from_json(&serde_json::from_str(&text).unwrap());
            assert_eq!(read.unwrap(), report);
        }
    }

    #[test]
    fn families_that_a_scene_lacks_have_no_keys() {
        let json = Report::default().to_json();
        for family in ["rigid", "cloth", "motion"] {
            assert!(json.get(family).is_none(), "{family}");
            assert!(full().to_json().get(family).is_some(), "{family}");
        }
    }

    /// The six figures of a score are one struct in code, but separate keys in the report,
    /// where scripts read them.
    #[test]
    fn scores_stand_beside_the_other_keys() {
        let json = full().to_json();
        for table in ["/motion", "/motion/attempts/0", "/motion/kept/0"] {
            for (key, value) in [
                ("true_residual_max_bw", 0.25),
                ("true_residual_mean_bw", 0.125),
                ("contact_drift_max", 1e-3),
                ("limb_error_max", 2e-3),
                ("penetration_max", 3e-3),
                ("task_error", 0.1),
            ] {
                let found = json.pointer(&format!("{table}/{key}"));
                assert_eq!(found, Some(&value.into()), "{table}/{key}");
            }
            assert!(json.pointer(&format!("{table}/score")).is_none());
        }
    }

    #[test]
    fn numbers_that_are_not_finite_do_not_make_a_report_unreadable() {
        let mut report = full();
        report.energy.max_relative_drift = f64::INFINITY;
        let read = Report::from_json(&report.to_json()).unwrap();
        assert!(read.energy.max_relative_drift.is_nan());
        assert_eq!(read.cloth, report.cloth);
    }
}
