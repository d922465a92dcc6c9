//! Limits of limbs (§4.2.2), one-sided squared penalties:
//! ```text
//! max(d − d_max, 0)² + max(d_min − d, 0)²           the chord of the limb
//! max(cos swing − u·a, 0)²                          the first joint
//! max(cos tilt − z·k, 0)² + max(cos twist − y·(n × u), 0)²   the last joint
//! ```
//! with u along the limb, a its direction at rest, k from the last joint back
//! along the last link, n × u the normal of the bending plane, and z and y the axes of
//! the effector. The twist limit turns the foot where the knee points.

use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::variables::{MomentGradient, MotionState, ResidualSink, add_outer};
use conatus_math::DVec3;

/// Limbs stay this far within their reach, in metres, because they stretch a little
/// more between samples.
const REACH_MARGIN_M: f64 = 0.0025;

/// Evaluates the cost of all limbs at one moment (Mordatch §4.2.2).
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
    let w = &program.weights;
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        let at = &state.limbs[i];
        let frames = [spec.torso, spec.effector];
        let add_gradient = |gradient: &LimbGradient, local: &mut MomentGradient| {
            let [torso, effector] = local
                .frames
                .get_disjoint_mut(frames)
                .expect("a limb has two frames");
            at.vector_jacobian_product(limb, gradient, torso, effector);
        };
        let zero = LimbGradient::default;

        let too_long = at.chord - (spec.reach - REACH_MARGIN_M);
        let too_short = (spec.shortest + REACH_MARGIN_M) - at.chord;
        if limb.links.len() == 1 || too_long > 0.0 || too_short > 0.0 {
            let (residual, sign) = if limb.links.len() == 1 {
                (at.chord - spec.reach, 1.0)
            } else if too_long > 0.0 {
                (too_long, 1.0)
            } else {
                (too_short, -1.0)
            };
            sink.rows(weight * w.limb, &[residual], &frames, &[], |seed, local| {
                let mut gradient = zero();
                gradient.chord = sign * seed[0];
                add_gradient(&gradient, local);
            });
        }

        let torso = &state.frames[spec.torso];
        let direction = torso.matrix * limb.direction;
        let swing = spec.swing_cos - at.along.dot(direction);
        if swing > 0.0 {
            sink.rows(
                weight * w.joint_limit,
                &[swing],
                &frames,
                &[],
                |seed, local| {
                    let mut gradient = zero();
                    gradient.along = direction * -seed[0];
                    add_gradient(&gradient, local);
                    let matrix = &mut local.frames[spec.torso].matrix;
                    add_outer(matrix, at.along * -seed[0], limb.direction);
                },
            );
        }

        let effector = &state.frames[spec.effector];
        let back = at.last_joint() - at.tip;
        let length = back.length().max(1e-6);
        let back = back / length;
        let z = effector.matrix.z_axis;
        let tilt = spec.tilt_cos - z.dot(back);
        if tilt > 0.0 {
            sink.rows(
                weight * w.joint_limit,
                &[tilt],
                &frames,
                &[],
                |seed, local| {
                    let mut gradient = zero();
                    let by_back = z * -seed[0];
                    let by_offset = (by_back - back * back.dot(by_back)) / length;
                    gradient.clear(at.joints.len());
                    gradient.tip = -by_offset;
                    match gradient.joints.last_mut() {
                        Some(joint) => *joint = by_offset,
                        None => gradient.base = by_offset,
                    }
                    add_gradient(&gradient, local);
                    local.frames[spec.effector].matrix.z_axis += back * -seed[0];
                },
            );
        }
        let y = effector.matrix.y_axis;
        let side = at.bend_direction.cross(at.along);
        let twist = spec.twist_cos - y.dot(side);
        if twist > 0.0 {
            sink.rows(
                weight * w.joint_limit,
                &[twist],
                &frames,
                &[],
                |seed, local| {
                    // y·(n × u) = n·(u × y) = u·(y × n).
                    let mut gradient = zero();
                    gradient.bend_direction = at.along.cross(y) * -seed[0];
                    gradient.along = y.cross(at.bend_direction) * -seed[0];
                    add_gradient(&gradient, local);
                    local.frames[spec.effector].matrix.y_axis += side * -seed[0];
                },
            );
        }
    }

    // Rotations stay away from the singularity of the exponential map at 2π.
    for (frame, at) in state.frames.iter().enumerate() {
        let angle = at.turn[0].length();
        let beyond = angle - MAX_ROTATION_RAD;
        if beyond > 0.0 {
            let direction: DVec3 = at.turn[0] / angle;
            sink.rows(
                weight * w.joint_limit,
                &[beyond],
                &[frame],
                &[],
                |seed, local| {
                    local.frames[frame].turn[0] += direction * seed[0];
                },
            );
        }
    }
}

/// The largest rotation of a frame from its start orientation, in radians.
const MAX_ROTATION_RAD: f64 = 4.7;
