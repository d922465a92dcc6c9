//! The triangle mesh that every part of Conatus shares.

use conatus_math::{DVec3, Pose};
use std::collections::HashMap;

/// A triangle mesh. Faces are counter-clockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Points, in metres.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle, as indices into `vertices`.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The corners of triangle `t`.
    pub fn corners(&self, t: usize) -> [DVec3; 3] {
        self.triangles[t].map(|i| self.vertices[i as usize])
    }

    /// The same surface at another pose.
    pub fn at(mut self, pose: &Pose) -> Self {
        for v in &mut self.vertices {
            *v = pose.point(*v);
        }
        self
    }

    /// Adds the triangles of `other`; its vertices come after those present.
    pub fn append(&mut self, other: &Self) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles
            .extend(other.triangles.iter().map(|t| t.map(|i| i + offset)));
    }

    /// The largest distance of a vertex from `centre`: the radius of the
    /// bounding sphere about that point (Di Pierro §11, `Body::radius`).
    pub fn bounding_radius(&self, centre: DVec3) -> f64 {
        self.vertices
            .iter()
            .map(|v| v.distance(centre))
            .fold(0.0, f64::max)
    }
}

/// Collects triangles whose corners are given as points. Equal points become one vertex, so
/// that a surface that is closed in space is closed as a mesh.
#[derive(Debug, Default)]
pub struct MergedTriangles {
    mesh: Mesh,
    known: HashMap<[u64; 3], u32>,
}

impl MergedTriangles {
    /// Adds a triangle, unless two of its corners are the same.
    pub fn add(&mut self, corners: [DVec3; 3]) {
        let [a, b, c] = corners.map(|p| {
            // 0 and −0 are the same place.
            let p = p + DVec3::ZERO;
            let vertices = &mut self.mesh.vertices;
            let key = p.to_array().map(f64::to_bits);
            *self.known.entry(key).or_insert_with(|| {
                vertices.push(p);
                vertices.len() as u32 - 1
            })
        });
        if a != b && b != c && c != a {
            self.mesh.triangles.push([a, b, c]);
        }
    }

    /// The mesh of all triangles, in the order in which they were added.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }
}
