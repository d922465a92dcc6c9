//! The part of the report that describes the movements that were found.

use super::contact_report::ContactReport;
use conatus_motion::Synthesis;
use conatus_motion::costs::Terms;
use conatus_motion::score::Score;
use serde::{Deserialize, Serialize};

/// Characters over the run. Figures are those of the movement that was kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionReport {
    /// How many characters there are.
    pub characters: usize,
    /// How many objects they handle.
    pub objects: usize,
    /// How many contacts are possible: of patches with the surroundings, with objects
    /// and with other characters.
    #[serde(default)]
    pub patches: usize,
    /// How many unknowns the movement has.
    pub variables: usize,
    /// How many phases.
    pub phases: usize,
    /// Iterations of the attempt that was kept.
    pub iterations: usize,
    /// Its costs.
    pub cost: CostReport,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
    /// The largest difference, over all moments, between a contact force and its reaction,
    /// in weights of the lightest character; 0 if no moving bodies touch each other.
    #[serde(default)]
    pub reaction_error_bw: f64,
    /// Which contacts carried the movement: characters first and then objects, in the
    /// order of the scene, the largest impulse of each first.
    #[serde(default)]
    pub contacts: Vec<ContactReport>,
    /// Processor seconds of all attempts.
    pub cpu_seconds: f64,
    /// Whether the movement meets all thresholds.
    pub good: bool,
    /// Whether the search was stopped before its end.
    pub interrupted: bool,
    /// Which thresholds and goals the best movement misses, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Which attempt was kept, counted from 0.
    pub best: usize,
    /// How many different movements were requested, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<usize>,
    /// The good and different movements, the cheapest first, if more than one was
    /// requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<Vec<KeptEntry>>,
    /// All attempts that were made.
    pub attempts: Vec<AttemptEntry>,
}

/// One of several movements that were kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptEntry {
    /// Which attempt it is, counted from 0.
    pub attempt: usize,
    /// The sum of its costs.
    pub cost: f64,
    /// Its distance from the nearest other movement that was kept: the share of contacts
    /// in use that differ, from 0 to 1. `null` if there is no other.
    pub nearest: Option<f64>,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
}

/// The costs, term by term (Mordatch (1)).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CostReport {
    /// The sum.
    pub total: f64,
    /// L_CI: contacts that do not touch.
    pub contact: f64,
    /// L_Physics.
    pub physics: f64,
    /// L_Task: goals and effort.
    pub task: f64,
    /// L_Hint.
    pub hint: f64,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttemptEntry {
    /// The seed of its noise.
    pub seed: u64,
    /// Whether the minimiser was preconditioned.
    pub preconditioned: bool,
    /// Whether obstacles moved to their places in stages.
    #[serde(default)]
    pub staged: bool,
    /// Iterations of all its stages.
    pub iterations: usize,
    /// The sum of its costs.
    pub cost: f64,
    /// Its score.
    #[serde(flatten)]
    pub score: Score,
    /// Processor seconds.
    pub cpu_seconds: f64,
    /// Whether it satisfies all thresholds.
    pub good: bool,
}

impl MotionReport {
    /// Whether the search was stopped before its end.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Whether the movement misses a threshold or a goal.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The report of one of the attempts: its number, its costs, and the thresholds and
    /// goals that it misses.
    pub(super) fn of(
        found: &Synthesis,
        number: usize,
        terms: &Terms,
        failure: Option<String>,
    ) -> Self {
        let attempts: Vec<AttemptEntry> = found.attempts.iter().map(attempt).collect();
        let best = attempts.get(number).copied().unwrap_or_default();
        let several = found.keep > 1;
        Self {
            characters: found.program.characters.len(),
            objects: found.program.objects.len(),
            patches: found.program.contacts.len(),
            variables: found.program.layout.len(),
            phases: found.program.layout.phases,
            iterations: best.iterations,
            cost: CostReport {
                total: finite(terms.total()),
                contact: finite(terms.contact),
                physics: finite(terms.physics),
                task: finite(terms.task),
                hint: finite(terms.hint),
            },
            score: best.score,
            // Set later, from the clip.
            reaction_error_bw: 0.0,
            contacts: Vec::new(),
            cpu_seconds: attempts.iter().map(|a| a.cpu_seconds).sum(),
            good: best.good && failure.is_none(),
            interrupted: found.stopped,
            failure,
            best: number,
            keep: several.then_some(found.keep),
            kept: several.then(|| kept(found, &attempts)),
            attempts,
        }
    }
}

fn kept(found: &Synthesis, attempts: &[AttemptEntry]) -> Vec<KeptEntry> {
    let kept = found.kept.iter().map(|kept| {
        let it = attempts.get(kept.attempt).copied().unwrap_or_default();
        KeptEntry {
            attempt: kept.attempt,
            cost: it.cost,
            nearest: kept.nearest,
            score: it.score,
        }
    });
    kept.collect()
}

fn attempt(it: &conatus_motion::AttemptReport) -> AttemptEntry {
    AttemptEntry {
        seed: it.seed,
        preconditioned: it.preconditioned,
        staged: it.staged,
        iterations: it.iterations,
        cost: finite(it.cost),
        score: finite_score(&it.score),
        cpu_seconds: it.cpu_seconds,
        good: it.good,
    }
}

/// The score with numbers that JSON can hold.
fn finite_score(score: &Score) -> Score {
    Score {
        true_residual_max_bw: finite(score.true_residual_max_bw),
        true_residual_mean_bw: finite(score.true_residual_mean_bw),
        contact_drift_max: finite(score.contact_drift_max),
        limb_error_max: finite(score.limb_error_max),
        penetration_max: finite(score.penetration_max),
        task_error: finite(score.task_error),
        torque_excess: finite(score.torque_excess),
    }
}

/// The value itself if it is finite, which JSON requires; otherwise the largest number.
pub(super) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::MAX }
}
