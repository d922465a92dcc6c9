//! How far the search for a movement is: which attempt, which stage, and how
//! long it still takes.

use super::{Bar, LINE_INTERVAL};
use crate::terminal;
use conatus_world::motion::Progress;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Instant;

/// The cost of an iteration of each stage, relative to the others. The last
/// stage solves a large system.
const RELATIVE_COST: [f64; 4] = [0.5, 1.0, 1.0, 12.0];
/// Steps of the bar.
const BAR_STEPS: u64 = 1000;

/// Shows how far a search is. Attempts report from several threads.
pub struct SearchProgress {
    limits: [usize; 4],
    state: Mutex<State>,
}

struct State {
    display: Display,
    begin: Instant,
    /// How much of each attempt is done, from 0 to 1.
    fractions: BTreeMap<usize, f64>,
}

enum Display {
    Nothing,
    Bar(Bar),
    Lines(Instant),
}

impl SearchProgress {
    /// For attempts with these limits of iterations in each stage; `quiet` shows
    /// nothing.
    pub fn new(limits: [usize; 4], quiet: bool) -> Self {
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            Display::Bar(Bar::new(BAR_STEPS, "{bar:30} {percent:>3}%  {msg}"))
        } else {
            Display::Lines(Instant::now())
        };
        Self {
            limits,
            state: Mutex::new(State {
                display,
                begin: Instant::now(),
                fractions: BTreeMap::new(),
            }),
        }
    }

    /// Takes the progress of an attempt.
    pub fn update(&self, at: &Progress) {
        let fraction = self.fraction_done(at);
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        state.fractions.insert(at.attempt, fraction);
        // Attempts run in parallel, a few at a time. More follow only if these
        // fail, so the time left is that of the ones that have begun.
        let running: Vec<f64> = (state.fractions.values().copied())
            .filter(|fraction| *fraction < 1.0)
            .collect();
        let mean = match running.len() {
            0 => 1.0,
            count => running.iter().sum::<f64>() / count as f64,
        };
        let done: f64 = state.fractions.values().sum();
        let all = state.fractions.len() as f64;
        let left = state.begin.elapsed().as_secs_f64() * (all - done) / done.max(1e-3);
        let text = format!("{at}, about {:.0} s left", left.ceil());
        match &mut state.display {
            Display::Nothing => {}
            Display::Bar(Bar(bar)) => {
                bar.set_position((mean * BAR_STEPS as f64) as u64);
                bar.set_message(text);
            }
            Display::Lines(last) => {
                if last.elapsed() >= LINE_INTERVAL {
                    *last = Instant::now();
                    terminal::eprint_line(&text);
                }
            }
        }
    }

    /// How much of an attempt is done, from 0 to 1.
    fn fraction_done(&self, at: &Progress) -> f64 {
        let cost = |stage: usize| RELATIVE_COST[stage] * self.limits[stage] as f64;
        let stage = at.stage.min(3);
        let before: f64 = (0..stage).map(cost).sum();
        let here = RELATIVE_COST[stage] * at.iteration.min(self.limits[stage]) as f64;
        let all: f64 = (0..4).map(cost).sum();
        ((before + here) / all.max(1.0)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fraction_of_an_attempt_grows_to_one() {
        let search = SearchProgress::new([250, 500, 500, 20], true);
        let mut at = Progress {
            attempt: 1,
            attempts: 4,
            stage: 2,
            iteration: 40,
            iterations: 500,
            cost: 12.5,
        };
        assert_eq!(
            at.to_string(),
            "attempt 2 of 4, full physics, iteration 40 of 500, cost 12.5000"
        );
        let early = search.fraction_done(&at);
        (at.stage, at.iteration) = (3, 20);
        let late = search.fraction_done(&at);
        assert!(early < late && late == 1.0);
        search.update(&at);
    }
}
