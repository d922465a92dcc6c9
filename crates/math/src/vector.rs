//! Sums over long vectors, in an order that is the same on every machine and
//! suits SIMD: eight partial sums.

use crate::lanes::{Lanes, Real};

/// a·b.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    let mut sum = Lanes::<8>::splat(0.0);
    for (a, b) in a.iter().zip(b) {
        sum = sum + Lanes(*a) * Lanes(*b);
    }
    let rest = a_rest.iter().zip(b_rest);
    rest.fold(sum.sum(), |sum, (a, b)| sum + a * b)
}

/// The length of a vector.
pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// y += factor · x.
pub(crate) fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += factor * x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_in_lanes_is_the_sum() {
        for n in [0, 1, 7, 8, 9, 31, 64] {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) + 1.0).collect();
            let b: Vec<f64> = (0..n).map(|i| 2.0 - f64::from(i)).collect();
            let expected: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
            assert_eq!(dot(&a, &b), expected);
        }
    }
}
