//! Impacts from detection to response: balls, locked bodies and planes, smooth
//! and rough.

use crate::support::{DOWN, G, Universe, assert_near, assert_ratio, material, moving, resting};
use conatus_geometry::Shape;
use conatus_math::{DQuat, DVec3};
use conatus_rigid::contact::collider::combined;
use conatus_rigid::contact::{Collider, ContactMaterial};
use conatus_rigid::{Activity, State};

/// Steps until a contact was found and resolved.
fn until_contact(u: &mut Universe) {
    for _ in 0..100_000 {
        u.step();
        if !u.contacts.is_empty() {
            return;
        }
    }
    panic!("nothing ever touched");
}

/// Two balls that collide head-on: in the frame of their centre of mass each
/// reverses and keeps c of its velocity.
#[test]
fn balls_on_a_line_reverse_in_the_frame_of_their_centre_of_mass() {
    for (m_a, m_b) in [(1.0, 1.0), (5.0, 0.3), (0.2, 4.0)] {
        for c in [0.0, 0.4, 1.0] {
            let (v_a, v_b) = (DVec3::X * 3.0, DVec3::X * -0.5);
            let mut u = Universe::new(0.001, DVec3::ZERO);
            u.add_ball(m_a, 0.5, c, 0.3, moving(DVec3::ZERO, v_a));
            u.add_ball(m_b, 0.2, c, 0.3, moving(DVec3::X * 0.75, v_b));
            until_contact(&mut u);
            let centre = (v_a * m_a + v_b * m_b) / (m_a + m_b);
            assert_near(u.state(0).velocity, centre - (v_a - centre) * c, 1e-13);
            assert_near(u.state(1).velocity, centre - (v_b - centre) * c, 1e-13);
            assert_eq!(u.state(0).omega_body, DVec3::ZERO);
        }
    }
}

/// An oblique collision of smooth balls: along the line of centres as above,
/// across it nothing changes, and nothing rotates.
#[test]
fn smooth_balls_at_a_slant_exchange_only_along_the_line_of_centres() {
    let (m_a, m_b, c) = (2.0, 0.7, 0.6);
    let (v_a, v_b) = (DVec3::new(2.0, 0.3, 0.1), DVec3::new(-1.0, 0.0, 0.4));
    let mut u = Universe::new(0.001, DVec3::ZERO);
    u.add_ball(m_a, 0.5, c, 0.0, moving(DVec3::ZERO, v_a));
    let offset = DVec3::new(1.2, 0.4, -0.1);
    u.add_ball(m_b, 0.4, c, 0.0, moving(offset, v_b));
    until_contact(&mut u);
    let n = u.contacts[0].normal;
    assert!(n.y.abs() > 0.1, "at a slant");
    let centre = (v_a * m_a + v_b * m_b) / (m_a + m_b);
    let expected = |v: DVec3| v - n * ((1.0 + c) * (v - centre).dot(n));
    assert_near(u.state(0).velocity, expected(v_a), 1e-13);
    assert_near(u.state(1).velocity, expected(v_b), 1e-13);
    assert_near(u.state(1).omega_body, DVec3::ZERO, 1e-14);
}

#[test]
fn a_ball_bounces_off_a_locked_ball_and_does_not_move_it() {
    let mut u = Universe::new(0.001, DVec3::ZERO);
    u.add_ball(1.0, 0.5, 0.5, 0.0, moving(DVec3::X * -2.0, DVec3::X * 4.0));
    u.add_ball(1.0, 0.5, 0.5, 0.0, resting(DVec3::ZERO));
    u.bodies.set_activity(1, Activity::Locked);
    until_contact(&mut u);
    assert_near(u.state(0).velocity, DVec3::X * -2.0, 1e-13);
    assert_eq!(u.state(1), resting(DVec3::ZERO));
    // It has moved on from the moment of touch within the step.
    let apart = u.state(0).position.distance(u.state(1).position);
    assert!((1.0 - 1e-9..1.0 + 4.0 * 0.001).contains(&apart), "{apart}");
}

#[test]
fn a_ball_bounces_off_a_slanting_plane_like_light_off_a_mirror() {
    let normal = DVec3::new(1.0, 0.0, 2.0).normalize();
    for c in [0.3, 1.0] {
        let velocity = DVec3::new(0.5, 0.7, -3.0);
        let mut u = Universe::new(0.001, DVec3::ZERO);
        u.engine
            .add(Collider::plane(DVec3::ZERO, normal, material(c, 0.0)));
        u.add_ball(0.3, 0.2, 0.9, 0.9, moving(DVec3::Z, velocity));
        until_contact(&mut u);
        let expected = velocity - normal * ((1.0 + c) * velocity.dot(normal));
        assert_near(u.state(0).velocity, expected, 1e-13);
    }
}

/// Friction slows the sliding and makes the ball roll. About the point of
/// contact its angular momentum is constant: (2/5 + 1) r v = r v₀, so v = 5/7
/// v₀.
#[test]
fn a_sliding_ball_ends_rolling_at_five_sevenths_of_its_speed() {
    for mu in [0.1, 0.4] {
        let (radius, v0) = (0.3, 2.0);
        let mut u = Universe::new(0.001, DOWN);
        u.add_floor();
        u.add_ball(
            1.7,
            radius,
            0.0,
            mu,
            moving(DVec3::Z * radius, DVec3::X * v0),
        );
        // It slides for 2 v₀/(7 μ g) seconds.
        let slides = 2.0 * v0 / (7.0 * mu * G);
        u.run((0.5 * slides / u.h) as usize);
        let s = u.state(0);
        assert_ratio(s.velocity.x, v0 - mu * G * u.time(), 1e-2);
        u.run((slides / u.h) as usize);
        let s = u.state(0);
        assert_ratio(s.velocity.x, 5.0 / 7.0 * v0, 1e-3);
        assert_ratio(s.omega().y * radius, s.velocity.x, 1e-3);
        assert!((s.position.z - radius).abs() < 1e-4);
        let before = s.velocity.x;
        u.run(500);
        assert_ratio(u.state(0).velocity.x, before, 1e-4);
    }
}

/// A ball with backspin, thrown down hard, comes back.
#[test]
fn a_ball_with_backspin_comes_back() {
    let mut u = Universe::new(0.001, DOWN);
    u.add_floor();
    let state = State {
        velocity: DVec3::new(0.5, 0.0, -3.0),
        omega_body: DVec3::Y * -40.0,
        ..resting(DVec3::Z * 0.5)
    };
    u.add_ball(1.0, 0.3, 0.8, 1.0, state);
    until_contact(&mut u);
    let s = u.state(0);
    assert!(s.velocity.x < 0.0 && s.velocity.z > 2.0, "{}", s.velocity);
    // About the point of contact no force has a lever arm: m v r + I ω is
    // constant.
    let about = |v: f64, w: f64| v * 0.3 + 0.4 * 0.09 * w;
    let (now, before) = (about(s.velocity.x, s.omega().y), about(0.5, -40.0));
    assert!(
        (now - before).abs() < 0.01,
        "{now} {before} {s:?} {:?}",
        u.contacts
    );
}

/// A row of equal elastic balls: the last one leaves with the velocity of the
/// first, and the others stand still.
#[test]
fn a_row_of_elastic_balls_passes_the_impulse_on() {
    let mut u = Universe::new(0.001, DVec3::ZERO);
    u.add_ball(1.0, 0.5, 1.0, 0.0, moving(DVec3::X * -1.2, DVec3::X * 2.0));
    for i in 0..4 {
        let at = DVec3::X * (1.0005 * f64::from(i));
        u.add_ball(1.0, 0.5, 1.0, 0.0, resting(at));
    }
    u.run(400);
    for i in 0..4 {
        assert_near(u.state(i).velocity, DVec3::ZERO, 1e-12);
    }
    assert_near(u.state(4).velocity, DVec3::X * 2.0, 1e-12);
}

/// A ball that does not bounce comes to rest on the floor and stays there.
#[test]
fn a_ball_at_rest_on_the_floor_stays_at_rest() {
    let mut u = Universe::new(0.01, DOWN);
    u.add_floor();
    u.add_ball(2.0, 0.25, 0.5, 0.5, resting(DVec3::Z * 0.6));
    u.run(1000);
    let mut highest = 0.0f64;
    for _ in 0..200 {
        u.step();
        highest = highest.max((u.state(0).position.z - 0.25).abs());
    }
    assert!(highest < 2e-3, "{highest}");
    assert_eq!(u.state(0).orientation, DQuat::IDENTITY);
}

/// Bounces lose 1 − c² of their energy each: heights fall by c².
#[test]
fn each_bounce_reaches_the_square_of_restitution_of_the_last_height() {
    let (c, radius) = (0.8, 0.1);
    let mut u = Universe::new(0.0005, DOWN);
    u.add_floor();
    u.add_ball(1.0, radius, c, 0.0, resting(DVec3::Z * 1.1));
    let mut tops = Vec::new();
    let mut before = 0.0;
    for _ in 0..6000 {
        u.step();
        let speed = u.state(0).velocity.z;
        if before > 0.0 && speed <= 0.0 {
            tops.push(u.state(0).position.z - radius);
        }
        before = speed;
    }
    assert!(tops.len() >= 3);
    for (k, top) in tops.iter().take(3).enumerate() {
        assert_ratio(*top, f64::powi(c * c, k as i32 + 1), 1e-3);
    }
}

/// A hundred elastic smooth balls in a closed box, without and with gravity:
/// the total energy is constant, and none leaves.
#[test]
fn elastic_balls_in_a_box_keep_their_energy_and_stay_inside() {
    for gravity in [DVec3::ZERO, DOWN] {
        let mut u = Universe::new(0.002, gravity);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for side in [-1.0, 1.0] {
                u.add_plane(axis * (2.0 * side), axis * -side);
            }
        }
        for i in 0..100 {
            let cell = DVec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25));
            let s = f64::from(i);
            let velocity = DVec3::new((1.7 * s).sin(), (2.3 * s).cos(), (0.9 * s).sin()) * 3.0;
            let state = moving((cell - DVec3::new(2.0, 2.0, 1.5)) * 0.8, velocity);
            u.add_ball(0.5 + 0.01 * s, 0.15 + 0.001 * s, 1.0, 0.0, state);
        }
        let start = u.energy() - u.bodies.gravity_potential(gravity);
        let before = u.energy();
        u.run(2000);
        assert!(
            (u.energy() - before).abs() < 0.01 * start,
            "{}",
            u.energy() / before
        );
        for i in 0..100 {
            let p = u.state(i).position.abs();
            assert!(p.max_element() < 2.0 - 0.1, "{p}");
        }
    }
}

/// Two surfaces in contact use the geometric mean of their coefficients; a
/// plane with its own values overrides the body's.
#[test]
fn surfaces_in_contact_share_the_geometric_mean() {
    let ball = |body: usize, c: f64, mu: f64| {
        Collider::on_body(body, Shape::Sphere { radius: 0.5 }, material(c, mu))
    };
    let own = ContactMaterial {
        restitution: Some(0.7),
        ..ContactMaterial::default()
    };
    let plane = Collider::plane(DVec3::ZERO, DVec3::Z, own);
    let of = |a: &Collider, b: &Collider| {
        let on_body = [a.body.is_some(), b.body.is_some()];
        let (c, mu, _) = combined([&a.material, &b.material], on_body);
        (c, mu)
    };
    assert_eq!(of(&plane, &ball(0, 0.9, 0.2)), (0.7, 0.2));
    assert_eq!(of(&ball(0, 0.9, 0.2), &plane), (0.7, 0.2));
    assert_eq!(of(&ball(1, 0.4, 0.8), &ball(2, 0.4, 0.8)), (0.4, 0.8));
    let (c, mu) = of(&ball(1, 0.4, 0.8), &ball(3, 0.1, 0.2));
    assert_ratio(c, 0.2, 1e-15);
    assert_ratio(mu, 0.4, 1e-15);
}
