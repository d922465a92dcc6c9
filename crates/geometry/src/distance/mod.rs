//! The distance of two primitives and their nearest points: a vertex and a
//! triangle, or two edges.
//!
//! Four points make a stencil, in the order of Harmon et al. 2008, §2: first
//! the triangle and then the vertex, or first one edge and then the other. All
//! sums start from differences between the points, so that the error is a few
//! roundings of the stencil's own size, wherever in the world it lies. Lengths
//! whose fourth powers leave the range of a double (below 1e-70 or above 1e70)
//! are not supported; [`crate::ccd`] scales them first.

mod edge_edge;
mod point_triangle;

pub use edge_edge::edge_edge;
pub use point_triangle::vertex_triangle;

use conatus_math::DVec3;

/// The nearest points of two convex primitives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// The weights of the vector between the nearest points, h(q) = Σ
    /// weights\[i\]·x\[i\]: (−α₁, −α₂, −α₃, 1) for a triangle and a vertex,
    /// (−α₁, −α₂, α₃, α₄) for two edges. No α is negative, and those of a
    /// primitive add up to one.
    pub weights: [f64; 4],
    /// The vector Σ weights\[i\]·x\[i\], from the triangle (the first edge) to
    /// the vertex (the second edge).
    pub vector: DVec3,
    /// The square of its length.
    pub squared: f64,
}

impl Closest {
    /// The distance.
    #[inline]
    pub fn distance(&self) -> f64 {
        self.squared.sqrt()
    }
}

/// The parameter, from 0 to 1, of the point on the segment from the origin to
/// `edge` that is nearest to `point`; 0 if the edge has zero length.
#[inline(always)]
fn fraction(point: DVec3, edge: DVec3, inverse_square: f64) -> f64 {
    clamp_unit(point.dot(edge) * inverse_square)
}

/// x clamped to 0 to 1; 0 if it is NaN.
#[inline(always)]
fn clamp_unit(x: f64) -> f64 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// 1/x, or 0 instead of infinity.
#[inline(always)]
fn inverse(x: f64) -> f64 {
    if x >= f64::MIN_POSITIVE { 1.0 / x } else { 0.0 }
}

#[cfg(test)]
mod tests;
