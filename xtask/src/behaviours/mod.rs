//! `cargo xtask behaviours`: docs/behaviours.md, a page on which every built-in scene
//! with characters shows what it found, with figures.

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

/// How many moments a picture shows.
const FRAMES: &str = "6";

/// The program's exit code for a run that came to its end with something to say, such
/// as a movement that misses a bar.
const CLUMSY: i32 = 3;

/// Runs the scenes that are named, or all, and writes their sections anew; sections
/// of others stay as they are.
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
    let mut clumsy = Vec::new();
    for (name, title) in &listed {
        if !names.is_empty() && !names.contains(&name.as_str()) {
            continue;
        }
        let scene = scene::read(name)?;
        let report = run(&program, name, &folder.join(format!("{name}.png")))?;
        if report["motion"]["good"] != true {
            clumsy.push(name.as_str());
        }
        println!("{name}: ran");
        page.put(name, page::section(name, title, &scene, &report));
        // What is done is kept, whatever becomes of the rest.
        let text = page.text(&listed, |name| scene::read(name).map(|s| s.group))?;
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    match clumsy.is_empty() {
        true => Ok("docs/behaviours.md was written".into()),
        false => Ok(format!(
            "docs/behaviours.md was written; these miss a bar, and say so: {}",
            clumsy.join(", ")
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
    let ended = output.status.success() || output.status.code() == Some(CLUMSY);
    let shrunk = match ended {
        true => picture::shrink(&large, picture),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    };
    let _ = fs::remove_file(&large);
    shrunk.map_err(|problem| format!("{name}: {problem}"))?;
    serde_json::from_slice(&output.stdout).map_err(|e| format!("the report of {name}: {e}"))
}
