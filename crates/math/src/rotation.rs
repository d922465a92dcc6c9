//! Rotations as the two documents write them: quaternions, matrices, and the
//! conversions between them.
//!
//! Quaternions are [`DQuat`]; where a document lists components the order is
//! named in the comment, because Chaney writes (w, x, y, z) and Di Pierro
//! (x, y, z, w).

use glam::{DMat3, DQuat, DVec3};

/// The quaternion of a turn by `angle` radians about `axis`: Chaney (9), in
/// the other order Di Pierro (58). The axis need not have unit length; a zero
/// axis gives no turn at all.
#[inline]
pub fn from_axis_angle(axis: DVec3, angle: f64) -> DQuat {
    match axis.try_normalize() {
        Some(a) => {
            let (sin, cos) = libm::sincos(0.5 * angle);
            DQuat::from_xyzw(a.x * sin, a.y * sin, a.z * sin, cos)
        }
        None => DQuat::IDENTITY,
    }
}

/// The matrix of a unit quaternion: Chaney (10); Di Pierro (59) with its first
/// entry corrected.
#[inline]
pub fn to_matrix(q: DQuat) -> DMat3 {
    let (w, x, y, z) = (q.w, q.x, q.y, q.z);
    rows(
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (z * z + x * x),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    )
}

/// A quaternion of a rotation matrix, chosen with w ≥ 0 (Chaney §8.2,
/// `fromMatrix`).
pub fn from_matrix(r: DMat3) -> DQuat {
    let q = DQuat::from_mat3(&r).normalize();
    if q.w < 0.0 { -q } else { q }
}

/// The rate of change of the orientation quaternion under the angular
/// velocity `omega_body`, Chaney (14): half of Q times (0, ω).
pub fn quaternion_rate(q: DQuat, omega_body: DVec3) -> DQuat {
    (q * DQuat::from_xyzw(omega_body.x, omega_body.y, omega_body.z, 0.0)) * 0.5
}

/// The same rate for an angular velocity in *world* axes, Di Pierro (60)-(63):
/// half of (0, ω) times Q, the first order of a turn that comes after Q.
/// Di Pierro (62) lists its result as (w, x, y, z).
pub fn quaternion_rate_world(q: DQuat, omega: DVec3) -> DQuat {
    (DQuat::from_xyzw(omega.x, omega.y, omega.z, 0.0) * q) * 0.5
}

/// The rate of change of the orientation matrix, Chaney (12): Ṙ = R ω̃. The
/// integrators use the quaternion instead, which is cheaper to normalise.
pub fn matrix_rate(r: DMat3, omega_body: DVec3) -> DMat3 {
    r * skew(omega_body)
}

/// The matrix of a cross product, Chaney (13): `skew(w) * r == w.cross(r)`.
pub fn skew(w: DVec3) -> DMat3 {
    rows([0.0, -w.z, w.y], [w.z, 0.0, -w.x], [-w.y, w.x, 0.0])
}

/// The rotation by the vector `v`, about its direction and by its length in
/// radians: Di Pierro (26) and (29), the exponential map; for spinning at a
/// steady ω, `exp(omega * t)` is Di Pierro (30)-(33). Smooth through zero.
#[inline]
pub fn exp(v: DVec3) -> DQuat {
    let angle = v.length();
    // sin(θ/2)/θ; its series where the quotient would lose digits.
    let scale = if angle < 1e-4 {
        0.5 - angle * angle / 48.0
    } else {
        libm::sin(0.5 * angle) / angle
    };
    let xyz = v * scale;
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, libm::cos(0.5 * angle)).normalize()
}

/// [`exp`] to the last digits, by its series where the angle is small: several times faster
/// for the rotations of a time step.
#[inline]
pub fn exp_of_step(v: DVec3) -> DQuat {
    let square = v.length_squared();
    if square > 0.25 {
        return exp(v);
    }
    // Powers of x² for x = θ/2; the first terms left out are below 1e-19.
    const SINE: [f64; 7] = [
        1.0,
        -1.0 / 6.0,
        1.0 / 120.0,
        -1.0 / 5_040.0,
        1.0 / 362_880.0,
        -1.0 / 39_916_800.0,
        1.0 / 6_227_020_800.0,
    ];
    const COSINE: [f64; 7] = [
        1.0,
        -1.0 / 2.0,
        1.0 / 24.0,
        -1.0 / 720.0,
        1.0 / 40_320.0,
        -1.0 / 3_628_800.0,
        1.0 / 479_001_600.0,
    ];
    let s = 0.25 * square;
    let sum = |terms: [f64; 7]| terms.into_iter().rev().fold(0.0, |sum, c| sum * s + c);
    let (sine, cosine) = (sum(SINE), sum(COSINE));
    let xyz = v * (0.5 * sine);
    DQuat::from_xyzw(xyz.x, xyz.y, xyz.z, cosine)
}

/// The rotation vector v with `exp(v)` = `q`, of length at most π: the inverse
/// of [`exp`].
#[inline]
pub fn log(q: DQuat) -> DVec3 {
    // Of the two quaternions of a rotation, the one with the smaller angle.
    let q = if q.w < 0.0 { -q } else { q };
    let v = DVec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine < 1e-12 {
        return 2.0 * v;
    }
    v * (2.0 * libm::atan2(sine, q.w) / sine)
}

/// The rotation matrix about a unit axis `n`, Di Pierro (23)-(26) as printed.
pub fn rodrigues(n: DVec3, angle: f64) -> DMat3 {
    let (s, c) = libm::sincos(angle);
    let t = 1.0 - c;
    rows(
        [
            t * n.x * n.x + c,
            t * n.x * n.y - s * n.z,
            t * n.x * n.z + s * n.y,
        ],
        [
            t * n.x * n.y + s * n.z,
            t * n.y * n.y + c,
            t * n.y * n.z - s * n.x,
        ],
        [
            t * n.x * n.z - s * n.y,
            t * n.y * n.z + s * n.x,
            t * n.z * n.z + c,
        ],
    )
}

/// A matrix from its rows, as the documents print them.
pub fn rows(x: [f64; 3], y: [f64; 3], z: [f64; 3]) -> DMat3 {
    DMat3::from_cols_array_2d(&[x, y, z]).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis() -> DVec3 {
        DVec3::new(0.3, -0.5, 0.8).normalize()
    }

    #[test]
    fn the_three_ways_to_a_rotation_agree() {
        let q = from_axis_angle(axis(), 1.1);
        let r = to_matrix(q);
        assert!((r - rodrigues(axis(), 1.1)).abs_diff_eq(DMat3::ZERO, 1e-14));
        assert!((from_matrix(r) - q).length() < 1e-14);
        assert!((exp(axis() * 1.1) - q).length() < 1e-14);
    }

    #[test]
    fn the_exponential_map_is_smooth_through_zero() {
        assert_eq!(exp(DVec3::ZERO), DQuat::IDENTITY);
        for small in [1e-3, 1e-4, 0.99e-4, 1e-5, 1e-12] {
            let q = exp(axis() * small);
            let expected = axis() * (0.5 * small).sin();
            assert!((q.xyz() - expected).length() <= 1e-16 * small.max(1e-16) + 1e-19);
        }
    }

    #[test]
    fn a_zero_axis_gives_the_identity() {
        assert_eq!(from_axis_angle(DVec3::ZERO, 1.0), DQuat::IDENTITY);
    }
}
