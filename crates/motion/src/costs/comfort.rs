//! Limbs of which nothing is asked: w |Rᵀ(tip − base) − rest|².
//!
//! Limbs have no mass, so nothing makes an arm hang. This small pull towards a
//! place beside the body stands for its weight; the paper does not have it. Arms
//! that are to carry are left alone, or they would bend to be nearer to it.

use super::task::Feature;
use crate::character::limb::LimbGradient;
use crate::program::Program;
use crate::variables::{Sink, State, add_outer};
use conatus_math::DVec3;

/// The cost of all limbs at one moment.
pub fn deliver(program: &Program, weight: f64, state: &State, sink: &mut impl Sink) {
    for (i, spec) in program.limbs.iter().enumerate() {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        let (Some(rest), true) = (limb.rest, limb.comfort > 0.0) else {
            continue;
        };
        let is_asked = |f: &Feature| matches!(f, Feature::Limb { limb, .. } if *limb == i);
        if program.aims.iter().any(|aim| is_asked(&aim.feature)) {
            continue;
        }
        towards(program, weight * limb.comfort, i, rest, state, sink);
    }
}

/// How far the way from a limb's base to its tip is from a target in torso axes.
pub fn away(program: &Program, limb: usize, target: DVec3, state: &State) -> DVec3 {
    let at = &state.limbs[limb];
    let back = state.frames[program.limbs[limb].torso].matrix.transpose();
    back * (at.tip - at.base) - target
}

/// What that costs.
pub fn towards(
    program: &Program,
    weight: f64,
    limb: usize,
    target: DVec3,
    state: &State,
    sink: &mut impl Sink,
) {
    let (spec, at) = (&program.limbs[limb], &state.limbs[limb]);
    let error = away(program, limb, target, state).to_array();
    let frames = [spec.torso, spec.effector];
    sink.rows(weight, &error, &frames, &[], |seed, out| {
        let seed = DVec3::from_slice(seed);
        let by_way = state.frames[spec.torso].matrix * seed;
        let gradient = LimbGradient {
            tip: by_way,
            base: -by_way,
            ..LimbGradient::default()
        };
        let [torso, effector] = out
            .frames
            .get_disjoint_mut(frames)
            .expect("a limb has two frames");
        let described = &program.characters[spec.character].limbs[spec.limb];
        at.pull(described, &gradient, torso, effector);
        add_outer(&mut torso.matrix, at.tip - at.base, seed);
    });
}
