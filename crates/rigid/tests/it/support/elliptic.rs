//! Jacobi's elliptic functions sn, cn and dn by the descending Landen
//! transformation, and the complete integral K by the arithmetic-geometric
//! mean; and the free top that moves by them.

use conatus_math::{DMat3, DVec3, rotation};

/// sn, cn and dn of `u` for the parameter `m` = k², 0 ≤ m < 1.
///
/// With a₀ = 1, b₀ = √(1 − m), c₀ = √m the means aₙ₊₁ = (aₙ + bₙ)/2,
/// bₙ₊₁ = √(aₙbₙ), cₙ₊₁ = (aₙ − bₙ)/2 converge quadratically. Then
/// φ_N = 2ᴺ a_N u and sin(2φₙ₋₁ − φₙ) = (cₙ/aₙ) sin φₙ lead back to φ₀, whose
/// sine and cosine are sn and cn.
pub fn sn_cn_dn(u: f64, m: f64) -> (f64, f64, f64) {
    assert!((0.0..1.0).contains(&m));
    // Within ±K, the angle loses no digits to large multiples.
    let k = complete_k(m);
    let periods = (u / (2.0 * k)).round();
    let sign = if periods % 2.0 == 0.0 { 1.0 } else { -1.0 };
    let u = u - 2.0 * k * periods;

    let (mut a, mut b, mut c) = (1.0, (1.0 - m).sqrt(), m.sqrt());
    let mut ratios = Vec::new();
    while c > 1e-17 && ratios.len() < 12 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        ratios.push(c / a);
    }
    let mut phi = a * u * f64::powi(2.0, ratios.len() as i32);
    for ratio in ratios.iter().rev() {
        phi = 0.5 * (phi + (ratio * phi.sin()).asin());
    }
    let (sn, cn) = phi.sin_cos();
    (sign * sn, sign * cn, (1.0 - m * sn * sn).sqrt())
}

/// K(m), a quarter of the period of sn: π / (2 AGM(1, √(1 − m))).
pub fn complete_k(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..12 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::PI / (a + b)
}

/// The exact motion of a body without torque, for moments I₁ < I₂ < I₃ and
/// L² > 2 E I₂: it circles about its third axis and tumbles if L² is close to 2
/// E I₂ (Landau and Lifshitz, *Mechanics*, §37).
pub struct FreeTop {
    moments: DVec3,
    /// The amplitudes of ω: of cn, sn and dn.
    amplitude: DVec3,
    /// The factor of time.
    rate: f64,
    /// The argument at t = 0.
    start: f64,
    /// k².
    m: f64,
    /// |L|.
    l: f64,
}

impl FreeTop {
    /// From the angular velocity at t = 0 in body axes, third component > 0.
    pub fn new(moments: DVec3, omega: DVec3) -> Self {
        let DVec3 {
            x: i1,
            y: i2,
            z: i3,
        } = moments;
        let e2 = (moments * omega).dot(omega);
        let l2 = (moments * omega).length_squared();
        assert!(i1 < i2 && i2 < i3 && l2 > e2 * i2 && omega.z > 0.0);
        let amplitude = DVec3::new(
            ((e2 * i3 - l2) / (i1 * (i3 - i1))).sqrt(),
            ((e2 * i3 - l2) / (i2 * (i3 - i2))).sqrt(),
            ((l2 - e2 * i1) / (i3 * (i3 - i1))).sqrt(),
        );
        let m = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1));
        let phase = (omega.y / amplitude.y).atan2(omega.x / amplitude.x);
        Self {
            moments,
            amplitude,
            rate: ((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3)).sqrt(),
            start: argument(phase, m),
            m,
            l: l2.sqrt(),
        }
    }

    /// ω in body axes.
    pub fn omega(&self, t: f64) -> DVec3 {
        let (sn, cn, dn) = sn_cn_dn(self.rate * t + self.start, self.m);
        self.amplitude * DVec3::new(cn, sn, dn)
    }

    /// Half the period of ω: the time between two flips of the second axis.
    pub fn flip_time(&self) -> f64 {
        2.0 * complete_k(self.m) / self.rate
    }

    /// R at time `t` for R = 1 at t = 0.
    ///
    /// With the axis z' along L, which stays, R = Z(φ) X(θ) Z(ψ), and L in body
    /// axes is |L| (sin θ sin ψ, sin θ cos ψ, cos θ): θ and ψ follow from ω. The
    /// third angle grows at φ̇ = |L| (I₁ω₁² + I₂ω₂²)/(I₁²ω₁² + I₂²ω₂²), which is
    /// integrated by Simpson's rule.
    pub fn attitude(&self, t: f64) -> DMat3 {
        let tilt = |t: f64| {
            let l = self.moments * self.omega(t) / self.l;
            rotation::rodrigues(DVec3::X, l.z.acos())
                * rotation::rodrigues(DVec3::Z, l.x.atan2(l.y))
        };
        let turn = rotation::rodrigues(DVec3::Z, self.precession(t));
        tilt(0.0).transpose() * turn * tilt(t)
    }

    /// φ(t) − φ(0).
    fn precession(&self, t: f64) -> f64 {
        let rate = |t: f64| {
            let w = self.omega(t);
            let (i, w2) = (self.moments, w * w);
            let across = i * i * w2;
            self.l * (i.x * w2.x + i.y * w2.y) / (across.x + across.y)
        };
        let pairs = (t / 0.005).ceil().max(1.0);
        let step = 0.5 * t / pairs;
        let mut sum = rate(0.0) + rate(t);
        for k in 1..(2.0 * pairs) as u32 {
            let weight = if k % 2 == 1 { 4.0 } else { 2.0 };
            sum += weight * rate(f64::from(k) * step);
        }
        sum * step / 3.0
    }
}

/// The u whose amplitude is `phase`: sn u = sin φ and cn u = cos φ.
fn argument(phase: f64, m: f64) -> f64 {
    let k = complete_k(m);
    // The amplitude grows with u and passes a half turn in 2K.
    let (mut low, mut high) = (-2.0 * k, 2.0 * k);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        let (sn, cn, _) = sn_cn_dn(middle, m);
        if sn.atan2(cn) < phase {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
