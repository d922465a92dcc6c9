//! One step of the world, in Di Pierro's order (§11, `Universe::evolve`).

use crate::checkpoint::CACHE_CLEAR_STEPS;
use crate::command::Origin;
use crate::world::World;
use conatus_rigid::Activity;
use serde_json::json;

/// The figures of a step. Energy and momenta cost more than the step itself and
/// are computed on request ([`World::totals`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The number of contacts.
    pub contacts: usize,
    /// The largest penetration in metres, before it was corrected.
    pub max_penetration: f64,
    /// The number of bodies that were quarantined.
    pub quarantined: usize,
}

impl World {
    /// Advances the world by one step: commands, motion under forces, contacts,
    /// cloth.
    pub fn step(&mut self) -> StepReport {
        self.execute_commands();
        if let Some(cloth) = &mut self.cloth {
            cloth.before(&self.bodies);
        }
        let touching = !self.detector.is_idle();
        if touching {
            self.bodies.gather_velocities(&mut self.before);
        }
        self.integrate();
        self.steps += 1;
        let mut quarantined = self.quarantine();
        self.contacts.clear();
        if touching {
            self.detect();
            self.resolve();
            if !self.contacts.is_empty() {
                quarantined += self.quarantine();
            }
        }
        if self.cloth.is_some() {
            self.move_cloth();
            quarantined += self.quarantine();
        }
        self.clear_caches_at_checkpoint_steps();
        self.report(quarantined)
    }

    /// Cloth moves last: it guarantees that nothing intersects at the end of its
    /// step, and nothing may move after that.
    fn move_cloth(&mut self) {
        let (h, t) = (self.h, (self.steps - 1) as f64 * self.h);
        let Some(cloth) = &mut self.cloth else { return };
        if cloth.is_halted() {
            return;
        }
        cloth.step(t, h, &mut self.bodies);
        if let Some(detail) = cloth.failure_event() {
            self.log("pinch", detail);
        }
    }

    /// At fixed steps, so that a run that is resumed there (see
    /// [`crate::checkpoint`]) has the same caches as one that was not stopped.
    fn clear_caches_at_checkpoint_steps(&mut self) {
        if let Some(cloth) = &mut self.cloth
            && self.steps.is_multiple_of(CACHE_CLEAR_STEPS)
        {
            cloth.clear_caches();
        }
    }

    /// Commands before this time are executed in step `step` or earlier: a command
    /// belongs to the step that begins nearest to its time.
    pub(crate) fn horizon(&self, step: u64) -> f64 {
        step as f64 * self.h + 0.5 * self.h
    }

    fn execute_commands(&mut self) {
        let horizon = self.horizon(self.steps);
        while self.due.front().is_some_and(|d| d.time < horizon) {
            if let Some(due) = self.due.pop_front() {
                self.execute(&due.command, Origin::Scene);
            }
        }
        while self.inputs.front().is_some_and(|i| i.0 <= self.steps) {
            if let Some((_, command)) = self.inputs.pop_front() {
                self.execute(&command, Origin::Input);
            }
        }
    }

    /// Clears and evaluates forces at each stage and integrates.
    fn integrate(&mut self) {
        let (t, h) = (self.time(), self.h);
        // The springs of pointer drags are forces while the drags last.
        let lasting = self.forces.len();
        for &(_, hand) in &self.pointer_springs {
            self.forces.push(Box::new(hand));
        }
        self.integration.step(
            &mut self.bodies,
            &mut self.forces,
            self.integrator,
            self.gravity,
            t,
            h,
        );
        self.forces.truncate(lasting);
    }

    fn detect(&mut self) {
        self.bodies.gather(&mut self.states);
        self.detector
            .find(&self.bodies, &self.states, &mut self.contacts);
        if self.sticky && self.merge_touching_bodies() {
            self.bodies.gather(&mut self.states);
        }
    }

    fn resolve(&mut self) {
        if self.contacts.is_empty() {
            self.resolver.impulses.clear();
            return;
        }
        self.resolver.resolve(
            &self.detector,
            &self.bodies,
            &self.contacts,
            &mut self.states,
            &self.before,
            self.h,
        );
        for c in &self.contacts {
            for m in std::iter::once(c.a).chain(c.b) {
                if self.bodies.activity(m) == Activity::Free {
                    self.bodies.set_mover_state(m, &self.states[m]);
                }
            }
        }
    }

    /// Merges each pair in contact in place, without bouncing or separating it, so
    /// that momenta stay exact. Contacts with planes are kept, on the merged movers.
    fn merge_touching_bodies(&mut self) -> bool {
        let mut merged = false;
        for c in self.contacts.clone() {
            let Some(b) = c.body_b else { continue };
            if self.bodies.mount(c.body_a).mover != self.bodies.mount(b).mover {
                if !self.merge(&[c.body_a, b]) {
                    continue;
                }
                let detail = json!([self.names[c.body_a], self.names[b]]);
                self.log("merge", detail);
                merged = true;
            }
        }
        self.contacts.retain(|c| c.body_b.is_none());
        for c in &mut self.contacts {
            c.a = self.bodies.mount(c.body_a).mover;
        }
        merged
    }

    /// Freezes every body whose state is no longer finite or plausible, in its state
    /// of the latest recorded frame.
    fn quarantine(&mut self) -> usize {
        let mut count = 0;
        if self.bodies.all_finite_and_slower_than_light() {
            return count;
        }
        for m in 0..self.bodies.len() {
            if self.bodies.activity(m) != Activity::Free
                || self.bodies.mover_state(m).is_finite_and_slower_than_light()
            {
                continue;
            }
            let mut state = self.valid_states[m];
            state.velocity = Default::default();
            state.omega_body = Default::default();
            self.bodies.set_mover_state(m, &state);
            self.bodies.set_activity(m, Activity::Quarantined);
            let riders = (0..self.bodies.len()).filter(|&i| self.bodies.mount(i).mover == m);
            for i in riders.collect::<Vec<_>>() {
                let detail = json!({
                    "body": self.names[i],
                    "reason": "its position or velocity is no longer a finite number below the speed of light",
                });
                tracing::warn!(body = %self.names[i], time = self.time(), "body quarantined");
                self.log("quarantine", detail);
                count += 1;
            }
        }
        count
    }

    fn report(&mut self, quarantined: usize) -> StepReport {
        let max_penetration = self
            .contacts
            .iter()
            .map(|c| c.penetration)
            .fold(0.0, f64::max);
        self.deepest = self.deepest.max(max_penetration);
        StepReport {
            contacts: self.contacts.len(),
            max_penetration,
            quarantined,
        }
    }
}
