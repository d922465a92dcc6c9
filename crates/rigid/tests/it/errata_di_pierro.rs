//! Errors in Di Pierro's equations: each is computed here as printed, fails
//! against an independent check, and the code does not. See docs/errata.md; the
//! errata of the program are in errata_cylon.rs.

use crate::support::{assert_matrix_near, assert_near, assert_ratio, general_state, largest};
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_rigid::MassProperties;
use conatus_rigid::contact::impulse::{
    Meeting, Participant, collide, friction_impulse, normal_impulse,
};
use conatus_rigid::mass::parallel_axis;

/// Di Pierro (21): a determinant of 1 does not keep lengths; a shear has one.
#[test]
fn a_determinant_of_one_does_not_make_a_rotation() {
    let shear = rotation::rows([1.0, 2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(shear.determinant(), 1.0);
    assert!((shear * DVec3::Y).length() > 2.0);
    let r = general_state().rotation();
    assert_ratio(r.determinant(), 1.0, 1e-15);
    assert_matrix_near(r * r.transpose(), DMat3::IDENTITY, 1e-15);
}

/// Di Pierro (43): m|r|² ω is the angular momentum only for ω across r; in
/// general it is the tensor of (47).
#[test]
fn angular_momentum_is_along_omega_only_across_the_arm() {
    let (m, r, omega) = (2.0, DVec3::new(1.0, 2.0, 0.0), DVec3::new(0.0, 3.0, 1.0));
    let truth = r.cross(omega.cross(r)) * m;
    let printed = omega * (m * r.length_squared());
    assert!((printed - truth).length() > 1.0);
    assert_near(parallel_axis(m, r) * omega, truth, 1e-14);
}

/// Di Pierro (57): with the arm in body axes the velocity of a vertex is that
/// of another point; the arm must be rotated first.
#[test]
fn the_velocity_of_a_vertex_needs_the_turned_arm() {
    let s = general_state();
    let vertex = DVec3::new(0.5, 1.0, -0.7);
    let later = |t: f64| {
        let turn = rotation::rodrigues(s.omega().normalize(), s.omega().length() * t);
        turn * (s.rotation() * vertex) + s.position + s.velocity * t
    };
    let truth = (later(1e-5) - later(-1e-5)) / 2e-5;
    let printed = s.omega().cross(vertex) + s.velocity;
    assert!((printed - truth).length() > 0.1);
    assert_near(s.velocity_at(s.point_position(vertex)), truth, 1e-9);
}

/// Di Pierro (59): with θ₁ instead of θ₃ in its first entry the matrix is not a
/// rotation.
#[test]
fn the_first_entry_of_the_quaternion_s_matrix_takes_the_scalar_part() {
    let axis = DVec3::new(0.4, -0.3, 0.8).normalize();
    let q = rotation::from_axis_angle(axis, 1.3);
    let truth = crate::support::matrix_by_conjugation(q);
    let mut printed = truth;
    printed.x_axis.x = 2.0 * (q.x * q.x + q.y * q.y) - 1.0;
    assert!(largest(printed * printed.transpose() - DMat3::IDENTITY) > 0.1);
    let corrected = 2.0 * (q.x * q.x + q.w * q.w) - 1.0;
    assert_ratio(corrected, truth.x_axis.x, 1e-14);
    assert_matrix_near(rotation::to_matrix(q), truth, 1e-15);
}

/// Di Pierro (61): the sum is the rotated quaternion to first order only, and
/// is longer than 1.
#[test]
fn adding_half_the_product_is_a_turn_only_to_first_order() {
    let q = rotation::from_axis_angle(DVec3::X, 0.4);
    let beta = DVec3::new(0.0, 0.6, 0.0);
    let truth = rotation::from_axis_angle(DVec3::Y, 0.6) * q;
    let printed = q + rotation::quaternion_rate_world(q, beta);
    assert!((printed - truth).length() > 0.01);
    assert!((rotation::exp(beta) * q - truth).length() < 1e-15);
}

/// Di Pierro (62): its rows are (w, x, y, z), while (58) has w last; in the
/// order of (58) the result is wrong.
#[test]
fn the_product_of_a_spin_and_a_quaternion_lists_w_first() {
    let q = rotation::from_axis_angle(DVec3::new(0.4, -0.3, 0.8), 1.3);
    let w = DVec3::new(0.3, 0.9, -0.5);
    let rows = [
        -(w.x * q.x + w.y * q.y + w.z * q.z),
        w.x * q.w + w.y * q.z - w.z * q.y,
        w.y * q.w + w.z * q.x - w.x * q.z,
        w.z * q.w + w.x * q.y - w.y * q.x,
    ]
    .map(|x| 0.5 * x);
    let at = |t: f64| rotation::from_axis_angle(w, w.length() * t) * q;
    let truth = (at(1e-5) - at(-1e-5)) * (0.5 / 1e-5);
    let xyzw = conatus_math::DQuat::from_array(rows);
    assert!((xyzw - truth).length() > 0.1);
    let wxyz = conatus_math::DQuat::from_xyzw(rows[1], rows[2], rows[3], rows[0]);
    assert!((wxyz - truth).length() < 1e-9);
    assert!((rotation::quaternion_rate_world(q, w) - truth).length() < 1e-9);
}

/// Di Pierro (66): offsets are from the centre of mass; from the sum of the
/// positions, which p_total would be by the pattern of (64), the tensor is
/// far too large.
#[test]
fn parts_are_offset_from_the_centre_of_mass() {
    let parts = [
        (1.0, DVec3::X),
        (2.0, DVec3::new(3.0, 1.0, 0.0)),
        (1.5, DVec3::Z),
    ];
    let truth = MassProperties::from_particles(&parts);
    let total: DVec3 = parts.iter().map(|p| p.1).sum();
    let printed = parts.iter().fold(DMat3::ZERO, |sum, (m, p)| {
        sum + parallel_axis(*m, *p - total)
    });
    assert!(largest(printed - truth.inertia) > 1.0);
    let point = |m: f64| MassProperties {
        mass: m,
        centre: DVec3::ZERO,
        inertia: DMat3::ZERO,
    };
    let found = MassProperties::combine(&parts.map(|(m, p)| (point(m), Pose::shift(p))));
    assert_matrix_near(found.inertia, truth.inertia, 1e-14);
}

fn particle(mass: f64, velocity: DVec3) -> Participant {
    Participant {
        velocity,
        omega: DVec3::ZERO,
        inverse_mass: 1.0 / mass,
        inverse_inertia: DMat3::ZERO,
    }
}

const HEAD_ON: Meeting = Meeting {
    arm_a: DVec3::ZERO,
    arm_b: DVec3::ZERO,
    normal: DVec3::X,
    friction: 0.0,
};

/// Di Pierro (71)-(72): an impulse changes a momentum by J; by J/m, unequal
/// particles would not keep their momentum.
#[test]
fn an_impulse_changes_momentum_by_itself_not_by_itself_over_mass() {
    let (m_a, m_b, v_a, v_b, c): (f64, f64, f64, f64, f64) = (3.0, 0.5, 2.0, -1.0, 1.0);
    let j = (c + 1.0) * (v_b - v_a) / (1.0 / m_a + 1.0 / m_b);
    let printed = (m_a * v_a + j / m_a) + (m_b * v_b - j / m_b);
    let truth = m_a * v_a + m_b * v_b;
    assert!((printed - truth).abs() > 1.0);
    let (mut a, mut b) = (particle(m_a, DVec3::X * v_a), particle(m_b, DVec3::X * v_b));
    let found = collide(&mut a, &mut b, &HEAD_ON, c * (v_a - v_b));
    assert_ratio(found.x, j, 1e-15);
    assert_ratio(m_a * a.velocity.x + m_b * b.velocity.x, truth, 1e-15);
}

/// Di Pierro (74): the middle of the printed line divides by m again; a
/// particle that bounces off a wall keeps its speed for c = 1.
#[test]
fn an_elastic_particle_keeps_its_speed_at_a_wall() {
    let (m, v): (f64, f64) = (0.25, 3.0);
    let limit_of_j = 2.0 * m * -v;
    let printed_velocity = (m * v + limit_of_j / m) / m;
    assert!((printed_velocity.abs() - v).abs() > 1.0);
    let (mut a, mut wall) = (particle(m, DVec3::X * v), Participant::FIXED);
    collide(&mut a, &mut wall, &HEAD_ON, v);
    assert_near(a.velocity, DVec3::X * -v, 1e-15);
    assert_eq!(wall, Participant::FIXED);
}

fn spinning_pair() -> (Participant, Participant, Meeting) {
    let body = |mass: f64, velocity, omega| Participant {
        velocity,
        omega,
        inverse_mass: 1.0 / mass,
        inverse_inertia: DMat3::from_diagonal(DVec3::new(2.0, 1.0, 0.8) / mass),
    };
    let a = body(2.0, DVec3::new(1.0, 0.3, 0.0), DVec3::new(0.2, -0.7, 0.4));
    let b = body(1.0, DVec3::new(-1.5, 0.0, 0.6), DVec3::new(0.5, 0.2, -0.6));
    let at = Meeting {
        arm_a: DVec3::new(0.9, 0.2, 0.1),
        arm_b: DVec3::new(-0.7, -0.1, 0.3),
        normal: DVec3::X,
        friction: 0.5,
    };
    (a, b, at)
}

fn relative(a: &Participant, b: &Participant, at: &Meeting) -> DVec3 {
    b.velocity_at(at.arm_b) - a.velocity_at(at.arm_a)
}

/// Di Pierro (75): with its minus sign and (77), (79) the impulse drives the
/// bodies into each other. The program's `impluse` also has c − 1 and a
/// difference of one velocity with itself, which gives zero.
#[test]
fn the_normal_impulse_drives_bodies_apart() {
    let (a, b, at) = spinning_pair();
    let before = relative(&a, &b, &at).dot(at.normal);
    assert!(before < 0.0, "they close in");
    let right = normal_impulse(&a, &b, &at, 0.8 * -before);
    let after = |impulse: DVec3| {
        let (mut a, mut b) = (a, b);
        a.push(impulse, at.arm_a);
        b.push(-impulse, at.arm_b);
        relative(&a, &b, &at).dot(at.normal)
    };
    assert!(
        after(-right) < 2.0 * before,
        "as printed they close in faster"
    );
    assert_ratio(after(right), -0.8 * before, 1e-13);
}

/// Di Pierro (76): (1 + c_f) reverses the sliding, and a direction across the
/// relative velocity would give no friction.
#[test]
fn friction_stops_sliding_and_never_reverses_it() {
    let (a, b, mut at) = spinning_pair();
    at.friction = 1e3;
    let v = relative(&a, &b, &at);
    let sliding = v - at.normal * v.dot(at.normal);
    let stopping = friction_impulse(&a, &b, &at, 1.0);
    let after = |impulse: DVec3| {
        let (mut a, mut b) = (a, b);
        a.push(impulse, at.arm_a);
        b.push(-impulse, at.arm_b);
        relative(&a, &b, &at).dot(sliding.normalize())
    };
    let c_f = 0.6;
    assert!(after(stopping * (1.0 + c_f)) < -0.5 * sliding.length());
    assert!(after(stopping).abs() < 1e-13);
    let across = at.normal.cross(v).normalize();
    assert!(v.dot(across).abs() < 1e-14, "the printed t sees no sliding");
    at.friction = 0.5;
    let bounded = friction_impulse(&a, &b, &at, 0.1);
    assert_ratio(bounded.length(), 0.05, 1e-14);
}

/// Di Pierro (78), (80): added to the torque, an impulse would rotate a body
/// more the longer the step; it changes L at once.
#[test]
fn the_rotation_by_an_impulse_does_not_depend_on_the_step() {
    let (mut a, mut b, at) = spinning_pair();
    let tensor = a.inverse_inertia.inverse();
    let before = tensor * a.omega;
    let closing = -relative(&a, &b, &at).dot(at.normal);
    let j = collide(&mut a, &mut b, &at, closing);
    let truth = before + at.arm_a.cross(j);
    for dt in [0.016, 0.001] {
        let printed = before + at.arm_a.cross(j) * dt;
        assert!((printed - truth).length() > 0.1);
    }
    assert_near(tensor * a.omega, truth, 1e-14);
}
