//! The heavy symmetric top with a horizontal axis: it precesses at exactly
//! Ω = m g r/(I₃ ω₃).
//!
//! The pivot is a stiff spring of zero length. In the steady state the centre
//! of mass moves on a circle of radius ρ, so the spring must carry the weight,
//! which lowers the top's end by m g/κ, and pull it inwards by m Ω² ρ, which
//! moves the end outwards by m Ω² ρ/κ. So ρ = r + m Ω² ρ/κ. About the centre of
//! mass only the weight has a lever arm, r, and rotates L = I₃ ω₃ e_r + I₁ Ω z
//! at the rate I₃ ω₃ Ω = m g r, without approximation.

use crate::support::{DOWN, G, Universe, assert_near, assert_ratio};
use conatus_math::{DVec3, rotation};
use conatus_rigid::State;
use conatus_rigid::forces::{End, Spring};

struct Top {
    mass: f64,
    moments: DVec3,
    r: f64,
    spin: f64,
    stiffness: f64,
}

impl Top {
    fn precession(&self) -> f64 {
        self.mass * G * self.r / (self.moments.z * self.spin)
    }

    fn radius(&self) -> f64 {
        let omega = self.precession();
        self.r / (1.0 - self.mass * omega * omega / self.stiffness)
    }

    /// In its steady state, the axis along x, rotating about z at `rate`.
    fn universe(&self, h: f64, rate: f64) -> Universe {
        let mut u = Universe::new(h, DOWN);
        let rho = self.radius();
        // Body z, the axis of the top, lies along world x.
        let orientation = rotation::from_axis_angle(DVec3::Y, std::f64::consts::FRAC_PI_2);
        let mut state = State {
            position: DVec3::new(rho, 0.0, -self.mass * G / self.stiffness),
            velocity: DVec3::Y * (rate * rho),
            orientation,
            omega_body: DVec3::ZERO,
        };
        let omega = DVec3::X * self.spin + DVec3::Z * rate;
        state.omega_body = state.rotation().transpose() * omega;
        u.add(self.mass, self.moments, state);
        u.push(Spring {
            a: End::Body(0, DVec3::Z * -self.r),
            b: End::Pin(DVec3::ZERO),
            stiffness: self.stiffness,
            length: 0.0,
            damping: 0.0,
        });
        u
    }
}

const TOP: Top = Top {
    mass: 1.0,
    moments: DVec3::new(0.03, 0.03, 0.02),
    r: 0.3,
    spin: 100.0,
    stiffness: 2e4,
};

#[test]
fn a_level_top_precesses_at_weight_times_lever_over_spin() {
    let rate = TOP.precession();
    let mut u = TOP.universe(2.5e-4, rate);
    for _ in 0..8 {
        u.run(2000);
        let s = u.state(0);
        let (sin, cos) = (rate * u.time()).sin_cos();
        let outwards = DVec3::new(cos, sin, 0.0);
        let sunk = DVec3::Z * (-TOP.mass * G / TOP.stiffness);
        assert_near(s.position, outwards * TOP.radius() + sunk, 1e-6);
        assert_near(s.rotation() * DVec3::Z, outwards, 1e-5);
    }
    assert!(rate * u.time() > 5.0, "most of a round");
    assert_ratio(rate, 1.4715, 1e-12);
}

#[test]
fn twice_the_spin_halves_the_precession() {
    let fast = Top { spin: 200.0, ..TOP };
    assert_ratio(fast.precession(), 0.5 * TOP.precession(), 1e-15);
    let mut u = fast.universe(2.5e-4, fast.precession());
    u.run(4000);
    let p = u.state(0).position;
    assert_ratio(p.y.atan2(p.x), fast.precession() * 1.0, 1e-5);
}

/// Released without the steady rate, the top nutates: its end sinks and rises,
/// and energy and the vertical component of angular momentum are constant.
#[test]
fn a_top_released_at_rest_nutates_and_conserves_energy_and_vertical_angular_momentum() {
    let mut u = TOP.universe(2.5e-4, 0.0);
    let about_z = |u: &Universe| u.bodies.totals().2.z;
    let (energy, spin) = (u.energy(), about_z(&u));
    let mut lowest = 0.0f64;
    for _ in 0..4000 {
        u.step();
        lowest = lowest.min(u.state(0).position.z);
    }
    assert!(lowest < -0.01 && lowest > -0.1, "{lowest}");
    assert_ratio(u.energy(), energy, 1e-6);
    assert!((about_z(&u) - spin).abs() < 1e-6);
}
