//! Di Pierro §1 to §3: Newton's laws step by step, momentum, and the forces.

use crate::support::{G, Universe, assert_near, assert_ratio, general_state, moving, resting};
use conatus_math::DVec3;
use conatus_rigid::forces::{Drag, End, Push, Reach, ReferenceFrame, Spring};
use conatus_rigid::{Integrator, State};

const MASS: f64 = 2.0;
const DT: f64 = 0.05;

fn steady(body: usize, force: DVec3) -> Push {
    Push {
        body,
        force,
        point_body: DVec3::ZERO,
        torque: DVec3::ZERO,
        frame: ReferenceFrame::World,
        from: 0.0,
        until: f64::INFINITY,
    }
}

/// The states of a point mass under `force`, step after step.
fn path(integrator: Integrator, mass: f64, force: DVec3, steps: usize) -> Vec<State> {
    let mut u = Universe::new(DT, DVec3::ZERO);
    u.integrator = integrator;
    u.add(mass, DVec3::ONE, general_state());
    u.push(steady(0, force));
    let mut states = vec![u.state(0)];
    for _ in 0..steps {
        u.step();
        states.push(u.state(0));
    }
    states
}

/// Di Pierro (1)-(5): along a path of Euler's method the change of position per
/// time is the velocity, and the change of velocity per time the acceleration,
/// which is zero where the velocity is constant.
#[test]
fn velocity_and_acceleration_are_changes_per_time() {
    let force = DVec3::new(1.0, -3.0, 0.5);
    let states = path(Integrator::Euler, MASS, force, 20);
    for pair in states.windows(2) {
        let velocity = (pair[1].position - pair[0].position) / DT;
        assert_near(velocity, pair[0].velocity, 1e-13);
        let acceleration = (pair[1].velocity - pair[0].velocity) / DT;
        assert_near(acceleration, force / MASS, 1e-13);
    }
    for pair in path(Integrator::Euler, MASS, DVec3::ZERO, 20).windows(2) {
        assert_eq!(pair[1].velocity - pair[0].velocity, DVec3::ZERO);
    }
}

/// Di Pierro (6)-(7): twice the force, twice the acceleration; twice the mass,
/// half of it.
#[test]
fn acceleration_is_proportional_to_force_and_inverse_to_mass() {
    let force = DVec3::new(1.0, -3.0, 0.5);
    let gain = |mass: f64, force: DVec3| {
        let states = path(Integrator::Rk4, mass, force, 1);
        (states[1].velocity - states[0].velocity) / DT
    };
    assert_near(gain(MASS, force * 2.0), gain(MASS, force) * 2.0, 1e-13);
    assert_near(gain(MASS * 2.0, force) * 2.0, gain(MASS, force), 1e-13);
    assert_near(gain(MASS, force) * MASS, force, 1e-13);
}

/// Di Pierro (8)-(9): Euler's method under a steady force, summed up: after n
/// steps v = v₀ + n a dt and p = p₀ + n v₀ dt + n(n − 1)/2 a dt².
#[test]
fn eulers_method_falls_behind_the_parabola_by_half_a_step() {
    let force = DVec3::new(1.0, -3.0, 0.5);
    let n = 40.0;
    let states = path(Integrator::Euler, MASS, force, 40);
    let (first, last) = (states[0], states[40]);
    let a = force / MASS;
    assert_near(last.velocity, first.velocity + a * (n * DT), 1e-12);
    let p = first.position + first.velocity * (n * DT) + a * (0.5 * n * (n - 1.0) * DT * DT);
    assert_near(last.position, p, 1e-12);
}

/// Di Pierro (10)-(11): momentum is mass times velocity, and a force is the
/// change of momentum per time.
#[test]
fn force_is_the_change_of_momentum_per_time() {
    let force = DVec3::new(1.0, -3.0, 0.5);
    for integrator in [Integrator::MomentumEuler, Integrator::Rk4] {
        for mass in [0.5, 8.0] {
            let states = path(integrator, mass, force, 3);
            assert_near(
                states[0].momentum(mass),
                DVec3::new(0.4, 0.5, -0.6) * mass,
                1e-15,
            );
            for pair in states.windows(2) {
                let change = pair[1].momentum(mass) - pair[0].momentum(mass);
                assert_near(change / DT, force, 1e-11);
            }
        }
    }
}

/// Di Pierro (12)-(15): Euler's method in momenta, by hand: force, velocity,
/// position, momentum, in this order.
#[test]
fn the_method_in_momenta_moves_with_the_old_momentum() {
    let force = DVec3::new(1.0, -3.0, 0.5);
    let states = path(Integrator::MomentumEuler, MASS, force, 10);
    let mut p = general_state().position;
    let mut k = general_state().velocity * MASS;
    for state in &states[1..] {
        let v = k / MASS;
        p += v * DT;
        k += force * DT;
        assert_near(state.position, p, 1e-13);
        assert_near(state.momentum(MASS), k, 1e-13);
    }
}

/// Di Pierro (12), (16): forces of all kinds add up, in any order.
#[test]
fn the_force_on_a_body_is_the_sum_of_all_its_forces() {
    let spring = |pin: DVec3| Spring {
        a: End::Body(0, DVec3::X),
        b: End::Pin(pin),
        stiffness: 3.0,
        length: 0.5,
        damping: 0.0,
    };
    let drag = || Drag {
        reach: Reach::All,
        linear: 0.7,
        angular: 0.1,
    };
    let load = |which: &[usize]| {
        let mut u = Universe::new(DT, DVec3::ZERO);
        u.add(MASS, DVec3::ONE, general_state());
        for i in which {
            match i {
                0 => u.push(spring(DVec3::new(0.0, 4.0, 0.0))),
                1 => u.push(drag()),
                _ => u.push(steady(0, DVec3::X)),
            }
        }
        u.loads()[0]
    };
    let parts = [load(&[0]), load(&[1]), load(&[2])];
    let force: DVec3 = parts.iter().map(|l| l.force).sum();
    let torque: DVec3 = parts.iter().map(|l| l.torque_body).sum();
    for order in [[0, 1, 2], [2, 1, 0]] {
        let whole = load(&order);
        assert_near(whole.force, force, 1e-14);
        assert_near(whole.torque_body, torque, 1e-14);
    }
    assert!(torque.length() > 0.1);
}

/// Di Pierro (17): all bodies fall alike, along any gravity vector.
#[test]
fn gravity_pulls_every_mass_with_the_same_acceleration() {
    for gravity in [DVec3::new(0.0, -G, 0.0), DVec3::new(1.0, 2.0, -3.0)] {
        let mut u = Universe::new(0.01, gravity);
        u.add(0.1, DVec3::ONE, resting(DVec3::ZERO));
        u.add(50.0, DVec3::splat(7.0), resting(DVec3::ZERO));
        u.run(100);
        for i in 0..2 {
            assert_near(u.state(i).velocity, gravity, 1e-12);
            assert_near(u.state(i).position, gravity * 0.5, 1e-12);
        }
    }
}

/// Di Pierro (18): a stretched spring pulls, a compressed one pushes, at rest
/// length it does nothing; and the force is minus the gradient of ½ κ
/// (length − L)².
#[test]
fn a_spring_is_minus_the_gradient_of_its_energy() {
    let pin = DVec3::new(0.5, 0.0, -1.0);
    let make = |position: DVec3, length: f64| {
        let mut u = Universe::new(DT, DVec3::ZERO);
        u.add(MASS, DVec3::ONE, resting(position));
        u.push(Spring {
            a: End::Body(0, DVec3::ZERO),
            b: End::Pin(pin),
            stiffness: 8.0,
            length,
            damping: 0.0,
        });
        u
    };
    let position = DVec3::new(2.0, 1.0, 1.0);
    let to_pin = pin - position;
    for (length, sign) in [(1.0, 1.0), (to_pin.length(), 0.0), (5.0, -1.0)] {
        let force = make(position, length).loads()[0].force;
        let expected = 8.0 * (to_pin.length() - length);
        assert_near(force, to_pin.normalize() * expected, 1e-13);
        assert!(force.dot(to_pin) * sign >= 0.0);
        let gradient = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|e| {
            let energy = |step: f64| make(position + e * step, length).energy();
            (energy(1e-5) - energy(-1e-5)) / 2e-5
        }));
        assert_near(force, -gradient, 1e-8);
    }
}

/// Di Pierro (18): the forces on the two ends are opposite, and no torque about
/// the origin remains.
#[test]
fn a_spring_between_bodies_pulls_both_alike() {
    let mut u = Universe::new(DT, DVec3::ZERO);
    let (a, b) = (DVec3::new(0.3, -0.2, 0.1), DVec3::new(-0.4, 0.5, 0.2));
    u.add(MASS, DVec3::ONE, general_state());
    u.add(1.0, DVec3::ONE, resting(DVec3::new(3.0, 1.0, 0.0)));
    u.push(Spring {
        a: End::Body(0, a),
        b: End::Body(1, b),
        stiffness: 5.0,
        length: 1.0,
        damping: 0.4,
    });
    let loads = u.loads();
    assert_near(loads[0].force + loads[1].force, DVec3::ZERO, 1e-14);
    let torque: DVec3 = (0..2)
        .map(|i| {
            let s = u.state(i);
            s.position.cross(loads[i].force) + s.rotation() * loads[i].torque_body
        })
        .sum();
    assert_near(torque, DVec3::ZERO, 1e-13);
    let apart = u.state(1).point_position(b) - u.state(0).point_position(a);
    assert!(loads[0].force.dot(apart) > 0.0, "a stretched spring pulls");
}

/// Di Pierro (19): drag is opposite and proportional to the velocity, so a body
/// slows by e^(−γ t/m), independent of the step.
#[test]
fn drag_slows_a_body_exponentially() {
    for h in [0.01, 0.02] {
        let mut u = Universe::new(h, DVec3::ZERO);
        let velocity = DVec3::new(3.0, -1.0, 2.0);
        u.add(MASS, DVec3::ONE, moving(DVec3::ZERO, velocity));
        u.push(Drag {
            reach: Reach::Bodies(vec![0]),
            linear: 0.8,
            angular: 0.0,
        });
        assert_near(u.loads()[0].force, velocity * -0.8, 1e-15);
        u.run((2.0 / h).round() as usize);
        let left = (-0.8f64 * 2.0 / MASS).exp();
        assert_ratio(u.state(0).velocity.x, 3.0 * left, 1e-9);
        assert_near(u.state(0).velocity, velocity * left, 1e-8);
    }
}
