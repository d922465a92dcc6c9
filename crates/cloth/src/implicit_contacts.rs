//! Persistent contacts as part of the elastic solve.
//!
//! A collision response that only filters velocities ignores elasticity: cloth
//! pressed by its neighbours against an obstacle is pushed back vertex by
//! vertex, with each vertex's small mass, and overstretches. So contacts with a
//! normal force in one step take part in the elastic solve of the next as
//! *implicit contacts*: along the normal, and tangentially with Coulomb's
//! limit.

use crate::ImplicitContact;
use crate::cloth::Cloth;
use crate::collide::CollisionSurface;
use crate::collide::candidates::List;
use crate::collide::narrow::{CONTACT_DISTANCE, closest, gather};
use crate::response::constraint::{Constraint, Stencil, StencilPair};
use crate::response::{Contact, ImplicitImpulse, NO_BODY, stages};
use conatus_geometry::distance::Closest;
use conatus_math::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Stiffness of an implicit contact, relative to its effective mass. A larger
/// value reduces the approach velocity that the elastic solve leaves, and takes
/// more iterations.
const CONTACT_STIFFNESS_RATIO: f64 = 200.0;

/// Contacts handled by one task.
const CONTACTS_PER_TASK: usize = 1024;

/// A contact with a normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PersistentContact {
    /// Its points.
    pub stencil: Stencil,
    /// The limit of its friction force.
    pub friction: f64,
    /// Its sliding speed in the elastic solve, or at the end of the step if it
    /// was not part of the solve; in m/s.
    pub slide: f64,
}

/// Such a contact one step later.
struct Touching {
    stencil: Stencil,
    normal: DVec3,
    weights: [f64; 4],
    overlap: f64,
    held: PersistentContact,
}

/// Below this sliding speed, in m/s, friction in the elastic solve is
/// proportional to the velocity (regularised Coulomb friction).
const CREEP_SPEED_M_S: f64 = 5e-4;

/// Contacts that slide slower than this, in m/s, may exceed the friction limit:
/// they count as sticking and are corrected in the next step.
const RESTING_SLIDE_M_S: f64 = 10.0 * CREEP_SPEED_M_S;

/// Another solve is made if friction exceeds Coulomb's limit by this fraction
/// of its total.
const MAX_FRICTION_EXCESS: f64 = 0.1;

/// A contact in the elastic solve.
pub(crate) struct ImplicitContactGroup {
    stencil: Stencil,
    body: u32,
    /// Coulomb's limit of friction, an impulse.
    most: f64,
    /// Index of its implicit contact along the normal. With friction, two more
    /// along tangential directions follow.
    first: u32,
}

impl ImplicitContactGroup {
    /// The indices of the tangential implicit contacts.
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

/// The implicit contact of a constraint along one direction; scripted points
/// keep their motion.
fn implicit_contact(
    c: &Constraint,
    direction: DVec3,
    stiffness: f64,
    target: f64,
) -> ImplicitContact {
    let body = (c.body != NO_BODY).then_some((c.body, c.body_weight, c.body_arm));
    let mut contact = ImplicitContact {
        count: c.count.into(),
        body,
        normal: direction,
        stiffness,
        target: target - direction.dot(c.drift),
        ..ImplicitContact::default()
    };
    for (k, share) in c.shares().iter().enumerate() {
        (contact.vertices[k], contact.weights[k]) = (share.point, share.weight);
    }
    contact
}

impl Cloth {
    /// Contacts that had a normal force in the previous step and still touch,
    /// as implicit contacts for the elastic solve: along the normal, and with
    /// friction tangentially.
    pub(crate) fn implicit_contacts(&self) -> ImplicitContacts {
        let motion = &self.motion;
        // Positions extrapolated by the velocities of the previous step: a
        // contact that slides far in a step has another normal there.
        let velocity = |i: usize| self.v.get(i).unwrap_or(&motion.velocity[i]);
        let ahead = motion.start.iter().enumerate();
        let ahead: Vec<DVec3> = ahead.map(|(i, x)| *x + motion.h * *velocity(i)).collect();
        let touching = (self.memory.par_iter().with_min_len(CONTACTS_PER_TASK))
            .filter_map(|held| self.touching(held, &ahead));
        let touching: Vec<Touching> = touching.collect();
        // Two contacts may have been followed to the same triangle.
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
            all.ties
                .push(implicit_contact(&c, *normal, stiffness, target));
            if most > 0.0 {
                // Coulomb's force at the sliding speed of the previous step.
                let friction = (most / held.slide.max(CREEP_SPEED_M_S)).min(stiffness);
                let (s, t) = normal.any_orthonormal_pair();
                let across = [s, t].map(|direction| implicit_contact(&c, direction, friction, 0.0));
                all.ties.extend(across);
            }
        }
        all
    }

    /// Reduces the stiffness of contacts whose friction exceeds Coulomb's limit
    /// after the solve, because they slide faster than in the previous step.
    /// Returns whether another solve is needed.
    pub(crate) fn relax_friction(&self, implicit: &mut ImplicitContacts) -> bool {
        let ImplicitContacts { contacts, ties } = implicit;
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

    fn impulse(&self, contact: &ImplicitContact) -> f64 {
        contact.impulse(&self.motion.velocity, |b| self.elastic.body_velocity(b))
    }

    /// A contact of the previous step, if it still touches at the extrapolated
    /// positions `ahead`. A vertex that slides over the edge of a triangle then
    /// touches the next one.
    fn touching(&self, held: &PersistentContact, ahead: &[DVec3]) -> Option<Touching> {
        let start = &self.motion.start;
        let (a, b) = held.stencil.sides();
        if let StencilPair::VertexPlane(k) = held.stencil.pair {
            let plane = self.planes.get(k as usize)?;
            let thickness = self.surface.part(a).thickness.unwrap_or(1e-3);
            return (plane.half_space.height(ahead[a as usize]) <= CONTACT_DISTANCE * thickness)
                .then(|| Touching {
                    stencil: held.stencil,
                    normal: plane.half_space.normal,
                    weights: [1.0, 0.0, 0.0, 0.0],
                    overlap: thickness - plane.half_space.height(start[a as usize]),
                    held: *held,
                });
        }
        let thickness = self.surface.thickness(a, b);
        let seen_at = |stencil: Stencil, at: &[DVec3]| {
            let (stencil, seen) = self.contact_at(stencil, at, thickness)?;
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
            // The primitives would pass through each other.
            false => seen_at(touching.stencil, start),
        }
    }

    /// The nearest points of two surfaces near a stencil at positions `x`, if
    /// they are in contact.
    fn contact_at(
        &self,
        stencil: Stencil,
        x: &[DVec3],
        thickness: f64,
    ) -> Option<(Stencil, Closest)> {
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

    /// Stores the result of the elastic solve: the velocities of bodies, and
    /// the normal impulses for the limits of friction, sorted by stencil.
    pub(crate) fn take_contact_impulses(
        &mut self,
        implicit: &ImplicitContacts,
    ) -> Vec<(Stencil, ImplicitImpulse)> {
        let ties = &implicit.ties;
        let mut given: Vec<(Stencil, ImplicitImpulse)> =
            Vec::with_capacity(implicit.contacts.len());
        for contact in &implicit.contacts {
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

    /// Stores the contacts with a normal force for the next step.
    pub(crate) fn store_pressing_contacts(&mut self, contacts: &[Contact]) {
        self.memory.clear();
        for c in contacts {
            if let Some(normal) = c.presses() {
                let slides = || {
                    let u = c.constraint.relative_velocity(&self.motion);
                    (u - u.dot(c.constraint.normal) * c.constraint.normal).length()
                };
                let slide = c.implicit.slide.unwrap_or_else(slides);
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

/// Scales the available friction of contacts to the Coulomb limit of each pair
/// of parts. A contact whose normal force fell since the previous step had too
/// much friction in the elastic solve, others too little; only the sum over the
/// pair is right.
pub(crate) fn balance(surface: &CollisionSurface, contacts: &mut [Contact]) {
    let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    let key = |c: &Contact| LoadShares::key(surface, &c.constraint.stencil);
    for c in contacts.iter().filter(|c| c.constraint.friction > 0.0) {
        let (left, room) = sums.entry(key(c)).or_default();
        *left += c.constraint.friction * c.implicit.normal.max(0.0) - c.implicit.friction;
        *room += c.room;
    }
    for c in contacts.iter_mut().filter(|c| c.room > 0.0) {
        let (left, room) = sums[&key(c)];
        c.room *= left.max(0.0) / room;
    }
}

/// The fraction of the normal impulses between two parts that is load.
///
/// Implicit contacts act in both directions, so some pull and others push
/// against that. Only the net impulse causes friction: if all implicit contacts
/// between two parts have impulses J₁, J₂, …, the fraction is ΣJᵢ / ΣJᵢ⁺.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadShares(Vec<((u32, u32), f64)>);

impl LoadShares {
    /// From the impulses of all implicit contacts.
    pub(crate) fn new(surface: &CollisionSurface, given: &[(Stencil, ImplicitImpulse)]) -> Self {
        let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
        for (stencil, implicit) in given {
            let (all, pressing) = sums.entry(Self::key(surface, stencil)).or_default();
            *all += implicit.normal;
            *pressing += implicit.normal.max(0.0);
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
            // Planes are numbered from the end.
            StencilPair::VertexPlane(k) => (a, u32::MAX - k),
            _ => (a.min(b), a.max(b)),
        }
    }

    /// The load fraction of a contact.
    pub(crate) fn of(&self, surface: &CollisionSurface, stencil: &Stencil) -> f64 {
        let key = Self::key(surface, stencil);
        let place = self.0.binary_search_by(|s| s.0.cmp(&key));
        place.map_or(1.0, |i| self.0[i].1)
    }
}
