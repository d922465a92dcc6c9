//! All bodies of a world: their constants, their motion in blocks, and which
//! moving body each of the scene's bodies belongs to.
//!
//! A *body* is named in the scene and always exists. A *mover* is what the laws
//! of motion act on. At first each body has its own mover; after a merge
//! several bodies share one.

use crate::blocks::{self, Block, LANES, Width};
use crate::rk4::{self, FreeConstants, euler_coefficients};
use crate::state::State;
use conatus_math::lanes::V3;
use conatus_math::{DVec3, Pose};
use rayon::prelude::*;

/// Bodies that are worth a task.
const MIN_PARALLEL_BODIES: usize = 512;

/// The constants of a body in its principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constants {
    /// Kilograms.
    pub mass: f64,
    /// Principal moments of inertia, kg·m².
    pub moments: DVec3,
    /// linKD, in N·s/m.
    pub linear_damping: f64,
    /// rotKD, in N·m·s.
    pub angular_damping: f64,
}

impl Constants {
    /// A body without damping.
    pub fn new(mass: f64, moments: DVec3) -> Self {
        Self {
            mass,
            moments,
            linear_damping: 0.0,
            angular_damping: 0.0,
        }
    }

    pub(crate) fn free(&self) -> FreeConstants<f64> {
        FreeConstants {
            euler: euler_coefficients(self.moments).into(),
            linear_damping: self.linear_damping / self.mass,
            angular_damping: (DVec3::splat(self.angular_damping) / self.moments).into(),
        }
    }
}

/// The activity of a mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// It moves freely.
    Free,
    /// It is at rest, and is left out until something wakes it.
    Asleep,
    /// The scene locks it in place.
    Locked,
    /// Its numbers became invalid; it is frozen in its last valid state.
    Quarantined,
    /// It was merged into another mover.
    Absorbed,
    /// It was removed from the world.
    Removed,
}

impl Activity {
    /// Whether it moves, or would if something woke it.
    pub fn is_mobile(self) -> bool {
        matches!(self, Self::Free | Self::Asleep)
    }
}

/// The mover of a body, and the body's pose on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// The mover's index.
    pub mover: usize,
    /// From the body's axes to the mover's; `None` while they are equal.
    pub pose: Option<Pose>,
}

/// All bodies of a world.
#[derive(Clone, Debug)]
pub struct Bodies {
    pub(crate) blocks: Vec<Block>,
    pub(crate) constants: Vec<Constants>,
    pub(crate) activity: Vec<Activity>,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) width: Width,
    pub(crate) damped: bool,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::new()
    }
}

impl Bodies {
    /// No bodies; motion will use the widest registers available.
    pub fn new() -> Self {
        Self {
            blocks: Vec::new(),
            constants: Vec::new(),
            activity: Vec::new(),
            mounts: Vec::new(),
            width: Width::best(),
            damped: false,
        }
    }

    /// Sets how many bodies are processed at once. Results do not depend on it.
    pub fn set_width(&mut self, width: Width) {
        self.width = width;
    }

    /// Adds a body with its own mover and returns its index.
    pub fn add(&mut self, constants: Constants, state: State, activity: Activity) -> usize {
        let mover = self.constants.len();
        if mover.is_multiple_of(LANES) {
            self.blocks.push(Block::default());
        }
        self.constants.push(constants);
        self.activity.push(activity);
        self.mounts.push(Mount { mover, pose: None });
        self.set_constants(mover, constants);
        self.set_mover_state(mover, &state);
        mover
    }

    /// Number of bodies; also the number of movers, including merged ones.
    pub fn len(&self) -> usize {
        self.mounts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.mounts.is_empty()
    }

    /// The mover of body `i` and the pose on it.
    #[inline]
    pub fn mount(&self, i: usize) -> Mount {
        self.mounts[i]
    }

    /// The activity of mover `m`.
    #[inline]
    pub fn activity(&self, m: usize) -> Activity {
        self.activity[m]
    }

    /// Sets the activity of a mover, for example to lock or release it.
    pub fn set_activity(&mut self, m: usize, activity: Activity) {
        self.activity[m] = activity;
    }

    /// The constants of mover `m`.
    #[inline]
    pub fn constants(&self, m: usize) -> &Constants {
        &self.constants[m]
    }

    pub(crate) fn set_constants(&mut self, m: usize, constants: Constants) {
        self.constants[m] = constants;
        self.blocks[m / LANES].set_constants(m % LANES, &constants.free());
        self.damped |= constants.linear_damping != 0.0 || constants.angular_damping != 0.0;
    }

    /// The state of mover `m`.
    #[inline]
    pub fn mover_state(&self, m: usize) -> State {
        self.blocks[m / LANES].motion(m % LANES).into()
    }

    /// Sets the state of mover `m`.
    #[inline]
    pub fn set_mover_state(&mut self, m: usize, state: &State) {
        self.blocks[m / LANES].set_motion(m % LANES, &(*state).into());
    }

    /// Velocity and angular velocity of mover `m`, in body axes.
    #[inline]
    pub fn velocities(&self, m: usize) -> (DVec3, DVec3) {
        let block = &self.blocks[m / LANES];
        (block.velocity(m % LANES), block.omega(m % LANES))
    }

    /// One step of free motion of mover `m` alone.
    pub(crate) fn free_step(&mut self, m: usize, gravity: DVec3, h: f64) {
        let block = &mut self.blocks[m / LANES];
        let mut motion = block.motion(m % LANES);
        let constants = block.constants(m % LANES);
        rk4::free::<f64, true>(&mut motion, &constants, V3::splat(gravity), h);
        block.set_motion(m % LANES, &motion);
    }

    /// Whether any mover is free to move.
    pub fn any_free(&self) -> bool {
        self.activity.contains(&Activity::Free)
    }

    /// The states of all movers that are awake, in order; those of the others keep their
    /// place.
    pub fn gather_awake(&self, states: &mut Vec<State>) {
        states.resize_with(self.len(), State::default);
        let rows = states.par_iter_mut().enumerate();
        rows.with_min_len(MIN_PARALLEL_BODIES)
            .for_each(|(m, state)| {
                if self.activity[m] != Activity::Asleep {
                    *state = self.mover_state(m);
                }
            });
    }

    /// The states of all movers, in order.
    pub fn gather(&self, states: &mut Vec<State>) {
        states.clear();
        states.extend((0..self.len()).map(|m| self.mover_state(m)));
    }

    /// The velocities of all movers, in order.
    pub fn gather_velocities(&self, velocities: &mut Vec<DVec3>) {
        velocities.clear();
        velocities.extend((0..self.len()).map(|m| self.blocks[m / LANES].velocity(m % LANES)));
    }

    /// Whether every mover is free to move.
    pub(crate) fn all_free(&self) -> bool {
        // Without early exit, so that it is vectorised.
        let free = self.activity.iter().map(|&a| a == Activity::Free);
        free.fold(true, |all, one| all & one)
    }

    /// The state of body `i` itself: its axes and its centre of mass.
    pub fn state(&self, i: usize) -> State {
        let mount = self.mounts[i];
        let mover = self.mover_state(mount.mover);
        match mount.pose {
            None => mover,
            Some(pose) => ride(&mover, &pose),
        }
    }

    /// Whether the numbers of every mover are valid; a quick and slightly
    /// stricter version of [`State::is_finite_and_slower_than_light`].
    pub fn all_finite_and_slower_than_light(&self) -> bool {
        blocks::all_finite_and_slower_than_light(&self.blocks, self.width)
    }

    /// The movers that count in the world's sums.
    pub fn movers(&self) -> impl Iterator<Item = usize> + '_ {
        let gone = |m: usize| matches!(self.activity[m], Activity::Absorbed | Activity::Removed);
        (0..self.len()).filter(move |&m| !gone(m))
    }

    /// Kinetic energy, momentum and angular momentum about the origin of all
    /// that moves; Di Pierro (41).
    pub fn totals(&self) -> (f64, DVec3, DVec3) {
        let mut sums = (0.0, DVec3::ZERO, DVec3::ZERO);
        for m in self.movers() {
            if !self.activity[m].is_mobile() {
                continue;
            }
            let (s, c) = (self.mover_state(m), &self.constants[m]);
            let momentum = s.momentum(c.mass);
            sums.0 += s.kinetic_energy(c.mass, c.moments);
            sums.1 += momentum;
            // r × K for the centre, Chaney (32) for the spin.
            sums.2 += s.position.cross(momentum) + s.angular_momentum(c.moments);
        }
        sums
    }

    /// The potential energy of gravity: −m g·x over all that moves.
    pub fn gravity_potential(&self, gravity: DVec3) -> f64 {
        self.movers()
            .filter(|&m| self.activity[m].is_mobile())
            .map(|m| -self.constants[m].mass * gravity.dot(self.mover_state(m).position))
            .sum()
    }
}

/// The state of something fixed to a mover at `pose`.
pub(crate) fn ride(mover: &State, pose: &Pose) -> State {
    State {
        position: mover.point_position(pose.translation),
        velocity: mover.point_velocity(pose.translation),
        orientation: (mover.orientation * pose.rotation).normalize(),
        omega_body: pose.rotation.conjugate() * mover.omega_body,
    }
}
