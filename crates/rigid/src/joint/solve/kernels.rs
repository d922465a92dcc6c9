//! Work on blocks of joints, compiled for each width of the processor's registers.

use crate::blocks::Width;
use crate::contact::solver::bodies::Wide;
use crate::contact::solver::simd::Simd;

/// Work that is done in the registers of the processor.
pub trait JointKernel {
    /// Does it. To be inlined, and without closures, whose bodies would be compiled
    /// without the caller's target features.
    fn run<F: Simd>(self);
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::JointKernel;
    use crate::contact::solver::simd::{Avx2, Avx512};

    #[target_feature(enable = "avx2")]
    pub fn run_avx2<K: JointKernel>(kernel: K) {
        kernel.run::<Avx2>();
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn run_avx512<K: JointKernel>(kernel: K) {
        kernel.run::<Avx512>();
    }
}

/// Runs a kernel in registers of this width, or the widest that exist.
pub fn run<K: JointKernel>(kernel: K, width: Width) {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 if Width::Avx512.is_available() => {
            // SAFETY: the processor was just asked for AVX-512.
            unsafe { x86::run_avx512(kernel) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 | Width::Avx512 if Width::Avx2.is_available() => {
            // SAFETY: the processor was just asked for AVX2.
            unsafe { x86::run_avx2(kernel) }
        }
        _ => kernel.run::<Wide>(),
    }
}
