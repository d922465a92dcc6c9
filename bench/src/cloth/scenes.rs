//! The scenes of the paper at full size on one thread, compared with its Table 1.

use super::drive::{MeasuredRun, run_scene};
use super::rest::{Rest, RestObserver};
use crate::Failure;
use crate::output::Output;
use crate::table::{Cell, Table, at_least, at_most, blank, count, fixed};

/// A row of Table 1, in seconds per frame.
pub struct Example {
    /// The built-in scene.
    pub scene: &'static str,
    /// Total with inelastic projection.
    pub total: f64,
    /// Of that, collisions.
    pub collision: f64,
    /// Total with rigid impact zones.
    pub rigid_total: f64,
    /// The speedup that is expected at least.
    pub min_speedup: f64,
}

/// Table 1 of Harmon et al. (2008): a thread of a 2.66 GHz Core 2 Duo.
pub const TABLE_1: [Example; 6] = [
    example("squares-incline", 0.34, 0.33, 0.63, 30.0),
    example("squares-plane", 0.56, 0.54, 0.49, 30.0),
    example("crushed-cylinder", 2.85, 1.92, 2.83, 30.0),
    example("ribbon", 5.03, 4.05, 7.63, 30.0),
    example("funnel-low", 13.71, 10.90, 18.76, 15.0),
    example("funnel", 13.12, 9.61, 23.71, 15.0),
];

const fn example(
    scene: &'static str,
    total: f64,
    collision: f64,
    rigid_total: f64,
    min_speedup: f64,
) -> Example {
    Example {
        scene,
        total,
        collision,
        rigid_total,
        min_speedup,
    }
}

/// The most memory that `funnel` may take, in megabytes.
const MAX_MEMORY_MB: f64 = 1000.0;
/// The largest mean speed of cloth at rest.
const MAX_REST_SPEED_CM_S: f64 = 1.0;

/// Runs them one after the other, the fastest first. Runs on one thread of
/// the caller's pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let table = Table::new(
        "The paper's scenes, inelastic projection, one thread: processor seconds per frame \
         compared with Table 1 of Harmon et al. 2008",
        &[
            "scene",
            "DOF",
            "frames",
            "total",
            "collision",
            "paper's total",
            "paper's collision",
            "× faster",
            "target",
            "wall",
            "intersections",
            "max stretch",
            "stretch target",
            "settled at s",
            "rest cm/s",
            "rest target",
            "later cm/s",
            "fail-safe calls",
            "peak MB",
            "memory target",
        ],
    );
    let mut table = output.begin(table)?;
    for example in &TABLE_1 {
        let mut observer = RestObserver::default();
        let run = run_scene(example.scene, &[], frames, None, |world| {
            observer.observe(world)
        })?;
        table.row(row(example, &run, observer.rest()))?;
    }
    Ok(table.finish()?)
}

/// Entries about rest are blank if cloth is not settled for two seconds: see
/// [`rest`](super::rest). `later cm/s` is the largest mean speed from then on.
fn row(example: &Example, run: &MeasuredRun, rest: Option<Rest>) -> Vec<Cell> {
    let (report, each) = (&run.report, run.per_frame());
    let peak = run.peak.map(|bytes| bytes as f64 / 1e6);
    vec![
        example.scene.into(),
        count(report.dofs as u64),
        frames_made(run),
        fixed(each, 4),
        fixed(run.collisions_per_frame(), 4),
        fixed(example.total, 2),
        fixed(example.collision, 2),
        fixed(example.total / each, 1),
        at_least(example.total / each, example.min_speedup),
        fixed(run.cost().wall / run.frames.len().max(1) as f64, 4),
        count(report.intersections),
        fixed(report.max_stretch, 3),
        at_most(report.max_stretch, 1.5),
        rest.map_or(blank(), |r| fixed(r.settled, 2)),
        rest.map_or(blank(), |r| fixed(100.0 * r.speed, 2)),
        rest.map_or(blank(), |r| at_most(100.0 * r.speed, MAX_REST_SPEED_CM_S)),
        rest.map_or(blank(), |r| fixed(100.0 * r.later, 2)),
        count(report.failsafe_calls),
        peak.map_or(blank(), |p| fixed(p, 0)),
        match peak {
            Some(peak) if example.scene == "funnel" => at_most(peak, MAX_MEMORY_MB),
            _ => blank(),
        },
    ]
}

/// The frames that were made, and of how many if not all.
pub fn frames_made(run: &MeasuredRun) -> Cell {
    let made = run.frames.len() as u64;
    match (&run.report.failure, made == run.planned) {
        (Some(_), _) => format!("failed in {made}").into(),
        (None, true) => count(made),
        (None, false) => format!("{made}/{}", run.planned).into(),
    }
}
