//! Vertices that are fixed to rigid bodies, in the implicit step.
//!
//! The velocity of such a vertex follows from that of its body, u = V + ω × r =
//! P q with q = (V, ω) and P = (1, B), B ω = ω × r. So it is no unknown: with
//! all P in one matrix the system A x = b becomes Pᵀ A P q = Pᵀ b, in which
//!
//! - the diagonal block of a vertex adds Pᵀ A P to the body's rows, and its
//!   right-hand side adds Pᵀ b: the force on the body and its torque;
//! - the block between it and a free vertex couples that vertex to the body.
//!
//! The elimination is exact: whatever acts on a pinned vertex, elastic forces,
//! air or weight, acts on the body within the same implicit step.

use super::Elastic;
use crate::integrate::{ClothLoad, VertexAttachment, Workspace};
use crate::solve::matrix::{BlockMatrix, Coupling};
use conatus_math::{DMat3, DVec3, rotation};

/// The matrix B with B ω = ω × r.
fn lever(arm: DVec3) -> DMat3 {
    rotation::skew(-arm)
}

/// Of a row of the matrix: no vertex that is fixed to a body.
const UNATTACHED: u32 = u32::MAX;

impl Workspace {
    /// Whether vertices are fixed to bodies in this step.
    pub(super) fn has_attached(&self) -> bool {
        !self.attached.is_empty()
    }
}

impl Elastic {
    /// Marks the attached vertices, which are no unknowns.
    pub(super) fn mark_attached(&self, h: f64, load: &ClothLoad, work: &mut Workspace) {
        work.attached.clear();
        if load.attached.is_empty() {
            return;
        }
        work.attached.resize(work.guess.len(), UNATTACHED);
        for (k, attachment) in (0u32..).zip(load.attached) {
            let row = self.place[attachment.vertex as usize] as usize;
            work.attached[row] = k;
            work.scripted[row] = true;
        }
        self.move_attached(h, load, work);
    }

    /// Whether the velocity of a row is prescribed by a script.
    pub(super) fn is_held(work: &Workspace, row: usize) -> bool {
        work.scripted[row] && work.attached.get(row).is_none_or(|&k| k == UNATTACHED)
    }

    /// Moves the attached vertices with the present guess of their bodies' motion.
    pub(super) fn move_attached(&self, h: f64, load: &ClothLoad, work: &mut Workspace) {
        for a in load.attached {
            let [velocity, omega] = self.body_rows(a).map(|row| work.guess[row]);
            let turned = rotation::exp(h * omega) * a.arm;
            let row = self.place[a.vertex as usize] as usize;
            work.guess[row] = velocity + (turned - a.arm) / h;
        }
    }

    /// The rows of a body's velocity and angular velocity.
    fn body_rows(&self, a: &VertexAttachment) -> [usize; 2] {
        let row = self.len() + 2 * a.body as usize;
        [row, row + 1]
    }

    /// Eliminates the attached vertices from the system: Pᵀ A P and Pᵀ b. Their
    /// own rows are left out afterwards, like those of scripted vertices.
    pub(super) fn eliminate_attached(
        &self,
        load: &ClothLoad,
        attached: &[u32],
        scripted: &[bool],
        a: &mut BlockMatrix,
        rhs: &mut [DVec3],
    ) {
        if load.attached.is_empty() {
            return;
        }
        let of_row = |row: usize| load.attached.get(attached[row] as usize);
        let mut couplings = Vec::new();
        // The block of a body's velocity and angular velocity.
        let mut cross = vec![DMat3::ZERO; load.bodies.len()];
        for (row, fixed) in (0..self.len()).filter_map(|row| Some((row, of_row(row)?))) {
            let [v, w] = self.body_rows(fixed);
            let (block, b) = (a.diagonal[row], lever(fixed.arm));
            a.diagonal[v] += block;
            a.diagonal[w] += b.transpose() * block * b;
            cross[fixed.body as usize] += block * b;
            let force = rhs[row];
            rhs[v] += force;
            rhs[w] += fixed.arm.cross(force);
        }
        let diagonal = &mut a.diagonal;
        let mut each = |i: usize, j: usize, block: DMat3| {
            let mut couple = |row: usize, column: usize, block: DMat3| {
                couplings.push(Coupling {
                    row: row as u32,
                    column: column as u32,
                    block,
                });
            };
            match (of_row(i), of_row(j)) {
                (None, None) => {}
                (Some(p), Some(q)) => {
                    let ([vp, wp], [vq, wq]) = (self.body_rows(p), self.body_rows(q));
                    let (bp, bq) = (lever(p.arm), lever(q.arm));
                    let turns = bp.transpose() * block * bq;
                    if p.body == q.body {
                        diagonal[vp] += block + block.transpose();
                        diagonal[wp] += turns + turns.transpose();
                        cross[p.body as usize] += block * bq + block.transpose() * bp;
                    } else {
                        couple(vp, vq, block);
                        couple(vp, wq, block * bq);
                        couple(wp, vq, bp.transpose() * block);
                        couple(wp, wq, turns);
                    }
                }
                (Some(p), None) if !scripted[j] => {
                    let [v, w] = self.body_rows(p);
                    couple(j, v, block.transpose());
                    couple(j, w, block.transpose() * lever(p.arm));
                }
                (None, Some(q)) if !scripted[i] => {
                    let [v, w] = self.body_rows(q);
                    couple(i, v, block);
                    couple(i, w, block * lever(q.arm));
                }
                // A scripted vertex: its velocity is given.
                _ => {}
            }
        };
        for i in 0..self.len() {
            for s in a.near.row(i) {
                each(i, a.near.column[s] as usize, a.blocks[s]);
            }
            for s in a.far.row(i) {
                let block = DMat3::from_diagonal(DVec3::splat(a.numbers[s]));
                each(i, a.far.column[s] as usize, block);
            }
        }
        a.couplings.append(&mut couplings);
        for (body, block) in cross.into_iter().enumerate() {
            if block != DMat3::ZERO {
                let row = (self.len() + 2 * body) as u32;
                a.couplings.push(Coupling {
                    row,
                    column: row + 1,
                    block,
                });
            }
        }
    }

    /// Adds the inertia of the bodies, and the difference of their momentum at the
    /// start from that at the guess `u`.
    pub(super) fn add_bodies_inertia(
        &self,
        load: &ClothLoad,
        u: &[DVec3],
        a: &mut BlockMatrix,
        rhs: &mut [DVec3],
    ) {
        let n = self.len();
        for (k, body) in load.bodies.iter().enumerate() {
            let (v, w) = (n + 2 * k, n + 2 * k + 1);
            let (linear, angular) = (body.velocity - u[v], body.omega - u[w]);
            a.diagonal[v] = DMat3::from_diagonal(DVec3::splat(body.mass));
            a.diagonal[w] = body.inertia;
            rhs[v] += linear * body.mass;
            rhs[w] += body.inertia * angular;
            if body.offset != DVec3::ZERO {
                let b = lever(body.offset);
                a.diagonal[w] += b.transpose() * b * body.mass;
                let momentum = (linear + b * angular) * body.mass;
                rhs[v] += (b * angular) * body.mass;
                rhs[w] += body.offset.cross(momentum);
                a.couplings.push(Coupling {
                    row: v as u32,
                    column: w as u32,
                    block: b * body.mass,
                });
            }
        }
        // Rows without a body.
        for d in &mut a.diagonal[n + 2 * load.bodies.len()..] {
            *d = DMat3::IDENTITY;
        }
    }
}
