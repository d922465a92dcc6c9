//! A box with rounded edges.
//!
//! With m_k = |d_k| − (h_k − r) along each axis, outside of the core
//! ```text
//! φ = |max(m, 0)| − r
//! ```
//! and inside of it a smooth stand-in for the largest of the m_k,
//! ```text
//! φ = −(Σ (−m_k)⁻⁴)^(−1/4) − r
//! ```
//! so that a point inside is pushed out through the nearest face, without a jump where
//! two faces are equally near. Values and gradients agree on the faces of the core.

use super::{Distance, outer};
use conatus_math::{DMat3, DVec3};

/// A box with rounded edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundedBox {
    /// Its centre.
    pub position: DVec3,
    /// From its own axes to world axes.
    pub orientation: DMat3,
    /// Half of its edges.
    pub half_extents: DVec3,
    /// The radius of its edges; rounding does not move the faces.
    pub radius: f64,
    /// Whether it stands on the ground: then no point inside is pushed out downwards.
    pub grounded: bool,
}

/// The default radius of edges, in metres.
pub const DEFAULT_EDGE_RADIUS_M: f64 = 0.04;

impl RoundedBox {
    /// A box with the default edge radius, or half of its smallest half extent if that
    /// is less.
    pub fn new(position: DVec3, orientation: DMat3, half_extents: DVec3) -> Self {
        Self {
            position,
            orientation,
            half_extents,
            radius: DEFAULT_EDGE_RADIUS_M.min(0.5 * half_extents.min_element()),
            grounded: false,
        }
    }

    /// The signed distance of a point.
    pub fn distance(&self, p: DVec3) -> Distance {
        let d = self.orientation.transpose() * (p - self.position);
        // A block on the ground has no bottom: only its top counts along z.
        let side = |k: usize| {
            if k == 2 && self.grounded {
                1.0
            } else {
                1f64.copysign(d[k])
            }
        };
        let sign = DVec3::new(side(0), side(1), side(2));
        let m = d * sign - (self.half_extents - DVec3::splat(self.radius));
        let (value, gradient, slope) = if m.max_element() > 0.0 {
            outside(m)
        } else {
            inside(m)
        };
        // With respect to p: apply the signs and rotate back.
        let r = self.orientation * DMat3::from_diagonal(sign);
        let (gradient, slope) = (r * gradient, r * slope * r.transpose());
        let length = gradient.length().max(1e-9);
        let normal = gradient / length;
        let across = DMat3::IDENTITY - outer(normal, normal);
        Distance {
            value: value - self.radius,
            gradient,
            normal,
            slope: across * slope * (1.0 / length),
        }
    }

    /// A bounding sphere. For a block on the ground it does not cover what is below.
    pub(super) fn bounding_sphere(&self) -> (DVec3, f64) {
        (self.position, self.half_extents.length())
    }
}

/// |max(m, 0)|, its gradient and its second derivative.
fn outside(m: DVec3) -> (f64, DVec3, DMat3) {
    let w = m.max(DVec3::ZERO);
    let length = w.length();
    let n = w / length;
    let free = m.cmpgt(DVec3::ZERO);
    let part = |k: usize| f64::from(u8::from(free.test(k)));
    let part = DMat3::from_diagonal(DVec3::new(part(0), part(1), part(2)));
    (length, n, (part - outer(n, n)) * (1.0 / length.max(1e-9)))
}

/// −(Σ q⁻⁴)^(−1/4) with q = −m, its gradient and its second derivative by m.
fn inside(m: DVec3) -> (f64, DVec3, DMat3) {
    let q = (-m).max(DVec3::splat(1e-6));
    let least = q.min_element();
    // In units of the least, so that powers do not overflow.
    let t = q / least;
    let inverse = t.recip();
    let fourth = inverse * inverse * inverse * inverse;
    let sum = fourth.element_sum();
    let s = sum.powf(-0.25);
    let fifth = fourth * inverse;
    // ds/dq_k = S^(−5/4) q_k⁻⁵; d/dm = −d/dq, twice for the negative value.
    let gradient = fifth * (s / sum);
    let both = outer(gradient, gradient) * (5.0 / s);
    let own = fifth * inverse * (5.0 * s / sum);
    // d²(−s)/dm² = −d²s/dq².
    let second = (both - DMat3::from_diagonal(own)) * (1.0 / least);
    (-s * least, gradient, -second)
}
