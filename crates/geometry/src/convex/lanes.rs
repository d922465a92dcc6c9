//! The farthest of many vectors in a direction, eight of them at a time.
//!
//! There is a form for each width that processors have: compilers do not find good vector
//! instructions for the search by themselves. Products and sums are rounded one by one at
//! every width, so the results agree to the last bit.

use conatus_math::{DMat3, DVec3};

const WIDTH: usize = 8;

/// Eight vectors, coordinate by coordinate.
#[derive(Clone, Debug, PartialEq)]
#[repr(align(64))]
struct Block {
    x: [f64; WIDTH],
    y: [f64; WIDTH],
    z: [f64; WIDTH],
}

/// Vectors in blocks of eight; the last block is filled up with the first vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct VectorBlocks {
    blocks: Vec<Block>,
}

impl VectorBlocks {
    /// Stores vectors.
    pub fn new(vectors: impl ExactSizeIterator<Item = DVec3> + Clone) -> Self {
        let first = vectors.clone().next().unwrap_or_default();
        let count = vectors.len().div_ceil(WIDTH);
        let mut blocks = vec![
            Block {
                x: [first.x; WIDTH],
                y: [first.y; WIDTH],
                z: [first.z; WIDTH],
            };
            count
        ];
        for (k, v) in vectors.enumerate() {
            let block = &mut blocks[k / WIDTH];
            block.x[k % WIDTH] = v.x;
            block.y[k % WIDTH] = v.y;
            block.z[k % WIDTH] = v.z;
        }
        Self { blocks }
    }

    /// The number of the vector with the greatest dot product with `direction`, the first
    /// of equal ones.
    #[inline]
    pub fn farthest(&self, direction: DVec3) -> usize {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                // SAFETY: the processor has these instructions.
                return unsafe { avx::farthest_8(&self.blocks, direction) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has these instructions.
                return unsafe { avx::farthest_4(&self.blocks, direction) };
            }
        }
        farthest(&self.blocks, direction)
    }

    /// The least and the greatest coordinates of the vectors after a rotation.
    #[inline]
    pub fn bounds(&self, rotation: &DMat3) -> [DVec3; 2] {
        let rows = [rotation.row(0), rotation.row(1), rotation.row(2)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                // SAFETY: the processor has these instructions.
                return unsafe { avx::bounds_8(&self.blocks, &rows) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has these instructions.
                return unsafe { avx::bounds_4(&self.blocks, &rows) };
            }
        }
        bounds(&self.blocks, &rows)
    }
}

fn farthest(blocks: &[Block], d: DVec3) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (b, block) in blocks.iter().enumerate() {
        for l in 0..WIDTH {
            let height = block.x[l] * d.x + block.y[l] * d.y + block.z[l] * d.z;
            if height > best.0 {
                best = (height, b * WIDTH + l);
            }
        }
    }
    best.1
}

fn bounds(blocks: &[Block], rows: &[DVec3; 3]) -> [DVec3; 2] {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for block in blocks {
        for l in 0..WIDTH {
            let v = DVec3::new(block.x[l], block.y[l], block.z[l]);
            let p = DVec3::from(rows.map(|d| v.x * d.x + v.y * d.y + v.z * d.z));
            low = low.min(p);
            high = high.max(p);
        }
    }
    [low, high]
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::{Block, DVec3, WIDTH};
    use std::arch::x86_64::*;

    /// The dot products of eight vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    fn heights_8(block: &Block, [x, y, z]: [__m512d; 3]) -> __m512d {
        // SAFETY: each coordinate has as many numbers as the register.
        let [bx, by, bz] =
            unsafe { [&block.x, &block.y, &block.z].map(|c| _mm512_loadu_pd(c.as_ptr())) };
        let sum = _mm512_add_pd(_mm512_mul_pd(bx, x), _mm512_mul_pd(by, y));
        _mm512_add_pd(sum, _mm512_mul_pd(bz, z))
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn farthest_8(blocks: &[Block], d: DVec3) -> usize {
        let d = d.to_array().map(|c| _mm512_set1_pd(c));
        let mut most = _mm512_set1_pd(f64::NEG_INFINITY);
        for block in blocks {
            most = _mm512_max_pd(heights_8(block, d), most);
        }
        let top = _mm512_set1_pd(_mm512_reduce_max_pd(most));
        // The first that is as high: without branches for up to 64 vectors.
        for (group, blocks) in blocks.chunks(WIDTH).enumerate() {
            let mut equal = 0u64;
            for (b, block) in blocks.iter().enumerate() {
                let mask = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(heights_8(block, d), top);
                equal |= u64::from(mask) << (WIDTH * b);
            }
            if equal != 0 {
                return group * WIDTH * WIDTH + equal.trailing_zeros() as usize;
            }
        }
        0
    }

    #[target_feature(enable = "avx512f,avx512vl")]
    pub fn bounds_8(blocks: &[Block], rows: &[DVec3; 3]) -> [DVec3; 2] {
        let mut low = [_mm512_set1_pd(f64::INFINITY); 3];
        let mut high = [_mm512_set1_pd(f64::NEG_INFINITY); 3];
        let rows = rows.map(|d| d.to_array().map(|c| _mm512_set1_pd(c)));
        for block in blocks {
            for k in 0..3 {
                let height = heights_8(block, rows[k]);
                low[k] = _mm512_min_pd(low[k], height);
                high[k] = _mm512_max_pd(high[k], height);
            }
        }
        let low = low.map(|v| _mm512_reduce_min_pd(v));
        let high = high.map(|v| _mm512_reduce_max_pd(v));
        [DVec3::from(low), DVec3::from(high)]
    }

    /// The halves of a block: x, y, z of each.
    #[target_feature(enable = "avx2")]
    fn halves(block: &Block) -> [[__m256d; 3]; 2] {
        // SAFETY: each coordinate has twice as many numbers as the register.
        unsafe {
            [0, 4].map(|from| {
                [&block.x, &block.y, &block.z].map(|c| _mm256_loadu_pd(c.as_ptr().add(from)))
            })
        }
    }

    #[target_feature(enable = "avx2")]
    fn lanes(v: __m256d) -> [f64; 4] {
        let mut out = [0.0; 4];
        // SAFETY: the array has as many numbers as the register.
        unsafe { _mm256_storeu_pd(out.as_mut_ptr(), v) };
        out
    }

    #[target_feature(enable = "avx2")]
    pub fn farthest_4(blocks: &[Block], d: DVec3) -> usize {
        let [x, y, z] = d.to_array().map(|c| _mm256_set1_pd(c));
        let mut most = _mm256_set1_pd(f64::NEG_INFINITY);
        let mut at = _mm256_setzero_pd();
        let mut number = _mm256_setr_pd(0.0, 1.0, 2.0, 3.0);
        let step = _mm256_set1_pd(4.0);
        for block in blocks {
            for [bx, by, bz] in halves(block) {
                let sum = _mm256_add_pd(_mm256_mul_pd(bx, x), _mm256_mul_pd(by, y));
                let height = _mm256_add_pd(sum, _mm256_mul_pd(bz, z));
                let higher = _mm256_cmp_pd::<_CMP_GT_OQ>(height, most);
                most = _mm256_blendv_pd(most, height, higher);
                at = _mm256_blendv_pd(at, number, higher);
                number = _mm256_add_pd(number, step);
            }
        }
        let (most, at) = (lanes(most), lanes(at));
        let mut best = (most[0], at[0]);
        for l in 1..4 {
            if most[l] > best.0 || (most[l] == best.0 && at[l] < best.1) {
                best = (most[l], at[l]);
            }
        }
        best.1 as usize
    }

    #[target_feature(enable = "avx2")]
    pub fn bounds_4(blocks: &[Block], rows: &[DVec3; 3]) -> [DVec3; 2] {
        let mut low = [_mm256_set1_pd(f64::INFINITY); 3];
        let mut high = [_mm256_set1_pd(f64::NEG_INFINITY); 3];
        let rows = rows.map(|d| d.to_array().map(|c| _mm256_set1_pd(c)));
        for block in blocks {
            for [bx, by, bz] in halves(block) {
                for k in 0..3 {
                    let [x, y, z] = rows[k];
                    let sum = _mm256_add_pd(_mm256_mul_pd(bx, x), _mm256_mul_pd(by, y));
                    let height = _mm256_add_pd(sum, _mm256_mul_pd(bz, z));
                    low[k] = _mm256_min_pd(low[k], height);
                    high[k] = _mm256_max_pd(high[k], height);
                }
            }
        }
        let low = low.map(|v| lanes(v).into_iter().fold(f64::INFINITY, f64::min));
        let high = high.map(|v| lanes(v).into_iter().fold(f64::NEG_INFINITY, f64::max));
        [DVec3::from(low), DVec3::from(high)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conatus_math::DQuat;

    /// Against a search one by one, with ties, for every width that this processor has.
    #[test]
    fn blocks_find_the_first_of_the_farthest_vectors() {
        let mut seed = 7u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 60) as f64) - 7.5
        };
        for count in 1..40 {
            let vectors: Vec<DVec3> = (0..count)
                .map(|_| DVec3::new(random(), random(), random()))
                .collect();
            let blocks = VectorBlocks::new(vectors.iter().copied());
            let d = DVec3::new(random(), random(), 0.0);
            let mut best = 0;
            for (k, v) in vectors.iter().enumerate() {
                if v.dot(d) > vectors[best].dot(d) {
                    best = k;
                }
            }
            assert_eq!(blocks.farthest(d), best);
            assert_eq!(farthest(&blocks.blocks, d), best);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has these instructions.
                assert_eq!(unsafe { avx::farthest_4(&blocks.blocks, d) }, best);
            }
            let r = DMat3::from_quat(DQuat::from_axis_angle(DVec3::Y, 0.3));
            let [low, high] = blocks.bounds(&r);
            let turned: Vec<DVec3> = vectors.iter().map(|v| r * *v).collect();
            let least = turned.iter().copied().reduce(DVec3::min).unwrap();
            let most = turned.iter().copied().reduce(DVec3::max).unwrap();
            assert!((low - least).length() < 1e-12 && (high - most).length() < 1e-12);
            let rows = [r.row(0), r.row(1), r.row(2)];
            assert_eq!(bounds(&blocks.blocks, &rows), [low, high]);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has these instructions.
                let four = unsafe { avx::bounds_4(&blocks.blocks, &rows) };
                assert_eq!(four, [low, high]);
            }
        }
    }
}
