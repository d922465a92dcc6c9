//! Problems that no setting was tuned on: how many of them a search with the default
//! portfolio solves, by problem and by kind.
//!
//! Each problem is a scene file `motion-problems/KIND/NAME.toml` that says who, what
//! surrounds them, the goals and at most how long it takes. The files are read when the
//! benchmark runs. All movements are measured with one table of thresholds, whatever
//! scenes or defaults say. This module does not judge how plausible a movement looks.

use crate::Failure;
use crate::output::Output;
use crate::table::{Cell, Table, at_least, blank, count, fixed};
use conatus_motion::score::Thresholds;
use conatus_world::motion::{MotionPlanner, MotionReport, Progress};
use conatus_world::scene::{LoadOptions, Scene, SceneError};
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

/// The largest errors of a movement that solves a problem.
const THRESHOLDS: Thresholds = Thresholds {
    residual_max: 0.01,
    residual_mean: 0.001,
    drift: 0.005,
    limb: 0.005,
    penetration: 0.005,
    task: 0.02,
    torque: f64::INFINITY,
};

/// The largest difference between a contact force and its reaction, in body weights.
const MAX_REACTION_ERROR_BW: f64 = 0.001;

/// The least share of solved problems for each seed, in percent.
const MIN_SOLVED_PERCENT: f64 = 90.0;

/// How errors are printed: the name, the factor of the unit, and the unit. In the order of
/// `Score::against`, then the reaction.
const ERRORS: [(&str, f64, &str); 8] = [
    ("residual max", 100.0, "%"),
    ("residual mean", 100.0, "%"),
    ("drift", 1000.0, "mm"),
    ("limb", 1000.0, "mm"),
    ("penetration", 1000.0, "mm"),
    ("goal", 1000.0, "mm"),
    ("torque", 100.0, "%"),
    ("reaction", 100.0, "%"),
];

/// A scene file of the folder `motion-problems`.
struct ProblemFile {
    kind: String,
    name: String,
    path: PathBuf,
}

impl ProblemFile {
    /// `KIND/NAME`, to which filters apply.
    fn full_name(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    fn load(&self, seed: u64) -> Result<Scene, SceneError> {
        let options = LoadOptions {
            seed: Some(seed),
            ..LoadOptions::default()
        };
        Scene::load(&self.path.to_string_lossy(), &options)
    }

    /// The planner of the problem with the common thresholds, or why the scene is refused.
    fn planner(&self, seed: u64) -> Result<MotionPlanner, String> {
        let setup = self.load(seed).and_then(|scene| scene.build());
        let setup = setup.map_err(|error| first_message(&error))?;
        let mut planner = setup.planner.ok_or("a scene without characters")?;
        planner.problem.thresholds = THRESHOLDS;
        Ok(planner)
    }
}

fn first_message(error: &SceneError) -> String {
    match error.diagnostics().first() {
        Some(diagnostic) => diagnostic.message.clone(),
        None => "unknown error".to_owned(),
    }
}

/// All problems, ordered by kind and name.
fn problem_files() -> Result<Vec<ProblemFile>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("motion-problems");
    let mut files = Vec::new();
    for kind in sorted_entries(&folder)?.iter().filter(|k| k.is_dir()) {
        let scenes = sorted_entries(kind)?.into_iter();
        for path in scenes.filter(|p| p.extension().is_some_and(|e| e == "toml")) {
            files.push(ProblemFile {
                kind: stem(kind),
                name: stem(&path),
                path,
            });
        }
    }
    Ok(files)
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<PathBuf>, std::io::Error>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The result of one search.
struct Search {
    solved: bool,
    attempts: usize,
    cpu_seconds: f64,
    /// The error that is largest in relation to its threshold.
    worst: WorstError,
}

/// An error, as an index of [`ERRORS`], its value and its threshold.
#[derive(Clone, Copy)]
struct WorstError {
    index: usize,
    value: f64,
    threshold: f64,
}

impl WorstError {
    fn of(report: &MotionReport) -> Self {
        let errors = report.score.against(&THRESHOLDS);
        let errors = errors.map(|(_, value, threshold)| (value, threshold));
        let reaction = (report.reaction_error_bw, MAX_REACTION_ERROR_BW);
        let mut worst = Self {
            index: 0,
            value: 0.0,
            threshold: 1.0,
        };
        for (index, (value, threshold)) in errors.into_iter().chain([reaction]).enumerate() {
            let error = Self {
                index,
                value,
                threshold,
            };
            if error.ratio() > worst.ratio() {
                worst = error;
            }
        }
        worst
    }

    fn ratio(&self) -> f64 {
        self.value / self.threshold
    }

    fn text(&self) -> String {
        let (name, factor, unit) = ERRORS[self.index];
        let value = self.value * factor;
        let value = match value {
            v if v < 10.0 => format!("{v:.3}"),
            v if v < 1e5 => format!("{v:.0}"),
            v => format!("{v:.1e}"),
        };
        // Thresholds have few digits; their products should not have more.
        let threshold = (self.threshold * factor * 1e6).round() / 1e6;
        format!("{name} {value} of {threshold} {unit}")
    }
}

/// Searches for the movement of a problem, or says why there is none.
fn search(file: &ProblemFile, seed: u64) -> Result<Search, String> {
    let planner = file.planner(seed)?;
    let never_stop = |_: &Progress| ControlFlow::Continue(());
    // One search that panics must not end the benchmark.
    let movement = panic::catch_unwind(AssertUnwindSafe(|| planner.plan(&never_stop)))
        .map_err(|_| "the search panicked")?;
    let report = movement.report;
    let worst = WorstError::of(&report);
    Ok(Search {
        solved: worst.ratio() <= 1.0 && report.failure.is_none(),
        attempts: report.attempts.len(),
        cpu_seconds: report.cpu_seconds,
        worst,
    })
}

/// Searches with the seeds from 0 to `seeds - 1`, and prints a table by problem and one by
/// kind. With a `filter` only problems whose `KIND/NAME` contains it.
pub fn measure(output: &mut Output, seeds: u64, filter: Option<&str>) -> Result<(), Failure> {
    let mut files = problem_files()?;
    files.retain(|file| filter.is_none_or(|text| file.full_name().contains(text)));
    if files.is_empty() {
        return Err("no problem in bench/motion-problems has such a name".into());
    }
    let results = search_all(&files, seeds)?;
    let by_problem: Vec<_> = files.iter().zip(results.chunks(seeds as usize)).collect();

    let mut table = Table::new(
        format!(
            "Problems that no setting was tuned on, {seeds} seed(s), the default portfolio; \
             attempts and processor seconds of one attempt on one core are means; the worst \
             error of all seeds in relation to its threshold"
        ),
        &["problem", "solved", "attempts", "attempt s", "worst error"],
    );
    for (file, results) in &by_problem {
        table.row(problem_row(file, results));
    }
    output.show(&table)?;
    Ok(output.show(&table_by_kind(&by_problem, seeds))?)
}

/// The results of all searches: for each problem those of all seeds.
///
/// Searches run side by side on all cores, each on one thread, so that the processor time
/// of an attempt is that of one core.
fn search_all(files: &[ProblemFile], seeds: u64) -> Result<Vec<Result<Search, String>>, Failure> {
    let jobs: Vec<_> = files
        .iter()
        .flat_map(|file| (0..seeds).map(move |seed| (file, seed)))
        .collect();
    let results = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), rayon::ThreadPoolBuildError> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((file, seed)) = jobs.get(number) else {
                return Ok(());
            };
            let result = pool.install(|| search(file, *seed));
            eprintln!(
                "{} of {}: {}, seed {seed}: {}",
                number + 1,
                jobs.len(),
                file.full_name(),
                summary(&result)
            );
            results.lock().expect("no panic").push((number, result));
        }
    };
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = threads.into_iter().map(|t| t.join().expect("no panic"));
        ended.collect::<Result<(), _>>()
    })?;
    let mut results = results.into_inner()?;
    results.sort_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// One line about a search.
fn summary(result: &Result<Search, String>) -> String {
    match result {
        Ok(search) => format!(
            "{} after {} attempts and {:.1} s, {}",
            if search.solved { "solved" } else { "UNSOLVED" },
            search.attempts,
            search.cpu_seconds,
            search.worst.text()
        ),
        Err(why) => format!("UNSOLVED: {why}"),
    }
}

fn is_solved(result: &Result<Search, String>) -> bool {
    result.as_ref().is_ok_and(|search| search.solved)
}

fn problem_row(file: &ProblemFile, results: &[Result<Search, String>]) -> Vec<Cell> {
    let solved = results.iter().filter(|r| is_solved(r)).count();
    let mut cells = vec![
        file.full_name().into(),
        format!("{solved}/{}", results.len()).into(),
    ];
    if let Some(why) = results.iter().find_map(|r| r.as_ref().err()) {
        cells.extend([blank(), blank(), why.as_str().into()]);
        return cells;
    }
    let searches = || results.iter().flatten();
    let attempts = searches().map(|s| s.attempts).sum::<usize>() as f64;
    let cpu_seconds: f64 = searches().map(|s| s.cpu_seconds).sum();
    let worst = searches().map(|s| s.worst);
    let worst = worst.max_by(|a, b| a.ratio().total_cmp(&b.ratio()));
    cells.extend([
        fixed(attempts / results.len() as f64, 1),
        fixed(cpu_seconds / attempts, 2),
        worst.map_or(blank(), |worst| worst.text().into()),
    ]);
    cells
}

/// How many problems of each kind are solved, for each seed.
fn table_by_kind(by_problem: &[(&ProblemFile, &[Result<Search, String>])], seeds: u64) -> Table {
    let mut columns = vec!["kind".to_owned(), "problems".to_owned()];
    columns.extend((0..seeds).map(|seed| format!("seed {seed}")));
    columns.extend(["of all", "solved %", "target"].map(str::to_owned));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = Table::new("Solved problems by kind", &columns);

    let mut row = |kind: &str, of_kind: &[&[Result<Search, String>]]| {
        let solved = |seed: usize| of_kind.iter().filter(|r| is_solved(&r[seed])).count();
        let solved: Vec<usize> = (0..seeds as usize).map(solved).collect();
        let (sum, all) = (solved.iter().sum::<usize>(), of_kind.len() * solved.len());
        let mut cells: Vec<Cell> = vec![kind.into(), count(of_kind.len() as u64)];
        cells.extend(solved.iter().map(|&n| count(n as u64)));
        cells.push(format!("{sum}/{all}").into());
        cells.push(fixed(100.0 * sum as f64 / all as f64, 0));
        // The target is for all kinds together, for each seed.
        if kind == "all" {
            let least = solved.iter().min().copied().unwrap_or(0) as f64;
            let percent = 100.0 * least / of_kind.len() as f64;
            cells.push(at_least(percent, MIN_SOLVED_PERCENT));
        }
        table.row(cells);
    };
    // Problems of a kind follow each other.
    for of_kind in by_problem.chunk_by(|a, b| a.0.kind == b.0.kind) {
        let results: Vec<_> = of_kind.iter().map(|(_, results)| *results).collect();
        row(&of_kind[0].0.kind, &results);
    }
    let results: Vec<_> = by_problem.iter().map(|(_, results)| *results).collect();
    row("all", &results);
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_world::scene::library;
    use std::collections::BTreeMap;

    #[test]
    fn every_problem_file_parses_and_builds() {
        for file in problem_files().unwrap() {
            if let Err(error) = file.load(0).and_then(|scene| scene.build()) {
                panic!("{}: {error}", file.full_name());
            }
        }
    }

    #[test]
    fn there_are_at_least_five_problems_of_each_kind_and_forty_two_in_all() {
        let mut kinds = BTreeMap::new();
        for file in problem_files().unwrap() {
            *kinds.entry(file.kind).or_insert(0) += 1;
        }
        let names: Vec<&str> = kinds.keys().map(String::as_str).collect();
        let expected = [
            "bodies",
            "flat",
            "obstacles",
            "persons",
            "sequences",
            "slopes",
            "things",
        ];
        assert_eq!(names, expected);
        assert!(kinds.values().all(|&n| n >= 5), "{kinds:?}");
        assert!(kinds.values().sum::<usize>() >= 42, "{kinds:?}");
    }

    #[test]
    fn no_problem_helps_the_search_or_changes_its_thresholds() {
        for file in problem_files().unwrap() {
            let scene = file.load(0).unwrap().file;
            let name = file.full_name();
            assert!(library::find(&file.name).is_none(), "{name} is built in");
            let motion = scene.motion;
            assert!(motion.weights.is_empty(), "{name} sets weights");
            assert!(motion.thresholds.is_empty(), "{name} sets thresholds");
            let efforts = [
                motion.segments,
                motion.samples,
                motion.polish_samples,
                motion.polish,
                motion.attempts,
                motion.keep,
            ];
            assert_eq!(efforts, [None; 6], "{name} sets the effort");
            assert!(motion.iterations.is_none(), "{name} sets iterations");
            assert!(motion.noise.is_none(), "{name} sets noise");
            let staged = scene.obstacle.iter().any(|o| o.comes_from.is_some());
            assert!(!staged, "{name} moves an obstacle in stages");
        }
    }

    #[test]
    fn the_worst_error_is_the_largest_in_relation_to_its_threshold() {
        let mut report = MotionReport::default();
        report.score.contact_drift_max = 0.004;
        report.score.task_error = 0.01;
        assert_eq!(WorstError::of(&report).text(), "drift 4.000 of 5 mm");
        report.reaction_error_bw = 0.25;
        let worst = WorstError::of(&report);
        assert_eq!(worst.text(), "reaction 25 of 0.1 %");
        assert!(worst.ratio() > 1.0);
    }
}
