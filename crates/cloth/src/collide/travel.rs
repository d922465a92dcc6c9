//! The distance travelled by each point: a pair that was apart needs no new
//! test until its points have travelled as far as the gap.
//!
//! Every point has a reading that never decreases; the difference of two
//! readings is at least the distance moved between them. If two primitives were
//! apart by more than their thickness along some axis, with `slack` to spare,
//! they still are while the sum of their four points' readings has grown by
//! less than the slack.
//!
//! A motion common to all of the cloth does not change gaps within it, so
//! between cloth and cloth only the motion relative to the mean counts.

use crate::response::ResponseMotion;
use conatus_math::DVec3;
use rayon::prelude::*;

/// Points handled by one task.
const POINTS_PER_TASK: usize = 8192;

/// Readings of a point: in the world, and relative to the mean motion of the
/// cloth.
type Reading = [f64; 2];

/// The readings of all points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travel {
    /// Positions at the last reading at a step's start.
    from: Vec<DVec3>,
    /// Readings at the start and at the end of the step.
    start: Vec<Reading>,
    end: Vec<Reading>,
    /// Number of cloth points; they come first.
    cloth: usize,
    /// The mean motion of the cloth over the step.
    mean: DVec3,
}

impl Travel {
    pub(crate) fn new(cloth: usize) -> Self {
        Self {
            cloth,
            ..Self::default()
        }
    }

    /// Clears all readings.
    pub(crate) fn clear_caches(&mut self) {
        self.from.clear();
    }

    /// Starts a step.
    pub(crate) fn begin(&mut self, motion: &ResponseMotion) {
        let n = motion.start.len();
        if self.from.len() != n {
            self.from.clone_from(&motion.start);
            self.start = vec![[0.0; 2]; n];
            self.end = vec![[0.0; 2]; n];
        }
        let cloth = self.cloth.max(1) as f64;
        let moved = |from: &[DVec3], to: &[DVec3]| {
            let each = from.iter().zip(to).take(self.cloth);
            each.map(|(a, b)| *b - *a).sum::<DVec3>() / cloth
        };
        let mean = moved(&self.from, &motion.start);
        self.mean = moved(&motion.start, &motion.end);
        let (cloth, over) = (self.cloth, self.mean);
        let each = self.from.par_iter_mut().zip(&mut self.start);
        let each = each
            .zip(&mut self.end)
            .with_min_len(POINTS_PER_TASK)
            .enumerate();
        each.for_each(|(p, ((from, start), end))| {
            let way = motion.start[p] - *from;
            *from = motion.start[p];
            start[0] += way.length();
            if p < cloth {
                start[1] += (way - mean).length();
            }
            *end = at_end(motion, p, start, (p < cloth).then_some(over));
        });
    }

    /// Restarts the readings at this step; earlier limits become invalid.
    pub(crate) fn restart(&mut self, motion: &ResponseMotion) {
        self.start.fill([0.0; 2]);
        let (cloth, over) = (self.cloth, self.mean);
        let each = self
            .end
            .par_iter_mut()
            .with_min_len(POINTS_PER_TASK)
            .enumerate();
        each.for_each(|(p, end)| {
            *end = at_end(motion, p, &[0.0; 2], (p < cloth).then_some(over));
        });
    }

    /// Updates the readings of points whose end positions changed.
    pub(crate) fn update(&mut self, motion: &ResponseMotion, points: &[u32]) {
        for &p in points {
            self.set_end(motion, p as usize);
        }
    }

    #[inline]
    fn set_end(&mut self, motion: &ResponseMotion, p: usize) {
        let mean = (p < self.cloth).then_some(self.mean);
        self.end[p] = at_end(motion, p, &self.start[p], mean);
    }

    #[inline]
    fn sum(&self, readings: &[Reading], points: &[u32; 4]) -> f64 {
        // Written out: intermediate arrays cost more than the sum.
        let [p, q, r, s] = *points;
        let last = p.max(q).max(r.max(s)) as usize;
        let kind = usize::from(last < self.cloth);
        let reading = |p: u32| readings[p as usize][kind];
        (reading(p) + reading(q)) + (reading(r) + reading(s))
    }

    /// The reading up to which a stencil needs no new test, if its distance
    /// exceeds the thickness by `slack` at the start of the step; below the
    /// current reading if the slack is negative.
    #[inline]
    pub(crate) fn limit(&self, points: &[u32; 4], slack: f64) -> f32 {
        let slack = slack - 1e-6 * slack.abs();
        let limit = slack + self.sum(&self.start, points);
        // Rounded down.
        (limit - 2e-7 * limit.abs()) as f32
    }

    /// The reading of a stencil when the sum of its points' travel since the
    /// start of the step is `way`.
    #[inline]
    pub(crate) fn later(&self, points: &[u32; 4], way: f64) -> f32 {
        (self.sum(&self.start, points) + way) as f32
    }

    /// The sum of the travel of a stencil's points within the step. No two
    /// points of its primitives approach each other by more.
    #[inline]
    pub(crate) fn way(&self, points: &[u32; 4]) -> f64 {
        self.sum(&self.end, points) - self.sum(&self.start, points)
    }

    /// Whether the distance of a stencil exceeds its thickness throughout the
    /// step.
    #[inline]
    pub(crate) fn within(&self, points: &[u32; 4], limit: f32) -> bool {
        self.sum(&self.end, points) <= f64::from(limit)
    }

    /// Whether the distance still exceeds the thickness minus `closer`.
    #[inline]
    pub(crate) fn within_by(&self, points: &[u32; 4], limit: f32, closer: f64) -> bool {
        self.sum(&self.end, points) <= f64::from(limit) + closer
    }
}

/// The reading of a point at the end of a step; relative to the mean motion of
/// the cloth if the point is cloth.
#[inline]
fn at_end(motion: &ResponseMotion, p: usize, start: &Reading, mean: Option<DVec3>) -> Reading {
    let way = motion.end[p] - motion.start[p];
    let against = mean.map_or(0.0, |mean| start[1] + (way - mean).length());
    [start[0] + way.length(), against]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::NO_BODY;

    /// Two points of cloth that fall together, and a third point at rest.
    fn falling() -> ResponseMotion {
        let mut motion = ResponseMotion::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        motion.h = 1.0;
        for p in 0..2 {
            motion.end[p] = motion.start[p] - DVec3::Z;
        }
        motion
    }

    #[test]
    fn points_that_fall_together_have_no_relative_travel() {
        let motion = falling();
        assert!(motion.body_of.iter().all(|&b| b == NO_BODY));
        let mut travel = Travel::new(2);
        travel.begin(&motion);
        let within = [0, 1, 0, 1];
        assert!(travel.within(&within, travel.limit(&within, 1e-3)));
        let across = [0, 1, 2, 3];
        assert!(!travel.within(&across, travel.limit(&across, 1.9)));
        assert!(travel.within(&across, travel.limit(&across, 2.1)));
    }

    #[test]
    fn readings_add_up_over_steps_and_follow_a_response() {
        let mut motion = falling();
        let mut travel = Travel::new(2);
        travel.begin(&motion);
        let across = [0, 1, 2, 3];
        let limit = travel.limit(&across, 2.1);
        motion.end[0] = motion.start[0];
        travel.update(&motion, &[0]);
        assert!(travel.within(&across, travel.limit(&across, 1.1)));
        motion.start = motion.end.clone();
        travel.begin(&motion);
        assert!(travel.within(&across, limit));
        motion.end[0] += 1.2 * DVec3::X;
        travel.update(&motion, &[0]);
        assert!(!travel.within(&across, limit));
    }
}
