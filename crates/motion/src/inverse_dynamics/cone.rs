//! The forces that a patch can bear, and the nearest of them to any six numbers.

use super::{Six, dot};

/// The cone of a patch: f₂ ≥ 0 across the surface, and all else within bounds
/// in proportion to it:
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

/// The nearest point of a cone, and what its derivative depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nearest {
    /// The point itself; all zero, or its third number is above zero.
    pub point: Six,
    /// Which bounds are met: friction, then the three moments.
    met: [bool; 4],
    /// Where friction points, and by how much its bound makes it shorter.
    heading: [f64; 2],
    shrink: f64,
    /// 1 + Σ a² over the bounds that are met.
    sum: f64,
}

impl Nearest {
    /// Where there is no cone.
    #[inline]
    pub fn free(x: &Six) -> Self {
        Self {
            point: *x,
            sum: 1.0,
            ..Self::default()
        }
    }

    /// Whether it is the tip of the cone: no force at all.
    #[inline]
    pub fn is_tip(&self) -> bool {
        self.sum == 0.0
    }

    /// The derivative of the projection, times a factor.
    #[inline]
    pub fn slope(&self, factor: f64) -> Slope {
        if self.is_tip() {
            return Slope::default();
        }
        // ds = n·dx / sum, and what is at its bound follows s: n nᵀ / sum.
        let s = self.point[2];
        let mut across = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        let mut slide = [factor, 0.0, factor];
        if self.met[0] {
            across[0] = self.point[0] / s;
            across[1] = self.point[1] / s;
            // Sliding that turns is followed by friction.
            let ([x0, x1], around) = (self.heading, self.shrink * factor);
            slide = [around * x1 * x1, -around * x0 * x1, around * x0 * x0];
        }
        let mut moments = [factor; 3];
        for k in 0..3 {
            if self.met[k + 1] {
                across[k + 3] = self.point[k + 3] / s;
                moments[k] = 0.0;
            }
        }
        Slope {
            across,
            share: factor / self.sum,
            slide,
            moments,
        }
    }
}

/// A symmetric matrix with 6 rows: share · n nᵀ, two rows of sliding and three
/// of moments.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slope {
    /// n.
    pub(super) across: Six,
    /// What n nᵀ is multiplied by; zero if all of the matrix is.
    pub(super) share: f64,
    /// Entries (0, 0), (0, 1) and (1, 1) of what is added to that.
    pub(super) slide: [f64; 3],
    /// Entries (3, 3), (4, 4) and (5, 5) of it.
    pub(super) moments: [f64; 3],
}

impl Slope {
    /// The product with six numbers.
    #[inline]
    pub fn times(&self, x: &Six) -> Six {
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

impl Cone {
    /// Of a patch with these half extents. Torsion acts on an arm of about two
    /// thirds of the half diagonal, times µ.
    pub fn new(friction: f64, half_extents: [f64; 2]) -> Self {
        let [x, y] = half_extents;
        Self {
            friction,
            arms: [y, x, 2.0 / 3.0 * friction * (x * x + y * y).sqrt()],
        }
    }

    /// Given s = f₂, all else is as near as its bound allows. So s is where
    /// s − x₂ − Σ a_g max(r_g − a_g s, 0) is zero, which rises with s and is
    /// concave, in straight pieces: from the first step on Newton's method comes
    /// from below, and ends when it meets the same bounds twice.
    #[inline]
    pub(super) fn nearest(&self, x: &Six) -> Nearest {
        let slide = (x[0] * x[0] + x[1] * x[1]).sqrt();
        let sizes = [slide, x[3].abs(), x[4].abs(), x[5].abs()];
        let bounds = [self.friction, self.arms[0], self.arms[1], self.arms[2]];
        let mut met = [false; 4];
        let (mut s, mut sum) = (x[2], 1.0);
        // Bounds that are met once s has come from below are left one by one.
        for _ in 0..6 {
            let now: [bool; 4] = std::array::from_fn(|g| sizes[g] > bounds[g] * s);
            if now == met {
                break;
            }
            met = now;
            let mut above = x[2];
            sum = 1.0;
            for g in 0..4 {
                let bound = if met[g] { bounds[g] } else { 0.0 };
                above += bound * sizes[g];
                sum += bound * bound;
            }
            s = above / sum;
        }
        // Also where x is no number.
        if !(s > 0.0) {
            return Nearest::default();
        }
        let mut nearest = Nearest {
            point: [x[0], x[1], s, x[3], x[4], x[5]],
            met,
            heading: [0.0; 2],
            shrink: 1.0,
            sum,
        };
        if met[0] {
            nearest.heading = [x[0] / slide, x[1] / slide];
            nearest.shrink = self.friction * s / slide;
            nearest.point[0] *= nearest.shrink;
            nearest.point[1] *= nearest.shrink;
        }
        for k in 0..3 {
            if met[k + 1] {
                nearest.point[k + 3] = (self.arms[k] * s).copysign(x[k + 3]);
            }
        }
        nearest
    }

    /// The point of the cone that is nearest to x.
    pub fn project(&self, x: &Six) -> Six {
        self.nearest(x).point
    }

    /// The derivative of [`project`](Self::project).
    pub fn slope(&self, x: &Six) -> Slope {
        self.nearest(x).slope(1.0)
    }
}
