//! The scenes of the paper at full size on one thread, beside its Table 1.

use super::drive::{Ride, drive};
use super::rest::{Rest, Watch};
use crate::Failure;
use crate::output::Output;
use crate::table::{Cell, Table, at_least, at_most, blank, count, fixed};

/// A row of Table 1, in seconds per frame.
pub struct Example {
    /// The built-in scene.
    pub scene: &'static str,
    /// All of it with inelastic projection.
    pub total: f64,
    /// Of that, collisions.
    pub collision: f64,
    /// All of it with rigid impact zones.
    pub rigid_total: f64,
    /// How many times as fast we want to be.
    pub bar: f64,
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
    bar: f64,
) -> Example {
    Example {
        scene,
        total,
        collision,
        rigid_total,
        bar,
    }
}

/// The most memory that `funnel` may take, in megabytes.
const MEMORY: f64 = 1000.0;
/// The fastest that cloth at rest may be on the mean, in cm/s.
const REST: f64 = 1.0;

/// Runs them one after the other, the quickest first. Runs on one thread of
/// the caller's pool.
pub fn measure(output: &mut Output, frames: Option<u64>) -> Result<(), Failure> {
    let table = Table::new(
        "The paper's scenes, inelastic projection, one thread: processor seconds per frame \
         beside Table 1 of Harmon et al. 2008",
        &[
            "scene",
            "DOF",
            "frames",
            "total",
            "collision",
            "paper's total",
            "paper's collision",
            "× faster",
            "bar",
            "clock",
            "intersections",
            "max stretch",
            "stretch bar",
            "lies at s",
            "rest cm/s",
            "rest bar",
            "later cm/s",
            "fail-safe calls",
            "peak MB",
            "memory bar",
        ],
    );
    let mut table = output.begin(table)?;
    for example in &TABLE_1 {
        let mut watch = Watch::default();
        let ride = drive(example.scene, &[], frames, None, |world| watch.look(world))?;
        table.row(row(example, &ride, watch.rest()))?;
    }
    Ok(table.end()?)
}

/// What is said of rest stays empty where cloth does not lie for two seconds: see
/// [`rest`](super::rest) for what that means. `later cm/s` is the most from then on.
fn row(example: &Example, ride: &Ride, rest: Option<Rest>) -> Vec<Cell> {
    let (report, each) = (&ride.report, ride.per_frame());
    let peak = ride.peak.map(|bytes| bytes as f64 / 1e6);
    vec![
        example.scene.into(),
        count(report.dofs as u64),
        made(ride),
        fixed(each, 4),
        fixed(ride.collisions_per_frame(), 4),
        fixed(example.total, 2),
        fixed(example.collision, 2),
        fixed(example.total / each, 1),
        at_least(example.total / each, example.bar),
        fixed(ride.cost().wall / ride.frames.len().max(1) as f64, 4),
        count(report.intersections),
        fixed(report.max_stretch, 3),
        at_most(report.max_stretch, 1.5),
        rest.map_or(blank(), |r| fixed(r.lies, 2)),
        rest.map_or(blank(), |r| fixed(100.0 * r.speed, 2)),
        rest.map_or(blank(), |r| at_most(100.0 * r.speed, REST)),
        rest.map_or(blank(), |r| fixed(100.0 * r.later, 2)),
        count(report.failsafe_calls),
        peak.map_or(blank(), |p| fixed(p, 0)),
        match peak {
            Some(peak) if example.scene == "funnel" => at_most(peak, MEMORY),
            _ => blank(),
        },
    ]
}

/// Frames made, and of how many if not all.
pub fn made(ride: &Ride) -> Cell {
    let made = ride.frames.len() as u64;
    match (&ride.report.failure, made == ride.planned) {
        (Some(_), _) => format!("failed in {made}").into(),
        (None, true) => count(made),
        (None, false) => format!("{made}/{}", ride.planned).into(),
    }
}
