//! The command line: a contract that scripts rely on.

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Turns scene files into physically sound animation.
#[derive(Debug, Parser)]
#[command(name = "conatus", version, about, long_about = None, after_help = AFTER_HELP)]
#[command(arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const AFTER_HELP: &str = "\
Try it:
  conatus play cylon                      a built-in scene, live in the browser
  conatus run cylon -o cylon.html         the same as a file to open anywhere; .glb for Blender
  conatus run cloth-sphere -o drape.html  cloth that never passes through itself
  conatus run walk -o walk.html           a character that finds out how to walk
  conatus new cloth -o mine.toml          start a scene of your own; or rigid, motion

Exit codes: 0 done; 1 the scene or a file is wrong; 2 wrong usage; 3 the run itself failed";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Shows the built-in scenes
    List(List),
    /// Runs a scene and writes what happens
    Run(Run),
    /// Shows a scene live, or a recording, in the browser
    Play(Play),
    /// Turns a recording into other formats
    Export(Export),
    /// Reads and checks a scene, tells what is in it, runs nothing
    Check(Check),
    /// Writes a commented scene to start from
    New(New),
    /// Prints the JSON Schema of scene files
    Schema,
    /// Prints completions for a shell
    Completions(Completions),
}

/// `conatus list`
#[derive(Debug, Args)]
pub struct List {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What changes a scene, for every command that loads one.
#[derive(Debug, Args)]
pub struct Changes {
    /// Run for so many seconds instead of the scene's
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
pub struct Run {
    /// A built-in scene, a scene file (TOML or JSON), or a recording to run again
    #[arg(value_name = "SCENE", required_unless_present = "resume")]
    pub scene: Option<String>,
    /// Go on with a run that was stopped or killed, from the last checkpoint in its recording,
    /// which is continued in place and ends as if nothing had happened
    #[arg(long, value_name = "RECORDING", conflicts_with_all = ["scene", "seconds", "seed", "sets"])]
    pub resume: Option<PathBuf>,
    /// Write a file; its ending chooses the format (.mcap .glb .usda .obj .csv
    /// .svg .html .png, with characters .bvh .clip.json)
    #[arg(short, long = "output", value_name = "FILE")]
    pub outputs: Vec<PathBuf>,
    /// How many evenly spaced frames a .png shows (12 if not said) and an .obj folder gets
    /// (all if not said), at most 100; other formats do not mind
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,
    #[command(flatten)]
    pub changes: Changes,
    /// How many threads to use
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print the report alone, as JSON
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `conatus play`
#[derive(Debug, Args)]
pub struct Play {
    /// A built-in scene, a scene file (TOML or JSON), or a recording (.mcap)
    #[arg(value_name = "SCENE|RECORDING")]
    pub scene: String,
    /// The port on 127.0.0.1; any free one if absent
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
pub struct Export {
    /// A recording (.mcap)
    #[arg(value_name = "RECORDING")]
    pub recording: PathBuf,
    /// Write a file; its ending chooses the format (.mcap .glb .usda .obj .csv .svg .html .png)
    #[arg(short, long = "output", value_name = "FILE", required = true, num_args = 1..)]
    pub outputs: Vec<PathBuf>,
    /// How many evenly spaced frames a .png shows (12 if not said) and an .obj folder gets
    /// (all if not said), at most 100; other formats do not mind
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub frames: Option<u16>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// `conatus check`
#[derive(Debug, Args)]
pub struct Check {
    /// A built-in scene or a scene file (TOML or JSON)
    #[arg(value_name = "SCENE")]
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
}

/// `conatus new`
#[derive(Debug, Args)]
pub struct New {
    /// The kind of scene
    #[arg(value_name = "FAMILY", value_parser = clap::builder::PossibleValuesParser::new(conatus_world::scene::template::FAMILIES))]
    pub family: String,
    /// The file to write, which must not exist; standard output if absent
    #[arg(short, long = "output", value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `conatus completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

impl Changes {
    /// The same, as the scene reader wants it.
    pub fn options(&self) -> conatus_world::scene::LoadOptions {
        conatus_world::scene::LoadOptions {
            sets: self.sets.clone(),
            seed: self.seed,
            seconds: self.seconds,
        }
    }
}

/// What has no `=` is wrong usage; all else is for the scene reader to judge.
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
