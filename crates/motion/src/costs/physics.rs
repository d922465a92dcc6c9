//! L_Physics, Mordatch (4) to (8), with the torques and forces of (9).
//!
//! At each moment the forces that explain the movement best are found by the
//! programme (6) ([`crate::inverse_dynamics`]). Two objectives can be had:
//! ```text
//! envelope   |J f − τ|² + fᵀ W f    at its minimum over f: the value of (6)
//! residual   |J f − τ|²             as printed in (8)
//! ```
//! The envelope's derivative needs none of f. Limbs have no mass, so torques of
//! joints come from equilibrium of what is beyond them, u = (p − joint) × F + M;
//! they and ‖f‖² depend on f, whose derivative comes from the adjoint of (6).

use super::Mix;
use crate::character::LimbState;
use crate::contact_state::{ContactState, ContactStateGradient};
use crate::dynamics::MomentumRate;
use crate::inverse_dynamics::{
    Adjoint, Body, Cluster, Contact, MOMENT, Six, Solution, WrenchGradient, pull_wrench, wrench,
};
use crate::program::{Against, Anchor, ContactSpec, LimbSpec, Program};
use crate::slide::SlidingFriction;
use crate::variables::{Local, Sink, State, add_outer};
use conatus_math::{DMat3, DVec3};

/// Which of the two objectives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// The value of the programme.
    #[default]
    Envelope,
    /// As printed.
    Residual,
}

/// Memory for the costs of one moment, and then of the next. What is kept between
/// evaluations at the same moment is λ alone, from which the next solution starts.
#[derive(Clone, Debug, Default)]
pub struct PhysicsMemory {
    /// The solution of (6).
    pub solution: Solution,
    bodies: Vec<Body>,
    contacts: Vec<Contact>,
    residual: Vec<f64>,
    frames: Vec<usize>,
}

impl PhysicsMemory {
    /// Exchanges the λ from which a solution starts, and at which it ends.
    pub fn swap_start(&mut self, lambda: &mut Vec<f64>) {
        std::mem::swap(&mut self.solution.lambda, lambda);
    }
}

/// Forces cost nothing by themselves.
const FREE: Six = [0.0; 6];

fn minus(f: &Six) -> Six {
    f.map(|f| -f)
}

/// What the contacts of a body have to supply at one moment: Mordatch (5), in units of
/// its weight.
pub(crate) fn body(program: &Program, state: &State, body: usize) -> Body {
    let (model, motion) = (&program.dynamics[body], program.body_motion(state, body));
    let g = program.gravity.length();
    let rate = model.momentum_rate(motion);
    let push = (rate.linear_per_mass - program.gravity) / g;
    let turn = rate.angular * (MOMENT / (model.mass() * g));
    Body {
        position: model.centre_of_mass(motion),
        demand: [push.x, push.y, push.z, turn.x, turn.y, turn.z],
    }
}

/// The vector-Jacobian product of [`body`]'s demand.
pub(crate) fn body_vjp(
    program: &Program,
    state: &State,
    body: usize,
    seed: &[f64],
    out: &mut Local,
) {
    let model = &program.dynamics[body];
    let g = program.gravity.length();
    let (push, turn) = (DVec3::from_slice(seed), DVec3::from_slice(&seed[3..]));
    let by = MomentumRate {
        linear_per_mass: push / g,
        angular: turn * (MOMENT / (model.mass() * g)),
    };
    let out = &mut out.frames[program.frames_of(body)];
    model.momentum_rate_vjp(program.body_motion(state, body), &by, out);
}

/// The vector-Jacobian product of a body's centre of mass.
pub(crate) fn centre_of_mass_vjp(
    program: &Program,
    state: &State,
    body: usize,
    by: DVec3,
    out: &mut Local,
) {
    let out = &mut out.frames[program.frames_of(body)];
    program.dynamics[body].centre_of_mass_vjp(program.body_motion(state, body), by, out);
}

/// A contact at one moment.
fn contact(program: &Program, state: &State, i: usize) -> Contact {
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
    Contact {
        on: spec.body,
        against: reaction(program, i),
        position,
        matrix,
        cone: spec.cone,
        weight,
    }
}

/// How friction tilts the force of a sliding contact.
fn sliding_friction(program: &Program, state: &State, spec: &ContactSpec) -> SlidingFriction {
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

/// Who feels the reaction of a contact, and the ratio of the owner's mass to
/// theirs.
pub(crate) fn reaction(program: &Program, i: usize) -> Option<(usize, f64)> {
    let spec = &program.contacts[i];
    let Against::Solid(s) = spec.against else {
        return None;
    };
    let (other, _) = program.solids[s].carrier?;
    Some((other, program.mass(spec.body) / program.mass(other)))
}

/// The adjoint of a contact's place.
fn pull_contact(
    program: &Program,
    state: &State,
    i: usize,
    gradient: &WrenchGradient,
    out: &mut Local,
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

/// The costs of one moment: Mordatch (8), or the value of (6), and what Mordatch
/// (9) counts of forces.
pub fn evaluate(
    program: &Program,
    mix: &Mix,
    dt: f64,
    state: &State,
    memory: &mut PhysicsMemory,
    sink: &mut impl Sink,
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
    let effort = mix.torque * dt;
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
        if effort > 0.0 && (program.weights.torque > 0.0 || program.weights.force > 0.0) {
            coupled.torques(effort, depends, residual, sink);
        }
    }
}

/// Bodies that push each other at one moment, and all that was found of them.
struct Coupled<'a> {
    program: &'a Program,
    state: &'a State,
    solution: &'a Solution,
    cluster: &'a Cluster,
    bodies: &'a [Body],
    contacts: &'a [Contact],
}

/// Frames and contacts that something depends on.
type Depends<'a> = (&'a [usize], &'a [usize]);

impl Coupled<'_> {
    /// Mordatch (8), or the value of (6).
    fn residual(
        &self,
        weight: f64,
        depends: Depends,
        residual: &mut Vec<f64>,
        sink: &mut impl Sink,
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
                    let mut u = std::mem::take(&mut out.room.numbers);
                    solution.spread(cluster, seed, &mut u);
                    for &c in &cluster.bodies {
                        body_vjp(program, state, c, &u[6 * c..6 * c + 6], out);
                    }
                    for &i in &cluster.contacts {
                        if !solution.pushes(i) {
                            continue;
                        }
                        let mut gradient = WrenchGradient::ZERO;
                        let away = minus(&solution.forces[i]);
                        pull_wrench(bodies, &contacts[i], &u, &away, &mut gradient);
                        pull_contact(program, state, i, &gradient, out);
                        let slope = program.force_weight(i, state.contacts[i]).1;
                        out.contacts[i] += slope * solution.pull_weight(bodies, contacts, i, &u);
                    }
                    out.room.numbers = u;
                });
            }
            Objective::Residual => {
                residual.clear();
                for &c in &cluster.bodies {
                    residual.extend_from_slice(&solution.lambda[6 * c..6 * c + 6]);
                }
                sink.rows(weight, residual, depends.0, depends.1, |seed, out| {
                    let mut room = std::mem::take(&mut out.room);
                    room.forces.clear();
                    room.forces.resize(contacts.len(), FREE);
                    let (forces, adjoint) = (&room.forces, &mut room.adjoint);
                    solution.adjoint(cluster, bodies, contacts, Some(seed), forces, adjoint);
                    self.pull_adjoint(adjoint, out);
                    out.room = room;
                });
            }
        }
    }

    /// What [`Solution::adjoint`] found, carried on to frames and contact variables.
    fn pull_adjoint(&self, adjoint: &Adjoint, out: &mut Local) {
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
            if !solution.pushes(i) {
                continue;
            }
            let contact = &self.contacts[i];
            let mut gradient = WrenchGradient::ZERO;
            let away = minus(&solution.forces[i]);
            let (mu, lambda) = (&adjoint.demand, &solution.lambda);
            pull_wrench(self.bodies, contact, mu, &away, &mut gradient);
            pull_wrench(
                self.bodies,
                contact,
                lambda,
                &adjoint.turned[i],
                &mut gradient,
            );
            pull_contact(program, state, i, &gradient, out);
            let slope = program.force_weight(i, state.contacts[i]).1;
            out.contacts[i] += slope * adjoint.by_weight[i];
        }
    }

    /// Torques at the base and the inner joints of limbs, B u of Mordatch (4), and
    /// forces: ‖u‖² and ‖f‖² of Mordatch (9).
    fn torques(
        &self,
        effort: f64,
        depends: Depends,
        residual: &mut Vec<f64>,
        sink: &mut impl Sink,
    ) {
        let Self {
            program,
            state,
            solution,
            cluster,
            bodies,
            contacts,
        } = *self;
        let limbs = || {
            let all = program.limbs.iter().enumerate();
            all.filter(|(_, spec)| cluster.bodies.contains(&spec.character))
        };
        residual.clear();
        let w = &program.weights;
        let (torque_share, force_share) = (w.torque.sqrt(), w.force.sqrt());
        for (l, spec) in limbs() {
            let limb = &state.limbs[l];
            for k in 0..=limb.joints.len() {
                let joint = joint(limb, k);
                let mut torque = DVec3::ZERO;
                for load in spec.loads.iter().filter(|load| k <= load.last) {
                    let (contact, f) = (&contacts[load.contact], &solution.forces[load.contact]);
                    let (force, moment) = wrench(contact, f);
                    torque += ((contact.position - joint).cross(force) + moment) * load.factor;
                }
                if program.dynamics[spec.character].has_limb_masses() {
                    torque -= self.distal_torque(spec, k);
                }
                residual.extend_from_slice(&(torque * torque_share).to_array());
            }
        }
        let torque_rows = residual.len();
        if w.force > 0.0 {
            for &i in &cluster.contacts {
                residual.extend(solution.forces[i].iter().map(|f| f * force_share));
            }
        }
        sink.rows(effort, residual, depends.0, depends.1, |seed, out| {
            let mut room = std::mem::take(&mut out.room);
            let by_forces = &mut room.forces;
            by_forces.clear();
            by_forces.resize(contacts.len(), FREE);
            let mut row = 0;
            for (l, spec) in limbs() {
                let at = &state.limbs[l];
                let joints = 1 + at.joints.len();
                let seeds = &seed[row..row + 3 * joints];
                row += 3 * joints;
                if seeds.iter().all(|s| *s == 0.0) {
                    continue;
                }
                let gradient = &mut room.limb;
                gradient.clear(at.joints.len());
                for load in &spec.loads {
                    let i = load.contact;
                    let contact = &contacts[i];
                    let (force, _) = wrench(contact, &solution.forces[i]);
                    let (mut by_position, mut by_matrix) = (DVec3::ZERO, DMat3::ZERO);
                    let (mut by_force, mut by_moment) = (DVec3::ZERO, DVec3::ZERO);
                    for k in (0..joints).filter(|&k| k <= load.last) {
                        let s = DVec3::from_slice(&seeds[3 * k..]) * (torque_share * load.factor);
                        // s·((p − j) × F + M).
                        let by_arm = force.cross(s);
                        by_position += by_arm;
                        *(if k == 0 {
                            &mut gradient.base
                        } else {
                            &mut gradient.joints[k - 1]
                        }) -= by_arm;
                        by_force += s.cross(contact.position - joint(at, k));
                        by_moment += s;
                    }
                    let f = &solution.forces[i];
                    add_outer(&mut by_matrix, by_force, DVec3::new(f[0], f[1], f[2]));
                    add_outer(&mut by_matrix, by_moment, DVec3::new(f[3], f[4], f[5]));
                    let (a, b) = (
                        contact.matrix.transpose() * by_force,
                        contact.matrix.transpose() * by_moment,
                    );
                    let into: &mut Six = &mut by_forces[i];
                    for k in 0..3 {
                        into[k] += a[k];
                        into[k + 3] += b[k];
                    }
                    if solution.pushes(i) {
                        let place = WrenchGradient {
                            position: by_position,
                            matrix: by_matrix,
                            ..WrenchGradient::ZERO
                        };
                        pull_contact(program, state, i, &place, out);
                    }
                }
                let limb = &program.characters[spec.character].limbs[spec.limb];
                let [torso, effector] = out
                    .frames
                    .get_disjoint_mut([spec.torso, spec.effector])
                    .expect("a limb has two frames");
                at.vector_jacobian_product(limb, gradient, torso, effector);
                if program.dynamics[spec.character].has_limb_masses() {
                    for (k, s) in seeds.chunks_exact(3).enumerate() {
                        let by = DVec3::from_slice(s) * -torque_share;
                        self.distal_torque_vjp(spec, k, by, out);
                    }
                }
            }
            let force_rows = seed[torque_rows..].chunks_exact(6);
            for (&i, seeds) in cluster.contacts.iter().zip(force_rows) {
                for k in 0..6 {
                    by_forces[i][k] += seeds[k] * force_share;
                }
            }
            let adjoint = &mut room.adjoint;
            solution.adjoint(cluster, bodies, contacts, None, by_forces, adjoint);
            self.pull_adjoint(adjoint, out);
            out.room = room;
        });
    }
}

impl Coupled<'_> {
    /// The torque about a joint that the mass beyond it needs, in weights of the
    /// limb's owner times metres.
    fn distal_torque(&self, spec: &LimbSpec, joint: usize) -> DVec3 {
        let (program, body) = (self.program, spec.character);
        let motion = program.body_motion(self.state, body);
        let model = &program.dynamics[body];
        model.distal_torque(motion, program.gravity, spec.limb, joint) / program.weight(body)
    }

    /// The vector-Jacobian product of [`distal_torque`](Self::distal_torque).
    fn distal_torque_vjp(&self, spec: &LimbSpec, joint: usize, by: DVec3, out: &mut Local) {
        let (program, body) = (self.program, spec.character);
        let motion = program.body_motion(self.state, body);
        let by = by / program.weight(body);
        let out = &mut out.frames[program.frames_of(body)];
        let model = &program.dynamics[body];
        model.distal_torque_vjp(motion, program.gravity, spec.limb, joint, by, out);
    }
}

/// A joint of a limb: its base, then its inner joints.
fn joint(limb: &LimbState, k: usize) -> DVec3 {
    match k {
        0 => limb.base,
        k => limb.joints[k - 1],
    }
}
