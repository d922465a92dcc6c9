//! Stacks, piles and joints: whole steps of Conatus, of rapier3d-f64 and, with the
//! feature `box3d`, of Box3D.
//!
//! All engines run the same scene in turn, a few steps each, so that the load of the
//! machine affects all of them alike. Nothing sleeps.

#[cfg(feature = "box3d")]
mod box3d;
mod conatus;
mod quality;
mod rapier;
mod scene;

use crate::Failure;
use crate::output::{Output, TablePrinter};
use crate::rounds::FrameCost;
use crate::table::{Cell, Table, blank, count, fixed, power};
use conatus_math::Pose;
use quality::Violation;
use scene::{ENTRIES, Scene};
use std::time::{Duration, Instant};

/// Seconds of a step.
const STEP: f64 = 1.0 / 60.0;
/// Substeps of a step; rapier's solver iterations.
const SUBSTEPS: u32 = 4;
/// Steps that an engine makes before it is the next one's turn. After a pause the scheduler
/// takes some steps until the threads of an engine are on different processors.
const STEPS_PER_TURN: u64 = 25;
/// The last part of a run, in which paths are measured, is one over this.
const REST_DIVISOR: u64 = 4;

/// The least time between two progress lines on standard error.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(15);

/// What is to be measured.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The most steps of a run.
    pub max_steps: Option<u64>,
    /// Whether only Conatus runs, on one thread, for a profiler.
    pub alone: bool,
}

/// An engine with a scene.
trait Engine {
    /// Makes one step.
    fn step(&mut self);
    /// The poses of all bodies.
    fn poses(&self, poses: &mut Vec<Pose>);
}

/// An engine and what was measured of it.
struct Candidate {
    name: &'static str,
    threads: usize,
    engine: Box<dyn Engine>,
    cost: FrameCost,
    /// The sum of the paths of all bodies in the last part of the run, in metres.
    path: f64,
    poses: Vec<Pose>,
    poses_before: Vec<Pose>,
}

impl Candidate {
    fn new(name: &'static str, threads: usize, engine: impl Engine + 'static) -> Self {
        Self {
            name,
            threads,
            engine: Box::new(engine),
            cost: FrameCost::default(),
            path: 0.0,
            poses: Vec::new(),
            poses_before: Vec::new(),
        }
    }

    /// Makes a step. Paths count from step `rest_from` on.
    fn step(&mut self, step: u64, rest_from: u64) {
        if step == rest_from {
            self.engine.poses(&mut self.poses);
        }
        let engine = &mut self.engine;
        self.cost += FrameCost::of(|| engine.step());
        if step >= rest_from {
            std::mem::swap(&mut self.poses, &mut self.poses_before);
            self.engine.poses(&mut self.poses);
            let both = self.poses.iter().zip(&self.poses_before);
            self.path += both
                .map(|(now, before)| now.translation.distance(before.translation))
                .sum::<f64>();
        }
    }
}

/// Whether a name is that of a section.
pub fn is_section(name: &str) -> bool {
    ENTRIES.iter().any(|entry| entry.section == name)
}

/// Measures the sections that `includes` selects.
pub fn measure(
    output: &mut Output,
    includes: impl Fn(&str) -> bool,
    options: Options,
) -> Result<(), Failure> {
    let entries: Vec<_> = ENTRIES.iter().filter(|e| includes(e.section)).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let table = Table::new(
        "Stacks and joints: step 1/60 s, 4 substeps, no sleeping; ratios of speeds to one \
         thread; errors are penetrations or gaps of joints; paths of the last quarter; density \
         inside heaps of balls",
        &[
            "scene, engine, threads",
            "steps",
            "steps/s, processor",
            "steps/s, wall",
            "× rapier",
            "× Box3D",
            "× rapier, wall",
            "× Box3D, wall",
            "greatest error mm",
            "mean error mm",
            "path mm/s",
            "density",
        ],
    );
    let mut table = output.begin(table)?;
    for entry in entries {
        let name = entry.section.trim_start_matches("stacks-");
        measure_scene(&mut table, name, &(entry.build)()?, options)?;
    }
    Ok(table.finish()?)
}

fn measure_scene(
    table: &mut TablePrinter,
    name: &str,
    scene: &Scene,
    options: Options,
) -> Result<(), Failure> {
    let steps = options
        .max_steps
        .map_or(scene.steps, |n| n.min(scene.steps));
    let rest = steps.div_ceil(REST_DIVISOR);
    let mut candidates = candidates(scene, options.alone)?;
    let mut last_line = Instant::now();
    for turn in (0..steps).step_by(STEPS_PER_TURN as usize) {
        for candidate in &mut candidates {
            for step in turn..steps.min(turn + STEPS_PER_TURN) {
                candidate.step(step, steps - rest);
            }
        }
        if last_line.elapsed() > PROGRESS_INTERVAL {
            last_line = Instant::now();
            eprintln!("{name}: step {turn} of {steps}");
        }
    }
    let reference = |name: &str| {
        let one = candidates.iter().find(|c| c.name == name && c.threads == 1);
        one.map(|c| c.cost)
    };
    let (rapier, box3d) = (reference("rapier3d-f64"), reference("Box3D"));
    let ratio = |other: Option<f64>, own: f64| other.map_or(blank(), |o| fixed(o / own, 2));
    for c in &candidates {
        let violation = Violation::of(scene, &c.poses);
        let seconds = rest as f64 * STEP;
        let path = c.path / seconds / scene.free_bodies() as f64;
        let row: Vec<Cell> = vec![
            format!("{name}, {}, {}", c.name, c.threads).into(),
            count(steps),
            fixed(steps as f64 / c.cost.cpu, 2),
            fixed(steps as f64 / c.cost.wall, 2),
            ratio(rapier.map(|r| r.cpu), c.cost.cpu),
            ratio(box3d.map(|r| r.cpu), c.cost.cpu),
            ratio(rapier.map(|r| r.wall), c.cost.wall),
            ratio(box3d.map(|r| r.wall), c.cost.wall),
            fixed(violation.greatest * 1e3, 3),
            fixed(violation.mean * 1e3, 4),
            power(path * 1e3),
            quality::density(scene, &c.poses).map_or(blank(), |share| fixed(share, 3)),
        ];
        table.row(row)?;
    }
    Ok(())
}

/// The engines, each with its own copy of the scene.
fn candidates(scene: &Scene, alone: bool) -> Result<Vec<Candidate>, Failure> {
    let mut all = vec![Candidate::new(
        "Conatus",
        1,
        conatus::Conatus::new(scene, 1)?,
    )];
    if alone {
        return Ok(all);
    }
    all.push(Candidate::new(
        "Conatus",
        2,
        conatus::Conatus::new(scene, 2)?,
    ));
    all.push(Candidate::new("rapier3d-f64", 1, rapier::build(scene)?));
    #[cfg(feature = "box3d")]
    for threads in [1, 2] {
        let engine = box3d::Box3d::new(scene, threads)?;
        all.push(Candidate::new("Box3D", threads, engine));
    }
    Ok(all)
}
