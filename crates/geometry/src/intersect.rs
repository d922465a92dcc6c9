//! Exact intersection check: which triangles of a surface pass through each
//! other.
//!
//! Every sign is exact (the adaptive predicates of Shewchuk 1997), and
//! candidates come from a separate sweep. No code is shared with
//! [`crate::Bvh`], [`crate::distance`] or [`crate::ccd`], so that their errors
//! are found here. Only one moment is checked: a passage through and out again
//! between two moments is not detected.
//!
//! Touching counts as intersecting. Vertices must be finite; a triangle with
//! one that is not is in no pair.

mod exact;
mod sweep;

use crate::HalfSpace;
use conatus_math::DVec3;

/// The pairs (i, j), i < j, of triangles that intersect, in order; at most
/// `limit` of them. Pairs for which `skip` returns true are not tested; it is
/// called with the lower index first.
///
/// Neighbours intersect only beyond what they share: two triangles with a
/// common vertex if the edge of one opposite to it meets the other, two with a
/// common edge if they are folded flat onto each other, two with the same three
/// vertices always. A triangle without area is treated as a segment, and two
/// such are not compared.
///
/// If there are more than `limit` pairs, which of them are returned depends on
/// the geometry but is deterministic.
pub fn intersecting_pairs(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    limit: usize,
    skip: impl Fn(u32, u32) -> bool + Sync,
) -> Vec<(u32, u32)> {
    let mut found = sweep::pairs(vertices, triangles, limit, |i, j| {
        let pair = [triangles[i as usize], triangles[j as usize]];
        !skip(i, j) && exact::intersect(vertices, pair)
    });
    found.sort_unstable();
    found
}

/// The number of triangles with a vertex strictly inside a half-space. A vertex that is not
/// finite counts as inside.
pub fn reaches_half_space(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    half_space: &HalfSpace,
) -> usize {
    let above = |i: &u32| half_space.height(vertices[*i as usize]) >= 0.0;
    triangles.iter().filter(|t| !t.iter().all(above)).count()
}
