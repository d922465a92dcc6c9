//! Chaney §4: orientation as quaternion and matrix, and their rates.

use conatus_math::{DMat3, DQuat, DVec3, rotation};

fn axis() -> DVec3 {
    DVec3::new(0.3, -0.5, 0.8).normalize()
}

fn near(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    a.abs_diff_eq(b, tolerance)
}

/// A turn by a series: the exponential of an antisymmetric matrix.
fn by_series(axis: DVec3, angle: f64) -> DMat3 {
    let a = rotation::rows(
        [0.0, -axis.z, axis.y],
        [axis.z, 0.0, -axis.x],
        [-axis.y, axis.x, 0.0],
    ) * angle;
    let (mut sum, mut term) = (DMat3::IDENTITY, DMat3::IDENTITY);
    for n in 1..40 {
        term = term * a * (1.0 / f64::from(n));
        sum += term;
    }
    sum
}

/// Chaney (9): half the angle, and a quarter turn about z takes x to y.
#[test]
fn a_quaternion_holds_half_the_angle_about_its_axis() {
    let q = rotation::from_axis_angle(axis() * 7.0, 1.1);
    assert!((q.w - 0.55f64.cos()).abs() < 1e-15);
    assert!((q.xyz() - axis() * 0.55f64.sin()).length() < 1e-15);
    let quarter = rotation::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_2);
    assert!((quarter * DVec3::X - DVec3::Y).length() < 1e-15);
}

/// Chaney (10): the matrix is that of the exponential series.
#[test]
fn the_matrix_of_a_quaternion_is_the_exponential_of_its_turn() {
    for angle in [-2.9, -0.4, 0.0, 1.1, 3.1] {
        let r = rotation::to_matrix(rotation::from_axis_angle(axis(), angle));
        assert!(near(r, by_series(axis(), angle), 1e-14));
        assert!(near(r * r.transpose(), DMat3::IDENTITY, 4e-15));
    }
}

/// Chaney (12): R changes by R ω̃ when the body rotates about its own axes.
#[test]
fn the_rate_of_the_matrix_is_the_change_of_a_turning_body() {
    let r0 = by_series(axis(), 0.7);
    let w = DVec3::new(0.4, 1.3, -0.9);
    let at = |t: f64| r0 * by_series(w.normalize(), w.length() * t);
    let e = 1e-5;
    let change = (at(e) - at(-e)) * (0.5 / e);
    assert!(near(rotation::matrix_rate(r0, w), change, 1e-9));
}

/// Chaney (13): the matrix of a cross product.
#[test]
fn the_skew_matrix_makes_cross_products() {
    let (w, r) = (DVec3::new(0.4, 1.3, -0.9), DVec3::new(2.0, -1.0, 0.5));
    let expected = DVec3::new(
        w.y * r.z - w.z * r.y,
        w.z * r.x - w.x * r.z,
        w.x * r.y - w.y * r.x,
    );
    assert!((rotation::skew(w) * r - expected).length() < 1e-15);
    assert_eq!(rotation::skew(w).transpose(), -rotation::skew(w));
}

/// Chaney (14): the matrix of the document, row by row, and the change of a
/// turning body's quaternion.
#[test]
fn the_rate_of_the_quaternion_is_the_change_of_a_turning_body() {
    let q = rotation::from_axis_angle(axis(), 0.7);
    let w = DVec3::new(0.4, 1.3, -0.9);
    let rate = rotation::quaternion_rate(q, w);
    let row = |x: f64, y: f64, z: f64| 0.5 * DVec3::new(x, y, z).dot(w);
    let expected = DQuat::from_xyzw(
        row(q.w, -q.z, q.y),
        row(q.z, q.w, -q.x),
        row(-q.y, q.x, q.w),
        row(-q.x, -q.y, -q.z),
    );
    assert!((rate - expected).length() < 1e-15);
    let at = |t: f64| q * rotation::from_axis_angle(w, w.length() * t);
    let e = 1e-5;
    let change = (at(e) - at(-e)) * (0.5 / e);
    assert!((rate - change).length() < 1e-9);
}
