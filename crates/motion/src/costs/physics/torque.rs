//! Torques of joints and sizes of forces: ‖u‖² and ‖f‖² of Mordatch (9), and torques above
//! the strength of a joint, max(|u| − u_max, 0)².

use super::{Coupled, Depends, Effort, ZERO_FORCE, contact_vjp};
use crate::character::LimbState;
use crate::inverse_dynamics::{Vector6, WrenchGradient, wrench};
use crate::program::LimbSpec;
use crate::variables::{MomentGradient, ResidualSink, add_outer};
use conatus_math::{DMat3, DVec3};

impl Coupled<'_> {
    /// Torques at the base, the inner joints and the tip of limbs, B u of Mordatch (4), and
    /// forces: ‖u‖² and ‖f‖² of Mordatch (9). The tip counts only where it is too weak.
    pub(super) fn torques(
        &self,
        effort: &Effort,
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
        let [torque_share, force_share, strength_share] =
            [effort.torque, effort.force, effort.strength].map(f64::sqrt);
        // The joints whose torque is too large, by their numbers, with the derivatives of their
        // rows by the torques.
        let mut stressed: Vec<(usize, DVec3)> = Vec::new();
        let mut number = 0;
        let mut beyond: Vec<f64> = Vec::new();
        for (l, spec) in limbs() {
            let limb = &state.limbs[l];
            let wrench_of = |contact: usize| {
                let at = &contacts[contact];
                let (force, moment) = wrench(at, &solution.forces[contact]);
                Some((at.position, force, moment))
            };
            for (k, &most) in spec.strength.iter().enumerate() {
                let mut torque = torque_about(spec, joint(limb, k), k, wrench_of);
                let is_tip = k > limb.joints.len();
                if !is_tip && program.dynamics[spec.character].has_limb_masses() {
                    torque -= self.distal_torque(spec, k);
                }
                if !is_tip && torque_share > 0.0 {
                    residual.extend_from_slice(&(torque * torque_share).to_array());
                }
                let size = torque.length();
                if size > most && strength_share > 0.0 {
                    beyond.push((size - most) * strength_share);
                    stressed.push((number, torque * (strength_share / size)));
                }
                number += 1;
            }
        }
        let strength_rows = residual.len();
        residual.append(&mut beyond);
        let torque_rows = residual.len();
        if force_share > 0.0 {
            for &i in &cluster.contacts {
                residual.extend(solution.forces[i].iter().map(|f| f * force_share));
            }
        }
        if residual.is_empty() {
            return;
        }
        sink.rows(1.0, residual, depends.0, depends.1, |seed, out| {
            let mut buffers = std::mem::take(&mut out.buffers);
            let by_forces = &mut buffers.forces;
            by_forces.clear();
            by_forces.resize(contacts.len(), ZERO_FORCE);
            let (mut row, mut number) = (0, 0);
            let rows_of_strength = seed[strength_rows..].iter();
            let mut stressed = stressed.iter().zip(rows_of_strength).peekable();
            for (l, spec) in limbs() {
                let at = &state.limbs[l];
                let joints = 1 + at.joints.len();
                // By the torques of its joints and of its tip.
                let by_torques = &mut buffers.torques;
                by_torques.clear();
                for k in 0..spec.strength.len() {
                    let direct = match k < joints && torque_share > 0.0 {
                        true => DVec3::from_slice(&seed[row + 3 * k..]) * torque_share,
                        false => DVec3::ZERO,
                    };
                    let beyond = stressed.next_if(|((of, _), _)| *of == number);
                    let beyond = beyond.map_or(DVec3::ZERO, |((_, slope), seed)| *slope * *seed);
                    by_torques.push(direct + beyond);
                    number += 1;
                }
                if torque_share > 0.0 {
                    row += 3 * joints;
                }
                if by_torques.iter().all(|s| *s == DVec3::ZERO) {
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
                    for (k, by) in by_torques
                        .iter()
                        .enumerate()
                        .filter(|(k, _)| *k <= load.last)
                    {
                        let s = *by * load.factor;
                        // s·((p − j) × F + M).
                        let by_arm = force.cross(s);
                        by_position += by_arm;
                        *(match k {
                            0 => &mut gradient.base,
                            k if k < joints => &mut gradient.joints[k - 1],
                            _ => &mut gradient.tip,
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
                    for (k, by) in buffers.torques.iter().take(joints).enumerate() {
                        self.distal_torque_vjp(spec, k, -*by, out);
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

/// A joint of a limb: its base, then its inner joints, then its tip.
pub(crate) fn joint(limb: &LimbState, k: usize) -> DVec3 {
    match k {
        0 => limb.base,
        k => limb.joints.get(k - 1).copied().unwrap_or(limb.tip),
    }
}

/// The torque about joint `k` of a limb, at a place, by the forces that act beyond it, without
/// what its mass needs. `wrench_of` has the position, force and moment of a contact.
pub(crate) fn torque_about(
    spec: &LimbSpec,
    place: DVec3,
    k: usize,
    wrench_of: impl Fn(usize) -> Option<(DVec3, DVec3, DVec3)>,
) -> DVec3 {
    let loads = spec.loads.iter().filter(|load| k <= load.last);
    let torques = loads.filter_map(|load| {
        let (position, force, moment) = wrench_of(load.contact)?;
        Some(((position - place).cross(force) + moment) * load.factor)
    });
    torques.sum()
}
