//! What a scene asks of its characters, and how it is found.

use super::clip::{self, Sampled};
use super::report::finite;
use super::{MotionReport, Movement, Progress, carried};
use conatus_motion::costs::task;
use conatus_motion::score::Score;
use conatus_motion::variables::State;
use conatus_motion::{Goal, Problem, Program, Synthesis};
use conatus_record::Clip;
use conatus_record::clip::Target;
use std::ops::ControlFlow;

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
    /// Finds a movement: long work, on all threads. `watch` hears of every
    /// iteration, and may stop the search; the best so far is kept. What is
    /// found does not depend on the number of threads.
    pub fn find(&self, watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync)) -> Movement {
        let found = conatus_motion::synthesize(&self.problem, watch);
        let mut failure = self.failure(&found);
        let Sampled {
            mut clip,
            reaction_error,
        } = clip::sampled(self, &found.program, &found.x);
        if let Err(why) = clip.check() {
            // Numbers that ran away cannot be shown.
            failure = Some(format!("numbers ran away: {why}"));
            clip = self.start();
        }
        let mut report = MotionReport::of(&found, failure);
        report.contacts = carried::contacts(&clip);
        let newtons = reaction_error.max(carried::reaction_error(&clip));
        report.reaction_error_bw = finite(carried::in_weights(&clip, newtons));
        Movement { clip, report }
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
                task::Feature::Axis { .. } => 0.3,
                _ => 1.0,
            };
            worst = worst.max(arm * aim.feature.error(program, &state).length());
        }
        worst
    }
}
