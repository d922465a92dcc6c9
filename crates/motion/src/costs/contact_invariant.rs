//! L_CI, Mordatch (2) and (3):
//! ```text
//! Σ_i c_i (|e_i|² + w_n |z_i − n_i|² + |v_i|² + w_s |ω_i|²),    c = a²
//! ```
//! e is the way from the soft nearest point of the surroundings to the patch, n
//! the normal there and z that of the patch: |z − n| in place of the angle, which
//! has no derivative at zero. ė of the paper has no part along a plane, so that
//! feet would skate: here the patch's velocity relative to the surface counts.

use crate::program::Program;
use crate::touch::{Touch, TouchGradient};
use crate::variables::{Sink, State};
use conatus_math::DVec3;

/// The cost of all contacts at one moment, Mordatch (2).
pub fn deliver(program: &Program, state: &State, weight: f64, sink: &mut impl Sink) {
    let normal_share = program.weights.contact_normal.sqrt();
    let spin_share = program.weights.contact_spin.sqrt();
    for (i, contact) in program.contacts.iter().enumerate() {
        let a = state.contacts[i];
        let touch = Touch::new(program, state, i);
        let n = touch.normal;
        // What slides may move along the surface and turn about its normal.
        let (velocity, spin) = match contact.slides {
            true => (
                n * n.dot(touch.velocity),
                touch.spin - n * n.dot(touch.spin),
            ),
            false => (touch.velocity, touch.spin),
        };
        let parts = [
            touch.gap,
            (touch.matrix.z_axis - n) * normal_share,
            velocity,
            spin * spin_share,
        ];
        let mut residual = [0.0; 12];
        for (k, part) in parts.iter().enumerate() {
            residual[3 * k..3 * k + 3].copy_from_slice(&(*part * a).to_array());
        }
        let weight = weight * contact.hold;
        sink.rows(weight, &residual, &contact.frames, &[i], |seed, local| {
            let seeds: [DVec3; 4] = std::array::from_fn(|k| DVec3::from_slice(&seed[3 * k..]));
            for (part, seed) in parts.iter().zip(&seeds) {
                local.contacts[i] += part.dot(*seed);
            }
            let by_z = seeds[1] * (normal_share * a);
            let mut by = TouchGradient {
                gap: seeds[0] * a,
                normal: -by_z,
                velocity: seeds[2] * a,
                spin: seeds[3] * (spin_share * a),
                ..TouchGradient::ZERO
            };
            by.matrix.z_axis = by_z;
            if contact.slides {
                let (v, w) = (touch.velocity, touch.spin);
                let (by_v, by_w) = (by.velocity, by.spin);
                by.velocity = n * n.dot(by_v);
                by.spin = by_w - n * n.dot(by_w);
                by.normal += v * n.dot(by_v) + by_v * n.dot(v);
                by.normal -= w * n.dot(by_w) + by_w * n.dot(w);
            }
            touch.pull(program, state, i, &by, local);
        });
    }
}
