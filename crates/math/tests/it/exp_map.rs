//! The exponential map against slow references: quaternions, paths, central
//! differences.

use conatus_math::exp_map::{Rotation, re_centre};
use conatus_math::{DMat3, DVec3, rotation};
use std::f64::consts::PI;

/// Angles on both sides of every branch, of π and of a whole turn.
const ANGLES: [f64; 18] = [
    0.0,
    1e-300,
    1e-12,
    1e-7,
    1e-4,
    0.01,
    0.3,
    1.0,
    1.99,
    2.01,
    2.7,
    PI - 1e-3,
    PI,
    PI + 1e-3,
    4.0,
    5.5,
    6.2,
    8.0,
];

fn unit(i: usize) -> DVec3 {
    let s = i as f64;
    DVec3::new((s * 1.3).sin(), (s * 0.7 + 0.4).cos(), (s + 0.2).sin()).normalize()
}

/// A vector of length about 1 that depends on a number.
fn some(k: usize) -> DVec3 {
    unit(3 * k + 1) * (1.0 + 0.3 * (k as f64).sin())
}

/// Every angle about several axes, with rates.
fn cases() -> impl Iterator<Item = [DVec3; 3]> {
    let all = ANGLES.iter().enumerate();
    all.flat_map(|(i, &angle)| {
        (0..5).map(move |j| {
            [
                unit(5 * i + j) * angle,
                some(i + j) * 2.0,
                some(7 * i + j) * 5.0,
            ]
        })
    })
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |a, b| a.max(b.abs()))
}

#[test]
fn the_matrix_is_that_of_the_quaternion() {
    for [r, r_dot, r_ddot] in cases() {
        let matrix = Rotation::new(r, r_dot, r_ddot).matrix;
        let reference = rotation::to_matrix(rotation::exp(r));
        assert!(largest(matrix - reference) < 4e-15, "{r}");
        assert!(largest(matrix * matrix.transpose() - DMat3::IDENTITY) < 4e-15);
    }
}

/// Central differences of the fourth order.
fn slope<T>(f: impl Fn(f64) -> T, e: f64) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    ((f(e) - f(-e)) * 8.0 - (f(2.0 * e) - f(-2.0 * e))) * (1.0 / (12.0 * e))
}

#[test]
fn angular_velocity_and_acceleration_are_those_of_the_path() {
    for [r, v, a] in cases() {
        // A cubic, to show that the third derivative has no effect.
        let at = |t: f64| r + v * t + a * (0.5 * t * t) + some(9) * (t * t * t);
        let rate = |t: f64| v + a * t + some(9) * (3.0 * t * t);
        let change = |t: f64| a + some(9) * (6.0 * t);
        let path = |t: f64| Rotation::new(at(t), rate(t), change(t));
        let here = path(0.0);
        let turning = slope(|t| path(t).matrix, 1e-3) * here.matrix.transpose();
        let error = largest(turning - rotation::skew(here.omega));
        assert!(
            error < 1e-9 * (1.0 + here.omega.length()),
            "{r}: ω {error:e}"
        );
        let error = (slope(|t| path(t).omega, 1e-3) - here.alpha).length();
        assert!(
            error < 1e-9 * (1.0 + here.alpha.length()),
            "{r}: α {error:e}"
        );
    }
}

#[test]
fn the_left_jacobian_makes_angular_velocity_of_rates() {
    for [r, v, a] in cases() {
        let rotation = Rotation::new(r, v, a);
        assert!((rotation.left_jacobian() * v - rotation.omega).length() < 1e-14);
    }
}

#[test]
fn the_adjoint_is_the_gradient_by_central_differences() {
    let mut worst = 0.0f64;
    for (i, [r, v, a]) in cases().enumerate() {
        let g = DMat3::from_cols(some(i), some(i + 1), some(i + 2));
        let (w, z) = (some(i + 3), some(i + 4));
        let number = |r, v, a| {
            let at = Rotation::new(r, v, a);
            let entries = g.to_cols_array().into_iter().zip(at.matrix.to_cols_array());
            entries.map(|(g, m)| g * m).sum::<f64>() + w.dot(at.omega) + z.dot(at.alpha)
        };
        let gradient = Rotation::new(r, v, a).adjoint(&g, w, z);
        for axis in DVec3::AXES {
            let e = 2e-3;
            for (exact, difference) in [
                (gradient.r, slope(|t| number(r + axis * t, v, a), e)),
                (gradient.r_dot, slope(|t| number(r, v + axis * t, a), e)),
                (gradient.r_ddot, slope(|t| number(r, v, a + axis * t), e)),
            ] {
                let scale = 1.0 + exact.length();
                worst = worst.max((exact.dot(axis) - difference).abs() / scale);
            }
        }
    }
    assert!(worst < 1e-10, "{worst:e}");
}

#[test]
fn results_are_continuous_where_the_formulas_change() {
    // The branch is at |r| = 2: values on its two sides differ by rounding.
    for i in 0..50 {
        let (n, v, a) = (unit(i), some(i), some(i + 1));
        let (g, w, z) = (DMat3::from_cols(v, a, n), some(i + 2), some(i + 3));
        let [below, above] = [-1e-15, 1e-15].map(|e| Rotation::new(n * (2.0 + e), v, a));
        assert!(largest(below.matrix - above.matrix) < 1e-14);
        assert!((below.alpha - above.alpha).length() < 1e-13);
        let [below, above] = [below, above].map(|rotation| rotation.adjoint(&g, w, z));
        assert!((below.r - above.r).length() < 1e-12);
        assert!((below.r_dot - above.r_dot).length() < 1e-13);
    }
}

#[test]
fn re_centring_changes_the_vector_and_nothing_else() {
    for [r, v, a] in cases() {
        let [near, near_dot, near_ddot] = re_centre(r, v, a);
        assert!(near.length() <= PI);
        if r.length() <= PI {
            assert_eq!([near, near_dot, near_ddot], [r, v, a]);
        }
        let (far, near) = (
            Rotation::new(r, v, a),
            Rotation::new(near, near_dot, near_ddot),
        );
        assert!(largest(far.matrix - near.matrix) < 1e-14);
        // Close to a whole turn the rates of the new vector are large.
        let scale = near_dot.length() + near_ddot.length();
        assert!((far.omega - near.omega).length() < 1e-14 * scale, "{r}");
        assert!((far.alpha - near.alpha).length() < 1e-13 * scale, "{r}");
    }
}

#[test]
fn non_finite_inputs_do_not_panic_or_hang() {
    for bad in [f64::NAN, f64::INFINITY, 1e200] {
        let rotation = Rotation::new(DVec3::splat(bad), DVec3::X, DVec3::Y);
        let gradient = rotation.adjoint(&DMat3::IDENTITY, DVec3::X, DVec3::Y);
        assert!(!gradient.r.is_finite());
        re_centre(DVec3::splat(bad), DVec3::X, DVec3::Y);
    }
}
