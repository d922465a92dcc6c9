//! Contacts that press from step to step.
//!
//! A collision response that only filters velocities knows nothing of
//! elasticity: cloth pressed by its neighbours against something is pushed
//! back vertex by vertex, at each vertex's own small mass, and overstretches.
//! So contacts that pressed in one step take part in the elastic solve of the
//! next as *ties*: along the normal, and across it with Coulomb's limit.

use crate::cloth::Cloth;
use crate::collide::CollisionSurface;
use crate::collide::candidates::List;
use crate::collide::narrow::{CONTACT_DISTANCE, closest, gather};
use crate::response::constraint::{Constraint, Stencil, StencilPair};
use crate::response::{Contact, ImplicitImpulse, NO_BODY, stages};
use crate::{ImplicitBody, ImplicitContact};
use conatus_geometry::distance::Closest;
use conatus_math::{DMat3, DVec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// How stiff a tie is, against the mass that an impulse along it feels. The
/// stiffer, the more exactly the elastic solve keeps what is pressed together
/// from approaching, and the more iterations it takes.
const CONTACT_STIFFNESS_RATIO: f64 = 200.0;

/// Contacts handled by one task.
const CONTACTS_PER_TASK: usize = 1024;

/// A contact that pressed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PersistentContact {
    /// Which points.
    pub stencil: Stencil,
    /// The limit of its friction, a force.
    pub friction: f64,
    /// How fast it slid in the elastic solve, or if it had no part in that, in
    /// the end; in m/s.
    pub slide: f64,
}

/// Such a contact as it is a step later.
struct Touching {
    stencil: Stencil,
    normal: DVec3,
    weights: [f64; 4],
    overlap: f64,
    held: PersistentContact,
}

/// Sliding slower than this is creep: friction in the elastic solve is in
/// proportion to the velocity below it, in m/s.
const CREEP_SPEED_M_S: f64 = 5e-4;

/// What slides slower than this, in m/s, may have too much friction: it is as
/// good as at rest, and has another step.
const RESTING_SLIDE_M_S: f64 = 10.0 * CREEP_SPEED_M_S;

/// So much friction beyond Coulomb's limit, of all that there may be, is worth
/// another solve.
const MAX_FRICTION_EXCESS: f64 = 0.1;

/// A contact in the elastic solve.
pub(crate) struct ImplicitContactGroup {
    stencil: Stencil,
    body: u32,
    /// The most that friction may give, an impulse.
    most: f64,
    /// The number of its tie along the normal. With friction, those along two
    /// directions across the normal follow.
    first: u32,
}

impl ImplicitContactGroup {
    /// The numbers of the ties across the normal.
    fn across(&self) -> Option<[usize; 2]> {
        let first = self.first as usize;
        (self.most > 0.0).then_some([first + 1, first + 2])
    }
}

/// All contacts in the elastic solve.
#[derive(Default)]
pub(crate) struct ImplicitContacts {
    contacts: Vec<ImplicitContactGroup>,
    pub(crate) ties: Vec<ImplicitContact>,
}

/// The tie of a contact along one direction; what is scripted in it moves as
/// it does.
fn tie(c: &Constraint, direction: DVec3, stiffness: f64, target: f64) -> ImplicitContact {
    let body = (c.body != NO_BODY).then_some((c.body, c.body_weight, c.body_arm));
    let mut tie = ImplicitContact {
        count: c.count.into(),
        body,
        normal: direction,
        stiffness,
        target: target - direction.dot(c.drift),
        ..ImplicitContact::default()
    };
    for (k, share) in c.shares().iter().enumerate() {
        (tie.vertices[k], tie.weights[k]) = (share.point, share.weight);
    }
    tie
}

impl Cloth {
    /// Contacts that pressed in the step before and still touch, as ties for
    /// the elastic solve: along the normal, and with friction across it.
    pub(crate) fn ties(&self) -> ImplicitContacts {
        let motion = &self.motion;
        // Where everything comes to if it goes on as in the step before: what
        // slides far in a step has another normal there.
        let velocity = |i: usize| self.v.get(i).unwrap_or(&motion.velocity[i]);
        let ahead = motion.start.iter().enumerate();
        let ahead: Vec<DVec3> = ahead.map(|(i, x)| *x + motion.h * *velocity(i)).collect();
        let touching = (self.memory.par_iter().with_min_len(CONTACTS_PER_TASK))
            .filter_map(|held| self.touching(held, &ahead));
        let touching: Vec<Touching> = touching.collect();
        // Two that were apart may have been followed to the same triangle.
        let mut order: Vec<u32> = (0..touching.len() as u32).collect();
        order.sort_by_key(|&k| touching[k as usize].stencil);
        order.dedup_by_key(|k| touching[*k as usize].stencil);
        let mut all = ImplicitContacts::default();
        for k in order {
            let contact = &touching[k as usize];
            let Touching { normal, held, .. } = contact;
            let c = Constraint::new(motion, contact.stencil, &contact.weights, *normal, 0.0);
            if c.is_rigid() {
                continue;
            }
            let target = stages::target(contact.overlap, self.collisions.restore, motion.h);
            let stiffness = CONTACT_STIFFNESS_RATIO / c.inverse_mass;
            let most = held.friction * motion.h;
            all.contacts.push(ImplicitContactGroup {
                stencil: c.stencil,
                body: c.body,
                most,
                first: all.ties.len() as u32,
            });
            all.ties.push(tie(&c, *normal, stiffness, target));
            if most > 0.0 {
                // Coulomb's force at the velocity of the step before.
                let friction = (most / held.slide.max(CREEP_SPEED_M_S)).min(stiffness);
                let (s, t) = normal.any_orthonormal_pair();
                let across = [s, t].map(|direction| tie(&c, direction, friction, 0.0));
                all.ties.extend(across);
            }
        }
        all
    }

    /// Loosens the ties whose friction is beyond Coulomb's limit after the
    /// solve, because what they hold slides faster than in the step before.
    /// Says whether that was so much that it is worth another solve.
    pub(crate) fn relax_friction(&self, tied: &mut ImplicitContacts) -> bool {
        let ImplicitContacts { contacts, ties } = tied;
        let (mut all, mut beyond) = (0.0, 0.0);
        let excess = contacts.iter().map(|contact| {
            let Some(across) = contact.across() else {
                return 1.0;
            };
            let [s, t] = across.map(|k| self.impulse(&ties[k]));
            let given = s.hypot(t);
            all += contact.most;
            if given
                <= contact
                    .most
                    .max(RESTING_SLIDE_M_S * ties[across[0]].stiffness)
            {
                return 1.0;
            }
            beyond += given - contact.most;
            given / contact.most
        });
        let excess: Vec<f64> = excess.collect();
        if beyond <= MAX_FRICTION_EXCESS * all {
            return false;
        }
        for (contact, excess) in contacts.iter().zip(excess) {
            for k in contact.across().into_iter().flatten() {
                ties[k].stiffness /= excess;
            }
        }
        true
    }

    fn impulse(&self, tie: &ImplicitContact) -> f64 {
        tie.impulse(&self.motion.velocity, |b| self.elastic.body_velocity(b))
    }

    /// A contact of the step before, if it still touches when everything goes
    /// on as in that step to `ahead`. A vertex that slides over the edge of a
    /// triangle then touches the next one.
    fn touching(&self, held: &PersistentContact, ahead: &[DVec3]) -> Option<Touching> {
        let start = &self.motion.start;
        let (a, b) = held.stencil.sides();
        if let StencilPair::VertexPlane(k) = held.stencil.pair {
            let plane = self.planes.get(k as usize)?;
            let thickness = self.surface.part(a).thickness.unwrap_or(1e-3);
            return (plane.height(ahead[a as usize]) <= CONTACT_DISTANCE * thickness).then(|| {
                Touching {
                    stencil: held.stencil,
                    normal: plane.normal,
                    weights: [1.0, 0.0, 0.0, 0.0],
                    overlap: thickness - plane.height(start[a as usize]),
                    held: *held,
                }
            });
        }
        let thickness = self.surface.thickness(a, b);
        let seen_at = |stencil: Stencil, at: &[DVec3]| {
            let (stencil, seen) = self.seen(stencil, at, thickness)?;
            let x = gather(&stencil.points, start);
            let gap: DVec3 = (0..4).map(|i| seen.weights[i] * x[i]).sum();
            let normal = seen.vector / seen.distance();
            Some(Touching {
                stencil,
                normal,
                weights: seen.weights,
                overlap: thickness - gap.dot(normal),
                held: *held,
            })
        };
        let touching = seen_at(held.stencil, ahead)?;
        match touching.overlap < thickness {
            true => Some(touching),
            // They would pass through each other.
            false => seen_at(touching.stencil, start),
        }
    }

    /// What of two surfaces touches near a stencil if everything is at `x`.
    fn seen(&self, stencil: Stencil, x: &[DVec3], thickness: f64) -> Option<(Stencil, Closest)> {
        let (surface, around) = (&self.surface, &self.candidates.around);
        let Stencil { pair, points } = stencil;
        let (list, (points, closest)) = match pair {
            StencilPair::VertexTriangle => {
                (List::VertexTriangle, around.follow(surface, x, points))
            }
            _ => {
                let closest = closest(List::EdgeEdge, &gather(&points, x));
                (List::EdgeEdge, (points, closest))
            }
        };
        let touches = closest.squared > 0.0
            && closest.distance() <= CONTACT_DISTANCE * thickness
            && around.is_real(surface, x, list, &points, &closest);
        touches.then_some((Stencil { pair, points }, closest))
    }

    /// The bodies as the elastic solve takes them. Those that are held have no
    /// ties, so their mass does not matter.
    pub(crate) fn implicit_bodies(&self) -> Vec<ImplicitBody> {
        let bodies = self.motion.bodies.iter().map(|b| {
            let free = b.inverse_mass > 0.0;
            let inertia = if free {
                b.inverse_inertia.inverse()
            } else {
                DMat3::IDENTITY
            };
            ImplicitBody {
                mass: if free { b.inverse_mass.recip() } else { 1.0 },
                inertia,
                velocity: b.velocity,
                omega: b.omega,
            }
        });
        bodies.collect()
    }

    /// What the ties gave in the elastic solve: bodies move as it found, and
    /// the impulses along normals are kept for the limits of friction, in the
    /// order of stencils.
    pub(crate) fn take_contact_impulses(
        &mut self,
        tied: &ImplicitContacts,
    ) -> Vec<(Stencil, ImplicitImpulse)> {
        let ties = &tied.ties;
        let mut given: Vec<(Stencil, ImplicitImpulse)> = Vec::with_capacity(tied.contacts.len());
        for contact in &tied.contacts {
            let across = contact.across().map(|across| {
                let [s, t] = across.map(|k| self.impulse(&ties[k]));
                (s.hypot(t), ties[across[0]].stiffness)
            });
            let gave = ImplicitImpulse {
                normal: self.impulse(&ties[contact.first as usize]),
                friction: across.map_or(0.0, |(friction, _)| friction),
                slide: across.map(|(friction, stiffness)| friction / stiffness),
            };
            given.push((contact.stencil, gave));
            if contact.body != NO_BODY {
                let b = &mut self.motion.bodies[contact.body as usize];
                (b.velocity, b.omega) = self.elastic.body_velocity(contact.body);
            }
        }
        given.sort_unstable_by_key(|g| g.0);
        given
    }

    /// Keeps in mind which contacts press, for the next step.
    pub(crate) fn store_pressing_contacts(&mut self, contacts: &[Contact]) {
        self.memory.clear();
        for c in contacts {
            if let Some(normal) = c.presses() {
                let slides = || {
                    let u = c.constraint.relative_velocity(&self.motion);
                    (u - u.dot(c.constraint.normal) * c.constraint.normal).length()
                };
                let slide = c.tied.slide.unwrap_or_else(slides);
                let c = &c.constraint;
                self.memory.push(PersistentContact {
                    stencil: c.stencil,
                    friction: c.friction * normal / self.motion.h,
                    slide,
                });
            }
        }
    }
}

/// Leaves contacts that much room for friction as Coulomb's law leaves the two
/// parts between which they are. A contact that presses less than in the step
/// before had too much friction in the elastic solve, another too little; as
/// each has its limit, only the sum of both is right.
pub(crate) fn balance(surface: &CollisionSurface, contacts: &mut [Contact]) {
    let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    let key = |c: &Contact| LoadShares::key(surface, &c.constraint.stencil);
    for c in contacts.iter().filter(|c| c.constraint.friction > 0.0) {
        let (left, room) = sums.entry(key(c)).or_default();
        *left += c.constraint.friction * c.tied.normal.max(0.0) - c.tied.friction;
        *room += c.room;
    }
    for c in contacts.iter_mut().filter(|c| c.room > 0.0) {
        let (left, room) = sums[&key(c)];
        c.room *= left.max(0.0) / room;
    }
}

/// Which parts press on each other, and how much of that is load.
///
/// Ties hold fast in both directions, so some of them pull and others press
/// against that. Friction comes from what is left of it: where all ties
/// between two parts give J₁, J₂, …, the share ΣJᵢ / ΣJᵢ⁺ of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadShares(Vec<((u32, u32), f64)>);

impl LoadShares {
    /// From what all ties gave.
    pub(crate) fn new(surface: &CollisionSurface, given: &[(Stencil, ImplicitImpulse)]) -> Self {
        let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
        for (stencil, tied) in given {
            let (all, pressing) = sums.entry(Self::key(surface, stencil)).or_default();
            *all += tied.normal;
            *pressing += tied.normal.max(0.0);
        }
        let share = |(all, pressing): (f64, f64)| match pressing > 0.0 {
            true => (all / pressing).max(0.0),
            false => 1.0,
        };
        Self(sums.into_iter().map(|(key, s)| (key, share(s))).collect())
    }

    fn key(surface: &CollisionSurface, stencil: &Stencil) -> (u32, u32) {
        let (a, b) = stencil.sides();
        let [a, b] = [a, b].map(|p| surface.part_of[p as usize]);
        match stencil.pair {
            // Planes count from the end.
            StencilPair::VertexPlane(k) => (a, u32::MAX - k),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// The share of load in the pressing of a contact.
    pub(crate) fn of(&self, surface: &CollisionSurface, stencil: &Stencil) -> f64 {
        let key = Self::key(surface, stencil);
        let place = self.0.binary_search_by(|s| s.0.cmp(&key));
        place.map_or(1.0, |i| self.0[i].1)
    }
}
