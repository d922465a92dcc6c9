//! The soft nearest point of all surfaces: Mordatch (3).

use super::{Surface, outer};
use conatus_math::{DMat3, DVec3};

/// k of (3), in 1/m², during a search.
pub const SOFTNESS: f64 = 1e4;

/// Bounded surfaces have no influence beyond this distance, if there is an unbounded
/// one: then the time of an evaluation does not grow with the number of obstacles.
const CULL_DISTANCE_M: f64 = 1.0;

/// All static surfaces.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The surfaces at their present places.
    pub surfaces: Vec<Surface>,
    /// k of (3).
    pub softness: f64,
    /// The bounding sphere of each surface; surfaces without one are never culled.
    bounds: Vec<Option<(DVec3, f64)>>,
    /// Whether all are planes.
    flat: bool,
    /// Whether a load-bearing surface is unbounded.
    unbounded: bool,
}

impl Surroundings {
    /// Surfaces at their final places.
    pub fn new(surfaces: Vec<Surface>) -> Self {
        let bounds = surfaces.iter().map(|s| s.shape.bounding_sphere()).collect();
        let flat = surfaces.iter().all(Surface::is_flat);
        let unbounded = surfaces
            .iter()
            .any(|s| s.bears && s.shape.bounding_sphere().is_none());
        Self {
            surfaces,
            softness: SOFTNESS,
            bounds,
            flat,
            unbounded,
        }
    }

    /// Whether something could stand on a part that is not level.
    pub fn has_slopes(&self) -> bool {
        self.surfaces.iter().any(Surface::is_slope)
    }

    /// The surfaces at a fraction of their way to their final places: 1 is the end. Each
    /// also fills the volume that it has swept, so that a part cannot get behind it.
    pub fn at_stage(&self, share: f64) -> Self {
        let mut surfaces = self.surfaces.clone();
        for surface in &mut surfaces {
            if let Some(by) = surface.comes_from {
                let now = surface.shape.translated(by * (1.0 - share));
                surface.shape = now.swept(by * share);
            }
        }
        Self {
            softness: self.softness,
            ..Self::new(surfaces)
        }
    }

    /// Whether all are planes: then the deepest point of a straight part is one of its
    /// ends.
    pub fn is_flat(&self) -> bool {
        self.flat
    }

    /// The surfaces that may be within a distance of a point.
    #[inline]
    pub fn within(&self, p: DVec3, distance: f64) -> impl Iterator<Item = &Surface> {
        let near = move |bound: &Option<(DVec3, f64)>| match bound {
            Some((centre, radius)) => {
                let reach = radius + distance;
                centre.distance_squared(p) < reach * reach
            }
            None => true,
        };
        let both = self.surfaces.iter().zip(&self.bounds);
        both.filter(move |(_, bound)| near(bound)).map(|(s, _)| s)
    }

    /// The load-bearing surface nearest to a point (not soft), with its distance.
    pub fn nearest(&self, p: DVec3) -> Option<(usize, super::Distance)> {
        let all = self.surfaces.iter().enumerate().filter(|(_, s)| s.bears);
        let all = all.map(|(k, s)| (k, s.distance(p)));
        all.min_by(|a, b| a.1.value.total_cmp(&b.1.value))
    }
}

/// The vector from the soft nearest point of all surfaces to a point, and the normal
/// there.
#[derive(Clone, Copy, Debug)]
pub struct SoftNearestPoint {
    /// From the soft nearest point to the point: Σ η_j (p − n_j) / Σ η_j.
    pub gap: DVec3,
    /// The soft normal there, of unit length.
    pub normal: DVec3,
    /// ∂gap/∂p.
    pub(crate) gap_slope: DMat3,
    /// ∂normal/∂p.
    pub(crate) normal_slope: DMat3,
}

impl SoftNearestPoint {
    /// The nearest point of one surface.
    pub fn to_one(d: &super::Distance) -> Self {
        Self {
            gap: d.normal * d.value,
            normal: d.normal,
            gap_slope: d.gap_slope(),
            normal_slope: d.slope,
        }
    }

    /// Mordatch (3): weights η_j = 1/(1 + k |p − n_j|²), normalised. Bounded surfaces
    /// fade out towards `CULL_DISTANCE_M`.
    pub fn new(around: &Surroundings, p: DVec3) -> Self {
        if let [only] = &around.surfaces[..] {
            return Self::to_one(&only.distance(p));
        }
        let unbounded = around.unbounded;
        let reach = if unbounded {
            CULL_DISTANCE_M
        } else {
            f64::INFINITY
        };
        let (mut sum, mut gap, mut normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
        let (mut gap_slope, mut normal_slope) = (DMat3::ZERO, DMat3::ZERO);
        let mut sum_slope = DVec3::ZERO;
        for (surface, bound) in around.surfaces.iter().zip(&around.bounds) {
            if !surface.bears {
                continue;
            }
            if let Some((centre, radius)) = bound
                && centre.distance_squared(p) > (radius + reach) * (radius + reach)
            {
                continue;
            }
            let d = surface.distance(p);
            let square = d.value * d.value;
            let mut eta = 1.0 / (1.0 + around.softness * square);
            let mut by_square = -around.softness * eta * eta;
            if unbounded && bound.is_some() {
                let fade = (1.0 - square / (CULL_DISTANCE_M * CULL_DISTANCE_M)).max(0.0);
                by_square = by_square * fade * fade
                    - eta * 2.0 * fade / (CULL_DISTANCE_M * CULL_DISTANCE_M);
                eta *= fade * fade;
            }
            let by_p = d.gradient * (2.0 * d.value * by_square);
            sum += eta;
            sum_slope += by_p;
            let offset = d.normal * d.value;
            gap += offset * eta;
            gap_slope += outer(offset, by_p) + d.gap_slope() * eta;
            normal += d.normal * eta;
            normal_slope += outer(d.normal, by_p) + d.slope * eta;
        }
        gap /= sum;
        let length = normal.length().max(1e-12);
        let unit = normal / length;
        let across = DMat3::IDENTITY - outer(unit, unit);
        Self {
            gap,
            normal: unit,
            gap_slope: (gap_slope - outer(gap, sum_slope)) * (1.0 / sum),
            normal_slope: across * normal_slope * (1.0 / length),
        }
    }

    /// The vector-Jacobian product: the gradient with respect to the point.
    pub fn vector_jacobian_product(&self, by_gap: DVec3, by_normal: DVec3) -> DVec3 {
        self.gap_slope.transpose() * by_gap + self.normal_slope.transpose() * by_normal
    }
}
