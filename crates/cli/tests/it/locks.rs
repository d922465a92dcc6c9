//! At most one run writes to a recording at a time; all others are refused.

use crate::support::{
    ProgramOutput, assert_error_contains, conatus, folder, frames, interrupt, kill, start,
    wait_until,
};
use conatus_record::{Lock, RecordError, Recording};
use std::fs;
use std::path::Path;
use std::process::Child;

/// Arguments of a run that would take very long.
const LONG: [&str; 5] = [
    "run",
    "gas",
    "--seconds=200",
    "--set=time.steps_per_frame=2",
    "--output=a.mcap",
];

/// A very short run, to the same file.
const SHORT: [&str; 5] = ["run", "cylon", "--seconds=0.1", "-o", "a.mcap"];

#[track_caller]
fn assert_refused(output: &ProgramOutput) {
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.out.is_empty(), "{output:?}");
    assert_error_contains(output, &["a.mcap is still being written", "help:"]);
}

fn start_long(folder: &Path, least_frames: usize) -> Child {
    let child = start(folder, &LONG);
    wait_until(|| frames(&folder.join("a.mcap")) >= least_frames);
    child
}

/// A user started two runs with the same `-o a.mcap`. The second emptied the
/// file of the first, both wrote to it, and both ended with exit code 0: the
/// recording of the first was lost. The second must be refused without an effect on the
/// first.
#[test]
fn a_run_into_a_recording_that_another_run_writes_is_refused() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let mut first = start_long(folder.path(), 10);
    let mut arguments = SHORT.to_vec();
    arguments.extend(["-o", "other.mcap", "-o", "other.csv"]);
    assert_refused(&conatus(folder.path(), &arguments));
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "a refused run creates no file");
    // Other names of the file are the same file.
    std::os::unix::fs::symlink("a.mcap", folder.path().join("link.mcap")).unwrap();
    fs::hard_link(&path, folder.path().join("hard.mcap")).unwrap();
    for name in ["link.mcap", "hard.mcap"] {
        let output = conatus(folder.path(), &["run", "cylon", "-o", name]);
        assert_eq!(output.code, 1, "{output:?}");
        assert_error_contains(&output, &["is still being written"]);
    }
    interrupt(&first);
    assert_eq!(first.wait().unwrap().code(), Some(3));
    let recording = Recording::read(&path).unwrap();
    assert!(recording.is_complete() && recording.frames.len() >= 10);
    assert_eq!(recording.header.scene, "gas");
    // The recording is unlocked now.
    assert_eq!(conatus(folder.path(), &SHORT).code, 0);
    assert_eq!(Recording::read(&path).unwrap().header.scene, "cylon");
}

/// The same with two runs that start at the same moment, when the file does not
/// exist yet: one of the two must be refused, whichever it is.
#[test]
fn of_two_runs_that_start_together_one_is_refused() {
    for _ in 0..3 {
        let folder = folder();
        let mut pair = [start(folder.path(), &LONG), start(folder.path(), &LONG)];
        let mut ended = [None, None];
        wait_until(|| {
            for (child, ended) in pair.iter_mut().zip(&mut ended) {
                *ended = child.try_wait().unwrap();
            }
            ended.iter().any(Option::is_some)
        });
        let refused = ended.iter().position(Option::is_some).unwrap();
        assert_eq!(ended[refused].unwrap().code(), Some(1));
        assert!(ended[1 - refused].is_none(), "the other continues");
        wait_until(|| frames(&folder.path().join("a.mcap")) > 0);
        let [a, b] = pair;
        let mut other = if refused == 0 { b } else { a };
        interrupt(&other);
        assert_eq!(other.wait().unwrap().code(), Some(3));
        let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
        assert!(recording.is_complete());
    }
}

/// A search that would take hours.
const SEARCH: &str = r#"
[motion]
phases = 6
phase_seconds = 0.3
iterations = [1000000, 1000000, 1000000]
attempts = 1
[[character]]
[[goal]]
kind = "stand"
"#;

/// A run that is still searching for a movement has written no frame, but its
/// user relies on the file as well.
#[test]
fn a_recording_is_locked_while_the_movement_is_searched_for() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    fs::write(folder.path().join("long.toml"), SEARCH).unwrap();
    let child = start(folder.path(), &["run", "long.toml", "-o", "a.mcap"]);
    wait_until(|| matches!(Lock::take(&path), Err(RecordError::InUse { .. })));
    assert_refused(&conatus(folder.path(), &SHORT));
    kill(child);
    assert_eq!(conatus(folder.path(), &SHORT).code, 0);
}

/// `--resume` writes to a new file that takes the place of the old one. Before
/// and after that, the recording is in use.
#[test]
fn a_recording_that_is_being_resumed_is_locked_before_and_after_it_is_replaced() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    kill(start_long(folder.path(), 200));
    let before = frames(&path);
    let resumed = start(folder.path(), &["run", "--resume", "a.mcap"]);
    wait_until(|| folder.path().join("a.mcap.resuming").exists() || frames(&path) > before);
    assert_refused(&conatus(folder.path(), &SHORT));
    wait_until(|| frames(&path) > before);
    assert_refused(&conatus(folder.path(), &SHORT));
    assert_refused(&conatus(folder.path(), &["run", "--resume", "a.mcap"]));
    kill(resumed);
    assert!(frames(&path) > before);
}

/// An export replaces its file. A run that writes to the same file would continue to
/// write to a deleted file.
#[test]
fn an_export_into_a_recording_that_a_run_writes_is_refused() {
    let folder = folder();
    let made = ["run", "cylon", "--seconds=0.1", "-o", "b.mcap"];
    assert_eq!(conatus(folder.path(), &made).code, 0);
    let child = start_long(folder.path(), 10);
    let arguments = ["export", "b.mcap", "-o", "a.mcap"];
    assert_refused(&conatus(folder.path(), &arguments));
    kill(child);
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
}
