//! The work on blocks, compiled for each width of the processor's registers.

use super::block::{ContactBlock, SolverBodies};
use super::bodies::BodyConstants;
use super::bodies::Wide;
use super::constraint::{ContactConstraint, SubstepSettings};
use super::simd::Simd;
use crate::blocks::Width;

/// What a pass does with every block.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    /// Applies the impulses of the last substep.
    WarmStart,
    /// Solves once and pushes overlaps out.
    Solve,
    /// Solves once without pushing.
    Relax,
}

/// What all blocks are filled from.
#[derive(Clone, Copy, Debug)]
pub struct FillInput<'a> {
    /// The contacts of the step.
    pub contacts: &'a [ContactConstraint],
    /// What does not change of the bodies.
    pub constants: &'a [BodyConstants],
    /// The bodies.
    pub bodies: SolverBodies<'a>,
}

#[inline(always)]
fn run_all<F: Simd>(
    blocks: &mut [ContactBlock],
    bodies: SolverBodies,
    pass: Pass,
    settings: &SubstepSettings,
) {
    // Loops, since the body of a closure would be compiled without the caller's target
    // features, and so without AVX2.
    for k in 0..blocks.len() {
        if let Some(next) = blocks.get(k + 1) {
            next.prefetch_bodies::<F>(&bodies);
        }
        if let Some(later) = blocks.get(k + 2) {
            later.prefetch::<F>();
        }
        let block = &mut blocks[k];
        match pass {
            Pass::WarmStart => block.warm_start::<F>(&bodies),
            Pass::Solve => block.solve::<F, true>(&bodies, settings),
            Pass::Relax => block.solve::<F, false>(&bodies, settings),
        }
    }
}

#[inline(always)]
fn fill_all<F: Simd>(
    blocks: &mut [ContactBlock],
    indices: &[u32],
    lanes: usize,
    input: &FillInput,
) {
    for (block, chunk) in blocks.iter_mut().zip(indices.chunks(lanes)) {
        block.fill::<F>(chunk, input);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::contact::solver::simd::{Avx2, Avx512};

    #[target_feature(enable = "avx2")]
    pub fn run_avx2(
        blocks: &mut [ContactBlock],
        bodies: SolverBodies,
        pass: Pass,
        settings: &SubstepSettings,
    ) {
        run_all::<Avx2>(blocks, bodies, pass, settings);
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn run_avx512(
        blocks: &mut [ContactBlock],
        bodies: SolverBodies,
        pass: Pass,
        settings: &SubstepSettings,
    ) {
        run_all::<Avx512>(blocks, bodies, pass, settings);
    }

    #[target_feature(enable = "avx2")]
    pub fn fill_avx2(
        blocks: &mut [ContactBlock],
        indices: &[u32],
        lanes: usize,
        input: &FillInput,
    ) {
        fill_all::<Avx2>(blocks, indices, lanes, input);
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn fill_avx512(
        blocks: &mut [ContactBlock],
        indices: &[u32],
        lanes: usize,
        input: &FillInput,
    ) {
        fill_all::<Avx512>(blocks, indices, lanes, input);
    }
}

/// Makes a pass over blocks that share no moving body, or in their order.
pub fn run(
    blocks: &mut [ContactBlock],
    bodies: SolverBodies,
    pass: Pass,
    settings: &SubstepSettings,
    width: Width,
) {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 if Width::Avx512.is_available() => {
            // SAFETY: the processor was just asked for AVX-512.
            unsafe { x86::run_avx512(blocks, bodies, pass, settings) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 | Width::Avx512 if Width::Avx2.is_available() => {
            // SAFETY: the processor was just asked for AVX2.
            unsafe { x86::run_avx2(blocks, bodies, pass, settings) }
        }
        _ => run_all::<Wide>(blocks, bodies, pass, settings),
    }
}

/// Fills blocks with the constraints of these numbers, `lanes` in each.
pub fn fill(
    blocks: &mut [ContactBlock],
    indices: &[u32],
    lanes: usize,
    input: &FillInput,
    width: Width,
) {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 if Width::Avx512.is_available() => {
            // SAFETY: the processor was just asked for AVX-512.
            unsafe { x86::fill_avx512(blocks, indices, lanes, input) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 | Width::Avx512 if Width::Avx2.is_available() => {
            // SAFETY: the processor was just asked for AVX2.
            unsafe { x86::fill_avx2(blocks, indices, lanes, input) }
        }
        _ => fill_all::<Wide>(blocks, indices, lanes, input),
    }
}
