//! `conatus run --resume`: goes on with a run from its recording.

use super::run::{clip, conclude, drive, outputs, repeat_inputs, search, tell, use_threads};
use super::several::that_of;
use crate::Done;
use crate::args::Run;
use crate::errors::Failure;
use crate::takeover::{Takeover, Unfinished, beside};
use conatus_record::{Header, Lock, RecordError, Recording};
use conatus_world::RunLog;
use conatus_world::motion::Movement;
use conatus_world::scene::{Scene, Setup};
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Takes up the run of a recording where its last checkpoint is.
pub fn resume(args: &Run, named: &Path) -> Done {
    let outputs = outputs(args, named)?;
    // What is replaced is the file, not a link to it.
    let path = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
    let lock = Lock::take(&path)?;
    let mut unfinished = Unfinished::read(&path)?;
    if let Some(report) = unfinished.finished() {
        return already_finished(args, named, report);
    }
    use_threads(args.threads)?;
    let scene = scene_of(&unfinished)?;
    let recorded = movement_of(&unfinished, named)?;
    let mut setup = build(&scene, &unfinished, &path)?;
    if outputs.need_memory() {
        scene.check_memory(&setup)?;
    }
    outputs.check_characters(setup.planner.is_some())?;
    let locks = outputs.lock()?;
    // A recording that was cut off early holds no movement, or not its report.
    let mut movement = recorded.filter(|movement| setup.set_movement(movement).is_ok());
    if let (Some(planner), None) = (&setup.planner, &movement) {
        let found = search(planner, args.json || args.quiet);
        let found = that_of(found, unfinished.outline.clip.as_ref()).best;
        setup.set_movement(&found)?;
        movement = Some(found);
    }
    let log = match take_up(&unfinished, &mut setup) {
        Ok(log) => {
            let (time, frame) = (setup.world.time(), log.frames());
            let whole = setup.schedule.frames();
            say(
                args,
                &format!(
                    "going on with {} at {time:.3} s, behind frame {frame} of {whole}",
                    named.display()
                ),
            );
            log
        }
        Err(why) => {
            say(args, &format!("{} begins anew: {why}", named.display()));
            unfinished.checkpoint = None;
            setup = scene.build()?;
            if let Some(movement) = &movement {
                setup.set_movement(movement)?;
            }
            repeat_inputs(&mut setup.world, &unfinished.inputs)?;
            RunLog::new()
        }
    };

    let tape = outputs.begin_beside(
        Some((named, &beside(&path))),
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;
    let mut sink = Takeover::begin(unfinished, &path, lock, tape)?;
    let ended = drive(args, &mut setup, log, &mut sink);
    let (tape, in_place) = sink.finish();
    if !in_place && ended.is_ok() {
        let text = "stopped before it came to where it had ended; the recording is as it was";
        say(args, text);
    }
    conclude(args, &setup.schedule, ended, tape)
}

/// The logbook at the checkpoint, with the world there too; or why there is
/// none to go on from.
fn take_up(unfinished: &Unfinished, setup: &mut Setup) -> Result<RunLog, String> {
    let Some(stored) = &unfinished.checkpoint else {
        return Err("there is no checkpoint in it".into());
    };
    let wrong = |why: String| format!("its last checkpoint is of no use, {why}");
    let log = (setup.world.restore(&stored.state)).map_err(|e| wrong(e.to_string()))?;
    let steps = setup.world.steps();
    let planned =
        steps <= setup.schedule.steps && steps.is_multiple_of(setup.schedule.checkpoint_steps());
    if !planned || log.frames() != stored.frames as u64 {
        return Err(wrong("it is not where it should be".into()));
    }
    // What the scene told before its first step is in the recording.
    setup.world.take_events();
    Ok(log)
}

/// The movement in the recording. The best so far of a search that was stopped
/// cannot be made better without a new search, which would end elsewhere.
fn movement_of(unfinished: &Unfinished, named: &Path) -> Result<Option<Arc<Movement>>, Failure> {
    let movement = unfinished.movement.clone();
    if movement.as_ref().is_some_and(|m| m.report.interrupted) {
        return Err(Failure::file(
            format!(
                "{} was stopped while its movement was searched for; it holds the best so far",
                named.display()
            ),
            "run the scene again to let it search to its end",
        ));
    }
    Ok(movement)
}

fn scene_of(unfinished: &Unfinished) -> Result<Scene, Failure> {
    let outline = &unfinished.outline;
    let (name, seed) = (&outline.header.scene, outline.header.seed);
    Ok(Scene::from_recording(
        name,
        &outline.sources,
        &outline.overrides,
        seed,
    )?)
}

/// Builds the scene and looks whether the recording is of it.
fn build(scene: &Scene, unfinished: &Unfinished, path: &Path) -> Result<Setup, Failure> {
    let setup = scene.build()?;
    let size = |h: &Header| {
        let (step, frame) = (h.step_seconds.to_bits(), h.steps_per_frame);
        (h.bodies.len(), h.cloth_vertices(), step, frame)
    };
    if size(&setup.header) != size(&unfinished.outline.header) {
        return Err(RecordError::Header {
            path: path.to_path_buf(),
            reason: "it is not that of the scene in the recording".into(),
        }
        .into());
    }
    Ok(setup)
}

/// There is nothing to go on with; files and report are as they would be.
fn already_finished(args: &Run, named: &Path, report: &Value) -> Done {
    say(
        args,
        &format!("{} is complete; it stays as it is", named.display()),
    );
    let outputs = outputs(args, named)?;
    let written = match args.outputs.is_empty() {
        true => Vec::new(),
        false => outputs.export(&Recording::read(named)?)?,
    };
    tell(args, report, &written)
}

fn say(args: &Run, text: &str) {
    if !(args.json || args.quiet) {
        // Should nobody listen, the run goes on.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}
