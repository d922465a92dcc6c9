//! Questions about the colliders of a world between its steps: what a ray hits, what a
//! moving shape hits, what is near a point, and what overlaps a shape.
//!
//! The colliders are in a tree of their own ([`QueryTree`]), at their present poses. All
//! answers are in order of distance, then of the numbers of colliders.

use super::collider::Collider;
use super::engine::ContactEngine;
use super::scripted::{ScriptedMotion, script};
use crate::bodies::Bodies;
use conatus_geometry::shape::ShapeHit;
use conatus_geometry::{Aabb, Bvh, Ray, Shape};
use conatus_math::{DVec3, Pose};

/// A share of moved colliders above which the tree is built again.
const REBUILD_SHARE: f64 = 0.125;

/// The colliders of a world in a tree.
#[derive(Clone, Debug, Default)]
pub struct QueryTree {
    poses: Vec<Pose>,
    boxes: Vec<Aabb>,
    /// Where the colliders were when the tree was built.
    built_at: Vec<DVec3>,
    half_spaces: Vec<u32>,
    bvh: Bvh,
}

impl QueryTree {
    /// Takes over the present poses of all colliders. Colliders that did not move since
    /// the last update cost little.
    pub fn update(&mut self, engine: &ContactEngine, bodies: &Bodies, scripted: &[ScriptedMotion]) {
        let colliders = &engine.colliders;
        let known = self.poses.len();
        let mut changed = known != colliders.len();
        if changed {
            self.half_spaces.clear();
            let half_spaces = (0u32..).zip(colliders);
            let half_spaces = half_spaces.filter(|(_, c)| matches!(c.shape(), Shape::HalfSpace(_)));
            self.half_spaces.extend(half_spaces.map(|(k, _)| k));
        }
        self.poses.resize(colliders.len(), Pose::IDENTITY);
        self.boxes.resize(colliders.len(), Aabb::EMPTY);
        for (k, c) in colliders.iter().enumerate() {
            let pose = match c.body {
                Some(body) => bodies.state(body).pose().after(&c.pose),
                None => script(scripted, c).map_or(c.pose, |m| m.pose.after(&c.pose)),
            };
            if k >= known || self.poses[k] != pose {
                self.poses[k] = pose;
                self.boxes[k] = c.aabb(&pose);
                changed = true;
            }
        }
        if !changed {
            return;
        }
        let moved_far = |k: usize| {
            let size = self.boxes[k].extent().max_element();
            let moved = self.poses[k].translation.distance_squared(self.built_at[k]);
            moved > 0.25 * size * size
        };
        let count = colliders.len();
        let most = REBUILD_SHARE * count as f64;
        let rebuild = self.built_at.len() != count
            || (0..count).filter(|&k| moved_far(k)).count() as f64 > most;
        if rebuild {
            self.bvh.rebuild(&self.boxes);
            self.built_at.clear();
            self.built_at
                .extend(self.poses.iter().map(|p| p.translation));
        } else {
            self.bvh.refit(&self.boxes);
        }
    }

    /// Whether it has no colliders.
    pub fn is_empty(&self) -> bool {
        self.poses.is_empty()
    }

    /// Where a collider was at the last update, if it was there.
    pub(super) fn known_pose(&self, collider: u32) -> Option<Pose> {
        self.poses.get(collider as usize).copied()
    }

    /// Where a collider is.
    pub fn pose(&self, collider: u32) -> &Pose {
        &self.poses[collider as usize]
    }
}

/// A place on a collider that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderHit {
    /// The collider.
    pub collider: u32,
    /// The body that it is fixed to.
    pub body: Option<usize>,
    /// Where it was hit, in world coordinates.
    pub point: DVec3,
    /// The outward unit normal of its surface there.
    pub normal: DVec3,
    /// In metres; 0 for what starts or lies in it.
    pub distance: f64,
}

/// The colliders of a world at one moment, to ask about.
#[derive(Clone, Copy)]
pub struct ColliderQueries<'a> {
    colliders: &'a [Collider],
    tree: &'a QueryTree,
}

/// Which colliders count: called with each that is near enough.
pub type Accept<'a> = &'a dyn Fn(u32, &Collider) -> bool;

impl<'a> ColliderQueries<'a> {
    /// Queries of colliders whose tree was updated for them.
    pub fn new(colliders: &'a [Collider], tree: &'a QueryTree) -> Self {
        Self { colliders, tree }
    }

    /// A collider that counts. Those of removed bodies are in no group and never do.
    fn accepted(&self, k: u32, accept: Accept) -> Option<(&'a Collider, &'a Pose)> {
        let c = &self.colliders[k as usize];
        let counts = c.groups.member != 0 && accept(k, c);
        counts.then_some((c, &self.tree.poses[k as usize]))
    }

    /// Calls `visit` with colliders in order of a bound of their boxes, and with all
    /// half-spaces first; `visit` returns how far to look.
    fn search(&self, limit: f64, bound: impl Fn(&Aabb) -> f64, mut visit: impl FnMut(u32) -> f64) {
        let mut limit = limit;
        for &k in &self.tree.half_spaces {
            limit = limit.min(visit(k));
        }
        self.tree.bvh.search(limit, &bound, visit);
    }

    /// The first of the hits that `find` returns for the colliders, up to `limit`.
    fn first(
        &self,
        limit: f64,
        bound: impl Fn(&Aabb) -> f64,
        accept: Accept,
        find: impl Fn(&Collider, &Pose, f64) -> Option<ShapeHit>,
    ) -> Option<ColliderHit> {
        let mut best: Option<ColliderHit> = None;
        self.search(limit, bound, |k| {
            let most = best.map_or(limit, |b| b.distance);
            let found = self.accepted(k, accept).and_then(|(c, p)| find(c, p, most));
            if let Some(found) = found.filter(|f| f.distance <= most) {
                let nearer = |b: &ColliderHit| (found.distance, k) < (b.distance, b.collider);
                if best.as_ref().is_none_or(nearer) {
                    best = Some(self.hit(k, &found));
                }
            }
            best.map_or(limit, |b| b.distance)
        });
        best
    }

    fn hit(&self, k: u32, found: &ShapeHit) -> ColliderHit {
        ColliderHit {
            collider: k,
            body: self.colliders[k as usize].body,
            point: found.point,
            normal: found.normal,
            distance: found.distance,
        }
    }

    /// The first collider on a ray.
    pub fn ray_cast(&self, ray: &Ray, max_distance: f64, accept: Accept) -> Option<ColliderHit> {
        let find = |c: &Collider, p: &Pose, most: f64| c.shape().ray_cast(p, ray, most);
        self.first(max_distance, |b| ray.entry(b), accept, find)
    }

    /// Where a ray enters each collider that it meets, in order of distance.
    pub fn ray_cast_all(&self, ray: &Ray, max_distance: f64, accept: Accept) -> Vec<ColliderHit> {
        let mut hits = Vec::new();
        let bound = |b: &Aabb| ray.entry(b);
        self.search(max_distance, bound, |k| {
            let accepted = self.accepted(k, accept);
            let found = accepted.and_then(|(c, p)| c.shape().ray_cast(p, ray, max_distance));
            hits.extend(found.map(|found| self.hit(k, &found)));
            max_distance
        });
        hits.retain(|hit| hit.distance <= max_distance);
        hits.sort_by(|a, b| {
            let nearer = a.distance.total_cmp(&b.distance);
            nearer.then(a.collider.cmp(&b.collider))
        });
        hits
    }

    /// The first collider that a shape touches which moves along a ray from its origin,
    /// without turning. `pose` is where the shape starts; only its rotation and place count,
    /// and `ray` starts there.
    pub fn shape_cast(
        &self,
        shape: &Shape,
        pose: &Pose,
        direction: DVec3,
        max_distance: f64,
        accept: Accept,
    ) -> Option<ColliderHit> {
        let own = shape.aabb(pose);
        let ray = Ray::new(own.centre(), direction)?;
        let half = 0.5 * own.extent();
        // The box moves as its centre does through boxes that are larger by its own size.
        let bound = |b: &Aabb| ray.entry(&Aabb::new(b.min - half, b.max + half));
        let find = |c: &Collider, p: &Pose, most: f64| {
            c.shape().shape_cast(p, shape, pose, ray.direction, most)
        };
        self.first(max_distance, bound, accept, find)
    }

    /// The collider nearest to a point, and the point of it that is nearest. A collider
    /// that contains the point is at distance 0.
    pub fn nearest(&self, point: DVec3, max_distance: f64, accept: Accept) -> Option<ColliderHit> {
        if !point.is_finite() {
            return None;
        }
        let bound = |b: &Aabb| b.distance(point);
        let find = |c: &Collider, p: &Pose, most: f64| c.shape().nearest(p, point, most);
        self.first(max_distance, bound, accept, find)
    }

    /// The colliders that overlap a shape, in order. Surfaces of triangles have no inside.
    pub fn overlapping(&self, shape: &Shape, pose: &Pose, accept: Accept) -> Vec<u32> {
        let own = shape.aabb(pose);
        let mut found = self.tree.half_spaces.clone();
        self.tree.bvh.for_each_overlap(&own, |k| found.push(k));
        found.retain(|&k| {
            let accepted = self.accepted(k, accept);
            accepted.is_some_and(|(c, p)| c.shape().overlaps(p, shape, pose))
        });
        found.sort_unstable();
        found
    }

    /// The colliders that overlap another one, in order; surfaces of triangles do not
    /// overlap each other.
    pub fn overlapping_collider(&self, collider: u32, accept: Accept) -> Vec<u32> {
        let own = &self.colliders[collider as usize];
        let pose = self.tree.pose(collider);
        let mut found = self.tree.half_spaces.clone();
        match own.shape() {
            Shape::HalfSpace(_) => found = (0..self.colliders.len() as u32).collect(),
            _ => {
                let bounds = &self.tree.boxes[collider as usize];
                self.tree.bvh.for_each_overlap(bounds, |k| found.push(k));
            }
        }
        found.retain(|&k| {
            let accepted = self.accepted(k, accept);
            accepted.is_some_and(|(c, p)| own.shape().overlaps(pose, c.shape(), p))
        });
        found.sort_unstable();
        found
    }

    /// The colliders that contain a point, in order.
    pub fn containing(&self, point: DVec3, accept: Accept) -> Vec<u32> {
        if !point.is_finite() {
            return Vec::new();
        }
        let point_shape = Shape::Sphere { radius: 0.0 };
        self.overlapping(&point_shape, &Pose::shift(point), accept)
    }
}
