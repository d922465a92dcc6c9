//! The tumbling asymmetric top against its exact solution in Jacobi's elliptic
//! functions, and its conserved quantities over a hundred thousand steps.

use crate::support::elliptic::{FreeTop, complete_k, sn_cn_dn};
use crate::support::{Universe, assert_near, assert_ratio, largest};
use conatus_math::{DMat3, DVec3};
use conatus_rigid::{Integrator, State};

const MOMENTS: DVec3 = DVec3::new(1.0, 2.0, 3.0);
const OMEGA: DVec3 = DVec3::new(0.01, 2.0, 0.01);

fn tumbling(integrator: Integrator, h: f64) -> Universe {
    let mut u = Universe::new(h, DVec3::ZERO);
    u.integrator = integrator;
    let start = State {
        omega_body: OMEGA,
        ..State::default()
    };
    u.add(1.0, MOMENTS, start);
    u
}

/// Chaney (14), (18)-(20), (29): angular velocity and attitude after 100 s of
/// tumbling, nine flips, at a step of 0.01 s.
#[test]
fn the_tumbling_top_follows_the_elliptic_solution() {
    let exact = FreeTop::new(MOMENTS, OMEGA);
    let mut u = tumbling(Integrator::Rk4, 0.01);
    let (mut worst_omega, mut worst_attitude) = (0.0f64, 0.0f64);
    for second in 1..=10 {
        u.run(1000);
        let t = 10.0 * f64::from(second);
        let state = u.state(0);
        worst_omega = worst_omega.max((state.omega_body - exact.omega(t)).length());
        worst_attitude = worst_attitude.max(largest(state.rotation() - exact.attitude(t)));
    }
    println!("largest error of omega {worst_omega:.1e} rad/s, of attitude {worst_attitude:.1e}");
    assert!(worst_omega <= 1e-6, "{worst_omega}");
    assert!(worst_attitude <= 1e-6, "{worst_attitude}");
}

/// The Dzhanibekov top for 1000 s: energy, angular momentum and flips.
#[test]
fn a_hundred_thousand_steps_keep_energy_and_angular_momentum() {
    let mut u = tumbling(Integrator::Rk4, 0.01);
    let start = u.state(0);
    let (e, l) = (start.energy(1.0, MOMENTS, DVec3::ZERO), MOMENTS * OMEGA);
    let (mut energy_drift, mut momentum_drift) = (0.0f64, 0.0f64);
    let mut flips = 0;
    let mut up = true;
    for _ in 0..100_000 {
        u.step();
        let s = u.state(0);
        let energy = s.kinetic_energy(1.0, MOMENTS);
        energy_drift = energy_drift.max((energy / e - 1.0).abs());
        let change = s.angular_momentum(MOMENTS) - l;
        momentum_drift = momentum_drift.max(change.length() / l.length());
        // A flip ends when the second axis spins the other way at half speed:
        // oscillations about zero are not counted.
        let y = s.omega_body.y;
        if (up && y < -1.0) || (!up && y > 1.0) {
            up = !up;
            flips += 1;
        }
    }
    println!("energy {energy_drift:.2e}, angular momentum {momentum_drift:.2e}, flips {flips}");
    assert!(energy_drift <= 1e-9, "{energy_drift}");
    assert!(momentum_drift <= 5e-9, "{momentum_drift}");
    assert_eq!(flips, 91);
    let expected = (1000.0 / FreeTop::new(MOMENTS, OMEGA).flip_time()).round();
    assert_eq!(f64::from(flips), expected);
}

/// Di Pierro (53), (55): without forces the momentum integrator conserves L in
/// every step, to rounding, for any step size.
#[test]
fn momentum_euler_keeps_angular_momentum_exactly() {
    let mut u = tumbling(Integrator::MomentumEuler, 0.05);
    let mut before = MOMENTS * OMEGA;
    for _ in 0..10_000 {
        u.step();
        let l = u.state(0).angular_momentum(MOMENTS);
        assert_near(l, before, 2e-14);
        before = l;
    }
    assert_near(before, MOMENTS * OMEGA, 1e-10);
    // Euler's method on ω itself does not.
    let mut plain = tumbling(Integrator::Euler, 0.05);
    plain.run(1000);
    let change = plain.state(0).angular_momentum(MOMENTS) - MOMENTS * OMEGA;
    assert!(change.length() > 0.01);
}

/// The exact solution itself: it has the right initial values, satisfies
/// Euler's equations and rotates by its own ω.
#[test]
fn the_elliptic_solution_obeys_the_equations_of_motion() {
    for omega in [
        OMEGA,
        DVec3::new(0.5, -0.3, 1.5),
        DVec3::new(-1.0, 0.7, 2.0),
    ] {
        let top = FreeTop::new(MOMENTS, omega);
        assert_near(top.omega(0.0), omega, 1e-12);
        assert!(largest(top.attitude(0.0) - DMat3::IDENTITY) < 1e-12);
        for t in [0.0, 0.7, 5.3, 11.0] {
            let e = 1e-4;
            let w = top.omega(t);
            let rate = (top.omega(t + e) - top.omega(t - e)) / (2.0 * e);
            let torque = MOMENTS * rate + w.cross(MOMENTS * w);
            assert_near(torque, DVec3::ZERO, 1e-6);
            let turning = (top.attitude(t + e) - top.attitude(t - e)) * (0.5 / e);
            let skew = top.attitude(t).transpose() * turning;
            let found = DVec3::new(skew.y_axis.z, skew.z_axis.x, skew.x_axis.y);
            assert_near(found, w, 1e-6);
            assert_near(top.attitude(t) * (MOMENTS * w), MOMENTS * omega, 1e-8);
        }
    }
}

/// sn, cn and dn at their limits, at tabulated values, at their quarter period
/// and by their derivatives and the addition theorem.
#[test]
fn the_elliptic_functions_have_their_known_values() {
    assert_ratio(complete_k(0.0), std::f64::consts::FRAC_PI_2, 1e-15);
    assert_ratio(complete_k(0.5), 1.854_074_677_301_371_9, 1e-15);
    assert_ratio(complete_k(0.99), 3.695_637_362_989_875, 1e-14);
    let (sn, cn, dn) = sn_cn_dn(1.0, 0.5);
    assert_ratio(sn, 0.803_001_824_895_644, 1e-14);
    assert_ratio(cn, 0.595_976_567_672_140_7, 1e-14);
    assert_ratio(dn, 0.823_161_001_631_596_3, 1e-14);
    for u in [-2.0, 0.3, 1.1] {
        let (sn, cn, dn) = sn_cn_dn(u, 0.0);
        assert!((sn - u.sin()).abs() + (cn - u.cos()).abs() + (dn - 1.0).abs() < 1e-15);
        let (sn, cn, _) = sn_cn_dn(u, 1.0 - 1e-14);
        assert!((sn - u.tanh()).abs() + (cn - 1.0 / u.cosh()).abs() < 1e-12);
    }
    for m in [0.1, 0.7, 0.9999] {
        let k = complete_k(m);
        let (sn, ..) = sn_cn_dn(0.5 * k, m);
        assert_ratio(sn, 1.0 / (1.0 + (1.0 - m).sqrt()).sqrt(), 1e-12);
        let f = |u: f64| sn_cn_dn(u, m);
        for u in [0.4, 3.0, -7.7] {
            let (s, c, d) = f(u);
            assert_ratio(s * s + c * c, 1.0, 1e-14);
            assert_ratio(d * d + m * s * s, 1.0, 1e-14);
            assert!((f(u + 2.0 * k).0 + s).abs() < 1e-11);
            let slope = (f(u + 1e-5).0 - f(u - 1e-5).0) / 2e-5;
            assert!((slope - c * d).abs() < 1e-9);
            let (s2, c2, d2) = f(0.6);
            let sum = (s * c2 * d2 + s2 * c * d) / (1.0 - m * s * s * s2 * s2);
            assert!((f(u + 0.6).0 - sum).abs() < 1e-11);
        }
    }
}
