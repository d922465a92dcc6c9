//! What characters can touch and must not enter: signed distances with their
//! derivatives, and the soft nearest point of Mordatch (3).

use conatus_math::{DMat3, DVec3};

/// k of (3), in 1/m².
pub const SOFTNESS: f64 = 1e4;

/// A surface that does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Whether hands can hold on to it.
    pub grippable: bool,
}

/// A shape of the surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// All that is on the far side of a plane.
    Plane {
        /// A point of the plane.
        point: DVec3,
        /// The unit normal, towards where characters may be.
        normal: DVec3,
    },
}

/// The distance of a point from a surface (negative inside), its gradient n and
/// its second derivative.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// In metres.
    pub value: f64,
    /// The unit vector away from the surface.
    pub normal: DVec3,
    /// How the normal changes with the point.
    pub hessian: DMat3,
}

impl Surface {
    /// Flat ground at height zero.
    pub fn ground() -> Self {
        Self {
            name: "ground".into(),
            shape: Shape::Plane {
                point: DVec3::ZERO,
                normal: DVec3::Z,
            },
            grippable: false,
        }
    }

    /// How far a point is from it.
    #[inline]
    pub fn distance(&self, p: DVec3) -> Distance {
        match &self.shape {
            Shape::Plane { point, normal } => Distance {
                value: (p - *point).dot(*normal),
                normal: *normal,
                hessian: DMat3::ZERO,
            },
        }
    }

    /// Whether only the ends of a stiff part can be the deepest in it.
    pub fn is_flat(&self) -> bool {
        matches!(self.shape, Shape::Plane { .. })
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
    gap_slope: DMat3,
    /// ∂normal/∂p.
    normal_slope: DMat3,
}

impl Nearness {
    /// Mordatch (3): weights η_j = 1/(1 + k |p − n_j|²), normalised.
    pub fn new(surfaces: &[Surface], p: DVec3) -> Self {
        if let [only] = surfaces {
            let d = only.distance(p);
            let n = d.normal;
            return Self {
                gap: n * d.value,
                normal: n,
                gap_slope: outer(n, n) + d.hessian * d.value,
                normal_slope: d.hessian,
            };
        }
        let (mut sum, mut gap, mut normal) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for surface in surfaces {
            let d = surface.distance(p);
            let eta = 1.0 / (1.0 + SOFTNESS * d.value * d.value);
            sum += eta;
            gap += d.normal * (d.value * eta);
            normal += d.normal * eta;
        }
        gap /= sum;
        let length = normal.length().max(1e-12);
        let unit = normal / length;
        let (mut gap_slope, mut normal_slope) = (DMat3::ZERO, DMat3::ZERO);
        for surface in surfaces {
            let d = surface.distance(p);
            let n = d.normal;
            let eta = 1.0 / (1.0 + SOFTNESS * d.value * d.value);
            let by_p = n * (-2.0 * SOFTNESS * d.value * eta * eta);
            gap_slope += outer(n * d.value - gap, by_p) + (outer(n, n) + d.hessian * d.value) * eta;
            normal_slope += outer(n, by_p) + d.hessian * eta;
        }
        let across = DMat3::IDENTITY - outer(unit, unit);
        Self {
            gap,
            normal: unit,
            gap_slope: gap_slope * (1.0 / sum),
            normal_slope: across * normal_slope * (1.0 / length),
        }
    }

    /// The adjoint: derivatives by the point.
    pub fn pull(&self, by_gap: DVec3, by_normal: DVec3) -> DVec3 {
        self.gap_slope.transpose() * by_gap + self.normal_slope.transpose() * by_normal
    }
}

fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}
