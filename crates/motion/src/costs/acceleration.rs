//! What makes movements smooth, the last term of Mordatch (9), and the height of
//! swinging feet:
//! ```text
//! Σ w |p̈|² + w |r̈|²          over torsos and effectors
//! Σ |v_t / (1 + (gap/g)²)|²   over effectors
//! ```
//! v_t is the velocity along the surface. Without the second, which the paper
//! does not have, feet that are not in contact are dragged along the ground.

use crate::program::Program;
use crate::surface::Nearness;
use crate::variables::{Sink, State};
use conatus_math::DVec3;

/// The cost of accelerations at one moment, q̈ of Mordatch (9).
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
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

/// The height at which moving along costs a quarter, in metres.
const CLEARANCE: f64 = 0.04;

/// The cost of moving along close above a surface.
pub fn clearance(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    let weight = weight * program.weights.clearance;
    if weight == 0.0 {
        return;
    }
    for spec in &program.limbs {
        let at = &state.frames[spec.effector];
        let near = Nearness::new(&program.around, at.position);
        let n = near.normal;
        let gap = near.gap.dot(n);
        let slow = 1.0 / (1.0 + (gap / CLEARANCE) * (gap / CLEARANCE));
        let along = at.velocity - n * at.velocity.dot(n);
        let residual = along * slow;
        let rows = residual.to_array();
        sink.rows(weight, &rows, &[spec.effector], &[], |seed, local| {
            let seed = DVec3::from_slice(seed);
            let gradient = &mut local.frames[spec.effector];
            let flat = seed - n * seed.dot(n);
            gradient.velocity += flat * slow;
            let by_slow = seed.dot(along);
            let by_gap = by_slow * -2.0 * slow * slow * gap / (CLEARANCE * CLEARANCE);
            let by_normal =
                (seed * at.velocity.dot(n) + at.velocity * seed.dot(n)) * -slow + near.gap * by_gap;
            gradient.position += near.pull(n * by_gap, by_normal);
        });
    }
}
