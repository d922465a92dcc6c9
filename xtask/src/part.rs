//! Runs the parts of a gate and prints one summary.

use crate::process::{Outcome, children_cpu_seconds};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

/// One check that has to pass.
pub struct Part {
    /// Its name in the summary.
    pub name: &'static str,
    /// Runs it.
    pub run: fn() -> Outcome,
    /// The flag that leaves it out, if one does.
    pub left_out: Option<&'static str>,
}

impl Part {
    /// A part that runs.
    pub fn new(name: &'static str, run: fn() -> Outcome) -> Self {
        Self {
            name,
            run,
            left_out: None,
        }
    }

    /// The same part, left out if a flag is set.
    pub fn left_out_by(self, flag: Option<&'static str>) -> Self {
        Self {
            left_out: flag,
            ..self
        }
    }
}

/// Parts that run one after another; the lanes of a stage run side by side.
pub type Lane = Vec<Part>;

/// A stage begins when the one before has ended.
pub struct Stage {
    /// What runs side by side.
    pub lanes: Vec<Lane>,
    /// Whether later stages are pointless after a failure in this one.
    pub required: bool,
}

impl Stage {
    /// A stage of one lane.
    pub fn of(parts: Lane) -> Self {
        Self::side_by_side(vec![parts])
    }

    /// A stage of several lanes.
    pub fn side_by_side(lanes: Vec<Lane>) -> Self {
        Self {
            lanes,
            required: false,
        }
    }

    /// The same stage; the gate stops if a part of it fails.
    pub fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }
}

/// The outcome of a part.
enum End {
    Passed(String),
    Failed(String),
    LeftOut(&'static str),
    NotRun,
}

struct Row {
    name: &'static str,
    end: End,
    seconds: f64,
    /// Processor time, where nothing else ran at the same time.
    cpu_seconds: Option<f64>,
}

/// Runs all stages, prints one summary, and fails if any part failed.
pub fn run(stages: &[Stage]) -> ExitCode {
    let start = Instant::now();
    let mut rows: Vec<Row> = Vec::new();
    let mut stopped = false;
    for stage in stages {
        let parts = stage.lanes.iter().flatten();
        if stopped {
            rows.extend(parts.map(|part| Row {
                name: part.name,
                end: End::NotRun,
                seconds: 0.0,
                cpu_seconds: None,
            }));
            continue;
        }
        let new = run_stage(stage);
        stopped = stage.required && new.iter().any(|row| matches!(row.end, End::Failed(_)));
        rows.extend(new);
    }
    summarise(&rows, start.elapsed().as_secs_f64())
}

fn run_stage(stage: &Stage) -> Vec<Row> {
    let alone = stage.lanes.len() == 1;
    let run_lane = |lane: &Lane| lane.iter().map(|part| run_part(part, alone)).collect();
    if let [lane] = &stage.lanes[..] {
        return run_lane(lane);
    }
    thread::scope(|scope| {
        let lanes = stage.lanes.iter();
        let threads: Vec<_> = lanes.map(|lane| scope.spawn(|| run_lane(lane))).collect();
        let rows = threads.into_iter().zip(&stage.lanes).map(|(thread, lane)| {
            thread.join().unwrap_or_else(|_| {
                let failed = |part: &Part| Row {
                    name: part.name,
                    end: End::Failed("the thread that ran it panicked".into()),
                    seconds: 0.0,
                    cpu_seconds: None,
                };
                lane.iter().map(failed).collect::<Vec<_>>()
            })
        });
        rows.flatten().collect()
    })
}

fn run_part(part: &Part, alone: bool) -> Row {
    if let Some(flag) = part.left_out {
        return Row {
            name: part.name,
            end: End::LeftOut(flag),
            seconds: 0.0,
            cpu_seconds: None,
        };
    }
    println!("\n== {}", part.name);
    let (start, cpu_start) = (Instant::now(), children_cpu_seconds());
    let end = match (part.run)() {
        Ok(remark) => End::Passed(remark),
        Err(problem) => {
            println!("FAILED: {}: {problem}", part.name);
            End::Failed(problem)
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let cpu_seconds = cpu_start
        .zip(children_cpu_seconds())
        .map(|(before, after)| after - before)
        .filter(|_| alone);
    println!("== {}: {seconds:.1} s", part.name);
    Row {
        name: part.name,
        end,
        seconds,
        cpu_seconds,
    }
}

fn summarise(rows: &[Row], total_seconds: f64) -> ExitCode {
    let names = rows.iter().map(|row| row.name.chars().count());
    let width = names.max().unwrap_or(0);
    println!("\n{:<width$}  result    seconds  CPU s", "part");
    let (mut passed, mut failed, mut left_out) = (0, 0, 0);
    for row in rows {
        let (result, remark) = match &row.end {
            End::Passed(remark) => {
                passed += 1;
                ("passed", remark.as_str())
            }
            End::Failed(problem) => {
                failed += 1;
                ("FAILED", problem.lines().next().unwrap_or_default())
            }
            End::LeftOut(flag) => {
                left_out += 1;
                ("LEFT OUT", *flag)
            }
            End::NotRun => {
                left_out += 1;
                ("NOT RUN", "an earlier part failed")
            }
        };
        let cpu = row.cpu_seconds.map(|s| format!("{s:.0}"));
        let line = format!(
            "{:<width$}  {result:<8}  {:>7.1}  {:>5}  {remark}",
            row.name,
            row.seconds,
            cpu.unwrap_or_default()
        );
        println!("{}", line.trim_end());
    }
    let cpu = children_cpu_seconds().map(|s| format!(", {s:.0} s of processor time"));
    println!(
        "{passed} passed, {failed} failed, {left_out} left out, in {total_seconds:.0} s{}",
        cpu.unwrap_or_default()
    );
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
