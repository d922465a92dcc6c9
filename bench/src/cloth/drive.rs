//! Runs a scene frame by frame and notes what each frame cost.

use super::peak;
use crate::program::Nowhere;
use conatus_world::report::ClothReport;
use conatus_world::scene::{LoadOptions, Scene, SceneError, Setup};
use conatus_world::{RunLog, World};
use cpu_time::ProcessTime;
use std::time::{Duration, Instant};

/// How often a long run says on standard error how far it is.
const NEWS: Duration = Duration::from_secs(15);

/// What a frame cost, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Of processor time, over all threads.
    pub cpu: f64,
    /// On the clock.
    pub wall: f64,
}

/// A run and what it cost. Looking for intersections is not in it.
pub struct Ride {
    /// What the run reports.
    pub report: ClothReport,
    /// The frames, the start not counted.
    pub frames: Vec<Cost>,
    /// Frames that a whole run has.
    pub planned: u64,
    /// The most memory, in bytes.
    pub peak: Option<u64>,
}

impl Ride {
    /// The sum over all frames.
    pub fn cost(&self) -> Cost {
        sum(&self.frames)
    }

    /// Processor seconds per frame.
    pub fn per_frame(&self) -> f64 {
        self.cost().cpu / self.frames.len().max(1) as f64
    }

    /// The part of these that collision handling took, by its share of the
    /// time on the clock.
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
pub fn sum(frames: &[Cost]) -> Cost {
    frames.iter().fold(Cost::default(), |sum, f| Cost {
        cpu: sum.cpu + f.cpu,
        wall: sum.wall + f.wall,
    })
}

/// Runs a built-in scene, changed as by `--set`, for at most so many frames and,
/// if there is a budget, seconds of processor time; `look` sees the world at the start and after each.
pub fn drive(
    scene: &str,
    sets: &[String],
    most: Option<u64>,
    budget: Option<f64>,
    mut look: impl FnMut(&World),
) -> Result<Ride, SceneError> {
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
    let end = most.map_or(planned, |most| most.min(planned));
    let mut log = RunLog::new();
    let Ok(()) = log.record(&mut world, &mut Nowhere);
    look(&world);
    let mut frames = Vec::new();
    let (begin, mut told) = (Instant::now(), Instant::now());
    let spent = |frames: &[Cost]| budget.is_some_and(|most| sum(frames).cpu > most);
    while (frames.len() as u64) < end && !world.is_halted() && !spent(&frames) {
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        for _ in 0..schedule.steps_per_frame {
            log.log_step(&world.step());
            if world.is_halted() {
                break;
            }
        }
        frames.push(Cost {
            cpu: cpu.elapsed().as_secs_f64(),
            wall: wall.elapsed().as_secs_f64(),
        });
        let Ok(()) = log.record(&mut world, &mut Nowhere);
        look(&world);
        if told.elapsed() > NEWS {
            told = Instant::now();
            let seconds = begin.elapsed().as_secs();
            eprintln!("{scene}: frame {} of {end}, {seconds} s", frames.len());
        }
    }
    let report = log
        .report(&world, &schedule, false)
        .cloth
        .unwrap_or_default();
    Ok(Ride {
        report,
        frames,
        planned,
        peak: peak::bytes(),
    })
}
