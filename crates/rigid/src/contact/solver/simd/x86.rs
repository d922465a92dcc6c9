//! Registers of AVX2 and AVX-512.
//!
//! The types are used only by functions that are compiled for these instructions and
//! called after the processor was asked for them; every operation is inlined there.

use super::{Half, Row, Simd, WIDTH, Wide};
use conatus_math::lanes::Real;
use std::arch::x86_64::*;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Two registers of four.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(__m256d, __m256d);

/// One register of eight.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(__m512d);

macro_rules! operators {
    ($($trait:ident $method:ident $avx2:ident $avx512:ident),*) => {$(
        impl $trait for Avx2 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: see the module.
                unsafe { Self($avx2(self.0, o.0), $avx2(self.1, o.1)) }
            }
        }
        impl $trait for Avx512 {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                // SAFETY: see the module.
                unsafe { Self($avx512(self.0, o.0)) }
            }
        }
    )*};
}
operators!(
    Add add _mm256_add_pd _mm512_add_pd,
    Sub sub _mm256_sub_pd _mm512_sub_pd,
    Mul mul _mm256_mul_pd _mm512_mul_pd,
    Div div _mm256_div_pd _mm512_div_pd
);

impl Neg for Avx2 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(_mm256_xor_pd(self.0, sign), _mm256_xor_pd(self.1, sign))
        }
    }
}

impl Neg for Avx512 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            let bits = _mm512_castpd_si512(self.0);
            Self(_mm512_castsi512_pd(_mm512_xor_si512(bits, sign)))
        }
    }
}

impl Real for Avx2 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_set1_pd(value), _mm256_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm256_sqrt_pd(self.0), _mm256_sqrt_pd(self.1)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let sign = _mm256_set1_pd(-0.0);
            Self(
                _mm256_andnot_pd(sign, self.0),
                _mm256_andnot_pd(sign, self.1),
            )
        }
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let bit = _mm256_set1_pd(-0.0);
            let join = |a: __m256d, b: __m256d| {
                _mm256_or_pd(_mm256_andnot_pd(bit, a), _mm256_and_pd(bit, b))
            };
            Self(join(self.0, sign.0), join(self.1, sign.1))
        }
    }
    #[inline(always)]
    fn above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            Self(
                _mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, limit.0)),
                _mm256_blendv_pd(no.1, yes.1, _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, limit.1)),
            )
        }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        // SAFETY: see the module.
        unsafe {
            let low = _mm256_cmp_pd::<_CMP_EQ_OQ>(self.0, other.0);
            let high = _mm256_cmp_pd::<_CMP_EQ_OQ>(self.1, other.1);
            _mm256_movemask_pd(_mm256_and_pd(low, high)) == 0xF
        }
    }
}

impl Real for Avx512 {
    #[inline(always)]
    fn splat(value: f64) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_set1_pd(value)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_sqrt_pd(self.0)) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe { Self(_mm512_abs_pd(self.0)) }
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let bit = _mm512_castpd_si512(_mm512_set1_pd(-0.0));
            let magnitude = _mm512_andnot_si512(bit, _mm512_castpd_si512(self.0));
            let sign = _mm512_and_si512(bit, _mm512_castpd_si512(sign.0));
            Self(_mm512_castsi512_pd(_mm512_or_si512(magnitude, sign)))
        }
    }
    #[inline(always)]
    fn above(self, limit: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let mask = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, limit.0);
            Self(_mm512_mask_blend_pd(mask, no.0, yes.0))
        }
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(self.0, other.0) == 0xFF }
    }
}

/// Transposes four by four numbers.
#[inline(always)]
unsafe fn transpose4(r: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: see the module.
    unsafe {
        let low01 = _mm256_unpacklo_pd(r[0], r[1]);
        let high01 = _mm256_unpackhi_pd(r[0], r[1]);
        let low23 = _mm256_unpacklo_pd(r[2], r[3]);
        let high23 = _mm256_unpackhi_pd(r[2], r[3]);
        [
            _mm256_permute2f128_pd::<0x20>(low01, low23),
            _mm256_permute2f128_pd::<0x20>(high01, high23),
            _mm256_permute2f128_pd::<0x31>(low01, low23),
            _mm256_permute2f128_pd::<0x31>(high01, high23),
        ]
    }
}

/// Transposes four by four pairs of numbers.
#[inline(always)]
unsafe fn quads(a: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: see the module.
    unsafe {
        let even0 = _mm512_shuffle_f64x2::<0x88>(a[0], a[1]);
        let odd0 = _mm512_shuffle_f64x2::<0xDD>(a[0], a[1]);
        let even1 = _mm512_shuffle_f64x2::<0x88>(a[2], a[3]);
        let odd1 = _mm512_shuffle_f64x2::<0xDD>(a[2], a[3]);
        [
            _mm512_shuffle_f64x2::<0x88>(even0, even1),
            _mm512_shuffle_f64x2::<0x88>(odd0, odd1),
            _mm512_shuffle_f64x2::<0xDD>(even0, even1),
            _mm512_shuffle_f64x2::<0xDD>(odd0, odd1),
        ]
    }
}

/// Transposes eight by eight numbers.
#[inline(always)]
unsafe fn transpose8(r: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: see the module.
    unsafe {
        // Pairs of rows: even and odd columns.
        let even = quads([
            _mm512_unpacklo_pd(r[0], r[1]),
            _mm512_unpacklo_pd(r[2], r[3]),
            _mm512_unpacklo_pd(r[4], r[5]),
            _mm512_unpacklo_pd(r[6], r[7]),
        ]);
        let odd = quads([
            _mm512_unpackhi_pd(r[0], r[1]),
            _mm512_unpackhi_pd(r[2], r[3]),
            _mm512_unpackhi_pd(r[4], r[5]),
            _mm512_unpackhi_pd(r[6], r[7]),
        ]);
        [
            even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3],
        ]
    }
}

impl Simd for Avx2 {
    #[inline(always)]
    fn prefetch<T>(at: *const T) {
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }

    #[inline(always)]
    fn load(from: &Wide) -> Self {
        let from = from.0.as_ptr();
        // SAFETY: eight numbers are there; see the module.
        unsafe { Self(_mm256_loadu_pd(from), _mm256_loadu_pd(from.add(4))) }
    }

    #[inline(always)]
    fn store(self, to: &mut Wide) {
        let to = to.0.as_mut_ptr();
        // SAFETY: as above.
        unsafe {
            _mm256_storeu_pd(to, self.0);
            _mm256_storeu_pd(to.add(4), self.1);
        }
    }

    #[inline(always)]
    fn load_half(from: &Half) -> Self {
        let from = from.0.as_ptr();
        // SAFETY: as above.
        unsafe {
            let [low, high] = [_mm_loadu_ps(from), _mm_loadu_ps(from.add(4))];
            Self(_mm256_cvtps_pd(low), _mm256_cvtps_pd(high))
        }
    }

    #[inline(always)]
    fn store_half(self, to: &mut Half) {
        let to = to.0.as_mut_ptr();
        // SAFETY: as above.
        unsafe {
            _mm_storeu_ps(to, _mm256_cvtpd_ps(self.0));
            _mm_storeu_ps(to.add(4), _mm256_cvtpd_ps(self.1));
        }
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        // SAFETY: see the module.
        unsafe {
            let low = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, other.0);
            let high = _mm256_cmp_pd::<_CMP_GT_OQ>(self.1, other.1);
            _mm256_movemask_pd(_mm256_or_pd(low, high)) != 0
        }
    }

    #[inline(always)]
    unsafe fn lanes(rows: [*const Row; WIDTH]) -> [Self; WIDTH] {
        // SAFETY: the caller promises that the pointers are valid.
        unsafe {
            let r = |k: usize, side: usize| _mm256_load_pd(rows[k].cast::<f64>().add(4 * side));
            let a = transpose4([r(0, 0), r(1, 0), r(2, 0), r(3, 0)]);
            let b = transpose4([r(4, 0), r(5, 0), r(6, 0), r(7, 0)]);
            let c = transpose4([r(0, 1), r(1, 1), r(2, 1), r(3, 1)]);
            let d = transpose4([r(4, 1), r(5, 1), r(6, 1), r(7, 1)]);
            [
                Self(a[0], b[0]),
                Self(a[1], b[1]),
                Self(a[2], b[2]),
                Self(a[3], b[3]),
                Self(c[0], d[0]),
                Self(c[1], d[1]),
                Self(c[2], d[2]),
                Self(c[3], d[3]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn write_rows(l: [Self; WIDTH], to: [*mut Row; WIDTH]) {
        // SAFETY: the caller promises that the pointers are valid or null.
        unsafe {
            let a = transpose4([l[0].0, l[1].0, l[2].0, l[3].0]);
            let b = transpose4([l[4].0, l[5].0, l[6].0, l[7].0]);
            let c = transpose4([l[0].1, l[1].1, l[2].1, l[3].1]);
            let d = transpose4([l[4].1, l[5].1, l[6].1, l[7].1]);
            for k in 0..4 {
                if !to[k].is_null() {
                    _mm256_store_pd(to[k].cast(), a[k]);
                    _mm256_store_pd(to[k].cast::<f64>().add(4), b[k]);
                }
                if !to[4 + k].is_null() {
                    _mm256_store_pd(to[4 + k].cast(), c[k]);
                    _mm256_store_pd(to[4 + k].cast::<f64>().add(4), d[k]);
                }
            }
        }
    }
}

impl Simd for Avx512 {
    #[inline(always)]
    fn prefetch<T>(at: *const T) {
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }

    #[inline(always)]
    fn load(from: &Wide) -> Self {
        // SAFETY: eight numbers are there; see the module.
        unsafe { Self(_mm512_loadu_pd(from.0.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, to: &mut Wide) {
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(to.0.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn load_half(from: &Half) -> Self {
        // SAFETY: as above.
        unsafe { Self(_mm512_cvtps_pd(_mm256_loadu_ps(from.0.as_ptr()))) }
    }

    #[inline(always)]
    fn store_half(self, to: &mut Half) {
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(to.0.as_mut_ptr(), _mm512_cvtpd_ps(self.0)) };
    }

    #[inline(always)]
    fn any_above(self, other: Self) -> bool {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, other.0) != 0 }
    }

    #[inline(always)]
    unsafe fn lanes(rows: [*const Row; WIDTH]) -> [Self; WIDTH] {
        // SAFETY: the caller promises that the pointers are valid.
        unsafe {
            let r = |k: usize| _mm512_load_pd(rows[k].cast());
            let t = transpose8([r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7)]);
            [
                Self(t[0]),
                Self(t[1]),
                Self(t[2]),
                Self(t[3]),
                Self(t[4]),
                Self(t[5]),
                Self(t[6]),
                Self(t[7]),
            ]
        }
    }

    #[inline(always)]
    unsafe fn write_rows(l: [Self; WIDTH], to: [*mut Row; WIDTH]) {
        // SAFETY: the caller promises that the pointers are valid or null.
        unsafe {
            let t = transpose8([
                l[0].0, l[1].0, l[2].0, l[3].0, l[4].0, l[5].0, l[6].0, l[7].0,
            ]);
            for k in 0..WIDTH {
                if !to[k].is_null() {
                    _mm512_store_pd(to[k].cast(), t[k]);
                }
            }
        }
    }
}
