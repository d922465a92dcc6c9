//! Plans the movement of a scene's characters.

use super::clip::{self, Sampled};
use super::report::finite;
use super::{MotionReport, Movement, Movements, Progress, contact_report};
use conatus_motion::costs::task;
use conatus_motion::score::Score;
use conatus_motion::variables::MotionState;
use conatus_motion::{Goal, Problem, Program, Synthesis};
use conatus_record::Clip;
use conatus_record::clip::ClipTarget;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plans movements for a scene's characters. Its problem has been checked.
#[derive(Clone, Debug)]
pub struct MotionPlanner {
    /// The optimisation problem.
    pub problem: Problem,
    /// The names of the goals in messages, in their order.
    pub goals: Vec<String>,
    /// The goals as a viewer displays them.
    pub targets: Vec<ClipTarget>,
    /// When its movements start, in seconds; 0 unless they continue another.
    pub start_seconds: f64,
}

impl MotionPlanner {
    /// Plans movements on all threads, which takes seconds. `watch` is called in
    /// every iteration and can stop the search; then the best movement so far is
    /// returned. The result does not depend on the number of threads.
    ///
    /// The best movement comes first, even if it misses thresholds. If the scene
    /// requests several (`motion.keep`), others follow that are good and
    /// different, at most as many as requested.
    pub fn plan_all(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Movements {
        self.movements(&self.search(watch))
    }

    /// As [`plan_all`](Self::plan_all), for a search that may be abandoned: `None`
    /// as soon as `watch` stops it, without sampling the best movement so far.
    pub fn plan_all_unless_stopped(
        &self,
        watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
    ) -> Option<Movements> {
        let stopped = AtomicBool::new(false);
        let found = self.search(&|progress| {
            let flow = watch(progress);
            if flow.is_break() {
                stopped.store(true, Ordering::Relaxed);
            }
            flow
        });
        (!stopped.into_inner()).then(|| self.movements(&found))
    }

    fn movements(&self, found: &Synthesis) -> Movements {
        let best = Arc::new(self.best(found));
        let others = found.kept.iter().filter(|kept| kept.attempt != found.best);
        let others = others.filter_map(|kept| {
            let sampled = clip::sample_movement(self, &found.program, &kept.x);
            let report = MotionReport::of(found, kept.attempt, &kept.terms, None);
            let is_valid = sampled.clip.check().is_ok();
            is_valid.then(|| Arc::new(movement(sampled, report)))
        });
        let others = others.collect();
        Movements { best, others }
    }

    /// Plans the best movement alone; see [`plan_all`](Self::plan_all).
    pub fn plan(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Movement {
        self.best(&self.search(watch))
    }

    fn search(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Synthesis {
        let problem = &self.problem;
        tracing::info!(
            characters = problem.characters.len(),
            objects = problem.objects.len(),
            goals = problem.goals.len(),
            start_seconds = self.start_seconds,
            seconds = self.seconds(),
            "planning a movement"
        );
        let found = conatus_motion::synthesize(problem, watch);
        tracing::info!(
            attempts = found.attempts.len(),
            kept = found.kept.len(),
            good = found.is_good(),
            "planned"
        );
        found
    }

    fn best(&self, found: &Synthesis) -> Movement {
        let mut failure = self.failure(found);
        let mut sampled = clip::sample_movement(self, &found.program, &found.x);
        if let Err(why) = sampled.clip.check() {
            // A clip with numbers that are not finite cannot be recorded.
            tracing::warn!(%why, "the search diverged; the start poses are used instead");
            failure = Some(format!("the search diverged: {why}"));
            sampled.clip = self.start();
        }
        let report = MotionReport::of(found, found.best, &found.terms, failure);
        movement(sampled, report)
    }

    /// A clip of one moment: the start poses.
    pub fn start(&self) -> Clip {
        clip::start_clip(self, &Program::new(&self.problem))
    }

    /// The number of unknowns of a movement and of possible contacts.
    pub fn size(&self) -> (usize, usize) {
        let layout = Program::new(&self.problem).layout;
        (layout.len(), layout.contacts)
    }

    /// The length of the movement in seconds.
    pub fn seconds(&self) -> f64 {
        self.problem.phases as f64 * self.problem.phase_seconds
    }

    /// The thresholds and goals that the best movement misses, if any.
    fn failure(&self, found: &Synthesis) -> Option<String> {
        if found.is_good() {
            return None;
        }
        let missed = found.score().against(&self.problem.thresholds);
        let mut parts: Vec<String> = (missed.iter())
            .filter(|(_, value, threshold)| value > threshold || value.is_nan())
            .map(|(name, value, threshold)| {
                format!("{name} is {value:.3e}, but must be at most {threshold}")
            })
            .collect();
        let task = found.score().task_error;
        if (task > self.problem.thresholds.task || task.is_nan())
            && let Some((goal, error)) = self.worst_goal(found)
        {
            parts.push(format!("{goal} is missed by {error:.3} m"));
        }
        Some(parts.join("; "))
    }

    /// The goal with the largest error, and its error in metres.
    fn worst_goal(&self, found: &Synthesis) -> Option<(&str, f64)> {
        let errors = (self.problem.goals.iter().zip(&self.goals))
            .map(|(goal, name)| (name.as_str(), self.goal_error(goal, found)));
        errors.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The error of one goal in metres, measured as [`Score::task_error`].
    fn goal_error(&self, goal: &Goal, found: &Synthesis) -> f64 {
        let alone = Problem {
            goals: vec![goal.clone()],
            ..self.problem.clone()
        };
        let (program, mut state) = (&found.program, MotionState::default());
        let mut worst = Score::default().task_error;
        for term in task::task_terms(&alone, program) {
            if term.excluded_from_score {
                continue;
            }
            state.update(&program.layout, &found.x, &term.moment);
            state.update_limbs(&program.characters, false);
            let arm = match term.feature {
                task::Feature::Axis { .. } => task::DIRECTION_ARM_M,
                _ => 1.0,
            };
            worst = worst.max(arm * term.feature.error(program, &state).length());
        }
        worst
    }
}

/// A movement whose report lists the contacts that carried it.
fn movement(sampled: Sampled, mut report: MotionReport) -> Movement {
    let Sampled {
        clip,
        reaction_error,
    } = sampled;
    report.contacts = contact_report::contacts(&clip);
    let newtons = reaction_error.max(contact_report::reaction_error(&clip));
    report.reaction_error_bw = finite(contact_report::in_body_weights(&clip, newtons));
    Movement { clip, report }
}
