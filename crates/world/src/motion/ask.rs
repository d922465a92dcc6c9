//! What a scene asks of its characters, and how it is found.

use super::clip::{self, Sampled};
use super::report::finite;
use super::{MotionReport, Movement, Movements, Progress, carried};
use conatus_motion::costs::task;
use conatus_motion::score::Score;
use conatus_motion::variables::State;
use conatus_motion::{Goal, Problem, Program, Synthesis};
use conatus_record::Clip;
use conatus_record::clip::Target;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What a scene asks of its characters. It has been checked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The problem.
    pub problem: Problem,
    /// What the goals are called in messages, in their order.
    pub goals: Vec<String>,
    /// What is shown of the goals.
    pub targets: Vec<Target>,
}

impl Ask {
    /// Finds movements: long work, on all threads. `watch` hears of every
    /// iteration, and may stop the search; the best so far is kept. What is
    /// found does not depend on the number of threads.
    ///
    /// The best comes first, even if it is not good. More follow if the scene asks
    /// to keep several (`motion.keep`): all that are good and different, but no
    /// more than that.
    pub fn find_all(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Movements {
        let found = conatus_motion::synthesize(&self.problem, watch);
        let best = Arc::new(self.best(&found));
        let others = found.kept.iter().filter(|kept| kept.attempt != found.best);
        let others = others.filter_map(|kept| {
            let sampled = clip::sampled(self, &found.program, &kept.x);
            let report = MotionReport::of(&found, kept.attempt, &kept.terms, None);
            let sound = sampled.clip.check().is_ok();
            sound.then(|| Arc::new(movement(sampled, report)))
        });
        let others = others.collect();
        Movements { best, others }
    }

    /// The best of these alone.
    pub fn find(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Movement {
        self.best(&conatus_motion::synthesize(&self.problem, watch))
    }

    fn best(&self, found: &Synthesis) -> Movement {
        let mut failure = self.failure(found);
        let mut sampled = clip::sampled(self, &found.program, &found.x);
        if let Err(why) = sampled.clip.check() {
            // Numbers that ran away cannot be shown.
            failure = Some(format!("numbers ran away: {why}"));
            sampled.clip = self.start();
        }
        let report = MotionReport::of(found, found.best, &found.terms, failure);
        movement(sampled, report)
    }

    /// A clip of one moment: everybody as they start.
    pub fn start(&self) -> Clip {
        clip::start(self, &Program::new(&self.problem))
    }

    /// How many unknowns a movement has, and how many patches can touch.
    pub fn size(&self) -> (usize, usize) {
        let layout = Program::new(&self.problem).layout;
        (layout.len(), layout.contacts)
    }

    /// How long the movement is, in seconds.
    pub fn seconds(&self) -> f64 {
        self.problem.phases as f64 * self.problem.phase_seconds
    }

    /// Which bars and goals the best movement misses, if any.
    fn failure(&self, found: &Synthesis) -> Option<String> {
        if found.is_good() {
            return None;
        }
        let missed = found.score().against(&self.problem.bars);
        let mut parts: Vec<String> = (missed.iter())
            .filter(|(_, value, bar)| value > bar || value.is_nan())
            .map(|(name, value, bar)| format!("{name} is {value:.3e}, at most {bar} is asked for"))
            .collect();
        let task = found.score().task_error;
        if (task > self.problem.bars.task || task.is_nan())
            && let Some((goal, error)) = self.worst_goal(found)
        {
            parts.push(format!("{goal} is missed by {error:.3} m"));
        }
        Some(parts.join("; "))
    }

    /// The goal that is missed most, and by how much.
    fn worst_goal(&self, found: &Synthesis) -> Option<(&str, f64)> {
        let errors = (self.problem.goals.iter().zip(&self.goals))
            .map(|(goal, name)| (name.as_str(), self.goal_error(goal, found)));
        errors.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// How far one goal is missed, as [`Score::task_error`] counts it.
    fn goal_error(&self, goal: &Goal, found: &Synthesis) -> f64 {
        let alone = Problem {
            goals: vec![goal.clone()],
            ..self.problem.clone()
        };
        let (program, mut state) = (&found.program, State::default());
        let mut worst = Score::default().task_error;
        for aim in task::aims(&alone, program) {
            if aim.is_rate {
                continue;
            }
            state.update(&program.layout, &found.x, &aim.moment);
            state.update_limbs(&program.characters, false);
            let arm = match aim.feature {
                task::Feature::Axis { .. } => task::ARM,
                _ => 1.0,
            };
            worst = worst.max(arm * aim.feature.error(program, &state).length());
        }
        worst
    }
}

/// A movement whose report tells what carried it.
fn movement(sampled: Sampled, mut report: MotionReport) -> Movement {
    let Sampled {
        clip,
        reaction_error,
    } = sampled;
    report.contacts = carried::contacts(&clip);
    let newtons = reaction_error.max(carried::reaction_error(&clip));
    report.reaction_error_bw = finite(carried::in_weights(&clip, newtons));
    Movement { clip, report }
}
