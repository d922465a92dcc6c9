//! Tells how far the search for a movement is: which attempt, which stage, and
//! how long it still takes.

use conatus_world::motion::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A line at most so often when piped.
const BETWEEN_LINES: Duration = Duration::from_secs(1);
/// What an iteration of each stage takes, about: the last one solves a large
/// system.
const EFFORT: [f64; 4] = [0.5, 1.0, 1.0, 12.0];
/// Steps of the bar.
const STEPS: u64 = 1000;

/// How far a search is, on standard error. Attempts tell it from several
/// threads.
pub struct Search {
    limits: [usize; 4],
    state: Mutex<State>,
}

struct State {
    show: Show,
    begin: Instant,
    /// The share that each attempt has behind it.
    shares: BTreeMap<usize, f64>,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines(Instant),
}

impl Search {
    /// For attempts of so many iterations in each stage; `quiet` shows nothing.
    pub fn new(limits: [usize; 4], quiet: bool) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(STEPS), target);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}") {
                bar.set_style(style);
            }
            Show::Bar(bar)
        } else {
            Show::Lines(Instant::now())
        };
        Self {
            limits,
            state: Mutex::new(State {
                show,
                begin: Instant::now(),
                shares: BTreeMap::new(),
            }),
        }
    }

    /// An attempt is at an iteration.
    pub fn update(&self, at: &Progress) {
        let share = self.share(at);
        let Ok(mut state) = self.state.lock() else {
            return;
        };
        state.shares.insert(at.attempt, share);
        // Attempts go side by side, a few at a time; more come only if these
        // fail, so what is left is told of those that are under way.
        let under_way = state.shares.values().filter(|share| **share < 1.0);
        let (count, sum) = under_way.fold((0.0, 0.0), |(n, s), share| (n + 1.0, s + share));
        let done: f64 = state.shares.values().sum();
        let all = state.shares.len() as f64;
        let (now, mean): (f64, f64) = (done, if count > 0.0 { sum / count } else { 1.0 });
        let elapsed = state.begin.elapsed().as_secs_f64();
        let left = elapsed * (all - now) / now.max(1e-3);
        match &mut state.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_position((mean * STEPS as f64) as u64);
                bar.set_message(format!("{}, about {:.0} s left", at, left.ceil()));
            }
            Show::Lines(last) => {
                if last.elapsed() >= BETWEEN_LINES {
                    *last = Instant::now();
                    let line = format!("{}, about {:.0} s left", at, left.ceil());
                    let _ = writeln!(std::io::stderr(), "{line}");
                }
            }
        }
    }

    /// How much of an attempt is behind it.
    fn share(&self, at: &Progress) -> f64 {
        let cost = |stage: usize| EFFORT[stage] * self.limits[stage] as f64;
        let stage = at.stage.min(3);
        let before: f64 = (0..stage).map(cost).sum();
        let here = EFFORT[stage] * at.iteration.min(self.limits[stage]) as f64;
        let all: f64 = (0..4).map(cost).sum();
        ((before + here) / all.max(1.0)).min(1.0)
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Ok(state) = self.state.into_inner()
            && let Show::Bar(bar) = state.show
        {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_tells_where_it_is_and_comes_to_its_end() {
        let search = Search::new([250, 500, 500, 20], true);
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
        let early = search.share(&at);
        (at.stage, at.iteration) = (3, 20);
        assert!(early < search.share(&at) && search.share(&at) == 1.0);
        search.update(&at);
        search.finish();
    }
}
