//! What a second thing, and a second and a third character, cost: one gradient of the
//! same scene with more of them.

use super::terms::evaluation;
use crate::Failure;
use crate::output::Output;
use crate::rounds::{Contender, best};
use crate::table::{Cell, Table, count, fixed};
use conatus_motion::costs::Mix;
use conatus_motion::{Problem, Program};
use conatus_world::scene::{Files, Options, Scene, Source};

const ROUNDS: usize = 10;

/// Times gradients. Runs on one thread of the caller's pool.
pub fn measure(output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(
        "More things and more characters: one gradient near where a search starts, on one \
         thread in processor time; the time for each unknown, and its ratio to that of the \
         first scene of its kind (1 if a scene costs what its share of unknowns lets expect)",
        &[
            "scene",
            "unknowns",
            "contacts",
            "gradient µs",
            "ns per unknown",
            "× unknowns",
            "× time",
            "time ÷ unknowns",
        ],
    );
    let carrying = [("one parcel", 1), ("two parcels", 2)].map(|(name, n)| (name, carry(n)));
    let standing = [
        ("one who stands", 1),
        ("two who stand", 2),
        ("three who stand", 3),
    ]
    .map(|(name, n)| (name, stand(n)));
    rows(&mut table, &carrying)?;
    rows(&mut table, &standing)?;
    Ok(output.show(&table)?)
}

/// Rows of scenes that are compared with the first.
fn rows(table: &mut Table, scenes: &[(&str, String)]) -> Result<(), Failure> {
    let problems: Vec<Problem> = (scenes.iter())
        .map(|(_, text)| problem(text))
        .collect::<Result<_, _>>()?;
    let programs: Vec<Program> = problems.iter().map(Program::new).collect();
    let mut contenders: Vec<Contender> = (programs.iter().zip(&problems).zip(scenes))
        .map(|((program, problem), (name, _))| {
            let samples = problem.effort.samples;
            Contender::new(*name, evaluation(program, samples, Mix::FULL))
        })
        .collect();
    let seconds = best(&mut contenders, ROUNDS);
    let unknowns = |k: usize| programs[k].layout.len() as f64;
    for (k, (name, _)) in scenes.iter().enumerate() {
        let (more, longer) = (unknowns(k) / unknowns(0), seconds[k] / seconds[0]);
        let cells: Vec<Cell> = vec![
            (*name).into(),
            count(programs[k].layout.len() as u64),
            count(programs[k].contacts.len() as u64),
            fixed(seconds[k] * 1e6, 0),
            fixed(seconds[k] * 1e9 / unknowns(k), 0),
            fixed(more, 2),
            fixed(longer, 2),
            fixed(longer / more, 2),
        ];
        table.row(cells);
    }
    Ok(())
}

fn problem(text: &str) -> Result<Problem, Failure> {
    let source = Source::new("more.toml", text);
    let options = Options::default();
    let mut scene = Scene::parse("more", source, Files::in_memory([]), &options)?;
    let ask = scene.build()?.ask;
    Ok(ask.ok_or("a scene without characters")?.problem)
}

/// The scene `carry`, with so many parcels side by side.
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

/// So many humans side by side.
fn stand(people: usize) -> String {
    let mut text = "[motion]\nphases = 12\n".to_owned();
    for i in 0..people {
        text += &format!(
            "[[character]]\nname = 'human {i}'\nposition = [0, {}]\n\
             [[goal]]\nkind = 'stand'\ncharacter = 'human {i}'\n",
            1.5 * i as f64
        );
    }
    text
}
