//! Di Pierro §4 to §6 and §8: rotations, how they compose, spinning, and
//! quaternions.

use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};

fn axis() -> DVec3 {
    DVec3::new(-0.6, 0.2, 0.9).normalize()
}

fn near(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    a.abs_diff_eq(b, tolerance)
}

/// A rotation from geometry alone: the component along the axis is unchanged,
/// the component across it moves on a circle.
fn turned(p: DVec3, n: DVec3, angle: f64) -> DVec3 {
    let along = n * p.dot(n);
    let across = p - along;
    along + across * angle.cos() + n.cross(across) * angle.sin()
}

fn turn_matrix(n: DVec3, angle: f64) -> DMat3 {
    DMat3::from_cols(
        turned(DVec3::X, n, angle),
        turned(DVec3::Y, n, angle),
        turned(DVec3::Z, n, angle),
    )
}

/// Di Pierro (20)-(22): p′ = R p keeps lengths and scalar products, and keeps
/// right-handed frames right-handed.
#[test]
fn a_rotation_keeps_lengths_angles_and_handedness() {
    let pose = Pose::new(rotation::from_axis_angle(axis(), 2.2), DVec3::splat(9.0));
    let (p, q) = (DVec3::new(1.0, 2.0, -3.0), DVec3::new(0.5, -4.0, 1.5));
    let (p2, q2) = (pose.direction(p), pose.direction(q));
    assert!((p2 - rotation::to_matrix(pose.rotation) * p).length() < 1e-14);
    assert!((p2 - p).length() > 1.0, "something did turn");
    assert!((p2.length() - p.length()).abs() < 1e-14);
    assert!((p2.dot(q2) - p.dot(q)).abs() < 1e-14);
    assert!((p2.cross(q2) - pose.direction(p.cross(q))).length() < 1e-13);
}

/// Di Pierro (23)-(25): about each axis, the next axis turns towards the one
/// after it.
#[test]
fn turns_about_the_axes_have_their_printed_matrices() {
    let angle = 0.6f64;
    let (s, c) = angle.sin_cos();
    let about_x = rotation::rows([1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]);
    let about_y = rotation::rows([c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]);
    let about_z = rotation::rows([c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]);
    for (n, printed) in [
        (DVec3::X, about_x),
        (DVec3::Y, about_y),
        (DVec3::Z, about_z),
    ] {
        assert!(near(rotation::rodrigues(n, angle), printed, 1e-15));
        assert!(near(turn_matrix(n, angle), printed, 1e-15));
        let by_quaternion = rotation::to_matrix(rotation::from_axis_angle(n, angle));
        assert!(near(by_quaternion, printed, 1e-15));
    }
}

/// Di Pierro (26): the matrix about any direction, against geometry.
#[test]
fn a_turn_about_any_axis_moves_points_round_circles() {
    for angle in [-3.0, -0.2, 0.0, 0.9, 2.5] {
        assert!(near(
            rotation::rodrigues(axis(), angle),
            turn_matrix(axis(), angle),
            1e-15
        ));
        let by_exp = rotation::to_matrix(rotation::exp(axis() * angle));
        assert!(near(by_exp, turn_matrix(axis(), angle), 1e-14));
    }
}

/// Di Pierro (27)-(28): the later turn stands on the left.
#[test]
fn turns_compose_with_the_later_one_on_the_left() {
    let (m, beta) = (DVec3::new(0.1, 0.7, -0.4).normalize(), 1.3);
    let first = Pose::new(rotation::from_axis_angle(axis(), 0.8), DVec3::ZERO);
    let second = Pose::new(rotation::from_axis_angle(m, beta), DVec3::ZERO);
    let both = second.after(&first);
    let p = DVec3::new(1.0, 2.0, 3.0);
    let expected = turned(turned(p, axis(), 0.8), m, beta);
    assert!((both.direction(p) - expected).length() < 1e-14);
    let product = turn_matrix(m, beta) * turn_matrix(axis(), 0.8);
    assert!(near(rotation::to_matrix(both.rotation), product, 1e-14));
    let swapped = first.after(&second).direction(p);
    assert!((swapped - expected).length() > 0.1, "order matters");
}

/// Di Pierro (29): a rotation vector has the axis as direction and the angle
/// as length.
#[test]
fn a_rotation_vector_is_axis_times_angle() {
    let q = rotation::exp(axis() * 1.7);
    assert!((q - rotation::from_axis_angle(axis(), 1.7)).length() < 1e-15);
    assert_eq!(rotation::exp(DVec3::ZERO), DQuat::IDENTITY);
}

#[test]
fn the_series_of_a_small_rotation_has_all_digits() {
    for k in 0..200 {
        let v = axis() * (0.005 * f64::from(k));
        let (series, exact) = (rotation::exp_of_step(v), rotation::exp(v));
        assert!((series - exact).length() < 3e-16, "{v}");
    }
}

/// Di Pierro (30)-(31): small turns by ω dt, one after the other, add up to
/// the turn by ω t, whatever the orientation they start from.
#[test]
fn many_small_turns_make_the_whole_turn() {
    let start = rotation::from_axis_angle(DVec3::Y, 0.4);
    let omega = axis() * 2.0;
    let mut q = start;
    for _ in 0..1000 {
        q = rotation::exp(omega * 0.001) * q;
    }
    let expected = turn_matrix(axis(), 2.0) * turn_matrix(DVec3::Y, 0.4);
    assert!(near(rotation::to_matrix(q), expected, 1e-12));
}

/// Di Pierro (32)-(33): a spinning point is where the turn by ω t takes it.
#[test]
fn a_spinning_point_goes_round_in_the_period_of_its_spin() {
    let (omega, p) = (axis() * 3.0, DVec3::new(1.0, -1.0, 0.5));
    for t in [0.0, 0.3, 1.0] {
        let at = rotation::exp(omega * t) * p;
        assert!((at - turned(p, axis(), 3.0 * t)).length() < 1e-14);
    }
    let period = std::f64::consts::TAU / 3.0;
    assert!((rotation::exp(omega * period) * p - p).length() < 1e-14);
}

/// Di Pierro (58)-(59): the quaternion in (x, y, z, w) order, and its matrix
/// entry by entry with the first one corrected.
#[test]
fn the_quaternion_in_the_other_order_gives_the_same_matrix() {
    let angle = 1.9f64;
    let q = rotation::from_axis_angle(axis(), angle);
    let theta = [q.x, q.y, q.z, q.w];
    let half = (0.5 * angle).sin();
    let expected = [
        axis().x * half,
        axis().y * half,
        axis().z * half,
        (0.5 * angle).cos(),
    ];
    for (found, expected) in theta.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15);
    }
    let t = |i: usize, j: usize| 2.0 * theta[i] * theta[j];
    let printed = rotation::rows(
        [
            t(0, 0) + t(3, 3) - 1.0,
            t(0, 1) - t(2, 3),
            t(0, 2) + t(1, 3),
        ],
        [
            t(0, 1) + t(2, 3),
            t(1, 1) + t(3, 3) - 1.0,
            t(1, 2) - t(0, 3),
        ],
        [
            t(0, 2) - t(1, 3),
            t(0, 3) + t(1, 2),
            t(2, 2) + t(3, 3) - 1.0,
        ],
    );
    assert!(near(rotation::to_matrix(q), printed, 1e-15));
    assert!(near(printed, turn_matrix(axis(), angle), 1e-15));
}

/// Di Pierro (60)-(61): to first order a turn by β after θ̃ adds half of β θ̃;
/// what is left falls with the square of β.
#[test]
fn a_small_turn_adds_half_its_product_to_the_quaternion() {
    let q = rotation::from_axis_angle(axis(), 0.8);
    let n = DVec3::new(0.5, 0.5, -0.7).normalize();
    let error = |beta: f64| {
        let exact = rotation::from_axis_angle(n, beta) * q;
        let matrix = turn_matrix(n, beta) * turn_matrix(axis(), 0.8);
        assert!(near(rotation::to_matrix(exact), matrix, 1e-14));
        (q + rotation::quaternion_rate_world(q, n * beta) - exact).length()
    };
    let ratio = error(0.02) / error(0.01);
    assert!((ratio - 4.0).abs() < 0.05, "{ratio}");
}

/// Di Pierro (62)-(63): the product entry by entry, listed as (w, x, y, z),
/// and the change of a quaternion that spins with ω in world axes.
#[test]
fn the_rate_under_a_spin_in_world_axes_is_the_printed_product() {
    let q = rotation::from_axis_angle(axis(), 0.8);
    let theta = [q.x, q.y, q.z, q.w];
    let w = DVec3::new(1.2, -0.3, 0.5);
    let printed_wxyz = [
        -(w.x * theta[0] + w.y * theta[1] + w.z * theta[2]),
        w.x * theta[3] + w.y * theta[2] - w.z * theta[1],
        w.y * theta[3] + w.z * theta[0] - w.x * theta[2],
        w.z * theta[3] + w.x * theta[1] - w.y * theta[0],
    ];
    let rate = rotation::quaternion_rate_world(q, w);
    for (found, printed) in [rate.w, rate.x, rate.y, rate.z].iter().zip(printed_wxyz) {
        assert!((found - 0.5 * printed).abs() < 1e-15);
    }
    let at = |t: f64| rotation::from_axis_angle(w, w.length() * t) * q;
    let e = 1e-5;
    let change = (at(e) - at(-e)) * (0.5 / e);
    assert!((rate - change).length() < 1e-9);
}
