//! From a problem to a movement: a portfolio of attempts, of which the best is
//! kept.
//!
//! Attempts differ in the seed of their noise and in whether L-BFGS is
//! preconditioned. They are made in rounds of [`ROUND`], side by side where there
//! are threads for it; a round that has found a movement that keeps all bars is
//! the last. What comes out does not depend on the number of threads.
//!
//! Where several movements are asked for ([`Effort::keep`]), all attempts are made,
//! and the cheapest good ones that are [different](crate::different) are kept.
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

/// Attempts in a round.
pub const ROUND: usize = 2;

/// Where an attempt is.
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
    /// The cost.
    pub cost: f64,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "attempt {} of {}, {}, iteration {} of {}, cost {:.4}",
            self.attempt + 1,
            self.attempts,
            phases::STAGES.get(self.stage).unwrap_or(&"?"),
            self.iteration,
            self.iterations,
            self.cost,
        )
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttemptReport {
    /// The seed of its noise.
    pub seed: u64,
    /// Whether L-BFGS was preconditioned.
    pub preconditioned: bool,
    /// Whether obstacles came to their places in stages.
    pub staged: bool,
    /// Iterations of all stages.
    pub iterations: usize,
    /// What its costs came to.
    pub cost: f64,
    /// How good it is.
    pub score: Score,
    /// Whether it keeps all bars.
    pub good: bool,
    /// Processor time, in seconds.
    pub cpu_seconds: f64,
}

/// A movement that was found.
#[derive(Clone, Debug)]
pub struct Synthesis {
    /// The problem made ready.
    pub program: Program,
    /// The unknowns of the best attempt.
    pub x: Vec<f64>,
    /// Which attempt that was.
    pub best: usize,
    /// All attempts that were made.
    pub attempts: Vec<AttemptReport>,
    /// The costs of the best, term by term.
    pub terms: Terms,
    /// How many movements were asked for.
    pub keep: usize,
    /// Where that is more than one: those that are good and different,
    /// the cheapest first. There may be fewer than were asked for, or none.
    pub kept: Vec<Kept>,
    /// Whether it was told to stop before its end.
    pub stopped: bool,
}

/// One of several movements.
#[derive(Clone, Debug)]
pub struct Kept {
    /// Which attempt it is.
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
    /// How good the movement is.
    pub fn score(&self) -> &Score {
        &self.attempts[self.best].score
    }

    /// Whether it keeps all bars.
    pub fn is_good(&self) -> bool {
        self.attempts[self.best].good
    }
}

/// The attempts of a portfolio.
fn portfolio(problem: &Problem) -> Vec<Attempt> {
    let may_stage = problem.surfaces.iter().any(|s| s.comes_from.is_some());
    let attempts = (0..problem.effort.attempts.max(1) as u64).map(|k| Attempt {
        // Each seed of a user has its own row of attempts.
        seed: problem.effort.seed.wrapping_mul(1_000_003).wrapping_add(k),
        // It finds what others do not, and takes three to four times as long.
        preconditioned: k % 6 >= 4,
        staged: may_stage && matches!(k % 4, 0 | 3),
    });
    attempts.collect()
}

/// Finds a movement. `watch` hears of every iteration of every attempt, from
/// several threads, and may stop all of them; the best so far is kept.
pub fn synthesize(
    problem: &Problem,
    watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
) -> Synthesis {
    let program = Program::new(problem);
    let effort = &problem.effort;
    let all = portfolio(problem);
    let limits = [
        effort.iterations[0],
        effort.iterations[1],
        effort.iterations[2],
        effort.polish,
    ];
    let stopped = std::sync::atomic::AtomicBool::new(false);
    let mut attempts = Vec::new();
    let mut movements = Vec::new();
    for (round, plans) in all.chunks(ROUND).enumerate() {
        let made: Vec<_> = plans
            .par_iter()
            .enumerate()
            .map(|(k, plan)| {
                let clock = cpu_time::ThreadTime::try_now().ok();
                let (x, outcomes) = phases::attempt(&program, effort, *plan, &mut |stage, i| {
                    let told = watch(&Progress {
                        attempt: round * ROUND + k,
                        attempts: all.len(),
                        stage,
                        iteration: i.number,
                        iterations: limits[stage],
                        cost: i.value,
                    });
                    if told.is_break() {
                        stopped.store(true, std::sync::atomic::Ordering::Relaxed);
                    }
                    told
                });
                let seconds = clock.map_or(0.0, |c| c.elapsed().as_secs_f64());
                let score = score(&program, &x);
                let report = AttemptReport {
                    seed: plan.seed,
                    preconditioned: plan.preconditioned,
                    staged: plan.staged,
                    iterations: outcomes.iter().map(|o| o.iterations).sum(),
                    cost: outcomes.last().map_or(f64::INFINITY, |o| o.value),
                    good: score.is_good(&problem.bars),
                    score,
                    cpu_seconds: seconds,
                };
                (x, report)
            })
            .collect();
        for (x, report) in made {
            movements.push(x);
            attempts.push(report);
        }
        let done = effort.keep <= 1 && attempts.iter().any(|a| a.good);
        if done || stopped.load(std::sync::atomic::Ordering::Relaxed) {
            break;
        }
    }
    // The cheapest of those that are good; the least bad if none is.
    let rank = |a: &AttemptReport| {
        let badness = if a.good {
            0.0
        } else {
            a.score.worst(&problem.bars)
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
    Synthesis {
        program,
        x,
        best,
        attempts,
        terms,
        keep: effort.keep,
        kept,
        stopped: stopped.into_inner(),
    }
}

/// The cheapest `keep` of the good movements that are different.
fn kept(
    program: &Program,
    samples: usize,
    attempts: &[AttemptReport],
    movements: &[Vec<f64>],
    keep: usize,
) -> Vec<Kept> {
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
        Kept {
            attempt: good[i],
            terms: Evaluator::new(program, samples).terms(&x),
            x,
            nearest: nearest(i),
        }
    });
    kept.collect()
}
