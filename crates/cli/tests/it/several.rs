//! Several movements to choose from: their files, their page, the report, and the
//! messages if there are not enough.

use crate::support::{assert_error_contains, assert_unchanged, conatus, folder};
use conatus_record::Recording;
use serde_json::Value;
use std::fs;

/// A short search, with thresholds that every movement keeps.
const STEPS: &str = include_str!("../../../world/tests/support/steps.toml");

/// The start is the goal already, so all attempts are alike.
const STILL: &str = r#"
[motion]
phases = 2
phase_seconds = 0.3
iterations = [30, 60, 60]
polish = 6
attempts = 2
keep = 2
thresholds = { residual_max = 10, residual_mean = 10, drift = 1, limb = 1, penetration = 1, task = 1 }

[[character]]

[[goal]]
kind = "stand"
"#;

fn scene(text: &str) -> tempfile::TempDir {
    let folder = folder();
    fs::write(folder.path().join("steps.toml"), text).unwrap();
    folder
}

#[test]
fn every_movement_has_its_files_and_one_page_holds_all() {
    let folder = scene(&STEPS.replace("keep = 2", "keep = 3"));
    let mut arguments = vec!["run", "steps.toml", "--json"];
    for file in ["walk.mcap", "walk.bvh", "walk.clip.json", "walk.html"] {
        arguments.extend(["-o", file]);
    }
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    let report: Value = serde_json::from_str(&output.out).unwrap();
    let motion = &report["motion"];
    let kept = motion["kept"].as_array().unwrap();
    assert_eq!((&motion["keep"], kept.len()), (&3.into(), 3), "{motion:#}");
    assert_eq!(motion["attempts"].as_array().unwrap().len(), 6);
    assert_eq!(motion["best"], kept[0]["attempt"]);
    let costs: Vec<f64> = kept.iter().map(|k| k["cost"].as_f64().unwrap()).collect();
    assert!(costs.is_sorted(), "the cheapest comes first: {costs:?}");
    for kept in kept {
        assert!(kept["nearest"].as_f64().unwrap() > 0.1, "{kept}");
        let attempt = kept["attempt"].as_u64().unwrap() as usize;
        assert_eq!(
            kept["task_error"],
            motion["attempts"][attempt]["task_error"]
        );
        assert_eq!(motion["attempts"][attempt]["good"], true);
    }

    let files = ["bvh", "clip.json", "mcap"]
        .map(|ending| ["", ".2", ".3"].map(|number| format!("walk{number}.{ending}")));
    let mut names: Vec<String> = files.into_iter().flatten().collect();
    names.extend(["walk.html".to_owned(), "steps.toml".to_owned()]);
    names.sort();
    let listed = fs::read_dir(folder.path()).unwrap();
    let mut found: Vec<String> = listed
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);

    let recordings = ["walk.mcap", "walk.2.mcap", "walk.3.mcap"]
        .map(|name| Recording::read(folder.path().join(name)).unwrap());
    for (index, recording) in recordings.iter().enumerate() {
        let motion = &recording.report.as_ref().unwrap()["motion"];
        assert_eq!(motion["best"], kept[index]["attempt"]);
    }
    assert!(recordings[0].clip != recordings[1].clip && recordings[1].clip != recordings[2].clip);

    let page = fs::read_to_string(folder.path().join("walk.html")).unwrap();
    for (id, number) in [("recording", 1), ("recording-2", 2), ("recording-3", 3)] {
        let element = format!("id=\"{id}\" data-label=\"movement {number} of 3, cost ");
        assert_eq!(page.matches(&element).count(), 1, "{element}");
    }

    // A recording of the second movement is compared with that movement.
    let again = conatus(folder.path(), &["run", "walk.2.mcap", "-o", "one.html"]);
    assert_eq!(again.code, 0, "{again:?}");
    assert!(again.out.contains("bit for bit"), "{again:?}");
    let page = fs::read_to_string(folder.path().join("one.html")).unwrap();
    assert!(page.contains("id=\"recording\">") && !page.contains("recording-2\""));
}

#[test]
fn movements_that_are_alike_are_kept_once() {
    let folder = scene(STILL);
    let arguments = ["run", "steps.toml", "-o", "stand.bvh", "-o", "stand.html"];
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(
        output
            .out
            .contains("  1 of 2 movements that are good and different; costs "),
        "{output:?}"
    );
    assert!(!folder.path().join("stand.2.bvh").exists());
    let page = fs::read_to_string(folder.path().join("stand.html")).unwrap();
    assert!(
        page.contains("id=\"recording\">"),
        "the page has one recording only"
    );
    let output = conatus(folder.path(), &["run", "steps.toml", "--json"]);
    let report: Value = serde_json::from_str(&output.out).unwrap();
    let kept = &report["motion"]["kept"];
    assert_eq!(kept.as_array().unwrap().len(), 1);
    assert_eq!(kept[0]["nearest"], Value::Null);
}

#[test]
fn movements_beyond_the_thresholds_are_not_kept() {
    let folder = scene(&STILL.replace("residual_mean = 10,", "residual_mean = 1e-30,"));
    let output = conatus(folder.path(), &["run", "steps.toml", "-o", "stand.bvh"]);
    assert_eq!(output.code, 3, "{output:?}");
    assert!(
        output
            .out
            .contains("  0 of 2 movements that are good and different; this is the best attempt"),
        "{output:?}"
    );
    assert!(folder.path().join("stand.bvh").exists());
    assert!(!folder.path().join("stand.2.bvh").exists());
}

#[test]
fn a_numbered_name_that_is_requested_twice_is_refused_before_the_search() {
    let folder = scene(&STEPS.replace("keep = 2", "keep = 3"));
    fs::write(folder.path().join("walk.2.bvh"), "precious").unwrap();
    let arguments = ["run", "steps.toml", "-o", "walk.bvh", "-o", "walk.2.bvh"];
    let output = conatus(folder.path(), &arguments);
    assert_eq!(output.code, 2, "{output:?}");
    assert_error_contains(&output, &["walk.2.bvh is requested twice"]);
    assert_unchanged(&folder.path().join("walk.2.bvh"));
}

#[test]
fn check_prints_how_many_movements_are_kept() {
    let folder = scene(&STEPS.replace("keep = 2", "keep = 3"));
    let output = conatus(folder.path(), &["check", "steps.toml"]);
    assert!(
        output.out.contains("3 of 6 attempts are kept"),
        "{output:?}"
    );
    let more = ["check", "steps.toml", "--set", "motion.keep=5"];
    let output = conatus(folder.path(), &more);
    assert!(
        output.out.contains("5 of 10 attempts are kept"),
        "{output:?}"
    );
}
