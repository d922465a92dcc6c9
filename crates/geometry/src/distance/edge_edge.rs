//! Closest points of two edges.

use super::{Closest, clamp_unit, fraction, inverse};
use conatus_math::DVec3;

/// The nearest points of the edge from `x[0]` to `x[1]` and the edge from
/// `x[2]` to `x[3]`. Either may have zero length, and they may be parallel:
/// then the result is one of the many pairs of nearest points.
///
/// With u and v along the edges and w = x₂ − x₀ the lines are nearest at the
/// fraction s = n·(w × v)/n² of the first, n = u × v. From there the point is
/// projected onto the second edge, and from there back onto the first; each
/// step is clamped to its edge. In exact arithmetic the clamped s and two
/// projections give the minimum, as the squared distance is convex.
///
/// Near-parallel edges need no other path. With φ the angle between them, s is
/// uncertain by ε/φ, but along the line of best pairs (s, t(s)), which the
/// projections return to, the distance grows by no more than φ per unit of s:
/// what remains is ε. (From dot products alone, with n² = u²v² − (u·v)², s
/// would be uncertain by ε/φ² and the distance by ε/φ.)
#[inline]
pub fn edge_edge(x: &[DVec3; 4]) -> Closest {
    let u = x[1] - x[0];
    let v = x[3] - x[2];
    let w = x[2] - x[0];
    let (inverse_u, inverse_v) = (inverse(u.length_squared()), inverse(v.length_squared()));
    let n = u.cross(v);
    let s = clamp_unit(n.dot(w.cross(v)) * inverse(n.length_squared()));
    let t = fraction(u * s - w, v, inverse_v);
    let s = fraction(w + v * t, u, inverse_u);
    let vector = w + v * t - u * s;
    Closest {
        weights: [-(1.0 - s), -s, 1.0 - t, t],
        vector,
        squared: vector.length_squared(),
    }
}
