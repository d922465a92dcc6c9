//! Stage 1, Algorithm 1, lines 1-2: what would be near at the end of the step
//! is kept apart by impulses that push but never pull, with friction.
//!
//! All contacts are gone through again and again (Gauss-Seidel); each corrects
//! what is left of its own violation and remembers the sum it has given, so
//! that a later sweep can take back what an earlier one gave too much.
//!
//! Contacts that pressed in the step before were part of the elastic solve
//! already, as ties. What they gave there counts for the limit of friction,
//! but is never taken back here: the solve gave it to cloth that is as heavy
//! as its stiffness makes it, an impulse here meets single vertices.

use super::constraint::Constraint;
use super::motion::{NO_BODY, ResponseMotion};
use crate::collide::narrow::Near;
use conatus_math::DVec3;

/// A contact of this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) constraint: Constraint,
    /// The normal velocity that it asks for at least.
    target: f64,
    /// The normal impulse given so far.
    pub(crate) impulse: f64,
    /// The friction impulse given so far.
    pub(crate) friction: DVec3,
    /// What its ties gave in the elastic solve.
    pub(crate) tied: ImplicitImpulse,
    /// The friction that it may give for the normal impulse of its ties,
    /// beyond what they gave themselves.
    pub(crate) room: f64,
}

/// What the ties of a contact gave in the elastic solve: the normal impulse,
/// the size of the friction, and how fast it slid with that, in m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ImplicitImpulse {
    pub(crate) normal: f64,
    pub(crate) friction: f64,
    pub(crate) slide: Option<f64>,
}

impl Contact {
    /// The contact of two primitives that are near. Of what the two overlap,
    /// the share `restore` is taken away within the step; what is not yet
    /// near may approach until it is.
    pub(crate) fn new(
        motion: &ResponseMotion,
        near: &Near,
        friction: f64,
        restore: f64,
        tied: ImplicitImpulse,
    ) -> Self {
        let constraint =
            Constraint::new(motion, near.stencil, &near.weights, near.normal, friction);
        let target = target(near.thickness - near.distance, restore, motion.h);
        Self {
            constraint,
            target,
            impulse: 0.0,
            friction: DVec3::ZERO,
            tied,
            room: (constraint.friction * tied.normal.max(0.0) - tied.friction).max(0.0),
        }
    }

    /// The normal impulse in all, if it presses.
    pub(crate) fn presses(&self) -> Option<f64> {
        let normal = self.impulse + self.tied.normal;
        (normal > 0.0).then_some(normal)
    }
}

/// The normal velocity that a contact asks for which overlaps by so much, or
/// is so far from it if negative.
pub(crate) fn target(overlap: f64, restore: f64, h: f64) -> f64 {
    if overlap > 0.0 {
        restore * overlap / h
    } else {
        overlap / h
    }
}

/// An edge that would be stretched beyond its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) ends: [u32; 2],
    /// From the first end to the second, a unit vector.
    direction: DVec3,
    /// The fastest that the ends may part.
    fastest: f64,
    inverse_mass: [f64; 2],
    impulse: f64,
}

impl Limit {
    /// The limit of the edge between two vertices that must not be longer
    /// than `longest` at the end of the step, if it is in danger. Of what it
    /// is too long already, the share `restore` is taken back.
    pub(crate) fn new(
        motion: &ResponseMotion,
        ends: [u32; 2],
        longest: f64,
        restore: f64,
    ) -> Option<Self> {
        let [a, b] = ends.map(|p| p as usize);
        if motion.end[a].distance_squared(motion.end[b]) <= longest * longest {
            return None;
        }
        let inverse_mass = [motion.inverse_mass[a], motion.inverse_mass[b]];
        let edge = motion.start[b] - motion.start[a];
        let length = edge.length();
        if inverse_mass[0] + inverse_mass[1] == 0.0 || length == 0.0 {
            return None;
        }
        let room = longest - length;
        let fastest = if room < 0.0 { restore * room } else { room } / motion.h;
        Some(Self {
            ends,
            direction: edge / length,
            fastest,
            inverse_mass,
            impulse: 0.0,
        })
    }

    /// Pulls the ends together if they part too fast.
    #[inline]
    fn correct(&mut self, motion: &mut ResponseMotion) -> f64 {
        let [a, b] = self.ends.map(|p| p as usize);
        let apart = self.direction.dot(motion.velocity[b] - motion.velocity[a]);
        let mass = self.inverse_mass[0] + self.inverse_mass[1];
        let given = (self.impulse + (apart - self.fastest) / mass).max(0.0);
        let change = given - self.impulse;
        self.impulse = given;
        motion.velocity[a] += change * self.inverse_mass[0] * self.direction;
        motion.velocity[b] -= change * self.inverse_mass[1] * self.direction;
        change.abs() * mass
    }
}

/// Goes through all contacts up to `sweeps` times; sooner if nothing changes
/// by more than `tolerance`, a velocity.
pub(crate) fn resolve(
    motion: &mut ResponseMotion,
    contacts: &mut [Contact],
    limits: &mut [Limit],
    sweeps: usize,
    tolerance: f64,
) {
    let mut rows: Vec<Row> = (0u32..).zip(&*contacts).map(Row::new).collect();
    for sweep in 0..sweeps {
        let mut largest: f64 = 0.0;
        // There and back, so that impulses travel both ways through a pile.
        if sweep % 2 == 0 {
            for l in limits.iter_mut() {
                largest = largest.max(l.correct(motion));
            }
            for c in rows.iter_mut() {
                largest = largest.max(c.correct(motion, contacts));
            }
        } else {
            for c in rows.iter_mut().rev() {
                largest = largest.max(c.correct(motion, contacts));
            }
            for l in limits.iter_mut().rev() {
                largest = largest.max(l.correct(motion));
            }
        }

        if largest <= tolerance {
            break;
        }
    }
    for (c, row) in contacts.iter_mut().zip(&rows) {
        c.constraint.touch(motion);
        if row.count > 0 {
            (c.impulse, c.friction) = (row.impulse, row.given);
        }
    }
    for l in limits.iter() {
        for p in l.ends {
            motion.touch(p);
        }
    }
}

/// What sweeps need of a contact without a body, close together: sweeps are
/// limited by how much memory they walk through.
#[derive(Clone, Copy, Debug)]
struct Row {
    points: [u32; 4],
    weights: [f64; 4],
    responses: [f64; 4],
    normal: DVec3,
    drift: DVec3,
    target: f64,
    inverse_mass: f64,
    impulse: f64,
    /// Coulomb's coefficient, the room for friction, and the friction given.
    friction: f64,
    room: f64,
    given: DVec3,
    contact: u32,
    /// How many points there are; none if there is a body in it.
    count: u8,
}

impl Row {
    fn new((number, contact): (u32, &Contact)) -> Self {
        let c = &contact.constraint;
        let share = |k: usize| c.shares[k];
        Self {
            points: std::array::from_fn(|k| share(k).point),
            weights: std::array::from_fn(|k| share(k).weight),
            responses: std::array::from_fn(|k| share(k).response),
            normal: c.normal,
            drift: c.drift,
            target: contact.target,
            inverse_mass: c.inverse_mass,
            impulse: contact.impulse,
            friction: c.friction,
            room: contact.room,
            given: contact.friction,
            contact: number,
            count: if c.body == NO_BODY { c.count } else { 0 },
        }
    }

    /// Corrects the contact and says by how much its velocity changed.
    #[inline]
    fn correct(&mut self, motion: &mut ResponseMotion, contacts: &mut [Contact]) -> f64 {
        match self.count {
            4 => self.correct_points::<4>(&mut motion.velocity),
            3 => self.correct_points::<3>(&mut motion.velocity),
            2 => self.correct_points::<2>(&mut motion.velocity),
            1 => self.correct_points::<1>(&mut motion.velocity),
            _ => correct(motion, &mut contacts[self.contact as usize]),
        }
    }

    #[inline(always)]
    fn correct_points<const N: usize>(&mut self, velocity: &mut [DVec3]) -> f64 {
        let mut u = self.drift;
        for k in 0..N {
            u += self.weights[k] * velocity[self.points[k] as usize];
        }
        let normal = self.normal.dot(u);
        let given = (self.impulse + (self.target - normal) / self.inverse_mass).max(0.0);
        let mut change = (given - self.impulse) * self.normal;
        self.impulse = given;
        if self.friction > 0.0 {
            let slide = u - normal * self.normal;
            let most = self.friction * given + self.room;
            let friction = rubbed(self.given - slide / self.inverse_mass, self.normal, most);
            change += friction - self.given;
            self.given = friction;
        } else if change == DVec3::ZERO {
            return 0.0;
        }
        for k in 0..N {
            velocity[self.points[k] as usize] += self.responses[k] * change;
        }
        change.length() * self.inverse_mass
    }
}

/// The friction that is wanted, across the normal and within Coulomb's cone.
#[inline(always)]
fn rubbed(wanted: DVec3, normal: DVec3, most: f64) -> DVec3 {
    let wanted = wanted - wanted.dot(normal) * normal;
    let size = wanted.length();
    match size > most {
        true => wanted * (most / size),
        false => wanted,
    }
}

/// Corrects one contact and says by how much its velocity changed.
#[inline]
fn correct(motion: &mut ResponseMotion, contact: &mut Contact) -> f64 {
    let c = &contact.constraint;
    let u = c.relative_velocity(motion);
    let normal = c.normal.dot(u);
    let given = (contact.impulse + (contact.target - normal) / c.inverse_mass).max(0.0);
    let mut change = (given - contact.impulse) * c.normal;
    contact.impulse = given;
    if c.friction > 0.0 {
        let slide = u - normal * c.normal;
        // The mass that friction feels: exact for free vertices, for a body
        // along the direction of sliding.
        let mass = if c.body == NO_BODY {
            c.inverse_mass
        } else {
            let t = slide.normalize_or_zero();
            t.dot(c.velocity_change(motion, t))
                .max(1e-12 * c.inverse_mass)
        };
        let most = c.friction * given + contact.room;
        let friction = rubbed(contact.friction - slide / mass, c.normal, most);
        change += friction - contact.friction;
        contact.friction = friction;
    }
    c.apply(motion, change);
    change.length() * c.inverse_mass
}
