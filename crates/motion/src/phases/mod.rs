//! From an initial guess to a movement: the stages of continuation (§4.5), and a final
//! least-squares stage, the polish.
//!
//! | stage | costs | minimiser |
//! |---|---|---|
//! | 0, task | goals, guides, limits of limbs (otherwise hands are left behind) | L-BFGS, then least squares |
//! | 1, weak physics | all, contacts and physics with a tenth of their weight | L-BFGS |
//! | 2, full physics | all | L-BFGS |
//! | 3, polish | physics and limits with 10 and then 100 times their weight | Levenberg-Marquardt |
//!
//! Between stages a little noise breaks symmetries. L-BFGS finds the behaviour;
//! Levenberg-Marquardt removes what is left of the errors.
//!
//! # Choices that are not in the paper
//!
//! Each was made because movements went wrong without it.
//!
//! - *Initial guess* (the module `initial`). All characters stand still, with all
//!   contacts active. A character that has to turn over starts bent forwards, because
//!   all ways to turn are equally long and the gradient is zero. Torso patches that
//!   neither touch at the start nor have to touch at the end start with a small contact
//!   variable; otherwise every movement would begin by lying down. Contacts without
//!   which the start pose could not be in equilibrium hold for the first phase, and
//!   those of the final stance for the last (`Feature::Hold`); otherwise steps begin in
//!   mid-air and end on one foot.
//! - *Spreading over time.* After stage 0, least squares spread the movement evenly.
//!   L-BFGS carries goals of the end back knot by knot, and a movement that is still
//!   at the beginning after stage 0 stays so in later stages.
//! - *Guides* (`costs/task/guides.rs`). A minimiser leaves goals of the end to the last
//!   moment, because no cost applies before it. While physics is weak, torsos are
//!   therefore guided along the straight line at an even pace, and objects from the
//!   time at which a character can have reached them. Stage 2 has no guides.
//! - *Weak contacts.* While physics is weak, contacts are too; otherwise feet never
//!   leave the ground.
//! - *Arms that carry load* have no comfort cost, which would bend their elbows.
//! - *Obstacles in stages.* An attempt may move obstacles to their places in small
//!   steps during stage 2. An obstacle fills the space that it has passed, so that
//!   nothing ends up on its wrong side.
//! - *Decided contacts* (the module `contacts`). Before the polish every contact is
//!   either firm or off.
//! - *Rest at the end.* Only the polish requires zero acceleration at the end: this
//!   cost is too steep for L-BFGS.

mod contacts;
mod initial;
mod monitor;
mod solve;
#[cfg(test)]
mod tests;

pub use monitor::{StageProgress, Watcher};

use crate::costs::TermWeights;
use crate::objective::Evaluator;
use crate::problem::Effort;
use crate::program::Program;
use crate::slide::STAGE_REGULARISATION_SPEEDS_M_S;
use conatus_math::lbfgs;
use conatus_math::minimise::{Iteration, Limits, Outcome};
use contacts::{decide_contacts, extend_push_until_object_stops};
use monitor::Monitor;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use solve::{Preconditioner, least_squares};
use std::cell::OnceCell;

/// The names of the stages.
pub const STAGES: [&str; 4] = ["task", "weak physics", "full physics", "polish"];

/// The number of the polish among the stages.
const POLISH_STAGE: usize = 3;

/// The factors of physics and limits in the first and second half of the polish.
const POLISH_FACTORS: [f64; 2] = [10.0, 100.0];

/// k of (3) for the polish: contacts are with the nearest surface alone.
const POLISH_SOFTNESS: f64 = 1e6;

/// The most least-squares iterations that spread the movement over time after stage 0.
const MAX_SPREADING_ITERATIONS: usize = 40;

/// The fewest steps in which obstacles move to their places during stage 2.
const MIN_OBSTACLE_STEPS: usize = 4;

/// The longest of these steps, in metres: what is deep inside an obstacle may leave it
/// on the wrong side.
const MAX_OBSTACLE_STEP_M: f64 = 0.1;

/// The cost weights of a stage.
pub fn term_weights(stage: usize) -> TermWeights {
    match stage {
        0 => TermWeights {
            contact: 0.0,
            physics: 0.0,
            guide: 1.0,
            ..TermWeights::ALL
        },
        1 => TermWeights {
            contact: 0.1,
            physics: 0.1,
            bounds: 0.1,
            penetration: 0.1,
            strength: 0.1,
            guide: 1.0,
            hint: 1.0,
            ..TermWeights::ALL
        },
        2 => TermWeights::ALL,
        _ => polish_weights(POLISH_FACTORS[0]),
    }
}

/// The cost weights of the polish, with this factor of physics and limits.
fn polish_weights(factor: f64) -> TermWeights {
    TermWeights {
        contact: POLISH_FACTORS[0],
        physics: factor,
        bounds: factor,
        penetration: POLISH_FACTORS[1],
        torque: 0.0,
        strength: factor,
        rest: 1.0,
        ..TermWeights::ALL
    }
}

/// One attempt: a seed, and variants of the method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The seed of its noise.
    pub seed: u64,
    /// Whether L-BFGS starts from the Hessian of accelerations.
    pub preconditioned: bool,
    /// Whether obstacles that may move to their places in steps do so.
    pub staged: bool,
}

/// A run of L-BFGS: a stage, or a part of one.
struct StageRun {
    stage: usize,
    /// How far obstacles that move in steps are on their way, from 0 to 1.
    obstacle_share: f64,
    /// ε of friction ([`crate::slide`]).
    regularisation_speed: f64,
    iterations: usize,
    /// Whether it is the first run of its stage, which begins with noise.
    starts_stage: bool,
}

/// The L-BFGS runs of an attempt, in order.
fn stage_runs(program: &Program, effort: &Effort, attempt: Attempt) -> Vec<StageRun> {
    let slides = program.contacts.iter().any(|c| c.slides);
    let mut runs = Vec::new();
    for (stage, &iterations) in effort.iterations.iter().enumerate() {
        let shares = match stage {
            2 if attempt.staged => obstacle_shares(program),
            _ if attempt.staged => vec![0.0],
            _ => vec![1.0],
        };
        // Many short runs need more iterations than one.
        let each = match shares.len() {
            1 => iterations,
            count => (iterations * 3 / 2).div_ceil(count),
        };
        runs.extend(shares.iter().enumerate().map(|(k, &share)| StageRun {
            stage,
            obstacle_share: share,
            regularisation_speed: match slides {
                true => STAGE_REGULARISATION_SPEEDS_M_S[stage],
                false => program.regularisation_speed,
            },
            iterations: each,
            starts_stage: k == 0,
        }));
    }
    runs
}

/// How far obstacles are on their way in each step of a stage.
fn obstacle_shares(program: &Program) -> Vec<f64> {
    let displacements = program.around.surfaces.iter().filter_map(|s| s.comes_from);
    let longest = displacements.map(|d| d.length()).fold(0.0, f64::max);
    let count = MIN_OBSTACLE_STEPS.max((longest / MAX_OBSTACLE_STEP_M).ceil() as usize);
    (1..=count).map(|k| k as f64 / count as f64).collect()
}

/// The program with the obstacles and the friction of a run.
fn program_for_stage(program: &Program, run: &StageRun) -> Program {
    Program {
        around: match run.obstacle_share {
            1.0 => program.around.clone(),
            share => program.around.at_stage(share),
        },
        regularisation_speed: run.regularisation_speed,
        ..program.clone()
    }
}

/// Makes one attempt; returns the unknowns and the outcome of each minimisation. If
/// `watch` breaks, the attempt ends at once with the best unknowns of its last
/// minimisation.
pub fn attempt(
    program: &Program,
    effort: &Effort,
    attempt: Attempt,
    watch: &Watcher,
) -> (Vec<f64>, Vec<Outcome>) {
    let monitor = Monitor::new(watch);
    let interrupt = || monitor.poll();
    let mut x = initial::guess(program);
    let mut random = Pcg64::seed_from_u64(attempt.seed);
    let mut outcomes = Vec::new();
    let runs = stage_runs(program, effort, attempt);
    let programs: Vec<Program> = runs
        .iter()
        .map(|run| program_for_stage(program, run))
        .collect();
    let followed = OnceCell::new();
    let mut evaluator = Evaluator::new(&programs[0], effort.samples);
    let preconditioner = attempt
        .preconditioned
        .then(|| Preconditioner::new(&programs[0], &mut evaluator, &x));
    evaluator = evaluator.interrupted_by(&interrupt);
    for (k, run) in runs.iter().enumerate() {
        if monitor.is_stopped() {
            return (x, outcomes);
        }
        let (stage, mix) = (run.stage, term_weights(run.stage));
        monitor.begin(stage, 0);
        if run.starts_stage {
            initial::add_noise(&mut x, effort.noise, &mut random);
        }
        let key = |run: &StageRun| (run.obstacle_share, run.regularisation_speed);
        if k > 0 && key(&runs[k - 1]) != key(run) {
            let program = match stage == 2 && run.starts_stage {
                true => {
                    followed.get_or_init(|| extend_push_until_object_stops(&programs[k], &mut x))
                }
                false => &programs[k],
            };
            evaluator = Evaluator::new(program, effort.samples).interrupted_by(&interrupt);
        }
        let limits = Limits {
            iterations: run.iterations,
            gradient: 1e-6,
            decrease: 1e-6,
            window: 30,
        };
        let settings = lbfgs::Settings {
            limits,
            ..lbfgs::Settings::default()
        };
        let objective = |x: &[f64], g: &mut [f64]| {
            let value = evaluator.gradient(&mix, x, g);
            (!evaluator.was_interrupted()).then_some(value)
        };
        let on_iteration = |i: &Iteration| monitor.iteration(i);
        let outcome = match &preconditioner {
            Some(preconditioner) => {
                let precondition = |v: &mut [f64]| preconditioner.apply(v);
                lbfgs::minimise_preconditioned(
                    &mut x,
                    &settings,
                    objective,
                    precondition,
                    on_iteration,
                )
            }
            None => lbfgs::minimise(&mut x, &settings, objective, on_iteration),
        };
        log_outcome(stage, "l-bfgs", &outcome);
        outcomes.push(outcome);
        if stage == 0 && !monitor.is_stopped() {
            // Without contacts and forces the cost is nearly quadratic.
            let limits = Limits {
                iterations: MAX_SPREADING_ITERATIONS,
                decrease: 1e-3,
                window: 4,
                ..limits
            };
            let samples = effort.samples;
            let outcome = least_squares(&programs[k], samples, &mix, limits, &mut x, &monitor);
            log_outcome(stage, "least squares", &outcome);
            outcomes.push(outcome);
        }
    }
    if !monitor.is_stopped() {
        polish(program, effort, &mut x, &monitor, &mut outcomes);
    }
    (x, outcomes)
}

/// The last stage: least squares with decided contacts and large weights.
fn polish(
    program: &Program,
    effort: &Effort,
    x: &mut [f64],
    monitor: &Monitor,
    outcomes: &mut Vec<Outcome>,
) {
    decide_contacts(program, x);
    let mut sharp = extend_push_until_object_stops(program, x);
    sharp.around.softness = POLISH_SOFTNESS;
    let mut done = 0;
    for (half, factor) in POLISH_FACTORS.into_iter().enumerate() {
        if monitor.is_stopped() {
            return;
        }
        monitor.begin(POLISH_STAGE, done);
        let limits = Limits {
            iterations: (effort.polish + half) / 2,
            gradient: 1e-9,
            decrease: 1e-5,
            window: 4,
        };
        let (samples, mix) = (effort.polish_samples, polish_weights(factor));
        let outcome = least_squares(&sharp, samples, &mix, limits, x, monitor);
        log_outcome(POLISH_STAGE, "least squares", &outcome);
        done += outcome.iterations;
        outcomes.push(outcome);
    }
}

fn log_outcome(stage: usize, minimiser: &str, outcome: &Outcome) {
    tracing::debug!(
        stage = STAGES[stage],
        minimiser,
        iterations = outcome.iterations,
        evaluations = outcome.evaluations,
        cost = outcome.value,
        reason = ?outcome.reason,
        "stage ended"
    );
}
