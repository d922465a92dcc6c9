//! Which bodies begin and stop touching, and what enters and leaves sensors.
//!
//! A pair touches in a step if a contact of it pushed or overlapped. It stops when the two
//! are apart by more than a small gap, so that a body that rests does not touch again and
//! again. A pair of which both sleep or never move stays as it is.
//!
//! Sensors are compared with colliders of bodies at the end of a step. What crosses one
//! within a step, farther than its own size, enters and leaves it in the same step.

use super::collider::Collider;
use super::engine::ContactEngine;
use super::query::{ColliderQueries, QueryTree};
use super::record::EngineContact;
use super::scripted::ScriptedMotion;
use crate::bodies::{Activity, Bodies};
use conatus_math::Pose;

/// Two that touched still touch below this gap, relative to the smaller of them.
const LEAVE_SHARE: f64 = 1e-3;

/// What a collider belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ColliderOwner {
    /// A body.
    Body(usize),
    /// Nothing: a collider that is fixed in the world or follows a script.
    Fixed(u32),
}

/// What happened to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TouchKind {
    /// They touch, and did not in the step before.
    ContactBegin,
    /// They touched in the step before.
    ContactEnd,
    /// The second overlaps the first, which is a sensor, and did not before.
    SensorEnter,
    /// It overlaps the sensor no more.
    SensorLeave,
}

/// Something that happened to a pair in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchEvent {
    /// What.
    pub kind: TouchKind,
    /// The two; a sensor comes first.
    pub pair: [ColliderOwner; 2],
}

/// Two that touch, or a sensor and what is in it.
pub type OwnerPair = [ColliderOwner; 2];

/// Finds out what begins and ends in each step.
#[derive(Clone, Debug, Default)]
pub struct TouchTracker {
    /// Whether contacts are compared, and not sensors alone.
    pub contacts: bool,
    /// The events of the last step: contacts, then sensors, each in order of the pairs.
    pub events: Vec<TouchEvent>,
    touching: Vec<OwnerPair>,
    inside: Vec<OwnerPair>,
    sensors: Vec<u32>,
    colliders: usize,
    tree: QueryTree,
    /// Where the colliders were at the end of the step before.
    before: Vec<Pose>,
}

/// What a tracker passes to the next step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredTouches {
    /// The pairs that touch, in order.
    pub touching: Vec<OwnerPair>,
    /// Sensors and what is in them, in order.
    pub inside: Vec<OwnerPair>,
}

fn owner(k: u32, c: &Collider) -> ColliderOwner {
    c.body.map_or(ColliderOwner::Fixed(k), ColliderOwner::Body)
}

/// The events that lead from one list of pairs to another, both in order.
fn compare(
    old: &[OwnerPair],
    new: &[OwnerPair],
    [begin, end]: [TouchKind; 2],
    events: &mut Vec<TouchEvent>,
) {
    let mut all: Vec<&OwnerPair> = old.iter().chain(new).collect();
    all.sort_unstable();
    all.dedup();
    for pair in all {
        let [was, is] = [old, new].map(|list| list.binary_search(pair).is_ok());
        if was != is {
            let kind = if is { begin } else { end };
            events.push(TouchEvent { kind, pair: *pair });
        }
    }
}

impl TouchTracker {
    /// What it passes to the next step.
    pub fn stored(&self) -> StoredTouches {
        StoredTouches {
            touching: self.touching.clone(),
            inside: self.inside.clone(),
        }
    }

    /// Takes over what was stored, at the poses of that time.
    pub fn restore(
        &mut self,
        stored: StoredTouches,
        engine: &ContactEngine,
        bodies: &Bodies,
        scripted: &[ScriptedMotion],
    ) {
        self.touching = stored.touching;
        self.inside = stored.inside;
        self.find_sensors(engine);
        self.tree.update(engine, bodies, scripted);
    }

    /// Whether it has to know where colliders are before the next step.
    pub fn needs_start(&mut self, engine: &ContactEngine) -> bool {
        self.find_sensors(engine);
        !self.sensors.is_empty() && self.tree.is_empty()
    }

    /// Takes over where colliders are before the first step.
    pub fn start(&mut self, engine: &ContactEngine, bodies: &Bodies, scripted: &[ScriptedMotion]) {
        self.tree.update(engine, bodies, scripted);
    }

    /// Whether there is anything to compare.
    pub fn is_active(&mut self, engine: &ContactEngine) -> bool {
        self.find_sensors(engine);
        self.contacts || !self.sensors.is_empty() || !self.inside.is_empty()
    }

    /// Compares the end of a step with that of the step before. `scripted` are the motions
    /// that begin now.
    pub fn update(&mut self, engine: &ContactEngine, bodies: &Bodies, scripted: &[ScriptedMotion]) {
        self.events.clear();
        if self.contacts {
            self.compare_contacts(engine, bodies);
        }
        if !self.sensors.is_empty() || !self.inside.is_empty() {
            self.compare_sensors(engine, bodies, scripted);
        }
    }

    fn find_sensors(&mut self, engine: &ContactEngine) {
        if self.colliders != engine.colliders.len() {
            self.colliders = engine.colliders.len();
            let sensors = (0u32..).zip(&engine.colliders).filter(|(_, c)| c.sensor);
            self.sensors = sensors.map(|(k, _)| k).collect();
        }
    }

    fn compare_contacts(&mut self, engine: &ContactEngine, bodies: &Bodies) {
        let old = std::mem::take(&mut self.touching);
        let mut new: Vec<OwnerPair> = Vec::new();
        for contact in &engine.contacts {
            let colliders = contact.colliders.map(|k| &engine.colliders[k as usize]);
            // Bodies that were removed are in no group.
            if colliders.iter().any(|c| c.groups.member == 0) {
                continue;
            }
            let mut pair = [0, 1].map(|s| owner(contact.colliders[s], colliders[s]));
            pair.sort_unstable();
            let known = || old.binary_search(&pair).is_ok();
            if touches(contact) || known() && is_close(contact, colliders) {
                new.push(pair);
            }
        }
        let activity = |owner: &ColliderOwner| match owner {
            ColliderOwner::Body(body) => Some(bodies.activity(bodies.mount(*body).mover)),
            ColliderOwner::Fixed(_) => None,
        };
        let stays = |pair: &&OwnerPair| {
            let pair = pair.each_ref().map(activity);
            let sleeps = pair.contains(&Some(Activity::Asleep));
            let changes = [Activity::Free, Activity::Removed].map(Some);
            sleeps && !pair.iter().any(|a| changes.contains(a))
        };
        new.extend(old.iter().filter(stays));
        new.sort_unstable();
        new.dedup();
        let kinds = [TouchKind::ContactBegin, TouchKind::ContactEnd];
        compare(&old, &new, kinds, &mut self.events);
        self.touching = new;
    }

    fn compare_sensors(
        &mut self,
        engine: &ContactEngine,
        bodies: &Bodies,
        scripted: &[ScriptedMotion],
    ) {
        self.before.clear();
        let count = engine.colliders.len();
        let known = (0..count as u32).map_while(|k| self.tree.known_pose(k));
        self.before.extend(known);
        self.tree.update(engine, bodies, scripted);
        let queries = ColliderQueries::new(&engine.colliders, &self.tree);
        let (mut inside, mut crossed) = (Vec::new(), Vec::new());
        let fast = self.fast_colliders(engine);
        for &k in &self.sensors {
            let sensor = &engine.colliders[k as usize];
            let sees = |j: u32, c: &Collider| {
                let moves = sensor.body.is_some() || c.body.is_some();
                let other = j != k && (c.body.is_none() || c.body != sensor.body);
                other && moves && !c.sensor && c.groups.meet(&sensor.groups)
            };
            let pair = |j: u32| {
                let other = owner(j, &engine.colliders[j as usize]);
                [owner(k, sensor), other]
            };
            inside.extend(queries.overlapping_collider(k, &sees).into_iter().map(pair));
            let passing = fast
                .iter()
                .filter(|&&j| sees(j, &engine.colliders[j as usize]));
            crossed.extend(
                passing
                    .filter(|&&j| self.crosses(engine, j, k))
                    .map(|&j| pair(j)),
            );
        }
        for list in [&mut inside, &mut crossed] {
            list.sort_unstable();
            list.dedup();
        }
        let old = std::mem::replace(&mut self.inside, inside);
        let kinds = [TouchKind::SensorEnter, TouchKind::SensorLeave];
        let known = |pair: &OwnerPair| {
            let lists = [&old, &self.inside];
            lists.iter().any(|list| list.binary_search(pair).is_ok())
        };
        for pair in crossed.into_iter().filter(|pair| !known(pair)) {
            let passes = kinds.map(|kind| TouchEvent { kind, pair });
            self.events.extend(passes);
        }
        compare(&old, &self.inside, kinds, &mut self.events);
    }

    /// The colliders on bodies that moved farther than their own size.
    fn fast_colliders(&self, engine: &ContactEngine) -> Vec<u32> {
        let known = (0u32..).zip(&engine.colliders).zip(&self.before);
        let fast = known.filter(|((k, c), before)| {
            let moved = self.tree.pose(*k).translation.distance(before.translation);
            c.body.is_some() && !c.sensor && moved > c.bounding_radius()
        });
        fast.map(|((k, _), _)| k).collect()
    }

    /// Whether a collider went through a sensor on the straight line of its step.
    fn crosses(&self, engine: &ContactEngine, k: u32, sensor: u32) -> bool {
        let [from, to] = [&self.before[k as usize], self.tree.pose(k)];
        let way = to.translation - from.translation;
        let place = self.tree.pose(sensor);
        let [c, sensor] = [k, sensor].map(|k| engine.colliders[k as usize].shape());
        let Some(direction) = way.try_normalize() else {
            return false;
        };
        let hit = sensor.shape_cast(place, c, from, direction, way.length());
        hit.is_some_and(|hit| hit.distance <= way.length())
    }
}

/// Whether a contact pushed something, or overlaps.
fn touches(contact: &EngineContact) -> bool {
    let points = contact.manifold.points();
    contact.acted || points.iter().any(|p| p.separation <= 0.0)
}

fn is_close(contact: &EngineContact, [a, b]: [&Collider; 2]) -> bool {
    let most = LEAVE_SHARE * a.bounding_radius().min(b.bounding_radius());
    let points = contact.manifold.points();
    points.iter().any(|p| p.separation <= most)
}
