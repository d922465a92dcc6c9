//! Narrow phase: where two colliders touch.

use super::broad::{BroadPhase, MIN_MARGIN_M, MIN_MARGIN_SHARE};
use super::collider::{Collider, ColliderShape, CollisionMesh};
use super::record::EngineContact;
use conatus_geometry::convex::{Convex, Manifold, PairCache, collide, half_space_convex};
use conatus_math::Pose;
use rayon::prelude::*;

/// Pairs that are worth a thread of their own.
const MIN_PARALLEL_PAIRS: usize = 64;

/// The contacts of the pairs of a step, with what is known of `old` ones.
pub(super) fn contacts(
    colliders: &[Collider],
    broad: &BroadPhase,
    old: &[EngineContact],
) -> Vec<EngineContact> {
    let (poses, reach) = (&broad.poses, &broad.reach);
    let find = |&(i, j): &(u32, u32)| -> Vec<EngineContact> {
        let (a, b) = (&colliders[i as usize], &colliders[j as usize]);
        let smaller = a.bounding_radius().min(b.bounding_radius());
        let margin =
            reach[i as usize] + reach[j as usize] + MIN_MARGIN_M.min(MIN_MARGIN_SHARE * smaller);
        let known = |part: u32| {
            let at = old.binary_search_by_key(&(i, j, part), EngineContact::key);
            at.ok().map(|at| &old[at])
        };
        let (pa, pb) = (&poses[i as usize], &poses[j as usize]);
        let mut out = Vec::new();
        let mut add = |part: u32, cache: PairCache, manifold: Option<Manifold>| {
            if let Some(manifold) = manifold {
                let contact = EngineContact::new([i, j], part, cache, manifold);
                out.push(contact.match_with(known(part)));
            }
        };
        match (&a.shape, &b.shape) {
            (ColliderShape::Convex(x), ColliderShape::Convex(y)) => {
                let mut cache = known(0).map_or(PairCache::default(), |k| k.cache);
                let manifold = collide(x, pa, y, pb, margin, &mut cache);
                add(0, cache, manifold);
            }
            (ColliderShape::HalfSpace { normal, offset }, ColliderShape::Convex(y)) => {
                let found = half_space_convex(*normal, *offset, y, pb, margin);
                add(0, PairCache::default(), found);
            }
            (ColliderShape::Convex(x), ColliderShape::HalfSpace { normal, offset }) => {
                let found = half_space_convex(*normal, *offset, x, pa, margin);
                add(0, PairCache::default(), found.map(Manifold::flipped));
            }
            (ColliderShape::Mesh(mesh), ColliderShape::Convex(y)) => {
                for (t, m) in mesh_contacts(mesh, pa, y, pb, margin) {
                    add(t, PairCache::default(), Some(m));
                }
            }
            (ColliderShape::Convex(x), ColliderShape::Mesh(mesh)) => {
                for (t, m) in mesh_contacts(mesh, pb, x, pa, margin) {
                    add(t, PairCache::default(), Some(m.flipped()));
                }
            }
            // Surfaces have no inside, so they do not collide with each other.
            _ => {}
        }
        out
    };
    let pairs = broad.pairs.par_iter().with_min_len(MIN_PARALLEL_PAIRS);
    pairs.flat_map_iter(find).collect()
}

/// Where two colliders at their poses touch, or nearly; `part` is the triangle of a mesh.
pub(super) fn touching(
    a: &Collider,
    pa: &Pose,
    b: &Collider,
    pb: &Pose,
    part: u32,
) -> Option<Manifold> {
    let margin = MIN_MARGIN_SHARE * a.bounding_radius().min(b.bounding_radius());
    let mut cache = PairCache::default();
    match (&a.shape, &b.shape) {
        (ColliderShape::Convex(x), ColliderShape::Convex(y)) => {
            collide(x, pa, y, pb, margin, &mut cache)
        }
        (ColliderShape::HalfSpace { normal, offset }, ColliderShape::Convex(y)) => {
            half_space_convex(*normal, *offset, y, pb, margin)
        }
        (ColliderShape::Convex(x), ColliderShape::HalfSpace { normal, offset }) => {
            half_space_convex(*normal, *offset, x, pa, margin).map(Manifold::flipped)
        }
        (ColliderShape::Mesh(mesh), ColliderShape::Convex(y)) => {
            let triangle = Convex::Triangle(mesh.mesh.corners(part as usize));
            collide(&triangle, pa, y, pb, margin, &mut cache)
        }
        (ColliderShape::Convex(x), ColliderShape::Mesh(mesh)) => {
            let triangle = Convex::Triangle(mesh.mesh.corners(part as usize));
            collide(x, pa, &triangle, pb, margin, &mut cache)
        }
        _ => None,
    }
}

/// The manifolds of a convex solid with the triangles of a mesh.
fn mesh_contacts(
    mesh: &CollisionMesh,
    pose: &Pose,
    solid: &Convex,
    at: &Pose,
    margin: f64,
) -> Vec<(u32, Manifold)> {
    let relative = pose.inverse().after(at);
    let query = solid.aabb(&relative).grow(margin);
    let mut near = Vec::new();
    mesh.overlapping(&query, &mut near);
    let mut out = Vec::new();
    for t in near {
        let triangle = Convex::Triangle(mesh.mesh.corners(t as usize));
        let mut cache = PairCache::default();
        if let Some(m) = collide(&triangle, pose, solid, at, margin, &mut cache) {
            out.push((t, m));
        }
    }
    out
}
