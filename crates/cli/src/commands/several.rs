//! A scene with several movements to choose from: each is a run and a recording
//! of its own, and a page shows all of them.

use super::run::{clip, counted, drive, failure, finish, repeat_inputs, show};
use crate::Done;
use crate::args::Run;
use crate::errors::Failure;
use crate::outputs::{OutputLocks, Outputs, Pages, Written};
use crate::progress;
use conatus_record::{Clip, Event};
use conatus_world::RunLog;
use conatus_world::motion::{Movement, Movements};
use conatus_world::scene::Scene;
use serde_json::Value;
use std::sync::Arc;

/// The movement that a recording is of; the best if it is of none of them.
pub fn that_of(movements: Movements, recorded: Option<&Clip>) -> Movements {
    let same = movements.all().find(|m| Some(&m.clip) == recorded);
    Movements {
        best: Arc::clone(same.unwrap_or(&movements.best)),
        others: Vec::new(),
    }
}

/// What has come of the runs so far.
struct Runs {
    reports: Vec<Value>,
    written: Vec<Written>,
    pages: Pages,
}

/// Runs the scene once with each movement, writes all files and tells of them. The
/// report is that of the best.
pub fn run(
    args: &Run,
    scene: &Scene,
    inputs: &[Event],
    movements: &Movements,
    (outputs, locks): (&Outputs, OutputLocks),
) -> Done {
    let mut locks = Some(locks);
    let mut runs = Runs {
        reports: Vec::new(),
        written: Vec::new(),
        pages: Pages::new(movements.labels()),
    };
    let searching = progress::stop_asked();
    let mut made = Ok(());
    for (index, movement) in movements.all().enumerate() {
        // Who stopped the search wants to see what was found until then.
        if made.is_err() || (index > 0 && progress::stop_asked() && !searching) {
            break;
        }
        let outputs = (outputs, locks.take().unwrap_or_default());
        made = play(args, scene, inputs, (index, movement), outputs, &mut runs);
    }
    // Whatever failed, pages hold what there is.
    let paged = outputs.write_pages(&runs.pages);
    made?;
    runs.written.extend(paged?);
    let Some(best) = runs.reports.first() else {
        return Ok(());
    };
    show(args, best, &runs.written)?;
    for (index, report) in runs.reports.iter().enumerate() {
        if let Some((failed, help)) = failure(report) {
            let which = match index {
                0 => String::new(),
                _ => format!("movement {}: ", index + 1),
            };
            let help = format!("all files hold what there is; {help}");
            return Err(Failure::run(format!("{which}{failed}"), help));
        }
    }
    let (ran, all) = (runs.reports.len(), movements.all().count());
    if ran < all {
        let ran = counted(ran as u64, "movement", "movements");
        return Err(Failure::run(
            format!("stopped after {ran} of {all}"),
            "all files hold what there is",
        ));
    }
    Ok(())
}

/// Runs the scene with one of the movements.
fn play(
    args: &Run,
    scene: &Scene,
    inputs: &[Event],
    (index, movement): (usize, &Arc<Movement>),
    (outputs, locks): (&Outputs, OutputLocks),
    runs: &mut Runs,
) -> Done {
    let mut setup = scene.build()?;
    setup.set_movement(movement)?;
    repeat_inputs(&mut setup.world, inputs)?;
    let mut tape = outputs.numbered(index + 1).begin(
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;
    let ended = drive(args, &mut setup, RunLog::new(), &mut tape);
    let (report, written) = finish(&setup.schedule, ended, tape, Some(&mut runs.pages))?;
    runs.reports.push(report);
    runs.written.extend(written);
    Ok(())
}
