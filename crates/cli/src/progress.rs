//! How far a run is, on standard error: a bar on a terminal, a few lines when
//! piped, nothing if that is requested.

mod search;

pub use search::SearchProgress;

use crate::terminal;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The least time between two lines when piped.
const LINE_INTERVAL: Duration = Duration::from_secs(1);
/// How often a bar is drawn per second.
const BAR_HZ: u8 = 10;

/// Shows how far a run is.
pub struct RunProgress {
    total: u64,
    display: Display,
}

enum Display {
    Nothing,
    Bar(Bar),
    Lines { tenth: u64, last: Instant },
}

/// A bar on standard error, which is removed when it is dropped.
struct Bar(ProgressBar);

impl Bar {
    fn new(length: u64, template: &str) -> Self {
        let target = ProgressDrawTarget::stderr_with_hz(BAR_HZ);
        let bar = ProgressBar::with_draw_target(Some(length), target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        terminal::set_bar(Some(bar.clone()));
        Self(bar)
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        terminal::set_bar(None);
        self.0.finish_and_clear();
    }
}

impl RunProgress {
    /// For `total` steps; `quiet` shows nothing.
    pub fn new(total: u64, quiet: bool) -> Self {
        let display = if quiet {
            Display::Nothing
        } else if std::io::stderr().is_terminal() {
            let template = "{bar:40} {percent:>3}%  step {human_pos} of {human_len}  {eta} left";
            Display::Bar(Bar::new(total, template))
        } else {
            Display::Lines {
                tenth: 0,
                last: Instant::now(),
            }
        };
        Self { total, display }
    }

    /// Begins behind `done` steps, for a run that is continued.
    pub fn begin_at(&mut self, done: u64) {
        match &mut self.display {
            Display::Nothing => {}
            Display::Bar(Bar(bar)) => {
                bar.set_position(done);
                bar.reset_eta();
            }
            Display::Lines { tenth, .. } => *tenth = tenths(done, self.total),
        }
    }

    /// `done` steps were made in all.
    pub fn update(&mut self, done: u64) {
        match &mut self.display {
            Display::Nothing => {}
            Display::Bar(Bar(bar)) => bar.set_position(done),
            Display::Lines { tenth, last } => {
                let now = tenths(done, self.total);
                if now > *tenth && last.elapsed() >= LINE_INTERVAL {
                    let (percent, total) = (10 * now, self.total);
                    terminal::eprint_line(&format!("{percent}% ({done} of {total} steps)"));
                    (*tenth, *last) = (now, Instant::now());
                }
            }
        }
    }
}

fn tenths(done: u64, total: u64) -> u64 {
    done.saturating_mul(10) / total.max(1)
}
