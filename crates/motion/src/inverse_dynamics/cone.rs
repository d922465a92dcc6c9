//! The forces that a patch can bear, and the nearest of them to any six numbers.

use super::Six;

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

/// Where the nearest point of the cone lies.
struct Nearest {
    /// The force across the surface.
    normal: f64,
    /// Which bounds are met: friction, then the three moments.
    met: [bool; 4],
    /// |(x₀, x₁)|.
    slide: f64,
    /// 1 + Σ a² over the bounds that are met.
    sum: f64,
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

    fn bounds(&self) -> [f64; 4] {
        [self.friction, self.arms[0], self.arms[1], self.arms[2]]
    }

    /// Given s = f₂, all else is as near as its bound allows. So s minimises
    /// (s − x₂)² + Σ max(r_g − a_g s, 0)², a parabola between the places r_g/a_g,
    /// which are passed from the largest on.
    fn nearest(&self, x: &Six) -> Nearest {
        let slide = (x[0] * x[0] + x[1] * x[1]).sqrt();
        let sizes = [slide, x[3].abs(), x[4].abs(), x[5].abs()];
        let bounds = self.bounds();
        let mut met = [false; 4];
        let (mut above, mut sum) = (x[2], 1.0);
        loop {
            let normal = above / sum;
            // The largest r_g/a_g of those not met yet, if it is beyond s.
            let mut worst = None;
            for g in 0..4 {
                if !met[g] && sizes[g] > bounds[g] * normal {
                    let place = sizes[g] / bounds[g].max(1e-300);
                    if worst.is_none_or(|(_, p)| place > p) {
                        worst = Some((g, place));
                    }
                }
            }
            let Some((g, _)) = worst else {
                return Nearest {
                    normal: normal.max(0.0),
                    met,
                    slide,
                    sum,
                };
            };
            met[g] = true;
            above += bounds[g] * sizes[g];
            sum += bounds[g] * bounds[g];
        }
    }

    /// The point of the cone that is nearest to x.
    pub fn project(&self, x: &Six) -> Six {
        let nearest = self.nearest(x);
        let s = nearest.normal;
        if s <= 0.0 {
            return [0.0; 6];
        }
        let mut y = *x;
        y[2] = s;
        if nearest.met[0] {
            let shrink = self.friction * s / nearest.slide;
            y[0] *= shrink;
            y[1] *= shrink;
        }
        for k in 0..3 {
            if nearest.met[k + 1] {
                y[k + 3] = (self.arms[k] * s).copysign(x[k + 3]);
            }
        }
        y
    }

    /// The derivative of [`project`](Self::project): a symmetric matrix.
    pub fn slope(&self, x: &Six, out: &mut [Six; 6]) {
        *out = [[0.0; 6]; 6];
        let nearest = self.nearest(x);
        let s = nearest.normal;
        if s <= 0.0 {
            return;
        }
        // ds = n·dx / sum, and what is at its bound follows s: n nᵀ / sum.
        let mut n = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        if nearest.met[0] {
            let (x0, x1) = (x[0] / nearest.slide, x[1] / nearest.slide);
            n[0] = self.friction * x0;
            n[1] = self.friction * x1;
            // Sliding that turns is followed by friction.
            let around = self.friction * s / nearest.slide;
            out[0][0] = around * x1 * x1;
            out[1][1] = around * x0 * x0;
            out[0][1] = -around * x0 * x1;
            out[1][0] = out[0][1];
        } else {
            out[0][0] = 1.0;
            out[1][1] = 1.0;
        }
        for k in 3..6 {
            if nearest.met[k - 2] {
                n[k] = self.arms[k - 3].copysign(x[k]);
            } else {
                out[k][k] = 1.0;
            }
        }
        for i in 0..6 {
            for j in 0..6 {
                out[i][j] += n[i] * n[j] / nearest.sum;
            }
        }
    }
}
