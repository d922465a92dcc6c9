//! Scripted motions: poses at given times, interpolated in between.

use conatus_math::{Pose, rotation};

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Seconds since the start.
    pub time: f64,
    /// Where it is then.
    pub pose: Pose,
}

/// The interpolation between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ease {
    /// At constant velocity.
    #[default]
    Linear,
    /// Starting and ending at rest, by the cubic 3s² − 2s³.
    Smooth,
}

/// A scripted motion, constant before the first key and after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    keys: Vec<Key>,
    ease: Ease,
}

impl Path {
    /// No motion.
    pub fn at_rest(pose: Pose) -> Self {
        Self {
            keys: vec![Key { time: 0.0, pose }],
            ease: Ease::Linear,
        }
    }

    /// Through `keys`, sorted by time; at the origin if there are none.
    pub fn through(mut keys: Vec<Key>, ease: Ease) -> Self {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        if keys.is_empty() {
            keys.push(Key {
                time: 0.0,
                pose: Pose::IDENTITY,
            });
        }
        Self { keys, ease }
    }

    /// Whether it never moves.
    pub fn rests(&self) -> bool {
        self.keys.iter().all(|k| k.pose == self.keys[0].pose)
    }

    /// The pose at time `t`.
    pub fn pose(&self, t: f64) -> Pose {
        let after = self.keys.partition_point(|k| k.time <= t);
        let (Some(b), Some(a)) = (
            self.keys.get(after),
            after.checked_sub(1).and_then(|i| self.keys.get(i)),
        ) else {
            let last = after.saturating_sub(1).min(self.keys.len() - 1);
            return self.keys[last].pose;
        };
        let s = (t - a.time) / (b.time - a.time);
        let s = match self.ease {
            Ease::Linear => s,
            Ease::Smooth => s * s * (3.0 - 2.0 * s),
        };
        between(&a.pose, &b.pose, s)
    }
}

/// Interpolates along the straight line and the shortest rotation from `a` to
/// `b`.
fn between(a: &Pose, b: &Pose, s: f64) -> Pose {
    let shift = a.translation + s * (b.translation - a.translation);
    let turn = if a.rotation == b.rotation {
        a.rotation
    } else {
        let whole = rotation::log(a.rotation.conjugate() * b.rotation);
        (a.rotation * rotation::exp(s * whole)).normalize()
    };
    Pose::new(turn, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_math::DVec3;

    fn at(time: f64, z: f64) -> Key {
        let pose = Pose::shift(DVec3::Z * z);
        Key { time, pose }
    }

    #[test]
    fn a_path_rests_before_its_first_and_after_its_last_key() {
        let path = Path::through(vec![at(2.0, 5.0), at(1.0, 3.0)], Ease::Linear);
        for (t, z) in [(0.0, 3.0), (1.0, 3.0), (1.5, 4.0), (2.0, 5.0), (9.0, 5.0)] {
            assert_eq!(path.pose(t).translation.z, z, "at {t} s");
        }
        assert!(!path.rests() && Path::at_rest(Pose::IDENTITY).rests());
    }

    #[test]
    fn a_smooth_path_starts_and_ends_at_rest() {
        let path = Path::through(vec![at(0.0, 0.0), at(1.0, 1.0)], Ease::Smooth);
        let speed =
            |t: f64| (path.pose(t + 1e-6).translation.z - path.pose(t).translation.z) / 1e-6;
        assert!(speed(0.0) < 1e-4 && speed(1.0 - 1e-6) < 1e-4);
        assert!((speed(0.5) - 1.5).abs() < 1e-3);
    }
}
