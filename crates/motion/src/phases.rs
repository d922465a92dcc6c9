//! From a still pose to a movement: the stages of continuation (§4.5), and a
//! polish.
//!
//! Stage 1 has the task alone, and bounds of limbs, or hands would be left
//! behind. Stage 2 has everything, physics weakly. Stage 3 has everything in
//! full. Between stages a little noise breaks symmetries. L-BFGS finds the
//! behaviour; Levenberg-Marquardt with dear physics makes it clean.

use crate::costs::Mix;
use crate::costs::task::{Feature, MIN_REQUIRED_CONTACT, TaskTerm};
use crate::objective::Evaluator;
use crate::problem::Effort;
use crate::program::{Against, Anchor, Program};
use crate::score::{COUNTS, touches};
use crate::slide::SLOW_IN_STAGES;
use crate::variables::FRAME;
use conatus_math::banded::{BlockTridiagonal, Cholesky};
use conatus_math::lbfgs;
use conatus_math::levenberg_marquardt as polish;
use conatus_math::minimise::{Iteration, Limits, Outcome};
use conatus_math::{DMat3, DVec3};
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// How much dearer physics and bounds are in the first and in the second half of
/// the polish.
const POLISH: [f64; 2] = [10.0, 100.0];

/// The stages by name.
pub const STAGES: [&str; 4] = ["task", "weak physics", "full physics", "polish"];

/// The mix of a stage.
pub fn mix(stage: usize) -> Mix {
    match stage {
        0 => Mix {
            contact: 0.0,
            physics: 0.0,
            guide: 1.0,
            ..Mix::FULL
        },
        1 => Mix {
            contact: 0.1,
            physics: 0.1,
            bounds: 0.1,
            penetration: 0.1,
            guide: 1.0,
            hint: 1.0,
            ..Mix::FULL
        },
        2 => Mix::FULL,
        _ => polish_mix(POLISH[0]),
    }
}

/// The mix of the polish, with physics and bounds so much dearer than usual.
fn polish_mix(dearer: f64) -> Mix {
    Mix {
        contact: POLISH[0],
        physics: dearer,
        bounds: dearer,
        penetration: POLISH[1],
        torque: 0.0,
        rest: 1.0,
        ..Mix::FULL
    }
}

/// Iterations at most that spread the movement over time after the first stage.
const SPREAD: usize = 40;

/// One attempt: a seed, and how to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The seed of its noise.
    pub seed: u64,
    /// Whether L-BFGS starts from the Hessian of accelerations.
    pub preconditioned: bool,
    /// Whether obstacles that may come to their places in stages do.
    pub staged: bool,
}

/// In how many pieces obstacles come to their places, at least, while physics is
/// in full,
const PIECES: usize = 4;
/// and how far they come in each, at most, in metres: who is deep inside of
/// something does not find out on the right side.
const PIECE: f64 = 0.1;

/// A stage with L-BFGS, or a piece of one.
struct Part {
    stage: usize,
    /// How far obstacles that come in stages are on their way.
    share: f64,
    /// ε of friction ([`crate::slide`]).
    slow: f64,
    iterations: usize,
    /// Between pieces of one stage nothing is shaken.
    shaken: bool,
}

/// The three stages of an attempt.
fn parts(program: &Program, effort: &Effort, attempt: Attempt) -> Vec<Part> {
    let slides = program.contacts.iter().any(|c| c.slides);
    let mut parts = Vec::new();
    for (stage, &iterations) in effort.iterations.iter().enumerate() {
        let pieces = match stage {
            2 if attempt.staged => pieces(program),
            _ if attempt.staged => vec![0.0],
            _ => vec![1.0],
        };
        // Many short pieces take longer than one.
        let each = match pieces.len() {
            1 => iterations,
            count => (iterations * 3 / 2).div_ceil(count),
        };
        parts.extend(pieces.iter().enumerate().map(|(k, &share)| Part {
            stage,
            share,
            slow: match slides {
                true => SLOW_IN_STAGES[stage],
                false => program.slow,
            },
            iterations: each,
            shaken: k == 0,
        }));
    }
    parts
}

/// How far obstacles are on their way in the pieces of a stage.
fn pieces(program: &Program) -> Vec<f64> {
    let ways = program.around.surfaces.iter().filter_map(|s| s.comes_from);
    let longest = ways.map(|way| way.length()).fold(0.0, f64::max);
    let count = PIECES.max((longest / PIECE).ceil() as usize);
    (1..=count).map(|k| k as f64 / count as f64).collect()
}

/// k of (3) for the polish: contacts are with what is nearest.
const SHARP: f64 = 1e6;

/// The problem as a part of an attempt has it.
fn as_in(program: &Program, part: &Part) -> Program {
    Program {
        around: match part.share {
            1.0 => program.around.clone(),
            share => program.around.at_stage(share),
        },
        slow: part.slow,
        ..program.clone()
    }
}

/// What an attempt tells on its way: the stage, the iteration and the value.
pub type Watcher<'a> = dyn FnMut(usize, &Iteration) -> ControlFlow<()> + 'a;

/// Makes one attempt; returns the unknowns and what each stage took.
pub fn attempt(
    program: &Program,
    effort: &Effort,
    attempt: Attempt,
    watch: &mut Watcher,
) -> (Vec<f64>, Vec<Outcome>) {
    let mut x = program.layout.still();
    bend_forwards(program, &mut x);
    leave_patches_faint(program, &mut x);
    hold_firmly(program, &mut x);
    let mut random = Pcg64::seed_from_u64(attempt.seed);
    let mut outcomes = Vec::new();
    let parts = parts(program, effort, attempt);
    let variants: Vec<Program> = parts.iter().map(|part| as_in(program, part)).collect();
    let followed = OnceCell::new();
    let mut evaluator = Evaluator::new(&variants[0], effort.samples);
    let preconditioner = attempt
        .preconditioned
        .then(|| Preconditioner::new(&variants[0], &mut evaluator, &x));
    for (k, part) in parts.iter().enumerate() {
        let (stage, mix) = (part.stage, mix(part.stage));
        if part.shaken {
            for value in &mut x {
                *value += effort.noise * normal(&mut random);
            }
        }
        let same = |before: &Part| (before.share, before.slow) == (part.share, part.slow);
        if k > 0 && !same(&parts[k - 1]) {
            let variant = match stage == 2 && part.shaken {
                true => followed.get_or_init(|| follow_to_a_halt(&variants[k], &mut x)),
                false => &variants[k],
            };
            evaluator = Evaluator::new(variant, effort.samples);
        }
        let limits = Limits {
            iterations: part.iterations,
            gradient: 1e-6,
            decrease: 1e-6,
            window: 30,
        };
        let settings = lbfgs::Settings {
            limits,
            ..lbfgs::Settings::default()
        };
        let objective = |x: &[f64], g: &mut [f64]| evaluator.gradient(&mix, x, g);
        let on_iteration = |i: &Iteration| watch(stage, i);
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
        outcomes.push(outcome);
        if stage == 0 {
            // Without contacts and forces it is nearly a quadratic, which least
            // squares spread evenly over time; L-BFGS carries the goals of the
            // end back knot by knot, and leaves most to the last moment.
            let limits = Limits {
                iterations: SPREAD,
                decrease: 1e-3,
                window: 4,
                ..limits
            };
            let mut on = |i: &Iteration| watch(stage, i);
            let samples = effort.samples;
            outcomes.push(least_squares(
                &variants[k],
                samples,
                &mix,
                limits,
                &mut x,
                &mut on,
            ));
        }
    }
    decide_contacts(program, &mut x);
    let mut sharp = follow_to_a_halt(program, &mut x);
    sharp.around.softness = SHARP;
    let mut done = 0;
    for (half, dearer) in POLISH.into_iter().enumerate() {
        let limits = Limits {
            iterations: (effort.polish + half) / 2,
            gradient: 1e-9,
            decrease: 1e-5,
            window: 4,
        };
        let mut on = |i: &Iteration| {
            let number = done + i.number;
            watch(3, &Iteration { number, ..*i })
        };
        let (samples, mix) = (effort.polish_samples, polish_mix(dearer));
        let outcome = least_squares(&sharp, samples, &mix, limits, &mut x, &mut on);
        done += outcome.iterations;
        outcomes.push(outcome);
    }
    (x, outcomes)
}

/// The contact variable a of a torso's patch that does not touch at the start.
const FAINT: f64 = 0.3;

/// Patches of a torso that neither touch at the start nor are to in the end count
/// little at first: otherwise everybody would begin by falling on the back, the belly and the seat
/// at once. Not zero, which would be for ever. So do knees, and what could touch
/// a thing or somebody else, but for hands and things.
fn leave_patches_faint(program: &Program, x: &mut [f64]) {
    let start = program.start_state();
    for (i, contact) in program.contacts.iter().enumerate() {
        let wanted = program.task_terms.iter().any(|aim| match aim.feature {
            Feature::Touch { contact } => contact == i,
            _ => false,
        });
        let limb = match (contact.anchor, contact.against) {
            (Anchor::Patch, Against::Surroundings) => contact.limb.is_some(),
            (Anchor::Patch, Against::Solid(s)) => {
                let carrier = program.solids[s].carrier;
                let thing = carrier.is_some_and(|(who, _)| program.is_object(who));
                contact.grasps && (thing || contact.cone.is_none())
            }
            _ => false,
        };
        if !limb && !wanted && touches(program, &start, i).is_none() {
            for phase in 0..program.layout.phases {
                x[program.layout.contact(phase, i)] = FAINT;
            }
        }
    }
}

/// What is to hold does so from the beginning.
fn hold_firmly(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    for aim in &program.task_terms {
        if let Feature::Hold { contact } = aim.feature {
            x[layout.contact(aim.moment.phase, contact)] = MIN_REQUIRED_CONTACT.sqrt();
        }
    }
}

/// How far a character bends at first that is to be turned over, in radians.
const BEND: f64 = 1.0;

/// Where a goal asks a torso to point opposite to how it starts, all ways of
/// turning are as long and the gradient is zero. Characters can bend forwards
/// best, and limbs that are to be opposite go along.
fn bend_forwards(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    let start = program.start_state();
    let opposite = |a: DVec3, b: DVec3| a.dot(b) < -0.9 * a.length() * b.length();
    for aim in &program.task_terms {
        let Feature::Axis {
            frame,
            local,
            target,
        } = aim.feature
        else {
            continue;
        };
        let (centre, matrix) = (
            layout.start[frame].position,
            layout.start[frame].orientation,
        );
        if !program.is_base[frame] || !opposite(matrix * local, target) {
            continue;
        }
        let mut along = vec![frame];
        for other in &program.task_terms {
            if let Feature::Limb { limb, target } = other.feature
                && program.limbs[limb].torso == frame
                && opposite(start.limbs[limb].tip - start.limbs[limb].base, target)
            {
                along.push(program.limbs[limb].effector);
            }
        }
        for knot in 1..=layout.blocks() {
            let share = knot as f64 / layout.blocks() as f64;
            let turn = matrix.y_axis * (BEND * share);
            let rotation = DMat3::from_axis_angle(matrix.y_axis, BEND * share);
            for &frame in &along {
                let at = layout.block_start(knot - 1) + frame * FRAME;
                let place = centre + rotation * (layout.start[frame].position - centre);
                x[at..at + 3].copy_from_slice(&place.to_array());
                x[at + 3..at + 6].copy_from_slice(&turn.to_array());
            }
        }
    }
}

/// Contacts that count at all are to hold firmly from now on, others are given
/// up: c = 0 stays where it is, since nothing changes there. What was half a
/// contact may no longer explain anything.
fn decide_contacts(program: &Program, x: &mut [f64]) {
    let layout = &program.layout;
    for phase in 0..layout.phases {
        for contact in 0..layout.contacts {
            let a = &mut x[layout.contact(phase, contact)];
            *a = if *a * *a > COUNTS {
                a.abs().max(MIN_REQUIRED_CONTACT.sqrt())
            } else {
                0.0
            };
        }
    }
}

/// A thing that still slides when nobody touches it any more comes to a halt all
/// of a sudden, at a moment that no spline meets: who pushed it is to hold on
/// until then. Returns the problem with that.
fn follow_to_a_halt(program: &Program, x: &mut [f64]) -> Program {
    /// What moves farther in a phase has not come to a halt, in metres.
    const MOVES: f64 = 5e-3;
    let layout = &program.layout;
    let mut followed = program.clone();
    let sliding: BTreeSet<usize> = (program.contacts.iter())
        .filter(|c| c.slides)
        .map(|c| c.body)
        .collect();
    for thing in sliding {
        let frame = program.base_frames[thing];
        let place = |x: &[f64], knot: usize| match layout.frame(knot, frame) {
            Some(at) => DVec3::from_slice(&x[at..]),
            None => layout.start[frame].position,
        };
        let on_it = |i: &usize| match program.contacts[*i].against {
            Against::Solid(s) => program.solids[s].carrier == Some((thing, frame)),
            Against::Surroundings => false,
        };
        let pushes: Vec<usize> = (0..layout.contacts).filter(on_it).collect();
        for phase in 1..layout.phases {
            let knots = [phase, phase + 1].map(|p| p * layout.segments);
            let [from, to] = knots.map(|knot| place(x, knot));
            let held = |x: &[f64], p: usize, i: usize| x[layout.contact(p, i)].powi(2) > COUNTS;
            if from.distance(to) < MOVES || pushes.iter().any(|&i| held(x, phase, i)) {
                continue;
            }
            for &contact in &pushes {
                if !held(x, phase - 1, contact) {
                    continue;
                }
                x[layout.contact(phase, contact)] = MIN_REQUIRED_CONTACT.sqrt();
                followed.task_terms.push(TaskTerm {
                    moment: layout.moment(phase * layout.segments, 0.5, 1.0),
                    feature: Feature::Hold { contact },
                    weight: program.weights.task,
                    is_rate: true,
                    is_guide: false,
                });
            }
        }
    }
    followed
}

/// Levenberg and Marquardt's method.
fn least_squares(
    program: &Program,
    samples: usize,
    mix: &Mix,
    limits: Limits,
    x: &mut [f64],
    on_iteration: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Outcome {
    // The two keep memories of their own: a trial that is refused must not
    // leave its forces to the next linearisation.
    let mut evaluator = Evaluator::new(program, samples);
    let mut trial = Evaluator::new(program, samples);
    let mut matrix = BlockTridiagonal::new(&program.layout.sizes());
    let settings = polish::Settings {
        limits,
        ..polish::Settings::default()
    };
    polish::minimise(
        x,
        &mut matrix,
        &settings,
        |x, g, m| evaluator.linearise(mix, x, g, m),
        |x| 0.5 * trial.value(mix, x),
        on_iteration,
    )
}

/// The Hessian of accelerations plus the identity, factorised.
struct Preconditioner(Cholesky);

impl Preconditioner {
    fn new(program: &Program, evaluator: &mut Evaluator, x: &[f64]) -> Self {
        let mut matrix = BlockTridiagonal::new(&program.layout.sizes());
        let smooth = Mix {
            effort: 1.0,
            ..Mix::OFF
        };
        evaluator.linearise(&smooth, x, &mut vec![0.0; x.len()], &mut matrix);
        let mut cholesky = Cholesky::new(&matrix);
        let halves = vec![0.5; x.len()];
        // Squares and a multiple of the identity: positive definite.
        let _ = cholesky.factorise(&matrix, &halves);
        Self(cholesky)
    }

    /// The matrix is half of the Hessian.
    fn apply(&self, v: &mut [f64]) {
        self.0.solve(v);
        v.iter_mut().for_each(|v| *v *= 0.5);
    }
}

/// A number of the normal distribution: Box and Muller's method.
fn normal(random: &mut Pcg64) -> f64 {
    let (u, v): (f64, f64) = (random.random(), random.random());
    let (_, cos) = conatus_math::sincos(std::f64::consts::TAU * v);
    (-2.0 * libm::log(1.0 - u)).sqrt() * cos
}
