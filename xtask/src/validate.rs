//! Has others judge the 3D files: the Khronos validator every `.glb`, Pixar's
//! USD library every `.usda`, and libigl whether cloth in `.obj` frames passes
//! through anything. A program that shares no code with this project scores the
//! physics of every `.clip.json`.

use crate::run::{Outcome, cargo, program, quiet, release, root, target};
use crate::{python, tools};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::{env, fs};

/// A kind of export, and who judges it.
struct Kind {
    ending: &'static str,
    /// Says a line about each of them.
    judge: fn(&[PathBuf]) -> Result<String, String>,
    /// What is in the line if there is no fault.
    clean: &'static str,
}

const GLB: Kind = Kind {
    ending: "glb",
    judge: khronos,
    clean: ": 0 errors, 0 warnings",
};
const USDA: Kind = Kind {
    ending: "usda",
    judge: pixar,
    clean: ": 0 errors, 0 warnings",
};
/// Folders, with a file for every frame.
const OBJ: Kind = Kind {
    ending: "obj",
    judge: libigl,
    clean: ": 0 intersections, 0 errors",
};
const CLIP: Kind = Kind {
    ending: "clip.json",
    judge: newton,
    clean: ": 0 bars missed, 0 errors",
};

/// Made-up runs with everything that a recording can hold, cloth included;
/// but for `.obj`, since nobody kept that cloth from passing through things.
pub fn made_up() -> Outcome {
    in_new_folder("made-up", |folder| {
        let mut example = cargo(&[
            "run",
            "--quiet",
            "--package",
            "conatus-export",
            "--example",
            "synthetic",
            "--",
        ]);
        example.arg(folder);
        quiet(example)?;
        judged(folder, &[GLB, USDA])
    })
}

/// Scenes with cloth, shorter and some of them coarser or faster than they are:
/// each takes seconds, and still its cloth meets things, slides and folds.
const SHORT: [&[&str]; 7] = [
    &["cloth-sphere", "--seconds=3", "--set=cloth.resolution=25"],
    &["squares-plane", "--seconds=12"],
    &["squares-incline", "--seconds=8"],
    &[
        "crushed-cylinder",
        "--seconds=5",
        "--set=cloth.piece.cylinder.shape.cylinder.vertices=[24, 14]",
        "--set=obstacle.wire.keyframe[1].time=5",
    ],
    &["catch", "--seconds=1"],
    &[
        "tablecloth",
        "--seconds=1",
        "--set=cloth.piece.tablecloth.shape.rectangle.vertices=[31, 22]",
    ],
    &["funnel-low", "--seconds=1"],
];

/// Every frame of short runs with cloth.
pub fn cloth() -> Outcome {
    release()?;
    let program = program()?;
    in_new_folder("cloth", |folder| {
        for arguments in SHORT {
            let mut run = Command::new(&program);
            run.arg("run").args(arguments).arg("--output");
            run.arg(folder.join(format!("{}.obj", arguments[0])));
            quiet(run)?;
        }
        judged(folder, &[OBJ])
    })
}

/// Scenes with characters, whose motions are scored from outside.
const MOTIONS: &[&[&str]] = &[
    &["boost"],
    &["carry"],
    &["carry-heavy"],
    &["climb"],
    &["climb-tall"],
    &["climb-wall"],
    &["crawl"],
    &["get-up-back"],
    &["get-up-front"],
    &["handover"],
    &["handstand"],
    &["handstand-walk"],
    &["hexapod-walk"],
    &["hurdle"],
    &["hurdle-thin"],
    &["jump"],
    &["kick"],
    &["punch"],
    &["push"],
    &["quadruped-climb"],
    &["quadruped-trot"],
    &["shared-load"],
    &["shelf"],
    &["sit-up"],
    &["stairs"],
    &["stand"],
    &["step-over"],
    &["throw"],
    &["under-bar"],
    &["walk"],
    &["walk-turn"],
    &["wide-human-carry"],
    &["wide-human-walk"],
    &["workload"],
];

/// The physics of characters' motions, after a proof that the program which
/// scores them passes what is sound and catches what is not.
pub fn motions() -> Outcome {
    motions_of(MOTIONS)
}

fn motions_of(scenes: &[&[&str]]) -> Outcome {
    if scenes.is_empty() {
        return proven();
    }
    release()?;
    let program = program()?;
    in_new_folder("motions", |folder| {
        for arguments in scenes {
            let mut run = Command::new(&program);
            run.arg("run").args(*arguments).arg("--output");
            run.arg(folder.join(format!("{}.clip.json", arguments[0])));
            quiet(run)?;
        }
        judged(folder, &[CLIP])
    })
}

/// Whatever can be judged in a folder; there must be something.
pub fn all_in(folder: &Path) -> Outcome {
    let mut kinds = Vec::new();
    for kind in [GLB, USDA, OBJ, CLIP] {
        if !exports(folder, &kind)?.is_empty() {
            kinds.push(kind);
        }
    }
    match kinds.is_empty() {
        true => Err(format!(
            "there is nothing to validate in {}: no .glb, no .usda, no folder of .obj frames, no \
             .clip.json",
            folder.display()
        )),
        false => judged(folder, &kinds),
    }
}

/// Does something in a folder that is gone afterwards.
fn in_new_folder(name: &str, work: impl FnOnce(&Path) -> Outcome) -> Outcome {
    let folder = env::temp_dir().join(format!("conatus-xtask-{name}-{}", process::id()));
    let made =
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()));
    let outcome = made.and_then(|()| work(&folder));
    let _ = fs::remove_dir_all(&folder);
    outcome
}

/// What a folder has of a kind.
fn exports(folder: &Path, kind: &Kind) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let dotted = format!(".{}", kind.ending);
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.file_name()
                .and_then(OsStr::to_str)
                .is_some_and(|name| name.ends_with(&dotted))
        })
        .filter(|path| path.is_dir() == (kind.ending == OBJ.ending))
        .collect();
    found.sort();
    Ok(found)
}

/// How many there are of each kind, if there are some and none has a fault.
fn judged(folder: &Path, kinds: &[Kind]) -> Outcome {
    let mut remarks = Vec::new();
    for kind in kinds {
        let (files, ending) = (exports(folder, kind)?, kind.ending);
        if files.is_empty() {
            return Err(format!("there is no .{ending} to validate"));
        }
        let said = (kind.judge)(&files)?;
        print!("{said}");
        let clean = said.lines().filter(|line| line.contains(kind.clean));
        match (files.len(), files.len().saturating_sub(clean.count())) {
            (all, 0) => remarks.push(format!("{all} .{ending}")),
            (all, faulty) => return Err(format!("{faulty} of {all} .{ending} are not clean")),
        }
    }
    Ok(remarks.join(", "))
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

/// Libigl, and frames with which it shows first that it finds what there is.
fn libigl(folders: &[PathBuf]) -> Result<String, String> {
    let from = root().join("xtask/mesh-checker");
    let folder = target()?.join("xtask").join("mesh-checker");
    let mut python = python::with_packages(&from.join("requirements.txt"), &folder)?;
    python.arg(from.join("check.py")).args(folders);
    answer(python)
}

/// Scores of motions, once the scoring is proven.
fn newton(files: &[PathBuf]) -> Result<String, String> {
    proven()?;
    let mut python = scorer()?;
    python.args(files);
    answer(python)
}

/// What the scoring program says to clips of its own whose physics is known.
fn proven() -> Outcome {
    let mut python = scorer()?;
    python.arg("--self-test");
    let said = quiet(python)?;
    print!("{said}");
    Ok(said.trim().to_owned())
}

fn scorer() -> Result<Command, String> {
    let from = root().join("xtask/clip-checker");
    let folder = target()?.join("xtask").join("clip-checker");
    let mut python = python::with_packages(&from.join("requirements.txt"), &folder)?;
    // It has modules, which Python would compile into the project's folder.
    python.arg("-B").arg(from.join("check.py"));
    Ok(python)
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
