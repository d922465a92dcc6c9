//! Runs every built-in scene once and keeps all files.
//!
//! The search for a movement takes most of the time of a scene with characters.
//! Validators, the tests of behaviours, the golden hashes and the browser tests
//! read the recordings of these runs (`CONATUS_RUNS` names the folder), so that
//! every search is made once.

use crate::artifacts;
use crate::pool;
use crate::process::{Outcome, captured, root, work_folder};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The variable that contains the folder of the runs, for tests.
pub const VARIABLE: &str = "CONATUS_RUNS";

/// Files of every scene, by their extension.
const EXTENSIONS: [&str; 8] = ["mcap", "glb", "usda", "obj", "csv", "svg", "html", "png"];

/// Further files of scenes with characters.
const MOTION_EXTENSIONS: [&str; 2] = ["clip.json", "bvh"];

/// Scenes without characters run for this long; their full length is tested by
/// the tests of the world and of the cloth.
const SECONDS: &str = "0.5";

/// Scenes with cloth, shortened, some of them coarser or faster than built in:
/// each takes seconds, and its cloth still collides, slides and folds. Every
/// frame is written, for the search for intersections.
const CLOTH: [&[&str]; 7] = [
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

/// The exit code of a run that ended with a movement that misses a threshold.
const THRESHOLD_MISSED: i32 = 3;

/// Where the runs of this gate are.
pub fn folder() -> Result<PathBuf, String> {
    Ok(work_folder()?.join("runs"))
}

/// Where the frames of shortened runs with cloth are.
pub fn cloth_folder() -> Result<PathBuf, String> {
    Ok(work_folder()?.join("runs-cloth"))
}

/// A built-in scene.
struct Scene {
    name: String,
    /// Whether it has characters.
    motion: bool,
}

/// A run of the program.
struct Job {
    name: String,
    arguments: Vec<String>,
    outputs: Vec<PathBuf>,
    /// Larger ones start first, so that no long run starts last.
    size: u64,
}

/// Runs all built-in scenes and the shortened ones with cloth.
pub fn all() -> Outcome {
    let program = artifacts::program()?;
    let (folder, cloth) = (new(folder()?)?, new(cloth_folder()?)?);
    let scenes = built_in(&program)?;
    let mut jobs: Vec<Job> = scenes.iter().map(|scene| job(scene, &folder)).collect();
    jobs.extend(CLOTH.iter().map(|arguments| cloth_job(arguments, &cloth)));
    run(&program, jobs)?;
    Ok(format!(
        "{} scenes, {} with characters",
        scenes.len(),
        scenes.iter().filter(|scene| scene.motion).count()
    ))
}

/// Runs only the scenes with characters.
pub fn with_characters() -> Outcome {
    let program = artifacts::program()?;
    let folder = new(folder()?)?;
    let scenes = built_in(&program)?;
    let scenes = scenes.iter().filter(|scene| scene.motion);
    let jobs: Vec<Job> = scenes.map(|scene| job(scene, &folder)).collect();
    let count = jobs.len();
    run(&program, jobs)?;
    Ok(format!("{count} scenes with characters"))
}

/// Searches for the movements of all scenes with characters with another seed and
/// writes their clips. A search may miss its thresholds with a seed; the program
/// reports that with its exit code, and the clip of such a run is not kept.
pub fn with_seed(seed: u64) -> Outcome {
    let program = artifacts::program()?;
    let folder = new(seeds_folder()?)?;
    let scenes = built_in(&program)?;
    let scenes: Vec<&Scene> = scenes.iter().filter(|scene| scene.motion).collect();
    let missed = pool::run(&scenes, |scene| -> Result<bool, String> {
        let clip = folder.join(format!("{}-{seed}.clip.json", scene.name));
        let mut run = Command::new(&program);
        run.args(["run", &scene.name, "--threads=1", "-q"]);
        run.arg(format!("--seed={seed}")).arg("-o").arg(&clip);
        let output = run.output().map_err(|error| error.to_string())?;
        match output.status.code() {
            Some(0) => Ok(false),
            Some(THRESHOLD_MISSED) => {
                println!("{} misses a threshold with seed {seed}", scene.name);
                let _ = fs::remove_file(&clip);
                Ok(true)
            }
            _ => Err(format!(
                "{} with seed {seed} ended with {}: {}",
                scene.name,
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    });
    let missed: Vec<bool> = missed.into_iter().collect::<Result<_, _>>()?;
    let count = missed.iter().filter(|missed| **missed).count();
    Ok(format!(
        "{count} of {} scenes miss a threshold with seed {seed}",
        missed.len()
    ))
}

/// Runs the scenes with cloth to their end and writes every frame.
pub fn cloth_at_full_length() -> Outcome {
    let program = artifacts::program()?;
    let folder = new(cloth_folder()?)?;
    let jobs: Vec<Job> = CLOTH
        .iter()
        .map(|arguments| cloth_job(&arguments[..1], &folder))
        .collect();
    let count = jobs.len();
    run(&program, jobs)?;
    Ok(format!("{count} scenes with cloth"))
}

/// Where the clips of searches with other seeds are.
pub fn seeds_folder() -> Result<PathBuf, String> {
    Ok(work_folder()?.join("runs-seeds"))
}

/// Synthetic recordings with everything that a recording can hold, exported to
/// every format. Their cloth passes through objects, so their `.obj` frames are
/// of no use to the search for intersections.
pub fn synthetic() -> Outcome {
    let folder = new(synthetic_folder()?)?;
    let mut export = Command::new(artifacts::find("synthetic")?);
    export.arg(&folder);
    captured(export)?;
    Ok(String::new())
}

/// Where the exports of synthetic recordings are.
pub fn synthetic_folder() -> Result<PathBuf, String> {
    Ok(work_folder()?.join("synthetic"))
}

/// The built-in scenes, as the program lists them.
fn built_in(program: &Path) -> Result<Vec<Scene>, String> {
    let mut list = Command::new(program);
    list.args(["list", "--json"]);
    let listed: Value = serde_json::from_str(&captured(list)?)
        .map_err(|error| format!("`conatus list --json`: {error}"))?;
    let scenes = listed.as_array().into_iter().flatten();
    let scenes: Vec<Scene> = scenes
        .filter_map(|scene| {
            Some(Scene {
                name: scene["name"].as_str()?.to_owned(),
                motion: scene["family"] == "motion",
            })
        })
        .collect();
    match scenes.is_empty() {
        true => Err("the program lists no scenes".into()),
        false => Ok(scenes),
    }
}

/// The run of a built-in scene. A scene with characters runs to its end: its
/// movement is as long as the run.
fn job(scene: &Scene, folder: &Path) -> Job {
    let name = &scene.name;
    let mut extensions = EXTENSIONS.to_vec();
    // Three pictures make one row, which has the fewest pixels: drawing takes
    // longer than writing all other files.
    let mut arguments = vec!["--frames=3".to_owned()];
    match scene.motion {
        true => extensions.extend(MOTION_EXTENSIONS),
        false => arguments.push(format!("--seconds={SECONDS}")),
    }
    let outputs = extensions
        .iter()
        .map(|e| folder.join(format!("{name}.{e}")));
    // The number of tables is a fair measure of the size of a search.
    let text = fs::read_to_string(
        root()
            .join("crates/world/scenes")
            .join(format!("{name}.toml")),
    );
    let tables = text.map_or(0, |text| text.matches("\n[").count());
    Job {
        name: name.clone(),
        arguments,
        outputs: outputs.collect(),
        size: if scene.motion { 1000 } else { 0 } + tables as u64,
    }
}

fn cloth_job(arguments: &[&str], folder: &Path) -> Job {
    Job {
        name: arguments[0].to_owned(),
        arguments: arguments[1..].iter().map(|a| (*a).to_owned()).collect(),
        outputs: vec![folder.join(format!("{}.obj", arguments[0]))],
        size: 500,
    }
}

/// Runs jobs side by side, each on one thread; results do not depend on the
/// number of threads.
fn run(program: &Path, mut jobs: Vec<Job>) -> Result<(), String> {
    jobs.sort_by_key(|job| std::cmp::Reverse(job.size));
    let outcomes = pool::run(&jobs, |job| {
        let start = Instant::now();
        let mut run = Command::new(program);
        run.args(["run", &job.name, "--threads=1", "-q"]);
        run.args(&job.arguments);
        for output in &job.outputs {
            run.arg("--output").arg(output);
        }
        captured(run)?;
        if let Some(missing) = job.outputs.iter().find(|output| !output.exists()) {
            return Err(format!("{} was not written", missing.display()));
        }
        println!("{}: {:.1} s", job.name, start.elapsed().as_secs_f64());
        Ok(())
    });
    let failed: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(failed.join("; ")),
    }
}

/// Makes a folder new and empty.
fn new(folder: PathBuf) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}
