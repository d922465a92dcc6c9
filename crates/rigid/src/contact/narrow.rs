//! Narrow phase: where two colliders touch.

use super::broad::{BroadPhase, MIN_MARGIN_M, MIN_MARGIN_SHARE};
use super::collider::Collider;
use super::record::EngineContact;
use conatus_geometry::convex::gjk::{Placed, Proximity, proximity};
use conatus_geometry::convex::{Convex, Manifold, PairCache, collide, half_space_convex};
use conatus_geometry::shape::TriangleSurface;
use conatus_geometry::{HalfSpace, Shape};
use conatus_math::{DVec3, Pose};
use rayon::prelude::*;

/// Pairs that are worth a task.
const PAIRS_PER_TASK: usize = 128;

/// Working memory of the narrow phase: what each task finds.
#[derive(Debug, Default)]
pub(super) struct NarrowPhase {
    tasks: Vec<Vec<EngineContact>>,
}

impl NarrowPhase {
    /// Finds the contacts of the pairs of a step, in their order, with what is known of
    /// `old` ones, which are in the same order.
    pub fn find(
        &mut self,
        colliders: &[Collider],
        broad: &BroadPhase,
        old: &[EngineContact],
        out: &mut Vec<EngineContact>,
    ) {
        let count = broad.pairs.len().div_ceil(PAIRS_PER_TASK);
        if self.tasks.len() < count {
            self.tasks.resize_with(count, Vec::new);
        }
        let tasks = &mut self.tasks[..count];
        let pairs = broad.pairs.par_chunks(PAIRS_PER_TASK);
        tasks.par_iter_mut().zip(pairs).for_each(|(found, pairs)| {
            found.clear();
            let Some(&(i, j)) = pairs.first() else { return };
            let from = old.partition_point(|c| c.key() < (i, j, 0));
            let mut search = Search {
                old: &old[from..],
                found,
            };
            for &pair in pairs {
                search.pair(colliders, broad, pair);
            }
        });
        out.clear();
        out.reserve(tasks.iter().map(Vec::len).sum());
        for found in tasks {
            out.extend_from_slice(found);
        }
    }
}

/// The search for the contacts of some pairs.
struct Search<'a> {
    /// The old contacts of the next pairs.
    old: &'a [EngineContact],
    found: &'a mut Vec<EngineContact>,
}

impl Search<'_> {
    fn pair(&mut self, colliders: &[Collider], broad: &BroadPhase, (i, j): (u32, u32)) {
        let before = |c: &EngineContact| (c.colliders[0], c.colliders[1]) < (i, j);
        while self.old.first().is_some_and(before) {
            self.old = &self.old[1..];
        }
        let (a, b) = (&colliders[i as usize], &colliders[j as usize]);
        let smaller = broad.radii[i as usize].min(broad.radii[j as usize]);
        let reach = &broad.reach;
        let margin =
            reach[i as usize] + reach[j as usize] + MIN_MARGIN_M.min(MIN_MARGIN_SHARE * smaller);
        let (pa, pb) = (&broad.poses[i as usize], &broad.poses[j as usize]);
        match (a.convex(), b.convex()) {
            (Some(x), Some(y)) => {
                let mut cache = self
                    .known(i, j, 0)
                    .map_or(PairCache::default(), |k| k.cache);
                let manifold = collide(x, pa, y, pb, margin, &mut cache);
                self.add(i, j, 0, cache, manifold);
            }
            (None, Some(y)) => {
                if let Shape::HalfSpace(half_space) = a.shape() {
                    let found = half_space_convex(half_space, y, pb, margin);
                    self.add(i, j, 0, PairCache::default(), found);
                }
                for (t, m) in triangle_contacts(a.shape(), pa, y, pb, margin) {
                    self.add(i, j, t, PairCache::default(), Some(m));
                }
            }
            (Some(x), None) => {
                if let Shape::HalfSpace(half_space) = b.shape() {
                    let found = half_space_convex(half_space, x, pa, margin);
                    self.add(i, j, 0, PairCache::default(), found.map(Manifold::flipped));
                }
                for (t, m) in triangle_contacts(b.shape(), pb, x, pa, margin) {
                    self.add(i, j, t, PairCache::default(), Some(m.flipped()));
                }
            }
            // Surfaces have no inside, so they do not collide with each other.
            (None, None) => {}
        }
    }

    /// What is known of a contact of the present pair.
    #[inline]
    fn known(&self, i: u32, j: u32, part: u32) -> Option<&EngineContact> {
        let own = self.old.iter().take_while(|c| c.colliders == [i, j]);
        own.into_iter().find(|c| c.part == part)
    }

    #[inline]
    fn add(&mut self, i: u32, j: u32, part: u32, cache: PairCache, manifold: Option<Manifold>) {
        let Some(manifold) = manifold else { return };
        let mut contact = EngineContact::new([i, j], part, cache, manifold);
        if let Some(known) = self.known(i, j, part) {
            contact.inherit(known);
        }
        self.found.push(contact);
    }
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
    match (a.convex(), b.convex()) {
        (Some(x), Some(y)) => collide(x, pa, y, pb, margin, &mut cache),
        (None, Some(y)) => match (a.shape(), a.shape().triangles()) {
            (Shape::HalfSpace(half_space), _) => half_space_convex(half_space, y, pb, margin),
            (_, Some(mesh)) => {
                let triangle = Convex::Triangle(mesh.corners(part));
                let found = collide(&triangle, pa, y, pb, margin, &mut cache);
                found.filter(|m| !is_covered(mesh, part, pa, m.normal))
            }
            _ => None,
        },
        (Some(x), None) => match (b.shape(), b.shape().triangles()) {
            (Shape::HalfSpace(half_space), _) => {
                half_space_convex(half_space, x, pa, margin).map(Manifold::flipped)
            }
            (_, Some(mesh)) => {
                let triangle = Convex::Triangle(mesh.corners(part));
                let found = collide(x, pa, &triangle, pb, margin, &mut cache);
                found.filter(|m| !is_covered(mesh, part, pb, -m.normal))
            }
            _ => None,
        },
        (None, None) => None,
    }
}

fn is_covered(mesh: TriangleSurface, t: u32, pose: &Pose, normal: DVec3) -> bool {
    mesh.is_covered(t, pose.rotation.conjugate() * normal)
}

/// How far apart two colliders are at their poses, or zero, and the direction from the
/// first to the second; `part` is the triangle of a mesh.
pub(super) fn gap(a: &Collider, pa: &Pose, b: &Collider, pb: &Pose, part: u32) -> (f64, DVec3) {
    let convex = |c: &Collider| match c.convex() {
        Some(shape) => Some(shape.clone()),
        None => (c.shape().triangles()).map(|t| Convex::Triangle(t.corners(part))),
    };
    let above = |half_space: &HalfSpace, shape: &Convex, pose: &Pose| {
        let HalfSpace { normal, offset } = *half_space;
        let own = pose.rotation.conjugate() * -normal;
        let lowest = pose.point(shape.support(own).0).dot(normal) - shape.radius();
        (lowest - offset).max(0.0)
    };
    match (a.shape(), b.shape(), convex(a), convex(b)) {
        (_, _, Some(x), Some(y)) => {
            let relative = pa.inverse().after(pb);
            let placed = Placed::new(&y, &relative);
            let found = proximity(&x, &placed, relative.translation, f64::INFINITY);
            let Proximity::Apart { a: p, b: q } = found else {
                return (0.0, DVec3::ZERO);
            };
            let distance = p.distance(q);
            let normal = pa.direction((q - p) / distance);
            ((distance - x.radius() - y.radius()).max(0.0), normal)
        }
        (Shape::HalfSpace(below), _, _, Some(y)) => (above(below, &y, pb), below.normal),
        (_, Shape::HalfSpace(below), Some(x), _) => (above(below, &x, pa), -below.normal),
        _ => (f64::INFINITY, DVec3::ZERO),
    }
}

/// The manifolds of a convex solid with the triangles of a surface.
fn triangle_contacts(
    surface: &Shape,
    pose: &Pose,
    solid: &Convex,
    at: &Pose,
    margin: f64,
) -> Vec<(u32, Manifold)> {
    let Some(mesh) = surface.triangles() else {
        return Vec::new();
    };
    let relative = pose.inverse().after(at);
    let query = solid.aabb(&relative).grow(margin);
    let mut near = Vec::new();
    mesh.overlapping(&query, &mut near);
    let mut out = Vec::new();
    for t in near {
        let triangle = Convex::Triangle(mesh.corners(t));
        let mut cache = PairCache::default();
        if let Some(m) = collide(&triangle, pose, solid, at, margin, &mut cache)
            && !is_covered(mesh, t, pose, m.normal)
        {
            out.push((t, m));
        }
    }
    out
}
