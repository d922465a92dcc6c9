//! Broad phase: which colliders may touch in a step.
//!
//! Colliders that can move in the step are in one tree, which is refitted in every step.
//! Static colliders and those of sleeping bodies are in another, which is built again when
//! a body falls asleep or wakes. So colliders at rest cost nothing.

use super::collider::{Collider, Groups};
use super::scripted::{ScriptedMotion, script};
use crate::bodies::{Activity, Bodies};
use crate::joint::Joint;
use crate::state::State;
use conatus_geometry::{Aabb, Bvh, HalfSpace, Shape};
use conatus_math::{DVec3, Pose};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicU64, Ordering};

/// Contacts are looked for at least this far ahead, in metres, or a share of the size
/// of small colliders.
pub(super) const MIN_MARGIN_M: f64 = 2e-3;
pub(super) const MIN_MARGIN_SHARE: f64 = 0.02;
/// Pairs that are worth a task.
const MIN_PARALLEL_PAIRS: usize = 512;
/// Colliders that are worth a task.
const MIN_PARALLEL_COLLIDERS: usize = 128;

/// Where the colliders are, and which of them are near each other.
#[derive(Debug, Default)]
pub(super) struct BroadPhase {
    /// The poses of all colliders at the start of the step.
    pub poses: Vec<Pose>,
    /// How each of them moves in the step unless something touches it.
    motions: Vec<FreeMotion>,
    /// How far the colliders beside it may deflect each of them, in metres, as the bits of a
    /// number that is not negative: those are in the order of the numbers.
    deflections: Vec<AtomicU64>,
    /// The radii of balls around them.
    pub radii: Vec<f64>,
    /// The pairs that may touch, in order.
    pub pairs: Vec<(u32, u32)>,
    /// What decides which of them collide; only those that may move are up to date.
    facts: Vec<Facts>,
    /// The colliders that are half-spaces.
    planes: Vec<u32>,
    /// The boxes that colliders stay in during the step.
    boxes: Vec<Aabb>,
    /// Which colliders are in the tree of those that move.
    is_moving: Vec<bool>,
    moving: Tree,
    resting: Tree,
    /// Where moving colliders were when their tree was built.
    built_at: Vec<DVec3>,
    /// The pairs of movers that joints or exclusions keep from colliding, in order.
    jointed: Vec<(u32, u32)>,
    /// The same in the order of the joints and exclusions, in this step and before.
    apart: Vec<(u32, u32)>,
    apart_before: Vec<(u32, u32)>,
    found: Vec<(u32, u32)>,
    /// Where the pairs of each first collider begin.
    starts: Vec<u32>,
}

/// The free motion of a collider in a step.
#[derive(Clone, Copy, Debug, Default)]
struct FreeMotion {
    /// The shift of its body.
    moved: DVec3,
    /// The most that turning moves a point of it, in metres.
    turned: f64,
}

/// What decides whether a collider collides with another.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// The mover that it is on, or `u32::MAX`.
    mover: u32,
    groups: Groups,
    /// Whether it moves without being pushed, or may be pushed.
    active: bool,
    /// Whether it could be pushed, now or after waking.
    mobile: bool,
    sensor: bool,
}

impl Facts {
    /// Of a collider that collides with nothing.
    const NONE: Self = Self {
        mover: u32::MAX,
        groups: Groups { member: 0, mask: 0 },
        active: false,
        mobile: false,
        sensor: false,
    };
}

/// A tree over some of the colliders.
#[derive(Debug, Default)]
struct Tree {
    bvh: Bvh,
    /// The colliders, in the order of the boxes of the tree.
    colliders: Vec<u32>,
    boxes: Vec<Aabb>,
}

impl Tree {
    fn take_boxes(&mut self, boxes: &[Aabb]) {
        let own = self.colliders.par_iter().map(|&k| boxes[k as usize]);
        own.with_min_len(MIN_PARALLEL_PAIRS)
            .collect_into_vec(&mut self.boxes);
    }
}

/// What the broad phase has to know of a step.
pub(super) struct BroadInput<'a> {
    pub colliders: &'a [Collider],
    pub scripted: &'a [ScriptedMotion],
    pub joints: &'a [Joint],
    /// Pairs of bodies that do not collide.
    pub excluded: &'a [[usize; 2]],
    /// Whether bodies collide with each other.
    pub between_bodies: bool,
    pub bodies: &'a Bodies,
    /// The states of all movers at the start of the step. Those of sleeping movers are
    /// not used.
    pub before: &'a [State],
    pub h: f64,
}

impl BroadInput<'_> {
    fn mover(&self, collider: &Collider) -> Option<usize> {
        collider.body.map(|b| self.bodies.mount(b).mover)
    }

    /// Whether a collider belongs to the tree of those that may move.
    fn is_moving(&self, c: &Collider) -> bool {
        match self.mover(c) {
            Some(m) => self.bodies.activity(m) != Activity::Asleep,
            None => script(self.scripted, c).is_some(),
        }
    }

    /// The pose of a collider at the start of the step, the box that it stays in, and how it
    /// moves.
    fn place(&self, c: &Collider) -> (Pose, Aabb, FreeMotion) {
        let Some(body) = c.body else {
            return self.place_scripted(c);
        };
        let m = self.bodies.mount(body).mover;
        let own = on_mover(self.bodies, c, body);
        let activity = self.bodies.activity(m);
        let state = match activity {
            Activity::Asleep => self.bodies.mover_state(m),
            _ => self.before[m],
        };
        let pose = state.pose().after(&own);
        let mut bounds = c.aabb(&pose);
        let mut motion = FreeMotion::default();
        if activity == Activity::Free {
            let after = self.bodies.mover_state(m);
            let moved = after.position - state.position;
            let radius = own.translation.length() + c.bounding_radius();
            let fastest = state.omega_body.length().max(after.omega_body.length());
            let turned = (fastest * self.h).min(PI) * radius;
            motion = FreeMotion { moved, turned };
            let later = Aabb::new(bounds.min + moved, bounds.max + moved);
            // It may bounce off something and go anywhere as fast.
            bounds = bounds.union(&later).grow(turned + moved.length());
        }
        let margin = MIN_MARGIN_M.min(MIN_MARGIN_SHARE * c.bounding_radius());
        (pose, bounds.grow(margin), motion)
    }

    fn place_scripted(&self, c: &Collider) -> (Pose, Aabb, FreeMotion) {
        let Some(motion) = script(self.scripted, c) else {
            return (c.pose, c.aabb(&c.pose), FreeMotion::default());
        };
        let pose = motion.pose.after(&c.pose);
        let bounds = c.aabb(&pose);
        let moved = motion.velocity * self.h;
        let radius = c.pose.translation.length() + c.bounding_radius();
        let turned = (motion.omega.length() * self.h).min(PI) * radius;
        let later = Aabb::new(bounds.min + moved, bounds.max + moved);
        let bounds = bounds.union(&later).grow(turned);
        (pose, bounds, FreeMotion { moved, turned })
    }

    fn facts(&self, c: &Collider) -> Facts {
        let mover = self.mover(c);
        let activity = mover.map(|m| self.bodies.activity(m));
        Facts {
            mover: mover.map_or(u32::MAX, |m| m as u32),
            groups: c.groups,
            active: match activity {
                Some(activity) => activity == Activity::Free,
                None => script(self.scripted, c).is_some_and(ScriptedMotion::moves),
            },
            mobile: activity.is_some_and(Activity::is_mobile),
            sensor: c.sensor,
        }
    }

    /// Whether two colliders that are near each other collide.
    #[inline]
    fn collide(&self, jointed: &[(u32, u32)], a: &Facts, b: &Facts) -> bool {
        let bodies = a.mover != u32::MAX && b.mover != u32::MAX;
        let pair = (a.mover.min(b.mover), a.mover.max(b.mover));
        (a.mover != b.mover || !bodies)
            && (a.mobile || b.mobile)
            && (a.active || b.active)
            && (self.between_bodies || !bodies)
            && a.groups.meet(&b.groups)
            && !a.sensor
            && !b.sensor
            && (jointed.is_empty() || !bodies || jointed.binary_search(&pair).is_err())
    }
}

impl BroadPhase {
    /// Finds where colliders are and which of them are near each other.
    pub fn find(&mut self, input: &BroadInput) {
        let changed = self.sort_out(input);
        self.place(input, changed);
        self.build_trees(changed);
        self.find_pairs(input);
        self.bound_deflections(input.colliders);
    }

    /// How much nearer two colliders may come to each other in the step, in metres: by their
    /// free motion and what the colliders beside them may change of it. It is the same for
    /// bodies that fall side by side as for bodies at rest.
    #[inline]
    pub fn closing_bound(&self, i: u32, j: u32) -> f64 {
        let [i, j] = [i, j].map(|k| k as usize);
        let (a, b) = (&self.motions[i], &self.motions[j]);
        let deflected = deflection(&self.deflections[i]) + deflection(&self.deflections[j]);
        let closing = a.moved.distance(b.moved) + deflected;
        // They may bounce off something and go anywhere, but no faster.
        closing.min(a.moved.length() + b.moved.length()) + a.turned + b.turned
    }

    /// What touches another body takes over at most the difference of their motions, or
    /// twice that with a restitution of one.
    fn bound_deflections(&mut self, colliders: &[Collider]) {
        for bound in &mut self.deflections {
            *bound.get_mut() = 0;
        }
        self.deflections
            .resize_with(self.motions.len(), AtomicU64::default);
        let motions = &self.motions;
        let bounds = &self.deflections;
        let pairs = self.pairs.par_iter().with_min_len(MIN_PARALLEL_PAIRS);
        pairs.for_each(|&(i, j)| {
            let pair = [i as usize, j as usize];
            let [a, b] = pair.map(|k| &motions[k]);
            let [e, f] = pair.map(|k| colliders[k].material.restitution.unwrap_or(0.0));
            let change = (1.0 + e.max(f)) * a.moved.distance(b.moved);
            for k in pair {
                // Reading first leaves the cache line shared.
                if deflection(&bounds[k]) < change {
                    bounds[k].fetch_max(change.to_bits(), Ordering::Relaxed);
                }
            }
        });
    }

    /// Assigns the colliders to the two trees. Returns whether that has changed.
    fn sort_out(&mut self, input: &BroadInput) -> bool {
        let count = input.colliders.len();
        let mut changed = self.is_moving.len() != count;
        self.is_moving.resize(count, false);
        for (own, c) in self.is_moving.iter_mut().zip(input.colliders) {
            let moving = input.is_moving(c);
            changed |= *own != moving;
            *own = moving;
        }
        if changed {
            self.moving.colliders.clear();
            self.resting.colliders.clear();
            self.planes.clear();
            for (k, c) in (0..).zip(input.colliders) {
                if matches!(c.shape(), Shape::HalfSpace(_)) {
                    self.planes.push(k);
                }
            }
            for (k, &moving) in (0..).zip(&self.is_moving) {
                let tree = if moving {
                    &mut self.moving
                } else {
                    &mut self.resting
                };
                tree.colliders.push(k);
            }
        }
        changed
    }

    fn place(&mut self, input: &BroadInput, all: bool) {
        let count = input.colliders.len();
        self.poses.resize(count, Pose::IDENTITY);
        self.boxes.resize(count, Aabb::EMPTY);
        self.motions.resize(count, FreeMotion::default());
        self.facts.resize(count, Facts::NONE);
        let is_moving = &self.is_moving;
        let rows = (input.colliders.par_iter())
            .zip(is_moving)
            .zip(&mut self.poses)
            .zip(&mut self.boxes)
            .zip(&mut self.motions)
            .zip(&mut self.facts);
        rows.with_min_len(MIN_PARALLEL_COLLIDERS).for_each(
            |(((((collider, moving), pose), bounds), motion), facts)| {
                if all || *moving {
                    (*pose, *bounds, *motion) = input.place(collider);
                    *facts = input.facts(collider);
                }
            },
        );
        if all {
            self.radii.clear();
            let radii = input.colliders.iter().map(Collider::bounding_radius);
            self.radii.extend(radii);
        }
    }

    fn build_trees(&mut self, changed: bool) {
        self.moving.take_boxes(&self.boxes);
        let poses = &self.poses;
        let places = || self.moving.colliders.iter().map(|&k| poses[k as usize]);
        let far = |(b, (p, built)): &(&Aabb, (Pose, &DVec3))| {
            let size = b.extent().max_element();
            p.translation.distance_squared(**built) > 0.25 * size * size
        };
        let rows = self.moving.boxes.iter().zip(places().zip(&self.built_at));
        if changed || rows.filter(far).count() * 8 > self.moving.boxes.len() {
            self.moving.bvh.rebuild(&self.moving.boxes);
            self.built_at.clear();
            self.built_at.extend(places().map(|p| p.translation));
        } else {
            self.moving.bvh.refit(&self.moving.boxes);
        }
        if changed {
            self.resting.take_boxes(&self.boxes);
            self.resting.bvh.rebuild(&self.resting.boxes);
        }
    }

    fn find_pairs(&mut self, input: &BroadInput) {
        self.apart.clear();
        let pair = |a: usize, b: usize| {
            let movers = [a, b].map(|body| input.bodies.mount(body).mover as u32);
            (movers[0].min(movers[1]), movers[0].max(movers[1]))
        };
        let apart = |joint: &Joint| match joint.bodies {
            [Some(a), Some(b)] if !joint.broken && !joint.collide => Some(pair(a, b)),
            _ => None,
        };
        self.apart.extend(input.joints.iter().filter_map(apart));
        self.apart
            .extend(input.excluded.iter().map(|&[a, b]| pair(a, b)));
        if self.apart != self.apart_before {
            self.jointed.clone_from(&self.apart);
            self.jointed.sort_unstable();
            std::mem::swap(&mut self.apart, &mut self.apart_before);
        }

        self.found.clear();
        self.moving.bvh.pairs_as_found(&mut self.found);
        self.pairs.clear();
        let (moving, resting) = (&self.moving, &self.resting);
        let (facts, jointed) = (&self.facts, &self.jointed);
        let ordered = |(i, of_i): (u32, &Facts), (j, of_j): (u32, &Facts)| {
            let collide = input.collide(jointed, of_i, of_j);
            collide.then_some((i.min(j), i.max(j)))
        };
        let moves = |k: u32| (k, &facts[k as usize]);
        let number = |i: u32| moving.colliders[i as usize];
        let found = self.found.par_iter().with_min_len(MIN_PARALLEL_PAIRS);
        let found = found.filter_map(|&(i, j)| ordered(moves(number(i)), moves(number(j))));
        self.pairs.par_extend(found);
        if !resting.bvh.is_empty() {
            let near = |(k, query): (&u32, &Aabb)| {
                let mut near = Vec::new();
                resting.bvh.for_each_overlap(query, |i: u32| {
                    let other = resting.colliders[i as usize];
                    let facts = input.facts(&input.colliders[other as usize]);
                    near.extend(ordered(moves(*k), (other, &facts)));
                });
                near
            };
            let rows = moving.colliders.par_iter().zip(&moving.boxes);
            let rows = rows.with_min_len(MIN_PARALLEL_COLLIDERS);
            self.pairs.par_extend(rows.flat_map_iter(near));
        }
        for &k in &self.planes {
            let Shape::HalfSpace(half_space) = input.colliders[k as usize].shape() else {
                continue;
            };
            let HalfSpace { normal, offset } = half_space;
            let of_plane = input.facts(&input.colliders[k as usize]);
            let near = |(&j, b): (&u32, &Aabb)| {
                let corner = DVec3::new(
                    if normal.x > 0.0 { b.min.x } else { b.max.x },
                    if normal.y > 0.0 { b.min.y } else { b.max.y },
                    if normal.z > 0.0 { b.min.z } else { b.max.z },
                );
                let behind = normal.dot(corner) <= *offset && facts[j as usize].mover != u32::MAX;
                behind.then(|| ordered((k, &of_plane), moves(j))).flatten()
            };
            let rows = moving.colliders.par_iter().zip(&moving.boxes);
            let rows = rows.with_min_len(MIN_PARALLEL_PAIRS);
            self.pairs.par_extend(rows.filter_map(near));
        }
        self.sort_pairs(input.colliders.len());
    }

    /// Sorts the pairs: by counting those of each first collider, then the few of each by
    /// their second.
    fn sort_pairs(&mut self, colliders: usize) {
        if self.pairs.len() * 8 < colliders {
            self.pairs.sort_unstable();
            return;
        }
        self.starts.clear();
        self.starts.resize(colliders + 1, 0);
        for &(i, _) in &self.pairs {
            self.starts[i as usize + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        self.found.resize(self.pairs.len(), (0, 0));
        for &pair in &self.pairs {
            let next = &mut self.starts[pair.0 as usize];
            self.found[*next as usize] = pair;
            *next += 1;
        }
        std::mem::swap(&mut self.found, &mut self.pairs);
        // The pairs of some colliders each; now a start is the end of the pairs before it.
        let mut rest = &mut self.pairs[..];
        let mut parts = Vec::with_capacity(colliders.div_ceil(MIN_PARALLEL_COLLIDERS));
        let mut done = 0;
        for ends in self.starts[..colliders].chunks(MIN_PARALLEL_COLLIDERS) {
            let end = ends.last().map_or(done, |end| *end as usize);
            let (part, others) = rest.split_at_mut(end - done);
            parts.push(part);
            (rest, done) = (others, end);
        }
        let same_first = |a: &(u32, u32), b: &(u32, u32)| a.0 == b.0;
        parts.into_par_iter().for_each(|part| {
            for run in part.chunk_by_mut(same_first) {
                run.sort_unstable_by_key(|pair| pair.1);
            }
        });
    }
}

#[inline]
fn deflection(bits: &AtomicU64) -> f64 {
    f64::from_bits(bits.load(Ordering::Relaxed))
}

/// From the axes of a collider on a body to those of the mover of the body.
pub(super) fn on_mover(bodies: &Bodies, collider: &Collider, body: usize) -> Pose {
    match bodies.mount(body).pose {
        Some(pose) => pose.after(&collider.pose),
        None => collider.pose,
    }
}
