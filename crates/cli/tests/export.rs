//! `conatus export` on a small recording made by hand.

mod support;

use conatus_record::{FORMAT, Frame, Header, Recording, Source, Up};
use std::fs;
use support::{conatus, folder};

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
        },
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
fn a_recording_is_written_in_every_format_asked_for() {
    let folder = folder();
    let here = folder.path();
    recording(true).write(here.join("a.mcap")).unwrap();
    let said = conatus(here, &["export", "a.mcap", "-o", "b.csv", "c.mcap"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for part in ["nothing: 3 frames", "wrote b.csv (", "wrote c.mcap ("] {
        assert!(said.out.contains(part), "{}", said.out);
    }
    assert!(here.join("b.csv").exists());
    assert_eq!(
        Recording::read(here.join("c.mcap")).unwrap().frames,
        recording(true).frames
    );
    let said = conatus(here, &["export", "a.mcap", "-q", "-o", "b.csv"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
}

#[test]
fn a_recording_that_was_cut_off_is_exported_with_a_note() {
    let folder = folder();
    let here = folder.path();
    recording(false).write(here.join("a.mcap")).unwrap();
    let said = conatus(here, &["export", "a.mcap", "-o", "b.csv"]);
    assert_eq!(said.code, 0);
    assert!(said.err.contains("cut off"), "{}", said.err);
}

#[test]
fn what_is_wrong_with_the_scene_in_a_recording_is_shown_too() {
    let folder = folder();
    let here = folder.path();
    recording(true).write(here.join("a.mcap")).unwrap();
    let bytes = fs::read(here.join("a.mcap")).unwrap();
    let said = conatus(here, &["run", "a.mcap"]);
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("unknown key `secondss`"), "{}", said.err);
    let said = conatus(here, &["check", "a.mcap"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("recording"), "{}", said.err);
    assert_eq!(fs::read(here.join("a.mcap")).unwrap(), bytes);
}

/// Which of the two it is depends on Node.js at build time.
#[test]
fn a_page_is_written_or_refused_before_anything_runs() {
    let folder = folder();
    let here = folder.path();
    let said = conatus(here, &["run", "cylon", "--seconds", "0.1", "-o", "a.html"]);
    if said.code == 0 {
        let text = fs::read_to_string(here.join("a.html")).unwrap();
        assert!(text.contains("id=\"recording\""));
        assert!(said.out.contains("wrote a.html ("), "{}", said.out);
    } else {
        assert_eq!((said.code, said.out.as_str()), (1, ""));
        assert!(said.err.contains("install Node.js"), "{}", said.err);
        assert!(!here.join("a.html").exists());
    }
}
