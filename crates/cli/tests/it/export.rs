//! `conatus export` on a small synthetic recording.

use crate::support::{conatus, folder};
use conatus_record::{ClothInfo, FORMAT, Frame, Header, Recording, Source, Up};
use std::fs;

fn recording(complete: bool) -> Recording {
    let frame = |step: u64| Frame {
        time: step as f64 * 0.5,
        step,
        ..Frame::default()
    };
    Recording {
        header: Header {
            format: FORMAT.into(),
            program: "test".into(),
            scene: "nothing".into(),
            seed: 0,
            up: Up::Z,
            gravity: Default::default(),
            step_seconds: 0.5,
            steps_per_frame: 1,
            meshes: Vec::new(),
            bodies: Vec::new(),
            planes: Vec::new(),
            springs: Vec::new(),
            waters: Vec::new(),
            cloths: Vec::new(),
            physics: Default::default(),
        },
        clip: None,
        sources: vec![Source {
            name: "scene.toml".into(),
            text: "time = { step = 0.5, seconds = 1, steps_per_frame = 1 }".into(),
        }],
        overrides: vec!["time.secondss=1".into()],
        frames: (0..3).map(frame).collect(),
        events: Vec::new(),
        report: complete.then(|| serde_json::json!({})),
    }
}

#[test]
fn a_recording_is_written_in_every_requested_format() {
    let folder = folder();
    let here = folder.path();
    recording(true).write(here.join("a.mcap")).unwrap();
    let output = conatus(here, &["export", "a.mcap", "-o", "b.csv", "c.mcap"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    for part in ["nothing: 3 frames", "wrote b.csv (", "wrote c.mcap ("] {
        assert!(output.out.contains(part), "{}", output.out);
    }
    assert!(here.join("b.csv").exists());
    assert_eq!(
        Recording::read(here.join("c.mcap")).unwrap().frames,
        recording(true).frames
    );
    let output = conatus(here, &["export", "a.mcap", "-q", "-o", "b.csv"]);
    assert_eq!((output.code, output.out.as_str()), (0, ""));
}

/// A square of cloth that falls for some frames.
fn falling_square(frames: usize) -> Recording {
    let mut falling = recording(true);
    falling.header.cloths = vec![ClothInfo {
        name: "square".into(),
        color: [0.8, 0.2, 0.2],
        thickness: 0.001,
        vertices: 4,
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }];
    let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let frame = |n: usize| Frame {
        time: n as f64 * 0.5,
        step: n as u64,
        cloth: corners
            .map(|[x, y]| [x, y, 1.0 / (n + 1) as f64].into())
            .to_vec(),
        ..Frame::default()
    };
    falling.frames = (0..frames).map(frame).collect();
    falling
}

#[test]
fn cloth_is_written_for_other_programs() {
    let folder = folder();
    let here = folder.path();
    falling_square(3).write(here.join("a.mcap")).unwrap();
    let output = conatus(
        here,
        &["export", "a.mcap", "-o", "b.usda", "b.obj", "b.glb"],
    );
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    for part in [
        "nothing: 3 frames of 1 piece of cloth\n",
        "wrote b.usda (",
        "wrote b.obj (",
    ] {
        assert!(output.out.contains(part), "{}", output.out);
    }
    assert!(!output.out.contains("b.obj (0 B)"), "{}", output.out);
    let frame = fs::read_to_string(here.join("b.obj/frame-0002.obj")).unwrap();
    assert!(frame.contains("v 1.0 1.0 0.3333333333333333\n"), "{frame}");
    assert_eq!(fs::read_dir(here.join("b.obj")).unwrap().count(), 3);
    // Fewer frames replace the old ones.
    let output = conatus(here, &["export", "a.mcap", "-o", "b.obj", "--frames", "2"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_eq!(fs::read_dir(here.join("b.obj")).unwrap().count(), 2);
}

#[test]
fn a_folder_with_other_files_is_refused_before_anything_runs() {
    let folder = folder();
    let here = folder.path();
    fs::create_dir(here.join("mine.obj")).unwrap();
    fs::write(here.join("mine.obj/ship.obj"), "v 0 0 0").unwrap();
    let output = conatus(here, &["run", "cylon", "-o", "mine.obj"]);
    assert_eq!((output.code, output.out.as_str()), (1, ""));
    assert!(output.err.contains("ship.obj"), "{}", output.err);
    assert!(here.join("mine.obj/ship.obj").exists());
}

#[test]
fn content_that_a_format_cannot_hold_is_noted_unless_quiet() {
    let folder = folder();
    let here = folder.path();
    falling_square(300).write(here.join("a.mcap")).unwrap();
    let output = conatus(here, &["export", "a.mcap", "-o", "b.glb"]);
    assert_eq!(output.code, 0);
    assert!(
        output
            .err
            .contains("note: b.glb: it contains cloth at 256 of 300 frames"),
        "{}",
        output.err
    );
    let output = conatus(here, &["export", "a.mcap", "-q", "-o", "b.glb"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
}

#[test]
fn an_incomplete_recording_is_exported_with_a_note() {
    let folder = folder();
    let here = folder.path();
    recording(false).write(here.join("a.mcap")).unwrap();
    let output = conatus(here, &["export", "a.mcap", "-o", "b.csv"]);
    assert_eq!(output.code, 0);
    assert!(
        output
            .err
            .contains("a.mcap is incomplete; it holds 3 frames"),
        "{}",
        output.err
    );
}

#[test]
fn errors_in_the_scene_of_a_recording_are_shown() {
    let folder = folder();
    let here = folder.path();
    recording(true).write(here.join("a.mcap")).unwrap();
    let bytes = fs::read(here.join("a.mcap")).unwrap();
    let output = conatus(here, &["run", "a.mcap"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(
        output.err.contains("unknown key `secondss`"),
        "{}",
        output.err
    );
    let output = conatus(here, &["check", "a.mcap"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("recording"), "{}", output.err);
    assert_eq!(fs::read(here.join("a.mcap")).unwrap(), bytes);
}

/// Whether there is a page depends on Node.js at build time.
#[test]
fn a_page_is_written_or_refused_before_anything_runs() {
    let folder = folder();
    let here = folder.path();
    let output = conatus(here, &["run", "cylon", "--seconds", "0.1", "-o", "a.html"]);
    if output.code == 0 {
        let text = fs::read_to_string(here.join("a.html")).unwrap();
        assert!(text.contains("id=\"recording\""));
        assert!(output.out.contains("wrote a.html ("), "{}", output.out);
    } else {
        assert_eq!((output.code, output.out.as_str()), (1, ""));
        assert!(output.err.contains("install Node.js"), "{}", output.err);
        assert!(!here.join("a.html").exists());
    }
}
