//! A scene with several movements to choose from: each is a run with its own
//! recording, and a page shows all of them.

use super::run::{clip, finish, repeat_inputs, show, simulate, with_files};
use crate::args::RunArgs;
use crate::errors::Failure;
use crate::outputs::{MovementPages, OutputLocks, Outputs, Written};
use crate::summary::failure;
use crate::{Done, interrupt};
use conatus_record::{Clip, Event};
use conatus_world::motion::{Movement, Movements};
use conatus_world::scene::Scene;
use conatus_world::text::counted;
use conatus_world::{Report, RunLog};
use std::sync::Arc;

/// The movement of a recording; the best one if the recording has none of them.
pub fn recorded_movement(movements: Movements, recorded: Option<&Clip>) -> Movements {
    let same = movements.all().find(|m| Some(&m.clip) == recorded);
    Movements {
        best: Arc::clone(same.unwrap_or(&movements.best)),
        others: Vec::new(),
    }
}

/// The results of the runs so far.
struct Runs {
    reports: Vec<Report>,
    written: Vec<Written>,
    pages: MovementPages,
}

/// Runs the scene once with each movement, writes all files and prints the report
/// of the best.
pub fn run(
    args: &RunArgs,
    scene: &Scene,
    inputs: &[Event],
    movements: &Movements,
    (outputs, locks): (&Outputs, OutputLocks),
) -> Done {
    let mut locks = Some(locks);
    let mut runs = Runs {
        reports: Vec::new(),
        written: Vec::new(),
        pages: MovementPages::new(movements.labels()),
    };
    let mut result = Ok(());
    for (index, movement) in movements.all().enumerate() {
        if result.is_err() || (index > 0 && interrupt::requested()) {
            break;
        }
        let outputs = (outputs, locks.take().unwrap_or_default());
        result = run_one(args, scene, inputs, (index, movement), outputs, &mut runs);
    }
    // Even after a failure, pages hold the runs so far.
    let paged = outputs.write_pages(&runs.pages);
    result?;
    runs.written.extend(paged?);
    let Some(best) = runs.reports.first() else {
        return Ok(());
    };
    show(args, best, &runs.written)?;
    for (index, report) in runs.reports.iter().enumerate() {
        if let Some((message, help)) = failure(report) {
            let which = match index {
                0 => String::new(),
                _ => format!("movement {}: ", index + 1),
            };
            return Err(Failure::run(format!("{which}{message}"), with_files(help)));
        }
    }
    let (ran, all) = (runs.reports.len(), movements.all().count());
    if ran < all {
        let ran = counted(ran, "movement", "movements");
        return Err(Failure::run(
            format!("stopped after {ran} of {all}"),
            "all files hold what was simulated",
        ));
    }
    Ok(())
}

/// Runs the scene with one of the movements.
fn run_one(
    args: &RunArgs,
    scene: &Scene,
    inputs: &[Event],
    (index, movement): (usize, &Arc<Movement>),
    (outputs, locks): (&Outputs, OutputLocks),
    runs: &mut Runs,
) -> Done {
    let mut setup = scene.build()?;
    setup.set_movement(movement)?;
    repeat_inputs(&mut setup, scene, inputs)?;
    let mut writer = outputs.numbered(index + 1).begin(
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;
    let ended = simulate(args, &mut setup, RunLog::new(), &mut writer);
    let (report, written) = finish(ended, writer, Some(&mut runs.pages))?;
    runs.reports.push(report);
    runs.written.extend(written);
    Ok(())
}
