//! From a problem to a movement: a portfolio of attempts, of which the best is
//! kept.
//!
//! Attempts differ in the seed of their noise and in whether L-BFGS is
//! preconditioned. They are made in rounds of [`ATTEMPTS_PER_ROUND`], in parallel where
//! there are threads for it; a round that has found a movement within all thresholds is
//! the last. The result does not depend on the number of threads.
//!
//! Where several movements are requested ([`Effort::keep`]), all attempts are made, and
//! the cheapest good ones that are [different](crate::contact_pattern) are kept.
//!
//! [`Effort::keep`]: crate::Effort::keep

use crate::contact_pattern;
use crate::costs::Terms;
use crate::objective::Evaluator;
use crate::phases::{self, Attempt};
use crate::problem::Problem;
use crate::program::Program;
use crate::score::{Score, score};
use rayon::prelude::*;
use serde::Serialize;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of attempts in a round.
pub const ATTEMPTS_PER_ROUND: usize = 2;

/// The progress of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Which attempt.
    pub attempt: usize,
    /// Of how many there may be.
    pub attempts: usize,
    /// The stage, from 0; [`phases::STAGES`] has its name.
    pub stage: usize,
    /// The iteration within the stage.
    pub iteration: usize,
    /// How many iterations the stage may take.
    pub iterations: usize,
    /// The cost; infinite before the first iteration.
    pub cost: f64,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "attempt {} of {}, {}, iteration {} of {}",
            self.attempt + 1,
            self.attempts,
            phases::STAGES.get(self.stage).unwrap_or(&"?"),
            self.iteration,
            self.iterations,
        )?;
        match self.cost.is_finite() {
            true => write!(f, ", cost {:.4}", self.cost),
            false => Ok(()),
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttemptReport {
    /// The seed of its noise.
    pub seed: u64,
    /// Whether L-BFGS was preconditioned.
    pub preconditioned: bool,
    /// Whether obstacles moved to their places in steps.
    pub staged: bool,
    /// Iterations of all stages.
    pub iterations: usize,
    /// The sum of its costs.
    pub cost: f64,
    /// Its score.
    pub score: Score,
    /// Whether it is within all thresholds.
    pub good: bool,
    /// Processor time, in seconds.
    pub cpu_seconds: f64,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Synthesis {
    /// The problem made ready for evaluation.
    pub program: Program,
    /// The unknowns of the best attempt.
    pub x: Vec<f64>,
    /// The number of the best attempt.
    pub best: usize,
    /// All attempts that were made.
    pub attempts: Vec<AttemptReport>,
    /// The costs of the best, term by term.
    pub terms: Terms,
    /// How many movements were requested.
    pub keep: usize,
    /// Where that is more than one: those that are good and different, the cheapest
    /// first. There may be fewer than requested, or none.
    pub kept: Vec<KeptMovement>,
    /// Whether the watcher stopped the search before its end.
    pub stopped: bool,
}

/// One of several movements.
#[derive(Clone, Debug)]
pub struct KeptMovement {
    /// The number of its attempt.
    pub attempt: usize,
    /// Its unknowns.
    pub x: Vec<f64>,
    /// Its costs, term by term.
    pub terms: Terms,
    /// The [distance](contact_pattern::distance) to the nearest other one that is kept;
    /// `None` if there is no other.
    pub nearest: Option<f64>,
}

impl Synthesis {
    /// The score of the movement.
    pub fn score(&self) -> &Score {
        &self.attempts[self.best].score
    }

    /// Whether it is within all thresholds.
    pub fn is_good(&self) -> bool {
        self.attempts[self.best].good
    }
}

/// The attempts of a portfolio.
fn portfolio(problem: &Problem) -> Vec<Attempt> {
    let may_stage = problem.surfaces.iter().any(|s| s.comes_from.is_some());
    let attempts = (0..problem.effort.attempts.max(1) as u64).map(|k| Attempt {
        // Different seeds of a user give different sequences of attempts.
        seed: problem.effort.seed.wrapping_mul(1_000_003).wrapping_add(k),
        // Finds movements that others do not, and takes three to four times as long.
        preconditioned: k % 6 >= 4,
        staged: may_stage && matches!(k % 4, 0 | 3),
    });
    attempts.collect()
}

/// Finds a movement.
///
/// `watch` is called from several threads: at every iteration of every attempt, and
/// also several times within long evaluations, so it has to be fast. If it breaks, all
/// attempts end within milliseconds, no further attempt starts, and the best movement
/// so far is returned.
pub fn synthesize(
    problem: &Problem,
    watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
) -> Synthesis {
    let program = Program::new(problem);
    let effort = &problem.effort;
    let all = portfolio(problem);
    tracing::debug!(
        unknowns = program.layout.len(),
        contacts = program.layout.contacts,
        attempts = all.len(),
        "search begins"
    );
    let stopped = AtomicBool::new(false);
    let mut attempts = Vec::new();
    let mut movements = Vec::new();
    for (round, plans) in all.chunks(ATTEMPTS_PER_ROUND).enumerate() {
        let made: Vec<_> = plans
            .par_iter()
            .enumerate()
            .map(|(k, plan)| {
                let numbers = (round * ATTEMPTS_PER_ROUND + k, all.len());
                make_attempt(problem, &program, *plan, numbers, &stopped, watch)
            })
            .collect();
        for (x, report) in made.into_iter().flatten() {
            movements.push(x);
            attempts.push(report);
        }
        let done = effort.keep <= 1 && attempts.iter().any(|a: &AttemptReport| a.good);
        if done || stopped.load(Ordering::Relaxed) {
            break;
        }
    }
    // The cheapest good attempt; where none is good, the one nearest to the thresholds.
    let rank = |a: &AttemptReport| {
        let badness = if a.good {
            0.0
        } else {
            a.score.worst_ratio(&problem.thresholds)
        };
        (badness, a.cost)
    };
    let best = (0..attempts.len())
        .min_by(|&a, &b| {
            let (a, b) = (rank(&attempts[a]), rank(&attempts[b]));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        })
        .unwrap_or(0);
    let kept = match effort.keep {
        0 | 1 => Vec::new(),
        keep => kept(&program, effort.samples, &attempts, &movements, keep),
    };
    let x = movements.swap_remove(best);
    let terms = Evaluator::new(&program, effort.samples).terms(&x);
    let stopped = stopped.into_inner();
    tracing::debug!(best, good = attempts[best].good, stopped, "search ended");
    Synthesis {
        program,
        x,
        best,
        attempts,
        terms,
        keep: effort.keep,
        kept,
        stopped,
    }
}

/// Makes an attempt and scores it; nothing if the search was stopped before.
fn make_attempt(
    problem: &Problem,
    program: &Program,
    plan: Attempt,
    (number, attempts): (usize, usize),
    stopped: &AtomicBool,
    watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
) -> Option<(Vec<f64>, AttemptReport)> {
    if stopped.load(Ordering::Relaxed) {
        return None;
    }
    let _span = tracing::debug_span!(
        "attempt",
        number,
        seed = plan.seed,
        preconditioned = plan.preconditioned,
        staged = plan.staged
    )
    .entered();
    let clock = cpu_time::ThreadTime::try_now().ok();
    let effort = &problem.effort;
    let [a, b, c] = effort.iterations;
    let limits = [a, b, c, effort.polish];
    let (x, outcomes) = phases::attempt(program, effort, plan, &|at| {
        // Another attempt may have been stopped.
        if stopped.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let flow = watch(&Progress {
            attempt: number,
            attempts,
            stage: at.stage,
            iteration: at.iteration,
            iterations: limits[at.stage],
            cost: at.cost,
        });
        if flow.is_break() {
            stopped.store(true, Ordering::Relaxed);
        }
        flow
    });
    let cpu_seconds = clock.map_or(0.0, |c| c.elapsed().as_secs_f64());
    let score = score(program, &x);
    let report = AttemptReport {
        seed: plan.seed,
        preconditioned: plan.preconditioned,
        staged: plan.staged,
        iterations: outcomes.iter().map(|o| o.iterations).sum(),
        cost: outcomes.last().map_or(f64::INFINITY, |o| o.value),
        good: score.is_good(&problem.thresholds),
        score,
        cpu_seconds,
    };
    tracing::debug!(
        cost = report.cost,
        good = report.good,
        iterations = report.iterations,
        cpu_seconds,
        "attempt ended"
    );
    Some((x, report))
}

/// The cheapest `keep` of the good movements that are different.
fn kept(
    program: &Program,
    samples: usize,
    attempts: &[AttemptReport],
    movements: &[Vec<f64>],
    keep: usize,
) -> Vec<KeptMovement> {
    let mut good: Vec<usize> = (0..attempts.len()).filter(|&a| attempts[a].good).collect();
    // Stable: of two that cost the same the earlier attempt comes first.
    good.sort_by(|&a, &b| attempts[a].cost.total_cmp(&attempts[b].cost));
    let patterns: Vec<_> = (good.par_iter())
        .map(|&a| contact_pattern::contact_pattern(program, &movements[a]))
        .collect();
    let chosen = contact_pattern::select_different(&patterns, keep);
    let nearest = |i: usize| {
        let others = chosen.iter().filter(|&&c| c != i);
        let distances = others.map(|&c| contact_pattern::distance(&patterns[i], &patterns[c]));
        distances.min_by(f64::total_cmp)
    };
    let kept = chosen.iter().map(|&i| {
        let x = movements[good[i]].clone();
        KeptMovement {
            attempt: good[i],
            terms: Evaluator::new(program, samples).terms(&x),
            x,
            nearest: nearest(i),
        }
    });
    kept.collect()
}
