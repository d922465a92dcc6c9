//! `cargo xtask behaviours`: writes docs/behaviours.md, a page with the movement of every
//! built-in scene with characters, and its figures.

mod page;
mod picture;
mod scene;

use crate::artifacts;
use crate::process::{Outcome, captured, root};
use page::Page;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::{env, fs, process};

/// The number of frames in a picture.
const FRAMES: &str = "6";

/// The program's exit code for a complete run with a warning, such as a movement that
/// misses a threshold.
const WARNING_EXIT_CODE: i32 = 3;

/// Runs the named scenes, or all, and rewrites their sections; other sections stay as
/// they are.
pub fn all(names: &[&str]) -> Outcome {
    let program = artifacts::program()?;
    let listed = listed(&program)?;
    if let Some(unknown) = names.iter().find(|n| listed.iter().all(|s| s.0 != **n)) {
        return Err(format!("there is no scene `{unknown}` with characters"));
    }
    let folder = root().join("docs/pictures/behaviours");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = root().join("docs/behaviours.md");
    let mut page = Page::read(&fs::read_to_string(&path).unwrap_or_default());
    let mut failed = Vec::new();
    for (name, title) in &listed {
        if !names.is_empty() && !names.contains(&name.as_str()) {
            continue;
        }
        let scene = scene::read(name)?;
        let report = run(&program, name, &folder.join(format!("{name}.png")))?;
        if report["motion"]["good"] != true {
            failed.push(name.as_str());
        }
        println!("{name}: ran");
        page.put(name, page::section(name, title, &scene, &report));
        // Written after each scene, so that a later failure loses nothing.
        let text = page.text(&listed, |name| scene::read(name).map(|s| s.group))?;
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    match failed.is_empty() {
        true => Ok("docs/behaviours.md was written".into()),
        false => Ok(format!(
            "docs/behaviours.md was written; these movements miss a threshold: {}",
            failed.join(", ")
        )),
    }
}

/// The built-in scenes with characters: name and title.
fn listed(program: &Path) -> Result<Vec<(String, String)>, String> {
    let mut list = Command::new(program);
    list.args(["list", "--json"]);
    let all: Value = serde_json::from_str(&captured(list)?).map_err(|e| e.to_string())?;
    let word = |scene: &Value, key: &str| scene[key].as_str().unwrap_or_default().to_owned();
    let scenes = all.as_array().into_iter().flatten();
    let found: Vec<_> = scenes
        .filter(|scene| scene["family"] == "motion")
        .map(|scene| (word(scene, "name"), word(scene, "title")))
        .collect();
    match found.is_empty() {
        true => Err("the program lists no scenes with characters".into()),
        false => Ok(found),
    }
}

/// Runs a scene, leaves a small picture of it, and returns its report.
fn run(program: &Path, name: &str, picture: &Path) -> Result<Value, String> {
    let large = env::temp_dir().join(format!("conatus-behaviours-{}-{name}.png", process::id()));
    let mut run = Command::new(program);
    run.args(["run", name, "--json", "--frames", FRAMES, "--output"]);
    let output = run.arg(&large).output();
    let output = output.map_err(|e| format!("cannot start {}: {e}", program.display()))?;
    let ended = output.status.success() || output.status.code() == Some(WARNING_EXIT_CODE);
    let shrunk = match ended {
        true => picture::shrink(&large, picture),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    };
    let _ = fs::remove_file(&large);
    shrunk.map_err(|problem| format!("{name}: {problem}"))?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("the report of {name}: {e}"))
}
