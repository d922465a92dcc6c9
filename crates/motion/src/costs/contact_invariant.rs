//! L_CI, Mordatch (2) and (3):
//! ```text
//! Σ_i c_i (|e_i|² + w_n |z_i − n_i|² + |v_i|² + w_s |ω_i|²),    c = a²
//! ```
//! e is the vector from the soft nearest point of the surroundings to the patch, n the
//! normal there and z that of the patch: |z − n| replaces the angle, which has no
//! derivative at zero. ė of the paper has no tangential part on a plane, so feet would
//! skate: here the patch's velocity relative to the surface counts.
//!
//! Every effector has a contact with every object and every other character, and nearly
//! all of these are inactive. Where a contact with a moving surface
//! [fades out](Program::contact_fade), this cost fades into c · (1 m)², which needs no
//! distance.

use crate::contact_state::{ContactState, ContactStateGradient};
use crate::program::{ContactFade, Program};
use crate::variables::{MotionState, ResidualSink};
use conatus_math::DVec3;

/// Evaluates the cost of all contacts at one moment, Mordatch (2).
pub fn evaluate(program: &Program, state: &MotionState, weight: f64, sink: &mut impl ResidualSink) {
    let normal_share = program.weights.contact_normal.sqrt();
    let spin_share = program.weights.contact_spin.sqrt();
    for (i, contact) in program.contacts.iter().enumerate() {
        let fading = program.contact_fade(i, state.contacts[i]);
        let Some((a, by_a)) = evaluate_faded(state.contacts[i], fading, weight, i, sink) else {
            continue;
        };
        let touch = ContactState::new(program, state, i);
        let n = touch.normal;
        // A sliding contact may move along the surface and turn about its normal.
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
                local.contacts[i] += by_a * part.dot(*seed);
            }
            let by_z = seeds[1] * (normal_share * a);
            let mut by = ContactStateGradient {
                gap: seeds[0] * a,
                normal: -by_z,
                velocity: seeds[2] * a,
                spin: seeds[3] * (spin_share * a),
                ..ContactStateGradient::ZERO
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
            touch.vector_jacobian_product(program, state, i, &by, local);
        });
    }
}

/// Evaluates the faded part of the cost of a contact. Returns the value that replaces a
/// in the other part, and its derivative by a; none if the contact is off.
fn evaluate_faded(
    a: f64,
    fading: ContactFade,
    weight: f64,
    i: usize,
    sink: &mut impl ResidualSink,
) -> Option<(f64, f64)> {
    let (off, rest) = match fading {
        ContactFade::Full => return Some((a, 1.0)),
        ContactFade::Off => ((a, 1.0), None),
        ContactFade::Partial { t, slope } => {
            // Roots of the shares 1 − 3t² + 2t³ = (1 − t)² (1 + 2t) and t² (3 − 2t).
            let (u, v) = ((1.0 + 2.0 * t).sqrt(), (3.0 - 2.0 * t).sqrt());
            let (off, on) = ((1.0 - t) * u, t * v);
            let by_off = slope * ((1.0 - t) / u - u);
            let by_on = slope * (v - t / v);
            ((a * off, off + a * by_off), Some((a * on, on + a * by_on)))
        }
    };
    sink.rows(weight, &[off.0], &[], &[i], |seed, local| {
        local.contacts[i] += seed[0] * off.1;
    });
    rest
}
