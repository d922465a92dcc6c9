//! Runs a scene frame by frame and measures the cost of each frame.

use super::peak;
use crate::program::DiscardingSink;
use crate::rounds::FrameCost;
use conatus_world::report::ClothReport;
use conatus_world::scene::{LoadOptions, Scene, SceneError, Setup};
use conatus_world::{RunLog, World};
use std::time::{Duration, Instant};

/// The least time between two progress lines on standard error.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(15);

/// A run and its cost, without the search for intersections.
pub struct MeasuredRun {
    /// The report of the run.
    pub report: ClothReport,
    /// The cost of each frame but the first.
    pub frames: Vec<FrameCost>,
    /// Frames of a complete run, without the first.
    pub planned: u64,
    /// The peak of memory, in bytes.
    pub peak: Option<u64>,
}

impl MeasuredRun {
    /// The sum over all frames.
    pub fn cost(&self) -> FrameCost {
        sum(&self.frames)
    }

    /// Processor seconds per frame.
    pub fn per_frame(&self) -> f64 {
        self.cost().cpu / self.frames.len().max(1) as f64
    }

    /// The part of these that collision handling took, by its share of the wall
    /// time.
    pub fn collisions_per_frame(&self) -> f64 {
        let ClothReport {
            total_seconds,
            collision_seconds,
            ..
        } = self.report;
        self.per_frame() * collision_seconds / total_seconds
    }
}

/// The sum over some frames.
pub fn sum(frames: &[FrameCost]) -> FrameCost {
    let mut total = FrameCost::default();
    frames.iter().for_each(|frame| total += *frame);
    total
}

/// Runs a built-in scene with changes as by `--set`, for at most `max_frames` frames
/// and `max_cpu_seconds`. `observe` sees the world at the start and after each frame.
pub fn run_scene(
    scene: &str,
    sets: &[String],
    max_frames: Option<u64>,
    max_cpu_seconds: Option<f64>,
    mut observe: impl FnMut(&World),
) -> Result<MeasuredRun, SceneError> {
    peak::reset();
    let options = LoadOptions {
        sets: sets.to_vec(),
        ..LoadOptions::default()
    };
    let Setup {
        mut world,
        schedule,
        ..
    } = Scene::load(scene, &options)?.build()?;
    let planned = schedule.frames() - 1;
    let end = max_frames.map_or(planned, |most| most.min(planned));
    let mut log = RunLog::new();
    let Ok(()) = log.record(&mut world, &mut DiscardingSink);
    observe(&world);
    let mut frames = Vec::new();
    let (begin, mut last_line) = (Instant::now(), Instant::now());
    let spent = |frames: &[FrameCost]| max_cpu_seconds.is_some_and(|most| sum(frames).cpu > most);
    while (frames.len() as u64) < end && !world.is_halted() && !spent(&frames) {
        frames.push(FrameCost::of(|| {
            for _ in 0..schedule.steps_per_frame {
                log.log_step(&world.step());
                if world.is_halted() {
                    break;
                }
            }
        }));
        let Ok(()) = log.record(&mut world, &mut DiscardingSink);
        observe(&world);
        if last_line.elapsed() > PROGRESS_INTERVAL {
            last_line = Instant::now();
            let seconds = begin.elapsed().as_secs();
            eprintln!("{scene}: frame {} of {end}, {seconds} s", frames.len());
        }
    }
    let report = log
        .report(&world, &schedule, false)
        .cloth
        .unwrap_or_default();
    Ok(MeasuredRun {
        report,
        frames,
        planned,
        peak: peak::bytes(),
    })
}
