//! Measures what the project promises, compared with rapier3d-f64 and Box3D in the
//! same run and with the figures of the papers on cloth and on characters:
//! `cargo run --release -p conatus-bench [-- SECTION... --frames N --seeds N --only TEXT --alone --json]`.
//!
//! Compare ratios within a run, not figures of two runs: the load of a machine
//! changes.

mod cloth;
mod contacts;
mod free_flight;
mod gas;
mod motion;
mod output;
mod program;
mod rapier;
mod rounds;
mod stacks;
mod table;
mod tumbling_top;

use conatus_math::DVec3;
use output::Output;
use std::error::Error;
use std::io;
use std::process::ExitCode;

const USAGE: &str = "\
usage: conatus-bench [SECTION]... [--frames N] [--seeds N] [--only TEXT] [--alone] [--json]

  rigid             bodies, compared with rapier3d-f64 (the default)
  stacks            contacts and joints, compared with rapier3d-f64 and, if it was built
                    with `--features box3d`, with Box3D; or one of stacks-large-pyramid,
                    stacks-many-pyramids, stacks-convex-pile, stacks-joint-grid,
                    stacks-ball-heap-1000, stacks-ball-heap-8000, stacks-ball-heap-30000
  cloth             all sections whose names begin with it:
  cloth-ccd         rate of continuous collision detection
  cloth-sphere      a sheet on a ball in three sizes, with one thread and with two
  cloth-scenes      the paper's scenes at full size, compared with its Table 1
  cloth-contrast    the same scenes with rigid impact zones
  motion            all sections whose names begin with it:
  motion-scenes     time of the search for a movement, and its score
  motion-terms      the share of each cost term in the time of a gradient
  motion-more       the cost of a second object, and of a second and third character
  motion-problems   how many of the scenes in bench/motion-problems are solved, on which
                    no setting was tuned

  --frames N        end runs of cloth after N frames, since whole runs take hours, and
                    those of stacks after N steps
  --seeds N         search for movements with the seeds from 0 to N - 1; by default 1, and
                    3 for motion-problems
  --only TEXT       only those motion-problems whose KIND/NAME contains the text, such as
                    `slopes/` or `persons/swap-places`
  --alone           step stacks with Conatus on one thread only, for profilers
  --json            print one JSON text at the end instead of tables";

const SECTIONS: [&str; 12] = [
    "rigid",
    "stacks",
    "cloth",
    "cloth-ccd",
    "cloth-sphere",
    "cloth-scenes",
    "cloth-contrast",
    "motion",
    "motion-scenes",
    "motion-terms",
    "motion-more",
    "motion-problems",
];

/// The command line.
#[derive(Default)]
struct BenchArgs {
    sections: Vec<String>,
    frames: Option<u64>,
    seeds: Option<u64>,
    only: Option<String>,
    alone: bool,
    json: bool,
}

impl BenchArgs {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut args = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--json" => args.json = true,
                "--alone" => args.alone = true,
                "--frames" => {
                    let frames = arguments.next()?.parse().ok()?;
                    args.frames = (frames > 0).then_some(frames);
                    args.frames?;
                }
                "--seeds" => {
                    let seeds = arguments.next()?.parse().ok()?;
                    args.seeds = (seeds > 0).then_some(seeds);
                    args.seeds?;
                }
                "--only" => args.only = Some(arguments.next()?),
                name if SECTIONS.contains(&name) || stacks::is_section(name) => {
                    args.sections.push(argument);
                }
                _ => return None,
            }
        }
        if args.sections.is_empty() {
            args.sections.push("rigid".to_owned());
        }
        Some(args)
    }

    /// Whether a section is requested, alone or with its family.
    fn includes(&self, section: &str) -> bool {
        let family = section.split('-').next();
        (self.sections.iter()).any(|s| s == section || Some(s.as_str()) == family)
    }
}

fn main() -> ExitCode {
    let Some(args) = BenchArgs::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if cfg!(debug_assertions) {
        eprintln!("this build is not optimised: use `cargo run --release -p conatus-bench`");
    }
    match measure(&args) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has closed the output, as in `conatus-bench | head`.
        Err(error) if is_broken_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

/// Why a measurement failed.
type Failure = Box<dyn Error + Send + Sync>;

fn measure(args: &BenchArgs) -> Result<(), Failure> {
    let processor = free_flight::processor();
    let mut output = Output::new(args.json);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    output.print_line(&format!("Processor: {processor}.\n"))?;
    if args.includes("rigid") {
        pool.install(|| rigid(&mut output))?;
    }
    let options = stacks::Options {
        max_steps: args.frames,
        alone: args.alone,
    };
    stacks::measure(&mut output, |section| args.includes(section), options)?;
    if args.includes("cloth-ccd") {
        pool.install(|| cloth::ccd::measure(&mut output))?;
    }
    if args.includes("cloth-sphere") {
        cloth::sphere::measure(&mut output, args.frames)?;
    }
    if args.includes("cloth-scenes") {
        pool.install(|| cloth::scenes::measure(&mut output, args.frames))?;
    }
    if args.includes("cloth-contrast") {
        pool.install(|| cloth::contrast::measure(&mut output, args.frames))?;
    }
    if args.includes("motion-scenes") {
        motion::scenes::measure(&mut output, args.seeds.unwrap_or(1))?;
    }
    if args.includes("motion-terms") {
        pool.install(|| motion::terms::measure(&mut output))?;
    }
    if args.includes("motion-more") {
        pool.install(|| motion::more::measure(&mut output))?;
    }
    if args.includes("motion-problems") {
        let seeds = args.seeds.unwrap_or(3);
        motion::problem_set::measure(&mut output, seeds, args.only.as_deref())?;
    }
    Ok(output.finish(&processor)?)
}

fn rigid(output: &mut Output) -> Result<(), Failure> {
    output.print_line("One core, processor time, best of 30 rounds.\n")?;
    output.show(&free_flight::measure(
        "Free flight, 10,000 bodies, no gravity, step 0.01 s",
        DVec3::ZERO,
    ))?;
    output.show(&free_flight::measure(
        "Free flight, 10,000 bodies, gravity, step 0.01 s",
        DVec3::new(0.0, 0.0, -9.81),
    ))?;
    output.show(&tumbling_top::measure())?;
    output.show(&contacts::measure()?)?;
    output.show(&gas::measure()?)?;
    output.show(&program::measure()?)?;
    Ok(())
}
