//! Makes meshes coarser, for pictures in which they are small or many.

use crate::model::MeshData;
use conatus_math::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// No mesh gets fewer triangles than this if it had more.
const FEWEST: usize = 12;

/// The mesh with at most about so many triangles: vertices that fall into one
/// cell of a grid are joined, in ever larger cells.
pub(crate) fn coarser(mesh: &MeshData, triangles: usize) -> MeshData {
    let mut cells = 40.0;
    let mut out = mesh.clone();
    while out.triangles.len() > triangles.max(FEWEST) && cells >= 3.0 {
        out = clustered(mesh, cells);
        cells *= 0.75;
    }
    out
}

fn clustered(mesh: &MeshData, cells: f64) -> MeshData {
    let lo = mesh
        .vertices
        .iter()
        .copied()
        .fold(DVec3::INFINITY, DVec3::min);
    let hi = mesh
        .vertices
        .iter()
        .copied()
        .fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (hi - lo).max_element().max(1e-12) / cells;
    let mut groups: BTreeMap<[i64; 3], (u32, DVec3, f64)> = BTreeMap::new();
    let mut of_vertex = Vec::with_capacity(mesh.vertices.len());
    for v in &mesh.vertices {
        let next = groups.len() as u32;
        let cell = ((*v - lo) / size).to_array().map(|c| c.floor() as i64);
        let group = groups.entry(cell).or_insert((next, DVec3::ZERO, 0.0));
        group.1 += *v;
        group.2 += 1.0;
        of_vertex.push(group.0);
    }
    let mut vertices = vec![DVec3::ZERO; groups.len()];
    for (index, sum, count) in groups.into_values() {
        if let Some(vertex) = vertices.get_mut(index as usize) {
            *vertex = sum / count;
        }
    }
    let joined = |t: &[u32; 3]| t.map(|i| of_vertex.get(i as usize).copied().unwrap_or(0));
    let triangles: BTreeSet<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(joined)
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
    MeshData {
        vertices,
        triangles: triangles.into_iter().collect(),
    }
}
