//! The command line: a contract that scripts rely on.

use crate::threads::MAX_THREADS;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Turns scene files into physically sound animation.
#[derive(Debug, Parser)]
#[command(name = "conatus", version, about, long_about = None, after_help = AFTER_HELP)]
#[command(arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: CliCommand,
    /// Print what the program does on standard error; -vv prints more
    ///
    /// The environment variable CONATUS_LOG chooses by crate and level and takes
    /// precedence, for example CONATUS_LOG=conatus_world=debug,warn
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

const AFTER_HELP: &str = "\
Try it:
  conatus play cylon                      a built-in scene, live in the browser
  conatus run cylon -o cylon.html         the same as a file to open anywhere; .glb for Blender
  conatus run cloth-sphere -o drape.html  cloth that never passes through itself
  conatus run walk -o walk.html           a character that discovers how to walk
  conatus new cloth -o mine.toml          start a scene of your own; or rigid, motion

Environment:
  CONATUS_LOG        what to log on standard error, e.g. info or conatus_world=debug,warn
  RAYON_NUM_THREADS  how many threads to use, from 1 to 1024; --threads comes first
  NO_COLOR           print errors without colours

Exit codes: 0 done; 1 the scene or a file is wrong; 2 wrong usage; 3 the run itself failed";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum CliCommand {
    /// Shows the built-in scenes
    List(ListArgs),
    /// Runs a scene and writes what happens
    Run(RunArgs),
    /// Shows a scene live, or a recording, in the browser
    Play(PlayArgs),
    /// Turns a recording into other formats
    Export(ExportArgs),
    /// Reads and checks a scene and describes it, without running it
    Check(CheckArgs),
    /// Writes a commented scene to start from
    New(NewArgs),
    /// Turns a robot (URDF or MJCF) into a commented scene, and lists what was left out
    Import(ImportArgs),
    /// Prints the JSON Schema of scene files
    Schema,
    /// Prints completions for a shell
    Completions(CompletionsArgs),
}

/// `conatus list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Changes to a scene, for the commands that run or check one.
#[derive(Debug, Args)]
pub struct SceneChanges {
    /// How many seconds to simulate, instead of the scene's
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub seconds: Option<f64>,
    /// The seed of everything random, instead of the scene's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Change a key of the scene, e.g. time.step=0.001, body.ball.mass=3 or
    /// cloth.piece.sheet.material=silk
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub sets: Vec<String>,
}

/// `conatus run`
#[derive(Debug, Args)]
pub struct RunArgs {
    /// A built-in scene, a scene file (TOML or JSON), or a recording to run again
    #[arg(value_name = "SCENE", required_unless_present = "resume")]
    pub scene: Option<String>,
    /// Continue a run that was stopped or killed, from the last checkpoint in its recording,
    /// in the same file; the result is the same as without the interruption
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["scene", "seconds", "seed", "sets"])]
    pub resume: Option<PathBuf>,
    /// Write a file; its ending chooses the format (.mcap .glb .usda .obj .csv
    /// .svg .html .png, with characters .bvh .clip.json)
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// How many evenly spaced frames a .png (default 12) and an .obj folder (default all)
    /// hold, at most 100; ignored by other formats
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,
    #[command(flatten)]
    pub changes: SceneChanges,
    /// How many threads to use, from 1 to 1024; the default is one per processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(MAX_THREADS)))]
    pub threads: Option<u16>,
    /// Print only the report, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// `conatus play`
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// A built-in scene, a scene file (TOML or JSON), or a recording (.mcap)
    #[arg(value_name = "SCENE|RECORDING")]
    pub scene: String,
    /// The port on 127.0.0.1; the default is any free one
    #[arg(long, value_name = "P", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Do not open the browser
    #[arg(long)]
    pub no_open: bool,
    /// The seed of everything random, instead of the scene's
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Change a key of the scene, e.g. time.step=0.001, body.ball.mass=3 or
    /// cloth.piece.sheet.material=silk
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_value)]
    pub sets: Vec<String>,
}

/// `conatus export`
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// A recording (.mcap)
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Write a file; its ending chooses the format (.mcap .glb .usda .obj .csv .svg .html .png)
    #[arg(short, long = "output", value_name = "FILE", required = true, num_args = 1..)]
    pub outputs: Vec<PathBuf>,
    /// How many evenly spaced frames a .png (default 12) and an .obj folder (default all)
    /// hold, at most 100; ignored by other formats
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,
    /// Print errors only
    #[arg(short, long)]
    pub quiet: bool,
}

/// `conatus check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A built-in scene or a scene file (TOML or JSON)
    #[arg(value_name = "SCENE")]
    pub scene: String,
    #[command(flatten)]
    pub changes: SceneChanges,
}

/// `conatus new`
#[derive(Debug, Args)]
pub struct NewArgs {
    /// The kind of scene
    #[arg(value_name = "FAMILY", value_parser = clap::builder::PossibleValuesParser::new(conatus_world::scene::template::FAMILIES))]
    pub family: String,
    /// The file to write, which must not exist; the default is standard output
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `conatus import`
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// A robot: a URDF or MJCF file
    #[arg(value_name = "ROBOT")]
    pub robot: PathBuf,
    /// The scene file to write, which must not exist; the default is standard output
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Hold the root of a URDF robot in place
    #[arg(long)]
    pub fixed_base: bool,
    /// Add a plane as ground, and let a robot without --position stand on it
    #[arg(long)]
    pub ground: bool,
    /// Give joints with a greatest force a motor that holds their position
    #[arg(long)]
    pub motors: bool,
    /// Where the origin of the file is, in metres
    #[arg(long, value_name = "X,Y,Z", value_parser = position, allow_hyphen_values = true)]
    pub position: Option<[f64; 3]>,
    /// Put this and a / before the names of bodies and joints
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// The position of a joint at the start, in radians or metres
    #[arg(long = "set-joint", value_name = "NAME=VALUE", value_parser = joint_value)]
    pub joints: Vec<(String, f64)>,
    /// The folder of a package, for package:// addresses
    #[arg(long = "package", value_name = "NAME=FOLDER", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
}

fn position(argument: &str) -> Result<[f64; 3], String> {
    let numbers: Vec<f64> = argument
        .split(',')
        .filter_map(|number| number.trim().parse().ok())
        .filter(|number: &f64| number.is_finite())
        .collect();
    let usage = "write it as three numbers, for example 0,0,1";
    numbers.try_into().map_err(|_| usage.into())
}

fn joint_value(argument: &str) -> Result<(String, f64), String> {
    let usage = "write it as NAME=VALUE, for example knee=0.5";
    let (name, value) = argument.rsplit_once('=').ok_or(usage)?;
    let value: f64 = value.trim().parse().map_err(|_| usage)?;
    match value.is_finite() && !name.is_empty() {
        true => Ok((name.to_owned(), value)),
        false => Err(usage.into()),
    }
}

fn package(argument: &str) -> Result<(String, PathBuf), String> {
    match argument.split_once('=') {
        Some((name, folder)) if !name.is_empty() => Ok((name.to_owned(), folder.into())),
        _ => Err("write it as NAME=FOLDER, for example arm_description=robots/arm".into()),
    }
}

/// `conatus completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

impl SceneChanges {
    /// The changes as options of the scene reader.
    pub fn options(&self) -> conatus_world::scene::LoadOptions {
        conatus_world::scene::LoadOptions {
            sets: self.sets.clone(),
            seed: self.seed,
            seconds: self.seconds,
        }
    }
}

/// An argument without `=` is wrong usage; the scene reader checks the rest.
fn key_value(argument: &str) -> Result<String, String> {
    match argument.split_once('=') {
        Some((key, _)) if !key.trim().is_empty() => Ok(argument.to_owned()),
        Some(_) => Err("there is no key before `=`".into()),
        None => Err("write it as key=value, for example time.step=0.001".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
