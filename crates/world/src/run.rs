//! Runs a world to its end and hands every frame to a sink.

use crate::report::{AngularMomentum, Energy, Report, Rigid};
use crate::world::World;
use conatus_math::DVec3;
use conatus_record::{Event, Frame, Totals};

/// Where frames and events go: a recording in memory, a file, a viewer.
pub trait Sink {
    /// What can go wrong with it.
    type Error;
    /// Takes a frame.
    fn frame(&mut self, frame: &Frame) -> Result<(), Self::Error>;
    /// Takes an event.
    fn event(&mut self, event: &Event) -> Result<(), Self::Error>;
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
}

/// Steps between two questions to `go_on`, however far apart frames are.
const STEPS_PER_QUESTION: u64 = 256;

/// Runs `world` by `plan`. `go_on` is called at least after every frame with
/// the steps made so far and stops the run by returning false; what was
/// recorded stays, and a last frame shows where it stopped. Processor time and threads are for the caller to fill in.
pub fn run<S: Sink>(
    world: &mut World,
    plan: &Plan,
    sink: &mut S,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Report, S::Error> {
    let begin = std::time::Instant::now();
    let mut tally = Tally::default();
    let mut contacts_max = 0;
    let mut quarantined = Vec::new();
    let mut frames = 0;
    let mut going = true;
    let mut interrupted = false;
    loop {
        for event in world.take_events() {
            if event.kind == "quarantine" {
                quarantined.extend(event.detail["body"].as_str().map(str::to_owned));
            }
            sink.event(&event)?;
        }
        let frame = world.frame();
        tally.add(&frame.totals);
        sink.frame(&frame)?;
        frames += 1;
        if !(going && go_on(world.steps())) {
            interrupted = world.steps() < plan.steps;
            break;
        }
        let steps = plan.steps_per_frame.min(plan.steps - world.steps());
        if steps == 0 {
            break;
        }
        for k in 1..=steps {
            contacts_max = contacts_max.max(world.step().contacts);
            if k % STEPS_PER_QUESTION == 0 && !go_on(world.steps()) {
                going = false;
                break;
            }
        }
    }
    Ok(Report {
        scene: plan.scene.clone(),
        seed: plan.seed,
        seconds: world.time(),
        steps: world.steps(),
        frames,
        wall_seconds: begin.elapsed().as_secs_f64(),
        cpu_seconds: 0.0,
        threads: 1,
        interrupted,
        energy: tally.energy(),
        angular_momentum: tally.angular_momentum(),
        rigid: Rigid {
            bodies: world.bodies.len(),
            contacts_max,
            max_penetration: tally.max_penetration,
            quarantined,
        },
    })
}

/// Follows energy and angular momentum from frame to frame.
#[derive(Default)]
struct Tally {
    start: Option<(f64, DVec3)>,
    end: f64,
    energy_change: f64,
    largest_kinetic: f64,
    spin_change: f64,
    largest_spin: f64,
    max_penetration: f64,
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

    fn energy(&self) -> Energy {
        let start = self.start.map_or(0.0, |s| s.0);
        Energy {
            start,
            end: self.end,
            max_relative_drift: ratio(self.energy_change, start.abs().max(self.largest_kinetic)),
        }
    }

    fn angular_momentum(&self) -> AngularMomentum {
        AngularMomentum {
            max_relative_drift: ratio(self.spin_change, self.largest_spin),
        }
    }
}

/// Zero over zero is no drift at all.
fn ratio(change: f64, scale: f64) -> f64 {
    if change == 0.0 { 0.0 } else { change / scale }
}
