//! Whether cloth comes to rest: its mean speed two seconds after it has settled.
//!
//! Cloth is *settled* from the first frame on from which, to the end of the run,
//! the mean speed of its vertices is below 5 cm/s and no obstacle moves. Without
//! the second condition, cloth that is pressed slowly would count as settled. All
//! vertices have equal weight, pinned ones too.

use conatus_math::Pose;
use conatus_world::World;

/// Settled cloth has a smaller mean speed than this.
const SETTLED_SPEED_M_S: f64 = 0.05;
/// Seconds from settling to rest.
const REST_DELAY_S: f64 = 2.0;

/// Observes a run frame by frame.
#[derive(Default)]
pub struct RestObserver {
    moments: Vec<Moment>,
    obstacles: Vec<Pose>,
}

struct Moment {
    time: f64,
    /// The mean over vertices, in m/s.
    speed: f64,
    /// Whether an obstacle moved since the previous frame.
    obstacle_moved: bool,
}

/// How cloth came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// When it settled, in seconds.
    pub settled: f64,
    /// Its mean speed two seconds later, in m/s.
    pub speed: f64,
    /// The largest mean speed in any frame from then on, in m/s.
    pub later: f64,
}

impl RestObserver {
    /// Takes a frame.
    pub fn observe(&mut self, world: &World) {
        let Some(cloth) = &world.cloth else { return };
        let velocities = cloth.cloth.velocities();
        let sum: f64 = velocities.iter().map(|v| v.length()).sum();
        let obstacles: Vec<Pose> = cloth.obstacle_poses(world.time()).collect();
        self.moments.push(Moment {
            time: world.time(),
            speed: sum / velocities.len().max(1) as f64,
            obstacle_moved: obstacles != self.obstacles,
        });
        self.obstacles = obstacles;
    }

    /// How the cloth came to rest, if the run continues for two seconds after it
    /// settled.
    pub fn rest(&self) -> Option<Rest> {
        let is_settled = |m: &Moment| m.speed < SETTLED_SPEED_M_S && !m.obstacle_moved;
        let last_moving = self.moments.iter().rposition(|m| !is_settled(m));
        let settled = self
            .moments
            .get(last_moving.map_or(0, |last| last + 1))?
            .time;
        // Times are sums of steps, so they are rounded.
        let rested = |m: &&Moment| m.time >= settled + REST_DELAY_S - 1e-6;
        let mut rest = self.moments.iter().filter(rested).map(|m| m.speed);
        let speed = rest.next()?;
        Some(Rest {
            settled,
            speed,
            later: rest.fold(speed, f64::max),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame every half second, with these speeds in cm/s; an obstacle moves until `end`.
    fn rest(speeds: &[f64], end: f64) -> Option<Rest> {
        let moment = |(k, cm): (usize, &f64)| {
            let time = 0.5 * k as f64;
            Moment {
                time,
                speed: 0.01 * cm,
                obstacle_moved: time <= end,
            }
        };
        let observer = RestObserver {
            moments: speeds.iter().enumerate().map(moment).collect(),
            obstacles: Vec::new(),
        };
        observer.rest()
    }

    #[test]
    fn cloth_settles_once_it_stays_slow_and_rests_two_seconds_later() {
        // It is slow at the start too, and moves once more.
        let speeds = [0.0, 30.0, 4.0, 9.0, 4.0, 3.0, 2.0, 2.0, 1.0, 2.0];
        let found = Rest {
            settled: 2.0,
            speed: 0.01,
            later: 0.02,
        };
        assert_eq!(rest(&speeds, -1.0), Some(found));
        // Pressed cloth is not settled.
        assert_eq!(rest(&speeds, 2.0).map(|r| r.settled), Some(2.5));
        assert_eq!(rest(&speeds, 3.0), None, "the run is too short");
        assert_eq!(rest(&[9.0; 9], -1.0), None, "it never settles");
        assert_eq!(rest(&[], -1.0), None);
    }
}
