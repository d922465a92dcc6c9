//! Has others judge the 3D files: the Khronos validator every `.glb`, Pixar's
//! USD library every `.usda`.

use crate::run::{Outcome, cargo, quiet, root, target};
use crate::{python, tools};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs};

/// Made-up runs with everything that a recording can hold, cloth included.
pub fn made_up() -> Outcome {
    let folder = env::temp_dir().join(format!("conatus-xtask-made-up-{}", process::id()));
    let outcome = export(&folder).and_then(|()| all_in(&folder));
    let _ = fs::remove_dir_all(&folder);
    outcome
}

fn export(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut example = cargo(&[
        "run",
        "--quiet",
        "--package",
        "conatus-record",
        "--example",
        "sheet",
        "--",
    ]);
    example.arg(folder);
    quiet(example).map(drop)
}

/// Every `.glb` and every `.usda` in a folder; there must be some of each.
pub fn all_in(folder: &Path) -> Outcome {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let of = |ending: &str| -> Vec<PathBuf> {
        let ends = |path: &&PathBuf| path.extension().and_then(OsStr::to_str) == Some(ending);
        files.iter().filter(ends).cloned().collect()
    };
    let (glb, usda) = (of("glb"), of("usda"));
    let clean = [
        judged(&glb, "glb", khronos(&glb)?)?,
        judged(&usda, "usda", pixar(&usda)?)?,
    ];
    Ok(format!("{} .glb, {} .usda", clean[0], clean[1]))
}

/// How many files there are, if none of them has a fault.
fn judged(files: &[PathBuf], ending: &str, said: String) -> Result<usize, String> {
    print!("{said}");
    let clean = said
        .lines()
        .filter(|line| line.contains(": 0 errors, 0 warnings"))
        .count();
    match (files.len(), files.len() - clean.min(files.len())) {
        (0, _) => Err(format!("there is no .{ending} file to validate")),
        (all, 0) => Ok(all),
        (all, faulty) => Err(format!("{faulty} of {all} .{ending} files are not clean")),
    }
}

/// The Khronos validator: a copy of xtask/gltf-validator under the target
/// folder, installed by its lockfile; nothing is written into the project.
fn khronos(files: &[PathBuf]) -> Result<String, String> {
    let folder = target()?.join("xtask").join("gltf-validator");
    tools::install(&root().join("xtask/gltf-validator"), &folder)?;
    let mut node = Command::new("node");
    node.arg(folder.join("validate.mjs")).args(files);
    answer(node)
}

/// Pixar's library and the validators that come with it.
fn pixar(files: &[PathBuf]) -> Result<String, String> {
    let from = root().join("xtask/usd-validator");
    let folder = target()?.join("xtask").join("usd-validator");
    let mut python = python::with_packages(&from.join("requirements.txt"), &folder)?;
    python.arg(from.join("validate.py")).args(files);
    answer(python)
}

/// What a validator says. One that finds errors fails, after saying which;
/// one that has nothing to look at need not run.
fn answer(mut command: Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("cannot start `{name}`: {error}"))?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        said += &String::from_utf8_lossy(&output.stderr);
    }
    Ok(said)
}
