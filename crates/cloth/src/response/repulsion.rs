//! Stage 1, Algorithm 1, lines 1-2: what is near at the start of the step is
//! kept apart by impulses that push but never pull, with friction.
//!
//! All contacts are gone through again and again (Gauss-Seidel); each corrects
//! what is left of its own violation and remembers the sum it has given, so
//! that a later sweep can take back what an earlier one gave too much. A
//! contact that carried a force in the step before starts with that force,
//! which the elastic solve has already been told of: cloth that rests finds
//! itself in balance, and nothing is left to correct.

use super::constraint::Constraint;
use super::motion::{Motion, NO_BODY};
use crate::collide::narrow::{Near, Place};
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
    pub(crate) memory: Place,
}

impl Contact {
    /// The contact of two primitives that are near. Of what the two overlap,
    /// the share `restore` is taken away within the step; what is not yet
    /// near may approach until it is.
    pub(crate) fn new(motion: &Motion, near: &Near, friction: f64, restore: f64) -> Self {
        let constraint =
            Constraint::new(motion, near.stencil, &near.weights, near.normal, friction);
        let overlap = near.thickness - near.distance;
        let target = if overlap > 0.0 {
            restore * overlap / motion.h
        } else {
            overlap / motion.h
        };
        Self {
            constraint,
            target,
            impulse: near.force * motion.h,
            friction: near.friction_force * motion.h,
            memory: near.memory,
        }
    }
}

/// Goes through all contacts up to `sweeps` times; sooner if nothing changes
/// by more than `tolerance`, a velocity.
pub(crate) fn resolve(
    motion: &mut Motion,
    contacts: &mut [Contact],
    sweeps: usize,
    tolerance: f64,
) {
    for sweep in 0..sweeps {
        let mut largest: f64 = 0.0;
        // There and back, so that impulses travel both ways through a pile.
        if sweep % 2 == 0 {
            for c in contacts.iter_mut() {
                largest = largest.max(correct(motion, c));
            }
        } else {
            for c in contacts.iter_mut().rev() {
                largest = largest.max(correct(motion, c));
            }
        }
        if largest <= tolerance {
            break;
        }
    }
    for c in contacts.iter() {
        c.constraint.touch(motion);
    }
}

/// Corrects one contact and says by how much its velocity changed.
#[inline]
fn correct(motion: &mut Motion, contact: &mut Contact) -> f64 {
    let c = &contact.constraint;
    let u = c.relative_velocity(motion);
    let normal = c.normal.dot(u);
    let given = (contact.impulse + (contact.target - normal) / c.inverse_mass).max(0.0);
    let mut change = (given - contact.impulse) * c.normal;
    contact.impulse = given;
    if c.friction > 0.0 || contact.friction != DVec3::ZERO {
        let slide = u - normal * c.normal;
        // The mass that friction feels: exact for free vertices, for a body
        // along the direction of sliding.
        let mass = if c.body == NO_BODY {
            c.inverse_mass
        } else {
            let t = slide.normalize_or_zero();
            t.dot(c.velocity_change(motion, t)).max(1e-12 * c.inverse_mass)
        };
        let wanted = contact.friction - slide / mass;
        let wanted = wanted - wanted.dot(c.normal) * c.normal;
        // Coulomb's cone.
        let most = c.friction * given;
        let size = wanted.length();
        let friction = if size > most { wanted * (most / size) } else { wanted };
        change += friction - contact.friction;
        contact.friction = friction;
    }
    c.apply(motion, change);
    change.length() * c.inverse_mass
}
