//! Whether cloth comes to rest: how fast it still is two seconds after it lies.
//!
//! Cloth *lies* from the first frame on from which, to the end of the run, its
//! vertices are slower than 5 cm/s on the mean and no obstacle moves. Without
//! obstacles in that, cloth that is pressed slowly would lie while it is being
//! crushed. All vertices count alike, those too that are still held.

use conatus_math::Pose;
use conatus_world::World;

/// What lies is slower than this on the mean, in m/s.
const LYING: f64 = 0.05;
/// Seconds that it has to come to rest.
const TIME: f64 = 2.0;

/// What was seen of a run, frame by frame.
#[derive(Default)]
pub struct Watch {
    moments: Vec<Moment>,
    obstacles: Vec<Pose>,
}

struct Moment {
    time: f64,
    /// The mean over vertices, in m/s.
    speed: f64,
    /// Whether an obstacle moved since the frame before.
    stirred: bool,
}

/// How cloth came to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// When it lay, in seconds.
    pub lies: f64,
    /// Its mean speed two seconds later, in m/s.
    pub speed: f64,
    /// The greatest mean speed in any frame from then on.
    pub later: f64,
}

impl Watch {
    /// Notes how a frame is.
    pub fn look(&mut self, world: &World) {
        let Some(cloth) = &world.cloth else { return };
        let velocities = cloth.cloth.velocities();
        let sum: f64 = velocities.iter().map(|v| v.length()).sum();
        let obstacles: Vec<Pose> = cloth.obstacle_poses(world.time()).collect();
        self.moments.push(Moment {
            time: world.time(),
            speed: sum / velocities.len().max(1) as f64,
            stirred: obstacles != self.obstacles,
        });
        self.obstacles = obstacles;
    }

    /// How the cloth came to rest, if the run shows two seconds of its lying.
    pub fn rest(&self) -> Option<Rest> {
        let lies = |m: &Moment| m.speed < LYING && !m.stirred;
        let restless = self.moments.iter().rposition(|m| !lies(m));
        let lies = self.moments.get(restless.map_or(0, |last| last + 1))?.time;
        // Times are sums of steps, so they are rounded.
        let rested = |m: &&Moment| m.time >= lies + TIME - 1e-6;
        let mut rest = self.moments.iter().filter(rested).map(|m| m.speed);
        let speed = rest.next()?;
        Some(Rest {
            lies,
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
                stirred: time <= end,
            }
        };
        let watch = Watch {
            moments: speeds.iter().enumerate().map(moment).collect(),
            obstacles: Vec::new(),
        };
        watch.rest()
    }

    #[test]
    fn cloth_lies_once_it_stays_slow_and_rests_two_seconds_later() {
        // It is slow at the start as well, and stirs once more.
        let speeds = [0.0, 30.0, 4.0, 9.0, 4.0, 3.0, 2.0, 2.0, 1.0, 2.0];
        let found = Rest {
            lies: 2.0,
            speed: 0.01,
            later: 0.02,
        };
        assert_eq!(rest(&speeds, -1.0), Some(found));
        // What is pressed does not lie.
        assert_eq!(rest(&speeds, 2.0).map(|r| r.lies), Some(2.5));
        assert_eq!(rest(&speeds, 3.0), None, "the run is too short");
        assert_eq!(rest(&[9.0; 9], -1.0), None, "it never lies");
        assert_eq!(rest(&[], -1.0), None);
    }
}
