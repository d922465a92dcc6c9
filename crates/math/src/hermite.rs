//! Cubic Hermite segments: smooth curves through knots with a value and a rate.
//!
//! A point of a segment is a weighted sum of the values and rates of its two
//! knots, with weights that depend on the time alone. So the derivative of the
//! point with respect to a knot *is* the weight, and weights of fixed sample
//! times can be computed once.

use glam::DVec3;

/// The weights of a segment's knots at one time, in the order value and rate of
/// the first knot, value and rate of the second: (x₀, v₀, x₁, v₁).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Weights of the value of the curve.
    pub position: [f64; 4],
    /// Weights of its first derivative by time.
    pub velocity: [f64; 4],
    /// Weights of its second derivative by time.
    pub acceleration: [f64; 4],
}

impl Weights {
    /// The weights at the fraction `s` of a segment that lasts `duration`
    /// seconds: 0 is its first knot, 1 its second.
    #[inline]
    pub fn new(s: f64, duration: f64) -> Self {
        let rest = 1.0 - s;
        let rate = 1.0 / duration;
        let value = s * s * (3.0 - 2.0 * s);
        let slope = 6.0 * s * rest * rate;
        let bend = 6.0 * (rest - s) * rate * rate;
        Self {
            position: [
                rest * rest * (1.0 + 2.0 * s),
                duration * s * rest * rest,
                value,
                -duration * s * s * rest,
            ],
            velocity: [-slope, rest * (1.0 - 3.0 * s), slope, s * (3.0 * s - 2.0)],
            acceleration: [-bend, (6.0 * s - 4.0) * rate, bend, (6.0 * s - 2.0) * rate],
        }
    }
}

/// The point with these weights: a row of [`Weights`] times (x₀, v₀, x₁, v₁).
#[inline]
pub fn blend(weights: &[f64; 4], knots: &[DVec3; 4]) -> DVec3 {
    knots[0] * weights[0] + knots[1] * weights[1] + knots[2] * weights[2] + knots[3] * weights[3]
}

/// The adjoint of [`blend`]: adds the gradient of the point to the gradients of
/// the knots.
#[inline]
pub fn spread(weights: &[f64; 4], point: DVec3, knots: &mut [DVec3; 4]) {
    for (knot, &weight) in knots.iter_mut().zip(weights) {
        *knot += point * weight;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(weights: &[f64; 4], knots: [f64; 4]) -> f64 {
        weights.iter().zip(knots).map(|(w, k)| w * k).sum()
    }

    #[test]
    fn a_segment_follows_every_cubic_exactly() {
        let duration = 0.4;
        for power in 0..4 {
            let at = |t: f64| t.powi(power);
            let rate = |t: f64| f64::from(power) * t.powi(power.max(1) - 1);
            let knots = [at(1.0), rate(1.0), at(1.0 + duration), rate(1.0 + duration)];
            for i in 0..=10 {
                let s = f64::from(i) / 10.0;
                let t = 1.0 + s * duration;
                let weights = Weights::new(s, duration);
                let second = f64::from(power * (power - 1)) * t.powi(power.max(2) - 2);
                assert!((sum(&weights.position, knots) - at(t)).abs() < 1e-15 * 16.0);
                assert!((sum(&weights.velocity, knots) - rate(t)).abs() < 1e-15 * 64.0);
                assert!((sum(&weights.acceleration, knots) - second).abs() < 1e-15 * 512.0);
            }
        }
    }

    #[test]
    fn the_ends_of_a_segment_are_its_knots_to_the_last_bit() {
        for duration in [0.1, 0.7, 3.0] {
            let start = Weights::new(0.0, duration);
            let end = Weights::new(1.0, duration);
            assert_eq!(start.position, [1.0, 0.0, 0.0, 0.0]);
            assert_eq!(start.velocity, [0.0, 1.0, 0.0, 0.0]);
            assert_eq!(end.position, [0.0, 0.0, 1.0, 0.0]);
            assert_eq!(end.velocity, [0.0, 0.0, 0.0, 1.0]);
        }
    }

    #[test]
    fn spreading_is_the_adjoint_of_blending() {
        let weights = Weights::new(0.3, 0.7).velocity;
        let v = |k: f64| DVec3::new(k, 1.0 - k, k * k);
        let knots = [v(0.1), v(-2.0), v(1.5), v(0.6)];
        let point = v(3.0);
        let mut gradient = [DVec3::ZERO; 4];
        spread(&weights, point, &mut gradient);
        let pairs = gradient.iter().zip(&knots);
        let other: f64 = pairs.map(|(g, k)| g.dot(*k)).sum();
        assert!((blend(&weights, &knots).dot(point) - other).abs() < 1e-13);
    }
}
