//! Times several candidates in turn, by the processor time of this thread, so
//! that the load of the machine affects all of them alike; and the cost of work on
//! several threads.

use cpu_time::{ProcessTime, ThreadTime};
use std::ops::AddAssign;
use std::time::Instant;

/// How long one candidate runs in one round, in seconds.
const SECONDS_PER_ROUND: f64 = 0.02;

/// The cost of frames or steps, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCost {
    /// Processor time of all threads.
    pub cpu: f64,
    /// Wall time.
    pub wall: f64,
}

impl FrameCost {
    /// Does some work and measures it.
    pub fn of(work: impl FnOnce()) -> Self {
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        work();
        Self {
            cpu: cpu.elapsed().as_secs_f64(),
            wall: wall.elapsed().as_secs_f64(),
        }
    }
}

impl AddAssign for FrameCost {
    fn add_assign(&mut self, other: Self) {
        self.cpu += other.cpu;
        self.wall += other.wall;
    }
}

/// Code to time.
pub struct Candidate<'a> {
    /// Its name in the table.
    pub name: String,
    /// Makes one step.
    pub step: Box<dyn FnMut() + 'a>,
}

impl<'a> Candidate<'a> {
    /// A step of a candidate, and its name.
    pub fn new(name: impl Into<String>, step: impl FnMut() + 'a) -> Self {
        Self {
            name: name.into(),
            step: Box::new(step),
        }
    }

    fn seconds(&mut self, steps: u32) -> f64 {
        let begin = ThreadTime::now();
        for _ in 0..steps {
            (self.step)();
        }
        begin.elapsed().as_secs_f64() / f64::from(steps)
    }
}

/// The least processor seconds per step of each candidate over `rounds` rounds, in
/// each of which all of them run one after the other.
pub fn fastest_step_seconds(candidates: &mut [Candidate], rounds: usize) -> Vec<f64> {
    let steps: Vec<u32> = candidates
        .iter_mut()
        .map(|candidate| {
            candidate.seconds(2);
            let once = candidate.seconds(2);
            ((SECONDS_PER_ROUND / once) as u32).clamp(2, 100_000)
        })
        .collect();
    let mut fastest = vec![f64::INFINITY; candidates.len()];
    for _ in 0..rounds {
        for (k, candidate) in candidates.iter_mut().enumerate() {
            fastest[k] = fastest[k].min(candidate.seconds(steps[k]));
        }
    }
    fastest
}
