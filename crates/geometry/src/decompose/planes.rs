//! The planes at which a mesh may be cut.

use super::piece::ConvexPiece;
use crate::shape::CollisionMesh;
use crate::{HalfSpace, Mesh};
use conatus_math::DVec3;

/// Planes across a piece in each direction.
const PLANES_PER_DIRECTION: usize = 5;
/// The most planes along faces.
const MAX_FACE_PLANES: usize = 24;
/// Edges that bend inwards by less than this are flat, in radians.
const MIN_BEND: f64 = 0.02;
/// Planes are the same if their normals and offsets differ by less than this; offsets
/// relative to the size of the mesh.
const SAME_PLANE: f64 = 1e-6;

/// Along the axes and between them.
pub const DIRECTIONS: [[f64; 3]; 9] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 0.0, 1.0],
    [-1.0, 0.0, 1.0],
];

/// Planes at regular distances across a piece.
pub fn across(piece: &ConvexPiece, direction: [f64; 3]) -> impl Iterator<Item = HalfSpace> {
    let normal = DVec3::from(direction).normalize();
    let heights = piece.points().map(|p| p.dot(normal));
    let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
        (low.min(h), high.max(h))
    });
    (1..=PLANES_PER_DIRECTION).map(move |k| HalfSpace {
        normal,
        offset: low + (high - low) * k as f64 / (PLANES_PER_DIRECTION + 1) as f64,
    })
}

/// The planes of the faces at the edges that bend inwards most.
pub fn along_inward_edges(mesh: &Mesh) -> Vec<HalfSpace> {
    let shape = CollisionMesh::new(mesh.clone());
    let size = shape.bounds().extent().max_element();
    let mut found: Vec<(f64, HalfSpace)> = Vec::new();
    for t in 0..mesh.triangles.len() {
        let corners = mesh.corners(t);
        let [a, b, c] = corners;
        let Some(normal) = (b - a).cross(c - a).try_normalize() else {
            continue;
        };
        let lengths = [a.distance(b), b.distance(c), c.distance(a)];
        let bends = shape.bends(t).into_iter().zip(lengths);
        let inward = bends.filter_map(|(bend, length)| {
            let bend = bend.filter(|bend| *bend > MIN_BEND)?;
            Some(bend * length)
        });
        let weight = inward.fold(0.0, f64::max);
        if weight > 0.0 {
            let plane = HalfSpace::through((a + b + c) / 3.0, normal);
            let same = found.iter_mut().find(|(_, known)| {
                (known.normal - normal).length() < SAME_PLANE
                    && (known.offset - plane.offset).abs() < SAME_PLANE * size
            });
            match same {
                Some((known, _)) => *known = known.max(weight),
                None => found.push((weight, plane)),
            }
        }
    }
    // Those of equal weight stay in the order of their triangles.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    found.truncate(MAX_FACE_PLANES);
    found.into_iter().map(|(_, plane)| plane).collect()
}
