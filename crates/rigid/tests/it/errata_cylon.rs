//! Errors in Di Pierro's program `cylon.cpp`: its formulas, written out here,
//! fail against an independent check, and the code does not. See
//! docs/errata.md.

use crate::support::{
    G, Universe, assert_matrix_near, assert_near, assert_ratio, general_state, largest, material,
    moving, resting,
};
use conatus_geometry::Shape;
use conatus_math::{DMat3, DVec3, rotation};
use conatus_rigid::contact::Collider;
use conatus_rigid::forces::{Drag, End, Hull, Reach, Spring, UpAxis, Water, Wave};
use conatus_rigid::mass::parallel_axis;
use conatus_rigid::{Activity, Bodies, Constants, MassProperties, State};
use std::sync::Arc;

/// `Body(m)` stores m = 1 and 1/m independently, so weight and inertia disagree
/// and a heavy body falls more slowly.
#[test]
fn a_heavy_body_falls_like_a_light_one() {
    let (given, g) = (5.0, 9.8);
    let (stored, inverse) = (1.0, 1.0 / given);
    let printed: f64 = stored * g * inverse;
    assert!((printed - g).abs() > 5.0);
    let mut u = Universe::new(0.01, DVec3::Y * -g);
    u.add(given, DVec3::ONE, resting(DVec3::ZERO));
    u.run(100);
    assert_ratio(u.state(0).velocity.y, -g, 1e-12);
}

/// `omega = inv_I*L` uses the tensor in body axes as one in world axes; the
/// axis of a top that spins about its symmetry axis would move.
#[test]
fn angular_velocity_needs_the_tensor_of_the_turned_body() {
    let moments = DVec3::new(1.0, 1.0, 4.0);
    let mut s = State {
        orientation: rotation::from_axis_angle(DVec3::X, 1.0),
        ..State::default()
    };
    let axis = s.rotation() * DVec3::Z;
    let l = axis * 8.0;
    let printed = l / moments;
    assert!(printed.cross(axis).length() > 1.0);
    s.set_angular_momentum(l, moments);
    assert_near(s.omega(), axis * 2.0, 1e-14);
}

/// Entry (Z, Y) of the program's inverse matrix is wrong; merging rotated
/// bodies needs full tensors and their inverse.
#[test]
fn a_tensor_times_its_inverse_is_the_identity() {
    let r = rotation::to_matrix(rotation::exp(DVec3::new(0.5, -0.7, 0.2)));
    let m = r * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5)) * r.transpose();
    let e = |row: usize, column: usize| m.col(column)[row];
    let truth = m.inverse();
    let printed_zy = (e(2, 1) * e(0, 1) - e(2, 1) * e(0, 0)) / m.determinant();
    let right_zy = (e(2, 0) * e(0, 1) - e(2, 1) * e(0, 0)) / m.determinant();
    assert!((printed_zy - truth.y_axis.z).abs() > 0.01);
    assert_ratio(right_zy, truth.y_axis.z, 1e-13);
    // In principal axes the code divides by three moments instead.
    let mut s = general_state();
    let l = DVec3::new(0.3, -0.2, 0.9);
    s.orientation = rotation::from_matrix(r);
    s.set_angular_momentum(l, DVec3::new(1.0, 2.0, 2.5));
    assert_near(m * s.omega(), l, 1e-14);
}

/// `dI` groups its ternary wrongly: the diagonal is m|r|², without −r_j².
#[test]
fn the_diagonal_of_a_moved_mass_leaves_its_own_axis_out() {
    let (m, r) = (2.0, DVec3::new(3.0, 1.0, 0.0));
    let printed_xx = m * r.length_squared();
    let truth_xx = m * (r.y * r.y + r.z * r.z);
    assert!((printed_xx - truth_xx).abs() > 10.0);
    assert_ratio(parallel_axis(m, r).x_axis.x, truth_xx, 1e-15);
}

/// `operator+` multiplies arm and momentum as a scalar product and ignores the
/// spin of the parts: two bodies that pass each other would merge to rest.
#[test]
fn merging_keeps_the_angular_momentum_of_passing_and_of_spinning() {
    let mut bodies = Bodies::new();
    let c = Constants::new(1.0, DVec3::splat(0.4));
    let mut spinning = moving(DVec3::Y, DVec3::X);
    spinning.omega_body = DVec3::Z * 3.0;
    bodies.add(c, spinning, Activity::Free);
    bodies.add(c, moving(-DVec3::Y, -DVec3::X), Activity::Free);
    // (p − p_cm)·K is zero for both, so the program finds no angular momentum.
    let printed = DVec3::Y.dot(DVec3::X) + (-DVec3::Y).dot(-DVec3::X);
    assert_eq!(printed, 0.0);
    let truth = DVec3::Z * (-1.0 - 1.0 + 0.4 * 3.0);
    bodies.merge(&[0, 1]);
    let merged = bodies.mover_state(0);
    assert_near(
        merged.angular_momentum(bodies.constants(0).moments),
        truth,
        1e-14,
    );
    assert_near(merged.velocity, DVec3::ZERO, 1e-15);
}

fn pinned(position: DVec3, length: f64) -> Universe {
    let mut u = Universe::new(0.01, DVec3::ZERO);
    u.add(1.0, DVec3::ONE, resting(position));
    u.push(Spring {
        a: End::Body(0, DVec3::ZERO),
        b: End::Pin(DVec3::ZERO),
        stiffness: 4.0,
        length,
        damping: 0.0,
    });
    u
}

/// `AnchoredSpringForce` pushes a stretched spring's body further away.
#[test]
fn a_stretched_spring_pulls_towards_its_pin() {
    let d = DVec3::X * 2.0;
    let printed = 4.0 * (2.0 - 1.0) * d / 2.0;
    assert!(printed.x > 0.0, "away from the pin");
    let mut u = pinned(d, 1.0);
    assert_near(u.loads()[0].force, DVec3::X * -4.0, 1e-15);
    u.run(50);
    assert!(u.state(0).position.x < 2.0);
}

/// `AnchoredSpringForce` divides by zero when the body is at the pin.
#[test]
fn a_spring_whose_ends_meet_has_no_force() {
    let printed = 4.0 * (0.0 - 1.0) * DVec3::ZERO / 0.0;
    assert!(printed.is_nan());
    let mut u = pinned(DVec3::ZERO, 1.0);
    assert_eq!(u.loads()[0].force, DVec3::ZERO);
    u.run(10);
    assert!(u.state(0).is_finite_and_slower_than_light());
}

/// `FrictionForce` multiplies by dt: half the step, half the drag.
#[test]
fn drag_does_not_depend_on_the_step() {
    let (gamma, mass, v0) = (0.5, 1.0, 3.0);
    let truth = v0 * (-gamma / mass * 2.0f64).exp();
    let end = |h: f64| {
        let mut u = Universe::new(h, DVec3::ZERO);
        u.add(mass, DVec3::ONE, moving(DVec3::ZERO, DVec3::X * v0));
        u.push(Drag {
            reach: Reach::All,
            linear: gamma,
            angular: 0.0,
        });
        u.run((2.0 / h).round() as usize);
        u.state(0).velocity.x
    };
    for h in [0.04, 0.02, 0.01] {
        let printed = v0 * (1.0 - gamma / mass * h * h).powf(2.0 / h);
        assert!((printed - truth).abs() > 1.0, "{printed}");
        assert_ratio(end(h), truth, 1e-8);
    }
}

fn floating_box(z: f64, x: f64) -> Universe {
    let mut u = Universe::new(0.01, crate::support::DOWN);
    let half_extents = DVec3::new(0.5, 0.4, 0.3);
    u.add(200.0, DVec3::splat(20.0), resting(DVec3::new(x, 0.0, z)));
    u.push(Water {
        up: UpAxis::Z,
        level: 0.0,
        density: 1000.0,
        gravity: G,
        linear_drag: 0.0,
        drag_coefficient: 0.0,
        current: DVec3::ZERO,
        extent: None,
        waves: vec![Wave {
            amplitude: 0.1,
            wave_vector: [0.5, 0.0],
            angular_frequency: 0.2,
            phase: 0.0,
        }],
        hulls: vec![Hull {
            body: 0,
            mesh: Arc::new(Shape::Box { half_extents }.mesh()),
        }],
    });
    u
}

/// `Water` tests whether the centre is under water: a box with a wet lower part
/// would have no buoyancy, one barely under the full buoyancy at once.
#[test]
fn a_box_with_a_dry_centre_is_carried_by_its_wet_part() {
    let mut u = floating_box(0.2, 0.0);
    let wet_depth = 0.1;
    let truth = 1000.0 * G * (1.0 * 0.8 * wet_depth);
    let printed = if u.state(0).position.z < 0.0 {
        1.0
    } else {
        0.0
    };
    assert_eq!(printed, 0.0);
    // The wave is odd in x, so at t = 0 it adds nothing to the volume.
    assert_ratio(u.loads()[0].force.z, truth, 1e-3);
    // And its force is not proportional to the step.
    u.h = 0.001;
    assert_ratio(u.loads()[0].force.z, truth, 1e-3);
}

/// `Water` has a grid of 41 × 41 heights for ±5 m and reads past its end
/// beyond; here the surface is defined everywhere.
#[test]
fn water_reaches_as_far_as_a_body_goes() {
    let index = ((7.0 + 5.0) / 0.25) as usize;
    assert!(index > 40, "outside the program's grid");
    for x in [7.0, -7.0, 1e4] {
        let force = floating_box(0.0, x).loads()[0].force;
        assert!(force.is_finite() && force.z > 1000.0, "{x}: {force}");
    }
}

/// `All2AllCollisions` leaves out the 1 of 1 + c: for c = 1 its balls stick
/// instead of exchanging their velocities.
#[test]
fn equal_elastic_balls_exchange_their_velocities() {
    let (m, v, c) = (1.0, DVec3::X * 2.0, 1.0);
    let closing = -v;
    let printed = v - (-c * m * m / (m + m)) * closing / m;
    assert_near(printed, DVec3::X, 1e-15);
    let mut u = Universe::new(0.01, DVec3::ZERO);
    u.add_ball(m, 0.5, c, 0.0, moving(DVec3::ZERO, v));
    u.add_ball(m, 0.5, c, 0.0, resting(DVec3::X * 1.01));
    u.run(3);
    assert_near(u.state(0).velocity, DVec3::ZERO, 1e-14);
    assert_near(u.state(1).velocity, v, 1e-14);
}

/// `All2AllCollisions` uses the whole closing velocity: smooth balls in an
/// oblique collision would be slowed along the surface too.
#[test]
fn smooth_balls_keep_their_velocity_along_the_surface() {
    let velocity = DVec3::new(1.0, 3.0, 0.0);
    let printed = velocity - 0.5 * velocity;
    assert!((printed.y - velocity.y).abs() > 1.0);
    let mut u = Universe::new(1e-6, DVec3::ZERO);
    u.add_ball(1.0, 0.5, 1.0, 0.0, moving(DVec3::ZERO, velocity));
    u.add_ball(1.0, 0.5, 1.0, 0.0, resting(DVec3::X * 0.999_999));
    u.step();
    assert_near(u.state(0).velocity, DVec3::Y * 3.0, 1e-5);
    assert_near(u.state(1).velocity, DVec3::X, 1e-5);
}

/// `All2AllCollisions` tests each pair twice and each body with itself.
#[test]
fn every_pair_is_tested_once_and_no_body_with_itself() {
    let mut u = Universe::new(0.001, DVec3::ZERO);
    for i in 0..5 {
        let at = DVec3::X * (0.9 * f64::from(i));
        u.add_ball(1.0, 0.5, 1.0, 0.0, resting(at));
    }
    u.step();
    let mut pairs: Vec<_> = u
        .contacts
        .iter()
        .map(|c| (c.a, c.b.expect("a pair")))
        .collect();
    pairs.sort_unstable();
    assert_eq!(pairs, [(0, 1), (1, 2), (2, 3), (3, 4)]);
    // The program's loops visit a pair from both sides, and each body with
    // itself.
    let mut visits = 0;
    for i in 0..5 {
        for j in 0..5 {
            let apart = (0.9 * f64::from(j) - 0.9 * f64::from(i)).abs();
            visits += usize::from(1.0 - apart > 0.0);
        }
    }
    assert_eq!(visits, 2 * pairs.len() + 5);
}

/// `PlaneConstraint` makes every touching ball roll; a smooth one slides and
/// keeps its spin.
#[test]
fn a_smooth_ball_slides_without_turning() {
    let (radius, velocity) = (0.5, DVec3::new(2.0, 0.0, -1.0));
    // As printed, with n into the plane: L = −r n × (K − (n·K) n).
    let n = -DVec3::Z;
    let printed_l = n.cross(velocity - n * velocity.dot(n)) * -radius;
    assert!(printed_l.length() > 0.9);
    let mut u = Universe::new(0.01, DVec3::ZERO);
    u.add_floor();
    u.add_ball(1.0, radius, 0.9, 0.0, moving(DVec3::Z * 0.505, velocity));
    u.run(5);
    assert_eq!(u.state(0).omega_body, DVec3::ZERO);
    assert_near(u.state(0).velocity, DVec3::new(2.0, 0.0, 0.9), 1e-14);
}

/// The program's balls have I = m times the unit matrix at any size; a uniform
/// ball has 2/5 m r².
#[test]
fn a_uniform_ball_is_easier_to_turn_than_the_program_s() {
    let radius = 0.5;
    let ball = Shape::Sphere { radius };
    let by_mesh = MassProperties::of_mesh(&ball.mesh(), 1.0).inertia;
    let found = MassProperties::of_shape(&ball, 1.0).unwrap().inertia;
    assert!(largest(found - by_mesh) < 0.02 * largest(found));
    assert!(largest(DMat3::IDENTITY - by_mesh) > 0.8);
    // Given directly, the program's tensor is valid.
    let given = MassProperties::new(1.0, DVec3::ZERO, DMat3::IDENTITY).expect("a body");
    assert_matrix_near(given.inertia, DMat3::IDENTITY, 0.0);
}

/// A step ends after the moment of impact. With the speed at its end, and
/// lifted out of the plane, a ball would gain height with every bounce.
#[test]
fn an_elastic_ball_bounces_to_its_height_for_ever() {
    let (h, radius, top) = (0.01, 0.5, 1.5);
    let (mut z, mut v) = (top, 0.0);
    let mut u = Universe::new(h, crate::support::DOWN);
    u.add_floor();
    u.add(1.0, DVec3::ONE, resting(DVec3::Z * top));
    let ball = Shape::Sphere { radius };
    u.engine.add(Collider::on_body(0, ball, material(1.0, 0.0)));
    for _ in 0..20_000 {
        u.step();
        z += v * h - 0.5 * G * h * h;
        v -= G * h;
        if z < radius {
            z = radius;
            v = f64::abs(v);
        }
    }
    let plain = 0.5 * v * v + G * z;
    assert!(plain > 1.2 * G * top, "{plain}");
    assert_ratio(u.energy(), G * top, 1e-9);
}
