//! The planes of a scene. Those behind the motion are filled, of those in front
//! only the edges are drawn.

use super::picture_space::PictureSpace;
use crate::shared::bounds::Extent;
use crate::shared::{bounds, layout};
use conatus_math::DVec3;
use conatus_record::Recording;

/// The most planes that are drawn.
const MAX_SIDES: usize = 32;

/// One plane.
pub(super) struct PlaneSide {
    /// Towards the free side.
    pub normal: DVec3,
    /// The distance of the plane from the origin along its normal.
    offset: f64,
    /// The directions of its grid.
    axes: [DVec3; 2],
    /// Whether it is a floor.
    pub ground: bool,
    /// Whether the scene has it; otherwise it was added for display.
    pub real: bool,
}

/// The convex space between all planes.
pub(super) struct ScenePlanes {
    pub sides: Vec<PlaneSide>,
    /// The distance of grid lines, and a point that they pass through.
    step: f64,
    origin: DVec3,
    /// The box that the motion stays in.
    lo: DVec3,
    hi: DVec3,
    /// How far above it walls are drawn.
    above: f64,
}

/// The intersection of a ray with a plane.
#[derive(Clone, Copy)]
pub(super) struct PlaneHit {
    /// The ray parameter.
    pub depth: f64,
    pub side: usize,
}

impl ScenePlanes {
    /// The planes of a run, with one at height `ground` if there is no floor.
    pub fn new(
        recording: &Recording,
        space: &PictureSpace,
        extent: &Extent,
        ground: f64,
        has_floor: bool,
    ) -> Self {
        let header = &recording.header;
        let up = bounds::up(header);
        let mut sides = Vec::new();
        let mut add = |point: DVec3, normal: DVec3, real: bool| {
            let normal = space.turn(normal).try_normalize();
            let (Some(point), Some(normal)) = (space.at(point), normal) else {
                return;
            };
            let axis = match normal.z.abs() > 0.9 {
                true => DVec3::X,
                false => DVec3::Z,
            };
            let first = normal.cross(axis).normalize_or(DVec3::X);
            sides.push(PlaneSide {
                normal,
                offset: point.dot(normal),
                axes: [first, normal.cross(first)],
                ground: normal.z > 0.5,
                real,
            });
        };
        for plane in header.planes.iter().take(MAX_SIDES) {
            add(plane.point, plane.normal, true);
        }
        // Unbounded water has no bed unless the scene has a floor.
        let endless = header.waters.iter().any(|w| w.extent.is_none());
        if !has_floor && !endless {
            let middle = (extent.lo + extent.hi) / 2.0;
            add(middle + up * (ground - middle.dot(up)), up, false);
        }
        let corners = [extent.lo, extent.hi].map(|p| space.at(p).unwrap_or_default());
        let spread = (extent.hi - extent.lo).max_element();
        let step = layout::round_step(spread.max(1e-12) / 14.0);
        Self {
            sides,
            step: step / space.scale,
            origin: space.at(DVec3::ZERO).unwrap_or_default(),
            lo: corners[0].min(corners[1]),
            hi: corners[0].max(corners[1]),
            above: (0.5 * (corners[0] - corners[1]).z.abs()).clamp(0.1, 0.5),
        }
    }

    /// Where a ray from the eye enters the convex space, if the eye is outside, and
    /// where it leaves it.
    pub fn pass(&self, eye: DVec3, ray: DVec3) -> [Option<PlaneHit>; 2] {
        let (mut enter, mut leave) = (None::<PlaneHit>, None::<PlaneHit>);
        for (side, plane) in self.sides.iter().enumerate() {
            let height = plane.normal.dot(eye) - plane.offset;
            let rise = plane.normal.dot(ray);
            if rise < 0.0 && height >= 0.0 {
                let depth = -height / rise;
                if leave.is_none_or(|l| depth < l.depth) {
                    leave = Some(PlaneHit { depth, side });
                }
            } else if height < 0.0 {
                if rise <= 0.0 {
                    return [None, None];
                }
                let depth = -height / rise;
                if enter.is_none_or(|e| depth > e.depth) {
                    enter = Some(PlaneHit { depth, side });
                }
            }
        }
        match (enter, leave) {
            (Some(e), Some(l)) if e.depth >= l.depth => [None, None],
            both => [both.0, both.1],
        }
    }

    /// The distance of a point of a plane from the nearest other plane.
    pub fn edge_distance(&self, p: DVec3, side: usize) -> f64 {
        let others = self.sides.iter().enumerate().filter(|(k, _)| *k != side);
        let distance = |(_, s): (usize, &PlaneSide)| (s.normal.dot(p) - s.offset).abs();
        others.map(distance).fold(f64::INFINITY, f64::min)
    }

    /// The visibility of a plane at a point: 1 near the motion, 0 far away.
    pub fn clearness(&self, p: DVec3, side: &PlaneSide) -> f64 {
        let outside = (self.lo - p).max(p - self.hi).max(DVec3::ZERO);
        let (begin, end) = match (side.ground, side.real) {
            (true, true) => (0.3, 2.4),
            (true, false) => (0.1, 1.6),
            (false, _) => (0.0, self.above),
        };
        let s = ((outside.length() - begin) / (end - begin)).clamp(0.0, 1.0);
        1.0 - s * s * (3.0 - 2.0 * s)
    }

    /// The coverage of a sample at `p` by grid lines. `spread` is how `p` moves to
    /// the next pixel to the right and up.
    pub fn grid(&self, p: DVec3, side: &PlaneSide, spread: [DVec3; 2]) -> f64 {
        let mut cover = 0.0f64;
        for axis in side.axes {
            let along = (p - self.origin).dot(axis) / self.step;
            let pixel = spread.iter().map(|s| s.dot(axis).abs()).sum::<f64>() / self.step;
            // Lines are a pixel wide and fade where they are dense.
            let fade = 1.0 - 4.0 * pixel;
            let line = (along + if along < 0.0 { -0.5 } else { 0.5 }) as i64;
            let off = (along - line as f64).abs();
            if off < pixel && fade > 0.0 {
                let heavy = if line % 5 == 0 { 1.0 } else { 0.5 };
                cover = cover.max(fade * heavy * (1.0 - off / pixel));
            }
        }
        cover
    }
}
