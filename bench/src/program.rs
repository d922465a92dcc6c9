//! The time of `conatus run cylon`: the run alone, and the whole program if it
//! was built next to this one.

use crate::table::{Table, at_most, fixed};
use conatus_record::{Event, Frame};
use conatus_world::scene::{LoadOptions, Scene, SceneError, Setup};
use conatus_world::{RunSink, run};
use std::convert::Infallible;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 3;

/// Times the run in this process and the program; the best of three rounds.
pub fn measure() -> Result<Table, SceneError> {
    let mut table = Table::new("`conatus run cylon`", &["what", "seconds", "target"]);
    let mut seconds = f64::INFINITY;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let Setup {
            mut world,
            schedule,
            ..
        } = Scene::load("cylon", &LoadOptions::default())?.build()?;
        let Ok(_) = run(&mut world, &schedule, &mut DiscardingSink, |_| true);
        seconds = seconds.min(begin.elapsed().as_secs_f64());
    }
    table.row(vec![
        "read, build and run in this process".into(),
        fixed(seconds, 3),
    ]);
    let program = std::env::current_exe().map(|bench| {
        let name = format!("conatus{}", std::env::consts::EXE_SUFFIX);
        bench.with_file_name(name)
    });
    match program {
        Ok(program) if program.is_file() => {
            let seconds = (0..ROUNDS)
                .filter_map(|_| run_seconds(&program))
                .reduce(f64::min);
            table.row(match seconds {
                Some(s) => vec!["the program".into(), fixed(s, 3), at_most(s, 1.0)],
                None => vec!["the program".into(), "failed".into()],
            });
        }
        _ => table.row(vec![
            "the program".into(),
            "not built".into(),
            "cargo build --release".into(),
        ]),
    }
    Ok(table)
}

fn run_seconds(program: &Path) -> Option<f64> {
    let begin = Instant::now();
    let status = Command::new(program)
        .args(["run", "cylon"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    status.success().then(|| begin.elapsed().as_secs_f64())
}

/// A sink that discards everything.
pub struct DiscardingSink;

impl RunSink for DiscardingSink {
    type Error = Infallible;

    fn frame(&mut self, _frame: &Frame) -> Result<(), Infallible> {
        Ok(())
    }

    fn event(&mut self, _event: &Event) -> Result<(), Infallible> {
        Ok(())
    }
}
