//! Paces a run at the requested speed, and measures the speed reached.

use std::time::{Duration, Instant};

/// The speeds that a page may request, in simulated seconds per second.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=4.0;

/// A run that is later than this does not try to catch up.
const MAX_LAG: Duration = Duration::from_millis(250);
/// The speed reached is measured over about this time.
const SPEED_WINDOW: Duration = Duration::from_millis(500);

/// Schedules frames.
pub struct FrameClock {
    next_frame: Instant,
    window_start: Instant,
    /// Seconds simulated since the window started.
    simulated: f64,
    factor: Option<f64>,
}

impl FrameClock {
    /// A clock that starts now.
    pub fn start(now: Instant) -> Self {
        Self {
            next_frame: now,
            window_start: now,
            simulated: 0.0,
            factor: None,
        }
    }

    /// How long to wait for the next frame.
    pub fn wait(&self, now: Instant) -> Duration {
        self.next_frame.saturating_duration_since(now)
    }

    /// Schedules the next frame after one of `seconds` simulated seconds.
    pub fn tick(&mut self, now: Instant, seconds: f64, speed: f64) {
        // Durations that do not fit are replaced by a short one.
        let pause = Duration::try_from_secs_f64(seconds / speed).unwrap_or(MAX_LAG);
        self.next_frame = self.next_frame.checked_add(pause).unwrap_or(now);
        if self.next_frame + MAX_LAG < now {
            self.next_frame = now;
        }
        self.simulated += seconds;
        let elapsed = now.duration_since(self.window_start);
        if elapsed >= SPEED_WINDOW {
            self.factor = Some(self.simulated / elapsed.as_secs_f64());
            (self.window_start, self.simulated) = (now, 0.0);
        }
    }

    /// Simulated seconds per second over the last window.
    pub fn factor(&self) -> Option<f64> {
        self.factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs frames of 20 ms that each take `work` to compute, for 10 s.
    fn factor(work: Duration, speed: f64) -> f64 {
        let begin = Instant::now();
        let mut now = begin;
        let mut clock = FrameClock::start(now);
        while now < begin + Duration::from_secs(10) {
            now += clock.wait(now) + work;
            clock.tick(now, 0.02, speed);
        }
        clock.factor().unwrap()
    }

    #[test]
    fn the_requested_speed_is_kept_if_the_work_is_short() {
        for speed in [0.1, 1.0, 4.0] {
            let reached = factor(Duration::from_millis(2), speed);
            assert!((reached / speed - 1.0).abs() < 0.2, "{speed}: {reached}");
        }
    }

    #[test]
    fn the_measured_speed_falls_if_the_work_takes_longer() {
        let reached = factor(Duration::from_millis(40), 1.0);
        assert!((reached - 0.5).abs() < 0.05, "{reached}");
    }

    #[test]
    fn a_run_does_not_catch_up_after_a_long_pause() {
        let begin = Instant::now();
        let mut clock = FrameClock::start(begin);
        let later = begin + Duration::from_secs(60);
        clock.tick(later, 0.02, 1.0);
        clock.tick(later, 0.02, 1.0);
        assert!(clock.wait(later) > Duration::ZERO);
    }
}
