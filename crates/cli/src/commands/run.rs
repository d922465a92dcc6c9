//! `conatus run`: from a scene to files and a report.

use super::{is_recording, several};
use crate::Done;
use crate::args::Run;
use crate::errors::{Failure, print};
use crate::outputs::{Outputs, Pages, Tape, Written, human_list};
use crate::progress::{self, Progress, Search};
use crate::replay::Compare;
use conatus_export::ExportOptions;
use conatus_record::{Clip, Event, Recording};
use conatus_world::motion::{MotionPlanner, MovementMismatch, Movements, cost};
use conatus_world::scene::{Scene, Setup};
use conatus_world::{Report, RunLog, RunSchedule, RunSink, World};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::path::Path;

/// Runs a scene, or a recording again.
pub fn run(args: &Run) -> Done {
    let named = args.scene.as_deref().unwrap_or_default();
    let outputs = outputs(args, Path::new(named))?;
    let (scene, inputs, recording) = load(args, named)?;
    use_threads(args.threads)?;
    let mut setup = scene.build()?;
    if outputs.need_memory() {
        scene.check_memory(&setup)?;
    }
    outputs.check_characters(setup.planner.is_some())?;
    let keep = (setup.planner.as_ref()).map_or(1, |planner| planner.problem.effort.keep);
    outputs.check_numbered(keep, Path::new(named))?;
    repeat_inputs(&mut setup.world, &inputs)?;
    // Before the search, which may take long.
    let locks = outputs.lock()?;
    let log = RunLog::new();
    if let Some(planner) = &setup.planner {
        let mut movements = search(planner, args.json || args.quiet);
        if let Some(recording) = &recording {
            movements = several::that_of(movements, recording.clip.as_ref());
        }
        if !movements.others.is_empty() {
            return several::run(args, &scene, &inputs, &movements, (&outputs, locks));
        }
        setup.set_movement(&movements.best)?;
    }
    let tape = outputs.begin(
        locks,
        &setup.header,
        &setup.sources,
        &scene.overrides,
        clip(&setup),
    )?;

    let mut sink = Compare::new(recording.as_ref(), tape);
    let ended = drive(args, &mut setup, log, &mut sink);
    let (tape, frames, difference) = sink.finish(progress::stop_asked());
    conclude(args, &setup.schedule, ended, tape)?;
    match difference {
        Some(frame) => Err(Failure::run(
            format!("the run differs from the recording in frame {frame}"),
            OTHER_PROGRAM,
        )),
        None if recording.is_some() && !args.json && !args.quiet => print(&match frames {
            0 => "  the recording holds no frame to compare with\n".to_owned(),
            _ => format!("  {frames} frames are the same as in the recording, bit for bit\n"),
        }),
        None => Ok(()),
    }
}

/// Why a run may differ from its recording.
pub(super) const OTHER_PROGRAM: &str =
    "was it recorded by another version of the program, or on another kind of processor?";

impl From<MovementMismatch> for Failure {
    fn from(error: MovementMismatch) -> Self {
        Failure::run(
            error.to_string(),
            "run the scene again to plan its movement",
        )
    }
}

/// The files asked for, checked; `input` is what must not be overwritten.
pub(super) fn outputs(args: &Run, input: &Path) -> Result<Outputs, Failure> {
    let options = ExportOptions {
        frames: args.frames.map(Into::into),
    };
    Ok(Outputs::check(&args.outputs, input, options)?.quiet(args.quiet))
}

/// Has done again what was done by hand.
pub(super) fn repeat_inputs(world: &mut World, events: &[Event]) -> Done {
    world
        .repeat_inputs(events)
        .map_err(|e| Failure::file(e.to_string(), "change less of the scene it was made from"))
}

/// Finds out how characters move, until Ctrl-C, and shows how far it is.
pub(super) fn search(planner: &MotionPlanner, quiet: bool) -> Movements {
    progress::listen_for_stop("stopping; the best movement so far is kept");
    let effort = &planner.problem.effort;
    let [a, b, c] = effort.iterations;
    let shown = Search::new([a, b, c, effort.polish], quiet);
    let movements = planner.plan_all(&|at| {
        shown.update(at);
        match progress::stop_asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    });
    shown.finish();
    movements
}

/// What characters do, for the recording.
pub(super) fn clip(setup: &Setup) -> Option<&Clip> {
    setup.world.motion.as_ref().map(|motion| motion.clip())
}

/// Runs the world from where it is to its end, and shows how far it is.
pub(super) fn drive<S: RunSink<Error = Failure> + Send>(
    args: &Run,
    setup: &mut Setup,
    log: RunLog,
    sink: &mut S,
) -> Result<Report, Failure> {
    progress::listen_for_stop("stopping; what is recorded is kept");
    let mut shown = Progress::new(setup.schedule.steps, args.json || args.quiet);
    shown.begin_at(setup.world.steps());
    // Who stopped the search wants to see the best movement so far.
    let show_all = progress::stop_asked() && setup.world.is_scripted();
    // On a thread of the pool: what a step shares out need not be handed over.
    let ended = rayon::scope(|_| {
        conatus_world::resume(&mut setup.world, &setup.schedule, log, sink, |steps| {
            shown.update(steps);
            show_all || !progress::stop_asked()
        })
    });
    shown.finish();
    ended
}

/// Writes the report and the files, and tells how it went.
pub(super) fn conclude(
    args: &Run,
    schedule: &RunSchedule,
    ended: Result<Report, Failure>,
    tape: Tape,
) -> Done {
    let (report, written) = finish(schedule, ended, tape, None)?;
    tell(args, &report, &written)
}

/// Writes the report and the files; pages of several movements come later.
pub(super) fn finish(
    schedule: &RunSchedule,
    ended: Result<Report, Failure>,
    tape: Tape,
    pages: Option<&mut Pages>,
) -> Result<(Value, Vec<Written>), Failure> {
    let mut report = match ended {
        Ok(report) => report,
        Err(failure) => {
            // One file failed; the others keep what there is.
            let report = json!({ "scene": schedule.scene, "interrupted": true });
            let _ = tape.finish(&report, pages);
            return Err(failure);
        }
    };
    report.threads = rayon::current_num_threads();
    let report = serde_json::to_value(&report).unwrap_or_default();
    let written = tape.finish(&report, pages)?;
    Ok((report, written))
}

/// Prints the report.
pub(super) fn show(args: &Run, report: &Value, written: &[Written]) -> Done {
    if args.json {
        print(&format!("{report:#}\n"))?;
    } else if !args.quiet {
        print(&summary(report, written))?;
    }
    Ok(())
}

/// Prints the report, and fails if the run did.
pub(super) fn tell(args: &Run, report: &Value, written: &[Written]) -> Done {
    show(args, report, written)?;
    match failure(report) {
        Some((failed, help)) => Err(Failure::run(
            failed,
            format!("all files hold what there is; {help}"),
        )),
        None => Ok(()),
    }
}

/// What went wrong in the run itself, if anything did.
pub(super) fn failure(report: &Value) -> Option<(String, &'static str)> {
    const STEP: &str = "a smaller time.step often helps";
    let quarantined = report
        .pointer("/rigid/quarantined")
        .and_then(Value::as_array);
    let names: Vec<&str> = (quarantined.into_iter().flatten())
        .filter_map(Value::as_str)
        .collect();
    if !names.is_empty() {
        let names = names.join(", ");
        let text = format!("numbers ran away; frozen where they last made sense: {names}");
        return Some((text, STEP));
    }
    let torn = report.pointer("/cloth/failure").and_then(Value::as_str);
    if let Some(why) = torn {
        return Some((format!("the cloth cannot go on: {why}"), STEP));
    }
    let seconds = report["seconds"].as_f64().unwrap_or(0.0);
    let interrupted = report["interrupted"] == true;
    let searching = report.pointer("/motion/interrupted") == Some(&Value::Bool(true));
    if searching {
        let text = "stopped while the movement was searched for; it is the best so far";
        return Some((text.to_owned(), "run it again to let it search to its end"));
    }
    if interrupted {
        let text = format!("stopped after {seconds} of the run's seconds");
        return Some((text, STEP));
    }
    let clumsy = report.pointer("/motion/failure").and_then(Value::as_str);
    clumsy.map(|why| {
        let attempts = report.pointer("/motion/attempts").and_then(Value::as_array);
        let count = counted(attempts.map_or(0, Vec::len) as u64, "attempt", "attempts");
        let text =
            format!("no movement was found that keeps to all bars; of {count} the best: {why}");
        (
            text,
            "another --seed, or more `motion.phases` or `motion.attempts` may help",
        )
    })
}

/// The scene, what was done to it by hand, and the recording to compare with.
/// A recording whose scene the command line changes is run anew, and there is
/// nothing to compare.
fn load(args: &Run, named: &str) -> Result<(Scene, Vec<Event>, Option<Recording>), Failure> {
    if !is_recording(named) {
        let scene = Scene::load(named, &args.changes.options())?;
        return Ok((scene, Vec::new(), None));
    }
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

pub(super) fn use_threads(threads: Option<u16>) -> Done {
    let Some(threads) = threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build_global()
        .map_err(|error| {
            Failure::run(
                format!("cannot start {threads} threads: {error}"),
                "ask for fewer with --threads",
            )
        })
}

/// The report in a few lines for people.
fn summary(report: &Value, written: &[Written]) -> String {
    let number = |path: &str| report.pointer(path).and_then(Value::as_f64);
    let count = |path: &str| number(path).unwrap_or(0.0) as u64;
    let mut text = format!(
        "{}: {} s in {} steps, {} frames; took {:.2} s\n",
        report["scene"].as_str().unwrap_or_default(),
        number("/seconds").unwrap_or(0.0),
        count("/steps"),
        count("/frames"),
        number("/wall_seconds").unwrap_or(0.0),
    );
    let physics = report.get("motion").is_none()
        || report.get("rigid").is_some()
        || report.get("cloth").is_some();
    if let (Some(start), Some(end), true) =
        (number("/energy/start"), number("/energy/end"), physics)
    {
        let drift = number("/energy/max_relative_drift").unwrap_or(0.0);
        let (start, end) = (energy(start), energy(end));
        text += &format!("  energy {start} to {end}, greatest drift {drift:.1e}\n");
    }
    if report.get("rigid").is_some() {
        text += &format!(
            "  {}, at most {} in a step, deepest penetration {:.1e} m\n",
            counted(count("/rigid/bodies"), "body", "bodies"),
            counted(count("/rigid/contacts_max"), "contact", "contacts"),
            number("/rigid/max_penetration").unwrap_or(0.0),
        );
    }
    if report.get("cloth").is_some() {
        text += &format!(
            "  cloth of {}: {}, fail-safe in {}, longest edge {:.3} of its rest length, {}\n",
            counted(count("/cloth/vertices"), "vertex", "vertices"),
            counted(count("/cloth/collisions"), "collision", "collisions"),
            counted(count("/cloth/failsafe_calls"), "step", "steps"),
            number("/cloth/max_stretch").unwrap_or(0.0),
            match count("/cloth/intersections") {
                0 => "nothing intersects".to_owned(),
                n => counted(n, "intersection", "intersections"),
            },
        );
    }
    if report.get("motion").is_some() {
        let share = |path: &str| 100.0 * number(path).unwrap_or(0.0);
        let millimetres = |path: &str| 1000.0 * number(path).unwrap_or(0.0);
        let attempts = report.pointer("/motion/attempts").and_then(Value::as_array);
        text += &format!(
            "  {} of {} unknowns found in {}, {:.1} s of processor time\n",
            counted(count("/motion/characters"), "character", "characters"),
            count("/motion/variables"),
            counted(attempts.map_or(0, Vec::len) as u64, "attempt", "attempts"),
            number("/motion/cpu_seconds").unwrap_or(0.0),
        );
        if let Some(kept) = report.pointer("/motion/kept").and_then(Value::as_array) {
            let costs = kept.iter().filter_map(|k| k["cost"].as_f64());
            let costs: Vec<String> = costs.map(cost).collect();
            text += &format!(
                "  {} of {} movements that are good and different; {}\n",
                kept.len(),
                count("/motion/keep"),
                match costs.is_empty() {
                    true => "this is the least bad".to_owned(),
                    false => format!("costs {}", costs.join(", ")),
                },
            );
        }
        text += &format!(
            "  unexplained force at most {:.2}% of the weight, {:.3}% on average; contacts drift {:.1} mm, limbs are off by {:.1} mm, depth {:.1} mm, goals missed by {:.1} mm\n",
            share("/motion/true_residual_max_bw"),
            share("/motion/true_residual_mean_bw"),
            millimetres("/motion/contact_drift_max"),
            millimetres("/motion/limb_error_max"),
            millimetres("/motion/penetration_max"),
            millimetres("/motion/task_error"),
        );
        text += &carried(report);
    }
    text + &human_list(written)
}

/// How many contacts of a character the summary names.
const MAIN: usize = 3;

/// What carried each character: a line each, with its largest contacts.
fn carried(report: &Value) -> String {
    let contacts = report.pointer("/motion/contacts").and_then(Value::as_array);
    let mut lines: Vec<(&str, Vec<String>)> = Vec::new();
    for contact in contacts.into_iter().flatten() {
        let word = |key: &str| contact[key].as_str();
        let number = |key: &str| contact[key].as_f64().unwrap_or(0.0);
        // Things have no parts; who handles them says it.
        let (Some(of), Some(part), Some(with)) = (word("of"), word("part"), word("with")) else {
            continue;
        };
        let (impulse, seconds) = (number("impulse"), number("seconds"));
        let said = format!("{part} on {with} {impulse:.0} N·s in {seconds:.1} s");
        match lines.last_mut().filter(|(name, _)| *name == of) {
            Some((_, said_before)) => said_before.push(said),
            None => lines.push((of, vec![said])),
        }
    }
    let line = |(of, said): &(&str, Vec<String>)| {
        let main = &said[..said.len().min(MAIN)];
        format!("  {of}: {}\n", main.join(", "))
    };
    lines.iter().map(line).collect()
}

/// `1 body`, `2 bodies`.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// An energy in joules, short whatever its size.
fn energy(joules: f64) -> String {
    if joules.abs() < 1e9 {
        format!("{joules:.6} J")
    } else {
        format!("{joules:.6e} J")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_tells_what_ran_and_what_was_written() {
        let report = json!({
            "scene": "cylon", "seconds": 60.0, "steps": 3750, "frames": 1876,
            "wall_seconds": 0.5, "energy": { "start": 1.0, "end": 0.5, "max_relative_drift": 0.5 },
            "rigid": { "bodies": 4, "contacts_max": 2, "max_penetration": 0.001 },
        });
        let text = summary(&report, &[("a.glb".into(), 12_345)]);
        assert_eq!(
            text,
            "cylon: 60 s in 3750 steps, 1876 frames; took 0.50 s\n\
             \x20 energy 1.000000 J to 0.500000 J, greatest drift 5.0e-1\n\
             \x20 4 bodies, at most 2 contacts in a step, deepest penetration 1.0e-3 m\n\
             \x20 wrote a.glb (12.3 kB)\n"
        );
    }

    #[test]
    fn the_summary_names_the_three_largest_contacts_of_each_character() {
        let of = |of: &str, part: &str, impulse: f64| json!({ "of": of, "part": part, "with": "ground", "seconds": 1.5, "impulse": impulse });
        let contacts = json!([
            of("ada", "left foot", 400.0),
            of("ada", "right foot", 300.4),
            of("ada", "left hand", 20.0),
            of("ada", "right hand", 10.0),
            of("bob", "seat", 900.0),
            { "of": "parcel", "with": "ground", "seconds": 1.0, "impulse": 49.0 },
        ]);
        let said = carried(&json!({ "motion": { "contacts": contacts } }));
        assert_eq!(
            said,
            "  ada: left foot on ground 400 N·s in 1.5 s, right foot on ground 300 N·s in 1.5 s, \
             left hand on ground 20 N·s in 1.5 s\n  bob: seat on ground 900 N·s in 1.5 s\n"
        );
    }
}
