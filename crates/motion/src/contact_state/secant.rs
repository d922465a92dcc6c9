//! Velocities of the points of a limb: its base, its joints and its tip.

use crate::character::LimbState;
use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::variables::{FrameGradient, FrameState, MomentGradient, MotionState};
use conatus_math::{DMat3, DVec3};

/// Half of the time step of the central difference, in seconds.
const HALF_STEP_S: f64 = 1e-3;

/// Velocities by a central difference of two states of the limb. The difference needs
/// only first derivatives of the limb for its exact gradient. Points are numbered from
/// the base, 0, to the tip.
pub(super) struct Secant<'a> {
    program: &'a Program,
    limb: usize,
    frames: [&'a FrameState; 2],
    moments: [LimbState; 2],
}

impl<'a> Secant<'a> {
    pub fn new(program: &'a Program, state: &'a MotionState, limb: usize) -> Self {
        let spec = &program.limbs[limb];
        let described = &program.characters[spec.character].limbs[spec.limb];
        let frames = [&state.frames[spec.torso], &state.frames[spec.effector]];
        let moments = [-HALF_STEP_S, HALF_STEP_S].map(|time| {
            let [torso, effector] = frames.map(|frame| advanced(frame, time));
            let mut at = LimbState::default();
            at.update(described, &torso, &effector, false);
            at
        });
        Self {
            program,
            limb,
            frames,
            moments,
        }
    }

    /// The velocity of a point.
    pub fn velocity(&self, point: usize) -> DVec3 {
        let [before, after] = &self.moments;
        (after.point(point) - before.point(point)) / (2.0 * HALF_STEP_S)
    }

    /// The vector-Jacobian product for several points.
    pub fn vector_jacobian_product(
        &self,
        by_velocities: &[(usize, DVec3)],
        out: &mut MomentGradient,
    ) {
        let spec = &self.program.limbs[self.limb];
        let described = &self.program.characters[spec.character].limbs[spec.limb];
        for (at, time) in self.moments.iter().zip([-HALF_STEP_S, HALF_STEP_S]) {
            let mut gradient = LimbGradient::default();
            gradient.clear(at.joints.len());
            for &(point, by_velocity) in by_velocities {
                *gradient.point(point) += by_velocity * (time.signum() / (2.0 * HALF_STEP_S));
            }
            let mut moved = [FrameGradient::ZERO; 2];
            let [torso, effector] = &mut moved;
            at.vector_jacobian_product(described, &gradient, torso, effector);
            // x + t v, and R + t ω × R column by column.
            for ((frame, at), moved) in [spec.torso, spec.effector]
                .into_iter()
                .zip(self.frames)
                .zip(&moved)
            {
                let into = &mut out.frames[frame];
                into.position += moved.position;
                into.velocity += moved.position * time;
                for k in 0..3 {
                    let (g, column) = (moved.matrix.col(k), at.matrix.col(k));
                    *into.matrix.col_mut(k) += g + g.cross(at.omega) * time;
                    into.omega += column.cross(g) * time;
                }
            }
        }
    }
}

/// A frame after a short time, to first order.
fn advanced(frame: &FrameState, time: f64) -> FrameState {
    let turned = |column: DVec3| column + frame.omega.cross(column) * time;
    let m = &frame.matrix;
    FrameState::at_rest(
        frame.position + frame.velocity * time,
        DMat3::from_cols(turned(m.x_axis), turned(m.y_axis), turned(m.z_axis)),
    )
}
