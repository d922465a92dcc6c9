//! Contacts of convex solids with surfaces of triangles.
//!
//! What lies on several triangles of one plane has one contact with them, as on a plane:
//! their manifolds are merged, and the impulses stay when the solid moves on to the next
//! triangle. Normals that a neighbouring triangle covers are left out.

use conatus_geometry::convex::gjk::{Placed, Proximity, proximity};
use conatus_geometry::convex::{Convex, Manifold, ManifoldPoint, PairCache, collide};
use conatus_geometry::{Aabb, Shape};
use conatus_math::{DVec3, Pose};

/// Normals whose angle has a greater cosine belong to one face: about 0.08 degrees.
pub(super) const SAME_FACE_COSINE: f64 = 1.0 - 1e-6;

/// A contact with the triangles of one plane.
#[derive(Debug)]
pub(super) struct SurfaceContact {
    /// The first of the triangles.
    pub part: u32,
    /// Where they touch; the normal leads from the surface to the solid.
    pub manifold: Manifold,
    triangles: Vec<u32>,
    points: Vec<ManifoldPoint>,
}

/// The contacts of a convex solid with the triangles of a surface, in order of their first
/// triangles.
pub(super) fn surface_contacts(
    surface: &Shape,
    pose: &Pose,
    solid: &Convex,
    at: &Pose,
    margin: f64,
) -> Vec<SurfaceContact> {
    let Some(mesh) = surface.triangles() else {
        return Vec::new();
    };
    let relative = pose.inverse().after(at);
    let query = solid.aabb(&relative).grow(margin);
    let mut near = Vec::new();
    mesh.overlapping(&query, &mut near);
    let mut found: Vec<SurfaceContact> = Vec::new();
    for t in near {
        let triangle = Convex::Triangle(mesh.corners(t));
        let mut cache = PairCache::default();
        let Some(m) = collide(&triangle, pose, solid, at, margin, &mut cache) else {
            continue;
        };
        if mesh.is_covered(t, pose.rotation.conjugate() * m.normal) {
            continue;
        }
        let same = |c: &&mut SurfaceContact| c.manifold.normal.dot(m.normal) > SAME_FACE_COSINE;
        match found.iter_mut().find(same) {
            Some(contact) => {
                contact.triangles.push(t);
                contact.points.extend(m.points());
            }
            None => found.push(SurfaceContact {
                part: t,
                manifold: m,
                triangles: vec![t],
                points: m.points().to_vec(),
            }),
        }
    }
    for contact in found.iter_mut().filter(|c| c.triangles.len() > 1) {
        contact.manifold.reduce(&contact.points);
    }
    found
}

/// The contact of a convex solid with the plane of triangle `part`; where they do not touch
/// there, the nearest one.
pub(super) fn surface_contact(
    surface: &Shape,
    pose: &Pose,
    solid: &Convex,
    at: &Pose,
    margin: f64,
    part: u32,
) -> Option<Manifold> {
    let found = surface_contacts(surface, pose, solid, at, margin);
    let separation = |c: &SurfaceContact| {
        let all = c.manifold.points().iter().map(|p| p.separation);
        all.fold(f64::INFINITY, f64::min)
    };
    let own = found.iter().find(|c| c.triangles.contains(&part));
    let nearest = || {
        let order =
            |a: &&SurfaceContact, b: &&SurfaceContact| separation(a).total_cmp(&separation(b));
        found.iter().min_by(order)
    };
    own.or_else(nearest).map(|c| c.manifold)
}

/// How far a convex solid is from a surface, or zero, and the direction from the surface.
pub(super) fn surface_gap(surface: &Shape, pose: &Pose, solid: &Convex, at: &Pose) -> (f64, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO);
    let Some(mesh) = surface.triangles() else {
        return best;
    };
    let around = solid.aabb(&pose.inverse().after(at));
    let apart = |b: &Aabb| {
        let outside = (b.min - around.max).max(around.min - b.max);
        outside.max(DVec3::ZERO).length()
    };
    mesh.search(f64::INFINITY, apart, |t| {
        let triangle = Convex::Triangle(mesh.corners(t));
        let found = convex_gap(&triangle, pose, solid, at);
        if found.0 < best.0 {
            best = found;
        }
        best.0
    });
    best
}

/// How far two convex solids are apart, or zero, and the direction from the first to the
/// second.
pub(super) fn convex_gap(x: &Convex, pa: &Pose, y: &Convex, pb: &Pose) -> (f64, DVec3) {
    let relative = pa.inverse().after(pb);
    let placed = Placed::new(y, &relative);
    let found = proximity(x, &placed, relative.translation, f64::INFINITY);
    let Proximity::Apart { a: p, b: q } = found else {
        return (0.0, DVec3::ZERO);
    };
    let distance = p.distance(q);
    let normal = pa.direction((q - p) / distance);
    ((distance - x.radius() - y.radius()).max(0.0), normal)
}
