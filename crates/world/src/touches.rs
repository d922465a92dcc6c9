//! Events of contacts and sensors.

use crate::world::World;
use conatus_rigid::contact::ContactHook;
use conatus_rigid::contact::{ColliderOwner, PendingContact, StoredTouches, TouchEvent, TouchKind};
use serde_json::json;

/// The kinds of the events of contacts and sensors in a recording.
pub const TOUCH_EVENTS: [&str; 4] = [
    "contact_begin",
    "contact_end",
    "sensor_enter",
    "sensor_leave",
];

impl World {
    /// Finds out from now on which bodies begin and stop touching. What enters and leaves
    /// sensors is always known.
    pub fn watch_contacts(&mut self) {
        self.touches.contacts = true;
    }

    /// What began and ended to touch in the last step, and what entered and left sensors.
    pub fn touch_events(&self) -> &[TouchEvent] {
        &self.touches.events
    }

    /// Calls a closure with every contact of every step before it is solved, in order of the
    /// colliders. It may change the contact or disable it. There is one such closure.
    ///
    /// A recording does not contain it: such a run cannot be replayed from its recording.
    pub fn set_contact_hook(
        &mut self,
        hook: impl FnMut(&mut PendingContact) + Send + Sync + 'static,
    ) {
        self.contact_engine.hook = ContactHook::new(hook);
        self.wake_all();
    }

    /// Removes the closure.
    pub fn remove_contact_hook(&mut self) {
        self.contact_engine.hook = ContactHook::default();
        self.wake_all();
    }

    /// The name of a body, or of a collider on none.
    pub fn owner_name(&self, owner: ColliderOwner) -> &str {
        match owner {
            ColliderOwner::Body(body) => self.names.get(body).map_or("", String::as_str),
            ColliderOwner::Fixed(collider) => self.collider_name(collider),
        }
    }

    /// Before the first step.
    pub(crate) fn start_touches(&mut self) {
        if self.touches.needs_start(&self.contact_engine) {
            let scripted = self.scripted_motions();
            self.touches
                .start(&self.contact_engine, &self.bodies, &scripted);
        }
    }

    /// At the end of a step in which something may have changed.
    pub(crate) fn track_touches(&mut self, changed: bool) {
        self.touches.events.clear();
        if !changed || !self.touches.is_active(&self.contact_engine) {
            return;
        }
        let scripted = self.scripted_motions();
        self.touches
            .update(&self.contact_engine, &self.bodies, &scripted);
        if !self.record_touches {
            return;
        }
        for event in std::mem::take(&mut self.touches.events) {
            let [a, b] = event.pair.map(|owner| self.owner_name(owner).to_owned());
            let (kind, detail) = match event.kind {
                TouchKind::ContactBegin => (0, json!({ "bodies": [a, b] })),
                TouchKind::ContactEnd => (1, json!({ "bodies": [a, b] })),
                TouchKind::SensorEnter => (2, json!({ "sensor": a, "body": b })),
                TouchKind::SensorLeave => (3, json!({ "sensor": a, "body": b })),
            };
            self.log(TOUCH_EVENTS[kind], detail);
            self.touches.events.push(event);
        }
    }

    /// Takes over the pairs of a checkpoint; false if they are not of this world.
    pub(crate) fn restore_touches(&mut self, stored: StoredTouches) -> bool {
        let (bodies, colliders) = (self.bodies.len(), self.contact_engine.colliders.len());
        let known = |owner: &ColliderOwner| match owner {
            ColliderOwner::Body(body) => *body < bodies,
            ColliderOwner::Fixed(collider) => (*collider as usize) < colliders,
        };
        let pairs = stored.touching.iter().chain(&stored.inside);
        if !pairs.flatten().all(known) {
            return false;
        }
        let scripted = self.scripted_motions();
        self.touches
            .restore(stored, &self.contact_engine, &self.bodies, &scripted);
        true
    }
}
