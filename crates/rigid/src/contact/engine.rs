//! One step of contacts: which colliders are near each other, where they touch, and
//! what that does to the motion.
//!
//! Bodies that nothing touches keep the free motion that the integrator found, to the
//! last bit. The others make the step again from its start, in the substeps of
//! [`super::solver`], with the mean force and torque of the free motion.

use super::collider::{Collider, ColliderShape, Groups, combined};
use super::solver::block::{ConstraintPoint, ContactConstraint};
use super::solver::bodies::BodyConstants;
use super::solver::impact::Bounce;
use super::solver::{ContactSolver, SolverSettings};
use crate::bodies::{Activity, Bodies};
use crate::joint::Joint;
use crate::joint::solve::PreparedJoint;
use crate::state::State;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_geometry::convex::{
    Convex, Manifold, ManifoldPoint, PairCache, collide, half_space_convex,
};
use conatus_geometry::{Aabb, Bvh};
use conatus_math::{DMat3, DVec3, Pose, rotation};
use rayon::prelude::*;

/// Contacts are looked for at least this far ahead, in metres, or a share of the size
/// of small colliders.
const MIN_MARGIN_M: f64 = 2e-3;
const MIN_MARGIN_SHARE: f64 = 0.02;
/// Pairs that are worth a thread of their own.
const MIN_PARALLEL_PAIRS: usize = 64;

/// How something that no force moves moves in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptedMotion {
    /// Its pose at the start of the step.
    pub pose: Pose,
    /// Its velocity in the step.
    pub velocity: DVec3,
    /// Its angular velocity in world axes.
    pub omega: DVec3,
}

impl ScriptedMotion {
    /// From one pose to another in `h` seconds.
    pub fn between(from: Pose, to: Pose, h: f64) -> Self {
        let turn = to.rotation * from.rotation.conjugate();
        Self {
            pose: from,
            velocity: (to.translation - from.translation) / h,
            omega: rotation::log(turn) / h,
        }
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.velocity != DVec3::ZERO || self.omega != DVec3::ZERO
    }

    /// At rest.
    pub fn at_rest(pose: Pose) -> Self {
        Self {
            pose,
            velocity: DVec3::ZERO,
            omega: DVec3::ZERO,
        }
    }
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug)]
pub struct EngineContact {
    /// The two colliders, the one with the smaller number first.
    pub colliders: [u32; 2],
    /// The triangle of a mesh, or 0.
    pub part: u32,
    /// Where they touch at the start of the step.
    pub manifold: Manifold,
    /// What is known about the pair.
    cache: PairCache,
    /// The impulses of the last substep, at the points of the manifold.
    impulses: [f64; MAX_POINTS],
    friction_impulse: DVec3,
    twist_impulse: f64,
    rolling_impulse: DVec3,
    /// The normal impulses at the points over the whole step.
    pub normal_impulses: [f64; MAX_POINTS],
    /// The impulse of friction on the second collider over the whole step.
    pub tangential_impulse: DVec3,
    /// Whether it held or pushed anything in the last step.
    pub acted: bool,
}

/// A point where a body touches another body or what never moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// A body.
    pub a: usize,
    /// The other body; `None` for what never moves.
    pub b: Option<usize>,
    /// Where they touch, in world coordinates.
    pub point: DVec3,
    /// The unit normal, from `a` into the other.
    pub normal: DVec3,
    /// How deep they were in each other at the start of the step, in metres.
    pub penetration: f64,
    /// The impulse on `a` over the step, in N·s.
    pub impulse: DVec3,
}

/// Two colliders that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// A body.
    pub a: usize,
    /// The other body; `None` for what never moves.
    pub b: Option<usize>,
    /// How deep they are in each other, in metres.
    pub depth: f64,
    /// The smaller of the radii of balls around the two colliders, in metres.
    pub size: f64,
    /// Whether the other one is scripted.
    pub scripted: bool,
}

/// What a contact passes from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoredContact {
    /// The two colliders.
    pub colliders: [u32; 2],
    /// The triangle of a mesh, or 0.
    pub part: u32,
    /// The features of its points.
    pub ids: [u32; MAX_POINTS],
    /// Where they are.
    pub points: [DVec3; MAX_POINTS],
    /// Their normal impulses in the last substep.
    pub impulses: [f64; MAX_POINTS],
    /// How many there are.
    pub count: u32,
    /// Friction, torsion and rolling impulse of the last substep.
    pub friction: DVec3,
    /// The torsion about the normal.
    pub twist: f64,
    /// Of rolling resistance.
    pub rolling: DVec3,
}

impl EngineContact {
    /// A contact without impulses.
    fn new(colliders: [u32; 2], part: u32, cache: PairCache, manifold: Manifold) -> Self {
        Self {
            colliders,
            part,
            manifold,
            cache,
            impulses: [0.0; MAX_POINTS],
            friction_impulse: DVec3::ZERO,
            twist_impulse: 0.0,
            rolling_impulse: DVec3::ZERO,
            normal_impulses: [0.0; MAX_POINTS],
            tangential_impulse: DVec3::ZERO,
            acted: false,
        }
    }

    fn key(&self) -> (u32, u32, u32) {
        (self.colliders[0], self.colliders[1], self.part)
    }
}

/// The colliders of a world, and working memory.
#[derive(Debug, Default)]
pub struct ContactEngine {
    /// All colliders. Their order must not change while there are contacts.
    pub colliders: Vec<Collider>,
    /// Whether bodies collide with each other.
    pub between_bodies: bool,
    /// How contacts are solved.
    pub settings: SolverSettings,
    /// The joints.
    pub joints: Vec<Joint>,
    /// The joints that broke under their load since the caller last emptied this list.
    pub broken_joints: Vec<usize>,
    /// Pairs of bodies that do not collide with each other.
    pub excluded: Vec<[usize; 2]>,
    /// The pairs of movers that joints or `excluded` keep from colliding, in order.
    jointed: Vec<(usize, usize)>,
    /// The scripted motions that colliders follow, for the next step.
    pub scripted: Vec<ScriptedMotion>,
    /// The contacts of the last step, in order of their colliders.
    pub contacts: Vec<EngineContact>,
    poses: Vec<Pose>,
    boxes: Vec<Aabb>,
    reach: Vec<f64>,
    bvh: Bvh,
    built_at: Vec<DVec3>,
    pairs: Vec<(u32, u32)>,
    solver: ContactSolver,
    numbers: Vec<u32>,
}

impl ContactEngine {
    /// Whether anything could ever touch.
    pub fn is_idle(&self) -> bool {
        let on_bodies = self.colliders.iter().filter(|c| c.body.is_some()).count();
        let fixed = self.colliders.len() > on_bodies;
        if self.joints.iter().any(|joint| !joint.broken) {
            return false;
        }
        on_bodies == 0 || !(fixed || self.between_bodies && on_bodies > 1)
    }

    /// Fixes a collider to a body or to the world.
    pub fn add(&mut self, collider: Collider) {
        self.colliders.push(collider);
    }

    /// Takes a body's colliders out of all collisions. They keep their numbers.
    pub fn disable_body(&mut self, body: usize) {
        let own = self.colliders.iter_mut().filter(|c| c.body == Some(body));
        own.for_each(|c| c.groups = Groups { member: 0, mask: 0 });
    }

    /// The points of the last step where something touched.
    pub fn body_contacts(&self) -> impl Iterator<Item = BodyContact> + '_ {
        self.contacts.iter().flat_map(|c| {
            let [a, b] = c.colliders.map(|k| self.colliders[k as usize].body);
            let points = c.manifold.points().iter().enumerate();
            let touching = points.filter(|(_, p)| c.acted || p.separation <= 0.0);
            let count = c.manifold.points().len() as f64;
            touching.filter_map(move |(k, p)| {
                // Friction is shared out by the normal impulses.
                let sum: f64 = c.normal_impulses.iter().sum();
                let own = c.normal_impulses[k];
                let share = if sum > 0.0 { own / sum } else { 1.0 / count };
                let impulse = c.manifold.normal * own + c.tangential_impulse * share;
                let (a, b, normal, impulse) = match (a, b) {
                    (Some(a), b) => (a, b, c.manifold.normal, -impulse),
                    (None, Some(b)) => (b, None, -c.manifold.normal, impulse),
                    (None, None) => return None,
                };
                Some(BodyContact {
                    a,
                    b,
                    point: p.point,
                    normal,
                    penetration: (-p.separation).max(0.0),
                    impulse,
                })
            })
        })
    }

    /// The colliders that overlap in the present state of the bodies.
    pub fn overlaps(&self, bodies: &Bodies) -> Vec<Overlap> {
        let mut probe = Self {
            colliders: self.colliders.clone(),
            between_bodies: self.between_bodies,
            scripted: self.scripted.clone(),
            joints: self.joints.clone(),
            excluded: self.excluded.clone(),
            ..Self::default()
        };
        let mut states = Vec::new();
        bodies.gather(&mut states);
        probe.place(bodies, &states, 0.0);
        probe.find_pairs(bodies);
        probe.find_manifolds();
        let mut found: Vec<Overlap> = Vec::new();
        for c in &probe.contacts {
            let [x, y] = c.colliders.map(|k| &probe.colliders[k as usize]);
            let (a, b) = match (x.body, y.body) {
                (Some(a), b) => (a, b),
                (None, Some(b)) => (b, None),
                (None, None) => continue,
            };
            let separations = c.manifold.points().iter().map(|p| p.separation);
            let depth = -separations.fold(f64::INFINITY, f64::min);
            if depth > 0.0 {
                found.push(Overlap {
                    a,
                    b,
                    depth,
                    size: x.bounding_radius().min(y.bounding_radius()),
                    scripted: x.script.or(y.script).is_some(),
                });
            }
        }
        found
    }

    /// What the contacts pass to the next step.
    pub fn stored(&self) -> Vec<StoredContact> {
        let store = |c: &EngineContact| {
            let mut stored = StoredContact {
                colliders: c.colliders,
                part: c.part,
                impulses: c.impulses,
                count: c.manifold.points().len() as u32,
                friction: c.friction_impulse,
                twist: c.twist_impulse,
                rolling: c.rolling_impulse,
                ..StoredContact::default()
            };
            for (k, p) in c.manifold.points().iter().enumerate() {
                stored.ids[k] = p.id;
                stored.points[k] = p.point;
            }
            stored
        };
        self.contacts.iter().map(store).collect()
    }

    /// Takes over what was stored; false if it is of other colliders.
    pub fn restore(&mut self, stored: &[StoredContact]) -> bool {
        let colliders = self.colliders.len();
        let known = |s: &StoredContact| {
            let fits = s.colliders.iter().all(|&k| (k as usize) < colliders);
            fits && s.count as usize <= MAX_POINTS
        };
        if !stored.iter().all(known) {
            return false;
        }
        let restore = |s: &StoredContact| {
            let mut manifold = Manifold::default();
            for k in 0..s.count as usize {
                manifold.push(ManifoldPoint {
                    point: s.points[k],
                    separation: 1.0,
                    id: s.ids[k],
                });
            }
            EngineContact {
                impulses: s.impulses,
                friction_impulse: s.friction,
                twist_impulse: s.twist,
                rolling_impulse: s.rolling,
                ..EngineContact::new(s.colliders, s.part, PairCache::default(), manifold)
            }
        };
        self.contacts = stored.iter().map(restore).collect();
        self.contacts.sort_by_key(EngineContact::key);
        true
    }

    /// Makes the contacts of a step. `before` has the states of all movers at its
    /// start, and `bodies` their free motion over it.
    pub fn step(&mut self, bodies: &mut Bodies, before: &[State], h: f64) {
        self.place(bodies, before, h);
        self.find_pairs(bodies);
        self.find_manifolds();
        self.solve(bodies, before, h);
    }

    /// The poses of all colliders at the start of the step, and the boxes that they
    /// stay in.
    fn place(&mut self, bodies: &Bodies, before: &[State], h: f64) {
        let scripted = &self.scripted;
        let place = |c: &Collider| -> (Pose, Aabb, f64) {
            let Some(body) = c.body else {
                let Some(motion) = script(scripted, c) else {
                    return (c.pose, c.aabb(&c.pose), 0.0);
                };
                let pose = motion.pose.after(&c.pose);
                let bounds = c.aabb(&pose);
                let moved = motion.velocity * h;
                let radius = c.pose.translation.length() + c.bounding_radius();
                let turned = (motion.omega.length() * h).min(std::f64::consts::PI) * radius;
                let later = Aabb::new(bounds.min + moved, bounds.max + moved);
                let bounds = bounds.union(&later).grow(turned);
                return (pose, bounds, moved.length() + turned);
            };
            let mount = bodies.mount(body);
            let own = on_mover(bodies, c, body);
            let state = &before[mount.mover];
            let pose = state.pose().after(&own);
            let mut bounds = c.aabb(&pose);
            let mut reach = 0.0;
            if bodies.activity(mount.mover) == Activity::Free {
                let after = bodies.mover_state(mount.mover);
                let moved = after.position - state.position;
                let radius = own.translation.length() + c.bounding_radius();
                let turned = (state.omega_body.length().max(after.omega_body.length()) * h)
                    .min(std::f64::consts::PI)
                    * radius;
                reach = moved.length() + turned;
                let later = Aabb::new(bounds.min + moved, bounds.max + moved);
                // It may bounce off something and go anywhere as fast.
                bounds = bounds.union(&later).grow(turned + moved.length());
            }
            let margin = MIN_MARGIN_M.min(MIN_MARGIN_SHARE * c.bounding_radius());
            (pose, bounds.grow(margin), reach)
        };
        let count = self.colliders.len();
        self.poses.resize(count, Pose::IDENTITY);
        self.boxes.resize(count, Aabb::EMPTY);
        self.reach.resize(count, 0.0);
        let rows = (self.colliders.par_iter())
            .zip(&mut self.poses)
            .zip(&mut self.boxes)
            .zip(&mut self.reach);
        rows.with_min_len(512)
            .for_each(|(((collider, pose), bounds), reach)| {
                (*pose, *bounds, *reach) = place(collider);
            });
    }

    fn find_pairs(&mut self, bodies: &Bodies) {
        self.pairs.clear();
        let far = |((b, p), built): ((&Aabb, &Pose), &DVec3)| {
            let size = b.extent().max_element();
            p.translation.distance_squared(*built) > 0.25 * size * size
        };
        let strays = (self.boxes.iter().zip(&self.poses))
            .zip(&self.built_at)
            .filter(|row| far(*row))
            .count();
        if self.built_at.len() != self.boxes.len() || strays * 8 > self.boxes.len() {
            self.bvh.rebuild(&self.boxes);
            self.built_at.clear();
            self.built_at
                .extend(self.poses.iter().map(|p| p.translation));
        } else {
            self.bvh.refit(&self.boxes);
        }
        self.bvh.pairs(&mut self.pairs);
        self.jointed.clear();
        let apart = |joint: &&Joint| !joint.broken && !joint.collide;
        for joint in self.joints.iter().filter(apart) {
            if let [Some(a), Some(b)] = joint.bodies.map(|b| b.map(|b| bodies.mount(b).mover)) {
                self.jointed.push((a.min(b), a.max(b)));
            }
        }
        for pair in &self.excluded {
            let [a, b] = pair.map(|b| bodies.mount(b).mover);
            self.jointed.push((a.min(b), a.max(b)));
        }
        self.jointed.sort_unstable();
        for (k, plane) in (0u32..).zip(&self.colliders) {
            if let ColliderShape::HalfSpace { normal, offset } = &plane.shape {
                for (j, (c, b)) in (0u32..).zip(self.colliders.iter().zip(&self.boxes)) {
                    let corner = DVec3::new(
                        if normal.x > 0.0 { b.min.x } else { b.max.x },
                        if normal.y > 0.0 { b.min.y } else { b.max.y },
                        if normal.z > 0.0 { b.min.z } else { b.max.z },
                    );
                    let near = c.body.is_some() && normal.dot(corner) <= *offset;
                    if near {
                        self.pairs.push((k.min(j), k.max(j)));
                    }
                }
            }
        }
        let colliders = &self.colliders;
        let between = self.between_bodies;
        let jointed = &self.jointed;
        let joined = |a: Option<usize>, b: Option<usize>| match (a, b) {
            (Some(a), Some(b)) => jointed.binary_search(&(a.min(b), a.max(b))).is_ok(),
            _ => false,
        };
        let mover = |c: &Collider| c.body.map(|b| bodies.mount(b).mover);
        let free = |m: Option<usize>| m.is_some_and(|m| bodies.activity(m) == Activity::Free);
        self.pairs.retain(|&(i, j)| {
            let (a, b) = (&colliders[i as usize], &colliders[j as usize]);
            let (ma, mb) = (mover(a), mover(b));
            ma != mb
                && (free(ma) || free(mb))
                && (between || ma.is_none() || mb.is_none())
                && a.groups.meet(&b.groups)
                && !joined(ma, mb)
                && !a.sensor
                && !b.sensor
        });
        for pair in &mut self.pairs {
            *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        }
        self.pairs.sort_unstable();
    }

    fn find_manifolds(&mut self) {
        let old = std::mem::take(&mut self.contacts);
        let (colliders, poses, reach) = (&self.colliders, &self.poses, &self.reach);
        let find = |&(i, j): &(u32, u32)| -> Vec<EngineContact> {
            let (a, b) = (&colliders[i as usize], &colliders[j as usize]);
            let smaller = a.bounding_radius().min(b.bounding_radius());
            let margin = reach[i as usize]
                + reach[j as usize]
                + MIN_MARGIN_M.min(MIN_MARGIN_SHARE * smaller);
            let known = |part: u32| {
                let at = old.binary_search_by_key(&(i, j, part), EngineContact::key);
                at.ok().map(|at| &old[at])
            };
            let (pa, pb) = (&poses[i as usize], &poses[j as usize]);
            let mut out = Vec::new();
            let mut add = |part: u32, cache: PairCache, manifold: Option<Manifold>| {
                if let Some(manifold) = manifold {
                    out.push(matched(known(part), [i, j], part, cache, manifold));
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
        let pairs = self.pairs.par_iter().with_min_len(MIN_PARALLEL_PAIRS);
        self.contacts = pairs.flat_map_iter(find).collect();
    }

    fn solve(&mut self, bodies: &mut Bodies, before: &[State], h: f64) {
        self.numbers.clear();
        self.numbers.resize(bodies.len(), 0);
        let solver = &mut self.solver;
        solver.clear();
        let mut of_scripts = vec![0; self.scripted.len()];
        for contact in &self.contacts {
            let mut number = |collider: u32| {
                let collider = &self.colliders[collider as usize];
                let Some(body) = collider.body else {
                    let (Some(k), Some(motion)) =
                        (collider.script, script(&self.scripted, collider))
                    else {
                        return 0;
                    };
                    let number = &mut of_scripts[k as usize];
                    if *number == 0 && motion.moves() {
                        let constants = BodyConstants {
                            position: motion.pose.translation,
                            orientation: motion.pose.rotation,
                            ..BodyConstants::FIXED
                        };
                        *number = solver.add_body(constants, motion.velocity, motion.omega);
                    }
                    return *number;
                };
                let m = bodies.mount(body).mover;
                if bodies.activity(m) != Activity::Free {
                    return 0;
                }
                if self.numbers[m] == 0 {
                    self.numbers[m] = add_body(solver, bodies, m, &before[m], h);
                }
                self.numbers[m]
            };
            let numbers = contact.colliders.map(&mut number);
            let [a, b] = contact.colliders.map(|k| &self.colliders[k as usize]);
            let (restitution, friction, rolling) = combined(a, b);
            let mut points = [ConstraintPoint::default(); MAX_POINTS];
            let found = contact.manifold.points();
            for (k, p) in found.iter().enumerate() {
                points[k] = ConstraintPoint {
                    point: p.point,
                    separation: p.separation,
                    impulse: contact.impulses[k],
                };
            }
            solver.contacts.push(ContactConstraint {
                bodies: numbers,
                normal: contact.manifold.normal,
                restitution,
                friction,
                rolling,
                points,
                count: found.len(),
                shifts: [DVec3::ZERO; 2],
                friction_impulse: contact.friction_impulse,
                twist_impulse: contact.twist_impulse,
                rolling_impulse: contact.rolling_impulse,
            });
            solver.bounces.push(Bounce::default());
        }
        for (k, joint) in (0u32..)
            .zip(&self.joints)
            .filter(|(_, joint)| !joint.broken)
        {
            let mut numbers = [0; 2];
            let mut frames = joint.frames;
            for side in 0..2 {
                let Some(body) = joint.bodies[side] else {
                    continue;
                };
                let mount = bodies.mount(body);
                if let Some(pose) = mount.pose {
                    frames[side] = pose.after(&frames[side]);
                }
                let m = mount.mover;
                if bodies.activity(m) != Activity::Free {
                    frames[side] = before[m].pose().after(&frames[side]);
                    continue;
                }
                if self.numbers[m] == 0 {
                    self.numbers[m] = add_body(solver, bodies, m, &before[m], h);
                }
                numbers[side] = self.numbers[m];
            }
            if numbers[0] != numbers[1] {
                solver.joints.push((k, PreparedJoint::new(numbers, frames)));
            }
        }
        if solver.contacts.is_empty() && solver.joints.is_empty() {
            return;
        }
        let (colliders, contacts) = (&self.colliders, &self.contacts);
        let scripted = &self.scripted;
        let narrow = |k: u32, pose_a: &Pose, pose_b: &Pose| {
            let contact = &contacts[k as usize];
            let [a, b] = contact.colliders.map(|c| &colliders[c as usize]);
            let at = |c: &Collider, mover: &Pose| match c.body {
                None => match script(scripted, c) {
                    Some(motion) if motion.moves() => mover.after(&c.pose),
                    Some(motion) => motion.pose.after(&c.pose),
                    None => c.pose,
                },
                Some(body) => {
                    let m = bodies.mount(body).mover;
                    let fixed = bodies.activity(m) != Activity::Free;
                    let mover = if fixed { before[m].pose() } else { *mover };
                    mover.after(&on_mover(bodies, c, body))
                }
            };
            touching(a, &at(a, pose_a), b, &at(b, pose_b), contact.part)
        };
        let joints = &mut self.joints;
        solver.step(&self.settings, bodies.width, &narrow, joints, h);
        for (k, manifold) in &solver.renewed {
            self.contacts[*k as usize].manifold = *manifold;
        }
        let mut touched = vec![false; solver.bodies.len()];
        for (k, contact) in self.contacts.iter_mut().enumerate() {
            let (c, step, bounce) = (&solver.contacts[k], &solver.impulses[k], &solver.bounces[k]);
            for (own, p) in contact.impulses.iter_mut().zip(&c.points) {
                *own = p.impulse;
            }
            contact.friction_impulse = c.friction_impulse;
            contact.twist_impulse = c.twist_impulse;
            contact.rolling_impulse = c.rolling_impulse;
            contact.acted = bounce.acted || step.acted;
            contact.normal_impulses = step.normal;
            contact.tangential_impulse = step.friction + bounce.tangential;
            for (own, bounced) in contact.normal_impulses.iter_mut().zip(bounce.normal) {
                *own += bounced;
            }
            if contact.acted {
                for n in c.bodies {
                    touched[n as usize] = true;
                }
            }
        }
        for (k, prepared) in &solver.joints {
            let joint = &mut self.joints[*k as usize];
            joint.load = prepared.load(h);
            let over = |load: DVec3, most: f64| load.length() > most;
            if over(joint.load.force, joint.strength.force)
                || over(joint.load.torque, joint.strength.torque)
            {
                joint.broken = true;
                self.broken_joints.push(*k as usize);
            }
            for n in prepared.bodies() {
                touched[n as usize] = true;
            }
        }
        for (n, touched) in touched.into_iter().enumerate().skip(1) {
            if !touched {
                continue;
            }
            let (body, c) = (&solver.bodies[n], &solver.constants[n]);
            if c.inverse_mass == 0.0 {
                continue;
            }
            let orientation = (body.turn() * c.orientation).normalize();
            let state = State {
                position: c.position + body.shift(),
                velocity: body.velocity(),
                orientation,
                omega_body: orientation.conjugate() * body.omega(),
            };
            bodies.set_mover_state(c.mover, &state);
        }
    }
}

/// The scripted motion that a collider follows.
fn script<'a>(scripted: &'a [ScriptedMotion], c: &Collider) -> Option<&'a ScriptedMotion> {
    c.script.and_then(|k| scripted.get(k as usize))
}

/// From the axes of a collider on a body to those of the mover of the body.
fn on_mover(bodies: &Bodies, collider: &Collider, body: usize) -> Pose {
    match bodies.mount(body).pose {
        Some(pose) => pose.after(&collider.pose),
        None => collider.pose,
    }
}

/// Where two colliders at their poses touch, or nearly; `part` is the triangle of a mesh.
fn touching(a: &Collider, pa: &Pose, b: &Collider, pb: &Pose, part: u32) -> Option<Manifold> {
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

fn add_body(solver: &mut ContactSolver, bodies: &Bodies, m: usize, before: &State, h: f64) -> u32 {
    let c = bodies.constants(m);
    let after = bodies.mover_state(m);
    let r = before.rotation();
    let momentum = after.angular_momentum(c.moments) - before.angular_momentum(c.moments);
    let constants = BodyConstants {
        mover: m,
        inverse_mass: 1.0 / c.mass,
        inverse_inertia: r * DMat3::from_diagonal(c.moments.recip()) * r.transpose(),
        moments: c.moments,
        position: before.position,
        orientation: before.orientation.normalize(),
        acceleration: (after.velocity - before.velocity) / h,
        torque: momentum / h,
    };
    solver.add_body(constants, before.velocity, before.omega())
}

/// A contact with the impulses that its points had in the last step.
fn matched(
    known: Option<&EngineContact>,
    colliders: [u32; 2],
    part: u32,
    cache: PairCache,
    manifold: Manifold,
) -> EngineContact {
    let mut contact = EngineContact::new(colliders, part, cache, manifold);
    if let Some(known) = known {
        contact.friction_impulse = known.friction_impulse;
        contact.twist_impulse = known.twist_impulse;
        contact.rolling_impulse = known.rolling_impulse;
        match_points(known, &mut contact);
    }
    contact
}

/// Gives the points of a contact the impulses of the old points with the same features
/// or, where features changed, of the nearest old point that no other has.
fn match_points(known: &EngineContact, contact: &mut EngineContact) {
    let old = known.manifold.points();
    let mut taken = [false; MAX_POINTS];
    let mut open = [true; MAX_POINTS];
    for (k, p) in contact.manifold.points().iter().enumerate() {
        if let Some(at) = old.iter().position(|o| o.id == p.id)
            && !taken[at]
        {
            contact.impulses[k] = known.impulses[at];
            taken[at] = true;
            open[k] = false;
        }
    }
    for (k, p) in contact.manifold.points().iter().enumerate() {
        let rest = old.iter().enumerate().filter(|(at, _)| !taken[*at]);
        let nearest = rest.min_by(|(_, a), (_, b)| {
            let distance = |o: &ManifoldPoint| o.point.distance_squared(p.point);
            distance(a).total_cmp(&distance(b))
        });
        if open[k]
            && let Some((at, _)) = nearest
        {
            contact.impulses[k] = known.impulses[at];
            taken[at] = true;
        }
    }
}

/// The manifolds of a convex solid with the triangles of a mesh.
fn mesh_contacts(
    mesh: &super::collider::CollisionMesh,
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
