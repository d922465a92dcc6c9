//! Inner edges of a mesh and their two triangles.

use conatus_geometry::Mesh;

/// An edge with a triangle on each side: its ends a < b and the opposite
/// corners of the two triangles.
pub(crate) type InnerEdge = [u32; 4];

/// The inner edges of a mesh, in ascending order. Where more than two triangles
/// meet, consecutive ones in the order of the file are paired.
pub(crate) fn inner_edges(mesh: &Mesh) -> Vec<InnerEdge> {
    let mut sides: Vec<(u32, u32, usize, u32)> = Vec::with_capacity(3 * mesh.triangles.len());
    for (t, &[i, j, k]) in mesh.triangles.iter().enumerate() {
        for (p, q, tip) in [(i, j, k), (j, k, i), (k, i, j)] {
            sides.push((p.min(q), p.max(q), t, tip));
        }
    }
    sides.sort_unstable();
    sides
        .windows(2)
        .filter(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1) && w[0].3 != w[1].3)
        .map(|w| [w[0].0, w[0].1, w[0].3, w[1].3])
        .collect()
}
