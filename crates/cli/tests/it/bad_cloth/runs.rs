//! Runs whose cloth simulation stops, and unusual runs that succeed.

use crate::support::{ProgramOutput, assert_error_contains, conatus, folder};
use std::fs;

/// A sheet that is held at its corners above a floor.
fn hanging() -> String {
    let time = "[time]\nstep = 0.01\nseconds = 0.5\n";
    let floor = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    let sheet = "[[cloth.piece]]\nname = \"sheet\"\nshape.rectangle = { width = 1, height = 1 }\nposition = [0, 0, 1]\npin = [{ corners = true }]\n";
    format!("{time}[cloth]\nresolution = 9\n{sheet}{floor}")
}

fn run(text: &str, sets: &[&str]) -> (ProgramOutput, serde_json::Value) {
    let folder = folder();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let mut arguments = vec!["run", "s.toml", "--json", "-o", "out.mcap"];
    for set in sets {
        arguments.extend(["--set", set]);
    }
    let output = conatus(folder.path(), &arguments);
    let report = serde_json::from_str(&output.out).unwrap_or_default();
    // In any case the recording can be read and is finite.
    let recording = conatus_record::Recording::read(folder.path().join("out.mcap")).unwrap();
    for frame in &recording.frames {
        assert!(frame.cloth.iter().all(|v| v.is_finite()));
        assert!(frame.bodies.iter().all(|b| b.position.is_finite()));
    }
    assert!(!recording.frames.is_empty());
    (output, report)
}

/// A step too long for the integrator gave speeds of kilometres per second, and
/// the search for collisions never ended. The run must end with a message.
#[test]
fn cloth_whose_numbers_diverge_ends_the_run_with_code_3() {
    for set in [
        "cloth.integrator=symplectic-euler",
        "cloth.wind=[1e30, 0, 0]",
        "gravity=[0, 0, -1e12]",
        "cloth.piece.sheet.pin=[{ corners = true, keyframe = [{ time = 0, position = [0, 0, 0] }, { time = 0.001, position = [0, 0, 1e5] }] }]",
    ] {
        let (output, report) = run(&hanging(), &[set]);
        assert_eq!(output.code, 3, "{set}: {}", output.err);
        assert_error_contains(
            &output,
            &[
                "the cloth simulation stopped",
                "its numbers diverged",
                "`sheet`",
                "time.step",
            ],
        );
        let failure = report["cloth"]["failure"].as_str().unwrap();
        assert!(failure.contains("diverged"), "{failure}");
        assert_eq!(report["cloth"]["intersections"], 0, "{set}");
        assert!(report["cloth"]["max_stretch"].as_f64().unwrap() < 100.0);
    }
}

#[test]
fn steps_long_and_short_no_gravity_and_no_time_at_all_run() {
    for sets in [
        &["time.step=1", "time.seconds=10"][..],
        &["time.step=1e-7", "time.seconds=1e-6"],
        &["gravity=[0, 0, 0]"],
        &["time.seconds=0"],
        &[
            "cloth.integrator=symplectic-euler",
            "time.step=0.0005",
            "time.seconds=0.05",
        ],
    ] {
        let (output, report) = run(&hanging(), sets);
        assert_eq!(output.code, 0, "{sets:?}: {}", output.err);
        assert_eq!(report["cloth"]["intersections"], 0);
    }
}

#[test]
fn a_pinch_ends_the_run_with_code_3_and_names_the_vertices() {
    let jaw = |name: &str, from: f64, to: f64| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\nshape.box.half_extents = [0.3, 0.3, 0.1]\nkeyframe = [{{ time = 0, position = [0, 0, {from}] }}, {{ time = 0.2, position = [0, 0, {to}] }}]\n"
        )
    };
    let text = format!(
        "{}{}{}",
        hanging(),
        jaw("upper", 1.3, 0.9),
        jaw("lower", 0.7, 1.1)
    );
    let (output, report) = run(&text, &[]);
    assert_eq!(output.code, 3, "{}", output.err);
    assert_error_contains(
        &output,
        &[
            "the cloth simulation stopped: at 0.",
            "of `sheet`",
            "all files hold what was simulated",
        ],
    );
    assert!(report["cloth"]["failure"].is_string());
    // The last frame shows the last valid state.
    assert_eq!(report["cloth"]["intersections"], 0);
}
