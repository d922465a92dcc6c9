//! Torques of joints and sizes of forces: ‖u‖² and ‖f‖² of Mordatch (9).

use super::{Coupled, Depends, ZERO_FORCE, contact_vjp};
use crate::character::LimbState;
use crate::inverse_dynamics::{Vector6, WrenchGradient, wrench};
use crate::program::LimbSpec;
use crate::variables::{MomentGradient, ResidualSink, add_outer};
use conatus_math::{DMat3, DVec3};

impl Coupled<'_> {
    /// Torques at the base and the inner joints of limbs, B u of Mordatch (4), and
    /// forces: ‖u‖² and ‖f‖² of Mordatch (9).
    pub(super) fn torques(
        &self,
        effort: f64,
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
            let mut buffers = std::mem::take(&mut out.buffers);
            let by_forces = &mut buffers.forces;
            by_forces.clear();
            by_forces.resize(contacts.len(), ZERO_FORCE);
            let mut row = 0;
            for (l, spec) in limbs() {
                let at = &state.limbs[l];
                let joints = 1 + at.joints.len();
                let seeds = &seed[row..row + 3 * joints];
                row += 3 * joints;
                if seeds.iter().all(|s| *s == 0.0) {
                    continue;
                }
                let gradient = &mut buffers.limb;
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
                    let into: &mut Vector6 = &mut by_forces[i];
                    for k in 0..3 {
                        into[k] += a[k];
                        into[k + 3] += b[k];
                    }
                    if solution.is_loaded(i) {
                        let place = WrenchGradient {
                            position: by_position,
                            matrix: by_matrix,
                            ..WrenchGradient::ZERO
                        };
                        contact_vjp(program, state, i, &place, out);
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
            let adjoint = &mut buffers.adjoint;
            solution.adjoint(cluster, bodies, contacts, None, by_forces, adjoint);
            self.adjoint_vjp(adjoint, out);
            out.buffers = buffers;
        });
    }

    /// The torque about a joint that the mass beyond it needs, in weights of the
    /// limb's owner times metres.
    fn distal_torque(&self, spec: &LimbSpec, joint: usize) -> DVec3 {
        let (program, body) = (self.program, spec.character);
        let motion = program.body_motion(self.state, body);
        let model = &program.dynamics[body];
        model.distal_torque(motion, program.gravity, spec.limb, joint) / program.weight(body)
    }

    /// The vector-Jacobian product of [`distal_torque`](Self::distal_torque).
    fn distal_torque_vjp(
        &self,
        spec: &LimbSpec,
        joint: usize,
        by: DVec3,
        out: &mut MomentGradient,
    ) {
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
