//! Measures what the project promises, side by side with rapier3d-f64 in one
//! and the same run, and beside the figures of the papers on cloth and on
//! characters:
//! `cargo run --release -p conatus-bench [-- SECTION... --frames N --seeds N --json]`.
//!
//! Figures of two runs do not compare; machines are busy in different ways.
//! Ratios within a run do.

mod cloth;
mod contacts;
mod free_flight;
mod gas;
mod motion;
mod output;
mod program;
mod rapier;
mod rounds;
mod table;
mod tumbling_top;

use conatus_math::DVec3;
use output::Output;
use std::error::Error;
use std::io;
use std::process::ExitCode;

const USAGE: &str = "\
usage: conatus-bench [SECTION]... [--frames N] [--seeds N] [--json]

  rigid             bodies, beside rapier3d-f64 (this alone if nothing is asked for)
  cloth             all that begins with it:
  cloth-ccd         rate of continuous collision detection
  cloth-sphere      a sheet on a ball in three sizes, with one thread and with two
  cloth-scenes      the paper's scenes at full size, beside its Table 1
  cloth-contrast    the same with rigid impact zones, and what becomes of them
  motion            all that begins with it:
  motion-scenes     how long movements take to be found, and how good they are
  motion-terms      the share of each cost in the time of a gradient
  motion-more       what a second thing, and a second and third character, cost

  --frames N        runs of cloth end after N frames; whole ones take hours
  --seeds N         movements are searched for with the seeds from 0 to N - 1
  --json            one JSON text at the end instead of tables";

const SECTIONS: [&str; 10] = [
    "rigid",
    "cloth",
    "cloth-ccd",
    "cloth-sphere",
    "cloth-scenes",
    "cloth-contrast",
    "motion",
    "motion-scenes",
    "motion-terms",
    "motion-more",
];

/// What was asked for.
#[derive(Default)]
struct Wish {
    sections: Vec<String>,
    frames: Option<u64>,
    seeds: Option<u64>,
    json: bool,
}

impl Wish {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut wish = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--json" => wish.json = true,
                "--frames" => {
                    let frames = arguments.next()?.parse().ok()?;
                    wish.frames = (frames > 0).then_some(frames);
                    wish.frames?;
                }
                "--seeds" => {
                    let seeds = arguments.next()?.parse().ok()?;
                    wish.seeds = (seeds > 0).then_some(seeds);
                    wish.seeds?;
                }
                name if SECTIONS.contains(&name) => wish.sections.push(argument),
                _ => return None,
            }
        }
        if wish.sections.is_empty() {
            wish.sections.push("rigid".to_owned());
        }
        Some(wish)
    }

    /// Whether a section is wanted, by itself or with its family.
    fn wants(&self, section: &str) -> bool {
        let family = section.split('-').next();
        (self.sections.iter()).any(|s| s == section || Some(s.as_str()) == family)
    }
}

fn main() -> ExitCode {
    let Some(wish) = Wish::read(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if cfg!(debug_assertions) {
        eprintln!("this build is not optimised: use `cargo run --release -p conatus-bench`");
    }
    match measure(&wish) {
        Ok(()) => ExitCode::SUCCESS,
        // Nobody reads any more, as in `conatus-bench | head`.
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

/// What ends a measurement.
type Failure = Box<dyn Error + Send + Sync>;

fn measure(wish: &Wish) -> Result<(), Failure> {
    let processor = free_flight::processor();
    let mut output = Output::new(wish.json);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    output.say(&format!("Processor: {processor}.\n"))?;
    if wish.wants("rigid") {
        pool.install(|| rigid(&mut output))?;
    }
    if wish.wants("cloth-ccd") {
        pool.install(|| cloth::ccd::measure(&mut output))?;
    }
    if wish.wants("cloth-sphere") {
        cloth::sphere::measure(&mut output, wish.frames)?;
    }
    if wish.wants("cloth-scenes") {
        pool.install(|| cloth::scenes::measure(&mut output, wish.frames))?;
    }
    if wish.wants("cloth-contrast") {
        pool.install(|| cloth::contrast::measure(&mut output, wish.frames))?;
    }
    if wish.wants("motion-scenes") {
        motion::scenes::measure(&mut output, wish.seeds.unwrap_or(1))?;
    }
    if wish.wants("motion-terms") {
        pool.install(|| motion::terms::measure(&mut output))?;
    }
    if wish.wants("motion-more") {
        pool.install(|| motion::more::measure(&mut output))?;
    }
    Ok(output.end(&processor)?)
}

fn rigid(output: &mut Output) -> Result<(), Failure> {
    output.say("One core, processor time, best of 30 rounds.\n")?;
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
