//! `conatus run --resume`: continues a run from its recording.

use super::run::{clip, conclude, outputs, repeat_inputs, search, show_and_check, simulate};
use super::several::recorded_movement;
use crate::args::RunArgs;
use crate::errors::Failure;
use crate::resume_sink::{PartialRecording, ResumeSink, temporary_path};
use crate::terminal::{eprint_line, shown};
use crate::{Done, threads};
use conatus_record::{Header, Lock, RecordError, Recording};
use conatus_world::scene::{Scene, Setup};
use conatus_world::text::number;
use conatus_world::{Report, RunLog};
use std::path::Path;
use tracing::info;

/// Continues the run of a recording from its last checkpoint.
pub fn resume(args: &RunArgs, named: &Path) -> Done {
    let outputs = outputs(args, named)?;
    // The file is replaced, not a link to it.
    let path = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
    let lock = Lock::take(&path)?;
    let mut recorded = PartialRecording::read(&path)?;
    info!(frames = recorded.frame_count(), "read the recording");
    let report = recorded.report(&path)?;
    if let Some(report) = report.as_ref().filter(|report| !report.interrupted) {
        return already_complete(args, named, report);
    }
    threads::start(args.threads)?;
    let scene = scene_of(&recorded)?;
    let mut setup = build(&scene, &recorded, &path)?;
    refuse_complete_playback(named, report.as_ref(), &setup)?;
    if outputs.need_memory() {
        scene.check_memory(&setup)?;
    }
    outputs.check_characters(setup.planner.is_some())?;
    let locks = outputs.lock()?;
    // A recording that ended early holds no movement, or not its report.
    let mut movement = (recorded.movement.clone()).filter(|m| setup.set_movement(m).is_ok());
    if let (Some(planner), None) = (&setup.planner, &movement) {
        let found = search(planner, args.json || args.quiet);
        let found = recorded_movement(found, recorded.outline.clip.as_ref()).best;
        setup.set_movement(&found)?;
        movement = Some(found);
    }
    let log = match restore(&recorded, &mut setup) {
        Ok(log) => {
            let (time, frame) = (number(setup.world.time()), log.frames());
            let (name, frames) = (shown(named), setup.schedule.frames());
            let text = format!("continuing {name} at {time} s, after frame {frame} of {frames}");
            print_note(args, &text);
            log
        }
        Err(why) => {
            print_note(args, &format!("starting {} over: {why}", shown(named)));
            recorded.checkpoint = None;
            setup = scene.build()?;
            if let Some(movement) = &movement {
                setup.set_movement(movement)?;
            }
            repeat_inputs(&mut setup, &scene, &recorded.inputs)?;
            RunLog::new()
        }
    };

    let writer = outputs.begin_beside(
        Some((named, &temporary_path(&path))),
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;
    let mut sink = ResumeSink::begin(recorded, &path, lock, writer)?;
    let ended = simulate(args, &mut setup, log, &mut sink);
    let (writer, in_place) = sink.finish();
    if !in_place && ended.is_ok() {
        let text = "stopped before the end of the recording, which is unchanged";
        print_note(args, text);
    }
    conclude(args, ended, writer)
}

/// Restores the world from the checkpoint, and returns the log of the run until
/// there; or why that is not possible.
fn restore(recorded: &PartialRecording, setup: &mut Setup) -> Result<RunLog, String> {
    let Some(stored) = &recorded.checkpoint else {
        return Err("it has no checkpoint".into());
    };
    let unusable = |why: String| format!("its last checkpoint cannot be used, {why}");
    let log = (setup.world.restore(&stored.state)).map_err(|e| unusable(e.to_string()))?;
    let (steps, schedule) = (setup.world.steps(), &setup.schedule);
    let scheduled = steps <= schedule.steps && steps.is_multiple_of(schedule.checkpoint_steps());
    if !scheduled || log.frames() != stored.frames as u64 {
        return Err(unusable("it is at an unexpected step".into()));
    }
    // The recording holds the events before the first step already.
    setup.world.take_events();
    Ok(log)
}

/// A search that was stopped left its best movement, which has been played to its
/// end. Only a new search could improve it, and that would end elsewhere.
fn refuse_complete_playback(named: &Path, report: Option<&Report>, setup: &Setup) -> Done {
    let is_complete = |report: &&Report| {
        let stopped = report.motion.as_ref().is_some_and(|m| m.interrupted);
        stopped && report.steps >= setup.schedule.steps
    };
    match report.filter(is_complete) {
        None => Ok(()),
        Some(_) => Err(Failure::file(
            format!(
                "the search for the movement of {} was stopped; it holds the best so far",
                named.display()
            ),
            "run the scene again to search to the end",
        )),
    }
}

fn scene_of(recorded: &PartialRecording) -> Result<Scene, Failure> {
    let outline = &recorded.outline;
    let (name, seed) = (&outline.header.scene, outline.header.seed);
    Ok(Scene::from_recording(
        name,
        &outline.sources,
        &outline.overrides,
        seed,
    )?)
}

/// Builds the scene and checks that the recording fits it.
fn build(scene: &Scene, recorded: &PartialRecording, path: &Path) -> Result<Setup, Failure> {
    let mut setup = scene.build()?;
    let prepared = setup.prepare_inputs(scene, &recorded.inputs);
    let size = |h: &Header| {
        let (step, frame) = (h.step_seconds.to_bits(), h.steps_per_frame);
        (h.bodies.len(), h.cloth_vertices(), step, frame)
    };
    if prepared.is_err() || size(&setup.header) != size(&recorded.outline.header) {
        return Err(RecordError::Header {
            path: path.to_path_buf(),
            reason: "it does not belong to the scene in the recording".into(),
        }
        .into());
    }
    Ok(setup)
}

/// Writes files and prints the report of a recording that is complete.
fn already_complete(args: &RunArgs, named: &Path, report: &Report) -> Done {
    let text = format!("{} is complete; it is left unchanged", shown(named));
    print_note(args, &text);
    let outputs = outputs(args, named)?;
    let written = match args.outputs.is_empty() {
        true => Vec::new(),
        false => outputs.export(&Recording::read(named)?)?,
    };
    show_and_check(args, report, &written)
}

fn print_note(args: &RunArgs, text: &str) {
    if !(args.json || args.quiet) {
        eprint_line(text);
    }
}
