//! `[motion]`: settings of the search for a movement.

use super::check_count;
use crate::scene::build::check;
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::load::Scene;
use crate::scene::model::{ObjectiveSpec, SceneFile};
use conatus_math::DVec3;
use conatus_motion::costs::physics::Objective;
use conatus_motion::score::Thresholds;
use conatus_motion::{CostWeights, Effort, Problem};
use std::collections::BTreeMap;

/// The default number of phases.
pub const PHASES: u32 = 10;
/// The default length of a phase.
pub const PHASE_SECONDS: f64 = 0.5;
/// The largest number of movements to keep.
const MAX_KEPT: u32 = 16;
/// The default number of spline segments in a phase.
const SEGMENTS: u32 = 2;

/// The planning problem with all settings, without characters, surfaces and goals.
pub fn build(scene: &Scene, file: &SceneFile, diagnostics: &mut Diagnostics) -> Problem {
    let m = &file.motion;
    let default = Effort::default();
    let phases = m.phases.unwrap_or(PHASES);
    if phases == 0 {
        diagnostics.at(
            "motion.phases",
            "a movement needs at least one phase",
            "give at least 1 phase; the default is 10",
        );
    } else {
        check_count(diagnostics, "motion.phases", "phases", phases, 1, 200);
    }
    let phase_seconds = m.phase_seconds.unwrap_or(PHASE_SECONDS);
    if !(0.02..=10.0).contains(&phase_seconds) {
        diagnostics.at(
            "motion.phase_seconds",
            format!("a phase of {} s", crate::text::number(phase_seconds)),
            "give from 0.02 to 10 seconds; the default is 0.5",
        );
    }
    let segments = m.segments.unwrap_or(SEGMENTS);
    check_count(
        diagnostics,
        "motion.segments",
        "segments in a phase",
        segments,
        1,
        2,
    );
    let samples = [
        ("samples", m.samples, default.samples),
        ("polish_samples", m.polish_samples, default.polish_samples),
    ]
    .map(|(key, given, default)| {
        let value = given.unwrap_or(default as u32);
        let path = format!("motion.{key}");
        check_count(diagnostics, &path, "moments in a segment", value, 2, 100);
        value as usize
    });
    let iterations = m.iterations.unwrap_or(default.iterations.map(|i| i as u32));
    for (k, &stage) in iterations.iter().enumerate() {
        let path = format!("motion.iterations[{k}]");
        check_count(diagnostics, &path, "iterations", stage, 0, 1_000_000);
    }
    let polish = m.polish.unwrap_or(default.polish as u32);
    check_count(
        diagnostics,
        "motion.polish",
        "iterations",
        polish,
        0,
        10_000,
    );
    let keep = m.keep.unwrap_or(default.keep as u32);
    let kept = "movements to keep";
    check_count(diagnostics, "motion.keep", kept, keep, 1, MAX_KEPT);
    let attempts = m.attempts.unwrap_or(match keep {
        0 | 1 => default.attempts as u32,
        // Some attempts fail, and some find the same movement.
        _ => (default.attempts as u32).max(keep.min(MAX_KEPT) * 2),
    });
    check_count(
        diagnostics,
        "motion.attempts",
        "attempts",
        attempts,
        1,
        1000,
    );
    if attempts > 0 && (attempts + 1..=MAX_KEPT).contains(&keep) {
        diagnostics.at(
            "motion.keep",
            format!("{keep} movements cannot be kept of {attempts} attempts"),
            "keep fewer, or set more `attempts`: more than twice as many is best",
        );
    }
    let noise = m.noise.unwrap_or(default.noise);
    check::not_negative(diagnostics, "motion.noise", "the noise", noise);
    Problem {
        characters: Vec::new(),
        objects: Vec::new(),
        surfaces: Vec::new(),
        gravity: DVec3::ZERO,
        phases: phases as usize,
        phase_seconds,
        segments: segments as usize,
        goals: Vec::new(),
        weights: weights(&m.weights, diagnostics),
        objective: match m.objective {
            ObjectiveSpec::Envelope => Objective::Envelope,
            ObjectiveSpec::Residual => Objective::Residual,
        },
        effort: Effort {
            seed: scene.seed,
            iterations: iterations.map(|i| i as usize),
            polish: polish as usize,
            samples: samples[0],
            polish_samples: samples[1],
            noise,
            attempts: attempts as usize,
            keep: keep as usize,
        },
        thresholds: thresholds(&m.thresholds, diagnostics),
    }
}

/// The default weights, overridden by those of the scene.
fn weights(given: &BTreeMap<String, f64>, diagnostics: &mut Diagnostics) -> CostWeights {
    let default = CostWeights::default();
    let mut table = serde_json::to_value(default).unwrap_or_default();
    let Some(known) = table.as_object_mut() else {
        return default;
    };
    for (name, &weight) in given {
        let path = format!("motion.weights.{name}");
        let names: Vec<String> = known.keys().cloned().collect();
        match known.get_mut(name) {
            None => unknown(diagnostics, &path, "weight", name, &names),
            Some(place) => {
                check::not_negative(diagnostics, &path, "the weight", weight);
                *place = weight.into();
            }
        }
    }
    serde_json::from_value(table).unwrap_or(default)
}

/// The default thresholds with those of the scene.
fn thresholds(given: &BTreeMap<String, f64>, diagnostics: &mut Diagnostics) -> Thresholds {
    let mut thresholds = Thresholds::default();
    for (name, &threshold) in given {
        let path = format!("motion.thresholds.{name}");
        let place = match name.as_str() {
            "residual_max" => &mut thresholds.residual_max,
            "residual_mean" => &mut thresholds.residual_mean,
            "drift" => &mut thresholds.drift,
            "limb" => &mut thresholds.limb,
            "penetration" => &mut thresholds.penetration,
            "task" => &mut thresholds.task,
            "torque" => &mut thresholds.torque,
            _ => {
                let names = THRESHOLD_NAMES.map(str::to_owned);
                unknown(diagnostics, &path, "threshold", name, &names);
                continue;
            }
        };
        check::positive(diagnostics, &path, "the threshold", threshold);
        *place = threshold;
    }
    thresholds
}

/// The names of the thresholds.
pub const THRESHOLD_NAMES: [&str; 7] = [
    "residual_max",
    "residual_mean",
    "drift",
    "limb",
    "penetration",
    "task",
    "torque",
];

fn unknown(diagnostics: &mut Diagnostics, path: &str, what: &str, name: &str, known: &[String]) {
    let help = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", known.join(", ")),
    };
    diagnostics.at(path, format!("there is no {what} `{name}`"), help);
}
