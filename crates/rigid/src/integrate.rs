//! One step of motion for all bodies, by the integrator of the scene.
//!
//! Bodies without forces move in SIMD blocks. The others go through the stages
//! one by one, with all forces evaluated at each stage by the same function.

use crate::blocks::{self, LANES};
use crate::bodies::{Activity, Bodies};
use crate::forces::{Force, Loads, Reach, View};
use crate::rk4::{Acceleration, Stages, automatic};
use crate::state::{Load, State};
use conatus_math::lanes::V3;
use conatus_math::{DVec3, rotation};
use rayon::prelude::*;
use std::ops::Range;

/// How a step is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Runge-Kutta of fourth order, Chaney (29) and §6.3.
    #[default]
    Rk4,
    /// Euler's method, Chaney (28).
    Euler,
    /// Euler's method in momenta, Di Pierro (48)-(55).
    MomentumEuler,
    /// Symplectic Euler: momenta first, then positions with the new momenta;
    /// the rotation is split about the principal axes, so that it is symplectic
    /// as well.
    SymplecticEuler,
}

/// Buffers of [`Integration::step`], kept between steps.
#[derive(Debug, Default)]
pub struct Integration {
    states: Vec<State>,
    loads: Vec<Load>,
    stages: Vec<Stages<f64>>,
    reached: Vec<bool>,
    driven: Vec<usize>,
    held: Vec<(usize, State)>,
}

impl Integration {
    /// Moves all bodies from time `t` to `t + h`.
    pub fn step(
        &mut self,
        bodies: &mut Bodies,
        forces: &mut [Box<dyn Force>],
        integrator: Integrator,
        gravity: DVec3,
        t: f64,
        h: f64,
    ) {
        let everything = integrator != Integrator::Rk4;
        self.find_driven(bodies, forces, everything);
        if !self.driven.is_empty() {
            bodies.gather(&mut self.states);
            match integrator {
                Integrator::Rk4 => self.rk4(bodies, forces, gravity, t, h),
                Integrator::Euler => self.euler(bodies, forces, gravity, t, h, euler),
                Integrator::MomentumEuler => {
                    self.euler(bodies, forces, gravity, t, h, momentum_euler)
                }
                Integrator::SymplecticEuler => {
                    self.euler(bodies, forces, gravity, t, h, symplectic_euler)
                }
            }
        }
        if !everything && self.driven.len() < bodies.len() {
            self.free(bodies, gravity, h);
        }
        for &m in &self.driven {
            bodies.set_mover_state(m, &self.states[m]);
        }
    }

    /// Lists the movers that some force may act on.
    fn find_driven(&mut self, bodies: &Bodies, forces: &[Box<dyn Force>], everything: bool) {
        self.driven.clear();
        if forces.is_empty() && !everything {
            return;
        }
        let reached = &mut self.reached;
        reached.clear();
        reached.resize(bodies.len(), everything);
        for force in forces {
            match force.reach() {
                Reach::All => reached.fill(true),
                Reach::Bodies(list) => list
                    .iter()
                    .for_each(|&i| reached[bodies.mount(i).mover] = true),
            }
        }
        self.driven.extend(
            (0..bodies.len()).filter(|&m| reached[m] && bodies.activity(m) == Activity::Free),
        );
    }

    /// Free motion in blocks; the states of locked bodies are restored
    /// afterwards. Blocks in which nothing is free are left out.
    fn free(&mut self, bodies: &mut Bodies, gravity: DVec3, h: f64) {
        self.held.clear();
        if bodies.all_free() {
            return free_blocks(bodies, 0..bodies.blocks.len(), gravity, h);
        }
        let is_free = |bodies: &Bodies, m: usize| bodies.activity[m] == Activity::Free;
        let mut begin = None;
        for k in 0..=bodies.blocks.len() {
            let lanes = k * LANES..((k + 1) * LANES).min(bodies.len());
            if lanes.clone().any(|m| is_free(bodies, m)) {
                begin.get_or_insert(k);
                let held = lanes.filter(|&m| !is_free(bodies, m));
                self.held.extend(held.map(|m| (m, bodies.mover_state(m))));
            } else if let Some(from) = begin.take() {
                free_blocks(bodies, from..k, gravity, h);
            }
        }
        for (m, state) in &self.held {
            bodies.blocks[m / LANES].set_motion(m % LANES, &(*state).into());
        }
    }

    /// The forces function of Chaney §8.3.
    fn evaluate(&mut self, bodies: &Bodies, forces: &mut [Box<dyn Force>], t: f64) {
        self.loads.clear();
        self.loads.resize(bodies.len(), Load::default());
        let view = View::new(bodies, &self.states);
        let mut loads = Loads::new(&mut self.loads);
        for force in forces.iter_mut() {
            force.apply(t, &view, &mut loads);
        }
    }

    /// The four stages of Chaney §6.3 with the forces between them.
    fn rk4(
        &mut self,
        bodies: &Bodies,
        forces: &mut [Box<dyn Force>],
        gravity: DVec3,
        t: f64,
        h: f64,
    ) {
        let moments = [t, t + 0.5 * h, t + 0.5 * h, t + h];
        for (stage, time) in moments.into_iter().enumerate() {
            self.evaluate(bodies, forces, time);
            for (k, &m) in self.driven.iter().enumerate() {
                let mut motion = self.states[m].into();
                let load = self.loads[m].with_limited_drag(bodies.constants(m), h);
                let a = acceleration(bodies, m, &self.states[m], &load, gravity);
                match stage {
                    0 => {
                        let first = Stages::step1(&mut motion, a, h);
                        match self.stages.get_mut(k) {
                            Some(stages) => *stages = first,
                            None => self.stages.push(first),
                        }
                    }
                    1 => self.stages[k].step2(&mut motion, a, h),
                    2 => self.stages[k].step3(&mut motion, a, h),
                    _ => self.stages[k].step4(&mut motion, a, h),
                }
                self.states[m] = motion.into();
            }
        }
    }

    /// One evaluation of the forces, then `advance` for every body.
    fn euler(
        &mut self,
        bodies: &Bodies,
        forces: &mut [Box<dyn Force>],
        gravity: DVec3,
        t: f64,
        h: f64,
        advance: fn(&State, &Acceleration<f64>, DVec3, DVec3, f64) -> State,
    ) {
        self.evaluate(bodies, forces, t);
        for &m in &self.driven {
            let (s, c) = (self.states[m], bodies.constants(m));
            let load = self.loads[m].with_limited_drag(c, h);
            let a = acceleration(bodies, m, &s, &load, gravity);
            let torque_body = load.torque_body - s.omega_body * c.angular_damping;
            self.states[m] = advance(&s, &a, torque_body, c.moments, h);
        }
    }
}

/// Free motion of some of the blocks.
fn free_blocks(bodies: &mut Bodies, range: Range<usize>, gravity: DVec3, h: f64) {
    const BLOCKS_PER_TASK: usize = 256;
    let (width, damped) = (bodies.width, bodies.damped);
    let blocks = &mut bodies.blocks[range];
    if blocks.len() > 2 * BLOCKS_PER_TASK {
        blocks
            .par_chunks_mut(BLOCKS_PER_TASK)
            .for_each(|chunk| blocks::free_step(chunk, width, damped, gravity, h));
    } else {
        blocks::free_step(blocks, width, damped, gravity, h);
    }
}

/// Chaney (5), (7) and (18)-(20), which are (21) solved for ω̇; Di Pierro
/// (6)-(7): gravity, damping and the load. Chaney (21) is τ = I ω̇ + ω × I ω.
fn acceleration(
    bodies: &Bodies,
    m: usize,
    state: &State,
    load: &Load,
    gravity: DVec3,
) -> Acceleration<f64> {
    let c = bodies.constants(m);
    let free = bodies.blocks[m / LANES].constants(m % LANES);
    let motion = (*state).into();
    let mut a = automatic::<f64, true>(&motion, &free, V3::splat(gravity));
    a.linear = a.linear + V3::from(load.force / c.mass);
    a.angular = a.angular + V3::from(load.torque_body / c.moments);
    a
}

/// q(t + h) = q(t) + h q̇, Chaney (6), (27)-(28); Di Pierro (1)-(5), (8)-(9).
fn euler(s: &State, a: &Acceleration<f64>, _torque: DVec3, _moments: DVec3, h: f64) -> State {
    let rate = rotation::quaternion_rate(s.orientation, s.omega_body);
    State {
        position: s.position + s.velocity * h,
        velocity: s.velocity + DVec3::from(a.linear) * h,
        orientation: (s.orientation + rate * h).normalize(),
        omega_body: s.omega_body + DVec3::from(a.angular) * h,
    }
}

/// Di Pierro (50)-(55): positions move with the old momenta, R turns by
/// R(ω dt), and L gains τ dt in world axes. Newton's second law as a change of
/// momentum is Di Pierro (11)-(15) and (37), of angular momentum Di Pierro
/// (38)-(39) and (42), and the turn is Di Pierro (30).
fn momentum_euler(
    s: &State,
    a: &Acceleration<f64>,
    torque_body: DVec3,
    moments: DVec3,
    h: f64,
) -> State {
    let l = s.angular_momentum(moments) + s.rotation() * torque_body * h;
    let mut next = State {
        position: s.position + s.velocity * h,
        velocity: s.velocity + DVec3::from(a.linear) * h,
        orientation: (rotation::exp(s.omega() * h) * s.orientation).normalize(),
        omega_body: s.omega_body,
    };
    next.set_angular_momentum(l, moments);
    next
}

/// Momenta first, then positions with the new momenta: K and L gain F dt and τ
/// dt, p moves with K, and R rotates freely with L.
fn symplectic_euler(
    s: &State,
    a: &Acceleration<f64>,
    torque_body: DVec3,
    moments: DVec3,
    h: f64,
) -> State {
    let mut next = *s;
    next.velocity += DVec3::from(a.linear) * h;
    next.position += next.velocity * h;
    let mut l_body = moments * s.omega_body + torque_body * h;
    // Free rotation has the energy Lx²/2Ixx + Ly²/2Iyy + Lz²/2Izz. The flow of
    // each term is exact: a rotation about its own axis by h L/I. Composed
    // symmetrically, they keep the energy from drifting. A rotation of the body
    // by θ rotates L in body axes by −θ, so L in world axes is unchanged.
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for (k, share) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        let turn = rotation::exp(axes[k] * (share * h * l_body[k] / moments[k]));
        next.orientation *= turn;
        l_body = turn.conjugate() * l_body;
    }
    next.orientation = next.orientation.normalize();
    next.omega_body = l_body / moments;
    next
}
