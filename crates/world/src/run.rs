//! Runs a world to the end of its schedule and passes every frame to a sink.

use crate::checkpoint::{CACHE_CLEAR_STEPS, CHECKPOINT_FRAMES, Checkpoint};
use crate::energy::{EnergyGrowth, explains_energy};
use crate::report::{AngularMomentumReport, EnergyReport, JointsReport, Report, RigidReport};
use crate::step::{JointExtremes, StepReport};
use crate::world::World;
use conatus_math::DVec3;
use conatus_record::{Event, Frame, Totals};
use cpu_time::ProcessTime;
use std::time::Instant;

/// Receives frames and events: a recording in memory, a file, a viewer.
pub trait RunSink {
    /// The error of a sink that cannot accept more.
    type Error;
    /// Accepts a frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), Self::Error>;
    /// Accepts an event.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;
    /// Accepts a checkpoint, directly after the frame of the same step. Ignored
    /// by default.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// How long to run and how often to record.
#[derive(Clone, Debug)]
pub struct RunSchedule {
    /// The name of the scene, for the report.
    pub scene: String,
    /// The seed, for the report.
    pub seed: u64,
    /// The length of the run in seconds, as the scene gives it.
    pub seconds: f64,
    /// The number of steps.
    pub steps: u64,
    /// The number of steps from one frame to the next.
    pub steps_per_frame: u64,
}

impl RunSchedule {
    /// The number of frames of a whole run, including the first and the last.
    pub fn frames(&self) -> u64 {
        self.steps.div_ceil(self.steps_per_frame) + 1
    }

    /// Steps from one checkpoint to the next: a multiple of the steps per frame
    /// and of the steps at which worlds clear their caches. Depends on the scene
    /// alone.
    pub fn checkpoint_steps(&self) -> u64 {
        let frames = self.steps_per_frame.saturating_mul(CHECKPOINT_FRAMES);
        let (mut a, mut b) = (frames, CACHE_CLEAR_STEPS);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        // The least common multiple.
        frames.saturating_mul(CACHE_CLEAR_STEPS / a)
    }
}

/// The most steps between two calls of `should_continue`.
const MAX_STEPS_BETWEEN_POLLS: u64 = 256;

/// Runs `world` to the end of its schedule. `should_continue` is called at least
/// after every frame with the number of steps made so far and stops the run by
/// returning false; the recording keeps all frames up to there, and a last frame
/// of the step at which it stopped. The caller fills in the number of threads.
pub fn run<S: RunSink>(
    world: &mut World,
    schedule: &RunSchedule,
    sink: &mut S,
    should_continue: impl FnMut(u64) -> bool,
) -> Result<Report, S::Error> {
    resume(world, schedule, RunLog::new(), sink, should_continue)
}

/// Continues a run: as [`run`], for a world that was recorded up to its present
/// step; see [`World::restore`].
pub fn resume<S: RunSink>(
    world: &mut World,
    schedule: &RunSchedule,
    mut log: RunLog,
    sink: &mut S,
    mut should_continue: impl FnMut(u64) -> bool,
) -> Result<Report, S::Error> {
    let checkpoint_steps = schedule.checkpoint_steps();
    tracing::info!(
        scene = %schedule.scene,
        from_step = world.steps(),
        steps = schedule.steps,
        bodies = world.bodies.len(),
        "running"
    );
    let mut recorded = log.frames() > 0;
    let mut running = true;
    let mut interrupted = false;
    loop {
        if !recorded {
            log.record(world, sink)?;
            // The frame of an interrupted run may lie between those of the schedule.
            if running && world.steps().is_multiple_of(checkpoint_steps) {
                tracing::debug!(step = world.steps(), "checkpoint");
                sink.checkpoint(&Checkpoint { world, log: &log })?;
            }
        }
        recorded = false;
        if !(running && should_continue(world.steps())) {
            interrupted = world.steps() < schedule.steps && !world.is_halted();
            break;
        }
        let left = schedule.steps.saturating_sub(world.steps());
        let steps = schedule.steps_per_frame.min(left);
        if steps == 0 {
            break;
        }
        for k in 1..=steps {
            log.log_step(&world.step());
            if world.is_halted() {
                running = false;
                break;
            }
            if k % MAX_STEPS_BETWEEN_POLLS == 0 && !should_continue(world.steps()) {
                running = false;
                break;
            }
        }
    }
    tracing::info!(
        step = world.steps(),
        frames = log.frames(),
        interrupted,
        "run ended"
    );
    Ok(log.report(world, schedule, interrupted))
}

/// Accumulates the figures of a run for its report. Call
/// [`log_step`](Self::log_step) after every step and [`record`](Self::record) for
/// every frame.
pub struct RunLog {
    begin: Instant,
    begin_cpu: ProcessTime,
    stats: RunStats,
}

/// The figures of a run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunStats {
    pub(crate) frames: u64,
    pub(crate) contacts_max: usize,
    pub(crate) quarantined: Vec<String>,
    pub(crate) joints: JointExtremes,
    pub(crate) broken_joints: Vec<String>,
    pub(crate) tally: ConservationTally,
    pub(crate) growth: EnergyGrowth,
    pub(crate) intersections: u64,
    pub(crate) max_stretch: f64,
    /// Wall time before this log began, if it continues another.
    pub(crate) wall_seconds: f64,
    /// Processor time before this log began.
    pub(crate) cpu_seconds: f64,
}

impl Default for RunLog {
    fn default() -> Self {
        Self::new()
    }
}

impl RunLog {
    /// An empty log whose clocks start now.
    pub fn new() -> Self {
        Self::continuing(RunStats::default())
    }

    /// A log that continues from earlier figures.
    pub(crate) fn continuing(stats: RunStats) -> Self {
        Self {
            begin: Instant::now(),
            begin_cpu: ProcessTime::now(),
            stats,
        }
    }

    /// The figures so far, from which a log can continue.
    pub(crate) fn stats_now(&self) -> RunStats {
        RunStats {
            wall_seconds: self.wall_seconds(),
            cpu_seconds: self.cpu_seconds(),
            ..self.stats.clone()
        }
    }

    fn wall_seconds(&self) -> f64 {
        self.stats.wall_seconds + self.begin.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> f64 {
        self.stats.cpu_seconds + self.begin_cpu.elapsed().as_secs_f64()
    }

    /// The number of recorded frames.
    pub fn frames(&self) -> u64 {
        self.stats.frames
    }

    /// Adds the figures of a step.
    pub fn log_step(&mut self, step: &StepReport) {
        self.stats.contacts_max = self.stats.contacts_max.max(step.contacts);
        self.stats.joints = self.stats.joints.max(&step.joints);
    }

    /// Passes the world's events since the last call and its present frame to a
    /// sink, and adds their figures.
    pub fn record<S: RunSink>(&mut self, world: &mut World, sink: &mut S) -> Result<(), S::Error> {
        let mut explained = world.has_energy_source();
        for event in world.take_events() {
            explained |= explains_energy(&event);
            self.stats
                .quarantined
                .extend(event.quarantined().map(str::to_owned));
            self.stats
                .broken_joints
                .extend(event.broken_joint().map(str::to_owned));
            sink.event(&event)?;
        }
        let frame = world.frame();
        self.stats.tally.add(&frame.totals);
        let lift = world.lift_energy();
        self.stats.growth.add(&frame.totals, lift, explained);
        self.stats.frames += 1;
        if let Some(cloth) = &world.cloth {
            self.stats.intersections += cloth.intersections();
            self.stats.max_stretch = self.stats.max_stretch.max(cloth.max_stretch());
        }
        sink.frame(&frame)
    }

    /// The names of all bodies that were quarantined so far.
    pub fn quarantined(&self) -> &[String] {
        &self.stats.quarantined
    }

    fn joints(&self, world: &World) -> Option<JointsReport> {
        let most = &self.stats.joints;
        (!world.joints().is_empty()).then(|| JointsReport {
            count: world.joints().len(),
            max_error: most.error,
            max_angle_error: most.angle_error,
            max_force: most.force,
            max_torque: most.torque,
            broken: self.stats.broken_joints.clone(),
        })
    }

    /// The report so far.
    pub fn report(&self, world: &World, schedule: &RunSchedule, interrupted: bool) -> Report {
        let motion = world.motion.as_ref().and_then(|m| m.report());
        // Obstacles without cloth are no cloth.
        let cloth = (world.cloth.as_ref()).filter(|cloth| !cloth.positions().is_empty());
        Report {
            scene: schedule.scene.clone(),
            seed: schedule.seed,
            seconds: world.time(),
            steps: world.steps(),
            frames: self.stats.frames,
            wall_seconds: self.wall_seconds(),
            cpu_seconds: self.cpu_seconds(),
            threads: 1,
            interrupted: interrupted || motion.is_some_and(|m| m.was_interrupted()),
            energy: EnergyReport {
                unexplained: self.stats.growth.unexplained(),
                ..self.stats.tally.energy()
            },
            angular_momentum: self.stats.tally.angular_momentum(),
            rigid: RigidReport {
                bodies: world.bodies.len(),
                contacts_max: self.stats.contacts_max,
                max_penetration: self.stats.tally.max_penetration,
                quarantined: self.stats.quarantined.clone(),
                joints: self.joints(world),
            },
            cloth: cloth.map(|c| c.report(&self.stats)),
            motion: motion.cloned(),
        }
    }
}

/// Accumulates the changes of energy and angular momentum over frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConservationTally {
    pub(crate) start: Option<(f64, DVec3)>,
    pub(crate) end: f64,
    pub(crate) energy_change: f64,
    pub(crate) largest_kinetic: f64,
    pub(crate) spin_change: f64,
    pub(crate) largest_spin: f64,
    pub(crate) max_penetration: f64,
}

impl ConservationTally {
    fn add(&mut self, totals: &Totals) {
        let energy = totals.kinetic + totals.potential;
        let (e0, l0) = *self.start.get_or_insert((energy, totals.angular_momentum));
        self.end = energy;
        self.energy_change = self.energy_change.max((energy - e0).abs());
        self.largest_kinetic = self.largest_kinetic.max(totals.kinetic);
        self.spin_change = self.spin_change.max(totals.angular_momentum.distance(l0));
        self.largest_spin = self.largest_spin.max(totals.angular_momentum.length());
        self.max_penetration = self.max_penetration.max(totals.max_penetration);
    }

    fn energy(&self) -> EnergyReport {
        let start = self.start.map_or(0.0, |s| s.0);
        EnergyReport {
            start,
            end: self.end,
            max_relative_drift: ratio(self.energy_change, start.abs().max(self.largest_kinetic)),
            unexplained: None,
        }
    }

    fn angular_momentum(&self) -> AngularMomentumReport {
        AngularMomentumReport {
            max_relative_drift: ratio(self.spin_change, self.largest_spin),
        }
    }
}

/// The relative drift; no change at all is no drift, also at scale zero.
fn ratio(change: f64, scale: f64) -> f64 {
    if change == 0.0 { 0.0 } else { change / scale }
}
