//! Every scene with characters: one attempt on one thread, and the whole
//! portfolio on two.

use super::problems;
use crate::Failure;
use crate::output::Output;
use crate::table::{Cell, Table, at_most, count, fixed};
use conatus_motion::score::{Score, Thresholds};
use conatus_motion::{Problem, Progress, Synthesis, synthesize};
use cpu_time::ProcessTime;
use rayon::ThreadPool;
use std::ops::ControlFlow;
use std::time::Instant;

/// Mordatch et al. §4.5: "between 2 to 10 minutes on a quad-core 2.3GHz Intel Xeon
/// machine", in seconds.
const PAPER_SECONDS: [f64; 2] = [120.0, 600.0];

/// The most seconds of wall time of a portfolio with two threads: the scenes of
/// [`FLAT_GROUND`], others with one character, and those with several.
const MAX_PORTFOLIO_SECONDS: [f64; 3] = [10.0, 15.0, 40.0];

/// Scenes with one character on flat ground and nothing else.
const FLAT_GROUND: [&str; 14] = [
    "get-up-back",
    "get-up-front",
    "handstand",
    "handstand-walk",
    "hexapod-walk",
    "jump",
    "kick",
    "punch",
    "quadruped-trot",
    "sit-up",
    "stand",
    "walk",
    "walk-turn",
    "wide-human-walk",
];

/// The most seconds of a portfolio of a scene.
fn max_seconds(name: &str, problem: &Problem) -> f64 {
    let [flat, single, several] = MAX_PORTFOLIO_SECONDS;
    match problem.characters.len() {
        0 | 1 if FLAT_GROUND.contains(&name) => flat,
        0 | 1 => single,
        _ => several,
    }
}

/// The figures of a score: the name of the column, the factor of its unit, and the
/// number of decimals. They are in the order of [`Score::against`].
const FIGURES: [(&str, f64, usize); 7] = [
    ("residual max %", 100.0, 3),
    ("mean %", 100.0, 4),
    ("drift mm", 1000.0, 2),
    ("limb mm", 1000.0, 2),
    ("depth mm", 1000.0, 2),
    ("task mm", 1000.0, 2),
    ("torque excess %", 100.0, 1),
];

/// Makes one attempt and one portfolio for each seed.
pub fn measure(output: &mut Output, seeds: u64) -> Result<(), Failure> {
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let two = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let table = Table::new(
        format!(
            "Movements, {seeds} seed(s), means: one attempt on one thread in processor seconds, \
             and the portfolio on two threads in wall time, compared with Mordatch et al. 2012 \
             on four cores"
        ),
        &[
            "scene",
            "unknowns",
            "iterations",
            "attempt s",
            "good attempts",
            "portfolio s",
            "time target",
            "good portfolios",
            "paper's s",
            "× faster",
        ],
    );
    let mut table = output.begin(table)?;
    let mut quality = quality_table();
    for (name, problem) in problems()? {
        let mut tally = Tally::default();
        for seed in 0..seeds {
            let mut problem = problem.clone();
            problem.effort.seed = seed;
            tally.add(&one, &two, &problem);
            eprintln!("{name}: seed {seed} is done");
        }
        table.row(tally.row(name, seeds, max_seconds(name, &problem)))?;
        quality.row(quality_row(name, &tally.worst, &problem.thresholds));
    }
    table.finish()?;
    Ok(output.show(&quality)?)
}

/// Sums over all seeds of a scene.
#[derive(Default)]
struct Tally {
    unknowns: usize,
    iterations: usize,
    attempt: f64,
    good_attempts: u64,
    portfolio: f64,
    good_portfolios: u64,
    worst: Score,
}

impl Tally {
    fn add(&mut self, one: &ThreadPool, two: &ThreadPool, problem: &Problem) {
        let mut alone = problem.clone();
        alone.effort.attempts = 1;
        let clock = ProcessTime::now();
        let found = one.install(|| search(&alone));
        self.attempt += clock.elapsed().as_secs_f64();
        self.unknowns = found.x.len();
        self.iterations += found.attempts[found.best].iterations;
        self.good_attempts += u64::from(found.is_good());

        let clock = Instant::now();
        let found = two.install(|| search(problem));
        self.portfolio += clock.elapsed().as_secs_f64();
        self.good_portfolios += u64::from(found.is_good());
        keep_worst(&mut self.worst, found.score());
    }

    fn row(&self, name: &str, seeds: u64, max_seconds: f64) -> Vec<Cell> {
        let mean = |sum: f64| sum / seeds.max(1) as f64;
        let portfolio = mean(self.portfolio);
        let [least, most] = PAPER_SECONDS;
        vec![
            name.into(),
            count(self.unknowns as u64),
            fixed(mean(self.iterations as f64), 0),
            fixed(mean(self.attempt), 2),
            format!("{}/{seeds}", self.good_attempts).into(),
            fixed(portfolio, 2),
            at_most(portfolio, max_seconds),
            format!("{}/{seeds}", self.good_portfolios).into(),
            format!("{least} to {most}").into(),
            format!("{:.0} to {:.0}", least / portfolio, most / portfolio).into(),
        ]
    }
}

/// Searches for a movement without progress reports.
fn search(problem: &Problem) -> Synthesis {
    synthesize(problem, &|_: &Progress| ControlFlow::Continue(()))
}

/// The larger of both values of each figure.
fn keep_worst(worst: &mut Score, score: &Score) {
    let pairs = [
        (&mut worst.true_residual_max_bw, score.true_residual_max_bw),
        (
            &mut worst.true_residual_mean_bw,
            score.true_residual_mean_bw,
        ),
        (&mut worst.contact_drift_max, score.contact_drift_max),
        (&mut worst.limb_error_max, score.limb_error_max),
        (&mut worst.penetration_max, score.penetration_max),
        (&mut worst.task_error, score.task_error),
    ];
    for (worst, value) in pairs {
        *worst = worst.max(value);
    }
}

fn quality_table() -> Table {
    let mut columns = vec!["scene".to_owned()];
    for (name, ..) in FIGURES {
        columns.push(name.to_owned());
        columns.push(format!("{name} target"));
    }
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    Table::new(
        "The scores of the movements that were kept, the worst of all seeds (% of body weight)",
        &columns,
    )
}

fn quality_row(name: &str, score: &Score, thresholds: &Thresholds) -> Vec<Cell> {
    let mut cells = vec![name.into()];
    let figures = score.against(thresholds).into_iter().zip(FIGURES);
    for ((_, value, bar), (_, times, decimals)) in figures {
        cells.push(fixed(value * times, decimals));
        // Targets have few digits; their products should not have more.
        let shown = (bar * times * 1e6).round() / 1e6;
        cells.push(at_most(value * times, shown));
    }
    cells
}
