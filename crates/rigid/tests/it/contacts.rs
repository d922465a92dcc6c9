//! Simultaneous contacts, contacts of merged bodies, and damping by every
//! integrator.

use crate::support::{DOWN, Universe, assert_near, assert_ratio, moving, resting};
use conatus_geometry::convex::{Convex, PairCache, collide};
use conatus_math::{DVec3, Pose};
use conatus_rigid::{Activity, Constants, Integrator, State};

/// Balls that already touch: an impulse passes through all of them within one
/// step, from either end.
#[test]
fn an_impulse_passes_through_touching_balls_in_one_step() {
    for from_left in [true, false] {
        let (hit, speed) = if from_left { (0, 2.0) } else { (4, -2.0) };
        let mut u = Universe::new(1e-6, DVec3::ZERO);
        for i in 0..5 {
            let at = DVec3::X * (f64::from(i) * (1.0 - 1e-9));
            let velocity = if i == hit {
                DVec3::X * speed
            } else {
                DVec3::ZERO
            };
            u.add_ball(1.0, 0.5, 1.0, 0.0, moving(at, velocity));
        }
        u.step();
        assert_eq!(u.contacts.len(), 4);
        for i in 0..5 {
            let leaves = i == 4 - hit as usize;
            let expected = if leaves { speed } else { 0.0 };
            assert_near(u.state(i).velocity, DVec3::X * expected, 1e-9);
        }
    }
}

/// Two rough balls of different size, one spinning: friction stops the sliding
/// at the point between them, j = v_t/(1/m_A + 1/m_B + r_A²/I_A + r_B²/I_B)
/// with I = 2/5 m r², which is v_t/(7/2 (1/m_A + 1/m_B)).
#[test]
fn rough_balls_grip_each_other_like_gears() {
    let (m_a, m_b, r_a, r_b) = (2.0, 0.5, 0.8, 0.3);
    let mut u = Universe::new(1e-7, DVec3::ZERO);
    let spinning = State {
        velocity: DVec3::X * 3.0,
        omega_body: DVec3::Z * 4.0,
        ..State::default()
    };
    u.add_ball(m_a, r_a, 0.5, 10.0, spinning);
    u.add_ball(m_b, r_b, 0.5, 10.0, resting(DVec3::X * (r_a + r_b - 1e-8)));
    u.step();
    // A's surface moves along +y at the contact and carries B's along.
    let sliding = 4.0 * r_a;
    let j = sliding / (3.5 * (1.0 / m_a + 1.0 / m_b));
    assert_ratio(u.state(1).velocity.y, j / m_b, 1e-6);
    assert_ratio(u.state(0).velocity.y, -j / m_a, 1e-6);
    assert_ratio(u.state(1).omega().z, -j / (0.4 * m_b * r_b), 1e-6);
    assert_ratio(u.state(0).omega().z, 4.0 - j / (0.4 * m_a * r_a), 1e-6);
    let point = u.contacts[0].point;
    assert_near(point, DVec3::X * r_a, 1e-6);
    let apart = u.state(0).velocity_at(point) - u.state(1).velocity_at(point);
    assert!(apart.y.abs() < 1e-5, "still sliding at {apart}");
}

/// Overlapping spheres touch in the middle of their overlap.
#[test]
fn spheres_touch_in_the_middle_of_their_overlap() {
    let (a, b) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.6, 3.8));
    let balls = |a: DVec3, r: f64, b: DVec3, s: f64| {
        let [first, second] = [r, s].map(|radius| Convex::Sphere { radius });
        let [a, b] = [a, b].map(Pose::shift);
        collide(&first, &a, &second, &b, 0.0, &mut PairCache::default())
    };
    let found = balls(a, 0.7, b, 0.5).expect("they overlap");
    let [p] = found.points() else {
        panic!("one point");
    };
    assert_ratio(-p.separation, 0.2, 1e-12);
    assert_near(found.normal, DVec3::new(0.0, 0.6, 0.8), 1e-12);
    assert_ratio(p.point.distance(a), 0.6, 1e-12);
    assert_ratio(p.point.distance(b), 0.4, 1e-12);
    assert!(balls(a, 0.5, b, 0.49).is_none());
    let found = balls(a, 0.7, a, 0.5).expect("they overlap");
    assert_eq!(found.points()[0].separation, -1.2);
    assert!(found.normal.is_normalized());
}

/// Penetration is pushed out of a whole pile at a bounded speed, without adding
/// much velocity.
#[test]
fn balls_in_each_other_on_a_floor_are_moved_apart_and_up() {
    let mut u = Universe::new(0.01, DOWN);
    u.add_floor();
    for i in 0..3 {
        let at = DVec3::Z * (0.4 + 0.9 * f64::from(i));
        u.add_ball(1.0, 0.5, 0.0, 0.0, resting(at));
    }
    u.step();
    let deepest = u.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
    assert_ratio(deepest, 0.1, 1e-9);
    u.run(1000);
    let deepest = u.contacts.iter().map(|c| c.penetration).fold(0.0, f64::max);
    assert!(deepest < 0.005, "{deepest}");
    for i in 0..3 {
        let expected = 0.5 + i as f64;
        let z = u.state(i).position.z;
        assert!((z - expected).abs() < 0.02, "{z}");
        assert!(u.state(i).velocity.length() < 1e-3);
    }
}

/// A ball that starts deep in the floor bounces at once, and is pushed out.
#[test]
fn a_ball_placed_deep_in_the_floor_still_bounces() {
    let mut u = Universe::new(0.01, DOWN);
    u.add_floor();
    let velocity = DVec3::Z * -1.0;
    u.add_ball(1.0, 0.5, 1.0, 0.0, moving(DVec3::Z * 0.2, velocity));
    u.step();
    assert!(u.state(0).velocity.z > 0.9, "{}", u.state(0).velocity.z);
    u.run(40);
    assert!(u.state(0).position.z >= 0.5 - 1e-3);
}

/// Two merged balls touch the floor where each of them is, and rotate as one
/// body.
#[test]
fn merged_balls_collide_where_they_are() {
    let mut u = Universe::new(1e-6, DVec3::ZERO);
    u.add_floor();
    let velocity = DVec3::Z * -2.0;
    u.add_ball(
        1.0,
        0.5,
        1.0,
        0.0,
        moving(DVec3::new(0.0, 0.0, 3.0), velocity),
    );
    u.add_ball(
        1.0,
        0.5,
        1.0,
        0.0,
        moving(DVec3::new(1.0, 0.0, 0.5), velocity),
    );
    u.bodies.merge(&[0, 1]);
    let before = u.bodies.totals();
    u.step();
    assert_eq!(u.contacts.len(), 1);
    let contact = u.contacts[0];
    assert_eq!((contact.a, contact.b), (1, None));
    assert_near(contact.point, DVec3::X, 1e-5);
    let after = u.bodies.totals();
    assert_ratio(after.0, before.0, 1e-9);
    // Pushed up at x = 1 its centre at x = ½ rises and it rotates about −y.
    assert!(u.state(1).omega().y < -0.1);
    // About the point of contact, where the impulse has no lever arm.
    let about = |(_, k, l): (f64, DVec3, DVec3)| l - contact.point.cross(k);
    assert_near(about(after), about(before), 1e-5);
}

/// A merged body is damped by all of its parts.
#[test]
fn a_merged_body_is_damped_by_all_its_parts() {
    let mut u = Universe::new(0.01, DVec3::ZERO);
    for (x, damping) in [(0.0, 0.3), (2.0, 0.5)] {
        let constants = Constants {
            linear_damping: damping,
            ..Constants::new(1.0, DVec3::ONE)
        };
        let state = moving(DVec3::X * x, DVec3::Y);
        u.bodies.add(constants, state, Activity::Free);
    }
    u.bodies.merge(&[0, 1]);
    u.run(100);
    assert_ratio(u.state(0).velocity.y, (-0.8f64 / 2.0).exp(), 1e-9);
}

/// Automatic damping with every integrator: motion and spin decay
/// exponentially, to the order of the method.
#[test]
fn every_method_damps_motion_and_spin() {
    let constants = Constants {
        linear_damping: 0.8,
        angular_damping: 0.3,
        ..Constants::new(2.0, DVec3::splat(0.5))
    };
    let start = State {
        velocity: DVec3::new(1.0, 2.0, 3.0),
        omega_body: DVec3::new(-2.0, 1.0, 0.5),
        ..State::default()
    };
    for (integrator, tolerance) in [
        (Integrator::Rk4, 1e-9),
        (Integrator::Euler, 1e-3),
        (Integrator::MomentumEuler, 1e-3),
        (Integrator::SymplecticEuler, 1e-3),
    ] {
        let mut u = Universe::new(0.002, DVec3::ZERO);
        u.integrator = integrator;
        u.bodies.add(constants, start, Activity::Free);
        u.run(500);
        let s = u.state(0);
        assert_near(
            s.velocity,
            start.velocity * (-0.4f64).exp(),
            3.0 * tolerance,
        );
        let spin = start.omega_body * (-0.6f64).exp();
        assert_near(s.omega_body, spin, 3.0 * tolerance);
    }
}

/// Every integrator falls: after a second, g to the order of the method.
#[test]
fn every_method_falls_alike() {
    for integrator in [
        Integrator::Rk4,
        Integrator::Euler,
        Integrator::MomentumEuler,
        Integrator::SymplecticEuler,
    ] {
        let mut u = Universe::new(0.001, DOWN);
        u.integrator = integrator;
        u.add(3.0, DVec3::ONE, resting(DVec3::ZERO));
        u.run(1000);
        assert_near(u.state(0).velocity, DOWN, 1e-11);
        assert_near(u.state(0).position, DOWN * 0.5, 0.005);
    }
}
