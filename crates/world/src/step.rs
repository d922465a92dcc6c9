//! One step of the world, in Di Pierro's order (§11, `Universe::evolve`).

use crate::checkpoint::CACHE_CLEAR_STEPS;
use crate::command::Origin;
use crate::world::World;
use conatus_rigid::Activity;
use conatus_rigid::forces::Reach;
use conatus_rigid::joint::Joint;
use serde_json::json;

/// Worlds with fewer bodies hardly use other threads.
const MIN_PARALLEL_BODIES: usize = 100;

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
    /// The greatest loads and errors of the joints.
    pub joints: JointExtremes,
}

/// The greatest loads and errors of joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointExtremes {
    /// An error of a translation in metres.
    pub error: f64,
    /// An error of a rotation in radians.
    pub angle_error: f64,
    /// A force in newtons.
    pub force: f64,
    /// A torque in newton metres.
    pub torque: f64,
}

impl JointExtremes {
    /// The greatest of both.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self {
            error: self.error.max(other.error),
            angle_error: self.angle_error.max(other.angle_error),
            force: self.force.max(other.force),
            torque: self.torque.max(other.torque),
        }
    }

    fn of(joints: &[Joint]) -> Self {
        joints.iter().fold(Self::default(), |most, joint| {
            most.max(&Self {
                error: joint.load.error,
                angle_error: joint.load.angle_error,
                force: joint.load.force.length(),
                torque: joint.load.torque.length(),
            })
        })
    }
}

impl World {
    /// Advances the world by one step: commands, motion under forces, contacts,
    /// cloth.
    pub fn step(&mut self) -> StepReport {
        let is_large = self.bodies.len() >= MIN_PARALLEL_BODIES || self.cloth.is_some();
        if is_large && rayon::current_thread_index().is_none() {
            // Otherwise each of some hundred parallel loops would be handed over to the pool
            // and waited for.
            return rayon::join(|| self.step_on_this_thread(), || ()).0;
        }
        self.step_on_this_thread()
    }

    fn step_on_this_thread(&mut self) -> StepReport {
        self.start_touches();
        let changed = self.execute_commands();
        if let Some(cloth) = &mut self.cloth {
            cloth.before(&self.bodies);
        }
        if self.is_at_rest() {
            self.steps += 1;
            self.track_touches(changed);
            return StepReport::default();
        }
        let colliding = !self.contact_engine.is_idle();
        if colliding {
            self.bodies.gather_awake(&mut self.before);
        }
        self.integrate();
        self.steps += 1;
        let mut quarantined = self.quarantine();
        if colliding {
            self.step_contacts();
            quarantined += self.quarantine();
        }
        if self.cloth.is_some() {
            self.move_cloth();
            quarantined += self.quarantine();
        }
        self.clear_caches_at_checkpoint_steps();
        self.track_touches(true);
        self.report(quarantined)
    }

    /// Whether nothing moves before something wakes it.
    fn is_at_rest(&self) -> bool {
        self.cloth.is_none()
            && self.forces.is_empty()
            && self.pointer_springs.is_empty()
            && !self.bodies.any_free()
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

    /// Returns whether there were any.
    fn execute_commands(&mut self) -> bool {
        let mut any = false;
        let horizon = self.horizon(self.steps);
        while self.due.front().is_some_and(|d| d.time < horizon) {
            if let Some(due) = self.due.pop_front() {
                self.execute(&due.command, Origin::Scene);
                any = true;
            }
        }
        while self.inputs.front().is_some_and(|i| i.0 <= self.steps) {
            if let Some((_, command)) = self.inputs.pop_front() {
                self.execute(&command, Origin::Input);
                any = true;
            }
        }
        any
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

    /// Places the colliders of obstacles and characters for the step that starts at the
    /// present time.
    pub(crate) fn place_scripted_colliders(&mut self) {
        self.place_scripted_colliders_at(self.time());
    }

    fn place_scripted_colliders_at(&mut self, t: f64) {
        let Some(cloth) = &self.cloth else { return };
        let scripted = &mut self.contact_engine.scripted;
        scripted.clear();
        scripted.extend(cloth.scripted_motions(t, self.h));
    }

    fn step_contacts(&mut self) {
        // The step has been counted already.
        self.place_scripted_colliders_at((self.steps - 1) as f64 * self.h);
        // Bodies that touch each other stick in place of bouncing.
        if self.sticky && self.contact_engine.between_bodies && self.merge_touching_bodies() {
            return;
        }
        let engine = &mut self.contact_engine;
        engine.gravity = self.gravity;
        let between_bodies = engine.between_bodies;
        engine.between_bodies &= !self.sticky;
        engine.step(&mut self.bodies, &mut self.before, self.h);
        engine.between_bodies = between_bodies;
        self.let_sleep();
        let engine = &mut self.contact_engine;
        for joint in std::mem::take(&mut engine.broken_joints) {
            self.log_break(joint);
        }
    }

    /// Lets bodies at rest fall asleep, but none that a force acts on which may set it in
    /// motion, and none that touches cloth.
    fn let_sleep(&mut self) {
        let mut keep_awake: Vec<bool> = Vec::new();
        let count = self.bodies.len();
        for force in self.forces.iter().filter(|force| !force.lets_sleep()) {
            keep_awake.resize(count, false);
            match force.reach() {
                Reach::All => return,
                Reach::Bodies(list) => {
                    let movers = list.iter().map(|&i| self.bodies.mount(i).mover);
                    movers.for_each(|m| keep_awake[m] = true);
                }
            }
        }
        let of_cloth = self.cloth.iter().flat_map(|cloth| cloth.moved_bodies());
        let held = self.pointer_springs.iter().map(|(_, hand)| &hand.body);
        for &body in of_cloth.chain(held) {
            keep_awake.resize(count, false);
            keep_awake[self.bodies.mount(body).mover] = true;
        }
        let keep_awake = |m: usize| keep_awake.get(m).copied().unwrap_or(false);
        self.contact_engine
            .let_sleep(&mut self.bodies, keep_awake, self.h);
    }

    /// Logs that a joint broke.
    pub(crate) fn log_break(&mut self, joint: usize) {
        let detail = json!({ "joint": self.joint_names[joint] });
        self.log("break", detail);
    }

    /// Merges the bodies that overlap after their free motion, in place, without
    /// bouncing or separating them, so that momenta stay exact. Returns whether there
    /// were any.
    fn merge_touching_bodies(&mut self) -> bool {
        let mut merged = false;
        for overlap in self.contact_engine.overlaps(&self.bodies) {
            let (a, Some(b)) = (overlap.a, overlap.b) else {
                continue;
            };
            if self.bodies.mount(a).mover != self.bodies.mount(b).mover && self.merge(&[a, b]) {
                let detail = json!([self.names[a], self.names[b]]);
                self.log("merge", detail);
                merged = true;
            }
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
        let (contacts, max_penetration) = self.contact_engine.count_and_depth();
        self.deepest = self.deepest.max(max_penetration);
        StepReport {
            contacts,
            max_penetration,
            quarantined,
            joints: JointExtremes::of(self.joints()),
        }
    }
}
