//! The rotations of a joint: their values, and the axes about which they change.

use crate::joint::Freedom;
use conatus_math::{DMat3, DQuat, DVec3, atan2};
use std::f64::consts::{PI, TAU};

const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];

/// a − b; angles by the shorter way.
pub fn difference(slot: usize, a: f64, b: f64) -> f64 {
    match slot >= 3 {
        true => wrapped(a - b),
        false => a - b,
    }
}

/// An angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    let turns = ((angle + PI) / TAU).floor();
    angle - turns * TAU
}

/// The values of the rotations of a joint (see [`Coordinates::Axes`](crate::joint::Coordinates::Axes)).
pub fn angles(angular: &[Freedom; 3], chain: bool, a: DQuat, b: DQuat) -> [f64; 3] {
    rotations(angular, chain, a, b).map(|(_, value)| value)
}

/// For each rotation the axis in the world about which it changes, and its value.
pub fn rotations(angular: &[Freedom; 3], chain: bool, a: DQuat, b: DQuat) -> [(DVec3, f64); 3] {
    let mut out = [(DVec3::ZERO, 0.0); 3];
    let mut q = a.conjugate() * b;
    if q.w < 0.0 {
        q = -q;
    }
    let part = [q.x, q.y, q.z];
    let twist = |k: usize| 2.0 * atan2(part[k], q.w);
    let mut free = [0; 3];
    let mut count = 0;
    for (k, freedom) in angular.iter().enumerate() {
        if !freedom.locked {
            free[count] = k;
            count += 1;
        }
    }
    match free[..count] {
        [] => {
            for k in 0..3 {
                out[k] = (a * AXES[k], 2.0 * part[k]);
            }
        }
        [k] => {
            let apart = (a * AXES[k]).cross(b * AXES[k]);
            for other in [(k + 1) % 3, (k + 2) % 3] {
                let axis = a * AXES[other];
                out[other] = (axis, apart.dot(axis));
            }
            out[k] = (a * AXES[k], twist(k));
        }
        [low, high] => {
            // The first frame carries the later axis, the second the earlier one.
            let (on_a, on_b) = (a * AXES[high], b * AXES[low]);
            let seen_a = a.conjugate() * on_b;
            let seen_b = b.conjugate() * on_a;
            let side_a = AXES[high].cross(AXES[low]);
            let side_b = AXES[low].cross(AXES[high]);
            out[high] = (on_a, atan2(seen_a.dot(side_a), seen_a.dot(AXES[low])));
            out[low] = (on_b, atan2(-seen_b.dot(side_b), seen_b.dot(AXES[high])));
            let locked = 3 - low - high;
            out[locked] = (on_b.cross(on_a), on_a.dot(on_b));
        }
        _ if chain => return hinges(a, b),
        _ => {
            let (za, zb) = (a * DVec3::Z, b * DVec3::Z);
            let (across, along) = (za.cross(zb), za.dot(zb));
            let sine = across.length();
            if sine > 1e-9 {
                out[0] = (across / sine, atan2(sine, along));
            }
            if along > -0.99 {
                out[2] = ((za + zb) / (1.0 + along), twist(2));
            }
        }
    }
    out
}

/// Three hinges one after another, about z, y and x, whose links have no mass.
///
/// With the axes a_k in the world, ω_b − ω_a = Σ θ̇_k a_k. A torque T between the bodies
/// does the work Σ T·a_k θ̇_k, so hinge k feels T·a_k. Both give the dual basis b_k with
/// b_k·a_j = δ_kj: θ̇_k = b_k·(ω_b − ω_a), and a torque of hinge k alone is along b_k.
fn hinges(a: DQuat, b: DQuat) -> [(DVec3, f64); 3] {
    /// The least cosine of the middle angle that is divided by: at a right angle the first
    /// and the last axis are parallel.
    const LEAST_COSINE: f64 = 1e-2;
    // The columns of Rz(ψ) Ry(θ) Rx(φ): the first is (cψ cθ, sψ cθ, −sθ), and the last row
    // is (−sθ, cθ sφ, cθ cφ).
    let r = DMat3::from_quat(a.conjugate() * b);
    let cosine = r.x_axis.x.hypot(r.x_axis.y);
    let first = atan2(r.x_axis.y, r.x_axis.x);
    let middle = atan2(-r.x_axis.z, cosine);
    let last = atan2(r.y_axis.z, r.z_axis.z);
    let (z, x) = (a * DVec3::Z, b * DVec3::X);
    // The middle axis is at right angles to both; z × x has the length cos θ.
    let across = z.cross(x);
    let Some(y) = across.try_normalize().filter(|_| cosine > LEAST_COSINE) else {
        return [(x, last), (DVec3::ZERO, middle), (DVec3::ZERO, first)];
    };
    let volume = across.dot(y);
    [
        (y.cross(z) / volume, last),
        (y, middle),
        (x.cross(y) / volume, first),
    ]
}
