//! Jacobi's elliptic functions sn, cn and dn by the descending Landen
//! transformation, and the complete integral K by the arithmetic-geometric
//! mean.

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
