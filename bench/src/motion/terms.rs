//! Where the time of an evaluation goes: the gradient with one term at a time.

use super::problems;
use crate::Failure;
use crate::output::Output;
use crate::rounds::{Candidate, fastest_step_seconds};
use crate::table::{Cell, Table, fixed};
use conatus_motion::costs::TermWeights;
use conatus_motion::objective::Evaluator;
use conatus_motion::{Problem, Program};

const ROUNDS: usize = 10;

const OFF: TermWeights = TermWeights::NONE;
const PHYSICS: TermWeights = TermWeights {
    physics: 1.0,
    ..OFF
};

/// What is timed: a name, a mix, and the mix whose time is subtracted. Torques
/// need forces; every term needs the state.
const TERMS: [(&str, TermWeights, TermWeights); 7] = [
    (
        "contacts %",
        TermWeights {
            contact: 1.0,
            ..OFF
        },
        OFF,
    ),
    ("forces %", PHYSICS, OFF),
    (
        "torques %",
        TermWeights {
            torque: 1.0,
            ..PHYSICS
        },
        PHYSICS,
    ),
    ("limbs %", TermWeights { bounds: 1.0, ..OFF }, OFF),
    (
        "penetration %",
        TermWeights {
            penetration: 1.0,
            ..OFF
        },
        OFF,
    ),
    ("smoothness %", TermWeights { effort: 1.0, ..OFF }, OFF),
    ("hint %", TermWeights { hint: 1.0, ..OFF }, OFF),
];

/// Times gradients. Runs on one thread of the caller's pool.
pub fn measure(output: &mut Output) -> Result<(), Failure> {
    let mut columns = vec!["scene", "moments", "gradient µs", "state, goals %"];
    columns.extend(TERMS.iter().map(|(name, ..)| *name));
    let mut table = Table::new(
        "One gradient of all terms but the hint, near the start of a search, on one thread in \
         processor time, and the share of each term alone",
        &columns,
    );
    for (name, problem) in problems()? {
        table.row(row(name, &problem));
    }
    Ok(output.show(&table)?)
}

fn row(name: &str, problem: &Problem) -> Vec<Cell> {
    let mut problem = problem.clone();
    // The hint is off by default; its time is shown anyway.
    problem.weights.hint = 1.0;
    let program = Program::new(&problem);
    let samples = problem.effort.samples;
    let mixes: Vec<TermWeights> = [TermWeights::ALL, OFF]
        .into_iter()
        .chain(TERMS.iter().map(|(_, mix, _)| *mix))
        .collect();
    let mut candidates: Vec<Candidate> = mixes
        .iter()
        .map(|mix| Candidate::new("", evaluation(&program, samples, *mix)))
        .collect();
    let seconds = fastest_step_seconds(&mut candidates, ROUNDS);
    let (whole, idle) = (seconds[0], seconds[1]);
    let time_of = |mix: &TermWeights| {
        let place = mixes.iter().position(|m| m == mix);
        place.map_or(0.0, |k| seconds[k])
    };
    let mut cells = vec![
        name.into(),
        fixed(program.layout.moments(samples).len() as f64, 0),
        fixed(whole * 1e6, 0),
        fixed(100.0 * idle / whole, 1),
    ];
    for (_, mix, without) in &TERMS {
        let share = (time_of(mix) - time_of(without)) / whole;
        cells.push(fixed(100.0 * share, 1));
    }
    cells
}

/// Evaluates the gradient at points close to each other, as a line search does: at
/// the same point the forces would be cached.
pub(super) fn evaluation(program: &Program, samples: usize, mix: TermWeights) -> impl FnMut() + '_ {
    let mut evaluator = Evaluator::new(program, samples);
    let mut x = program.layout.still();
    let mut gradient = vec![0.0; x.len()];
    let mut k = 0u32;
    move || {
        k += 1;
        for (i, x) in x.iter_mut().enumerate() {
            // Any pattern that differs between neighbours is sufficient.
            let phase = f64::from(k % 64) + i as f64;
            *x += 1e-3 * conatus_math::sincos(phase).0;
        }
        evaluator.gradient(&mix, &x, &mut gradient);
    }
}
