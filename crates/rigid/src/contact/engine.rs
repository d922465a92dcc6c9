//! One step of contacts: which colliders are near each other, where they touch, and
//! what that does to the motion.
//!
//! Bodies that nothing touches keep the free motion that the integrator found, to the
//! last bit. The others make the step again from its start, in the substeps of
//! [`super::solver`], with the mean force and torque of the free motion.

use super::awake::keep_threads_awake;
use super::broad::{BroadInput, BroadPhase};
use super::collider::{Collider, Groups};
use super::hook::{ContactHook, PairMaterial};
use super::narrow::NarrowPhase;
use super::record::{BodyContact, EngineContact, Overlap, StoredContact};
use super::scripted::ScriptedMotion;
use super::sleep::{Islands, SleepSettings, SleepState};
use super::solver::{ContactSolver, SolverSettings};
use super::transfer::Numbers;
use crate::bodies::Bodies;
use crate::joint::Joint;
use crate::state::State;
use conatus_geometry::convex::manifold::MAX_POINTS;
use conatus_math::DVec3;

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
    /// Called with the contacts of a step before they are solved.
    pub hook: ContactHook,
    /// What contacts are made of, where the hook was called.
    pub(super) pair_materials: Vec<PairMaterial>,
    /// Which bodies sleep.
    pub(super) sleep: SleepState,
    /// The contacts of sleeping bodies.
    pub(super) sleeping_contacts: Vec<EngineContact>,
    pub(super) islands: Islands,
    broad: BroadPhase,
    narrow: NarrowPhase,
    old_contacts: Vec<EngineContact>,
    pub(super) solver: ContactSolver,
    pub(super) numbers: Numbers,
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

    /// Fixes a collider to a body or to the world. A compound becomes one for each part.
    pub fn add(&mut self, collider: Collider) {
        self.colliders.extend(collider.into_parts());
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

    /// How many points [`Self::body_contacts`] has, and how deep the deepest of them is, in
    /// metres.
    pub fn count_and_depth(&self) -> (usize, f64) {
        let (mut count, mut depth) = (0, 0.0f64);
        for contact in &self.contacts {
            for p in contact.manifold.points() {
                if contact.acted || p.separation <= 0.0 {
                    count += 1;
                    depth = depth.max(-p.separation);
                }
            }
        }
        (count, depth)
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
        keep_threads_awake();
        self.find_contacts(bodies, before, h);
        while self.wake_touched(bodies, before, h) {
            self.find_contacts(bodies, before, h);
        }
        self.call_hook(bodies, before);
        keep_threads_awake();
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
        std::mem::swap(&mut self.contacts, &mut self.old_contacts);
        let (old, out) = (&self.old_contacts, &mut self.contacts);
        self.narrow.find(&self.colliders, &self.broad, old, out);
    }
}
