//! `conatus run`: from a scene to files and a report.

use super::{is_recording, several};
use crate::args::RunArgs;
use crate::errors::Failure;
use crate::outputs::{MovementPages, OutputWriter, Outputs, Written};
use crate::progress::{RunProgress, SearchProgress};
use crate::replay::{CompareSink, OTHER_PROGRAM};
use crate::summary::{failure, summary};
use crate::terminal::{print, print_json};
use crate::{Done, interrupt, threads};
use conatus_export::ExportOptions;
use conatus_record::{Clip, Event, Recording};
use conatus_world::motion::{MotionPlanner, MovementMismatch, Movements};
use conatus_world::scene::{Scene, Setup};
use conatus_world::text::counted;
use conatus_world::{Report, RunLog, RunSink};
use std::ops::ControlFlow;
use std::path::Path;
use tracing::{debug, info, warn};

/// Runs a scene, or a recording again.
pub fn run(args: &RunArgs) -> Done {
    let named = args.scene.as_deref().unwrap_or_default();
    let outputs = outputs(args, Path::new(named))?;
    let (scene, inputs, recording) = load(args, named)?;
    threads::start(args.threads)?;
    let mut setup = scene.build()?;
    log_setup(&setup);
    if outputs.need_memory() {
        scene.check_memory(&setup)?;
    }
    outputs.check_characters(setup.planner.is_some())?;
    let keep = (setup.planner.as_ref()).map_or(1, |planner| planner.problem.effort.keep);
    outputs.check_numbered(keep, Path::new(named))?;
    repeat_inputs(&mut setup, &scene, &inputs)?;
    // Before the search, which may take long.
    let locks = outputs.lock()?;
    let log = RunLog::new();
    if let Some(planner) = &setup.planner {
        let mut movements = search(planner, args.json || args.quiet);
        if let Some(recording) = &recording {
            movements = several::recorded_movement(movements, recording.clip.as_ref());
        }
        if !movements.others.is_empty() {
            return several::run(args, &scene, &inputs, &movements, (&outputs, locks));
        }
        setup.set_movement(&movements.best)?;
    }
    let writer = outputs.begin(
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;

    let mut sink = CompareSink::new(recording.as_ref(), writer);
    let ended = simulate(args, &mut setup, log, &mut sink);
    let (writer, frames, difference) = sink.finish(interrupt::requested());
    conclude(args, ended, writer)?;
    match difference {
        Some(frame) => Err(Failure::run(
            format!("the run differs from the recording in frame {frame}"),
            OTHER_PROGRAM,
        )),
        None if recording.is_some() && !args.json && !args.quiet => print(&match frames {
            0 => "  the recording holds no frame to compare with\n".to_owned(),
            _ => format!(
                "  {}: the same as in the recording, bit for bit\n",
                counted(frames, "frame", "frames")
            ),
        }),
        None => Ok(()),
    }
}

impl From<MovementMismatch> for Failure {
    fn from(error: MovementMismatch) -> Self {
        Failure::run(
            error.to_string(),
            "run the scene again to plan its movement",
        )
    }
}

/// The requested files, checked; `input` is what must not be overwritten.
pub(super) fn outputs(args: &RunArgs, input: &Path) -> Result<Outputs, Failure> {
    let options = ExportOptions {
        frames: args.frames.map(Into::into),
    };
    Ok(Outputs::check(&args.outputs, input, options)?.quiet(args.quiet))
}

fn log_setup(setup: &Setup) {
    let (steps, frames) = (setup.schedule.steps, setup.schedule.frames());
    info!(
        bodies = setup.header.bodies.len(),
        steps, frames, "built the scene"
    );
    for warning in setup.warnings.diagnostics() {
        warn!("{}", warning.message);
    }
}

/// Schedules the commands that a user gave by hand in the recorded run.
pub(super) fn repeat_inputs(setup: &mut Setup, scene: &Scene, events: &[Event]) -> Done {
    setup.repeat_inputs(scene, events).map_err(|error| {
        Failure::file(
            error.to_string(),
            "change less of the scene that was recorded",
        )
    })
}

/// Searches for movements until Ctrl-C, and shows how far it is. After Ctrl-C
/// the best movement so far is returned.
pub(super) fn search(planner: &MotionPlanner, quiet: bool) -> Movements {
    interrupt::begin_phase("stopping the search; the best movement so far is kept");
    let effort = &planner.problem.effort;
    info!(attempts = effort.attempts, "searching for a movement");
    let [a, b, c] = effort.iterations;
    let progress = SearchProgress::new([a, b, c, effort.polish], quiet);
    let movements = planner.plan_all(&|at| {
        progress.update(at);
        match interrupt::requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    let report = &movements.best.report;
    info!(
        attempts = report.attempts.len(),
        cost = report.cost.total,
        interrupted = report.interrupted,
        "ended the search"
    );
    movements
}

/// How characters move, for the recording.
pub(super) fn clip(setup: &Setup) -> Option<&Clip> {
    setup.world.motion.as_ref().map(|motion| motion.clip())
}

/// Runs the world from its present state to the end of the schedule, and shows
/// how far it is. A Ctrl-C that stopped the search for a movement does not stop
/// the run, so that the files hold the best movement.
pub(super) fn simulate<S: RunSink<Error = Failure> + Send>(
    args: &RunArgs,
    setup: &mut Setup,
    log: RunLog,
    sink: &mut S,
) -> Result<Report, Failure> {
    interrupt::begin_phase("stopping the run; the frames so far are kept");
    let mut progress = RunProgress::new(setup.schedule.steps, args.json || args.quiet);
    progress.begin_at(setup.world.steps());
    debug!(
        from = setup.world.steps(),
        to = setup.schedule.steps,
        "running"
    );
    // On a thread of the pool, so that parallel parts of a step need no handover.
    let report = rayon::scope(|_| {
        conatus_world::resume(&mut setup.world, &setup.schedule, log, sink, |steps| {
            progress.update(steps);
            !interrupt::requested()
        })
    })?;
    info!(
        seconds = report.seconds,
        frames = report.frames,
        "ended the run"
    );
    Ok(report)
}

/// Writes the report and the files, and prints a summary.
pub(super) fn conclude(
    args: &RunArgs,
    ended: Result<Report, Failure>,
    writer: OutputWriter,
) -> Done {
    let (report, written) = finish(ended, writer, None)?;
    show_and_check(args, &report, &written)
}

/// Writes the report and the files; pages of several movements come later.
pub(super) fn finish(
    ended: Result<Report, Failure>,
    writer: OutputWriter,
    pages: Option<&mut MovementPages>,
) -> Result<(Report, Vec<Written>), Failure> {
    match ended {
        Ok(mut report) => {
            report.threads = rayon::current_num_threads();
            let written = writer.finish(Some(&report), pages)?;
            Ok((report, written))
        }
        Err(failure) => {
            // One file failed; the others keep what was recorded.
            let _ = writer.finish(None, pages);
            Err(failure)
        }
    }
}

/// Prints the report.
pub(super) fn show(args: &RunArgs, report: &Report, written: &[Written]) -> Done {
    if args.json {
        print_json(&report.to_json())
    } else if !args.quiet {
        print(&summary(report, written))
    } else {
        Ok(())
    }
}

/// Prints the report, and fails if the run did.
pub(super) fn show_and_check(args: &RunArgs, report: &Report, written: &[Written]) -> Done {
    show(args, report, written)?;
    match failure(report) {
        Some((message, help)) => Err(Failure::run(message, with_files(help))),
        None => Ok(()),
    }
}

/// Help for a run that failed; its files are still written.
pub(super) fn with_files(help: &str) -> String {
    format!("all files hold what was simulated; {help}")
}

/// The scene, the commands that were given by hand, and the recording to compare
/// with. There is none for a recording whose scene the command line changes.
fn load(args: &RunArgs, named: &str) -> Result<(Scene, Vec<Event>, Option<Recording>), Failure> {
    if !is_recording(named) {
        info!(scene = named, "loading the scene");
        let scene = Scene::load(named, &args.changes.options())?;
        return Ok((scene, Vec::new(), None));
    }
    info!(recording = named, "reading the recording");
    let recording = Recording::read(named)?;
    let changes = &args.changes;
    let mut overrides = recording.overrides.clone();
    overrides.extend(changes.sets.iter().cloned());
    overrides.extend(changes.seconds.map(|s| format!("time.seconds={s:?}")));
    let scene = Scene::from_recording(
        &recording.header.scene,
        &recording.sources,
        &overrides,
        changes.seed.unwrap_or(recording.header.seed),
    )?;
    let unchanged = overrides == recording.overrides && changes.seed.is_none();
    let inputs = recording.events.clone();
    Ok((scene, inputs, unchanged.then_some(recording)))
}
