//! Surfaces of triangles: meshes and heightfields, as collisions and queries see them.

use super::{CollisionMesh, HeightGrid, Shape};
use crate::Aabb;
use conatus_math::{DVec3, atan2};

/// Normals of contacts may tilt this much from the face over a flat edge, in radians.
const MAX_FLAT_TILT: f64 = 1e-3;

/// A surface of numbered triangles.
#[derive(Clone, Copy, Debug)]
pub enum TriangleSurface<'a> {
    /// Of a mesh.
    Mesh(&'a CollisionMesh),
    /// Of a heightfield.
    Heightfield(&'a HeightGrid),
}

impl Shape {
    /// Its triangles, if it is a surface of triangles.
    #[inline]
    pub fn triangles(&self) -> Option<TriangleSurface<'_>> {
        match self {
            Self::Mesh(mesh) => Some(TriangleSurface::Mesh(mesh)),
            Self::Heightfield(grid) => Some(TriangleSurface::Heightfield(grid)),
            _ => None,
        }
    }
}

impl TriangleSurface<'_> {
    /// The corners of a triangle.
    #[inline]
    pub fn corners(&self, t: u32) -> [DVec3; 3] {
        match self {
            Self::Mesh(mesh) => mesh.mesh().corners(t as usize),
            Self::Heightfield(grid) => grid.corners(t),
        }
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        match self {
            Self::Mesh(mesh) => mesh.bounds(),
            Self::Heightfield(grid) => grid.bounds(),
        }
    }

    /// Whether a contact normal at triangle `t`, from the surface, is one that only this
    /// triangle alone would have: the triangle beyond its edge covers that edge, and what
    /// slides over the two would be caught there.
    pub fn is_covered(&self, t: u32, normal: DVec3) -> bool {
        let [a, b, c] = self.corners(t);
        let Some(face) = (b - a).cross(c - a).try_normalize() else {
            return false;
        };
        let side = 1.0f64.copysign(normal.dot(face));
        let within = normal - face * normal.dot(face);
        let tilt = atan2(within.length(), normal.dot(face).abs());
        if tilt <= MAX_FLAT_TILT {
            return false;
        }
        let bends = match self {
            Self::Mesh(mesh) => mesh.bends(t as usize),
            Self::Heightfield(grid) => grid.bends(t),
        };
        let edges = [(a, b), (b, c), (c, a)].into_iter().zip(bends);
        let mut beyond = edges.filter(|((from, to), _)| {
            let outward = (*to - *from).cross(face).normalize_or_zero();
            outward.dot(within) > 0.1 * within.length()
        });
        // Over a ridge normals lie between those of its two faces.
        beyond.all(|(_, bend)| bend.is_some_and(|b| tilt > (-side * b).max(0.0) + MAX_FLAT_TILT))
    }

    /// The triangles whose boxes overlap a box, in order.
    pub fn overlapping(&self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        match self {
            Self::Mesh(mesh) => {
                mesh.bvh().for_each_overlap(query, |t| found.push(t));
                found.sort_unstable();
            }
            Self::Heightfield(grid) => grid.overlapping(query, found),
        }
    }

    /// Visits triangles in order of a bound of their boxes, and leaves out those whose bound
    /// is above the limit that `visit` returns; see [`Bvh::search`](crate::Bvh::search).
    pub fn search(&self, limit: f64, bound: impl Fn(&Aabb) -> f64, visit: impl FnMut(u32) -> f64) {
        match self {
            Self::Mesh(mesh) => mesh.bvh().search(limit, &bound, visit),
            Self::Heightfield(grid) => grid.search(limit, &bound, visit),
        }
    }
}

/// The angle by which the triangle beyond the edge of another one rises to the side of its
/// normal; `own` and `opposite` are their corners across from the edge.
pub(super) fn bend([start, end]: [DVec3; 2], own: DVec3, opposite: DVec3) -> Option<f64> {
    let along = end - start;
    let face = along.cross(own - start).try_normalize()?;
    let outward = along.cross(face).try_normalize()?;
    let beyond = opposite - start;
    Some(atan2(beyond.dot(face), beyond.dot(outward)))
}
