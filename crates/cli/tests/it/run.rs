//! Runs end with files, a report and an exit code that scripts can rely on,
//! also when they are stopped or killed.

use crate::support::{conatus, folder, frames, interrupt, kill, start, wait_until};
use conatus_record::Recording;
use serde_json::Value;
use std::path::Path;
use std::process::Child;

#[test]
fn a_run_writes_all_requested_files_and_a_report() {
    let folder = folder();
    let arguments = [
        "run",
        "cylon",
        "--seconds",
        "2",
        "--json",
        "-o",
        "a.mcap",
        "-o",
        "a.glb",
        "-o",
        "a.csv",
        "-o",
        "a.svg",
        "-o",
        "a.png",
        "--frames",
        "3",
    ];
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.is_empty());
    let report: Value = serde_json::from_str(&output.out).unwrap();
    for key in [
        "/scene",
        "/seed",
        "/seconds",
        "/steps",
        "/frames",
        "/wall_seconds",
        "/cpu_seconds",
        "/threads",
        "/energy/start",
        "/energy/end",
        "/energy/max_relative_drift",
        "/angular_momentum/max_relative_drift",
        "/rigid/bodies",
        "/rigid/contacts_max",
        "/rigid/max_penetration",
        "/rigid/quarantined",
    ] {
        assert!(report.pointer(key).is_some(), "no {key} in {report}");
    }
    assert_eq!(report["steps"], 125);
    assert!(report.get("cloth").is_none());
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    assert!(recording.is_complete());
    assert_eq!(recording.report.unwrap()["frames"], report["frames"]);
    let rows = std::fs::read_to_string(folder.path().join("a.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 4 * recording.frames.len());
    assert!(
        std::fs::read(folder.path().join("a.glb"))
            .unwrap()
            .starts_with(b"glTF")
    );
    assert!(
        std::fs::read(folder.path().join("a.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
}

#[test]
fn a_recording_exports_to_the_same_bytes_as_the_run_itself() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let arguments = [
        "run",
        "water",
        "--seconds",
        "0.5",
        "-o",
        "a.mcap",
        "-o",
        "a.glb",
        "-o",
        "a.csv",
        "-o",
        "a.png",
        "--frames",
        "2",
    ];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    let arguments = [
        "export", "a.mcap", "-o", "b.glb", "b.csv", "b.mcap", "b.png", "--frames", "2",
    ];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    for ending in ["glb", "csv", "png"] {
        let [a, b] = ["a", "b"].map(|name| format!("{name}.{ending}"));
        assert!(std::fs::read(at(&a)).unwrap() == std::fs::read(at(&b)).unwrap());
    }
    let (a, b) = (Recording::read(at("a.mcap")), Recording::read(at("b.mcap")));
    assert_eq!(a.unwrap(), b.unwrap());
}

#[test]
fn a_recording_runs_again_bit_for_bit_with_its_changes_and_meshes() {
    let folder = folder();
    let arguments = [
        "run",
        "water",
        "--seconds",
        "0.5",
        "--seed",
        "5",
        "--set",
        "body.boat.density=200",
        "-o",
        "a.mcap",
    ];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    for threads in ["1", "2"] {
        let output = conatus(folder.path(), &["run", "a.mcap", "--threads", threads]);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.out.contains("bit for bit"), "{}", output.out);
    }
}

#[test]
fn a_recording_that_is_not_reproduced_is_detected() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    assert_eq!(
        conatus(
            folder.path(),
            &["run", "cylon", "--seconds", "1", "-o", "a.mcap"]
        )
        .code,
        0
    );
    let mut recording = Recording::read(&path).unwrap();
    recording.frames[7].bodies[1].position.x += 1e-15;
    recording.write(&path).unwrap();
    let output = conatus(folder.path(), &["run", "a.mcap"]);
    assert_eq!(output.code, 3);
    assert!(output.err.contains("frame 7"), "{}", output.err);
}

#[test]
fn a_recording_without_frames_is_not_called_the_same() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let arguments = ["run", "cylon", "--seconds", "1", "-o", "a.mcap"];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    let mut recording = Recording::read(&path).unwrap();
    recording.frames.clear();
    recording.report = None;
    recording.write(&path).unwrap();
    let output = conatus(folder.path(), &["run", "a.mcap"]);
    assert!(output.out.contains("no frame to compare"), "{}", output.out);
    assert!(!output.out.contains("bit for bit"));
}

#[test]
fn an_output_that_is_a_link_stays_one() {
    let folder = folder();
    let (link, target) = (folder.path().join("a.csv"), folder.path().join("real.csv"));
    std::fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let arguments = ["run", "cylon", "--seconds", "1", "-o", "a.csv"];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    assert!(link.is_symlink());
    assert!(
        std::fs::read_to_string(&target)
            .unwrap()
            .starts_with("time")
    );
}

#[test]
fn a_run_whose_numbers_diverge_exits_with_3_and_keeps_its_files() {
    let folder = folder();
    let scene = "[time]\nstep = 0.1\nintegrator = \"euler\"\n[[body]]\nname = \"wild\"\nshape.sphere.radius = 1\nmass = 1e-6\nposition = [2, 0, 0]\n[[spring]]\na = { body = \"wild\" }\nb = { pin = [0, 0, 0] }\nstiffness = 1e12\nlength = 1\n";
    std::fs::write(folder.path().join("s.toml"), scene).unwrap();
    let output = conatus(
        folder.path(),
        &["run", "s.toml", "--json", "-o", "a.mcap", "-o", "a.glb"],
    );
    assert_eq!(output.code, 3, "{output:?}");
    let report: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(report["rigid"]["quarantined"], serde_json::json!(["wild"]));
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    assert!(recording.is_complete() && recording.frames.len() > 10);
    assert!(recording.events.iter().any(|e| e.kind == "quarantine"));
    assert!(folder.path().join("a.glb").exists());
}

/// Starts a run that would take very long.
fn long_run(folder: &Path, name: &str) -> Child {
    let frames = "time.steps_per_frame=2";
    let arguments = ["run", "gas", "--seconds=200", "--set", frames, "-o", name];
    start(folder, &arguments)
}

/// Waits until the recording has grown to several chunks.
fn wait_for_frames(path: &Path) {
    wait_until(|| frames(path) > 200);
}

#[test]
fn a_recording_cut_off_by_kill_9_is_readable_to_its_last_chunk_and_repeats() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let child = long_run(folder.path(), "a.mcap");
    wait_for_frames(&path);
    kill(child);
    let recording = Recording::read(&path).unwrap();
    assert!(!recording.is_complete());
    assert!(recording.frames.len() > 200);
    for (k, frame) in recording.frames.iter().enumerate() {
        assert_eq!(frame.step, 2 * k as u64);
        assert_eq!(frame.bodies.len(), 1000);
    }
    let output = conatus(folder.path(), &["export", "a.mcap", "-o", "a.svg"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("a.mcap is incomplete"));
    // Running the scene that far again gives the same frames.
    let seconds = format!("{:?}", recording.frames[100].time);
    let arguments = [
        "run",
        "gas",
        "--seconds",
        &seconds,
        "--set",
        "time.steps_per_frame=2",
        "-o",
        "b.mcap",
    ];
    assert_eq!(conatus(folder.path(), &arguments).code, 0);
    let again = Recording::read(folder.path().join("b.mcap")).unwrap();
    assert_eq!(again.frames[..], recording.frames[..again.frames.len()]);
}

#[test]
fn ctrl_c_ends_a_run_cleanly_and_keeps_the_recording() {
    let folder = folder();
    let path = folder.path().join("a.mcap");
    let mut child = long_run(folder.path(), "a.mcap");
    wait_for_frames(&path);
    interrupt(&child);
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(3));
    let recording = Recording::read(&path).unwrap();
    assert!(recording.is_complete());
    assert_eq!(recording.report.unwrap()["interrupted"], true);
}

#[test]
fn json_scenes_and_meshes_beside_them_run() {
    let folder = folder();
    let scene = r#"{ "time": { "seconds": 0.1 }, "body": [
        { "name": "a", "density": 500, "shape": { "mesh": { "file": "m.obj", "scale": 2 } } } ] }"#;
    std::fs::write(folder.path().join("s.json"), scene).unwrap();
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    std::fs::write(folder.path().join("m.obj"), mesh).unwrap();
    let output = conatus(folder.path(), &["run", "s.json", "-o", "a.mcap"]);
    assert_eq!(output.code, 0, "{output:?}");
    let recording = Recording::read(folder.path().join("a.mcap")).unwrap();
    // A tetrahedron of edge 2 has a volume of 8/6.
    assert!((recording.header.bodies[0].mass - 500.0 * 8.0 / 6.0).abs() < 1e-9);
    // The recording carries the mesh, so it runs without the file.
    std::fs::remove_file(folder.path().join("m.obj")).unwrap();
    assert_eq!(conatus(folder.path(), &["run", "a.mcap"]).code, 0);
}
