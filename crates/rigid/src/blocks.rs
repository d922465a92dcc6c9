//! Bodies in blocks of eight, so that free motion runs in vector registers.
//!
//! A block stores each number of the state of its eight bodies as one row. The
//! width is chosen at run time; every width gives the same bits, because each
//! lane does the scalar kernel's arithmetic in the scalar kernel's order and
//! nothing is fused.

use crate::rk4::{self, FreeConstants, Motion};
use conatus_math::DVec3;
use conatus_math::lanes::{Lanes, Real, V3};

/// Bodies in a block.
pub const LANES: usize = 8;

/// The largest valid component of a velocity, m/s or rad/s.
const MAX_SPEED: f64 = 1e8;

/// Eight numbers, one for each body of a block.
pub type Row = [f64; LANES];

/// The motion and the constants of eight bodies.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Block {
    /// Position, velocity, orientation (w, x, y, z), angular velocity.
    motion: [Row; 13],
    /// Euler coefficients (3), linear damping, angular damping (3).
    constants: [Row; 7],
}

impl Default for Block {
    /// Eight bodies at rest at the origin; lanes without a body keep that
    /// state.
    fn default() -> Self {
        let mut motion = [[0.0; LANES]; 13];
        motion[6] = [1.0; LANES];
        Self {
            motion,
            constants: [[0.0; LANES]; 7],
        }
    }
}

impl Block {
    /// The motion of the body in `lane`.
    #[inline]
    pub fn motion(&self, lane: usize) -> Motion<f64> {
        let m = |i: usize| self.motion[i][lane];
        Motion {
            x: V3::new(m(0), m(1), m(2)),
            v: V3::new(m(3), m(4), m(5)),
            q: [m(6), m(7), m(8), m(9)],
            w: V3::new(m(10), m(11), m(12)),
        }
    }

    /// The velocity of the body in `lane`.
    #[inline]
    pub fn velocity(&self, lane: usize) -> DVec3 {
        let m = |i: usize| self.motion[i][lane];
        DVec3::new(m(3), m(4), m(5))
    }

    /// The angular velocity of the body in `lane`, in its axes.
    #[inline]
    pub fn omega(&self, lane: usize) -> DVec3 {
        let m = |i: usize| self.motion[i][lane];
        DVec3::new(m(10), m(11), m(12))
    }

    /// Sets the motion of the body in `lane`.
    #[inline]
    pub fn set_motion(&mut self, lane: usize, s: &Motion<f64>) {
        let values = [
            s.x.x, s.x.y, s.x.z, s.v.x, s.v.y, s.v.z, s.q[0], s.q[1], s.q[2], s.q[3], s.w.x, s.w.y,
            s.w.z,
        ];
        for (row, value) in self.motion.iter_mut().zip(values) {
            row[lane] = value;
        }
    }

    /// The constants of the body in `lane`.
    pub fn constants(&self, lane: usize) -> FreeConstants<f64> {
        let c = |i: usize| self.constants[i][lane];
        FreeConstants {
            euler: V3::new(c(0), c(1), c(2)),
            linear_damping: c(3),
            angular_damping: V3::new(c(4), c(5), c(6)),
        }
    }

    /// Sets the constants of the body in `lane`.
    pub fn set_constants(&mut self, lane: usize, c: &FreeConstants<f64>) {
        let values = [
            c.euler.x,
            c.euler.y,
            c.euler.z,
            c.linear_damping,
            c.angular_damping.x,
            c.angular_damping.y,
            c.angular_damping.z,
        ];
        for (row, value) in self.constants.iter_mut().zip(values) {
            row[lane] = value;
        }
    }

    /// The positions of the eight bodies, component by component.
    pub fn positions(&self) -> [&Row; 3] {
        [&self.motion[0], &self.motion[1], &self.motion[2]]
    }

    /// Zero for each body with valid numbers, NaN for the others; see
    /// [`all_finite_and_slower_than_light`].
    #[inline(always)]
    fn faults(&self) -> Lanes<LANES> {
        // 0 · x is 0 for finite x and NaN otherwise, and a sum keeps a NaN. A
        // velocity that is too large is made infinite first.
        let mut sum = Lanes::splat(0.0);
        for (i, &row) in self.motion.iter().enumerate() {
            let is_velocity = matches!(i, 3..6 | 10..13);
            let scale = if is_velocity {
                f64::MAX / MAX_SPEED
            } else {
                1.0
            };
            sum = sum + Lanes(row) * Lanes::splat(scale) * Lanes::splat(0.0);
        }
        sum
    }

    /// One step of free motion for all eight bodies, `N` at a time.
    #[inline(always)]
    fn free<const N: usize, const DAMPED: bool>(&mut self, gravity: DVec3, h: f64) {
        let g = V3::splat(gravity);
        for first in (0..LANES).step_by(N) {
            let get =
                |rows: &[Row], i: usize| Lanes::<N>(std::array::from_fn(|k| rows[i][first + k]));
            let m = |i| get(&self.motion, i);
            let c = |i| get(&self.constants, i);
            let mut s = Motion {
                x: V3::new(m(0), m(1), m(2)),
                v: V3::new(m(3), m(4), m(5)),
                q: [m(6), m(7), m(8), m(9)],
                w: V3::new(m(10), m(11), m(12)),
            };
            let constants = FreeConstants {
                euler: V3::new(c(0), c(1), c(2)),
                linear_damping: c(3),
                angular_damping: V3::new(c(4), c(5), c(6)),
            };
            rk4::free::<Lanes<N>, DAMPED>(&mut s, &constants, g, h);
            let values = [
                s.x.x, s.x.y, s.x.z, s.v.x, s.v.y, s.v.z, s.q[0], s.q[1], s.q[2], s.q[3], s.w.x,
                s.w.y, s.w.z,
            ];
            for (row, value) in self.motion.iter_mut().zip(values) {
                row[first..first + N].copy_from_slice(&value.0);
            }
        }
    }
}

/// How many bodies are processed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One body at a time.
    Scalar,
    /// The baseline of the architecture (SSE2 on x86-64).
    Baseline,
    /// Registers of four, with AVX2; two of them at once hide latencies.
    Avx2,
    /// Registers of eight, with AVX-512.
    Avx512,
}

impl Width {
    /// The widest that this processor supports.
    pub fn best() -> Self {
        Self::available().last().copied().unwrap_or(Self::Scalar)
    }

    /// All that this processor supports, narrowest first.
    pub fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut widths = vec![Self::Scalar, Self::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            let wide = [Self::Avx2, Self::Avx512];
            widths.extend(wide.into_iter().filter(|w| w.is_available()));
        }
        widths
    }

    /// Whether this processor supports it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }
}

/// One step of free motion for all `blocks`.
pub fn free_step(blocks: &mut [Block], width: Width, damped: bool, gravity: DVec3, h: f64) {
    if damped {
        dispatch::<true>(blocks, width, gravity, h);
    } else {
        dispatch::<false>(blocks, width, gravity, h);
    }
}

/// Whether all numbers of all `blocks` are finite and no component of a
/// velocity is beyond 10⁸ (m/s or rad/s).
pub fn all_finite_and_slower_than_light(blocks: &[Block], width: Width) -> bool {
    match width {
        Width::Scalar | Width::Baseline => sound(blocks),
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: AVX2 support was just checked.
            unsafe { sound_avx2(blocks) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"));
            // SAFETY: support of AVX-512F and VL was just checked.
            unsafe { sound_avx512(blocks) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Width::Avx2 | Width::Avx512 => sound(blocks),
    }
}

fn dispatch<const DAMPED: bool>(blocks: &mut [Block], width: Width, gravity: DVec3, h: f64) {
    match width {
        Width::Scalar => scalar::<DAMPED>(blocks, gravity, h),
        Width::Baseline => all::<LANES, DAMPED>(blocks, gravity, h),
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: AVX2 support was just checked.
            unsafe { all_avx2::<DAMPED>(blocks, gravity, h) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"));
            // SAFETY: support of AVX-512F and VL was just checked.
            unsafe { all_avx512::<DAMPED>(blocks, gravity, h) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Width::Avx2 | Width::Avx512 => all::<LANES, DAMPED>(blocks, gravity, h),
    }
}

/// The reference: one body at a time.
fn scalar<const DAMPED: bool>(blocks: &mut [Block], gravity: DVec3, h: f64) {
    for block in blocks {
        for lane in 0..LANES {
            // `black_box` keeps the compiler from vectorising the reference
            // itself.
            let lane = std::hint::black_box(lane) % LANES;
            let mut s = block.motion(lane);
            let constants = block.constants(lane);
            rk4::free::<f64, DAMPED>(&mut s, &constants, V3::splat(gravity), h);
            block.set_motion(lane, &s);
        }
    }
}

#[inline(always)]
fn all<const N: usize, const DAMPED: bool>(blocks: &mut [Block], gravity: DVec3, h: f64) {
    for block in blocks {
        block.free::<N, DAMPED>(gravity, h);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn all_avx2<const DAMPED: bool>(blocks: &mut [Block], gravity: DVec3, h: f64) {
    all::<LANES, DAMPED>(blocks, gravity, h);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn all_avx512<const DAMPED: bool>(blocks: &mut [Block], gravity: DVec3, h: f64) {
    all::<LANES, DAMPED>(blocks, gravity, h);
}

#[inline(always)]
fn sound(blocks: &[Block]) -> bool {
    let mut sum = Lanes::splat(0.0);
    for block in blocks {
        // `black_box` keeps the compiler from splitting the lanes into scalars.
        sum = std::hint::black_box(sum + block.faults());
    }
    sum.0 == [0.0; LANES]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sound_avx2(blocks: &[Block]) -> bool {
    sound(blocks)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn sound_avx512(blocks: &[Block]) -> bool {
    sound(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_finds_a_fault_in_any_number_of_any_lane() {
        for width in Width::available() {
            let mut blocks = vec![Block::default(); 3];
            assert!(all_finite_and_slower_than_light(&blocks, width));
            for row in 0..13 {
                let is_velocity = (3..6).contains(&row) || row >= 10;
                for lane in 0..LANES {
                    let mut with = |value: f64| {
                        let before = blocks[1].motion[row][lane];
                        blocks[1].motion[row][lane] = value;
                        let sound = all_finite_and_slower_than_light(&blocks, width);
                        blocks[1].motion[row][lane] = before;
                        sound
                    };
                    for bad in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                        assert!(!with(bad), "{width:?}, row {row}, lane {lane}: {bad}");
                    }
                    for fast in [1.1e8, -1.1e8, f64::MAX] {
                        assert_eq!(with(fast), !is_velocity);
                    }
                    assert!(with(-1e8) && with(1e-310) && with(-0.0));
                }
            }
        }
    }
}
