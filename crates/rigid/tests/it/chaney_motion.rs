//! Chaney §3 to §7: Newton and Euler's equations, forces at points, the two
//! integrators, points, momenta and energy.

use crate::support::{
    DOWN, G, Universe, assert_matrix_near, assert_near, assert_ratio, general_state,
};
use conatus_math::lanes::V3;
use conatus_math::{DMat3, DVec3, rotation};
use conatus_rigid::forces::{Callback, Push, ReferenceFrame};
use conatus_rigid::rk4::{self, Acceleration, Motion, Stages, euler_coefficients};
use conatus_rigid::{Integrator, Load, State};

const MASS: f64 = 2.5;
const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 2.5);

/// One body in general motion with one force.
fn universe(h: f64, push: Push) -> Universe {
    let mut u = Universe::new(h, DVec3::ZERO);
    u.add(MASS, MOMENTS, general_state());
    u.push(push);
    u
}

fn push(force: DVec3, torque: DVec3, frame: ReferenceFrame) -> Push {
    Push {
        body: 0,
        force,
        point_body: DVec3::ZERO,
        torque,
        frame,
        from: 0.0,
        until: f64::INFINITY,
    }
}

/// Chaney (5), (7): a steady force F gives the acceleration F/m, so the
/// centre moves along x + ẋ t + ½ (F/m) t².
#[test]
fn a_steady_force_accelerates_by_force_over_mass() {
    let force = DVec3::new(3.0, -1.0, 2.0);
    let mut u = universe(0.01, push(force, DVec3::ZERO, ReferenceFrame::World));
    u.run(200);
    let (start, end) = (general_state(), u.state(0));
    assert_near(end.velocity, start.velocity + force / MASS * 2.0, 1e-12);
    let x = start.position + start.velocity * 2.0 + force / MASS * 2.0;
    assert_near(end.position, x, 1e-12);
}

/// Chaney (6): without force the position grows by velocity times time.
#[test]
fn a_free_centre_of_mass_moves_in_a_straight_line() {
    for integrator in [Integrator::Rk4, Integrator::Euler] {
        let mut u = Universe::new(0.02, DVec3::ZERO);
        u.integrator = integrator;
        u.add(MASS, MOMENTS, general_state());
        u.run(100);
        let start = general_state();
        assert_near(
            u.state(0).position,
            start.position + start.velocity * 2.0,
            1e-13,
        );
        assert_near(u.state(0).velocity, start.velocity, 0.0);
    }
}

/// Chaney (8), (30): a point of the body keeps its distances, and the point at
/// the origin of the body axes is the centre of mass.
#[test]
fn body_points_are_turned_then_shifted() {
    let s = general_state();
    assert_eq!(s.point_position(DVec3::ZERO), s.position);
    let by_conjugation = crate::support::matrix_by_conjugation(s.orientation);
    for r in [DVec3::X, DVec3::new(0.3, -2.0, 1.0)] {
        let expected = by_conjugation * r + s.position;
        assert_near(s.point_position(r), expected, 1e-14);
        assert_near(s.pose().point(r), expected, 1e-14);
        assert_ratio(
            (s.point_position(r) - s.position).length(),
            r.length(),
            1e-14,
        );
    }
}

/// Chaney (11): the length of ω is the rate of turning in rad/s, its direction
/// the axis, and it is given in body axes.
#[test]
fn angular_velocity_is_the_rate_and_axis_of_turning_in_body_axes() {
    let axis_body = DVec3::new(1.0, -2.0, 2.0) / 3.0;
    let start = State {
        omega_body: axis_body * 0.8,
        ..general_state()
    };
    let mut u = Universe::new(0.01, DVec3::ZERO);
    u.add(MASS, DVec3::ONE, start);
    u.run(150);
    let axis_world = start.rotation() * axis_body;
    let expected = rotation::rodrigues(axis_world, 0.8 * 1.5) * start.rotation();
    assert_matrix_near(u.state(0).rotation(), expected, 1e-10);
}

/// Chaney (15)-(16): a torque about a body axis with force and arm in body
/// axes: τ = r × F, here y × z = x.
#[test]
fn a_force_beside_the_centre_twists_about_their_cross_product() {
    let s = general_state();
    let mut load = Load::default();
    load.add_force_at_body_point(&s, s.rotation() * (DVec3::Z * 3.0), DVec3::Y * 2.0);
    assert_near(load.torque_body, DVec3::X * 6.0, 1e-14);
    let mut along = Load::default();
    along.add_force_at_body_point(&s, s.rotation() * DVec3::Y, DVec3::Y * 2.0);
    assert_near(along.torque_body, DVec3::ZERO, 1e-15);
}

/// Chaney (18)-(21): the rate of ω that Euler's equations give makes
/// I ω̇ + ω × I ω equal to the torque.
#[test]
fn eulers_equations_solve_the_vector_form_for_the_rate() {
    let torque = DVec3::new(0.4, -0.7, 1.1);
    let h = 1e-6;
    let mut u = universe(h, push(DVec3::ZERO, torque, ReferenceFrame::Body));
    let w0 = general_state().omega_body;
    u.step();
    let rate = (u.state(0).omega_body - w0) / h;
    let w = 0.5 * (u.state(0).omega_body + w0);
    assert_near(MOMENTS * rate + w.cross(MOMENTS * w), torque, 1e-8);
    // And the torque-free part alone, component by component.
    let free: DVec3 =
        rk4::euler_equations(V3::from(euler_coefficients(MOMENTS)), V3::from(w0)).into();
    assert_near(MOMENTS * free, -w0.cross(MOMENTS * w0), 1e-15);
}

/// Chaney (18)-(20): a symmetric top precesses in its own axes at the rate
/// (I₃ − I₁)/I₁ ω₃.
#[test]
fn a_symmetric_top_precesses_at_the_rate_of_eulers_equations() {
    let moments = DVec3::new(2.0, 2.0, 3.0);
    let mut u = Universe::new(0.01, DVec3::ZERO);
    let omega_body = DVec3::new(0.3, 0.0, 4.0);
    u.add(
        1.0,
        moments,
        State {
            omega_body,
            ..State::default()
        },
    );
    u.run(500);
    let (sin, cos) = ((3.0 - 2.0) / 2.0 * 4.0 * 5.0f64).sin_cos();
    assert_near(
        u.state(0).omega_body,
        DVec3::new(0.3 * cos, 0.3 * sin, 4.0),
        1e-8,
    );
}

/// Chaney (22)-(25): the same force in world/world, world/body and body/body
/// coordinates gives the same load.
#[test]
fn the_three_ways_to_give_a_force_at_a_point_agree() {
    let s = general_state();
    let r = crate::support::matrix_by_conjugation(s.orientation);
    let (force, r_body) = (DVec3::new(3.0, 1.0, -2.0), DVec3::new(0.5, -0.3, 0.9));
    // By virtual work: rotations by a small angle about each body axis.
    let torque = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
        let e = 1e-5;
        let at = |angle: f64| (r * (rotation::rodrigues(axis, angle) * r_body)).dot(force);
        (at(e) - at(-e)) / (2.0 * e)
    }));
    let mut loads = [Load::default(); 3];
    loads[0].add_force_at(&s, force, r * r_body + s.position);
    loads[1].add_force_at_body_point(&s, force, r_body);
    loads[2].add_body_force(&s, r.transpose() * force, r_body);
    for load in loads {
        assert_near(load.force, force, 1e-14);
        assert_near(load.torque_body, torque, 1e-9);
    }
}

/// Chaney (26): torques in world axes are transformed to body axes, and L grows
/// by τ t in the world.
#[test]
fn a_torque_in_world_axes_turns_angular_momentum_towards_itself() {
    let torque = DVec3::new(0.2, 0.5, -0.3);
    let mut u = universe(0.005, push(DVec3::ZERO, torque, ReferenceFrame::World));
    let before = u.state(0).angular_momentum(MOMENTS);
    u.run(200);
    let after = u.state(0).angular_momentum(MOMENTS);
    assert_near(after, before + torque * 1.0, 1e-9);
    let mut load = Load::default();
    load.add_torque(&general_state(), torque);
    let back = crate::support::matrix_by_conjugation(general_state().orientation);
    assert_near(back * load.torque_body, torque, 1e-15);
}

/// Chaney (27): a state is a vector of thirteen numbers; the conversion to the
/// integrator and back does not change it.
#[test]
fn a_state_is_unchanged_by_conversion_to_the_state_vector() {
    let s = general_state();
    let motion: Motion<f64> = s.into();
    assert_eq!(motion.q[0], s.orientation.w);
    assert_eq!(State::from(motion), s);
}

/// Chaney (28): one step of Euler's method adds h times the derivative.
#[test]
fn eulers_method_adds_the_step_times_the_derivative() {
    let force = DVec3::new(1.0, 2.0, 3.0);
    let torque = DVec3::new(-0.5, 0.2, 0.1);
    let h = 0.1;
    let mut u = universe(h, push(force, torque, ReferenceFrame::Body));
    u.integrator = Integrator::Euler;
    u.step();
    let (s, next) = (general_state(), u.state(0));
    let w = s.omega_body;
    assert_near(next.position, s.position + s.velocity * h, 1e-15);
    let acceleration = s.rotation() * force / MASS;
    assert_near(next.velocity, s.velocity + acceleration * h, 1e-15);
    let spin = (torque - w.cross(MOMENTS * w)) / MOMENTS;
    assert_near(next.omega_body, w + spin * h, 1e-15);
    let q = s.orientation + rotation::quaternion_rate(s.orientation, w) * h;
    assert!((next.orientation - q.normalize()).length() < 1e-15);
}

/// Chaney (29): the staged form equals the four evaluations of the textbook,
/// also where forces depend on position, velocity, orientation and time.
#[test]
fn the_staged_form_is_the_textbook_method() {
    let load_at = |s: &State, t: f64| {
        let mut load = Load::default();
        let force = -s.position * 2.0 - s.velocity * 0.3 + DVec3::X * t.sin();
        load.add_force_at_body_point(s, force, DVec3::new(0.1, 0.2, -0.3));
        load.add_torque(s, DVec3::Y * t - s.omega() * 0.1);
        load
    };
    // f(q, t) on thirteen plain numbers.
    let derivative = |q: &[f64; 13], t: f64| -> [f64; 13] {
        let s = unpack(q);
        let load = load_at(&s, t);
        let w = s.omega_body;
        let rate = rotation::quaternion_rate(s.orientation, w);
        let acceleration = load.force / MASS;
        let spin = (load.torque_body - w.cross(MOMENTS * w)) / MOMENTS;
        pack(
            s.velocity,
            acceleration,
            [rate.w, rate.x, rate.y, rate.z],
            spin,
        )
    };
    let s = general_state();
    let o = s.orientation;
    let q0 = pack(s.position, s.velocity, [o.w, o.x, o.y, o.z], s.omega_body);
    let (h, t) = (0.1, 0.0);
    let k1 = derivative(&q0, t);
    let k2 = derivative(&plus(&q0, &k1, 0.5 * h), t + 0.5 * h);
    let k3 = derivative(&plus(&q0, &k2, 0.5 * h), t + 0.5 * h);
    let k4 = derivative(&plus(&q0, &k3, h), t + h);
    let mut q1 = plus(&q0, &k1, h / 6.0);
    q1 = plus(&q1, &k2, h / 3.0);
    q1 = plus(&q1, &k3, h / 3.0);
    let expected = unpack(&plus(&q1, &k4, h / 6.0));

    let mut u = Universe::new(h, DVec3::ZERO);
    u.add(MASS, MOMENTS, s);
    u.push(Callback::new(move |t, view, loads| {
        let state = view.state(0);
        let load = load_at(&state, t);
        loads.central_force(view, 0, load.force);
        loads.torque(view, 0, state.rotation() * load.torque_body);
    }));
    u.step();
    let found = u.state(0);
    assert_near(found.position, expected.position, 1e-14);
    assert_near(found.velocity, expected.velocity, 1e-14);
    assert_near(found.omega_body, expected.omega_body, 1e-14);
    let turn = expected.orientation.normalize();
    assert!((found.orientation - turn).length() < 1e-14);
}

fn pack(x: DVec3, v: DVec3, q: [f64; 4], w: DVec3) -> [f64; 13] {
    [
        x.x, x.y, x.z, v.x, v.y, v.z, q[0], q[1], q[2], q[3], w.x, w.y, w.z,
    ]
}

fn unpack(q: &[f64; 13]) -> State {
    State {
        position: DVec3::from_slice(&q[0..3]),
        velocity: DVec3::from_slice(&q[3..6]),
        orientation: conatus_math::DQuat::from_xyzw(q[7], q[8], q[9], q[6]),
        omega_body: DVec3::from_slice(&q[10..13]),
    }
}

fn plus(q: &[f64; 13], k: &[f64; 13], h: f64) -> [f64; 13] {
    std::array::from_fn(|i| q[i] + h * k[i])
}

/// Chaney (29): for an acceleration that is a cubic in time, the velocity has
/// no error.
#[test]
fn the_stages_integrate_a_cubic_exactly() {
    let a = |t: f64| Acceleration {
        linear: V3::new(t * t * t, 1.0 - t * t, t),
        angular: V3::new(0.0, 0.0, 0.0),
    };
    let mut s: Motion<f64> = State::default().into();
    let h = 0.8;
    let mut stages = Stages::step1(&mut s, a(0.0), h);
    stages.step2(&mut s, a(0.5 * h), h);
    stages.step3(&mut s, a(0.5 * h), h);
    stages.step4(&mut s, a(h), h);
    let expected = DVec3::new(h.powi(4) / 4.0, h - h.powi(3) / 3.0, h * h / 2.0);
    assert_near(s.v.into(), expected, 1e-15);
}

/// Chaney (31): the velocity of a point is the change of its position.
#[test]
fn the_velocity_of_a_point_is_the_change_of_its_position() {
    let s = general_state();
    let r = DVec3::new(0.3, -0.8, 0.5);
    let at = |h: f64| {
        let mut u = Universe::new(h, DVec3::ZERO);
        u.add(MASS, MOMENTS, s);
        u.step();
        u.state(0).point_position(r)
    };
    let e = 1e-5;
    assert_near(s.point_velocity(r), (at(e) - at(-e)) / (2.0 * e), 1e-9);
    assert_near(
        s.velocity_at(s.point_position(r)),
        s.point_velocity(r),
        1e-14,
    );
}

/// Chaney (32): the angular momentum is Σ m r × v over the body's particles,
/// and is constant without torque.
#[test]
fn angular_momentum_is_the_sum_over_particles_and_stays() {
    // Particles ±a on each axis have these moments.
    let half = 0.5 * (MOMENTS.element_sum() * 0.5 - MOMENTS);
    let s = general_state();
    let mut sum = DVec3::ZERO;
    for (axis, m) in [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .zip(half.to_array())
    {
        for r in [axis, -axis] {
            let arm = s.point_position(r) - s.position;
            sum += m * arm.cross(s.point_velocity(r) - s.velocity);
        }
    }
    assert_near(s.angular_momentum(MOMENTS), sum, 1e-14);
    let mut u = Universe::new(0.001, DOWN);
    u.add(MASS, MOMENTS, s);
    u.run(1000);
    assert_near(u.state(0).angular_momentum(MOMENTS), sum, 1e-12);
}

/// Chaney (33): energy is the sum of potential, translational and rotational
/// energy, and a free flight under gravity conserves it.
#[test]
fn energy_counts_height_motion_and_rotation_and_stays_in_flight() {
    let s = general_state();
    let w = s.omega_body;
    let expected = MASS * G * s.position.z
        + 0.5 * MASS * s.velocity.length_squared()
        + 0.5 * w.dot(DMat3::from_diagonal(MOMENTS) * w);
    assert_ratio(s.energy(MASS, MOMENTS, DOWN), expected, 1e-15);
    let mut u = Universe::new(0.001, DOWN);
    u.add(MASS, MOMENTS, s);
    u.run(1000);
    assert_ratio(u.state(0).energy(MASS, MOMENTS, DOWN), expected, 1e-12);
    assert_ratio(u.energy(), expected, 1e-12);
}
