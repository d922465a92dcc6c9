//! Commands: external actions on a world while it runs. They are part of the recording,
//! so a run with them can be repeated bit for bit.

use crate::world::World;
use conatus_math::DVec3;
use conatus_record::Event;
use conatus_rigid::Activity;
use conatus_rigid::forces::PointerSpring;
use conatus_rigid::joint::MotorTarget;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An action on the world. Bodies are identified by index, in a recording by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Command<Body = usize> {
    /// Gives a body a new momentum and angular momentum, as the keys 1 to 9
    /// do in Di Pierro §11.
    Kick {
        /// The body.
        body: Body,
        /// Its new momentum, if any.
        momentum: Option<DVec3>,
        /// Its new angular momentum in world axes, if any.
        angular_momentum: Option<DVec3>,
    },
    /// Adds an impulse at a point of a body.
    Impulse {
        /// The body.
        body: Body,
        /// In N·s, world axes.
        impulse: DVec3,
        /// Where, in the body's principal axes.
        point_body: DVec3,
    },
    /// Merges bodies into one.
    Merge(Vec<Body>),
    /// Holds a body in place.
    Lock(Body),
    /// Releases a locked body.
    Unlock(Body),
    /// Puts a body into the world that was prepared for it.
    AddBody {
        /// The body.
        body: Body,
        /// The body's table in a scene file, of a body that is not in the scene.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spec: Option<Value>,
    },
    /// Removes a body from the world, with the forces that act on it alone.
    Remove(Body),
    /// Pulls a point of a body towards a target from now on, as a pointer drag does, or
    /// moves the target of a present drag.
    Pull {
        /// The number of the drag; each pulls one body at a time.
        hand: u32,
        /// The body.
        body: Body,
        /// The point, in the body's principal axes.
        point_body: DVec3,
        /// The target of the point, in world coordinates.
        target: DVec3,
        /// Force per distance, in N/m.
        stiffness: f64,
        /// Force per velocity, in N·s/m.
        damping: f64,
    },
    /// Ends a drag.
    LetGo {
        /// The number of the drag.
        hand: u32,
    },
    /// Gives the motor of a joint another target: a speed or a position.
    Motor {
        /// The name of the joint.
        joint: String,
        /// Whether it is the motor that steers a wheel.
        #[serde(default)]
        steering: bool,
        /// In m/s or rad/s.
        speed: Option<f64>,
        /// In metres or radians.
        position: Option<f64>,
    },
    /// Breaks a joint.
    Break {
        /// The name of the joint.
        joint: String,
    },
    /// Joins the bodies of a joint that was prepared, as they are now.
    AddJoint {
        /// The name of the joint.
        joint: String,
        /// The joint's table in a scene file, of a joint that is not in the scene.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        spec: Option<Value>,
    },
    /// Takes a joint out of the world.
    RemoveJoint {
        /// The name of the joint.
        joint: String,
    },
    /// The user pauses the run; this has no effect on the world.
    Pause,
    /// The user continues the run; this has no effect on the world.
    Resume,
}

impl<Body> Command<Body> {
    /// The same command with other identifiers of its bodies; `None` if a body has none.
    fn rename<B>(&self, mut name: impl FnMut(&Body) -> Option<B>) -> Option<Command<B>> {
        Some(match self {
            Self::Kick {
                body,
                momentum,
                angular_momentum,
            } => Command::Kick {
                body: name(body)?,
                momentum: *momentum,
                angular_momentum: *angular_momentum,
            },
            Self::Impulse {
                body,
                impulse,
                point_body,
            } => Command::Impulse {
                body: name(body)?,
                impulse: *impulse,
                point_body: *point_body,
            },
            Self::Merge(list) => Command::Merge(list.iter().map(name).collect::<Option<_>>()?),
            Self::Lock(body) => Command::Lock(name(body)?),
            Self::Unlock(body) => Command::Unlock(name(body)?),
            Self::AddBody { body, spec } => Command::AddBody {
                body: name(body)?,
                spec: spec.clone(),
            },
            Self::Remove(body) => Command::Remove(name(body)?),
            Self::Pull {
                hand,
                body,
                point_body,
                target,
                stiffness,
                damping,
            } => Command::Pull {
                hand: *hand,
                body: name(body)?,
                point_body: *point_body,
                target: *target,
                stiffness: *stiffness,
                damping: *damping,
            },
            Self::LetGo { hand } => Command::LetGo { hand: *hand },
            Self::Motor {
                joint,
                steering,
                speed,
                position,
            } => Command::Motor {
                joint: joint.clone(),
                steering: *steering,
                speed: *speed,
                position: *position,
            },
            Self::Break { joint } => Command::Break {
                joint: joint.clone(),
            },
            Self::AddJoint { joint, spec } => Command::AddJoint {
                joint: joint.clone(),
                spec: spec.clone(),
            },
            Self::RemoveJoint { joint } => Command::RemoveJoint {
                joint: joint.clone(),
            },
            Self::Pause => Command::Pause,
            Self::Resume => Command::Resume,
        })
    }
}

impl Command {
    /// The bodies that it acts on.
    pub(crate) fn bodies(&self) -> &[usize] {
        match self {
            Self::Kick { body, .. }
            | Self::Impulse { body, .. }
            | Self::Pull { body, .. }
            | Self::Lock(body)
            | Self::Unlock(body)
            | Self::AddBody { body, .. }
            | Self::Remove(body) => std::slice::from_ref(body),
            Self::Merge(list) => list,
            Self::LetGo { .. }
            | Self::Motor { .. }
            | Self::Break { .. }
            | Self::AddJoint { .. }
            | Self::RemoveJoint { .. }
            | Self::Pause
            | Self::Resume => &[],
        }
    }
}

/// The origin of a command, which determines the kind of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The scene: every run of the scene has it.
    Scene,
    /// The user during a run: only the recording has it.
    Input,
}

impl Origin {
    fn kind(self) -> &'static str {
        match self {
            Self::Scene => "command",
            Self::Input => INPUT,
        }
    }
}

/// The kind of the events of commands that were given during the run.
pub const INPUT: &str = "input";

/// A command of a recording that does not fit the scene.
#[derive(Debug, thiserror::Error)]
#[error("the recording's command of step {step} does not fit the scene: {detail}")]
pub struct UnknownInput {
    /// The step in which it was executed.
    pub step: u64,
    /// The command as recorded.
    pub detail: Value,
}

/// A command and its time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Due {
    pub time: f64,
    pub command: Command,
}

impl World {
    /// Schedules a command for the beginning of the next step, after those of the scene. It
    /// is recorded as an input. Of several moves of the same drag in one step only the last
    /// counts.
    pub fn input(&mut self, command: Command) {
        let input = (self.steps, command);
        if let (Some(last), (_, Command::Pull { hand, .. })) = (self.inputs.back_mut(), &input)
            && matches!(&last.1, Command::Pull { hand: before, .. } if before == hand)
            && last.0 == input.0
        {
            *last = input;
            return;
        }
        self.inputs.push_back(input);
    }

    /// How many inputs wait for the next step.
    pub fn waiting_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Schedules all inputs among the events of a recording again.
    pub fn repeat_inputs(&mut self, events: &[Event]) -> Result<(), UnknownInput> {
        for event in events.iter().filter(|event| event.kind == INPUT) {
            let recorded = serde_json::from_value::<Command<String>>(event.detail.clone()).ok();
            let find = |name: &String| self.names.iter().position(|n| n == name);
            let Some(command) = recorded.and_then(|recorded| recorded.rename(find)) else {
                return Err(UnknownInput {
                    step: event.step,
                    detail: event.detail.clone(),
                });
            };
            self.inputs.push_back((event.step, command));
        }
        Ok(())
    }

    /// The springs of present pointer drags, by the number of the drag.
    pub fn pointer_springs(&self) -> &[(u32, PointerSpring)] {
        &self.pointer_springs
    }

    /// Executes one command now.
    pub(crate) fn execute(&mut self, command: &Command, origin: Origin) {
        match command {
            Command::Pause | Command::Resume | Command::LetGo { .. } => {}
            Command::Kick { body, .. }
            | Command::Impulse { body, .. }
            | Command::Pull { body, .. } => self.wake(*body),
            _ => self.wake_all(),
        }
        match command {
            // Locked bodies cannot be pushed.
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
                let present = list.iter().copied().filter(|&body| !self.is_removed(body));
                let present: Vec<usize> = present.collect();
                self.merge(&present);
            }
            Command::Lock(body) => self.hold(*body, Activity::Free, Activity::Locked),
            Command::Unlock(body) => self.hold(*body, Activity::Locked, Activity::Free),
            Command::AddBody { body, .. } => self.put_in(*body),
            // A body that cannot be removed stays; see `removable`.
            Command::Remove(body) => self.take_out(*body),
            Command::Pull {
                hand,
                body,
                point_body,
                target,
                stiffness,
                damping,
            } => {
                let pull = PointerSpring {
                    body: *body,
                    point_body: *point_body,
                    target: *target,
                    stiffness: *stiffness,
                    damping: *damping,
                };
                match self.pointer_springs.binary_search_by_key(hand, |(h, _)| *h) {
                    Ok(k) => self.pointer_springs[k].1 = pull,
                    Err(k) => self.pointer_springs.insert(k, (*hand, pull)),
                }
            }
            Command::LetGo { hand } => self.pointer_springs.retain(|(h, _)| h != hand),
            Command::Motor {
                joint,
                steering,
                speed,
                position,
            } => {
                let target = match (speed, position) {
                    (Some(speed), _) => Some(MotorTarget::Velocity(*speed)),
                    (None, position) => position.map(MotorTarget::Position),
                };
                if let Some(target) = target {
                    self.set_motor(joint, *steering, target);
                }
            }
            Command::Break { joint } => {
                self.break_joint(joint);
            }
            Command::AddJoint { joint, .. } => self.put_in_joint(joint),
            Command::RemoveJoint { joint } => self.take_out_joint(joint),
            Command::Pause | Command::Resume => {}
        }
        let named = command.rename(|&i| self.names.get(i).cloned());
        let detail = serde_json::to_value(named).unwrap_or_default();
        self.log(origin.kind(), detail);
    }

    /// Executes a command now, between two steps, and records it as an input.
    pub fn execute_now(&mut self, command: &Command) {
        self.execute(command, Origin::Input);
    }

    fn is_free(&self, body: usize) -> bool {
        self.bodies.activity(self.bodies.mount(body).mover) == Activity::Free
    }

    /// Locks or releases a body; its velocity becomes zero.
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

    /// Merges bodies into one. Returns whether that was possible.
    pub(crate) fn merge(&mut self, list: &[usize]) -> bool {
        let merged = self.bodies.merge(list);
        if let Some(m) = merged {
            self.valid_states[m] = self.bodies.mover_state(m);
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
}
