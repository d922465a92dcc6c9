//! Where a contact is, and where it is against what it may touch: with
//! derivatives, for every cost that asks.
//!
//! A patch lies where its frame puts it. A ball or a knee touches with the side
//! that is nearest, p = centre − r n, so its place depends on the normal n there.
//! What it touches may move: gaps, normals and velocities are relative to that.

mod approach;
mod secant;

pub use approach::Approach;

use crate::costs::penetration::pull_points;
use crate::program::{Anchor, Program};
use crate::variables::{Local, State};
use conatus_math::{DMat3, DVec3};
use secant::Secant;

/// A contact at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Where it touches, or would.
    pub position: DVec3,
    /// From its axes to world axes; z away from the surface.
    pub matrix: DMat3,
    /// How far it is from what it may touch.
    pub gap: DVec3,
    /// The normal of that.
    pub normal: DVec3,
    /// Its velocity relative to that.
    pub velocity: DVec3,
    /// Its angular velocity relative to that; nothing for what may roll.
    pub spin: DVec3,
    approach: Approach,
}

/// Derivatives of a number by what [`Touch`] holds.
#[derive(Clone, Copy, Debug)]
pub struct TouchGradient {
    /// By the position.
    pub position: DVec3,
    /// By the entries of the matrix.
    pub matrix: DMat3,
    /// By the gap.
    pub gap: DVec3,
    /// By the normal.
    pub normal: DVec3,
    /// By the velocity.
    pub velocity: DVec3,
    /// By the spin.
    pub spin: DVec3,
}

impl TouchGradient {
    /// All zero.
    pub const ZERO: Self = Self {
        position: DVec3::ZERO,
        matrix: DMat3::ZERO,
        gap: DVec3::ZERO,
        normal: DVec3::ZERO,
        velocity: DVec3::ZERO,
        spin: DVec3::ZERO,
    };
}

impl Touch {
    /// A contact at one moment. Limbs have been placed.
    pub fn new(program: &Program, state: &State, i: usize) -> Self {
        let spec = &program.contacts[i];
        let frame = &state.frames[spec.frame];
        let (centre, moves, radius) = match spec.anchor {
            Anchor::Patch => {
                let position = frame.point(spec.offset);
                let approach = Approach::new(program, state, spec.against, position);
                let (carried, turned) = approach.carried(program, state);
                return Self {
                    position,
                    matrix: frame.matrix * spec.turn,
                    gap: approach.gap,
                    normal: approach.normal,
                    velocity: frame.point_velocity(spec.offset) - carried,
                    // Who stands on somebody's limb may turn on it.
                    spin: match approach.is_limb() {
                        true => DVec3::ZERO,
                        false => frame.omega - turned,
                    },
                    approach,
                };
            }
            Anchor::Ball { radius } => {
                let centre = frame.point(spec.offset);
                (centre, frame.point_velocity(spec.offset), radius)
            }
            Anchor::Joint {
                limb,
                joint,
                radius,
            } => {
                let centre = state.limbs[limb].joints[joint];
                let moves = Secant::new(program, state, limb).velocity(joint + 1);
                (centre, moves, radius)
            }
        };
        let approach = Approach::new(program, state, spec.against, centre);
        let n = approach.normal;
        let rolls = match spec.anchor {
            Anchor::Ball { .. } => frame.omega.cross(n * -radius),
            _ => DVec3::ZERO,
        };
        Self {
            position: centre - n * radius,
            matrix: upright(n),
            gap: approach.gap - n * radius,
            normal: n,
            velocity: moves + rolls - approach.carried(program, state).0,
            spin: DVec3::ZERO,
            approach,
        }
    }

    /// The adjoint: adds what pulls at frames.
    pub fn pull(
        &self,
        program: &Program,
        state: &State,
        i: usize,
        by: &TouchGradient,
        out: &mut Local,
    ) {
        let spec = &program.contacts[i];
        let approach = &self.approach;
        let by_spin = match approach.is_limb() {
            true => DVec3::ZERO,
            false => by.spin,
        };
        let by_carried = approach.pull_carried(program, state, -by.velocity, -by_spin, out);
        let (radius, mut by_normal) = match spec.anchor {
            Anchor::Patch => {
                let by_point = approach.pull(program, state, by.gap, by.normal, out);
                let frame = &state.frames[spec.frame];
                let gradient = &mut out.frames[spec.frame];
                gradient.pull_point(spec.offset, by.position + by_point + by_carried);
                gradient.matrix += by.matrix * spec.turn.transpose();
                gradient.pull_point_velocity(frame, spec.offset, by.velocity);
                gradient.omega += by_spin;
                return;
            }
            Anchor::Ball { radius } | Anchor::Joint { radius, .. } => (radius, by.normal),
        };
        by_normal -= (by.gap + by.position) * radius;
        by_normal += pull_upright(self.normal, &by.matrix);
        let mut by_centre = by.position + by_carried;
        match spec.anchor {
            Anchor::Ball { .. } => {
                let frame = &state.frames[spec.frame];
                let arm = self.normal * -radius;
                by_normal -= by.velocity.cross(frame.omega) * radius;
                by_centre += approach.pull(program, state, by.gap, by_normal, out);
                let gradient = &mut out.frames[spec.frame];
                gradient.pull_point(spec.offset, by_centre);
                gradient.pull_point_velocity(frame, spec.offset, by.velocity);
                gradient.omega += arm.cross(by.velocity);
            }
            Anchor::Joint { limb, joint, .. } => {
                by_centre += approach.pull(program, state, by.gap, by_normal, out);
                pull_points(program, state, limb, &[(joint + 1, by_centre)], out);
                if by.velocity != DVec3::ZERO {
                    Secant::new(program, state, limb).pull(&[(joint + 1, by.velocity)], out);
                }
            }
            Anchor::Patch => {}
        }
    }
}

/// Which axis is farthest from a normal.
fn aside(n: DVec3) -> DVec3 {
    if n.x.abs() < 0.6 { DVec3::X } else { DVec3::Y }
}

/// Axes whose z is n; how they are turned about it does not matter to what touches
/// at a point.
fn upright(n: DVec3) -> DMat3 {
    let a = aside(n);
    let x = (a - n * a.dot(n)).normalize();
    DMat3::from_cols(x, n.cross(x), n)
}

/// The adjoint of [`upright`].
fn pull_upright(n: DVec3, by: &DMat3) -> DVec3 {
    let a = aside(n);
    let raw = a - n * a.dot(n);
    let length = raw.length();
    let x = raw / length;
    let by_x = by.x_axis + by.y_axis.cross(n);
    let by_raw = (by_x - x * x.dot(by_x)) / length;
    by.z_axis + x.cross(by.y_axis) - (a * n.dot(by_raw) + by_raw * a.dot(n))
}
