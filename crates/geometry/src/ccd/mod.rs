//! Continuous collision detection: the time of impact of two moving primitives,
//! a vertex and a triangle or two edges, whose corners move in straight lines
//! during one step.
//!
//! No contact is missed: every contact within the step is reported, at a time
//! not later than the first one. In return there are rare false positives; see
//! [`vertex_triangle`]. Stencils are ordered as in [`crate::distance`]. The
//! pairs to test come from a broad phase, see [`crate::Bvh`].

mod additive;

use crate::distance::{self, Closest};
use conatus_math::DVec3;

/// A contact within the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Up to this time, from 0 at the start of the step to 1 at its end, the
    /// gap stays open.
    pub time: f64,
    /// The nearest points at that time.
    pub closest: Closest,
}

/// Whether and when the vertex `start[3]` → `end[3]` comes nearer than
/// `separation` (ξ ≥ 0, in metres) to the triangle of the first three points.
///
/// With d₀ the distance at the start, the gap that is kept is ξ. If d₀ < 2ξ
/// already, it is min(ξ/2, 0.8·d₀), so that close primitives can still move. Up
/// to `Hit::time` the distance stays above that gap, by a twentieth of the
/// smaller of d₀ − ξ and 10ξ, so it is never zero unless d₀ is.
///
/// - If the two touch at any time from 0 to 1, the answer is a hit not later
///   than the first touch.
/// - If their distance stays above 2ξ, and ξ > 0, there is no hit, but for
///   rare cases that the bounded number of advances does not decide. For
///   ξ = 0 the bound is 0.1·d₀ instead.
/// - If d₀ is zero to within rounding (1e-13 of the stencil's size, motion
///   included, or 1e-11 if d₀ < 2ξ), or a coordinate is not finite, the hit is
///   at time 0.
#[inline]
pub fn vertex_triangle(start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> Option<Hit> {
    additive::query::<3>(start, end, separation, distance::vertex_triangle)
}

/// Whether and when the edge of the first two points comes nearer than
/// `separation` to the edge of the last two. The guarantees of
/// [`vertex_triangle`] hold here too, for parallel and zero-length edges as
/// well.
#[inline]
pub fn edge_edge(start: &[DVec3; 4], end: &[DVec3; 4], separation: f64) -> Option<Hit> {
    additive::query::<2>(start, end, separation, distance::edge_edge)
}

/// Whether `axis` alone proves that the vertex `start[3]` → `end[3]` stays
/// farther than `separation` from the triangle: true means that no hit is
/// possible, false means nothing. Any axis of any length is allowed; the vector
/// of [`Closest`], of this step or an earlier one, is the most likely to
/// succeed.
#[inline]
pub fn separated_vertex_triangle(
    axis: DVec3,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
) -> bool {
    additive::separated::<3>(axis, start, end, separation)
}

/// Whether `axis` alone proves that the edges stay farther apart than
/// `separation`; see [`separated_vertex_triangle`].
#[inline]
pub fn separated_edge_edge(
    axis: DVec3,
    start: &[DVec3; 4],
    end: &[DVec3; 4],
    separation: f64,
) -> bool {
    additive::separated::<2>(axis, start, end, separation)
}
