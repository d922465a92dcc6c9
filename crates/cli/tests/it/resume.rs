//! A run that was stopped or killed, at any moment and any number of times, gives
//! the same result once it is resumed.

use crate::support::{self, assert_error_contains, conatus, folder, frames, interrupt, kill};
use conatus_record::{Entry, Outline, Recording, RecordingWriter};
use serde_json::Value;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

/// Cloth that falls on a ball and slides: 192 frames with checkpoints every
/// sixteenth.
const CLOTH: [&str; 5] = [
    "cloth-sphere",
    "--set=cloth.resolution=9",
    "--set=time.steps_per_frame=6",
    "--set=obstacle.ball.detail=0.1",
    "--seconds=2.4",
];

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut all = vec!["run"];
    all.extend(arguments);
    support::start(folder, &all)
}

fn whole(folder: &Path, scene: &[&str]) -> Recording {
    let mut arguments = vec!["run", "-q", "-o", "whole.mcap"];
    arguments.extend(scene);
    let output = conatus(folder, &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    Recording::read(folder.join("whole.mcap")).unwrap()
}

/// Waits until the file holds `count` frames or the program has ended.
fn wait_for(child: &mut Child, path: &Path, count: usize) {
    let begin = Instant::now();
    while frames(path) < count && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(100), "too slow");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The same frames, events and figures, and checkpoints as well.
#[track_caller]
fn assert_same(a: &Path, b: &Path) {
    let read = |path: &Path| {
        let (mut bytes, mut kinds) = (Vec::new(), String::new());
        let outline = Outline::walk(path, |entry| {
            match entry {
                Entry::Frame(frame) => {
                    frame.encode(&mut bytes);
                    kinds += "f";
                }
                Entry::Event(event) => {
                    bytes.extend(serde_json::to_vec(&event).unwrap());
                    kinds += "e";
                }
                Entry::State(_) => kinds += "s",
            }
            Ok::<(), conatus_record::RecordError>(())
        })
        .unwrap();
        let mut report = outline.report.expect("a report");
        for table in ["", "/cloth"] {
            if let Some(table) = report.pointer_mut(table).and_then(Value::as_object_mut) {
                table.retain(|key, _| key == "seconds" || !key.ends_with("seconds"));
            }
        }
        (bytes, kinds, report, outline.header, outline.overrides)
    };
    let (a, b) = (read(a), read(b));
    assert_eq!((&a.1, &a.2), (&b.1, &b.2));
    assert!(a == b, "the bits differ");
}

#[test]
fn a_run_that_was_killed_ends_the_same_once_it_is_resumed() {
    let folder = folder();
    let (path, full) = (
        folder.path().join("a.mcap"),
        folder.path().join("whole.mcap"),
    );
    let all = whole(folder.path(), &CLOTH).frames.len();
    let mut killed = 0;
    for share in [0, 1, 4, 7] {
        let _ = std::fs::remove_file(&path);
        let mut arguments = CLOTH.to_vec();
        arguments.extend(["-o", "a.mcap"]);
        let mut child = start(folder.path(), &arguments);
        wait_for(&mut child, &path, 1 + share * all / 8);
        std::thread::sleep(Duration::from_millis(7 * share as u64));
        kill(child);
        let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
        assert_eq!(output.code, 0, "{output:?}");
        // On a busy machine the program may have ended already.
        if !output.err.contains("a.mcap is complete") {
            killed += 1;
            assert_error_contains(&output, &["continuing a.mcap at"]);
            assert!(output.out.contains("wrote a.mcap"), "{}", output.out);
        }
        assert_same(&path, &full);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
    assert!(killed > 0, "the program was always faster");
    let output = conatus(folder.path(), &["run", "a.mcap"]);
    assert!(output.out.contains("bit for bit"), "{output:?}");
}

/// Every attempt advances, and no frame is lost.
#[test]
fn a_run_may_be_killed_again_and_again_while_it_is_resumed() {
    let folder = folder();
    let (path, full) = (
        folder.path().join("a.mcap"),
        folder.path().join("whole.mcap"),
    );
    let all = whole(folder.path(), &CLOTH).frames.len();
    let mut arguments = CLOTH.to_vec();
    arguments.extend(["-o", "a.mcap"]);
    let mut child = start(folder.path(), &arguments);
    wait_for(&mut child, &path, 10);
    kill(child);
    let mut before = frames(&path);
    for patience in [0, 1, 5, 20, 80, 200, 400] {
        let mut child = start(folder.path(), &["--resume", "a.mcap"]);
        if patience > 20 {
            wait_for(&mut child, &path, (before + 20).min(all));
        } else {
            std::thread::sleep(Duration::from_millis(patience));
        }
        kill(child);
        let now = frames(&path);
        assert!(now >= before, "{now} frames of {before}");
        before = now;
    }
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap", "-q"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.is_empty());
    assert_same(&path, &full);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_run_that_was_stopped_by_ctrl_c_is_resumed() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let scene = ["gas", "--seconds=8", "--set=time.steps_per_frame=2"];
    let all = whole(folder.path(), &scene).frames.len();
    let mut arguments = scene.to_vec();
    arguments.extend(["-o", "a.mcap"]);
    let mut interrupted = 0;
    let mut child = start(folder.path(), &arguments);
    for share in [1, 2] {
        wait_for(&mut child, &path, share * all / 3);
        interrupt(&child);
        let code = child.wait().unwrap().code();
        interrupted += usize::from(code == Some(3));
        child = start(folder.path(), &["--resume", "a.mcap"]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(interrupted > 0);
    assert_same(&path, &folder.path().join("whole.mcap"));
}

/// The bytes of a recording with several chunks.
fn recording_bytes(folder: &Path) -> Vec<u8> {
    let scene = ["merging", "--set=time.steps_per_frame=4"];
    whole(folder, &scene);
    std::fs::read(folder.join("whole.mcap")).unwrap()
}

#[test]
fn a_recording_that_is_truncated_anywhere_is_resumed_or_refused() {
    let folder = folder();
    let (path, full) = (
        folder.path().join("a.mcap"),
        folder.path().join("whole.mcap"),
    );
    let bytes = recording_bytes(folder.path());
    let (mut resumed, mut refused) = (0, 0);
    let places = (0..24).map(|k| bytes.len() * k / 24);
    for length in places.chain([1, 8, 100, bytes.len() - 1]) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
        match output.code {
            0 => {
                resumed += 1;
                assert_same(&path, &full);
            }
            1 => {
                refused += 1;
                assert_error_contains(&output, &["ends before its header"]);
                assert_eq!(std::fs::read(&path).unwrap(), bytes[..length]);
            }
            code => panic!("{code} at {length}: {output:?}"),
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
    assert!(resumed > 15 && refused > 0, "{resumed} {refused}");
}

#[test]
fn a_complete_recording_is_left_unchanged() {
    let folder = folder();
    let path = folder.path().join("whole.mcap");
    let bytes = recording_bytes(folder.path());
    let output = conatus(
        folder.path(),
        &["run", "--resume", "whole.mcap", "-o", "a.csv"],
    );
    assert_eq!(output.code, 0, "{output:?}");
    assert_error_contains(&output, &["whole.mcap is complete"]);
    assert!(output.out.contains("wrote a.csv"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    let output = conatus(folder.path(), &["run", "--resume", "whole.mcap", "--json"]);
    assert!(output.err.is_empty());
    let report: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(report["scene"], "merging");
}

/// Cloth between two walls that come together.
const PRESS: &str = r#"
[time]
step = 0.005
seconds = 2
[cloth]
resolution = 5
[[cloth.piece]]
name = "sheet"
shape.rectangle = { width = 1, height = 1 }
position = [0, 0, 0.5]
[[obstacle]]
name = "floor"
shape.box.half_extents = [1, 1, 0.1]
[[obstacle]]
name = "press"
shape.box.half_extents = [1, 1, 0.1]
keyframe = [{ time = 0, position = [0, 0, 1] }, { time = 1, position = [0, 0, 0.15] }]
"#;

#[test]
fn a_run_whose_cloth_stopped_is_complete_and_reports_why() {
    let folder = folder();
    std::fs::write(folder.path().join("press.toml"), PRESS).unwrap();
    let run = conatus(folder.path(), &["run", "press.toml", "-o", "a.mcap"]);
    assert_eq!(run.code, 3, "{run:?}");
    let bytes = std::fs::read(folder.path().join("a.mcap")).unwrap();
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert_error_contains(&output, &["is complete", "the cloth simulation stopped"]);
    assert_eq!(std::fs::read(folder.path().join("a.mcap")).unwrap(), bytes);
    // Killed just before, it stops at the same step.
    std::fs::write(folder.path().join("b.mcap"), &bytes[..bytes.len() / 2]).unwrap();
    let output = conatus(folder.path(), &["run", "--resume", "b.mcap"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert_same(&folder.path().join("a.mcap"), &folder.path().join("b.mcap"));
}

/// Rewrites the first frames of a recording with other checkpoints.
fn rewrite(from: &Path, to: &Path, most: usize, state: impl Fn(&[u8]) -> Option<Vec<u8>>) {
    let recording = Recording::read(from).unwrap();
    let (header, sources) = (&recording.header, &recording.sources);
    let mut writer = RecordingWriter::create(to, header, sources, &recording.overrides).unwrap();
    let mut frames = 0;
    Outline::walk(from, |entry| match entry {
        _ if frames == most => Ok(()),
        Entry::Frame(frame) => {
            frames += 1;
            writer.frame(&frame)
        }
        Entry::Event(event) => writer.event(&event),
        Entry::State(bytes) => state(bytes).map_or(Ok(()), |bytes| writer.state(&bytes)),
    })
    .unwrap();
    writer.finish(None).unwrap();
}

#[test]
fn without_a_usable_checkpoint_a_run_starts_over() {
    let folder = folder();
    let (path, full) = (
        folder.path().join("a.mcap"),
        folder.path().join("whole.mcap"),
    );
    recording_bytes(folder.path());
    type Change = fn(&[u8]) -> Option<Vec<u8>>;
    let changes: [(Change, &str); 4] = [
        (|_| None, "no checkpoint"),
        (|state| Some(state[..state.len() / 2].to_vec()), "damaged"),
        (|_| Some(vec![9; 100]), "another version"),
        (
            |state| {
                let mut wrong = state.to_vec();
                wrong[4] ^= 1;
                Some(wrong)
            },
            "unexpected step",
        ),
    ];
    for (change, why) in changes {
        rewrite(&full, &path, 100, change);
        let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
        assert_eq!(output.code, 0, "{output:?}");
        assert_error_contains(&output, &["starting a.mcap over", why]);
        assert_same(&path, &full);
    }
}

#[test]
fn a_recording_that_is_not_reproduced_is_left_unchanged() {
    let folder = folder();
    let (path, full) = (
        folder.path().join("a.mcap"),
        folder.path().join("whole.mcap"),
    );
    recording_bytes(folder.path());
    let mut recording = Recording::read(&full).unwrap();
    recording.frames[7].bodies[1].position.x += 1e-15;
    recording.report = None;
    recording.write(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert_error_contains(&output, &["differs from the recording", "another version"]);
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn other_files_hold_the_whole_run() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let bytes = recording_bytes(folder.path());
    std::fs::write(at("real.mcap"), &bytes[..bytes.len() / 2]).unwrap();
    std::os::unix::fs::symlink(at("real.mcap"), at("a.mcap")).unwrap();
    let arguments = [
        "run",
        "--resume",
        "a.mcap",
        "-o",
        "a.csv",
        "-o",
        "copy.mcap",
        "--json",
    ];
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.is_empty());
    let exported = conatus(folder.path(), &["export", "whole.mcap", "-o", "whole.csv"]);
    assert_eq!(exported.code, 0);
    assert!(std::fs::read(at("a.csv")).unwrap() == std::fs::read(at("whole.csv")).unwrap());
    assert_same(&at("copy.mcap"), &at("whole.mcap"));
    assert_same(&at("real.mcap"), &at("whole.mcap"));
    assert!(at("a.mcap").is_symlink(), "a link stays a link");
}

#[test]
fn resume_refuses_arguments_that_would_change_the_run() {
    let folder = folder();
    let bytes = recording_bytes(folder.path());
    std::fs::write(folder.path().join("a.mcap"), &bytes[..bytes.len() / 2]).unwrap();
    for more in [
        &["--seconds", "3"][..],
        &["--seed", "3"],
        &["--set", "time.step=0.1"],
        &["cylon"],
        &["-o", "a.mcap"],
    ] {
        let mut arguments = vec!["run", "--resume", "a.mcap"];
        arguments.extend(more);
        let output = conatus(folder.path(), &arguments);
        assert_eq!(output.code, 2, "{output:?}");
    }
    let output = conatus(folder.path(), &["run", "--resume", "none.mcap"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert_eq!(conatus(folder.path(), &["run"]).code, 2);
}

#[test]
fn a_run_that_is_still_writing_is_not_resumed() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let mut arguments = CLOTH.to_vec();
    arguments.extend(["--seconds=100", "-o", "a.mcap"]);
    arguments.retain(|a| *a != "--seconds=2.4");
    let mut child = start(folder.path(), &arguments);
    wait_for(&mut child, &path, 20);
    let output = conatus(folder.path(), &["run", "--resume", "a.mcap"]);
    kill(child);
    assert_eq!(output.code, 1, "{output:?}");
    assert_error_contains(&output, &["still being written"]);
}
