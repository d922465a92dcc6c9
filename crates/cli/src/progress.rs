//! Tells how far a run is: a bar on a terminal, a few lines when piped,
//! nothing when not wanted. And hears when it should stop.

mod search;

pub use search::Search;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How far a run is, on standard error.
pub struct Progress {
    total: u64,
    show: Show,
}

enum Show {
    Nothing,
    Bar(ProgressBar),
    Lines { tenth: u64, last: Instant },
}

impl Progress {
    /// For `total` steps; `quiet` shows nothing.
    pub fn new(total: u64, quiet: bool) -> Self {
        let show = if quiet {
            Show::Nothing
        } else if std::io::stderr().is_terminal() {
            let bar =
                ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template(
                "{bar:40} {percent:>3}%  step {human_pos} of {human_len}  {eta} left",
            ) {
                bar.set_style(style);
            }
            Show::Bar(bar)
        } else {
            Show::Lines {
                tenth: 0,
                last: Instant::now(),
            }
        };
        Self { total, show }
    }

    /// So many steps were done before.
    pub fn begin_at(&mut self, done: u64) {
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => {
                bar.set_position(done);
                bar.reset_eta();
            }
            Show::Lines { tenth, .. } => *tenth = done.saturating_mul(10) / self.total.max(1),
        }
    }

    /// So many steps are done.
    pub fn update(&mut self, done: u64) {
        match &mut self.show {
            Show::Nothing => {}
            Show::Bar(bar) => bar.set_position(done),
            Show::Lines { tenth, last } => {
                let now = done.saturating_mul(10) / self.total.max(1);
                if now > *tenth && last.elapsed() >= Duration::from_secs(1) {
                    let _ = writeln!(
                        std::io::stderr(),
                        "{}% ({done} of {} steps)",
                        now * 10,
                        self.total
                    );
                    *tenth = now;
                    *last = Instant::now();
                }
            }
        }
    }

    /// Takes the bar away; what there is to say comes next.
    pub fn finish(self) {
        if let Show::Bar(bar) = self.show {
            bar.finish_and_clear();
        }
    }
}

static STOP: AtomicBool = AtomicBool::new(false);

/// From now on the first Ctrl-C only sets [`stop_asked`] and says so; the
/// second one ends the program at once.
pub fn listen_for_stop(saying: &'static str) {
    // Should it fail, Ctrl-C ends the program as it always does.
    let _ = ctrlc::set_handler(move || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        let _ = writeln!(std::io::stderr(), "{saying} (again to end at once)");
    });
}

/// Whether the run should end now.
pub fn stop_asked() -> bool {
    STOP.load(Ordering::SeqCst)
}
