//! What can be done to a world from outside while it runs. Commands are part
//! of the recording, so a run with them can be repeated bit for bit.

use crate::world::World;
use conatus_math::DVec3;
use conatus_record::Event;
use conatus_rigid::Activity;
use conatus_rigid::forces::PointerSpring;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Something to do to the world. Bodies are meant by their index, or by their
/// name in a recording.
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
    /// Makes bodies one.
    Merge(Vec<Body>),
    /// Holds a body in place.
    Lock(Body),
    /// Lets a body go.
    Unlock(Body),
    /// Takes a body out of the world, with the forces that hold on to it alone.
    Remove(Body),
    /// Has a hand pull a point of a body towards a target from now on, or
    /// moves that hand.
    Pull {
        /// Which hand: each holds one body at a time.
        hand: u32,
        /// The body.
        body: Body,
        /// The point, in the body's principal axes.
        point_body: DVec3,
        /// Where the point shall go, in world coordinates.
        target: DVec3,
        /// Force per distance, in N/m.
        stiffness: f64,
        /// Force per velocity, in N·s/m.
        damping: f64,
    },
    /// A hand lets go.
    LetGo {
        /// Which hand.
        hand: u32,
    },
    /// Someone stopped the clock to look closer: nothing happens to the world.
    Pause,
    /// The clock goes on: nothing happens to the world.
    Resume,
}

impl<Body> Command<Body> {
    /// The same command with its bodies called otherwise; `None` if one of
    /// them has no such name.
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
            Self::Pause => Command::Pause,
            Self::Resume => Command::Resume,
        })
    }
}

impl Command {
    /// The bodies that it speaks of.
    pub(crate) fn bodies(&self) -> &[usize] {
        match self {
            Self::Kick { body, .. }
            | Self::Impulse { body, .. }
            | Self::Pull { body, .. }
            | Self::Lock(body)
            | Self::Unlock(body)
            | Self::Remove(body) => std::slice::from_ref(body),
            Self::Merge(list) => list,
            Self::LetGo { .. } | Self::Pause | Self::Resume => &[],
        }
    }
}

/// Where a command comes from, which is the kind of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The scene: it comes again whenever the scene is run.
    Scene,
    /// Someone who watches: only the recording knows of it.
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

/// The kind of the events that commands given during the run leave.
pub const INPUT: &str = "input";

/// A recording's command that the world cannot make sense of.
#[derive(Debug, thiserror::Error)]
#[error("the recording's command of step {step} does not fit the scene: {detail}")]
pub struct UnknownInput {
    /// The step that it was carried out in.
    pub step: u64,
    /// The command as recorded.
    pub detail: Value,
}

/// Why a body cannot be removed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemovalError {
    /// There is no such body.
    #[error("there is no such body in this world")]
    Unknown,
    /// It was removed before.
    #[error("`{0}` was removed before")]
    AlreadyRemoved(String),
    /// It moves as one with other bodies.
    #[error("`{0}` has merged with other bodies and cannot be removed alone")]
    Merged(String),
    /// Cloth may touch it.
    #[error(
        "`{0}` can meet cloth, whose collision surfaces are fixed at the start; \
         set `collides = false` on bodies that are removed later"
    )]
    TouchesCloth(String),
}

/// A command and its time.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Due {
    pub time: f64,
    pub command: Command,
}

impl World {
    /// Has a command carried out at the beginning of the next step, after those
    /// of the scene. It goes into the recording as an input. A hand that moves
    /// several times before then only moves to where it was last.
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

    /// Has everything done again that was done by hand in a recording: all
    /// inputs among its events.
    pub fn repeat_inputs(&mut self, events: &[Event]) -> Result<(), UnknownInput> {
        for event in events.iter().filter(|event| event.kind == INPUT) {
            let told = serde_json::from_value::<Command<String>>(event.detail.clone()).ok();
            let find = |name: &String| self.names.iter().position(|n| n == name);
            let Some(command) = told.and_then(|told| told.rename(find)) else {
                return Err(UnknownInput {
                    step: event.step,
                    detail: event.detail.clone(),
                });
            };
            self.inputs.push_back((event.step, command));
        }
        Ok(())
    }

    /// The hands that pull at the moment, by number.
    pub fn pointer_springs(&self) -> &[(u32, PointerSpring)] {
        &self.pointer_springs
    }

    /// Carries out one command now.
    pub(crate) fn carry_out(&mut self, command: &Command, origin: Origin) {
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
            Command::Pause | Command::Resume => {}
        }
        let told = command.rename(|&i| self.names.get(i).cloned());
        let detail = serde_json::to_value(told).unwrap_or_default();
        self.log(origin.kind(), detail);
    }

    /// Takes a body out of the world at once. Springs and other forces that act
    /// on it alone go with it. Its index stays, and is never used again.
    pub fn remove_body(&mut self, body: usize) -> Result<(), RemovalError> {
        self.removable(body)?;
        self.carry_out(&Command::Remove(body), Origin::Input);
        Ok(())
    }

    fn removable(&self, body: usize) -> Result<(), RemovalError> {
        if body >= self.bodies.len() {
            return Err(RemovalError::Unknown);
        }
        let name = || self.names[body].clone();
        let mount = self.bodies.mount(body);
        let rides = |i: usize| i != body && self.bodies.mount(i).mover == mount.mover;
        if self.bodies.activity(mount.mover) == Activity::Removed {
            Err(RemovalError::AlreadyRemoved(name()))
        } else if mount.pose.is_some() || (0..self.bodies.len()).any(rides) {
            Err(RemovalError::Merged(name()))
        } else if (self.cloth.as_ref()).is_some_and(|cloth| cloth.bodies().contains(&body)) {
            Err(RemovalError::TouchesCloth(name()))
        } else {
            Ok(())
        }
    }

    fn take_out(&mut self, body: usize) {
        if self.removable(body).is_err() {
            return;
        }
        let mut state = self.bodies.state(body);
        state.velocity = DVec3::ZERO;
        state.omega_body = DVec3::ZERO;
        let m = self.bodies.mount(body).mover;
        self.bodies.set_mover_state(m, &state);
        self.bodies.set_activity(m, Activity::Removed);
        self.detach(body);
    }

    /// Drops everything that refers to a body that was removed.
    pub(crate) fn detach(&mut self, body: usize) {
        self.detector.spheres.retain(|sphere| sphere.body != body);
        self.pointer_springs.retain(|(_, hand)| hand.body != body);
        let kept: Vec<bool> = (self.forces.iter_mut())
            .map(|force| force.remove_body(body))
            .collect();
        let mut keep = kept.iter().copied();
        self.forces.retain(|_| keep.next().unwrap_or(true));
        let mut keep = kept.iter().copied();
        self.force_ids.retain(|_| keep.next().unwrap_or(true));
        self.contacts.clear();
        self.resolver.impulses.clear();
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
            self.valid_states[m] = self.bodies.mover_state(m);
            // The whole was not pressed into anything by the merge.
            if let Some(before) = self.before.get_mut(m) {
                *before = self.valid_states[m].velocity;
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
}
