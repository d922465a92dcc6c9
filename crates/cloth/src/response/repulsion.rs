//! Stage 1, Algorithm 1, lines 1-2: primitives that would be close at the end
//! of the step are kept apart by nonnegative impulses, with friction.
//!
//! Sequential impulses (Gauss-Seidel): each contact corrects its remaining
//! violation and accumulates its impulse, so that a later sweep can reduce what
//! an earlier one applied.
//!
//! Contacts with a normal force in the previous step were already part of the
//! elastic solve, as implicit contacts. Their impulses count for the limit of
//! friction but are never reduced here: the solve applied them to the cloth
//! with its stiffness, an impulse here acts on single vertices.

use super::constraint::Constraint;
use super::motion::{NO_BODY, ResponseMotion};
use crate::collide::narrow::Near;
use conatus_math::DVec3;

/// A contact of this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    pub(crate) constraint: Constraint,
    /// The minimum normal velocity after the response.
    target: f64,
    /// The accumulated normal impulse.
    pub(crate) impulse: f64,
    /// The accumulated friction impulse.
    pub(crate) friction: DVec3,
    /// The impulses of its implicit contacts in the elastic solve.
    pub(crate) implicit: ImplicitImpulse,
    /// The friction still available for the normal impulse of its implicit
    /// contacts, beyond the friction they already applied.
    pub(crate) room: f64,
}

/// The impulses of an implicit contact in the elastic solve: the normal
/// impulse, the magnitude of friction, and the resulting sliding speed in m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ImplicitImpulse {
    pub(crate) normal: f64,
    pub(crate) friction: f64,
    pub(crate) slide: Option<f64>,
}

impl Contact {
    /// The contact of two primitives that are close. The fraction `restore` of
    /// their overlap is removed within the step; a gap may close.
    pub(crate) fn new(
        motion: &ResponseMotion,
        near: &Near,
        friction: f64,
        restore: f64,
        implicit: ImplicitImpulse,
    ) -> Self {
        let constraint =
            Constraint::new(motion, near.stencil, &near.weights, near.normal, friction);
        let target = target(near.thickness - near.distance, restore, motion.h);
        Self {
            constraint,
            target,
            impulse: 0.0,
            friction: DVec3::ZERO,
            implicit,
            room: (constraint.friction * implicit.normal.max(0.0) - implicit.friction).max(0.0),
        }
    }

    /// The total normal impulse, if positive.
    pub(crate) fn presses(&self) -> Option<f64> {
        let normal = self.impulse + self.implicit.normal;
        (normal > 0.0).then_some(normal)
    }
}

/// The target normal velocity of a contact with this overlap; a negative
/// overlap is a gap.
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
    /// The largest separation speed of the ends.
    fastest: f64,
    inverse_mass: [f64; 2],
    /// The bodies that the ends are pinned to, or [`NO_BODY`].
    bodies: [u32; 2],
    impulse: f64,
}

impl Limit {
    /// The strain limit of the edge between two vertices that must not be
    /// longer than `longest` at the end of the step; `None` if it would not be.
    /// The fraction `restore` of an existing excess is removed.
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
        let bodies = ends.map(|p| motion.free_body_of(p).unwrap_or(NO_BODY));
        if bodies[0] != NO_BODY && bodies[0] == bodies[1] {
            return None;
        }
        let mut inverse_mass = [motion.inverse_mass[a], motion.inverse_mass[b]];
        let edge = motion.start[b] - motion.start[a];
        let length = edge.length();
        let direction = edge / length;
        for (k, &body) in bodies.iter().enumerate() {
            if let Some(body) = motion.bodies.get(body as usize) {
                let lever = body.arm(ends[k]).cross(direction);
                inverse_mass[k] = body.inverse_mass + lever.dot(body.inverse_inertia * lever);
            }
        }
        if inverse_mass[0] + inverse_mass[1] == 0.0 || length == 0.0 {
            return None;
        }
        let room = longest - length;
        let fastest = if room < 0.0 { restore * room } else { room } / motion.h;
        Some(Self {
            ends,
            direction,
            fastest,
            inverse_mass,
            bodies,
            impulse: 0.0,
        })
    }

    /// Pulls the ends together if they separate too fast.
    #[inline]
    fn correct(&mut self, motion: &mut ResponseMotion) -> f64 {
        let [a, b] = self.ends.map(|p| p as usize);
        let pinned = self.bodies != [NO_BODY; 2];
        let apart = match pinned {
            false => motion.velocity[b] - motion.velocity[a],
            true => motion.point_velocity(self.ends[1]) - motion.point_velocity(self.ends[0]),
        };
        let apart = self.direction.dot(apart);
        let mass = self.inverse_mass[0] + self.inverse_mass[1];
        let given = (self.impulse + (apart - self.fastest) / mass).max(0.0);
        let change = given - self.impulse;
        self.impulse = given;
        if pinned {
            self.pull(0, change * self.direction, motion);
            self.pull(1, -change * self.direction, motion);
            return change.abs() * mass;
        }
        motion.velocity[a] += change * self.inverse_mass[0] * self.direction;
        motion.velocity[b] -= change * self.inverse_mass[1] * self.direction;
        change.abs() * mass
    }

    /// Applies an impulse to an end, or to the body that it is pinned to.
    fn pull(&self, end: usize, impulse: DVec3, motion: &mut ResponseMotion) {
        let p = self.ends[end];
        match motion.bodies.get_mut(self.bodies[end] as usize) {
            Some(body) => {
                body.velocity += body.inverse_mass * impulse;
                body.omega += body.inverse_inertia * body.arm(p).cross(impulse);
            }
            None => motion.velocity[p as usize] += self.inverse_mass[end] * impulse,
        }
    }
}

/// Makes up to `sweeps` sweeps over all contacts; stops when no velocity
/// changes by more than `tolerance`.
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
        // Alternating directions, so that impulses propagate both ways through
        // a pile.
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

/// The data of a contact without a body, packed: sweeps are limited by memory
/// bandwidth.
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
    /// Coulomb's coefficient, the available friction, and the friction applied.
    friction: f64,
    room: f64,
    given: DVec3,
    contact: u32,
    /// Number of points; zero if a body is involved.
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

    /// Corrects the contact and returns the change of its velocity.
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
            let friction =
                limited_friction(self.given - slide / self.inverse_mass, self.normal, most);
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

/// The friction impulse nearest to `wanted`, tangential and within Coulomb's
/// cone.
#[inline(always)]
fn limited_friction(wanted: DVec3, normal: DVec3, most: f64) -> DVec3 {
    let wanted = wanted - wanted.dot(normal) * normal;
    let size = wanted.length();
    match size > most {
        true => wanted * (most / size),
        false => wanted,
    }
}

/// Corrects one contact and returns the change of its velocity.
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
        // The effective mass for friction: exact for free vertices, for a body
        // along the direction of sliding.
        let mass = if c.body == NO_BODY {
            c.inverse_mass
        } else {
            let t = slide.normalize_or_zero();
            t.dot(c.velocity_change(motion, t))
                .max(1e-12 * c.inverse_mass)
        };
        let most = c.friction * given + contact.room;
        let friction = limited_friction(contact.friction - slide / mass, c.normal, most);
        change += friction - contact.friction;
        contact.friction = friction;
    }
    c.apply(motion, change);
    change.length() * c.inverse_mass
}
