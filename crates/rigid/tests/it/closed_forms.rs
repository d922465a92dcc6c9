//! Motions with textbook formulas: thrown bodies with drag, springs, and chains
//! of springs.

use crate::support::{DOWN, G, Universe, assert_near, assert_ratio, moving, resting};
use conatus_math::DVec3;
use conatus_rigid::forces::{Drag, End, Push, Reach, ReferenceFrame, Spring};
use conatus_rigid::{Activity, Constants, State};

fn spring(a: End, b: End, stiffness: f64, length: f64) -> Spring {
    Spring {
        a,
        b,
        stiffness,
        length,
        damping: 0.0,
    }
}

/// With damping k the velocity tends to v∞ = m g/k, and
/// x = x₀ + v∞ t + (v₀ − v∞)(m/k)(1 − e^(−k t/m)).
#[test]
fn a_thrown_body_that_is_braked_follows_its_closed_form() {
    let (mass, k) = (1.5, 0.6);
    let start = moving(DVec3::new(1.0, 2.0, 3.0), DVec3::new(8.0, -2.0, 12.0));
    let mut automatic = Universe::new(0.01, DOWN);
    let constants = Constants {
        linear_damping: k,
        ..Constants::new(mass, DVec3::ONE)
    };
    automatic.bodies.add(constants, start, Activity::Free);
    let mut by_drag = Universe::new(0.01, DOWN);
    by_drag.add(mass, DVec3::ONE, start);
    by_drag.push(Drag {
        reach: Reach::All,
        linear: k,
        angular: 0.0,
    });
    let limit = DOWN * (mass / k);
    for _ in 0..10 {
        automatic.run(30);
        by_drag.run(30);
        let t = automatic.time();
        let fading = (-k * t / mass).exp();
        let velocity = limit + (start.velocity - limit) * fading;
        let position =
            start.position + limit * t + (start.velocity - limit) * (mass / k * (1.0 - fading));
        for u in [&automatic, &by_drag] {
            assert_near(u.state(0).velocity, velocity, 1e-9);
            assert_near(u.state(0).position, position, 1e-9);
        }
    }
}

/// A mass on a pinned spring oscillates with ω² = κ/m about its length at rest.
#[test]
fn a_mass_on_a_pinned_spring_swings_at_its_frequency() {
    let (mass, stiffness) = (0.8, 20.0);
    let mut u = Universe::new(0.005, DVec3::ZERO);
    u.add(mass, DVec3::ONE, resting(DVec3::X * 1.3));
    u.push(spring(
        End::Body(0, DVec3::ZERO),
        End::Pin(DVec3::ZERO),
        stiffness,
        1.0,
    ));
    let omega = f64::sqrt(stiffness / mass);
    for _ in 0..50 {
        u.run(20);
        let expected = 1.0 + 0.3 * (omega * u.time()).cos();
        assert!((u.state(0).position.x - expected).abs() < 1e-6);
    }
}

/// Two masses on a spring oscillate with ω² = κ/μ, μ the reduced mass, while
/// their centre of mass moves uniformly.
#[test]
fn two_masses_on_a_spring_swing_with_their_reduced_mass() {
    let (m_a, m_b, stiffness) = (0.5, 2.0, 12.0);
    let drift = DVec3::new(0.0, 0.7, -0.2);
    let mut u = Universe::new(0.005, DVec3::ZERO);
    u.add(m_a, DVec3::ONE, moving(DVec3::ZERO, drift));
    u.add(m_b, DVec3::ONE, moving(DVec3::X * 2.4, drift));
    u.push(spring(
        End::Body(0, DVec3::ZERO),
        End::Body(1, DVec3::ZERO),
        stiffness,
        2.0,
    ));
    let omega = f64::sqrt(stiffness * (m_a + m_b) / (m_a * m_b));
    for _ in 0..40 {
        u.run(20);
        let (a, b) = (u.state(0).position, u.state(1).position);
        let expected = 2.0 + 0.4 * (omega * u.time()).cos();
        assert!((a.distance(b) - expected).abs() < 1e-6);
        let centre = (a * m_a + b * m_b) / (m_a + m_b);
        let moved = DVec3::X * (2.4 * m_b / (m_a + m_b)) + drift * u.time();
        assert_near(centre, moved, 1e-12);
    }
}

/// A body that hangs by a point above its centre swings as a pendulum; for a
/// stiff spring of zero length ω² = m g r/(I + m r²).
#[test]
fn a_body_hung_by_a_point_swings_as_a_compound_pendulum() {
    let (mass, moment, r, stiffness) = (2.0, 0.3, 0.5, 4e5);
    let angle = 1e-3;
    let mut u = Universe::new(5e-4, DOWN);
    let state = State {
        position: DVec3::new(
            r * f64::sin(angle),
            0.0,
            -r * f64::cos(angle) - mass * G / stiffness,
        ),
        orientation: conatus_math::rotation::from_axis_angle(-DVec3::Y, angle),
        ..State::default()
    };
    u.add(mass, DVec3::new(0.4, moment, 0.4), state);
    u.push(spring(
        End::Body(0, DVec3::Z * r),
        End::Pin(DVec3::ZERO),
        stiffness,
        0.0,
    ));
    let omega = f64::sqrt(mass * G * r / (moment + mass * r * r));
    for _ in 0..20 {
        u.run(200);
        let expected = r * angle * (omega * u.time()).cos();
        let error = (u.state(0).position.x - expected).abs();
        assert!(error < 1e-3 * r * angle, "{error}");
    }
}

/// A hanging chain: each spring is stretched by the weight below it over κ.
fn chain(links: usize, masses: &[f64], stiffness: f64, length: f64) -> (Universe, Vec<f64>) {
    let mut u = Universe::new(0.005, DOWN);
    let mut z = 0.0;
    let mut heights = Vec::new();
    for i in 0..links {
        let below: f64 = masses[i..].iter().sum();
        z -= length + below * G / stiffness;
        heights.push(z);
        let constants = Constants {
            linear_damping: 4.0,
            ..Constants::new(masses[i], DVec3::ONE)
        };
        // They start with slack springs.
        let slack = resting(DVec3::Z * (-length * (i as f64 + 1.0)));
        u.bodies.add(constants, slack, Activity::Free);
        let upper = match i {
            0 => End::Pin(DVec3::ZERO),
            _ => End::Body(i - 1, DVec3::ZERO),
        };
        u.push(spring(upper, End::Body(i, DVec3::ZERO), stiffness, length));
    }
    (u, heights)
}

#[test]
fn a_hanging_chain_comes_to_rest_stretched_by_the_weight_below() {
    let masses = [0.5, 1.0, 0.2, 0.8];
    let (mut u, heights) = chain(4, &masses, 150.0, 0.4);
    u.run(8000);
    for (i, z) in heights.iter().enumerate() {
        assert_near(u.state(i).position, DVec3::Z * *z, 1e-7);
        assert_near(u.state(i).velocity, DVec3::ZERO, 1e-6);
    }
    // There, the force of every link is the weight below it.
    for (i, load) in u.loads().iter().enumerate() {
        assert_near(load.force, -DOWN * masses[i], 1e-5);
    }
}

/// A dashpot along a spring: the oscillation decays by e^(−c t/2m) at the
/// reduced frequency √(κ/m − (c/2m)²).
#[test]
fn a_damped_spring_rings_down_by_its_closed_form() {
    let (mass, stiffness, damping) = (1.0, 25.0, 1.2);
    let mut u = Universe::new(0.005, DVec3::ZERO);
    u.add(mass, DVec3::ONE, resting(DVec3::X * 1.2));
    u.push(Spring {
        damping,
        ..spring(
            End::Body(0, DVec3::ZERO),
            End::Pin(DVec3::ZERO),
            stiffness,
            1.0,
        )
    });
    let fade = damping / (2.0 * mass);
    let omega = f64::sqrt(stiffness / mass - fade * fade);
    for _ in 0..30 {
        u.run(20);
        let t = u.time();
        let swing = (omega * t).cos() + fade / omega * (omega * t).sin();
        let expected = 1.0 + 0.2 * (-fade * t).exp() * swing;
        assert!((u.state(0).position.x - expected).abs() < 1e-7);
    }
    assert_ratio(u.state(0).position.x, 1.0, 0.1);
}

/// The spin of a sphere under drag decays by e^(−γ t/I).
#[test]
fn spin_dies_away_under_angular_drag() {
    let mut u = Universe::new(0.01, DVec3::ZERO);
    let start = State {
        omega_body: DVec3::new(3.0, -1.0, 2.0),
        ..State::default()
    };
    u.add(1.0, DVec3::splat(0.4), start);
    u.push(Drag {
        reach: Reach::All,
        linear: 0.0,
        angular: 0.1,
    });
    u.run(300);
    let left = (-0.1f64 / 0.4 * 3.0).exp();
    assert_near(u.state(0).omega_body, start.omega_body * left, 1e-8);
}

/// A push in body axes rotates with the body: on one that spins at ω about z, a
/// force along its x goes round, and v = (F/mω)(sin ωt, 1 − cos ωt).
#[test]
fn a_push_in_body_axes_turns_with_the_body() {
    let (mass, omega) = (2.0, 3.0);
    let mut u = Universe::new(0.005, DVec3::ZERO);
    let start = State {
        omega_body: DVec3::Z * omega,
        ..State::default()
    };
    u.add(mass, DVec3::ONE, start);
    u.push(Push {
        body: 0,
        force: DVec3::X,
        point_body: DVec3::X * 0.7,
        torque: DVec3::ZERO,
        frame: ReferenceFrame::Body,
        from: 0.0,
        until: f64::INFINITY,
    });
    u.run(300);
    let (sin, cos) = (omega * u.time()).sin_cos();
    let expected = DVec3::new(sin, 1.0 - cos, 0.0) / (mass * omega);
    assert_near(u.state(0).velocity, expected, 1e-9);
    assert_near(u.state(0).omega_body, start.omega_body, 1e-12);
}

/// A push acts from its start to its end, and a permanent one in world axes has
/// a potential that conserves the energy.
#[test]
fn a_push_acts_from_its_start_to_its_end() {
    let push = |from: f64, until: f64| Push {
        body: 0,
        force: DVec3::new(1.0, 2.0, -1.0),
        point_body: DVec3::new(0.1, 0.0, 0.2),
        torque: DVec3::ZERO,
        frame: ReferenceFrame::World,
        from,
        until,
    };
    let mut brief = Universe::new(0.01, DVec3::ZERO);
    brief.add(2.0, DVec3::ONE, State::default());
    brief.push(push(0.5, 1.5));
    brief.run(300);
    let gained = brief.state(0).momentum(2.0);
    assert_near(gained, DVec3::new(1.0, 2.0, -1.0), 0.02);

    let mut lasting = Universe::new(0.01, DVec3::ZERO);
    lasting.add(
        2.0,
        DVec3::new(0.1, 0.2, 0.15),
        crate::support::general_state(),
    );
    lasting.push(push(0.0, f64::INFINITY));
    let before = lasting.energy();
    lasting.run(200);
    assert_ratio(lasting.energy(), before, 1e-7);
    assert!((lasting.bodies.totals().0 - before).abs() > 0.5);
}
