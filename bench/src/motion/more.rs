//! The cost of a second object, and of a second and third character: one gradient
//! where a search starts, and a whole attempt, of the same scene with more of them.

use super::terms::evaluation;
use crate::Failure;
use crate::output::Output;
use crate::rounds::{Candidate, fastest_step_seconds};
use crate::table::{Cell, Table, count, fixed};
use conatus_motion::costs::TermWeights;
use conatus_motion::phases::{self, Attempt, StageProgress};
use conatus_motion::{Problem, Program};
use conatus_world::scene::{Files, LoadOptions, Scene, SourceText};
use cpu_time::ThreadTime;
use std::ops::ControlFlow;

const ROUNDS: usize = 10;
/// How often a whole attempt is timed; each takes seconds.
const ATTEMPTS: usize = 2;

/// Times gradients and attempts. Runs on one thread of the caller's pool.
pub fn measure(output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(
        "More objects and more characters, on one thread in processor time: one gradient where a \
         search starts and every contact counts, and a whole attempt; each compared with the \
         scene with one less (a ratio of 1 is in proportion to the unknowns)",
        &[
            "scene",
            "unknowns",
            "contacts",
            "× unknowns",
            "gradient µs",
            "× time",
            "time ÷ unknowns",
            "attempt s",
            "attempt × time",
            "attempt ÷ unknowns",
        ],
    );
    let carrying = [("one parcel", 1), ("two parcels", 2)].map(|(name, n)| (name, carry(n)));
    let walking = [("one walker", 1), ("two walkers", 2), ("three walkers", 3)]
        .map(|(name, n)| (name, walk(n)));
    rows(&mut table, &carrying)?;
    rows(&mut table, &walking)?;
    Ok(output.show(&table)?)
}

/// Rows of scenes, each compared with the previous one.
fn rows(table: &mut Table, scenes: &[(&str, String)]) -> Result<(), Failure> {
    let problems: Vec<Problem> = (scenes.iter())
        .map(|(_, text)| problem(text))
        .collect::<Result<_, _>>()?;
    let programs: Vec<Program> = problems.iter().map(Program::new).collect();
    let parts = || programs.iter().zip(&problems).zip(scenes);
    let mut gradients: Vec<Candidate> = parts()
        .map(|((program, problem), (name, _))| {
            let samples = problem.effort.samples;
            Candidate::new(*name, evaluation(program, samples, TermWeights::ALL))
        })
        .collect();
    let gradients = fastest_step_seconds(&mut gradients, ROUNDS);
    let attempts: Vec<f64> = parts()
        .map(|((program, problem), _)| attempt_seconds(program, problem))
        .collect();
    let unknowns = |k: usize| programs[k].layout.len() as f64;
    for (k, (name, _)) in scenes.iter().enumerate() {
        let before = k.saturating_sub(1);
        let more = unknowns(k) / unknowns(before);
        let longer = |seconds: &[f64]| seconds[k] / seconds[before];
        let cells: Vec<Cell> = vec![
            (*name).into(),
            count(programs[k].layout.len() as u64),
            count(programs[k].contacts.len() as u64),
            fixed(more, 2),
            fixed(gradients[k] * 1e6, 0),
            fixed(longer(&gradients), 2),
            fixed(longer(&gradients) / more, 2),
            fixed(attempts[k], 2),
            fixed(longer(&attempts), 2),
            fixed(longer(&attempts) / more, 2),
        ];
        table.row(cells);
    }
    Ok(())
}

/// Processor seconds of an attempt: the less of two.
fn attempt_seconds(program: &Program, problem: &Problem) -> f64 {
    let plan = Attempt {
        seed: 0,
        preconditioned: false,
        staged: false,
    };
    let seconds = (0..ATTEMPTS).map(|_| {
        let begin = ThreadTime::now();
        let go_on = &|_: &StageProgress| ControlFlow::Continue(());
        phases::attempt(program, &problem.effort, plan, go_on);
        begin.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

fn problem(text: &str) -> Result<Problem, Failure> {
    let source = SourceText::new("more.toml", text);
    let options = LoadOptions::default();
    let scene = Scene::parse("more", source, Files::in_memory([]), &options)?;
    let planner = scene.build()?.planner;
    Ok(planner.ok_or("a scene without characters")?.problem)
}

/// The scene `carry` with several parcels side by side.
fn carry(parcels: usize) -> String {
    let mut text = "[motion]\nphases = 12\n[[character]]\n[[goal]]\nkind = 'stand'\n\
                    [[goal]]\nkind = 'position'\nposition = [2.05, 0]\n"
        .to_owned();
    for i in 0..parcels {
        let y = 0.5 * i as f64;
        text += &format!(
            "[[object]]\nname = 'parcel {i}'\nshape.box.half_extents = [0.15, 0.2, 0.15]\n\
             mass = 5\nposition = [0.6, {y}]\n\
             [[goal]]\nkind = 'position'\nobject = 'parcel {i}'\nposition = [2.6, {y}, 0.15]\n"
        );
    }
    text
}

/// Humans who walk side by side.
fn walk(people: usize) -> String {
    let mut text = "[motion]\nphases = 12\n".to_owned();
    for i in 0..people {
        let y = 1.5 * i as f64;
        text += &format!(
            "[[character]]\nname = 'human {i}'\nposition = [0, {y}]\n\
             [[goal]]\nkind = 'stand'\ncharacter = 'human {i}'\n\
             [[goal]]\nkind = 'position'\ncharacter = 'human {i}'\nposition = [1.5, {y}]\n"
        );
    }
    text
}
