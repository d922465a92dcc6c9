//! The rest position of limbs without a goal: w |Rᵀ(tip − base) − rest|².
//!
//! Limbs have no mass, so arms do not hang by themselves. This small cost replaces
//! their weight; the paper does not have it. Limbs with a goal are exempt, because they
//! would bend towards the rest position.

use super::task::Feature;
use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::variables::{MotionState, ResidualSink, add_outer};
use conatus_math::DVec3;

/// Evaluates the cost of all limbs at one moment.
pub fn evaluate(program: &Program, weight: f64, state: &MotionState, sink: &mut impl ResidualSink) {
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        let (Some(rest), true) = (limb.rest, limb.comfort > 0.0) else {
            continue;
        };
        let has_goal = |f: &Feature| matches!(f, Feature::Limb { limb, .. } if *limb == i);
        if program
            .task_terms
            .iter()
            .any(|term| has_goal(&term.feature))
        {
            continue;
        }
        evaluate_target(program, weight * limb.comfort, i, rest, state, sink);
    }
}

/// The vector from base to tip of a limb minus a target, in torso axes.
pub fn target_error(program: &Program, limb: usize, target: DVec3, state: &MotionState) -> DVec3 {
    let at = &state.limbs[limb];
    let back = state.frames[program.limbs[limb].torso].matrix.transpose();
    back * (at.tip - at.base) - target
}

/// Evaluates the squared [`target_error`].
pub fn evaluate_target(
    program: &Program,
    weight: f64,
    limb: usize,
    target: DVec3,
    state: &MotionState,
    sink: &mut impl ResidualSink,
) {
    let (spec, at) = (&program.limbs[limb], &state.limbs[limb]);
    let error = target_error(program, limb, target, state).to_array();
    let frames = [spec.torso, spec.effector];
    sink.rows(weight, &error, &frames, &[], |seed, out| {
        let seed = DVec3::from_slice(seed);
        let by_offset = state.frames[spec.torso].matrix * seed;
        let gradient = LimbGradient {
            tip: by_offset,
            base: -by_offset,
            ..LimbGradient::default()
        };
        let [torso, effector] = out
            .frames
            .get_disjoint_mut(frames)
            .expect("a limb has two frames");
        let described = &program.characters[spec.character].limbs[spec.limb];
        at.vector_jacobian_product(described, &gradient, torso, effector);
        add_outer(&mut torso.matrix, at.tip - at.base, seed);
    });
}
