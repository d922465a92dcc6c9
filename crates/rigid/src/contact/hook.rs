//! Code that sees contacts before they are solved, and can change or disable them.

use super::collider::{Collider, combined};
use super::engine::ContactEngine;
use super::events::ColliderOwner;
use super::record::EngineContact;
use super::scripted::{ScriptedMotion, script};
use super::solver::bodies::BodyConstants;
use crate::bodies::{Activity, Bodies};
use crate::state::State;
use conatus_math::{DVec3, Pose};
use std::fmt;

/// A contact of two colliders before it is solved. Two bodies have several if one of them is
/// a mesh or has several shapes.
#[derive(Clone, Debug)]
pub struct PendingContact {
    /// The two colliders, in order of their numbers.
    pub colliders: [u32; 2],
    /// What they belong to.
    pub owners: [ColliderOwner; 2],
    /// The unit normal from the first to the second.
    pub normal: DVec3,
    /// Where they are nearest to each other, or deepest in each other.
    pub point: DVec3,
    /// Their distance there in metres; negative if they overlap.
    pub separation: f64,
    /// The velocity of the second relative to the first at that point, at the start of the
    /// step.
    pub relative_velocity: DVec3,
    /// False lets them pass through each other in this step.
    pub enabled: bool,
    /// The coefficient of restitution, from 0 to 1.
    pub restitution: f64,
    /// Coulomb's μ.
    pub friction: f64,
    /// The lever of rolling resistance in metres.
    pub rolling: f64,
    /// The velocity of the surface of what is not a body, in world axes: that of a conveyor
    /// belt. Its part along the normal does not count, and neither does all of it between
    /// two bodies.
    pub surface_velocity: DVec3,
}

/// What is called with every contact of a step, in order of the colliders.
pub type ContactCallback = dyn FnMut(&mut PendingContact) + Send + Sync;

/// A callback for contacts.
#[derive(Default)]
pub struct ContactHook(Option<Box<ContactCallback>>);

impl fmt::Debug for ContactHook {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("ContactHook")
            .field(&self.0.is_some())
            .finish()
    }
}

impl ContactHook {
    /// A hook that calls a closure.
    pub fn new(callback: impl FnMut(&mut PendingContact) + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(callback)))
    }
}

/// What a contact is made of, as the hook leaves it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairMaterial {
    pub restitution: f64,
    pub friction: f64,
    pub rolling: f64,
    /// The velocity of the surface of what is no body.
    pub surface_velocity: DVec3,
}

/// A number that a callback gave, or the one before if it is not finite or negative.
fn checked(given: f64, before: f64) -> f64 {
    match given.is_finite() && given >= 0.0 {
        true => given,
        false => before,
    }
}

impl ContactEngine {
    /// Calls the hook with every contact. Contacts that it disables are dropped.
    pub(super) fn call_hook(&mut self, bodies: &Bodies, before: &[State]) {
        self.pair_materials.clear();
        let Some(mut hook) = self.hook.0.take() else {
            return;
        };
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.retain(|contact| {
            let mut pending = self.pending(contact, bodies, before);
            let old = pending.clone();
            hook(&mut pending);
            if pending.enabled {
                let along = pending.surface_velocity.dot(pending.normal);
                let surface = pending.surface_velocity - old.normal * along;
                self.pair_materials.push(PairMaterial {
                    restitution: checked(pending.restitution, old.restitution).min(1.0),
                    friction: checked(pending.friction, old.friction),
                    rolling: checked(pending.rolling, old.rolling),
                    surface_velocity: match surface.is_finite() {
                        true => surface,
                        false => DVec3::ZERO,
                    },
                });
            }
            pending.enabled
        });
        self.contacts = contacts;
        self.hook.0 = Some(hook);
    }

    /// Puts what the hook said into the solver, whose contacts are in the same order.
    pub(super) fn apply_hook(&mut self) {
        let solver = &mut self.solver;
        for (k, material) in self.pair_materials.iter().enumerate() {
            let contact = &mut solver.contacts[k];
            contact.restitution = material.restitution;
            contact.friction = material.friction;
            contact.rolling = material.rolling;
            if material.surface_velocity == DVec3::ZERO {
                continue;
            }
            for side in 0..2 {
                let c = &self.colliders[self.contacts[k].colliders[side] as usize];
                if c.body.is_some() {
                    continue;
                }
                let at_rest = ScriptedMotion::at_rest(Pose::IDENTITY);
                let motion = script(&self.scripted, c).unwrap_or(&at_rest);
                let constants = BodyConstants {
                    position: motion.pose.translation,
                    orientation: motion.pose.rotation,
                    ..BodyConstants::FIXED
                };
                let velocity = motion.velocity + material.surface_velocity;
                let number = solver.add_body(constants, velocity, motion.omega);
                solver.contacts[k].bodies[side] = number;
            }
        }
    }

    fn pending(
        &self,
        contact: &EngineContact,
        bodies: &Bodies,
        before: &[State],
    ) -> PendingContact {
        let [a, b] = contact.colliders.map(|k| &self.colliders[k as usize]);
        let on_body = [a.body.is_some(), b.body.is_some()];
        let (restitution, friction, rolling) = combined([&a.material, &b.material], on_body);
        let points = contact.manifold.points().iter();
        let deepest = points.min_by(|p, q| p.separation.total_cmp(&q.separation));
        let (point, separation) = deepest.map_or((DVec3::ZERO, 0.0), |p| (p.point, p.separation));
        let velocity = |c: &Collider| match c.body {
            Some(body) => {
                let m = bodies.mount(body).mover;
                let state = &before[m];
                match bodies.activity(m) {
                    Activity::Free => state.velocity + state.omega().cross(point - state.position),
                    _ => DVec3::ZERO,
                }
            }
            None => script(&self.scripted, c).map_or(DVec3::ZERO, |motion| {
                motion.velocity + motion.omega.cross(point - motion.pose.translation)
            }),
        };
        let owner =
            |k: u32, c: &Collider| c.body.map_or(ColliderOwner::Fixed(k), ColliderOwner::Body);
        PendingContact {
            colliders: contact.colliders,
            owners: [
                owner(contact.colliders[0], a),
                owner(contact.colliders[1], b),
            ],
            normal: contact.manifold.normal,
            point,
            separation,
            relative_velocity: velocity(b) - velocity(a),
            enabled: true,
            restitution,
            friction,
            rolling,
            surface_velocity: DVec3::ZERO,
        }
    }
}
