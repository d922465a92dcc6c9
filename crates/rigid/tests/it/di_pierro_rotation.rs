//! Di Pierro §6 and §7: spinning points, torque and angular momentum, and
//! Euler's method in momenta with rotation.

use crate::support::{
    Universe, assert_matrix_near, assert_near, assert_ratio, general_state, resting,
};
use conatus_math::{DMat3, DVec3, rotation};
use conatus_rigid::forces::{Push, ReferenceFrame};
use conatus_rigid::mass::parallel_axis;
use conatus_rigid::{Integrator, Load, MassProperties, State};

const MASS: f64 = 2.0;
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 2.5);
const DT: f64 = 0.02;

fn universe(integrator: Integrator, force: DVec3, point_body: DVec3) -> Universe {
    let mut u = Universe::new(DT, DVec3::ZERO);
    u.integrator = integrator;
    u.add(MASS, MOMENTS, general_state());
    u.push(Push {
        body: 0,
        force,
        point_body,
        torque: DVec3::ZERO,
        frame: ReferenceFrame::World,
        from: 0.0,
        until: f64::INFINITY,
    });
    u
}

/// Di Pierro (31): ω in world axes is the body's ω rotated with the body;
/// points on that axis do not move.
#[test]
fn angular_velocity_in_world_axes_is_the_body_s_turned() {
    let s = general_state();
    let w = s.omega();
    assert_ratio(w.length(), s.omega_body.length(), 1e-14);
    assert_near(s.velocity_at(s.position + w * 3.0), s.velocity, 1e-13);
    let r = crate::support::matrix_by_conjugation(s.orientation);
    assert_near(w, r * s.omega_body, 1e-14);
}

/// Di Pierro (34)-(36): the difference quotient of a spinning point tends to
/// ω × p, with an error in proportion to dt.
#[test]
fn a_spinning_point_moves_across_its_axis_and_arm() {
    let omega = DVec3::new(0.4, -1.0, 2.0);
    let p = DVec3::new(1.0, 2.0, -0.5);
    let s = State {
        omega_body: omega,
        ..State::default()
    };
    let expected = DVec3::new(
        omega.y * p.z - omega.z * p.y,
        omega.z * p.x - omega.x * p.z,
        omega.x * p.y - omega.y * p.x,
    );
    assert_near(s.velocity_at(p), expected, 1e-15);
    let error = |dt: f64| {
        let turn = rotation::rodrigues(omega.normalize(), omega.length() * dt);
        ((turn * p - p) / dt - s.velocity_at(p)).length()
    };
    assert_ratio(error(2e-4) / error(1e-4), 2.0, 0.01);
}

/// Di Pierro (37)-(39): the law for momenta, crossed with the arm: for a point
/// mass, r × F is the change of r × K per time.
#[test]
fn the_law_for_momenta_holds_crossed_with_the_arm() {
    let force = DVec3::new(0.5, 1.0, -2.0);
    let mut u = universe(Integrator::MomentumEuler, force, DVec3::ZERO);
    let before = u.state(0);
    u.step();
    let r = before.position;
    let change = r.cross(u.state(0).momentum(MASS)) - r.cross(before.momentum(MASS));
    assert_near(change / DT, r.cross(force), 1e-12);
}

/// Di Pierro (40): only the component of a force across the arm gives a torque,
/// force times lever arm.
#[test]
fn torque_is_the_lever_times_the_force_across_it() {
    let s = resting(DVec3::new(1.0, 1.0, 1.0));
    let twist = |force: DVec3, arm: DVec3| {
        let mut load = Load::default();
        load.add_force_at(&s, force, s.position + arm);
        load.torque_body
    };
    assert_near(twist(DVec3::Y * 3.0, DVec3::X * 2.0), DVec3::Z * 6.0, 1e-15);
    assert_near(twist(DVec3::X * 3.0, DVec3::X * 2.0), DVec3::ZERO, 1e-15);
    let angle = 0.7f64;
    let oblique = DVec3::new(angle.cos(), angle.sin(), 0.0) * 3.0;
    let expected = 6.0 * angle.sin();
    assert_near(twist(oblique, DVec3::X * 2.0), DVec3::Z * expected, 1e-14);
}

/// Di Pierro (41): a passing body has the constant angular momentum m d v about
/// the origin, d the distance at which it passes.
#[test]
fn a_passing_body_has_angular_momentum_by_its_distance() {
    let mut u = Universe::new(DT, DVec3::ZERO);
    let s = crate::support::moving(DVec3::new(-5.0, 3.0, 0.0), DVec3::X * 2.0);
    u.add(MASS, MOMENTS, s);
    for _ in 0..100 {
        let (_, _, l) = u.bodies.totals();
        assert_near(l, DVec3::Z * (-MASS * 3.0 * 2.0), 1e-12);
        u.step();
    }
}

/// Di Pierro (42): torque is the change of angular momentum per time, exactly
/// in the momentum integrator and to fourth order in Runge-Kutta.
#[test]
fn torque_is_the_change_of_angular_momentum_per_time() {
    let (force, r) = (DVec3::new(0.5, 1.0, -2.0), DVec3::new(0.1, -0.4, 0.3));
    let mut u = universe(Integrator::MomentumEuler, force, r);
    for _ in 0..20 {
        let s = u.state(0);
        let torque = (s.point_position(r) - s.position).cross(force);
        u.step();
        let change = u.state(0).angular_momentum(MOMENTS) - s.angular_momentum(MOMENTS);
        assert_near(change / DT, torque, 1e-12);
    }
}

/// Di Pierro (43): for a rotation across the arm, m|r|² is the moment of
/// inertia. (47) is the general form; see docs/errata.md.
#[test]
fn a_mass_on_a_rod_has_the_moment_of_its_distance_squared() {
    let r = DVec3::new(1.0, -2.0, 2.0);
    for omega in [DVec3::new(2.0, 1.0, 0.0), DVec3::new(0.0, 1.0, 1.0)] {
        assert_eq!(omega.dot(r), 0.0);
        let l = r.cross(omega.cross(r) * MASS);
        assert_near(parallel_axis(MASS, r) * omega, l, 1e-14);
        assert_near(l, omega * (MASS * 9.0), 1e-14);
    }
}

/// Di Pierro (44), (48)-(49): forces at several points give the sum of their
/// torques about the centre of mass.
#[test]
fn torques_about_the_centre_add_up() {
    let s = general_state();
    let pushes = [
        (DVec3::new(1.0, 0.0, 2.0), DVec3::new(0.2, 0.1, -0.4)),
        (DVec3::new(-0.5, 1.0, 0.3), DVec3::new(-0.3, 0.8, 0.0)),
        (DVec3::new(0.0, -2.0, 1.0), DVec3::new(0.5, 0.5, 0.5)),
    ];
    let mut load = Load::default();
    for (force, r) in pushes {
        load.add_force_at_body_point(&s, force, r);
    }
    let r = crate::support::matrix_by_conjugation(s.orientation);
    let torque: DVec3 = pushes.iter().map(|(f, p)| (r * *p).cross(*f)).sum();
    let force: DVec3 = pushes.iter().map(|(f, _)| *f).sum();
    assert_near(r * load.torque_body, torque, 1e-14);
    assert_near(load.force, force, 1e-15);
}

/// Di Pierro (45)-(47): for particles that turn together, Σ r × m(ω × r) is
/// I ω with the tensor of (47), and L = I ω for the body made of them.
#[test]
fn particles_that_turn_together_have_angular_momentum_by_the_tensor() {
    let particles: Vec<(f64, DVec3)> = (0..12)
        .map(|i| {
            let s = f64::from(i);
            let r = DVec3::new((1.1 * s).sin(), (2.3 * s).cos(), (0.4 * s).sin() * 2.0);
            (0.3 + 0.1 * f64::from(i % 4), r)
        })
        .collect();
    let body = MassProperties::from_particles(&particles);
    let omega = DVec3::new(0.7, -1.2, 0.4);
    let sum: DVec3 = particles
        .iter()
        .map(|(m, r)| (*r - body.centre).cross(omega.cross(*r - body.centre) * *m))
        .sum();
    assert_near(body.inertia * omega, sum, 1e-13);
    let d = body.diagonalise();
    let mut s = State::placed(&d, body.centre, conatus_math::DQuat::IDENTITY);
    s.omega_body = s.rotation().transpose() * omega;
    assert_near(s.angular_momentum(d.moments), sum, 1e-13);
}

/// Di Pierro (48)-(55): a whole step of the method, by hand with matrices.
#[test]
fn the_method_in_momenta_with_rotation_by_hand() {
    let (force, point) = (DVec3::new(0.5, 1.0, -2.0), DVec3::new(0.1, -0.4, 0.3));
    let mut u = universe(Integrator::MomentumEuler, force, point);
    let s = general_state();
    let (mut p, mut k) = (s.position, s.velocity * MASS);
    let mut r = crate::support::matrix_by_conjugation(s.orientation);
    let mut l = r * (MOMENTS * s.omega_body);
    for _ in 0..50 {
        let torque = (r * point).cross(force);
        let v = k / MASS;
        let omega = r * ((r.transpose() * l) / MOMENTS);
        p += v * DT;
        k += force * DT;
        r = rotation::rodrigues(omega.normalize(), omega.length() * DT) * r;
        l += torque * DT;
        u.step();
        let found = u.state(0);
        assert_near(found.position, p, 1e-12);
        assert_near(found.momentum(MASS), k, 1e-12);
        assert_matrix_near(found.rotation(), r, 1e-12);
        assert_near(found.angular_momentum(MOMENTS), l, 1e-12);
    }
}

/// Di Pierro (51): ω = I⁻¹ L with the tensor of the rotated body.
#[test]
fn angular_velocity_from_angular_momentum_uses_the_turned_tensor() {
    let mut s = general_state();
    let l = DVec3::new(0.3, -0.9, 1.4);
    s.set_angular_momentum(l, MOMENTS);
    let r = crate::support::matrix_by_conjugation(s.orientation);
    let tensor = r * DMat3::from_diagonal(MOMENTS) * r.transpose();
    assert_near(s.omega(), tensor.inverse() * l, 1e-14);
    assert_near(s.angular_momentum(MOMENTS), l, 1e-14);
}

/// Di Pierro (56)-(57): position and velocity of a vertex, against the vertex
/// of a body that is actually moved.
#[test]
fn a_vertex_moves_with_the_turn_and_the_shift_of_its_body() {
    let s = general_state();
    let vertex = DVec3::new(0.9, 0.1, -0.6);
    let later = |dt: f64| {
        let turn = rotation::rodrigues(s.omega().normalize(), s.omega().length() * dt);
        turn * (s.rotation() * vertex) + s.position + s.velocity * dt
    };
    assert_near(s.point_position(vertex), later(0.0), 1e-15);
    let e = 1e-5;
    let change = (later(e) - later(-e)) / (2.0 * e);
    assert_near(s.velocity_at(s.point_position(vertex)), change, 1e-9);
}

/// Symplectic Euler by hand: momenta first, then position and rotation by the
/// new ones, where Di Pierro (52), (54) use the old ones.
#[test]
fn symplectic_euler_moves_by_the_new_momenta() {
    let (force, point) = (DVec3::new(5.0, 10.0, -20.0), DVec3::new(0.1, -0.4, 0.3));
    let mut u = universe(Integrator::SymplecticEuler, force, point);
    let s = general_state();
    let r = crate::support::matrix_by_conjugation(s.orientation);
    let k = s.velocity * MASS + force * DT;
    let l = r * (MOMENTS * s.omega_body) + (r * point).cross(force) * DT;
    // Half a rotation about x and y, a whole one about z, and back again.
    let (mut turned, mut l_body) = (r, r.transpose() * l);
    for (axis, share) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
        let n = [DVec3::X, DVec3::Y, DVec3::Z][axis];
        let turn = rotation::rodrigues(n, share * DT * l_body[axis] / MOMENTS[axis]);
        turned *= turn;
        l_body = turn.transpose() * l_body;
    }
    u.step();
    let found = u.state(0);
    assert_near(found.position, s.position + k / MASS * DT, 1e-14);
    assert_matrix_near(found.rotation(), turned, 1e-14);
    assert_near(found.momentum(MASS), k, 1e-14);
    assert_near(found.angular_momentum(MOMENTS), l, 1e-14);
}
