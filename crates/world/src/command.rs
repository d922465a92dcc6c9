//! What can be done to a world from outside while it runs. Commands are part
//! of the recording, so a run with them can be repeated bit for bit.

use crate::world::World;
use conatus_math::DVec3;
use conatus_record::Event;
use conatus_rigid::Activity;
use serde_json::{Value, json};

/// Something to do to the world.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Gives a body a new momentum and angular momentum, as the keys 1 to 9
    /// do in Di Pierro §11.
    Kick {
        /// The body.
        body: usize,
        /// Its new momentum, if any.
        momentum: Option<DVec3>,
        /// Its new angular momentum in world axes, if any.
        angular_momentum: Option<DVec3>,
    },
    /// Adds an impulse at a point of a body.
    Impulse {
        /// The body.
        body: usize,
        /// In N·s, world axes.
        impulse: DVec3,
        /// Where, in the body's principal axes.
        point_body: DVec3,
    },
    /// Makes bodies one.
    Merge(Vec<usize>),
    /// Holds a body in place.
    Lock(usize),
    /// Lets a body go.
    Unlock(usize),
}

/// A command and its time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Due {
    pub time: f64,
    pub command: Command,
}

impl World {
    /// Carries out one command now.
    pub(crate) fn carry_out(&mut self, command: &Command) {
        match command {
            // What is held in place cannot be pushed.
            Command::Kick { body, .. } | Command::Impulse { body, .. } if !self.is_free(*body) => {}
            Command::Kick {
                body,
                momentum,
                angular_momentum,
            } => {
                let m = self.bodies.mount(*body).mover;
                let constants = *self.bodies.constants(m);
                let mut state = self.bodies.mover_state(m);
                if let Some(k) = momentum {
                    state.velocity = *k / constants.mass;
                }
                if let Some(l) = angular_momentum {
                    state.set_angular_momentum(*l, constants.moments);
                }
                self.bodies.set_mover_state(m, &state);
            }
            Command::Impulse {
                body,
                impulse,
                point_body,
            } => {
                let point = self.bodies.state(*body).point_position(*point_body);
                let m = self.bodies.mount(*body).mover;
                let constants = *self.bodies.constants(m);
                let mut state = self.bodies.mover_state(m);
                let spin = state.angular_momentum(constants.moments);
                let turn = (point - state.position).cross(*impulse);
                state.velocity += *impulse / constants.mass;
                state.set_angular_momentum(spin + turn, constants.moments);
                self.bodies.set_mover_state(m, &state);
            }
            Command::Merge(list) => {
                self.merge(list);
            }
            Command::Lock(body) => self.hold(*body, Activity::Free, Activity::Locked),
            Command::Unlock(body) => self.hold(*body, Activity::Locked, Activity::Free),
        }
        let detail = self.describe(command);
        self.log("command", detail);
    }

    fn is_free(&self, body: usize) -> bool {
        self.bodies.activity(self.bodies.mount(body).mover) == Activity::Free
    }

    /// Changes whether a body is held in place; it is at rest at first.
    fn hold(&mut self, body: usize, from: Activity, to: Activity) {
        let m = self.bodies.mount(body).mover;
        if self.bodies.activity(m) == from {
            let mut state = self.bodies.mover_state(m);
            state.velocity = DVec3::ZERO;
            state.omega_body = DVec3::ZERO;
            self.bodies.set_mover_state(m, &state);
            self.bodies.set_activity(m, to);
        }
    }

    /// Makes bodies one; whether that could be done.
    pub(crate) fn merge(&mut self, list: &[usize]) -> bool {
        let merged = self.bodies.merge(list);
        if let Some(m) = merged {
            self.sound[m] = self.bodies.mover_state(m);
            // The whole was not pressed into anything by the merge.
            if let Some(before) = self.before.get_mut(m) {
                *before = self.sound[m].velocity;
            }
        }
        merged.is_some()
    }

    pub(crate) fn log(&mut self, kind: &str, detail: Value) {
        self.events.push(Event {
            time: self.time(),
            step: self.steps,
            kind: kind.to_owned(),
            detail,
        });
    }

    /// The command in the words of a scene file.
    fn describe(&self, command: &Command) -> Value {
        let name = |i: &usize| self.names[*i].clone();
        match command {
            Command::Kick {
                body,
                momentum,
                angular_momentum,
            } => json!({ "kick": {
                "body": name(body),
                "momentum": momentum.map(|v| v.to_array()),
                "angular_momentum": angular_momentum.map(|v| v.to_array()),
            }}),
            Command::Impulse {
                body,
                impulse,
                point_body,
            } => json!({ "impulse": {
                "body": name(body),
                "impulse": impulse.to_array(),
                "point": point_body.to_array(),
            }}),
            Command::Merge(list) => json!({ "merge": list.iter().map(name).collect::<Vec<_>>() }),
            Command::Lock(body) => json!({ "lock": name(body) }),
            Command::Unlock(body) => json!({ "unlock": name(body) }),
        }
    }
}
