//! Keeps a run at the speed asked for, and measures the speed reached.

use std::time::{Duration, Instant};

/// The speeds that a page may ask for, in simulated seconds per second.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=4.0;

/// A run that has fallen farther behind does not try to catch up.
const PATIENCE: Duration = Duration::from_millis(250);
/// The speed reached is measured over about this time.
const WINDOW: Duration = Duration::from_millis(500);

/// Tells when the next frame is due.
pub struct Clock {
    due: Instant,
    since: Instant,
    simulated: f64,
    factor: Option<f64>,
}

impl Clock {
    /// A clock that starts now.
    pub fn start(now: Instant) -> Self {
        Self {
            due: now,
            since: now,
            simulated: 0.0,
            factor: None,
        }
    }

    /// How long to wait for the next frame.
    pub fn wait(&self, now: Instant) -> Duration {
        self.due.saturating_duration_since(now)
    }

    /// A frame of so many simulated seconds is done.
    pub fn tick(&mut self, now: Instant, seconds: f64, speed: f64) {
        // A frame of hours waits for hours, but not beyond what fits.
        let pause = Duration::try_from_secs_f64(seconds / speed).unwrap_or(PATIENCE);
        self.due = self.due.checked_add(pause).unwrap_or(now);
        if self.due + PATIENCE < now {
            self.due = now;
        }
        self.simulated += seconds;
        let elapsed = now.duration_since(self.since);
        if elapsed >= WINDOW {
            self.factor = Some(self.simulated / elapsed.as_secs_f64());
            (self.since, self.simulated) = (now, 0.0);
        }
    }

    /// Simulated seconds per second, lately.
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
        let mut clock = Clock::start(now);
        while now < begin + Duration::from_secs(10) {
            now += clock.wait(now) + work;
            clock.tick(now, 0.02, speed);
        }
        clock.factor().unwrap()
    }

    #[test]
    fn it_keeps_the_speed_asked_for_if_it_can() {
        for speed in [0.1, 1.0, 4.0] {
            let reached = factor(Duration::from_millis(2), speed);
            assert!((reached / speed - 1.0).abs() < 0.2, "{speed}: {reached}");
        }
    }

    #[test]
    fn it_tells_the_speed_it_reaches_if_work_takes_longer() {
        let reached = factor(Duration::from_millis(40), 1.0);
        assert!((reached - 0.5).abs() < 0.05, "{reached}");
    }

    #[test]
    fn it_does_not_rush_after_a_long_halt() {
        let begin = Instant::now();
        let mut clock = Clock::start(begin);
        let later = begin + Duration::from_secs(60);
        clock.tick(later, 0.02, 1.0);
        clock.tick(later, 0.02, 1.0);
        assert!(clock.wait(later) > Duration::ZERO);
    }
}
