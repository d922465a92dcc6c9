//! Narrow phase: where two colliders touch.

use super::broad::{BroadPhase, MIN_MARGIN_M, MIN_MARGIN_SHARE};
use super::collider::Collider;
use super::record::EngineContact;
use super::surface::{
    SAME_FACE_COSINE, SurfaceContact, convex_gap, surface_contact, surface_contacts, surface_gap,
};
use conatus_geometry::convex::{Convex, Manifold, PairCache, collide, half_space_convex};
use conatus_geometry::{HalfSpace, Shape};
use conatus_math::{DVec3, Pose};
use rayon::prelude::*;

/// Pairs that are worth a task.
const PAIRS_PER_TASK: usize = 128;
/// Tasks whose contacts one thread copies.
const TASKS_PER_COPY: usize = 4;

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
        // The list of two steps ago is about as long: only what it lacks is filled twice.
        let count = tasks.iter().map(Vec::len).sum();
        out.resize(count, EngineContact::NONE);
        let mut rest = &mut out[..];
        let mut copies = Vec::with_capacity(tasks.len());
        for found in tasks {
            let (own, others) = rest.split_at_mut(found.len());
            copies.push((own, &*found));
            rest = others;
        }
        let copies = copies.into_par_iter().with_min_len(TASKS_PER_COPY);
        copies.for_each(|(own, found)| own.copy_from_slice(found));
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
        let margin = broad.closing_bound(i, j) + MIN_MARGIN_M.min(MIN_MARGIN_SHARE * smaller);
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
                self.add_surface(i, j, surface_contacts(a.shape(), pa, y, pb, margin), false);
            }
            (Some(x), None) => {
                if let Shape::HalfSpace(half_space) = b.shape() {
                    let found = half_space_convex(half_space, x, pa, margin);
                    self.add(i, j, 0, PairCache::default(), found.map(Manifold::flipped));
                }
                self.add_surface(i, j, surface_contacts(b.shape(), pb, x, pa, margin), true);
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

    /// Adds the contacts of a convex solid with a surface. One whose triangle was not touched
    /// before takes over from the old contact with the nearest normal that has no successor:
    /// the solid has moved on to the next triangle.
    fn add_surface(&mut self, i: u32, j: u32, mut found: Vec<SurfaceContact>, flipped: bool) {
        let own = self.old.iter().take_while(|c| c.colliders == [i, j]);
        let has_successor = |c: &&EngineContact| found.iter().any(|f| f.part == c.part);
        let mut left: Vec<&EngineContact> = own.filter(|c| !has_successor(c)).collect();
        if flipped {
            found
                .iter_mut()
                .for_each(|f| f.manifold = f.manifold.flipped());
        }
        for SurfaceContact { part, manifold, .. } in found {
            let mut contact = EngineContact::new([i, j], part, PairCache::default(), manifold);
            if let Some(known) = self.known(i, j, part) {
                contact.inherit(known);
            } else {
                let near = |c: &&EngineContact| c.manifold.normal.dot(manifold.normal);
                let best = left
                    .iter()
                    .enumerate()
                    .max_by(|a, b| near(a.1).total_cmp(&near(b.1)));
                if let Some((k, _)) = best.filter(|(_, c)| near(c) > SAME_FACE_COSINE) {
                    contact.inherit(left.remove(k));
                }
            }
            self.found.push(contact);
        }
    }
}

/// Where two colliders at their poses touch, or nearly; `contact` is what is known of them,
/// and the triangle of a surface that they belong to.
pub(super) fn touching(
    a: &Collider,
    pa: &Pose,
    b: &Collider,
    pb: &Pose,
    contact: &EngineContact,
) -> Option<Manifold> {
    let margin = MIN_MARGIN_SHARE * a.bounding_radius().min(b.bounding_radius());
    let (mut cache, part) = (contact.cache, contact.part);
    match (a.convex(), b.convex()) {
        (Some(x), Some(y)) => collide(x, pa, y, pb, margin, &mut cache),
        (None, Some(y)) => match (a.shape(), a.shape().triangles()) {
            (Shape::HalfSpace(half_space), _) => half_space_convex(half_space, y, pb, margin),
            (surface, Some(_)) => surface_contact(surface, pa, y, pb, margin, part),
            _ => None,
        },
        (Some(x), None) => match (b.shape(), b.shape().triangles()) {
            (Shape::HalfSpace(half_space), _) => {
                half_space_convex(half_space, x, pa, margin).map(Manifold::flipped)
            }
            (surface, Some(_)) => {
                surface_contact(surface, pb, x, pa, margin, part).map(Manifold::flipped)
            }
            _ => None,
        },
        (None, None) => None,
    }
}

/// How far apart two colliders are at their poses, or zero, and the direction from the
/// first to the second.
pub(super) fn gap(a: &Collider, pa: &Pose, b: &Collider, pb: &Pose) -> (f64, DVec3) {
    let above = |half_space: &HalfSpace, shape: &Convex, pose: &Pose| {
        let HalfSpace { normal, offset } = *half_space;
        let own = pose.rotation.conjugate() * -normal;
        let lowest = pose.point(shape.support(own).0).dot(normal) - shape.radius();
        ((lowest - offset).max(0.0), normal)
    };
    let from_surface = |surface: &Shape, pose: &Pose, shape: &Convex, at: &Pose| match surface {
        Shape::HalfSpace(below) => above(below, shape, at),
        _ => surface_gap(surface, pose, shape, at),
    };
    match (a.convex(), b.convex()) {
        (Some(x), Some(y)) => convex_gap(x, pa, y, pb),
        (None, Some(y)) => from_surface(a.shape(), pa, y, pb),
        (Some(x), None) => {
            let (distance, normal) = from_surface(b.shape(), pb, x, pa);
            (distance, -normal)
        }
        (None, None) => (f64::INFINITY, DVec3::ZERO),
    }
}
