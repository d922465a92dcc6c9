//! Limbs of which nothing is asked: w |Rᵀ(tip − base) − rest|².
//!
//! Limbs have no mass, so nothing makes an arm hang. This small pull towards a
//! place beside the body stands for its weight; the paper does not have it.

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
        let at = &state.limbs[i];
        let back = state.frames[spec.torso].matrix.transpose();
        let way = at.tip - at.base;
        let error = (back * way - rest).to_array();
        let frames = [spec.torso, spec.effector];
        sink.rows(weight * limb.comfort, &error, &frames, &[], |seed, out| {
            let seed = DVec3::from_slice(seed);
            let by_way = back.transpose() * seed;
            let gradient = LimbGradient {
                tip: by_way,
                base: -by_way,
                ..LimbGradient::default()
            };
            let [torso, effector] = out
                .frames
                .get_disjoint_mut(frames)
                .expect("a limb has two frames");
            at.pull(limb, &gradient, torso, effector);
            add_outer(&mut torso.matrix, way, seed);
        });
    }
}
