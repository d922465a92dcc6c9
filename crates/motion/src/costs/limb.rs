//! The limits of limbs (§4.2.2), one-sided squares:
//! ```text
//! max(d − d_max, 0)² + max(d_min − d, 0)²           the chord of the limb
//! max(cos swing − u·a, 0)²                          the first joint
//! max(cos tilt − z·k, 0)² + max(cos twist − y·(n × u), 0)²   the last joint
//! ```
//! with u along the limb, a its direction at rest, k from the last joint back
//! along the last link, n × u across the plane in which the limb bends, z and y
//! of the effector: the foot points where the knee does.

use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::variables::{Local, Sink, State, add_outer};
use conatus_math::DVec3;

/// Limbs stay this much within their reach, in metres: between the moments that
/// are looked at they stretch a little more.
const MARGIN: f64 = 0.004;

/// The cost of all limbs at one moment (Mordatch §4.2.2).
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    let w = &program.weights;
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        let at = &state.limbs[i];
        let frames = [spec.torso, spec.effector];
        let pull = |gradient: &LimbGradient, local: &mut Local| {
            let [torso, effector] = local
                .frames
                .get_disjoint_mut(frames)
                .expect("a limb has two frames");
            at.pull(limb, gradient, torso, effector);
        };
        let blank = LimbGradient::default;

        let too_long = at.chord - (spec.reach - MARGIN);
        let too_short = (spec.shortest + MARGIN) - at.chord;
        if limb.links.len() == 1 || too_long > 0.0 || too_short > 0.0 {
            let (residual, sign) = if limb.links.len() == 1 {
                (at.chord - spec.reach, 1.0)
            } else if too_long > 0.0 {
                (too_long, 1.0)
            } else {
                (too_short, -1.0)
            };
            sink.rows(weight * w.limb, &[residual], &frames, &[], |seed, local| {
                let mut gradient = blank();
                gradient.chord = sign * seed[0];
                pull(&gradient, local);
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
                    let mut gradient = blank();
                    gradient.along = direction * -seed[0];
                    pull(&gradient, local);
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
                    let mut gradient = blank();
                    let by_back = z * -seed[0];
                    let by_way = (by_back - back * back.dot(by_back)) / length;
                    gradient.clear(at.joints.len());
                    gradient.tip = -by_way;
                    match gradient.joints.last_mut() {
                        Some(joint) => *joint = by_way,
                        None => gradient.base = by_way,
                    }
                    pull(&gradient, local);
                    local.frames[spec.effector].matrix.z_axis += back * -seed[0];
                },
            );
        }
        let y = effector.matrix.y_axis;
        let side = at.out.cross(at.along);
        let twist = spec.twist_cos - y.dot(side);
        if twist > 0.0 {
            sink.rows(
                weight * w.joint_limit,
                &[twist],
                &frames,
                &[],
                |seed, local| {
                    // y·(n × u) = n·(u × y) = u·(y × n).
                    let mut gradient = blank();
                    gradient.out = at.along.cross(y) * -seed[0];
                    gradient.along = y.cross(at.out) * -seed[0];
                    pull(&gradient, local);
                    local.frames[spec.effector].matrix.y_axis += side * -seed[0];
                },
            );
        }
    }

    // Rotations stay away from where the exponential map is singular (2π).
    for (frame, at) in state.frames.iter().enumerate() {
        let angle = at.turn[0].length();
        let beyond = angle - WIDEST;
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

/// The farthest that a frame should turn from how it started, in radians.
const WIDEST: f64 = 4.7;
