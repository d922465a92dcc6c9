//! Forces and torques on bodies, as functions of position, velocity and time.
//!
//! Gravity and automatic damping are not here; they belong to the motion itself
//! (see [`crate::rk4::automatic`]), as in Chaney §8.3. A force does not depend
//! on the step size.

mod callback;
mod drag;
mod pointer_spring;
mod push;
mod spring;
mod water;

pub use callback::Callback;
pub use drag::Drag;
pub use pointer_spring::PointerSpring;
pub use push::{Push, ReferenceFrame};
pub use spring::{End, Spring};
pub use water::{Hull, Rectangle, UpAxis, Water, Wave};

use crate::bodies::{Bodies, Constants, ride};
use crate::state::{Load, State};
use conatus_math::{DVec3, Pose};

/// Which bodies a force may act on; the others keep their fast free motion.
#[derive(Clone, Debug, PartialEq)]
pub enum Reach {
    /// Any of them.
    All,
    /// These bodies.
    Bodies(Vec<usize>),
}

/// A force that acts on bodies at every stage of a step.
pub trait Force: Send + Sync {
    /// Adds its forces and torques at time `t` to the loads. Called once per
    /// stage of a step, so a stateful force is called at every stage.
    fn apply(&mut self, t: f64, view: &View, loads: &mut Loads);

    /// Which bodies it may act on.
    fn reach(&self) -> Reach;

    /// Stops acting on a body that was removed from the world. Returns whether
    /// the force still has something to act on; it is dropped if not.
    fn remove_body(&mut self, _body: usize) -> bool {
        true
    }

    /// Adds `offset` to the index of every body that it acts on: its bodies were
    /// moved to a world with `offset` bodies before them.
    fn shift_bodies(&mut self, _offset: usize) {}

    /// Its potential energy at time `t`; zero if it has none.
    fn potential(&self, _t: f64, _view: &View) -> f64 {
        0.0
    }

    /// Whether bodies that it acts on may fall asleep: true if it never sets a body at
    /// rest in motion.
    fn lets_sleep(&self) -> bool {
        false
    }

    /// Whether it can raise the sum of kinetic and
    /// [potential](Force::potential) energy: true for every force without a
    /// potential. A run that gains energy without such a force gives a warning.
    fn can_add_energy(&self) -> bool {
        true
    }
}

/// The bodies as a force sees them at one stage.
pub struct View<'a> {
    bodies: &'a Bodies,
    states: &'a [State],
}

impl<'a> View<'a> {
    /// The bodies with the states of their movers at this stage.
    pub fn new(bodies: &'a Bodies, states: &'a [State]) -> Self {
        Self { bodies, states }
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The state of body `i`.
    pub fn state(&self, i: usize) -> State {
        let mount = self.bodies.mount(i);
        let mover = &self.states[mount.mover];
        match mount.pose {
            None => *mover,
            Some(pose) => ride(mover, &pose),
        }
    }

    /// The pose of body `i`.
    pub fn pose(&self, i: usize) -> Pose {
        self.state(i).pose()
    }

    /// The mover of body `i` and its state.
    pub fn mover(&self, i: usize) -> (usize, &State) {
        let m = self.bodies.mount(i).mover;
        (m, &self.states[m])
    }

    /// The constants of the mover of body `i`.
    pub fn constants(&self, i: usize) -> &Constants {
        self.bodies.constants(self.bodies.mount(i).mover)
    }

    /// One body of each mover: its leader.
    pub fn leaders(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&i| self.bodies.mount(i).mover == i)
    }
}

/// The sum of the forces on each mover.
pub struct Loads<'a>(pub(crate) &'a mut [Load]);

impl<'a> Loads<'a> {
    /// Loads to add to, one for each mover.
    pub fn new(loads: &'a mut [Load]) -> Self {
        Self(loads)
    }

    /// A force on body `i` at a world point, Chaney (22).
    pub fn force_at(&mut self, view: &View, i: usize, force: DVec3, point: DVec3) {
        let (m, state) = view.mover(i);
        self.0[m].add_force_at(state, force, point);
    }

    /// A torque on body `i` in world axes, Chaney (26).
    pub fn torque(&mut self, view: &View, i: usize, torque: DVec3) {
        let (m, state) = view.mover(i);
        self.0[m].add_torque(state, torque);
    }

    /// Drag −C (v − u) on body `i` at a world point, with its coefficient C in
    /// N·s/m, so that a step cannot make it reverse the velocity.
    pub fn drag_at(&mut self, view: &View, i: usize, force: DVec3, point: DVec3, coefficient: f64) {
        let (m, state) = view.mover(i);
        self.0[m].add_drag_at(state, force, point, coefficient);
    }

    /// Drag −C ω on the rotation of body `i`, in world axes, C in N·m·s.
    pub fn drag_torque(&mut self, view: &View, i: usize, torque: DVec3, coefficient: f64) {
        let (m, state) = view.mover(i);
        self.0[m].add_drag_torque(state, torque, coefficient);
    }

    /// A force through the centre of mass of the mover of body `i`.
    pub fn central_force(&mut self, view: &View, i: usize, force: DVec3) {
        self.0[view.mover(i).0].force += force;
    }
}
