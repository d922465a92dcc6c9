//! From the contacts of a step to the solver, and back.

use super::broad::on_mover;
use super::collider::{Collider, ContactMaterial, combined};
use super::engine::ContactEngine;
use super::narrow::{gap, touching};
use super::record::EngineContact;
use super::scripted::script;
use super::solver::bodies::{BodyConstants, SolverBody};
use super::solver::constraint::{ConstraintPoint, ContactConstraint};
use super::solver::impact::{Bounce, NarrowPhase};
use crate::bodies::{Activity, Bodies};
use crate::joint::Joint;
use crate::joint::solve::JointLink;
use crate::state::State;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::{DMat3, DVec3, Pose};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Contacts and bodies that are worth a task.
const MIN_PARALLEL: usize = 128;

/// There are few contacts if there are this many times as many colliders.
const FEW_CONTACTS: usize = 8;

/// The solver's numbers of bodies, and what it has to know of colliders.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Of each mover; 0 if it does not take part.
    of_movers: Vec<u32>,
    /// Of each scripted motion.
    of_scripts: Vec<u32>,
    /// The movers that take part, in order.
    movers: Vec<usize>,
    colliders: Vec<ColliderFacts>,
    /// Whether each mover, then each scripted motion, takes part.
    takes_part: Vec<AtomicBool>,
    /// Which of the solver's bodies something acted on, and their states then.
    touched: Vec<AtomicBool>,
    results: Vec<Option<State>>,
}

/// Makes a list of flags that are not set.
fn flags(all: &mut Vec<AtomicBool>, count: usize) -> &[AtomicBool] {
    all.iter_mut().for_each(|flag| *flag.get_mut() = false);
    all.resize_with(count, AtomicBool::default);
    all
}

/// Sets a flag; threads may set the same one.
#[inline]
fn set_flag(flag: &AtomicBool) {
    // Reading first leaves the cache line shared.
    if !is_flagged(flag) {
        flag.store(true, Ordering::Relaxed);
    }
}

#[inline]
fn is_flagged(flag: &AtomicBool) -> bool {
    flag.load(Ordering::Relaxed)
}

/// What contacts have to know of a collider.
#[derive(Clone, Copy, Debug)]
struct ColliderFacts {
    /// The free mover that it is on, or `u32::MAX`.
    mover: u32,
    /// The scripted motion that moves it, or `u32::MAX`.
    script: u32,
    is_on_body: bool,
    material: ContactMaterial,
}

impl ColliderFacts {
    /// Of a collider that nothing moves.
    const NONE: Self = Self {
        mover: u32::MAX,
        script: u32::MAX,
        is_on_body: false,
        material: ContactMaterial {
            restitution: None,
            friction: None,
            rolling: 0.0,
        },
    };
}

impl ContactEngine {
    pub(super) fn solve(&mut self, bodies: &mut Bodies, before: &[State], h: f64) {
        self.solver.clear();
        self.number_bodies(bodies, before, h);
        self.add_contacts();
        self.apply_hook();
        self.add_joints(bodies, before);
        if self.solver.contacts.is_empty() && self.solver.joints.is_empty() {
            return;
        }
        let (colliders, contacts) = (&self.colliders, &self.contacts);
        let scripted = &self.scripted;
        let placed = |k: u32, pose_a: &Pose, pose_b: &Pose| {
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
            (a, at(a, pose_a), b, at(b, pose_b), contact)
        };
        let narrow = NarrowPhase {
            touching: &|k, pose_a, pose_b| {
                let (a, pa, b, pb, contact) = placed(k, pose_a, pose_b);
                touching(a, &pa, b, &pb, contact)
            },
            gap: &|k, pose_a, pose_b| {
                let (a, pa, b, pb, _) = placed(k, pose_a, pose_b);
                gap(a, &pa, b, &pb)
            },
        };
        let joints = &mut self.joints;
        self.solver
            .step(&self.settings, bodies.width, &narrow, joints, h);
        self.take_results(bodies, h);
    }

    /// Gives numbers to all bodies that contacts or joints may push, in their order.
    fn number_bodies(&mut self, bodies: &Bodies, before: &[State], h: f64) {
        let scripted = &self.scripted;
        let numbers = &mut self.numbers;
        let free = |body: usize| {
            let m = bodies.mount(body).mover;
            (bodies.activity(m) == Activity::Free).then_some(m)
        };
        let facts = |c: &Collider| ColliderFacts {
            mover: c.body.and_then(free).map_or(u32::MAX, |m| m as u32),
            script: match script(scripted, c) {
                Some(motion) if motion.moves() && c.body.is_none() => c.script.unwrap_or(u32::MAX),
                _ => u32::MAX,
            },
            is_on_body: c.body.is_some(),
            material: c.material,
        };
        if self.contacts.len() * FEW_CONTACTS < self.colliders.len() {
            // Most colliders are at rest; only those with contacts are read.
            let count = self.colliders.len();
            numbers.colliders.resize(count, ColliderFacts::NONE);
            for k in self.contacts.iter().flat_map(|contact| contact.colliders) {
                numbers.colliders[k as usize] = facts(&self.colliders[k as usize]);
            }
        } else {
            let all = self.colliders.par_iter().map(facts);
            all.with_min_len(MIN_PARALLEL)
                .collect_into_vec(&mut numbers.colliders);
        }

        numbers.of_movers.clear();
        numbers.of_movers.resize(bodies.len(), 0);
        numbers.of_scripts.clear();
        numbers.of_scripts.resize(scripted.len(), 0);
        let takes_part = flags(&mut numbers.takes_part, bodies.len() + scripted.len());
        let contacts = self.contacts.par_iter().with_min_len(MIN_PARALLEL);
        contacts.for_each(|contact| {
            for k in contact.colliders {
                let c = &numbers.colliders[k as usize];
                if c.mover != u32::MAX {
                    set_flag(&takes_part[c.mover as usize]);
                } else if c.script != u32::MAX {
                    set_flag(&takes_part[bodies.len() + c.script as usize]);
                }
            }
        });
        let joints = self.joints.par_iter().with_min_len(MIN_PARALLEL);
        joints.filter(|joint| !joint.broken).for_each(|joint| {
            for m in joint.bodies.into_iter().flatten().filter_map(free) {
                set_flag(&takes_part[m]);
            }
        });
        let solver = &mut self.solver;
        numbers.movers.clear();
        let flagged = numbers.takes_part.iter().map(is_flagged);
        for ((m, number), takes_part) in numbers.of_movers.iter_mut().enumerate().zip(flagged) {
            if takes_part {
                numbers.movers.push(m);
                *number = numbers.movers.len() as u32;
            }
        }
        let movers = numbers.movers.par_iter().with_min_len(MIN_PARALLEL);
        solver.constants.par_extend(
            movers
                .clone()
                .map(|&m| body_constants(bodies, m, &before[m], h)),
        );
        solver.bodies.par_extend(movers.map(|&m| {
            let body = SolverBody::default();
            body.set_velocity(before[m].velocity);
            body.set_omega(before[m].omega());
            body
        }));
        let flagged = numbers.takes_part[bodies.len()..].iter().map(is_flagged);
        for ((motion, number), takes_part) in
            scripted.iter().zip(&mut numbers.of_scripts).zip(flagged)
        {
            if takes_part {
                let constants = BodyConstants {
                    position: motion.pose.translation,
                    orientation: motion.pose.rotation,
                    ..BodyConstants::FIXED
                };
                *number = solver.add_body(constants, motion.velocity, motion.omega);
            }
        }
    }

    fn add_contacts(&mut self) {
        let numbers = &self.numbers;
        let number = |c: &ColliderFacts| match (c.mover, c.script) {
            (u32::MAX, u32::MAX) => 0,
            (u32::MAX, script) => numbers.of_scripts[script as usize],
            (mover, _) => numbers.of_movers[mover as usize],
        };
        let solver = &mut self.solver;
        let pressed = flags(&mut solver.pressed, solver.bodies.len());
        let constraint = |contact: &EngineContact| {
            let [a, b] = contact.colliders.map(|k| &numbers.colliders[k as usize]);
            let bodies = [number(a), number(b)];
            if contact.impulses.iter().any(|impulse| *impulse > 0.0) {
                bodies.iter().for_each(|&k| set_flag(&pressed[k as usize]));
            }
            let (restitution, friction, rolling) =
                combined([&a.material, &b.material], [a.is_on_body, b.is_on_body]);
            let mut points = [ConstraintPoint::default(); MAX_POINTS];
            let found = contact.manifold.points();
            for (k, p) in found.iter().enumerate() {
                points[k] = ConstraintPoint {
                    point: p.point,
                    separation: p.separation,
                    impulse: contact.impulses[k],
                };
            }
            ContactConstraint {
                bodies,
                normal: contact.manifold.normal,
                restitution,
                // The solver sets it.
                impact_speed: 0.0,
                friction,
                rolling,
                points,
                count: found.len(),
                shifts: [DVec3::ZERO; 2],
                friction_impulse: contact.friction_impulse,
                twist_impulse: contact.twist_impulse,
                rolling_impulse: contact.rolling_impulse,
            }
        };
        let all = self.contacts.par_iter().with_min_len(MIN_PARALLEL);
        all.map(constraint).collect_into_vec(&mut solver.contacts);
        solver
            .bounces
            .resize(self.contacts.len(), Bounce::default());
    }

    fn add_joints(&mut self, bodies: &Bodies, before: &[State]) {
        let of_movers = &self.numbers.of_movers;
        let link = |(k, joint): (usize, &Joint)| {
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
                numbers[side] = of_movers[m];
            }
            if joint.broken {
                numbers = [0; 2];
            }
            JointLink::new(k as u32, numbers, frames)
        };
        let all = self.joints.par_iter().enumerate();
        self.solver
            .joints
            .set(all.with_min_len(MIN_PARALLEL).map(link));
    }

    /// Takes over impulses, loads and the motion of bodies that something acted on.
    fn take_results(&mut self, bodies: &mut Bodies, h: f64) {
        let solver = &self.solver;
        for (k, manifold) in &solver.renewed {
            self.contacts[*k as usize].manifold = *manifold;
        }
        let numbers = &mut self.numbers;
        let touched = flags(&mut numbers.touched, solver.bodies.len());
        let rows = self.contacts.par_iter_mut().enumerate();
        rows.with_min_len(MIN_PARALLEL).for_each(|(k, contact)| {
            let (result, bounce) = (solver.result(k), &solver.bounces[k]);
            contact.impulses = result.impulses;
            contact.friction_impulse = result.friction_impulse;
            contact.twist_impulse = result.twist_impulse;
            contact.rolling_impulse = result.rolling_impulse;
            contact.acted = bounce.acted || result.acted;
            contact.normal_impulses = result.normal;
            contact.tangential_impulse = result.friction + bounce.tangential;
            for (own, bounced) in contact.normal_impulses.iter_mut().zip(bounce.normal) {
                *own += bounced;
            }
            if contact.acted {
                let bodies = solver.contacts[k].bodies;
                bodies.iter().for_each(|&n| set_flag(&touched[n as usize]));
            }
        });
        for (k, numbers, load) in solver.joints.carried(h) {
            let joint = &mut self.joints[k];
            joint.load = load;
            let over = |load: DVec3, most: f64| load.length() > most;
            if over(joint.load.force, joint.strength.force)
                || over(joint.load.torque, joint.strength.torque)
            {
                joint.broken = true;
                self.broken_joints.push(k);
            }
            numbers.iter().for_each(|&n| set_flag(&touched[n as usize]));
        }
        let all = solver.bodies.par_iter().zip(&solver.constants).zip(touched);
        let state = |((body, c), touched): ((&SolverBody, &BodyConstants), &AtomicBool)| {
            (is_flagged(touched) && c.inverse_mass > 0.0).then(|| {
                let orientation = (body.turn() * c.orientation).normalize();
                State {
                    position: c.position + body.shift(),
                    velocity: body.velocity(),
                    orientation,
                    omega_body: orientation.conjugate() * body.omega(),
                }
            })
        };
        all.with_min_len(MIN_PARALLEL)
            .map(state)
            .collect_into_vec(&mut numbers.results);
        for (c, state) in solver.constants.iter().zip(&numbers.results) {
            if let Some(state) = state {
                bodies.set_mover_state(c.mover, state);
            }
        }
    }
}

fn body_constants(bodies: &Bodies, m: usize, before: &State, h: f64) -> BodyConstants {
    let c = bodies.constants(m);
    let after = bodies.mover_state(m);
    let r = before.rotation();
    let momentum = after.angular_momentum(c.moments) - before.angular_momentum(c.moments);
    BodyConstants {
        mover: m,
        inverse_mass: 1.0 / c.mass,
        inverse_inertia: r * DMat3::from_diagonal(c.moments.recip()) * r.transpose(),
        moments: c.moments,
        position: before.position,
        orientation: before.orientation.normalize(),
        acceleration: (after.velocity - before.velocity) / h,
        torque: momentum / h,
    }
}
