//! Eight numbers in the registers of the processor, and rows of bodies as lanes.
//!
//! The kernels of the solver are generic over [`Simd`]: portable arrays, two registers of
//! four with AVX2, or one of eight with AVX-512. Every lane does the same arithmetic in
//! the same order, without fused multiply-add, so all of them give the same bits. (Arrays
//! alone would do, but the compiler keeps many of them in memory.)
//!
//! Each body keeps its numbers side by side, eight in a row of one cache line. Lanes want
//! the same number of eight bodies side by side: a transposition of eight rows.

#![expect(
    clippy::needless_range_loop,
    reason = "closures of iterators would be compiled without the width of the caller"
)]

#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512};

use super::bodies::{WIDTH, Wide};
use conatus_math::lanes::{Lanes, Real, V3};

/// Eight numbers of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f64; WIDTH]);

/// Eight numbers in single precision, for what need not be exact: the memory that a pass
/// reads decides its speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Half(pub [f32; WIDTH]);

/// By how much a vector has to be shortened to the length `bound`, where its square is
/// above that of the bound.
#[inline(always)]
pub fn shortening<F: Simd>(square: F, bound: F) -> F {
    let length = square.max(F::splat(1e-300)).sqrt();
    square.above(bound * bound, bound / length, F::splat(1.0))
}

/// Eight numbers that are computed together.
pub trait Simd: Real {
    /// Reads them.
    fn load(from: &Wide) -> Self;

    /// Writes them.
    fn store(self, to: &mut Wide);

    /// Reads numbers of single precision.
    fn load_half(from: &Half) -> Self;

    /// Writes the nearest numbers of single precision.
    fn store_half(self, to: &mut Half);

    /// Asks the processor to fetch the line of a number that will be read soon.
    #[inline(always)]
    fn prefetch<T>(_at: *const T) {}

    /// Whether any lane is above that of `other`.
    fn any_above(self, other: Self) -> bool;

    /// Number k of all rows in lane order, for each k.
    ///
    /// # Safety
    /// The pointers are valid, and nothing else writes the rows at the same time.
    unsafe fn lanes(rows: [*const Row; WIDTH]) -> [Self; WIDTH];

    /// The opposite: the row of every lane, written where a pointer is not null.
    ///
    /// # Safety
    /// The pointers are null or valid, and nothing else uses the rows at the same time.
    unsafe fn write_rows(lanes: [Self; WIDTH], to: [*mut Row; WIDTH]);

    /// The greater of two, in each lane.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.above(other, self, other)
    }

    /// The lesser of two, in each lane.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.above(other, other, self)
    }

    /// Reads a vector.
    #[inline(always)]
    fn load3(from: &V3<Wide>) -> V3<Self> {
        V3::new(
            Self::load(&from.x),
            Self::load(&from.y),
            Self::load(&from.z),
        )
    }

    /// Writes a vector.
    #[inline(always)]
    fn store3(v: V3<Self>, to: &mut V3<Wide>) {
        v.x.store(&mut to.x);
        v.y.store(&mut to.y);
        v.z.store(&mut to.z);
    }
}

/// Arrays, on any processor.
impl Simd for Lanes<WIDTH> {
    #[inline(always)]
    fn load(from: &Wide) -> Self {
        *from
    }

    #[inline(always)]
    fn store(self, to: &mut Wide) {
        *to = self;
    }

    #[inline(always)]
    fn load_half(from: &Half) -> Self {
        let mut out = [0.0; WIDTH];
        for lane in 0..WIDTH {
            out[lane] = f64::from(from.0[lane]);
        }
        Lanes(out)
    }

    #[inline(always)]
    fn store_half(self, to: &mut Half) {
        for lane in 0..WIDTH {
            to.0[lane] = self.0[lane] as f32;
        }
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        let mut any = false;
        for lane in 0..WIDTH {
            any |= self.0[lane] > other.0[lane];
        }
        any
    }

    #[inline(always)]
    unsafe fn lanes(rows: [*const Row; WIDTH]) -> [Self; WIDTH] {
        let mut out = [Lanes([0.0; WIDTH]); WIDTH];
        for (lane, row) in rows.into_iter().enumerate() {
            // SAFETY: the caller promises it.
            let row = unsafe { *row };
            for k in 0..WIDTH {
                out[k].0[lane] = row.0[k];
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn write_rows(lanes: [Self; WIDTH], to: [*mut Row; WIDTH]) {
        for (lane, to) in to.into_iter().enumerate() {
            if !to.is_null() {
                let mut row = Row::default();
                for k in 0..WIDTH {
                    row.0[k] = lanes[k].0[lane];
                }
                // SAFETY: the caller promises it.
                unsafe { *to = row };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<F: Simd>() {
        let rows: [Row; WIDTH] =
            std::array::from_fn(|lane| Row(std::array::from_fn(|k| (10 * lane + k) as f64 - 30.0)));
        // SAFETY: pointers to rows that live here.
        let lanes: [F; WIDTH] = unsafe { F::lanes(rows.each_ref().map(std::ptr::from_ref)) };
        let read = |f: F| {
            let mut out = Wide::default();
            f.store(&mut out);
            out.0
        };
        for (k, wide) in lanes.iter().enumerate() {
            for lane in 0..WIDTH {
                assert_eq!(read(*wide)[lane], rows[lane].0[k]);
            }
        }
        let mut back = [Row::default(); WIDTH];
        let to = std::array::from_fn(|k| match k {
            3 => std::ptr::null_mut(),
            _ => &raw mut back[k],
        });
        // SAFETY: as above.
        unsafe { F::write_rows(lanes, to) };
        for (k, (own, row)) in back.iter().zip(&rows).enumerate() {
            assert_eq!(*own, if k == 3 { Row::default() } else { *row });
        }

        let (x, y) = (
            Lanes([1.5, -2.25, 1e300, 3.0, 0.0, -0.0, f64::NAN, 7.0]),
            Lanes([0.1, 7.0, 1e-300, -3.0, -0.0, 0.0, 1.0, 7.0]),
        );
        let (a, b) = (F::load(&x), F::load(&y));
        let same = |f: F, expected: Lanes<WIDTH>| {
            for (own, other) in read(f).into_iter().zip(expected.0) {
                assert!(own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan());
            }
        };
        same(a + b, x + y);
        same(a - b, x - y);
        same(a * b, x * y);
        same(a / b, x / y);
        same(-a, -x);
        same(a.abs(), x.abs());
        same(a.abs().sqrt(), x.abs().sqrt());
        same(a.copysign(b), x.copysign(y));
        same(a.above(b, a, b), x.above(y, x, y));
        assert!(a.any_above(b) && a.equals(a) == x.equals(x));
        let mut half = Half::default();
        a.store_half(&mut half);
        assert_eq!(
            half.0.map(f32::to_bits),
            x.0.map(|x| (x as f32).to_bits()),
            "rounding to single precision"
        );
        let wide = Half([1.5, -0.1, 1e-30, 3e30, 0.0, -0.0, 7.0, 8.0]);
        same(F::load_half(&wide), Lanes(wide.0.map(f64::from)));
        assert!(!F::splat(1.0).any_above(F::splat(1.0)));
        assert!(F::splat(2.0).equals(F::splat(2.0)));
    }

    #[test]
    fn all_registers_compute_what_arrays_compute() {
        check::<Lanes<WIDTH>>();
        #[cfg(target_arch = "x86_64")]
        {
            use crate::blocks::Width;
            if Width::Avx2.is_available() {
                check::<Avx2>();
            }
            if Width::Avx512.is_available() {
                check::<Avx512>();
            }
        }
    }
}
