//! The parts of `cargo xtask test`, in the order in which they run.

use crate::run::{self, Outcome, Part, cargo, done, program, quiet, root, shown};
use crate::{page, tools, validate};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

/// All of them; the tests in a browser only if `browser`.
pub fn all(browser: bool) -> Vec<Part> {
    let part = |name, run| Part {
        name,
        run,
        left_out: None,
    };
    let in_browser = Part {
        left_out: (!browser).then_some("--without-browser"),
        ..part("the page in a browser", page::in_browser)
    };
    vec![
        part("tools", tools::check),
        part("tests of all crates", tests),
        part("golden hashes, optimised", golden),
        part("release build", release),
        part("built-in scenes", scenes),
        part("scenes as .glb, .usda and .obj, validated", validate),
        part("made-up runs, validated", validate::made_up),
        part("cloth in every frame, validated", validate::cloth),
        part("motions, scored from outside", validate::motions),
        part("the page: types and unit tests", page::alone),
        in_browser,
        part("benchmark compiles", bench),
    ]
}

/// Unit, integration and documentation tests. The benchmark has none, and
/// would take its yardstick along; the browser has a part of its own.
fn tests() -> Outcome {
    done(shown(cargo(&[
        "test",
        "--workspace",
        "--exclude",
        "conatus-bench",
        "--exclude",
        "conatus-browser-tests",
        "--quiet",
        "--no-fail-fast",
    ])))
}

/// The same bits in an optimised build: what users run.
fn golden() -> Outcome {
    done(shown(cargo(&[
        "test",
        "--release",
        "--quiet",
        "--package",
        "conatus-world",
        "--test",
        "golden",
    ])))
}

fn release() -> Outcome {
    done(run::release())
}

fn bench() -> Outcome {
    done(shown(cargo(&["check", "--package", "conatus-bench"])))
}

/// Where the files of this run go.
fn folder() -> PathBuf {
    env::temp_dir().join(format!("conatus-xtask-{}", process::id()))
}

/// Every built-in scene for a short while, into every format.
fn scenes() -> Outcome {
    let program = program()?;
    let folder = folder();
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = built_in()?;
    let mut failed = Vec::new();
    for name in &names {
        let mut run = Command::new(&program);
        run.args(["run", name, "--seconds", "0.5", "--frames", "2"]);
        for ending in ["mcap", "glb", "usda", "obj", "csv", "svg", "html", "png"] {
            run.arg("-o").arg(folder.join(format!("{name}.{ending}")));
        }
        match quiet(run) {
            Ok(_) => println!("{name}: ran"),
            Err(problem) => failed.push(problem),
        }
    }
    match failed.as_slice() {
        [] => Ok(format!("{} scenes", names.len())),
        _ => Err(failed.join("; ")),
    }
}

/// The names of the scenes in scenes/.
fn built_in() -> Result<Vec<String>, String> {
    let folder = root().join("scenes");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    match names.is_empty() {
        true => Err(format!("no scenes in {}", folder.display())),
        false => Ok(names),
    }
}

/// What the scenes gave as 3D files, one of each kind for each scene; of cloth
/// the first and the last frame.
fn validate() -> Outcome {
    let folder = folder();
    let outcome = validate_in(&folder);
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn validate_in(folder: &Path) -> Outcome {
    for name in built_in()? {
        for ending in ["glb", "usda", "obj"] {
            let file = folder.join(format!("{name}.{ending}"));
            if !file.exists() {
                return Err(format!("{} was not written", file.display()));
            }
        }
    }
    validate::all_in(folder)
}
