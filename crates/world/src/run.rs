//! Runs a world to its end and hands every frame to a sink.

use crate::checkpoint::{CHECKPOINT_FRAMES, Checkpoint, MEMORY_STEPS};
use crate::energy::{EnergyGrowth, explains_energy};
use crate::report::{AngularMomentumReport, ClothReport, EnergyReport, Report, RigidReport};
use crate::step::StepReport;
use crate::world::World;
use conatus_math::DVec3;
use conatus_record::{Event, Frame, Totals};
use cpu_time::ProcessTime;
use std::time::Instant;

/// Where frames and events go: a recording in memory, a file, a viewer.
pub trait Sink {
    /// What can go wrong with it.
    type Error;
    /// Takes a frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), Self::Error>;
    /// Takes an event.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;
    /// Takes a moment, just after its frame, from which the run can be
    /// continued; most sinks have no use for it.
    fn checkpoint(&mut self, _checkpoint: &Checkpoint) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// How long to run and how often to record.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The scene's name, for the report.
    pub scene: String,
    /// The seed, for the report.
    pub seed: u64,
    /// How many steps.
    pub steps: u64,
    /// How many of them between two frames.
    pub steps_per_frame: u64,
}

impl Plan {
    /// Frames of a whole run, the first and the last included.
    pub fn frames(&self) -> u64 {
        self.steps.div_ceil(self.steps_per_frame) + 1
    }

    /// Steps from one checkpoint to the next: whole frames, and moments at
    /// which worlds forget. It follows from the scene alone.
    pub fn checkpoint_steps(&self) -> u64 {
        let frames = self.steps_per_frame.saturating_mul(CHECKPOINT_FRAMES);
        let (mut a, mut b) = (frames, MEMORY_STEPS);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        // The least common multiple.
        frames.saturating_mul(MEMORY_STEPS / a)
    }
}

/// Steps between two questions to `go_on`, however far apart frames are.
const STEPS_PER_QUESTION: u64 = 256;

/// Runs `world` by `plan`. `go_on` is called at least after every frame with
/// the steps made so far and stops the run by returning false; what was
/// recorded stays, and a last frame shows where it stopped. The number of
/// threads is for the caller to fill in.
pub fn run<S: Sink>(
    world: &mut World,
    plan: &Plan,
    sink: &mut S,
    go_on: impl FnMut(u64) -> bool,
) -> Result<Report, S::Error> {
    resume(world, plan, Logbook::new(), sink, go_on)
}

/// The same for a world that has come some way already and was recorded up to
/// where it is: see [`World::restore`].
pub fn resume<S: Sink>(
    world: &mut World,
    plan: &Plan,
    mut log: Logbook,
    sink: &mut S,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Report, S::Error> {
    let checkpoint_steps = plan.checkpoint_steps();
    let mut recorded = log.frames() > 0;
    let mut going = true;
    let mut interrupted = false;
    loop {
        if !recorded {
            log.record(world, sink)?;
            // Where a run is stopped is no moment of the plan.
            if going && world.steps().is_multiple_of(checkpoint_steps) {
                sink.checkpoint(&Checkpoint { world, log: &log })?;
            }
        }
        recorded = false;
        if !(going && go_on(world.steps())) {
            interrupted = world.steps() < plan.steps && !world.is_stuck();
            break;
        }
        let left = plan.steps.saturating_sub(world.steps());
        let steps = plan.steps_per_frame.min(left);
        if steps == 0 {
            break;
        }
        for k in 1..=steps {
            log.step(&world.step());
            if world.is_stuck() {
                going = false;
                break;
            }
            if k % STEPS_PER_QUESTION == 0 && !go_on(world.steps()) {
                going = false;
                break;
            }
        }
    }
    Ok(log.report(world, plan, interrupted))
}

/// Follows a run for its report: whoever drives a world tells it of every
/// step, and lets it record every frame.
pub struct Logbook {
    begin: Instant,
    begin_cpu: ProcessTime,
    notes: Notes,
}

/// What a logbook has noted so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) frames: u64,
    pub(crate) contacts_max: usize,
    pub(crate) quarantined: Vec<String>,
    pub(crate) tally: Tally,
    pub(crate) growth: EnergyGrowth,
    pub(crate) intersections: u64,
    pub(crate) max_stretch: f64,
    /// On the clock and of processors, before this logbook began.
    pub(crate) wall_seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl Default for Logbook {
    fn default() -> Self {
        Self::new()
    }
}

impl Logbook {
    /// A logbook that begins now.
    pub fn new() -> Self {
        Self::with(Notes::default())
    }

    /// A logbook that goes on behind what another has noted.
    pub(crate) fn with(notes: Notes) -> Self {
        Self {
            begin: Instant::now(),
            begin_cpu: ProcessTime::now(),
            notes,
        }
    }

    /// What is noted, for a logbook that goes on.
    pub(crate) fn notes_now(&self) -> Notes {
        Notes {
            wall_seconds: self.wall_seconds(),
            cpu_seconds: self.cpu_seconds(),
            ..self.notes.clone()
        }
    }

    fn wall_seconds(&self) -> f64 {
        self.notes.wall_seconds + self.begin.elapsed().as_secs_f64()
    }

    fn cpu_seconds(&self) -> f64 {
        self.notes.cpu_seconds + self.begin_cpu.elapsed().as_secs_f64()
    }

    /// How many frames were recorded.
    pub fn frames(&self) -> u64 {
        self.notes.frames
    }

    /// Notes a step.
    pub fn step(&mut self, step: &StepReport) {
        self.notes.contacts_max = self.notes.contacts_max.max(step.contacts);
    }

    /// Hands the world's events since the last call and its present frame to
    /// a sink, and notes them.
    pub fn record<S: Sink>(&mut self, world: &mut World, sink: &mut S) -> Result<(), S::Error> {
        let mut explained = world.has_energy_source();
        for event in world.take_events() {
            explained |= explains_energy(&event);
            self.notes
                .quarantined
                .extend(event.quarantined().map(str::to_owned));
            sink.event(&event)?;
        }
        let frame = world.frame();
        self.notes.tally.add(&frame.totals);
        let lift = world.lift_energy();
        self.notes.growth.add(&frame.totals, lift, explained);
        self.notes.frames += 1;
        if let Some(cloth) = &world.cloth {
            let pairs = cloth.intersecting_triangles(usize::MAX).len();
            self.notes.intersections += (pairs + cloth.below_planes()) as u64;
            self.notes.max_stretch = self.notes.max_stretch.max(cloth.cloth.max_stretch());
        }
        sink.frame(&frame)
    }

    /// The names of the bodies quarantined so far.
    pub fn quarantined(&self) -> &[String] {
        &self.notes.quarantined
    }

    /// The report so far.
    pub fn report(&self, world: &World, plan: &Plan, interrupted: bool) -> Report {
        let motion = world.motion.as_ref().and_then(|m| m.report());
        Report {
            scene: plan.scene.clone(),
            seed: plan.seed,
            seconds: world.time(),
            steps: world.steps(),
            frames: self.notes.frames,
            wall_seconds: self.wall_seconds(),
            cpu_seconds: self.cpu_seconds(),
            threads: 1,
            interrupted: interrupted || motion.is_some_and(|m| m.interrupted),
            energy: EnergyReport {
                unexplained: self.notes.growth.unexplained(),
                ..self.notes.tally.energy()
            },
            angular_momentum: self.notes.tally.angular_momentum(),
            rigid: RigidReport {
                bodies: world.bodies.len(),
                contacts_max: self.notes.contacts_max,
                max_penetration: self.notes.tally.max_penetration,
                quarantined: self.notes.quarantined.clone(),
            },
            cloth: self.cloth(world),
            motion: motion.cloned(),
        }
    }

    fn cloth(&self, world: &World) -> Option<ClothReport> {
        let cloth = world.cloth.as_ref()?;
        let (vertices, triangles) = cloth.size();
        let stats = &cloth.cloth.stats;
        let speeds = cloth.cloth.velocities().iter().map(|v| v.length());
        Some(ClothReport {
            vertices,
            triangles,
            dofs: 3 * vertices,
            frames: self.notes.frames,
            collisions: stats.collisions,
            impact_zones: stats.impact_zones,
            largest_zone: stats.largest_zone,
            failsafe_calls: stats.failsafe_calls,
            substeps: stats.substeps,
            intersections: self.notes.intersections,
            max_stretch: self.notes.max_stretch,
            mean_speed: speeds.sum::<f64>() / vertices.max(1) as f64,
            total_seconds: stats.total_seconds,
            collision_seconds: stats.collision_seconds,
            failure: world.cloth_failure(),
        })
    }
}

/// Follows energy and angular momentum from frame to frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) start: Option<(f64, DVec3)>,
    pub(crate) end: f64,
    pub(crate) energy_change: f64,
    pub(crate) largest_kinetic: f64,
    pub(crate) spin_change: f64,
    pub(crate) largest_spin: f64,
    pub(crate) max_penetration: f64,
}

impl Tally {
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

/// Zero over zero is no drift at all.
fn ratio(change: f64, scale: f64) -> f64 {
    if change == 0.0 { 0.0 } else { change / scale }
}
