//! A point against all surfaces at once: Mordatch (3).

use super::{Surface, outer};
use conatus_math::{DMat3, DVec3};

/// k of (3), in 1/m², while a movement is being found.
pub const SOFTNESS: f64 = 1e4;

/// Beyond this distance a surface no longer counts, in metres, if there is
/// endless ground: so a hundred obstacles do not cost a hundred times.
const FAR: f64 = 1.0;

/// All that does not move.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The surfaces, as they are at present.
    pub surfaces: Vec<Surface>,
    /// k of (3).
    pub softness: f64,
    /// A ball around each surface that has one; those without are always looked
    /// at.
    balls: Vec<Option<(DVec3, f64)>>,
    /// Whether only planes are there.
    flat: bool,
    /// Whether something that bears has no end.
    endless: bool,
}

impl Surroundings {
    /// As they are in the end.
    pub fn new(surfaces: Vec<Surface>) -> Self {
        let balls = surfaces.iter().map(|s| s.shape.ball()).collect();
        let flat = surfaces.iter().all(Surface::is_flat);
        let endless = surfaces.iter().any(|s| s.bears && s.shape.ball().is_none());
        Self {
            surfaces,
            softness: SOFTNESS,
            balls,
            flat,
            endless,
        }
    }

    /// As they are at a share of their way to their places: 1 is the end. They
    /// still fill the way that they came, so that nobody gets behind them.
    pub fn on_their_way(&self, share: f64) -> Self {
        let mut surfaces = self.surfaces.clone();
        for surface in &mut surfaces {
            if let Some(by) = surface.comes_from {
                let now = surface.shape.shifted(by * (1.0 - share));
                surface.shape = now.drawn_out(by * share);
            }
        }
        Self {
            softness: self.softness,
            ..Self::new(surfaces)
        }
    }

    /// Whether only planes are there, of which the ends of stiff parts are the
    /// deepest.
    pub fn is_flat(&self) -> bool {
        self.flat
    }

    /// The surfaces that may be within a distance of a point.
    #[inline]
    pub fn within(&self, p: DVec3, distance: f64) -> impl Iterator<Item = &Surface> {
        let near = move |ball: &Option<(DVec3, f64)>| match ball {
            Some((centre, radius)) => {
                let reach = radius + distance;
                centre.distance_squared(p) < reach * reach
            }
            None => true,
        };
        let both = self.surfaces.iter().zip(&self.balls);
        both.filter(move |(_, ball)| near(ball)).map(|(s, _)| s)
    }

    /// The surface that is nearest to a point, as it is, of those that bear anything.
    pub fn nearest(&self, p: DVec3) -> Option<(usize, super::Distance)> {
        let all = self.surfaces.iter().enumerate().filter(|(_, s)| s.bears);
        let all = all.map(|(k, s)| (k, s.distance(p)));
        all.min_by(|a, b| a.1.value.total_cmp(&b.1.value))
    }
}

/// A point against all surfaces at once.
#[derive(Clone, Copy, Debug)]
pub struct Nearness {
    /// From the soft nearest point to the point: Σ η_j (p − n_j) / Σ η_j.
    pub gap: DVec3,
    /// The soft normal there, of unit length.
    pub normal: DVec3,
    /// ∂gap/∂p.
    pub(crate) gap_slope: DMat3,
    /// ∂normal/∂p.
    pub(crate) normal_slope: DMat3,
}

impl Nearness {
    /// Against one surface alone.
    pub fn to_one(d: &super::Distance) -> Self {
        Self {
            gap: d.normal * d.value,
            normal: d.normal,
            gap_slope: d.gap_slope(),
            normal_slope: d.slope,
        }
    }

    /// Mordatch (3): weights η_j = 1/(1 + k |p − n_j|²), normalised. What is not
    /// endless fades out where it is far.
    pub fn new(around: &Surroundings, p: DVec3) -> Self {
        if let [only] = &around.surfaces[..] {
            return Self::to_one(&only.distance(p));
        }
        let endless = around.endless;
        let reach = if endless { FAR } else { f64::INFINITY };
        let (mut sum, mut gap, mut normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
        let (mut gap_slope, mut normal_slope) = (DMat3::ZERO, DMat3::ZERO);
        let mut sum_slope = DVec3::ZERO;
        for (surface, ball) in around.surfaces.iter().zip(&around.balls) {
            if !surface.bears {
                continue;
            }
            if let Some((centre, radius)) = ball
                && centre.distance_squared(p) > (radius + reach) * (radius + reach)
            {
                continue;
            }
            let d = surface.distance(p);
            let square = d.value * d.value;
            let mut eta = 1.0 / (1.0 + around.softness * square);
            let mut by_square = -around.softness * eta * eta;
            if endless && ball.is_some() {
                let fade = (1.0 - square / (FAR * FAR)).max(0.0);
                by_square = by_square * fade * fade - eta * 2.0 * fade / (FAR * FAR);
                eta *= fade * fade;
            }
            let by_p = d.gradient * (2.0 * d.value * by_square);
            sum += eta;
            sum_slope += by_p;
            let way = d.normal * d.value;
            gap += way * eta;
            gap_slope += outer(way, by_p) + d.gap_slope() * eta;
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

    /// The adjoint: derivatives by the point.
    pub fn pull(&self, by_gap: DVec3, by_normal: DVec3) -> DVec3 {
        self.gap_slope.transpose() * by_gap + self.normal_slope.transpose() * by_normal
    }
}
