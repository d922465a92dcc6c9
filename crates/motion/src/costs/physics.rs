//! L_Physics, Mordatch (4) to (8), with the torques and forces of (9).
//!
//! At each moment the contact forces that explain the movement best are the solution of
//! the quadratic program (6) ([`crate::inverse_dynamics`]). There are two objectives:
//! ```text
//! envelope   |J f − τ|² + fᵀ W f    at its minimum over f: the value of (6)
//! residual   |J f − τ|²             as printed in (8)
//! ```
//! The derivative of the envelope needs no derivative of f. Torques of joints come from
//! the equilibrium of the part of the limb beyond them, u = (p − joint) × F + M, without
//! what the mass of that part needs where the dynamic model has limb masses. They and
//! ‖f‖² depend on f, whose derivative comes from the adjoint of (6).

pub(crate) mod torque;

use super::TermWeights;
use crate::contact_state::{ContactState, ContactStateGradient};
use crate::dynamics::MomentumRate;
use crate::inverse_dynamics::{
    Adjoint, BodyDemand, Cluster, MOMENT_SCALE, PatchContact, Solution, Vector6, WrenchGradient,
    wrench_vjp,
};
use crate::program::{Against, Anchor, ContactCandidate, Program};
use crate::slide::SlidingFriction;
use crate::variables::{MomentGradient, MotionState, ResidualSink};
use conatus_math::{DMat3, DVec3};

/// The form of L_Physics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The value of (6).
    #[default]
    Envelope,
    /// As printed.
    Residual,
}

/// Buffers for the costs of one moment. Only λ is kept between evaluations at the same
/// moment, as a warm start.
#[derive(Clone, Debug, Default)]
pub struct PhysicsMemory {
    /// The solution of (6).
    pub solution: Solution,
    bodies: Vec<BodyDemand>,
    contacts: Vec<PatchContact>,
    residual: Vec<f64>,
    frames: Vec<usize>,
}

impl PhysicsMemory {
    /// Exchanges the λ from which a solution starts, and at which it ends.
    pub fn swap_start(&mut self, lambda: &mut Vec<f64>) {
        std::mem::swap(&mut self.solution.lambda, lambda);
    }
}

/// No derivative by a force.
const ZERO_FORCE: Vector6 = [0.0; 6];

fn minus(f: &Vector6) -> Vector6 {
    f.map(|f| -f)
}

/// What the contacts of a body have to supply at one moment: Mordatch (5), in units of
/// its weight.
pub(crate) fn body(program: &Program, state: &MotionState, body: usize) -> BodyDemand {
    let (model, motion) = (&program.dynamics[body], program.body_motion(state, body));
    let g = program.gravity.length();
    let rate = model.momentum_rate(motion);
    let push = (rate.linear_per_mass - program.gravity) / g;
    let turn = rate.angular * (MOMENT_SCALE / (model.mass() * g));
    BodyDemand {
        position: model.centre_of_mass(motion),
        demand: [push.x, push.y, push.z, turn.x, turn.y, turn.z],
    }
}

/// The vector-Jacobian product of [`body`]'s demand.
pub(crate) fn body_vjp(
    program: &Program,
    state: &MotionState,
    body: usize,
    seed: &[f64],
    out: &mut MomentGradient,
) {
    let model = &program.dynamics[body];
    let g = program.gravity.length();
    let (push, turn) = (DVec3::from_slice(seed), DVec3::from_slice(&seed[3..]));
    let by = MomentumRate {
        linear_per_mass: push / g,
        angular: turn * (MOMENT_SCALE / (model.mass() * g)),
    };
    let out = &mut out.frames[program.frames_of(body)];
    model.momentum_rate_vjp(program.body_motion(state, body), &by, out);
}

/// The vector-Jacobian product of a body's centre of mass.
pub(crate) fn centre_of_mass_vjp(
    program: &Program,
    state: &MotionState,
    body: usize,
    by: DVec3,
    out: &mut MomentGradient,
) {
    let out = &mut out.frames[program.frames_of(body)];
    program.dynamics[body].centre_of_mass_vjp(program.body_motion(state, body), by, out);
}

/// A contact at one moment.
fn contact(program: &Program, state: &MotionState, i: usize) -> PatchContact {
    let spec = &program.contacts[i];
    let weight = program.force_weight(i, state.contacts[i]).0;
    let (position, matrix) = if weight.is_infinite() {
        // Pose unused: the force weight is infinite.
        (DVec3::ZERO, DMat3::IDENTITY)
    } else if spec.anchor == Anchor::Patch {
        let frame = &state.frames[spec.frame];
        let mut matrix = frame.matrix * spec.turn;
        if spec.slides {
            matrix.z_axis += sliding_friction(program, state, spec).tilt;
        }
        (frame.point(spec.offset), matrix)
    } else {
        let touch = ContactState::new(program, state, i);
        (touch.position, touch.matrix)
    };
    PatchContact {
        on: spec.body,
        against: reaction(program, i),
        position,
        matrix,
        cone: spec.cone,
        weight,
    }
}

/// How friction tilts the force of a sliding contact.
fn sliding_friction(
    program: &Program,
    state: &MotionState,
    spec: &ContactCandidate,
) -> SlidingFriction {
    let frame = &state.frames[spec.frame];
    let normal = frame.matrix * spec.turn.z_axis;
    let velocity = frame.point_velocity(spec.offset);
    SlidingFriction::new(
        spec.friction,
        program.regularisation_speed,
        normal,
        velocity,
    )
}

/// The body on which the reaction of a contact acts, and the ratio of the owner's mass
/// to its mass.
pub(crate) fn reaction(program: &Program, i: usize) -> Option<(usize, f64)> {
    let spec = &program.contacts[i];
    let Against::Solid(s) = spec.against else {
        return None;
    };
    let (other, _) = program.solids[s].carrier?;
    Some((other, program.mass(spec.body) / program.mass(other)))
}

/// The vector-Jacobian product of a contact's position and axes.
fn contact_vjp(
    program: &Program,
    state: &MotionState,
    i: usize,
    gradient: &WrenchGradient,
    out: &mut MomentGradient,
) {
    let spec = &program.contacts[i];
    if spec.anchor == Anchor::Patch {
        let frame = &mut out.frames[spec.frame];
        let mut by_matrix = gradient.matrix;
        if spec.slides {
            let friction = sliding_friction(program, state, spec);
            let (by_normal, by_velocity) = friction.vector_jacobian_product(by_matrix.z_axis);
            by_matrix.z_axis += by_normal;
            frame.add_point_velocity_gradient(&state.frames[spec.frame], spec.offset, by_velocity);
        }
        frame.add_point_gradient(spec.offset, gradient.position);
        frame.matrix += by_matrix * spec.turn.transpose();
    } else {
        let by = ContactStateGradient {
            position: gradient.position,
            matrix: gradient.matrix,
            ..ContactStateGradient::ZERO
        };
        ContactState::new(program, state, i).vector_jacobian_product(program, state, i, &by, out);
    }
    centre_of_mass_vjp(program, state, spec.body, gradient.on, out);
    if let Some((other, _)) = reaction(program, i) {
        centre_of_mass_vjp(program, state, other, gradient.against, out);
    }
}

/// Evaluates the costs of one moment: Mordatch (8), or the value of (6), and the torques
/// and forces of Mordatch (9).
pub fn evaluate(
    program: &Program,
    mix: &TermWeights,
    dt: f64,
    state: &MotionState,
    memory: &mut PhysicsMemory,
    sink: &mut impl ResidualSink,
) {
    let PhysicsMemory {
        solution,
        bodies,
        contacts,
        residual,
        frames,
    } = memory;
    bodies.clear();
    bodies.extend((0..program.body_count()).map(|b| body(program, state, b)));
    contacts.clear();
    contacts.extend((0..program.contacts.len()).map(|i| contact(program, state, i)));
    solution.solve(bodies, contacts);
    let (solution, bodies, contacts) = (&*solution, &bodies[..], &contacts[..]);
    let w = &program.weights;
    let effort = Effort {
        torque: mix.torque * w.torque * dt,
        force: mix.torque * w.force * dt,
        strength: mix.strength * w.strength * dt,
    };
    for cluster in solution.clusters() {
        frames.clear();
        for &body in &cluster.bodies {
            frames.extend(program.frames_of(body));
        }
        let depends = (&frames[..], &cluster.contacts[..]);
        let coupled = Coupled {
            program,
            state,
            solution,
            cluster,
            bodies,
            contacts,
        };
        coupled.residual(
            mix.physics * program.weights.physics * dt,
            depends,
            residual,
            sink,
        );
        if effort.torque + effort.force + effort.strength > 0.0 {
            coupled.torques(&effort, depends, residual, sink);
        }
    }
}

/// The weights of torques and forces at one moment.
struct Effort {
    /// Of torques.
    torque: f64,
    /// Of forces.
    force: f64,
    /// Of torques above the strength of a joint.
    strength: f64,
}

/// A cluster of bodies at one moment, with the solution of (6).
struct Coupled<'a> {
    program: &'a Program,
    state: &'a MotionState,
    solution: &'a Solution,
    cluster: &'a Cluster,
    bodies: &'a [BodyDemand],
    contacts: &'a [PatchContact],
}

/// The frames and contacts on which a residual depends.
type Depends<'a> = (&'a [usize], &'a [usize]);

impl Coupled<'_> {
    /// Mordatch (8), or the value of (6).
    fn residual(
        &self,
        weight: f64,
        depends: Depends,
        residual: &mut Vec<f64>,
        sink: &mut impl ResidualSink,
    ) {
        let Self {
            program,
            state,
            solution,
            cluster,
            bodies,
            contacts,
        } = *self;
        match program.objective {
            Objective::Envelope => {
                cluster.residual(residual);
                sink.rows(weight, residual, depends.0, depends.1, |seed, out| {
                    let mut u = std::mem::take(&mut out.buffers.numbers);
                    solution.expand_seed(cluster, seed, &mut u);
                    for &c in &cluster.bodies {
                        body_vjp(program, state, c, &u[6 * c..6 * c + 6], out);
                    }
                    for &i in &cluster.contacts {
                        if !solution.is_loaded(i) {
                            continue;
                        }
                        let mut gradient = WrenchGradient::ZERO;
                        let away = minus(&solution.forces[i]);
                        wrench_vjp(bodies, &contacts[i], &u, &away, &mut gradient);
                        contact_vjp(program, state, i, &gradient, out);
                        let slope = program.force_weight(i, state.contacts[i]).1;
                        out.contacts[i] +=
                            slope * solution.force_weight_vjp(bodies, contacts, i, &u);
                    }
                    out.buffers.numbers = u;
                });
            }
            Objective::Residual => {
                residual.clear();
                for &c in &cluster.bodies {
                    residual.extend_from_slice(&solution.lambda[6 * c..6 * c + 6]);
                }
                sink.rows(weight, residual, depends.0, depends.1, |seed, out| {
                    let mut buffers = std::mem::take(&mut out.buffers);
                    buffers.forces.clear();
                    buffers.forces.resize(contacts.len(), ZERO_FORCE);
                    let (forces, adjoint) = (&buffers.forces, &mut buffers.adjoint);
                    solution.adjoint(cluster, bodies, contacts, Some(seed), forces, adjoint);
                    self.adjoint_vjp(adjoint, out);
                    out.buffers = buffers;
                });
            }
        }
    }

    /// From the result of [`Solution::adjoint`] to derivatives by frames and contact
    /// variables.
    fn adjoint_vjp(&self, adjoint: &Adjoint, out: &mut MomentGradient) {
        let Self {
            program,
            state,
            solution,
            ..
        } = *self;
        for &c in &self.cluster.bodies {
            body_vjp(program, state, c, &adjoint.demand[6 * c..6 * c + 6], out);
        }
        for &i in &self.cluster.contacts {
            if !solution.is_loaded(i) {
                continue;
            }
            let contact = &self.contacts[i];
            let mut gradient = WrenchGradient::ZERO;
            let away = minus(&solution.forces[i]);
            let (mu, lambda) = (&adjoint.demand, &solution.lambda);
            wrench_vjp(self.bodies, contact, mu, &away, &mut gradient);
            wrench_vjp(
                self.bodies,
                contact,
                lambda,
                &adjoint.turned[i],
                &mut gradient,
            );
            contact_vjp(program, state, i, &gradient, out);
            let slope = program.force_weight(i, state.contacts[i]).1;
            out.contacts[i] += slope * adjoint.by_weight[i];
        }
    }
}
