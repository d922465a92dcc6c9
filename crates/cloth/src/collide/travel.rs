//! How far points have come: what was seen well apart needs no second look
//! until its points have come as far as the gap was wide.
//!
//! Every point has a reading that never falls, by which no two readings differ
//! less than the point moved. If two primitives were apart by more than their
//! thickness along some axis, with `slack` to spare, they still are while the
//! readings of their four points have grown by less than the slack in sum.
//!
//! A motion that all of the cloth shares does not change gaps within it, so
//! between cloth and cloth only the motion against the mean counts.

use crate::response::ResponseMotion;
use conatus_math::DVec3;
use rayon::prelude::*;

/// Points handled by one task.
const POINTS_PER_TASK: usize = 8192;

/// Readings of a point: in the world, and against the mean of the cloth.
type Reading = [f64; 2];

/// The readings of all points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Travel {
    /// Where the points were at the last reading at a step's start.
    from: Vec<DVec3>,
    /// Readings at the start and at the end of the step.
    start: Vec<Reading>,
    end: Vec<Reading>,
    /// How many of the points are cloth; they come first.
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

    /// Forgets all readings.
    pub(crate) fn clear_caches(&mut self) {
        self.from.clear();
    }

    /// At the beginning of a step.
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

    /// Counts from the start of this step on; no limit from before holds.
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

    /// The ends of these points are other than they were.
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
        // Written out: arrays in between cost more than the sum.
        let [p, q, r, s] = *points;
        let last = p.max(q).max(r.max(s)) as usize;
        let kind = usize::from(last < self.cloth);
        let reading = |p: u32| readings[p as usize][kind];
        (reading(p) + reading(q)) + (reading(r) + reading(s))
    }

    /// The reading up to which a stencil needs no look that is apart by
    /// `slack` more than its thickness at the start of the step; below the
    /// reading of now if it is apart by less.
    #[inline]
    pub(crate) fn limit(&self, points: &[u32; 4], slack: f64) -> f32 {
        let slack = slack - 1e-6 * slack.abs();
        let limit = slack + self.sum(&self.start, points);
        // Rounded down.
        (limit - 2e-7 * limit.abs()) as f32
    }

    /// The reading of a stencil when its points have come so far from the start
    /// of the step, added up.
    #[inline]
    pub(crate) fn later(&self, points: &[u32; 4], way: f64) -> f32 {
        (self.sum(&self.start, points) + way) as f32
    }

    /// How far the points of a stencil go within the step, added up. No two
    /// points of its primitives approach each other by more.
    #[inline]
    pub(crate) fn way(&self, points: &[u32; 4]) -> f64 {
        self.sum(&self.end, points) - self.sum(&self.start, points)
    }

    /// Whether a stencil is still beyond its thickness throughout the step.
    #[inline]
    pub(crate) fn within(&self, points: &[u32; 4], limit: f32) -> bool {
        self.sum(&self.end, points) <= f64::from(limit)
    }

    /// Whether it is still apart by its thickness less `closer`.
    #[inline]
    pub(crate) fn within_by(&self, points: &[u32; 4], limit: f32, closer: f64) -> bool {
        self.sum(&self.end, points) <= f64::from(limit) + closer
    }
}

/// The reading of a point at the end of a step; with the mean motion of the
/// cloth, if it is one of it.
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

    /// Two points of cloth that fall together and one beside them that does
    /// not.
    fn falling() -> ResponseMotion {
        let mut motion = ResponseMotion::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        motion.h = 1.0;
        for p in 0..2 {
            motion.end[p] = motion.start[p] - DVec3::Z;
        }
        motion
    }

    #[test]
    fn what_falls_together_has_not_moved_against_itself() {
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
