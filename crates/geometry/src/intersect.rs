//! The witness: which triangles of a surface truly pass through each other?
//!
//! Every sign is exact (the adaptive predicates of Shewchuk 1997), and the
//! search for candidates is a sweep of its own. Nothing is shared with
//! [`crate::Bvh`], [`crate::distance`] or [`crate::ccd`], so that what those
//! overlook is found here. It looks at one moment only: what passed through
//! between two moments and out again is not seen.
//!
//! Touching counts as intersecting. Vertices must be finite; a triangle with
//! one that is not takes part in no pair.

mod exact;
mod sweep;

use conatus_math::DVec3;

/// The pairs (i, j), i < j, of triangles that intersect, in order; at most
/// `limit` of them. Pairs for which `skip` answers true are not judged; it is
/// asked with the lower index first.
///
/// Neighbours intersect only beyond what they share: two triangles with a
/// common vertex if the edge of one opposite to it meets the other, two with a
/// common edge if they are folded flat onto each other, two with the same
/// three vertices always. A triangle without area is the segment that it
/// looks like, and two such are not compared.
///
/// If there are more than `limit` pairs, which of them are found first depends
/// on their places, but is the same every time.
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

/// How many triangles reach below the plane through `point` with the upward
/// `normal`: have a vertex strictly on its lower side. A vertex that is not
/// finite counts as below.
pub fn crosses_plane(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    point: DVec3,
    normal: DVec3,
) -> usize {
    let above = |i: &u32| (vertices[*i as usize] - point).dot(normal) >= 0.0;
    triangles.iter().filter(|t| !t.iter().all(above)).count()
}
