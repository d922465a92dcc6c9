//! Where two solids touch: up to four points with a common normal.

use conatus_math::{DVec3, Pose};

/// The most points of a manifold: as many as keep a flat contact from tipping.
pub const MAX_POINTS: usize = 4;

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// The middle between the two surfaces.
    pub point: DVec3,
    /// How far apart the surfaces are along the normal; negative if they overlap.
    pub separation: f64,
    /// The features that meet here; equal from step to step while they do.
    pub id: u32,
}

/// The points where two solids touch or may touch within a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// The unit normal, from the first solid to the second.
    pub normal: DVec3,
    points: [ManifoldPoint; MAX_POINTS],
    count: usize,
}

impl Manifold {
    /// Without points and normal.
    pub const EMPTY: Self = Self {
        normal: DVec3::ZERO,
        points: [ManifoldPoint {
            point: DVec3::ZERO,
            separation: 0.0,
            id: 0,
        }; MAX_POINTS],
        count: 0,
    };

    /// Without points.
    #[inline]
    pub fn new(normal: DVec3) -> Self {
        Self {
            normal,
            ..Self::default()
        }
    }

    /// With one point.
    #[inline]
    pub fn single(normal: DVec3, point: ManifoldPoint) -> Self {
        let mut manifold = Self::new(normal);
        manifold.push(point);
        manifold
    }

    /// The points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count]
    }

    /// Whether there are no points.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a point; a fifth one is ignored.
    #[inline]
    pub fn push(&mut self, point: ManifoldPoint) {
        if let Some(place) = self.points.get_mut(self.count) {
            *place = point;
            self.count += 1;
        }
    }

    /// The same manifold seen from the other solid.
    #[inline]
    pub fn flipped(mut self) -> Self {
        self.normal = -self.normal;
        self
    }

    /// The same manifold in the coordinates that `pose` leads to.
    #[inline]
    pub fn moved(mut self, pose: &Pose) -> Self {
        self.normal = pose.direction(self.normal);
        for point in &mut self.points[..self.count] {
            point.point = pose.point(point.point);
        }
        self
    }

    /// The same manifold without overlaps deeper than `separation`, the gap of the solids
    /// along the normal: clipping against a slanted face extrapolates beyond it.
    pub fn no_deeper_than(mut self, separation: f64) -> Self {
        for point in &mut self.points[..self.count] {
            point.separation = point.separation.max(separation);
        }
        self
    }

    /// Fills the manifold with the points of `candidates` that hold a contact best,
    /// at most four: the deepest, the one farthest from it, and the two that span
    /// the largest area to either side. Ties go to the first.
    pub fn reduce(&mut self, candidates: &[ManifoldPoint]) {
        self.count = 0;
        if candidates.len() <= MAX_POINTS {
            candidates.iter().for_each(|c| self.push(*c));
            return;
        }
        let best = |score: &dyn Fn(&ManifoldPoint) -> f64| {
            let mut best: Option<(f64, usize)> = None;
            for (k, c) in candidates.iter().enumerate() {
                let s = score(c);
                if best.is_none_or(|(most, _)| s > most) {
                    best = Some((s, k));
                }
            }
            best.unwrap_or((0.0, 0))
        };
        // A corner that hardly differs in depth must not take turns with another:
        // the choice follows from depth and a fixed direction together.
        let tangent = super::perpendicular(self.normal);
        let bitangent = self.normal.cross(tangent);
        let centre: DVec3 =
            candidates.iter().map(|c| c.point).sum::<DVec3>() / candidates.len() as f64;
        let reach = candidates
            .iter()
            .map(|c| (c.point - centre).length())
            .fold(0.0, f64::max);
        let deep = candidates
            .iter()
            .map(|c| c.separation)
            .fold(f64::INFINITY, f64::min);
        let scale = (reach * 0.001).max(1e-12);
        let (_, first) = best(&|c| {
            let aside = (c.point - centre).dot(tangent) + 0.7 * (c.point - centre).dot(bitangent);
            (deep - c.separation).max(-10.0 * scale) / scale * reach + aside
        });
        let a = candidates[first];
        let (_, second) = best(&|c| (c.point - a.point).length_squared());
        let b = candidates[second];
        let area = |c: &ManifoldPoint| {
            self.normal
                .dot((c.point - a.point).cross(b.point - a.point))
        };
        let (left, third) = best(&|c| area(c));
        let (right, fourth) = best(&|c| -area(c));
        self.push(a);
        if second != first {
            self.push(b);
        }
        let least = 1e-6 * reach * reach;
        if left > least && third != first && third != second {
            self.push(candidates[third]);
        }
        if right > least && fourth != first && fourth != second && fourth != third {
            self.push(candidates[fourth]);
        }
    }
}
