//! The polygon of a feature of a solid, clipped by planes without allocation.

use conatus_math::{DMat3, DVec3};

/// The most corners of a feature; faces of hulls with more are thinned out.
pub const MAX_CORNERS: usize = 16;

/// How far the corners of a feature may lie below its highest one, as a share of its
/// own size: the sine of about 2 degrees.
const MAX_SLOPE: f64 = 0.035;

/// A corner of a feature and what tells it apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Corner {
    /// Where it is.
    pub point: DVec3,
    /// The same from step to step.
    pub id: u32,
}

/// Each plane that clips a polygon adds at most one corner.
pub(super) const CAPACITY: usize = 2 * MAX_CORNERS;

/// A polygon of up to [`MAX_CORNERS`] corners; two are an edge, one is a point.
#[derive(Clone, Debug)]
pub struct Polygon {
    corners: [Corner; CAPACITY],
    count: usize,
}

impl Default for Polygon {
    #[inline]
    fn default() -> Self {
        Self {
            corners: [Corner::default(); CAPACITY],
            count: 0,
        }
    }
}

impl Polygon {
    /// The corners in order.
    #[inline]
    pub fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    /// Adds a corner; one too many is ignored.
    #[inline]
    pub(super) fn push(&mut self, point: DVec3, id: u32) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = Corner { point, id };
            self.count += 1;
        }
    }

    /// Keeps the part in front of a plane, whose `distance` is positive there, in `out`
    /// and returns true; leaves `out` alone and returns false if that is everything.
    /// Corners that a cut adds carry `tag`.
    pub(super) fn clip(&self, out: &mut Self, tag: u32, distance: impl Fn(DVec3) -> f64) -> bool {
        let corners = self.corners();
        let count = corners.len();
        let mut heights = [0.0; CAPACITY];
        let mut least = f64::INFINITY;
        for (height, corner) in heights.iter_mut().zip(corners) {
            *height = distance(corner.point);
            least = least.min(*height);
        }
        if least >= 0.0 {
            return false;
        }
        out.count = 0;
        let closed = count > 2;
        for (k, here) in corners.iter().enumerate() {
            let d = heights[k];
            if d >= 0.0 {
                out.push(here.point, here.id);
            }
            if !closed && k + 1 == count {
                break;
            }
            let n = if k + 1 == count { 0 } else { k + 1 };
            let (next, e) = (&corners[n], heights[n]);
            if (d < 0.0) != (e < 0.0) && d != e {
                let t = d / (d - e);
                let id = here.id.wrapping_mul(31) ^ next.id.wrapping_mul(17) ^ tag << 8;
                out.push(
                    here.point + (next.point - here.point) * t,
                    id & 0xff_ffff | 0x100_0000,
                );
            }
        }
        true
    }

    /// Moves all corners.
    pub fn moved(mut self, rotation: &DMat3, translation: DVec3) -> Self {
        self.move_by(rotation, translation);
        self
    }

    /// Moves all corners.
    #[inline]
    pub fn move_by(&mut self, rotation: &DMat3, translation: DVec3) {
        for corner in &mut self.corners[..self.count] {
            corner.point = *rotation * corner.point + translation;
        }
    }

    /// How many corners are about as far in a direction as the farthest one.
    pub fn level_count(&self, direction: DVec3) -> usize {
        let peak = self.peak(direction);
        let level = |c: &&Corner| Self::is_level(peak, c, direction);
        self.corners().iter().filter(level).count()
    }

    /// Keeps the corners that are about as far in a direction as the farthest one: a
    /// face that leans too much becomes an edge or a corner.
    pub fn level(mut self, direction: DVec3) -> Self {
        let peak = self.peak(direction);
        let mut kept = 0;
        for k in 0..self.count {
            if Self::is_level(peak, &self.corners[k], direction) {
                self.corners[kept] = self.corners[k];
                kept += 1;
            }
        }
        self.count = kept;
        self
    }

    fn is_level(peak: DVec3, corner: &Corner, direction: DVec3) -> bool {
        let below = peak.dot(direction) - corner.point.dot(direction);
        below <= MAX_SLOPE * (corner.point - peak).length()
    }

    /// The first of the farthest corners in a direction.
    fn peak(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for corner in self.corners() {
            let height = corner.point.dot(direction);
            if height > best.0 {
                best = (height, corner.point);
            }
        }
        best.1
    }

    pub(super) fn normal(&self) -> DVec3 {
        // Newell's sum over the edges.
        let mut sum = DVec3::ZERO;
        let Some(mut a) = self.corners().last() else {
            return sum;
        };
        for b in self.corners() {
            sum += a.point.cross(b.point);
            a = b;
        }
        sum
    }
}
