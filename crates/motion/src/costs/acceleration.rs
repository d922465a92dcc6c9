//! Smoothness of movements, the last term of Mordatch (9), and the clearance of
//! swinging feet:
//! ```text
//! Σ w |p̈|² + w |r̈|²          over torsos and effectors
//! Σ |v_t / (1 + (gap/g)²)|²   over effectors
//! ```
//! v_t is the velocity tangential to the surface. Without the second term, which the
//! paper does not have, feet that are not in contact are dragged along the ground.

use crate::program::Program;
use crate::surface::SoftNearestPoint;
use crate::variables::{MotionState, ResidualSink};
use conatus_math::DVec3;

/// Evaluates the cost of accelerations at one moment, q̈ of Mordatch (9).
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
    let w = &program.weights;
    for (frame, at) in state.frames.iter().enumerate() {
        let (path, turn) = if program.is_base[frame] {
            (w.torso_acceleration, w.torso_turning)
        } else {
            (w.effector_acceleration, w.effector_turning)
        };
        let (path, turn) = (path.sqrt(), turn.sqrt());
        let (a, r) = (at.acceleration * path, at.turn[2] * turn);
        let residual = [a.x, a.y, a.z, r.x, r.y, r.z];
        sink.rows(weight, &residual, &[frame], &[], |seed, local| {
            local.frames[frame].acceleration += DVec3::from_slice(seed) * path;
            local.frames[frame].turn[2] += DVec3::from_slice(&seed[3..]) * turn;
        });
    }
}

/// The height at which tangential motion costs a quarter, in metres.
const CLEARANCE_HEIGHT_M: f64 = 0.04;

/// Evaluates the cost of tangential motion close above a surface.
pub fn evaluate_clearance(
    program: &Program,
    weight: f64,
    state: &MotionState,
    sink: &mut impl ResidualSink,
) {
    let weight = weight * program.weights.clearance;
    if weight == 0.0 {
        return;
    }
    for spec in &program.limbs {
        let at = &state.frames[spec.effector];
        let near = SoftNearestPoint::new(&program.around, at.position);
        let n = near.normal;
        let gap = near.gap.dot(n);
        let factor = 1.0 / (1.0 + (gap / CLEARANCE_HEIGHT_M) * (gap / CLEARANCE_HEIGHT_M));
        let along = at.velocity - n * at.velocity.dot(n);
        let residual = along * factor;
        let rows = residual.to_array();
        sink.rows(weight, &rows, &[spec.effector], &[], |seed, local| {
            let seed = DVec3::from_slice(seed);
            let gradient = &mut local.frames[spec.effector];
            let tangential = seed - n * seed.dot(n);
            gradient.velocity += tangential * factor;
            let by_factor = seed.dot(along);
            let by_gap = by_factor * -2.0 * factor * factor * gap
                / (CLEARANCE_HEIGHT_M * CLEARANCE_HEIGHT_M);
            let by_normal = (seed * at.velocity.dot(n) + at.velocity * seed.dot(n)) * -factor
                + near.gap * by_gap;
            gradient.position += near.vector_jacobian_product(n * by_gap, by_normal);
        });
    }
}
