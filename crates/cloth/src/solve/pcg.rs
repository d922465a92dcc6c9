//! Conjugate gradients.

use super::matrix::BlockMatrix;
use conatus_math::{DMat3, DVec3};

/// What a solve by conjugate gradients needs to keep between steps.
#[derive(Clone, Debug, Default)]
pub struct Pcg {
    inverse: Vec<DMat3>,
    r: Vec<DVec3>,
    z: Vec<DVec3>,
    p: Vec<DVec3>,
    q: Vec<DVec3>,
}

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}

impl Pcg {
    /// Solves A x = b from the guess in `x`, until the residual has fallen to
    /// `tolerance` times that of x = 0, both measured in the preconditioner's
    /// norm, or to `floor`. Returns the iterations and the residual reached.
    pub fn solve(
        &mut self,
        a: &BlockMatrix,
        b: &[DVec3],
        x: &mut [DVec3],
        tolerance: f64,
        floor: f64,
        most: usize,
    ) -> (usize, f64) {
        let n = a.len();
        self.inverse.clear();
        self.inverse.extend(a.diagonal.iter().map(DMat3::inverse));
        for v in [&mut self.r, &mut self.z, &mut self.p, &mut self.q] {
            v.resize(n, DVec3::ZERO);
        }
        let scale: f64 = b
            .iter()
            .zip(&self.inverse)
            .map(|(b, d)| b.dot(*d * *b))
            .sum();
        let scale = scale.max(floor * floor);
        if scale == 0.0 {
            x.fill(DVec3::ZERO);
            return (0, 0.0);
        }
        a.multiply(x, &mut self.q);
        for i in 0..n {
            self.r[i] = b[i] - self.q[i];
            self.z[i] = self.inverse[i] * self.r[i];
            self.p[i] = self.z[i];
        }
        let mut rz = dot(&self.r, &self.z);
        for iteration in 0..most {
            if rz <= tolerance * tolerance * scale {
                return (iteration, (rz / scale).sqrt());
            }
            a.multiply(&self.p, &mut self.q);
            let alpha = rz / dot(&self.p, &self.q);
            let mut next = 0.0;
            for (i, x) in x.iter_mut().enumerate() {
                *x += self.p[i] * alpha;
                self.r[i] -= self.q[i] * alpha;
                self.z[i] = self.inverse[i] * self.r[i];
                next += self.r[i].dot(self.z[i]);
            }
            let beta = next / rz;
            rz = next;
            for (p, z) in self.p.iter_mut().zip(&self.z) {
                *p = *z + *p * beta;
            }
        }
        (most, (rz / scale).sqrt())
    }
}
