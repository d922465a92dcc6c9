//! One step of contacts: which colliders are near each other, where they touch, and
//! what that does to the motion.
//!
//! Bodies that nothing touches keep the free motion that the integrator found, to the
//! last bit. The others make the step again from its start, in the substeps of
//! [`super::solver`], with the mean force and torque of the free motion.

use super::broad::{BroadInput, BroadPhase, on_mover};
use super::collider::{Collider, Groups, combined};
use super::narrow::{self, touching};
use super::record::{BodyContact, EngineContact, Overlap, StoredContact};
use super::scripted::{ScriptedMotion, script};
use super::sleep::{Islands, SleepSettings, SleepState};
use super::solver::block::{ConstraintPoint, ContactConstraint};
use super::solver::bodies::BodyConstants;
use super::solver::impact::Bounce;
use super::solver::{ContactSolver, SolverSettings};
use crate::bodies::{Activity, Bodies};
use crate::joint::Joint;
use crate::joint::solve::PreparedJoint;
use crate::state::State;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::{DMat3, DVec3, Pose};

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
    /// The scripted motions that colliders follow, for the next step.
    pub scripted: Vec<ScriptedMotion>,
    /// The contacts of the last step, in order of their colliders.
    pub contacts: Vec<EngineContact>,
    /// Gravity, for bodies that wake within a step.
    pub gravity: DVec3,
    /// When bodies fall asleep.
    pub sleep_settings: SleepSettings,
    /// Which bodies sleep.
    pub(super) sleep: SleepState,
    /// The contacts of sleeping bodies.
    pub(super) sleeping_contacts: Vec<EngineContact>,
    pub(super) islands: Islands,
    broad: BroadPhase,
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
        probe.find_contacts(bodies, &states, 0.0);
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
        let all = self.contacts.iter().chain(&self.sleeping_contacts);
        all.map(EngineContact::stored).collect()
    }

    /// Which bodies sleep.
    pub fn sleep_state(&self) -> &SleepState {
        &self.sleep
    }

    /// Takes over what was stored; false if it is of other colliders or bodies.
    pub fn restore(
        &mut self,
        stored: &[StoredContact],
        sleep: &SleepState,
        bodies: &Bodies,
    ) -> bool {
        let colliders = self.colliders.len();
        let known = |s: &StoredContact| {
            let fits = s.colliders.iter().all(|&k| (k as usize) < colliders);
            fits && s.count as usize <= MAX_POINTS
        };
        let sizes = [sleep.slow_seconds.len(), sleep.islands.len()];
        let fits = sizes == [bodies.len(); 2] || sizes == [0; 2] && sleep.count == 0;
        if !fits || !stored.iter().all(known) {
            return false;
        }
        self.sleep = sleep.clone();
        self.contacts = stored.iter().map(EngineContact::restored).collect();
        self.contacts.sort_by_key(EngineContact::key);
        self.sleeping_contacts.clear();
        self.store_sleeping_contacts(bodies);
        true
    }

    /// Makes the contacts of a step. `before` has the states of all movers at its
    /// start but those of sleeping ones, and `bodies` their free motion over it.
    pub fn step(&mut self, bodies: &mut Bodies, before: &mut [State], h: f64) {
        self.find_contacts(bodies, before, h);
        while self.wake_touched(bodies, before, h) {
            self.find_contacts(bodies, before, h);
        }
        self.solve(bodies, before, h);
    }

    fn find_contacts(&mut self, bodies: &Bodies, before: &[State], h: f64) {
        self.broad.find(&BroadInput {
            colliders: &self.colliders,
            scripted: &self.scripted,
            joints: &self.joints,
            excluded: &self.excluded,
            between_bodies: self.between_bodies,
            bodies,
            before,
            h,
        });
        self.contacts = narrow::contacts(&self.colliders, &self.broad, &self.contacts);
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
