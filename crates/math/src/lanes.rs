//! Numbers in SIMD lanes: one formula for one body or eight.
//!
//! A kernel written over [`Real`] runs on a single `f64` or on [`Lanes`] of
//! them. Every lane does exactly the arithmetic of the scalar kernel, in the
//! same order and without fused multiply-add, so results agree bit for bit
//! whatever the width. The compiler turns the loops below into vector
//! instructions of the width that the caller's target features allow.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The operations of a kernel's numbers.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The same value in every lane.
    fn splat(value: f64) -> Self;
    /// The square root of every lane.
    fn sqrt(self) -> Self;
    /// The absolute value of every lane.
    fn abs(self) -> Self;
    /// Every lane with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// In every lane `yes` where it is above `limit`, and `no` elsewhere,
    /// including NaN.
    fn above(self, limit: Self, yes: Self, no: Self) -> Self;
    /// Whether all lanes are equal.
    fn equals(self, other: Self) -> bool;
}

impl Real for f64 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        f64::copysign(self, sign)
    }
    #[inline(always)]
    fn above(self, limit: Self, yes: Self, no: Self) -> Self {
        if self > limit { yes } else { no }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
}

/// `N` numbers processed together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Lanes<const N: usize>(pub [f64; N]);

impl<const N: usize> Default for Lanes<N> {
    fn default() -> Self {
        Lanes([0.0; N])
    }
}

macro_rules! lanewise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl<const N: usize> $trait for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let mut out = self.0;
                for i in 0..N {
                    out[i] = self.0[i] $op other.0[i];
                }
                Lanes(out)
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut out = self.0;
        for lane in &mut out {
            *lane = -*lane;
        }
        Lanes(out)
    }
}

impl<const N: usize> Real for Lanes<N> {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        Lanes([value; N])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let mut out = self.0;
        for lane in &mut out {
            *lane = lane.sqrt();
        }
        Lanes(out)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        let mut out = self.0;
        for lane in &mut out {
            *lane = lane.abs();
        }
        Lanes(out)
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        let mut out = self.0;
        for (lane, sign) in out.iter_mut().zip(&sign.0) {
            *lane = lane.copysign(*sign);
        }
        Lanes(out)
    }
    #[inline(always)]
    fn above(self, limit: Self, yes: Self, no: Self) -> Self {
        let mut out = self.0;
        for (i, lane) in out.iter_mut().enumerate() {
            *lane = lane.above(limit.0[i], yes.0[i], no.0[i]);
        }
        Lanes(out)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        let mut equal = true;
        for i in 0..N {
            equal &= self.0[i] == other.0[i];
        }
        equal
    }
}

impl Lanes<8> {
    /// The sum of all lanes, by pairwise halving.
    #[inline(always)]
    pub fn sum(self) -> f64 {
        let s = self.0;
        ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
    }
}

/// A vector of three [`Real`]s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct V3<F> {
    /// The first component.
    pub x: F,
    /// The second component.
    pub y: F,
    /// The third component.
    pub z: F,
}

impl<F: Real> V3<F> {
    /// A vector from its components.
    #[inline(always)]
    pub fn new(x: F, y: F, z: F) -> Self {
        Self { x, y, z }
    }

    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(v: glam::DVec3) -> Self {
        Self::new(F::splat(v.x), F::splat(v.y), F::splat(v.z))
    }

    /// Each component times the matching one of `other`.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Self::new(self.x * other.x, self.y * other.y, self.z * other.z)
    }

    /// The scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> F {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// The vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(
            self.y * o.z - self.z * o.y,
            self.z * o.x - self.x * o.z,
            self.x * o.y - self.y * o.x,
        )
    }
}

impl<F: Real> Add for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<F: Real> Sub for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<F: Real> Mul<F> for V3<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: F) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl From<glam::DVec3> for V3<f64> {
    #[inline]
    fn from(v: glam::DVec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<V3<f64>> for glam::DVec3 {
    #[inline]
    fn from(v: V3<f64>) -> Self {
        glam::DVec3::new(v.x, v.y, v.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lane_computes_the_scalar_result() {
        let a = Lanes([1.5, -2.25, 1e300, 3.0]);
        let b = Lanes([0.1, 7.0, 1e-300, -3.0]);
        for i in 0..4 {
            assert_eq!((a + b).0[i], a.0[i] + b.0[i]);
            assert_eq!((a - b).0[i], a.0[i] - b.0[i]);
            assert_eq!((a * b).0[i], a.0[i] * b.0[i]);
            assert_eq!((a / b).0[i], a.0[i] / b.0[i]);
            assert_eq!((-a).0[i], -a.0[i]);
            assert_eq!(a.abs().0[i], a.0[i].abs());
            assert_eq!(a.copysign(b).0[i], a.0[i].copysign(b.0[i]));
            assert_eq!(a.above(b, a, b).0[i], a.0[i].max(b.0[i]));
            assert_eq!(
                Lanes([a.0[i].abs(); 4]).sqrt().0[0],
                f64::sqrt(a.0[i].abs())
            );
        }
    }
}
