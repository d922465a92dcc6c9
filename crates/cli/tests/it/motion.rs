//! Characters from the command line: files, report, exit codes, and searches that
//! are stopped.

use crate::support::{conatus, folder, frames, interrupt, wait_until};
use conatus_record::{Clip, Frame, Recording};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A short search: the start is the goal already.
const QUICK: &str = r#"
[motion]
phases = 2
phase_seconds = 0.3
iterations = [30, 60, 60]
polish = 6
attempts = 1
thresholds = { residual_max = 10, residual_mean = 10, drift = 1, limb = 1, penetration = 1, task = 1 }

[[character]]
name = "ada"

[[goal]]
kind = "stand"
"#;

fn report(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_run_with_characters_writes_all_files_and_reports() {
    let folder = folder();
    fs::write(folder.path().join("quick.toml"), QUICK).unwrap();
    let mut arguments = vec![
        "run",
        "quick.toml",
        "--json",
        "--seed",
        "5",
        "--frames",
        "3",
    ];
    let files = [
        "a.mcap",
        "a.clip.json",
        "a.bvh",
        "a.glb",
        "a.png",
        "a.html",
        "a.csv",
    ];
    files.iter().for_each(|file| arguments.extend(["-o", file]));
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let report = report(&output.out);
    for key in [
        "characters",
        "objects",
        "patches",
        "contacts/0/of",
        "contacts/0/part",
        "contacts/0/with",
        "contacts/0/seconds",
        "contacts/0/impulse",
        "reaction_error_bw",
        "variables",
        "phases",
        "iterations",
        "cost/total",
        "cost/contact",
        "cost/physics",
        "cost/task",
        "cost/hint",
        "true_residual_max_bw",
        "true_residual_mean_bw",
        "contact_drift_max",
        "limb_error_max",
        "penetration_max",
        "task_error",
        "cpu_seconds",
        "attempts",
        "attempts/0/seed",
        "attempts/0/cost",
        "attempts/0/task_error",
        "attempts/0/cpu_seconds",
        "attempts/0/good",
    ] {
        assert!(
            report.pointer(&format!("/motion/{key}")).is_some(),
            "no {key} in {report}"
        );
    }
    assert!(report.get("rigid").is_none() && report.get("cloth").is_none());
    assert_eq!(
        (&report["seconds"], &report["seed"]),
        (&0.6.into(), &5.into())
    );
    assert_eq!(report["motion"]["patches"], 7);
    for file in files {
        assert!(
            fs::metadata(folder.path().join(file)).unwrap().len() > 100,
            "{file}"
        );
    }
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    let clip = recording.clip.expect("the recording carries the clip");
    assert_eq!((clip.seed, clip.characters[0].name.as_str()), (5, "ada"));
    let parts = recording
        .header
        .bodies
        .iter()
        .filter(|b| b.scripted && b.character.is_some());
    assert_eq!(parts.count(), clip.parts().len());
    let text = fs::read_to_string(folder.path().join("a.clip.json")).unwrap();
    // Numbers have ten digits there.
    let (read, torso) = (Clip::from_json(&text).unwrap(), &clip.characters[0].torso);
    assert_eq!(
        (read.time.len(), read.parts().len()),
        (clip.time.len(), clip.parts().len())
    );
    let places = read.characters[0]
        .torso
        .position
        .iter()
        .zip(&torso.position);
    assert!(places.into_iter().all(|(a, b)| a.distance(*b) < 1e-9));
}

#[test]
fn the_same_seed_gives_the_same_bits_on_any_number_of_threads_and_again() {
    let folder = folder();
    let scene = QUICK.replace("attempts = 1", "attempts = 2");
    fs::write(folder.path().join("quick.toml"), scene).unwrap();
    let run = |threads: &str, seed: &str, file: &str| {
        let arguments = [
            "run",
            "quick.toml",
            "--threads",
            threads,
            "--seed",
            seed,
            "-q",
            "-o",
            file,
        ];
        assert_eq!(conatus(folder.path(), &arguments).code, 0);
        Recording::read(folder.path().join(file)).unwrap()
    };
    let (one, two) = (run("1", "3", "one.mcap"), run("2", "3", "two.mcap"));
    assert!(one.clip == two.clip && one.frames == two.frames);
    assert!(one.clip != run("1", "4", "other.mcap").clip);
    let again = conatus(folder.path(), &["run", "one.mcap", "--threads", "2"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(
        again
            .out
            .contains("the same as in the recording, bit for bit"),
        "{again:?}"
    );
}

#[test]
fn a_movement_beyond_its_thresholds_ends_with_3_and_names_the_goal() {
    let folder = folder();
    let far = QUICK.replace("task = 1 ", "task = 0.001 ")
        + "[[goal]]\nkind = \"position\"\nposition = [1.7, 0]\n";
    fs::write(folder.path().join("far.toml"), far).unwrap();
    let output = conatus(
        folder.path(),
        &[
            "run",
            "far.toml",
            "--json",
            "-o",
            "a.mcap",
            "-o",
            "a.clip.json",
        ],
    );
    assert_eq!(output.code, 3, "{output:?}");
    for part in [
        "task_error is",
        "at most 0.001",
        "the goal 2 (position) is missed by",
        "--seed",
    ] {
        assert!(output.err.contains(part), "no {part:?} in {}", output.err);
    }
    let report = report(&output.out);
    assert_eq!(report["motion"]["good"], false);
    assert!(
        report["motion"]["failure"]
            .as_str()
            .unwrap()
            .contains("task_error")
    );
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    assert!(recording.is_complete() && recording.clip.is_some());
    assert!(folder.path().join("a.clip.json").exists());
}

/// A search that would take hours, with the keys `more` added to the scene.
fn long_search(folder: &Path, more: &str) {
    let long = QUICK
        .replace("[30, 60, 60]", "[1000000, 1000000, 1000000]")
        .replace("phases = 2", "phases = 6")
        .replace(
            "polish = 6",
            "polish = 10000\nnoise = 0.3\nweights = { torque = 0.1 }",
        );
    fs::write(folder.join("long.toml"), format!("{long}{more}")).unwrap();
}

/// Starts a run and sends Ctrl-C as soon as its search reports progress. Returns
/// the lines on standard error that follow.
fn start_and_interrupt_search(
    folder: &Path,
    arguments: &[&str],
) -> (Child, impl Iterator<Item = String>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_conatus"))
        .args(["run", "long.toml"])
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let first = lines.next().unwrap();
    assert!(
        first.starts_with("attempt 1 of 1, ") && first.contains(" s left"),
        "{first}"
    );
    interrupt(&child);
    (child, lines)
}

#[test]
fn ctrl_c_in_a_search_keeps_the_best_movement_so_far() {
    let folder = folder();
    long_search(folder.path(), "");
    let (mut child, lines) = start_and_interrupt_search(folder.path(), &["-o", "a.mcap"]);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{rest:?}");
    let message = "the search was stopped; the files hold the best movement of 1 attempt";
    assert!(rest.iter().any(|l| l.contains(message)), "{rest:?}");
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    let report = recording.report.unwrap();
    assert_eq!(
        (&report["interrupted"], &report["motion"]["interrupted"]),
        (&true.into(), &true.into())
    );
    // The whole movement can be watched.
    assert_eq!(recording.frames.last().unwrap().time, 1.8);
    assert!(recording.clip.unwrap().duration() > 1.79);
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.err.contains("run the scene again"), "{output:?}");
}

/// A ball that rolls far away from the character.
const BALL: &str = r#"
[[body]]
name = "ball"
mass = 1
shape.sphere.radius = 0.1
position = [9, 9, 3]
"#;

/// A scene had a body beside its character. Its user pressed Ctrl-C during the
/// search. The program reported that the best movement is kept and wrote 0 s in one
/// frame: the same Ctrl-C had stopped the run that plays the movement. All files
/// must hold the whole movement.
#[test]
fn ctrl_c_in_a_search_does_not_stop_the_run_of_a_scene_with_bodies() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    long_search(folder.path(), BALL);
    let files = ["a.mcap", "a.csv", "a.clip.json", "a.bvh", "a.glb"];
    let mut arguments = Vec::new();
    files.iter().for_each(|file| arguments.extend(["-o", file]));
    let (mut child, lines) = start_and_interrupt_search(folder.path(), &arguments);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{rest:?}");
    let message = "stopping the search; the best movement so far is kept";
    assert!(rest.iter().any(|l| l.starts_with(message)), "{rest:?}");
    let recording = Recording::read(at("a.mcap")).unwrap();
    assert!(recording.is_complete());
    assert_eq!(recording.frames.last().unwrap().time, 1.8);
    let character = |b: &conatus_record::BodyInfo| b.character.is_some();
    let torso = recording.header.bodies.iter().position(character).unwrap();
    let height = |frame: &Frame| frame.bodies[torso].position.z;
    assert!(recording.frames.iter().all(|f| height(f).is_finite()));
    let rows = fs::read_to_string(at("a.csv")).unwrap();
    let last = rows.lines().last().unwrap();
    assert_eq!(last.split(',').next(), Some("1.8"), "{last}");
    let clip = Clip::from_json(&fs::read_to_string(at("a.clip.json")).unwrap()).unwrap();
    assert!(clip.duration() > 1.79);
    for file in files {
        assert!(fs::metadata(at(file)).unwrap().len() > 1000, "{file}");
    }
}

/// Ctrl-C during the search, and once more while the movement is played: the
/// second one stops the run, and the frames so far are kept.
#[test]
fn a_second_ctrl_c_stops_the_run_after_the_search() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    long_search(folder.path(), BALL);
    let arguments = ["--seconds=100000", "-o", "a.mcap"];
    let (mut child, lines) = start_and_interrupt_search(folder.path(), &arguments);
    wait_until(|| frames(&path) > 10);
    interrupt(&child);
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(3), "{rest:?}");
    let message = "stopping the run; the frames so far are kept";
    assert!(rest.iter().any(|l| l.starts_with(message)), "{rest:?}");
    let recording = Recording::read(&path).unwrap();
    assert!(recording.is_complete() && recording.frames.len() > 10);
}

#[test]
fn a_run_that_was_killed_is_resumed_with_the_movement_that_was_found() {
    let folder = folder();
    fs::write(folder.path().join("quick.toml"), QUICK).unwrap();
    assert_eq!(
        conatus(folder.path(), &["run", "quick.toml", "-q", "-o", "a.mcap"]).code,
        0
    );
    let whole = Recording::read(folder.path().join("a.mcap")).unwrap();
    let cut = Recording {
        frames: whole.frames[..7].to_vec(),
        report: None,
        ..whole.clone()
    };
    cut.write(folder.path().join("a.mcap")).unwrap();
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
    assert_eq!(output.code, 0, "{output:?}");
    let again = Recording::read(folder.path().join("a.mcap")).unwrap();
    assert!(again.frames == whole.frames && again.clip == whole.clip);
    assert_eq!(again.events, whole.events);
    // Even the processor seconds are equal: there was no search.
    assert_eq!(
        again.report.unwrap()["motion"],
        whole.report.unwrap()["motion"]
    );
}

#[test]
fn a_scene_with_characters_is_checked_without_a_search() {
    let folder = folder();
    let output = conatus(
        folder.path(),
        &["check", "walk", "--set", "motion.attempts=1000"],
    );
    assert_eq!(output.code, 0, "{output:?}");
    for part in [
        "walk (motion scene)",
        "characters 1: human",
        "10 phases of 0.5 s",
        "7 possible contacts",
        "time       5 s",
    ] {
        assert!(output.out.contains(part), "no {part:?} in {}", output.out);
    }
    let output = conatus(
        folder.path(),
        &["run", "cylon", "--seconds", "0.1", "-o", "a.bvh"],
    );
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("the scene has none"), "{output:?}");
}
