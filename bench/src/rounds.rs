//! Times several contenders in turn, by the processor time of this thread, so
//! that a busy machine is unfair to none.

use cpu_time::ThreadTime;

/// How long one contender runs in one round, in seconds.
const SLICE: f64 = 0.02;

/// Something to time.
pub struct Contender<'a> {
    /// What it is called in the table.
    pub name: String,
    /// Makes one step.
    pub step: Box<dyn FnMut() + 'a>,
}

impl<'a> Contender<'a> {
    /// A contender by name.
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

/// Processor seconds per step of each contender: the best of `rounds` rounds, in each of
/// which all of them run one after the other.
pub fn best(contenders: &mut [Contender], rounds: usize) -> Vec<f64> {
    let steps: Vec<u32> = contenders
        .iter_mut()
        .map(|contender| {
            contender.seconds(2);
            let once = contender.seconds(2);
            ((SLICE / once) as u32).clamp(2, 100_000)
        })
        .collect();
    let mut fastest = vec![f64::INFINITY; contenders.len()];
    for _ in 0..rounds {
        for (k, contender) in contenders.iter_mut().enumerate() {
            fastest[k] = fastest[k].min(contender.seconds(steps[k]));
        }
    }
    fastest
}
