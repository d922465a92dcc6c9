//! Checks exported files with programs that share no code with this project:
//! the Khronos glTF validator, Pixar's USD library, libigl for intersections of
//! cloth in `.obj` frames, and a scorer of the physics of `.clip.json` files. Scene files
//! are checked against the schema with Python's parser and validator.

use crate::process::{Outcome, captured, root, work_folder};
use crate::{artifacts, pool, python, runs, tools};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kind of export and the program that checks it.
struct Validator {
    name: &'static str,
    extension: &'static str,
    /// A call of the program, without the files to check.
    command: fn() -> Result<Command, String>,
    /// What the line about a file contains if it has no fault.
    clean: &'static str,
    /// How many files one process checks.
    files_per_process: usize,
}

const GLTF: Validator = Validator {
    name: "glTF validator",
    extension: "glb",
    command: gltf_validator,
    clean: ": 0 errors, 0 warnings",
    files_per_process: 20,
};
const USD: Validator = Validator {
    name: "USD validator",
    extension: "usda",
    command: usd_validator,
    clean: ": 0 errors, 0 warnings",
    files_per_process: 10,
};
/// Folders, with a file for every frame.
const OBJ: Validator = Validator {
    name: "mesh checker",
    extension: "obj",
    command: mesh_checker,
    clean: ": 0 intersections, 0 errors",
    files_per_process: 10,
};
const CLIP: Validator = Validator {
    name: "clip checker",
    extension: "clip.json",
    command: clip_checker,
    clean: ": 0 thresholds missed, 0 errors",
    files_per_process: 6,
};

/// Installs the packages of all validators.
pub fn install() -> Outcome {
    gltf_validator()?;
    python()?;
    Ok(String::new())
}

/// Shows that the scorer of clips passes valid motions of known physics and
/// detects each fault in faulty ones.
pub fn self_test() -> Outcome {
    let mut checker = clip_checker()?;
    checker.arg("--self-test");
    Ok(captured(checker)?.trim().to_owned())
}

/// Checks that the built-in scenes and templates fit the printed schema, and that
/// misspelt keys and wrong values do not.
pub fn schema() -> Outcome {
    let schema = work_folder()?.join("schema.json");
    let mut print = Command::new(artifacts::program()?);
    print.arg("schema");
    fs::write(&schema, captured(print)?)
        .map_err(|error| format!("{}: {error}", schema.display()))?;
    let mut checker = python()?;
    checker.arg(root().join("xtask/schema-checker/check.py"));
    checker.arg(&schema);
    for folder in ["crates/world/scenes", "crates/world/src/scene/templates"] {
        let folder = root().join(folder);
        let entries =
            fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut scenes: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| path.extension() == Some(OsStr::new("toml")))
            .collect();
        scenes.sort();
        checker.args(scenes);
    }
    Ok(captured(checker)?.trim().to_owned())
}

/// Checks the files of the runs of the built-in scenes, every frame of shortened
/// runs with cloth, and exports of synthetic recordings.
pub fn all() -> Outcome {
    let mut jobs = jobs(&runs::folder()?, &[GLTF, USD, OBJ, CLIP])?;
    jobs.extend(self::jobs(&runs::cloth_folder()?, &[OBJ])?);
    jobs.extend(self::jobs(&runs::synthetic_folder()?, &[GLTF, USD])?);
    check(jobs)
}

/// Checks all files in a folder that one of the validators supports.
pub fn all_in(folder: &Path) -> Outcome {
    let mut found = Vec::new();
    for validator in [GLTF, USD, OBJ, CLIP] {
        if !exports(folder, &validator)?.is_empty() {
            found.push(validator);
        }
    }
    match found.is_empty() {
        true => Err(format!(
            "nothing to validate in {}: no .glb, no .usda, no folder of .obj frames, no .clip.json",
            folder.display()
        )),
        false => check(jobs(folder, &found)?),
    }
}

/// Scores the clips in a folder.
pub fn clips_in(folder: &Path) -> Outcome {
    check(jobs(folder, &[CLIP])?)
}

/// Looks for intersections in the folders of `.obj` frames in a folder.
pub fn frames_in(folder: &Path) -> Outcome {
    check(jobs(folder, &[OBJ])?)
}

/// Files for one process of a validator.
struct Job {
    validator: Validator,
    files: Vec<PathBuf>,
}

/// The jobs of validators in a folder; each finds some files there, or it is an error.
fn jobs(folder: &Path, validators: &[Validator]) -> Result<Vec<Job>, String> {
    let mut jobs = Vec::new();
    for validator in validators {
        let files = exports(folder, validator)?;
        if files.is_empty() {
            let extension = validator.extension;
            return Err(format!("no .{extension} in {}", folder.display()));
        }
        jobs.extend(files.chunks(validator.files_per_process).map(|files| Job {
            validator: Validator { ..*validator },
            files: files.to_vec(),
        }));
    }
    Ok(jobs)
}

/// The files in a folder that a validator can check.
fn exports(folder: &Path, validator: &Validator) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let suffix = format!(".{}", validator.extension);
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str);
            name.is_some_and(|name| name.ends_with(&suffix))
        })
        .filter(|path| path.is_dir() == (validator.extension == OBJ.extension))
        .collect();
    found.sort();
    Ok(found)
}

/// How many files there are of each kind, if none has a fault.
fn check(mut jobs: Vec<Job>) -> Outcome {
    // Frames of cloth take longest.
    jobs.sort_by_key(|job| job.validator.extension != OBJ.extension);
    let outcomes = pool::run(&jobs, check_files);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    let mut failed = Vec::new();
    for (job, outcome) in jobs.iter().zip(outcomes) {
        if let Err(problem) = outcome {
            failed.push(problem);
        }
        let extension = job.validator.extension;
        match counts.iter_mut().find(|(known, _)| *known == extension) {
            Some((_, count)) => *count += job.files.len(),
            None => counts.push((extension, job.files.len())),
        }
    }
    if !failed.is_empty() {
        return Err(failed.join("; "));
    }
    counts.sort_unstable();
    let counts: Vec<String> = counts
        .iter()
        .map(|(extension, count)| format!("{count} .{extension}"))
        .collect();
    Ok(format!("{}: no faults", counts.join(", ")))
}

/// One process of a validator. It prints a line about each file; details are
/// shown where a file is not clean.
fn check_files(job: &Job) -> Result<(), String> {
    let validator = &job.validator;
    let mut command = (validator.command)()?;
    command.args(&job.files);
    let output = command
        .output()
        .map_err(|error| format!("cannot start the {}: {error}", validator.name))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let clean = text.lines().filter(|line| line.contains(validator.clean));
    let faulty = job.files.len().saturating_sub(clean.count());
    if faulty == 0 && output.status.success() {
        let headings = text.lines().filter(|line| line.contains(validator.clean));
        headings.for_each(|line| println!("{line}"));
        return Ok(());
    }
    println!("{text}{}", String::from_utf8_lossy(&output.stderr));
    Err(format!(
        "{}: {faulty} of {} .{} are not clean ({})",
        validator.name,
        job.files.len(),
        validator.extension,
        output.status
    ))
}

/// The Khronos validator, in a copy of xtask/gltf-validator below the target
/// folder, installed from its lockfile.
fn gltf_validator() -> Result<Command, String> {
    let folder = work_folder()?.join("gltf-validator");
    tools::install_once(&root().join("xtask/gltf-validator"), &folder)?;
    let mut node = Command::new("node");
    node.arg(folder.join("validate.mjs"));
    Ok(node)
}

/// Pixar's library and the validators that come with it.
fn usd_validator() -> Result<Command, String> {
    let mut python = python()?;
    python.arg(root().join("xtask/usd-validator/validate.py"));
    Ok(python)
}

/// Libigl, which first shows with frames of known counts that it finds intersections.
fn mesh_checker() -> Result<Command, String> {
    let mut python = python()?;
    python.arg(root().join("xtask/mesh-checker/check.py"));
    Ok(python)
}

/// The scorer of motions.
fn clip_checker() -> Result<Command, String> {
    let mut python = python()?;
    python.arg(root().join("xtask/clip-checker/check.py"));
    Ok(python)
}

/// Python with the packages of all checkers. It writes no compiled modules into
/// the project's folders (`-B`).
fn python() -> Result<Command, String> {
    let lists = [
        "clip-checker",
        "mesh-checker",
        "schema-checker",
        "usd-validator",
    ]
    .map(|checker| root().join("xtask").join(checker).join("requirements.txt"));
    let mut python = python::with_packages(&lists, &work_folder()?.join("python"))?;
    python.arg("-B");
    Ok(python)
}
