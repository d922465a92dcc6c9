//! The commands as scripts use them: what goes to standard output, and which
//! exit code comes back.

use crate::support::{conatus, folder};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

#[test]
fn list_shows_every_scene_on_one_line() {
    let folder = folder();
    let said = conatus(folder.path(), &["list"]);
    assert_eq!(said.code, 0);
    let families: Vec<&str> = (said.out.lines())
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(families, ["cloth", "motion", "rigid"], "{}", said.out);
    let line = said.out.lines().find(|line| line.contains("cylon"));
    assert!(
        line.is_some_and(|line| line.contains("Four balls") && line.contains("Di Pierro")),
        "{}",
        said.out
    );
}

#[test]
fn list_as_json_can_be_read_by_programs() {
    let folder = folder();
    let said = conatus(folder.path(), &["list", "--json"]);
    let scenes: serde_json::Value = serde_json::from_str(&said.out).unwrap();
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
    let said = conatus(folder.path(), &["check", "cloth-sphere"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for line in [
        "cloth-sphere (cloth scene): valid",
        "  cloth      1 piece, 1681 vertices and 3200 triangles, 0.2 kg in all",
        "  obstacles  1: ball; ",
        "  planes     1",
    ] {
        assert!(said.out.contains(line), "no {line:?} in {}", said.out);
    }
    // Obstacles are not bodies.
    assert!(!said.out.contains("bodies"), "{}", said.out);
    let changed = ["check", "squares-incline", "--set", "cloth.wind=[1, 0, 0]"];
    let said = conatus(folder.path(), &changed);
    assert!(said.out.contains("61 pieces, 244 vertices"), "{}", said.out);
    assert!(said.out.contains("gravity, wind"), "{}", said.out);
}

#[test]
fn every_listed_scene_passes_check() {
    let folder = folder();
    let scenes = conatus(folder.path(), &["list", "--json"]).out;
    let scenes: serde_json::Value = serde_json::from_str(&scenes).unwrap();
    for scene in scenes.as_array().unwrap() {
        let name = scene["name"].as_str().unwrap();
        let said = conatus(folder.path(), &["check", name]);
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        let what = ["bodies", "cloth", "characters"]
            .iter()
            .any(|w| said.out.contains(w));
        assert!(what && said.out.contains("frames"), "{}", said.out);
    }
}

#[test]
fn a_new_scene_passes_check_and_is_never_overwritten() {
    let folder = folder();
    for family in ["rigid", "cloth", "motion"] {
        let name = format!("{family}.toml");
        let said = conatus(folder.path(), &["new", family, "-o", &name]);
        assert_eq!(said.code, 0, "{}", said.err);
        let text = std::fs::read_to_string(folder.path().join(&name)).unwrap();
        assert_eq!(conatus(folder.path(), &["new", family]).out, text);
        let said = conatus(folder.path(), &["check", &name]);
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(
            said.out.contains(&format!("({family} scene)")),
            "{}",
            said.out
        );
    }

    std::fs::write(folder.path().join("mine.toml"), "precious").unwrap();
    let said = conatus(folder.path(), &["new", "rigid", "-o", "mine.toml"]);
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("mine.toml exists already"),
        "{}",
        said.err
    );
    let text = std::fs::read_to_string(folder.path().join("mine.toml")).unwrap();
    assert_eq!(text, "precious");

    let said = conatus(folder.path(), &["new", "rigid", "-o", "no/mine.toml"]);
    assert_eq!(said.code, 1);
    assert!(said.err.contains("folder does not exist"), "{}", said.err);
}

#[test]
fn schema_prints_a_json_schema() {
    let folder = folder();
    let said = conatus(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(schema["properties"]["body"].is_object());
}

#[test]
fn every_shell_has_completions() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = conatus(folder.path(), &["completions", shell]);
        assert_eq!(said.code, 0);
        assert!(said.out.contains("conatus"), "{shell}");
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
        let said = conatus(folder.path(), arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        assert!(said.out.is_empty() && !said.err.is_empty(), "{said:?}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = folder();
    for arguments in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let said = conatus(folder.path(), arguments);
        assert_eq!(said.code, 0, "{arguments:?}");
        assert!(said.out.contains("conatus"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
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
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
