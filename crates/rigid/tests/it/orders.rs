//! The orders of convergence of the integrators.

use crate::support::elliptic::FreeTop;
use crate::support::{Universe, assert_ratio, largest, resting};
use conatus_math::DVec3;
use conatus_rigid::forces::{End, Spring};
use conatus_rigid::{Integrator, State};

const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);
const OMEGA: DVec3 = DVec3::new(0.8, 1.0, 1.9);
const SECONDS: f64 = 4.0;

/// The error of ω and attitude of a free top after some seconds.
fn top_error(integrator: Integrator, steps: u32) -> f64 {
    let mut u = Universe::new(SECONDS / f64::from(steps), DVec3::ZERO);
    u.integrator = integrator;
    let start = State {
        omega_body: OMEGA,
        ..State::default()
    };
    u.add(1.0, MOMENTS, start);
    u.run(steps as usize);
    let exact = FreeTop::new(MOMENTS, OMEGA);
    let state = u.state(0);
    let attitude = largest(state.rotation() - exact.attitude(SECONDS));
    attitude + (state.omega_body - exact.omega(SECONDS)).length()
}

fn on_a_spring(integrator: Integrator, h: f64) -> Universe {
    let mut u = Universe::new(h, DVec3::ZERO);
    u.integrator = integrator;
    u.add(2.0, DVec3::ONE, resting(DVec3::X * 1.5));
    u.push(Spring {
        a: End::Body(0, DVec3::ZERO),
        b: End::Pin(DVec3::ZERO),
        stiffness: 8.0,
        length: 1.0,
        damping: 0.0,
    });
    u
}

/// The error of position and velocity of a mass on a spring, ω = 2 rad/s.
fn spring_error(integrator: Integrator, steps: u32) -> f64 {
    let mut u = on_a_spring(integrator, SECONDS / f64::from(steps));
    u.run(steps as usize);
    let (sin, cos) = (2.0 * SECONDS).sin_cos();
    let s = u.state(0);
    (s.position.x - 1.0 - 0.5 * cos).abs() + (s.velocity.x + sin).abs()
}

fn order(error: impl Fn(u32) -> f64, steps: u32) -> f64 {
    (error(steps) / error(2 * steps)).log2()
}

/// Chaney (29): fourth order, for a top that tumbles (all stages in lanes) and
/// for a spring (forces evaluated at every stage).
#[test]
fn rk4_error_falls_as_the_fourth_power_of_the_step() {
    for steps in [80, 160, 320] {
        let top = order(|n| top_error(Integrator::Rk4, n), steps);
        let spring = order(|n| spring_error(Integrator::Rk4, n), steps);
        println!("rk4, {steps} steps: order {top:.2} (top), {spring:.2} (spring)");
        assert!((3.8..4.2).contains(&top), "{top}");
        assert!((3.8..4.2).contains(&spring), "{spring}");
    }
}

/// Chaney (28): first order.
#[test]
fn euler_s_error_falls_with_the_step() {
    let top = order(|n| top_error(Integrator::Euler, n), 20_000);
    let spring = order(|n| spring_error(Integrator::Euler, n), 20_000);
    println!("euler: order {top:.2} (top), {spring:.2} (spring)");
    assert!((0.9..1.1).contains(&top), "{top}");
    assert!((0.9..1.1).contains(&spring), "{spring}");
}

/// Di Pierro (48)-(55): first order as well. The symplectic integrator rotates
/// a free top by a symmetric splitting, which is of second order.
#[test]
fn momentum_euler_is_of_first_order_and_a_split_rotation_of_second() {
    for (integrator, expected) in [
        (Integrator::MomentumEuler, 1.0),
        (Integrator::SymplecticEuler, 2.0),
    ] {
        let top = order(|n| top_error(integrator, n), 20_000);
        println!("{integrator:?}: order {top:.2} (top)");
        assert!((top - expected).abs() < 0.1, "{integrator:?}: {top}");
    }
}

/// Momenta first, then positions: the energy of a spring oscillates about its
/// value by a fraction of ω h/2 and stays bounded, while Euler's grows without
/// bound.
#[test]
fn symplectic_euler_keeps_a_spring_s_energy_bounded() {
    let h = 0.02;
    let swing = |integrator: Integrator| {
        let mut u = on_a_spring(integrator, h);
        let start = u.energy();
        let mut largest = 0.0f64;
        for _ in 0..50_000 {
            u.step();
            largest = largest.max((u.energy() / start - 1.0).abs());
        }
        largest
    };
    let bounded = swing(Integrator::SymplecticEuler);
    println!("symplectic Euler's energy swings by {bounded:.3} at h = {h}");
    assert!(bounded < 2.0 * 0.5 * 2.0 * h, "{bounded}");
    assert!(swing(Integrator::MomentumEuler) > 1e3);
}

/// Chaney (29): Runge-Kutta loses (ω h)⁶/72 of a spring's energy per step, from
/// |1 + z + z²/2 + z³/6 + z⁴/24|² at z = i ω h.
#[test]
fn rk4_loses_a_spring_s_energy_as_its_amplification_says() {
    let (h, steps) = (0.1, 1000);
    let mut u = on_a_spring(Integrator::Rk4, h);
    let start = u.energy();
    u.run(steps);
    let y: f64 = 2.0 * h;
    let (re, im) = (1.0 - y * y / 2.0 + y.powi(4) / 24.0, y - y.powi(3) / 6.0);
    let factor = (re * re + im * im).powi(steps as i32);
    assert_ratio(u.energy() / start, factor, 1e-9);
    assert!(factor < 0.9995);
}
