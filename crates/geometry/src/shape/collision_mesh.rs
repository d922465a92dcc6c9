//! Triangle meshes as shapes: a mesh with a hierarchy of its triangles.

use super::triangles::bend;
use crate::{Aabb, Bvh, Mesh};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A triangle mesh with a hierarchy of its triangles, which is made when something first
/// collides with it.
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    /// The triangles.
    mesh: Mesh,
    bounds: Aabb,
    lookup: OnceLock<Lookup>,
}

#[derive(Clone, Debug)]
struct Lookup {
    bvh: Bvh,
    /// For each edge of each triangle the angle by which the triangle beyond it rises to the
    /// side of the normal; `None` at the border.
    bends: Vec<[Option<f64>; 3]>,
}

impl CollisionMesh {
    /// A mesh as a shape.
    pub fn new(mesh: Mesh) -> Self {
        let corners = (0..mesh.triangles.len()).flat_map(|t| mesh.corners(t));
        Self {
            bounds: Aabb::from_points(corners),
            mesh,
            lookup: OnceLock::new(),
        }
    }

    /// The triangles.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    fn lookup(&self) -> &Lookup {
        self.lookup.get_or_init(|| {
            let count = self.mesh.triangles.len();
            let boxes = (0..count).map(|t| Aabb::from_points(self.mesh.corners(t)));
            Lookup {
                bvh: Bvh::build(&boxes.collect::<Vec<_>>()),
                bends: bends(&self.mesh),
            }
        })
    }

    /// The hierarchy of the triangles.
    pub(super) fn bvh(&self) -> &Bvh {
        &self.lookup().bvh
    }

    /// The bends at the edges of a triangle.
    pub(crate) fn bends(&self, t: usize) -> [Option<f64>; 3] {
        self.lookup().bends[t]
    }
}

impl PartialEq for CollisionMesh {
    fn eq(&self, other: &Self) -> bool {
        self.mesh == other.mesh
    }
}

/// The bends of a mesh at the edges of its triangles.
fn bends(mesh: &Mesh) -> Vec<[Option<f64>; 3]> {
    let mut beside: BTreeMap<(u32, u32), Vec<(usize, u32)>> = BTreeMap::new();
    let edges = |[a, b, c]: [u32; 3]| [(a, b, c), (b, c, a), (c, a, b)];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for (from, to, opposite) in edges(*triangle) {
            let edge = (from.min(to), from.max(to));
            beside.entry(edge).or_default().push((t, opposite));
        }
    }
    let point = |k: u32| mesh.vertices[k as usize];
    let at = |t: usize, (from, to, own): (u32, u32, u32)| {
        let others = beside.get(&(from.min(to), from.max(to)))?;
        let (_, opposite) = others.iter().find(|(other, _)| *other != t)?;
        bend([point(from), point(to)], point(own), point(*opposite))
    };
    let of = |(t, triangle): (usize, &[u32; 3])| edges(*triangle).map(|edge| at(t, edge));
    mesh.triangles.iter().enumerate().map(of).collect()
}
