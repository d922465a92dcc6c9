//! The cone of forces that a patch can bear, and the projection onto it.

use super::{Vector6, dot};
use conatus_math::lanes::Real;

/// The cone of a patch, A f ≤ b of Mordatch (6): f₂ ≥ 0 across the surface, and
/// all else within bounds in proportion to it:
/// |(f₀, f₁)| ≤ µ f₂ (friction, the round cone and not the paper's pyramid),
/// |f₃| ≤ a₃ f₂ and |f₄| ≤ a₄ f₂ (the centre of pressure −f₄/f₂, f₃/f₂ is on the
/// patch), |f₅| ≤ a₅ f₂ (torsion).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// µ.
    pub friction: f64,
    /// a₃, a₄, a₅: half of the extent along y, half of that along x, and the arm
    /// of torsion, in metres.
    pub arms: [f64; 3],
}

/// The bounds of one cone, or of several in SIMD lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<F> {
    /// µ and the three arms; zero where there is no cone.
    pub shares: [F; 4],
    /// 1 where there is a cone, 0 where forces are free.
    pub held: F,
}

/// The nearest point of a cone, and its derivative.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nearest<F> {
    pub point: [F; 6],
    pub slope: ProjectionJacobian<F>,
}

/// The derivative of the projection, a symmetric matrix of 6 rows: share · n nᵀ, a block
/// of two rows for sliding and a diagonal for moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProjectionJacobian<F = f64> {
    /// n.
    pub(super) across: [F; 6],
    /// What n nᵀ is multiplied by.
    pub(super) share: F,
    /// Entries (0, 0), (0, 1) and (1, 1) of what is added to that.
    pub(super) slide: [F; 3],
    /// Entries (3, 3), (4, 4) and (5, 5) of it.
    pub(super) moments: [F; 3],
}

impl ProjectionJacobian {
    /// The product with six numbers.
    #[inline]
    pub fn times(&self, x: &Vector6) -> Vector6 {
        let along = self.share * dot(&self.across, x);
        let (n, [xx, xy, yy], m) = (&self.across, self.slide, &self.moments);
        [
            n[0] * along + (xx * x[0] + xy * x[1]),
            n[1] * along + (xy * x[0] + yy * x[1]),
            n[2] * along,
            n[3] * along + m[0] * x[3],
            n[4] * along + m[1] * x[4],
            n[5] * along + m[2] * x[5],
        ]
    }
}

impl<F: Real> Bounds<F> {
    /// The nearest point to x, with the derivative times a factor.
    ///
    /// Given s = f₂, all other numbers are as near as their bounds allow. So s is the root
    /// of s − x₂ − Σ a_g max(r_g − a_g s, 0), which is increasing, concave and piecewise
    /// linear: after its first step Newton's method approaches from below, leaves bounds
    /// one by one, and ends when it leaves no more.
    #[inline(always)]
    pub fn nearest(&self, x: &[F; 6], factor: F) -> Nearest<F> {
        let (zero, one) = (F::splat(0.0), F::splat(1.0));
        let slide = (x[0] * x[0] + x[1] * x[1]).sqrt();
        let sizes = [slide, x[3].abs(), x[4].abs(), x[5].abs()];
        // 1 where a bound is active.
        let mut met = [zero; 4];
        let (mut s, mut sum) = (x[2], one);
        for _ in 0..6 {
            let (mut above, before) = (x[2], s);
            sum = one;
            for g in 0..4 {
                met[g] = sizes[g].above(self.shares[g] * s, self.held, zero);
                let bound = self.shares[g] * met[g];
                above = above + bound * sizes[g];
                sum = sum + bound * bound;
            }
            s = above / sum;
            if s.equals(before) {
                break;
            }
        }
        // At the apex of the cone (s ≤ 0) the derivative is zero.
        let alive = s.above(zero, one, one - self.held);
        let (factor, s) = (factor * alive, s * alive);

        let safe = slide.above(zero, slide, one);
        let (x0, x1) = (x[0] / safe, x[1] / safe);
        let friction = self.shares[0] * met[0];
        // ds = n·dx / sum, and what is at its bound follows s: n nᵀ / sum.
        let mut across = [friction * x0, friction * x1, one, zero, zero, zero];
        let mut point = [x[0], x[1], s, x[3], x[4], x[5]];
        let mut moments = [factor; 3];
        for k in 0..2 {
            point[k] = met[0].above(zero, across[k] * s, x[k] * alive);
        }
        for k in 3..6 {
            let met = met[k - 2];
            across[k] = (self.shares[k - 2] * met).copysign(x[k]);
            point[k] = met.above(zero, across[k] * s, x[k] * alive);
            moments[k - 3] = met.above(zero, zero, factor);
        }
        // The direction of friction follows that of sliding.
        let around = friction * s / safe * factor;
        Nearest {
            point,
            slope: ProjectionJacobian {
                across,
                share: factor / sum,
                slide: [
                    met[0].above(zero, around * x1 * x1, factor),
                    met[0].above(zero, -(around * x0 * x1), zero),
                    met[0].above(zero, around * x0 * x0, factor),
                ],
                moments,
            },
        }
    }
}

impl Cone {
    /// The cone of a patch with these half extents. The arm of torsion is about two thirds
    /// of the half diagonal, times µ.
    pub fn new(friction: f64, half_extents: [f64; 2]) -> Self {
        let [x, y] = half_extents;
        Self {
            friction,
            arms: [y, x, 2.0 / 3.0 * friction * (x * x + y * y).sqrt()],
        }
    }

    pub(super) fn shares(&self) -> [f64; 4] {
        [self.friction, self.arms[0], self.arms[1], self.arms[2]]
    }

    fn nearest(&self, x: &Vector6) -> Nearest<f64> {
        let (shares, held) = (self.shares(), 1.0);
        Bounds { shares, held }.nearest(x, 1.0)
    }

    /// The projection of x onto the cone.
    pub fn project(&self, x: &Vector6) -> Vector6 {
        self.nearest(x).point
    }

    /// The derivative of [`project`](Self::project).
    pub fn slope(&self, x: &Vector6) -> ProjectionJacobian {
        self.nearest(x).slope
    }
}
