//! The commands as scripts use them: standard output and exit codes.

use crate::support::{conatus, folder};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn list_shows_every_scene_on_one_line() {
    let folder = folder();
    let output = conatus(folder.path(), &["list"]);
    assert_eq!(output.code, 0);
    let families: Vec<&str> = (output.out.lines())
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(families, ["cloth", "motion", "rigid"], "{}", output.out);
    let line = output.out.lines().find(|line| line.contains("cylon"));
    assert!(
        line.is_some_and(|line| line.contains("Four balls") && line.contains("Di Pierro")),
        "{}",
        output.out
    );
}

#[test]
fn list_as_json_can_be_read_by_programs() {
    let folder = folder();
    let output = conatus(folder.path(), &["list", "--json"]);
    let scenes: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    let cylon = scenes
        .as_array()
        .unwrap()
        .iter()
        .find(|scene| scene["name"] == "cylon")
        .unwrap();
    assert_eq!(cylon["family"], "rigid");
    assert!(cylon["shows"].as_str().unwrap().contains("Di Pierro"));
    let family = |name: &str| {
        let mut scenes = scenes.as_array().unwrap().iter();
        scenes.find(|s| s["name"] == name).unwrap()["family"].clone()
    };
    assert_eq!(family("cloth-sphere"), "cloth");
    assert_eq!(family("squares-incline"), "cloth");
}

#[test]
fn check_describes_pieces_vertices_and_obstacles_of_cloth() {
    let folder = folder();
    let output = conatus(folder.path(), &["check", "cloth-sphere"]);
    assert_eq!(output.code, 0, "{}", output.err);
    for line in [
        "cloth-sphere (cloth scene): valid",
        "  cloth      1 piece, 1681 vertices and 3200 triangles, 0.2 kg in all",
        "  obstacles  1: ball; ",
        "  planes     1",
    ] {
        assert!(output.out.contains(line), "no {line:?} in {}", output.out);
    }
    // Obstacles are not bodies.
    assert!(!output.out.contains("bodies"), "{}", output.out);
    let changed = ["check", "squares-incline", "--set", "cloth.wind=[1, 0, 0]"];
    let output = conatus(folder.path(), &changed);
    assert!(
        output.out.contains("61 pieces, 244 vertices"),
        "{}",
        output.out
    );
    assert!(output.out.contains("gravity, wind"), "{}", output.out);
}

#[test]
fn every_listed_scene_passes_check() {
    let folder = folder();
    let scenes = conatus(folder.path(), &["list", "--json"]).out;
    let scenes: serde_json::Value = serde_json::from_str(&scenes).unwrap();
    for scene in scenes.as_array().unwrap() {
        let name = scene["name"].as_str().unwrap();
        let output = conatus(folder.path(), &["check", name]);
        assert_eq!(output.code, 0, "{name}: {}", output.err);
        let what = ["bodies", "cloth", "characters"]
            .iter()
            .any(|w| output.out.contains(w));
        assert!(what && output.out.contains("frames"), "{}", output.out);
    }
}

#[test]
fn a_new_scene_passes_check_and_is_never_overwritten() {
    let folder = folder();
    for family in ["rigid", "cloth", "motion"] {
        let name = format!("{family}.toml");
        let output = conatus(folder.path(), &["new", family, "-o", &name]);
        assert_eq!(output.code, 0, "{}", output.err);
        let text = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        assert_eq!(conatus(folder.path(), &["new", family]).out, text);
        let output = conatus(folder.path(), &["check", &name]);
        assert_eq!(output.code, 0, "{}", output.err);
        assert!(
            output.out.contains(&format!("({family} scene)")),
            "{}",
            output.out
        );
    }

    std::fs::write(folder.path().join("mine.toml"), "precious").unwrap();
    let output = conatus(folder.path(), &["new", "rigid", "-o", "mine.toml"]);
    assert_eq!(output.code, 1);
    assert!(
        output.err.contains("mine.toml exists already"),
        "{}",
        output.err
    );
    let text = std::fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    assert_eq!(text, "precious");

    let output = conatus(folder.path(), &["new", "rigid", "-o", "no/mine.toml"]);
    assert_eq!(output.code, 1);
    assert!(
        output.err.contains("folder does not exist"),
        "{}",
        output.err
    );
}

#[test]
fn schema_prints_a_json_schema() {
    let folder = folder();
    let output = conatus(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert!(schema["properties"]["body"].is_object());
}

#[test]
fn every_shell_has_completions() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = conatus(folder.path(), &["completions", shell]);
        assert_eq!(output.code, 0);
        assert!(output.out.contains("conatus"), "{shell}");
    }
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = folder();
    for arguments in [
        &[][..],
        &["fly"],
        &["run"],
        &["run", "cylon", "--threads", "0"],
        &["run", "cylon", "--frames", "0", "-o", "a.png"],
        &["run", "cylon", "--frames", "101", "-o", "a.png"],
        &["export", "a.mcap", "--frames", "0", "-o", "a.png"],
        &["run", "cylon", "--seconds", "long"],
        &["run", "cylon", "--set", "mass"],
        &["run", "cylon", "--set", "=3"],
        &["run", "cylon", "-o", "x.xyz"],
        &["run", "cylon", "-o", "noending"],
        &["run", "cylon", "-o", "a.glb", "-o", "./a.glb"],
        &["export", "a.mcap"],
        &["new", "fluid"],
        &["completions", "dos"],
    ] {
        let output = conatus(folder.path(), arguments);
        assert_eq!(output.code, 2, "{arguments:?}: {}", output.err);
        assert!(
            output.out.is_empty() && !output.err.is_empty(),
            "{output:?}"
        );
    }
}

#[test]
fn help_and_version_exit_with_0() {
    let folder = folder();
    for arguments in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let output = conatus(folder.path(), arguments);
        assert_eq!(output.code, 0, "{arguments:?}");
        assert!(output.out.contains("conatus"));
    }
}

#[test]
fn a_closed_output_is_not_an_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_conatus"))
        .arg("schema")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::with_capacity(16, child.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    drop(out);
    let finished = child.wait_with_output().unwrap();
    assert_eq!(finished.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&finished.stderr), "");
}
