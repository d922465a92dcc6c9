//! Mesh simplification for pictures with small or many meshes.

use conatus_math::DVec3;
use conatus_record::MeshData;
use std::collections::{BTreeMap, BTreeSet};

/// Meshes are not simplified below this number of triangles.
const MIN_TRIANGLES: usize = 12;

/// Simplifies a mesh to about `triangles` triangles by vertex clustering: vertices
/// in one cell of a grid are merged, with increasing cells.
pub(crate) fn simplify_mesh(mesh: &MeshData, triangles: usize) -> MeshData {
    let mut cells = 40.0;
    let mut out = mesh.clone();
    while out.triangles.len() > triangles.max(MIN_TRIANGLES) && cells >= 3.0 {
        out = cluster_vertices(mesh, cells);
        cells *= 0.75;
    }
    out
}

/// Simplified cloth, whose vertices are groups of the original vertices.
pub(crate) struct SimplifiedCloth {
    /// The group of each vertex.
    group: Vec<u32>,
    groups: usize,
    /// Corners of the triangles that are left.
    pub triangles: Vec<[u32; 3]>,
}

impl SimplifiedCloth {
    /// The mean position of each group.
    pub fn positions(&self, points: &[DVec3]) -> Vec<DVec3> {
        let mut sums = vec![(DVec3::ZERO, 0.0); self.groups];
        for (point, group) in points.iter().zip(&self.group) {
            if let Some(sum) = sums.get_mut(*group as usize) {
                sum.0 += *point;
                sum.1 += 1.0;
            }
        }
        sums.into_iter().map(|(sum, count)| sum / count).collect()
    }
}

/// Simplifies cloth to about `wanted` triangles. Vertices are grouped by the number
/// of edges between them, not by position: layers that touch stay separate.
pub(crate) fn simplify_cloth(
    vertices: usize,
    triangles: &[[u32; 3]],
    wanted: usize,
) -> SimplifiedCloth {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); vertices];
    for [a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            for (from, to) in [(from, to), (to, from)] {
                if let Some(list) = neighbours.get_mut(*from as usize) {
                    list.push(*to);
                }
            }
        }
    }
    let mut max_edges = 0;
    loop {
        let (group, groups) = group_by_edges(&neighbours, max_edges);
        let joined = |t: &[u32; 3]| t.map(|i| group.get(i as usize).copied().unwrap_or(0));
        // Each triangle starts with its least corner, so that duplicates are equal.
        let turned = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
            least if least == a => [a, b, c],
            least if least == b => [b, c, a],
            _ => [c, a, b],
        };
        let left: BTreeSet<[u32; 3]> = triangles
            .iter()
            .map(joined)
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .map(turned)
            .collect();
        if left.len() <= wanted.max(MIN_TRIANGLES) || max_edges > 200 {
            return SimplifiedCloth {
                group,
                groups,
                triangles: left.into_iter().collect(),
            };
        }
        max_edges += 1;
    }
}

/// Groups about seeds that are more than `max_edges` edges apart: each vertex goes
/// to the nearest. Returns the group of each vertex, and how many there are.
fn group_by_edges(neighbours: &[Vec<u32>], max_edges: usize) -> (Vec<u32>, usize) {
    let near = |from: &[u32], done: &mut dyn FnMut(u32, u32) -> bool| {
        let mut next = Vec::new();
        for v in from {
            for to in neighbours.get(*v as usize).into_iter().flatten() {
                if done(*v, *to) {
                    next.push(*to);
                }
            }
        }
        next
    };
    let mut covered = vec![false; neighbours.len()];
    let mut seeds: Vec<u32> = Vec::new();
    for v in 0..neighbours.len() {
        if covered[v] {
            continue;
        }
        covered[v] = true;
        seeds.push(v as u32);
        // Vertices covered by another seed may lead to uncovered ones.
        let mut seen = BTreeSet::from([v as u32]);
        let mut front = vec![v as u32];
        for _ in 0..max_edges {
            front = near(&front, &mut |_, to| {
                if let Some(covered) = covered.get_mut(to as usize) {
                    *covered = true;
                }
                seen.insert(to)
            });
        }
    }
    let mut group = vec![u32::MAX; neighbours.len()];
    for (k, seed) in seeds.iter().enumerate() {
        group[*seed as usize] = k as u32;
    }
    let mut front = seeds.clone();
    while !front.is_empty() {
        front = near(&front, &mut |from, to| {
            let of = group.get(from as usize).copied().unwrap_or(0);
            match group.get_mut(to as usize) {
                Some(mine) if *mine == u32::MAX => {
                    *mine = of;
                    true
                }
                _ => false,
            }
        });
    }
    (group, seeds.len())
}

fn cluster_vertices(mesh: &MeshData, cells: f64) -> MeshData {
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
