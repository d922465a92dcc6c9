//! Soft constraints: a spring and a damper, integrated implicitly.
//!
//! A constraint with separation s, effective mass m, frequency ω and damping ratio ζ
//! obeys s̈ + 2ζω ṡ + ω² s = 0. Its implicit Euler step of size h is an impulse
//!
//!   λ = −m σ (ṡ + β s) − γ Λ,
//!
//! Λ the impulse accumulated so far, with a = 2ζ + hω, b = hωa, the bias rate β = ω/a,
//! the mass scale σ = b/(1 + b) and the impulse scale γ = 1/(1 + b).

use std::f64::consts::TAU;

/// The three numbers of a soft constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// β, in 1/s.
    pub bias_rate: f64,
    /// σ.
    pub mass_scale: f64,
    /// γ.
    pub impulse_scale: f64,
}

impl Softness {
    /// A constraint that holds at once.
    pub const RIGID: Self = Self {
        bias_rate: 0.0,
        mass_scale: 1.0,
        impulse_scale: 0.0,
    };

    /// From frequency in hertz, damping ratio and size of the step.
    pub fn new(hertz: f64, damping_ratio: f64, h: f64) -> Self {
        if hertz <= 0.0 {
            return Self::RIGID;
        }
        let omega = TAU * hertz;
        let a = 2.0 * damping_ratio + h * omega;
        let b = h * omega * a;
        Self {
            bias_rate: omega / a,
            mass_scale: b / (1.0 + b),
            impulse_scale: 1.0 / (1.0 + b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mass on a soft constraint without other forces decays to s = 0 as the implicit
    /// Euler method says: the matrix form of the same step.
    #[test]
    fn the_impulse_is_an_implicit_step_of_the_spring() {
        let (hertz, damping, h, mass) = (12.0, 0.7, 1.0 / 240.0, 3.0);
        let soft = Softness::new(hertz, damping, h);
        let omega = TAU * hertz;
        let (mut s, mut v) = (0.2, -1.0);
        let (mut s2, mut v2) = (s, v);
        for _ in 0..100 {
            let impulse = -mass * soft.mass_scale * (v + soft.bias_rate * s);
            v += impulse / mass;
            s += h * v;
            // (1 + 2ζωh + ω²h²) v' = v − ω² h s.
            let a = 1.0 + 2.0 * damping * omega * h + omega * omega * h * h;
            v2 = (v2 - omega * omega * h * s2) / a;
            s2 += h * v2;
            assert!((s - s2).abs() < 1e-12 && (v - v2).abs() < 1e-12);
        }
        assert!(s.abs() < 1e-6);
    }
}
