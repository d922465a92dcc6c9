//! The state of a contact relative to the surface that it may touch, with derivatives,
//! for all costs.
//!
//! The position of a patch follows from its frame. A ball or a knee touches with its
//! nearest point p = centre − r n, which depends on the normal n there. The surface may
//! move: gaps, normals and velocities are relative to it.

mod secant;
mod surface_gap;

pub use surface_gap::SurfaceGap;

use crate::costs::penetration::add_limb_point_gradients;
use crate::program::{Anchor, Program};
use crate::variables::{MomentGradient, MotionState};
use conatus_math::{DMat3, DVec3};
use secant::Secant;

/// The state of a contact at one moment.
#[derive(Clone, Copy, Debug)]
pub struct ContactState {
    /// The contact point, or the point that would touch.
    pub position: DVec3,
    /// From its axes to world axes; z away from the surface.
    pub matrix: DMat3,
    /// The vector from the nearest point of the surface.
    pub gap: DVec3,
    /// The normal of the surface there.
    pub normal: DVec3,
    /// Its velocity relative to the surface.
    pub velocity: DVec3,
    /// Its angular velocity relative to the surface; zero for contacts that may roll.
    pub spin: DVec3,
    approach: SurfaceGap,
}

/// The gradient of a scalar with respect to the fields of [`ContactState`].
#[derive(Clone, Copy, Debug)]
pub struct ContactStateGradient {
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

impl ContactStateGradient {
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

impl ContactState {
    /// Computes the state of contact `i`. The joints of limbs must be up to date.
    pub fn new(program: &Program, state: &MotionState, i: usize) -> Self {
        let spec = &program.contacts[i];
        let frame = &state.frames[spec.frame];
        let (centre, centre_velocity, radius) = match spec.anchor {
            Anchor::Patch => {
                let position = frame.point(spec.offset);
                let approach = SurfaceGap::new(program, state, spec.against, position);
                let (surface_velocity, surface_spin) = approach.surface_motion(program, state);
                return Self {
                    position,
                    matrix: frame.matrix * spec.turn,
                    gap: approach.gap,
                    normal: approach.normal,
                    velocity: frame.point_velocity(spec.offset) - surface_velocity,
                    // A foot on a limb of another character may turn on it.
                    spin: match approach.is_limb() {
                        true => DVec3::ZERO,
                        false => frame.omega - surface_spin,
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
                let centre_velocity = Secant::new(program, state, limb).velocity(joint + 1);
                (centre, centre_velocity, radius)
            }
        };
        let approach = SurfaceGap::new(program, state, spec.against, centre);
        let n = approach.normal;
        let roll_velocity = match spec.anchor {
            Anchor::Ball { .. } => frame.omega.cross(n * -radius),
            _ => DVec3::ZERO,
        };
        Self {
            position: centre - n * radius,
            matrix: axes_with_normal(n),
            gap: approach.gap - n * radius,
            normal: n,
            velocity: centre_velocity + roll_velocity - approach.surface_motion(program, state).0,
            spin: DVec3::ZERO,
            approach,
        }
    }

    /// The vector-Jacobian product of [`new`](Self::new): adds the gradient with respect
    /// to the frames.
    pub fn vector_jacobian_product(
        &self,
        program: &Program,
        state: &MotionState,
        i: usize,
        by: &ContactStateGradient,
        out: &mut MomentGradient,
    ) {
        let spec = &program.contacts[i];
        let approach = &self.approach;
        let by_spin = match approach.is_limb() {
            true => DVec3::ZERO,
            false => by.spin,
        };
        let by_surface_point =
            approach.surface_motion_vjp(program, state, -by.velocity, -by_spin, out);
        let (radius, mut by_normal) = match spec.anchor {
            Anchor::Patch => {
                let by_point =
                    approach.vector_jacobian_product(program, state, by.gap, by.normal, out);
                let frame = &state.frames[spec.frame];
                let gradient = &mut out.frames[spec.frame];
                gradient.add_point_gradient(spec.offset, by.position + by_point + by_surface_point);
                gradient.matrix += by.matrix * spec.turn.transpose();
                gradient.add_point_velocity_gradient(frame, spec.offset, by.velocity);
                gradient.omega += by_spin;
                return;
            }
            Anchor::Ball { radius } | Anchor::Joint { radius, .. } => (radius, by.normal),
        };
        by_normal -= (by.gap + by.position) * radius;
        by_normal += axes_with_normal_vjp(self.normal, &by.matrix);
        let mut by_centre = by.position + by_surface_point;
        match spec.anchor {
            Anchor::Ball { .. } => {
                let frame = &state.frames[spec.frame];
                let arm = self.normal * -radius;
                by_normal -= by.velocity.cross(frame.omega) * radius;
                by_centre +=
                    approach.vector_jacobian_product(program, state, by.gap, by_normal, out);
                let gradient = &mut out.frames[spec.frame];
                gradient.add_point_gradient(spec.offset, by_centre);
                gradient.add_point_velocity_gradient(frame, spec.offset, by.velocity);
                gradient.omega += arm.cross(by.velocity);
            }
            Anchor::Joint { limb, joint, .. } => {
                by_centre +=
                    approach.vector_jacobian_product(program, state, by.gap, by_normal, out);
                add_limb_point_gradients(program, state, limb, &[(joint + 1, by_centre)], out);
                if by.velocity != DVec3::ZERO {
                    Secant::new(program, state, limb)
                        .vector_jacobian_product(&[(joint + 1, by.velocity)], out);
                }
            }
            Anchor::Patch => {}
        }
    }
}

/// A coordinate axis that is not parallel to a normal.
fn other_axis(n: DVec3) -> DVec3 {
    if n.x.abs() < 0.6 { DVec3::X } else { DVec3::Y }
}

/// Axes whose z is n. Their rotation about n does not matter for point contacts.
fn axes_with_normal(n: DVec3) -> DMat3 {
    let a = other_axis(n);
    let x = (a - n * a.dot(n)).normalize();
    DMat3::from_cols(x, n.cross(x), n)
}

/// The vector-Jacobian product of [`axes_with_normal`].
fn axes_with_normal_vjp(n: DVec3, by: &DMat3) -> DVec3 {
    let a = other_axis(n);
    let raw = a - n * a.dot(n);
    let length = raw.length();
    let x = raw / length;
    let by_x = by.x_axis + by.y_axis.cross(n);
    let by_raw = (by_x - x * x.dot(by_x)) / length;
    by.z_axis + x.cross(by.y_axis) - (a * n.dot(by_raw) + by_raw * a.dot(n))
}
