//! The Cholesky factor of a block-tridiagonal matrix, and solves with it.

use super::kernel::{self, Panel, Width};
use super::sparsity::Sparsity;
use super::{BlockTridiagonal, Layout, below_diagonal};
use crate::vector::{add_scaled, dot};
use std::fmt;

/// The matrix is not positive definite to working precision, or not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPositiveDefinite {
    /// The row at which the factorisation failed.
    pub row: usize,
}

impl fmt::Display for NotPositiveDefinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the matrix is not positive definite at row {}", self.row)
    }
}

impl std::error::Error for NotPositiveDefinite {}

/// The factor L of a [`BlockTridiagonal`], with its memory.
#[derive(Clone, Debug)]
pub struct Cholesky {
    layout: Layout,
    numbers: Vec<f64>,
    /// Pivot thresholds: smaller pivots may be rounding errors.
    least: Vec<f64>,
    sparsity: Sparsity,
    width: Width,
}

impl Cholesky {
    /// Allocates factors for matrices with the blocks of `a`.
    pub fn new(a: &BlockTridiagonal) -> Self {
        Self {
            layout: a.layout.clone(),
            numbers: vec![0.0; a.numbers.len()],
            least: Vec::new(),
            sparsity: Sparsity::default(),
            width: Width::best(),
        }
    }

    /// Factorises A + diag(`damping`). After a failure the factor is invalid.
    pub fn factorise(
        &mut self,
        a: &BlockTridiagonal,
        damping: &[f64],
    ) -> Result<(), NotPositiveDefinite> {
        assert!(
            a.layout == self.layout && damping.len() == a.len(),
            "the same blocks"
        );
        let (layout, width) = (&self.layout, self.width);
        for k in 0..layout.blocks() {
            // The square of this panel may hold −B Bᵀ of the one before.
            let (range, size) = (layout.panel[k]..layout.panel[k + 1], layout.size(k));
            if k == 0 {
                self.numbers[range.clone()].copy_from_slice(&a.numbers[range.clone()]);
            }
            self.least.clear();
            for j in 0..layout.square(k) {
                let at = layout.column(k, j) + j;
                let damping = if j < size {
                    damping[layout.start[k] + j]
                } else {
                    0.0
                };
                self.numbers[at] += damping;
                self.least
                    .push(16.0 * f64::EPSILON * (a.numbers[at] + damping));
            }
            let (head, tail) = self.numbers.split_at_mut(range.end);
            let mut panel = panel_of(layout, k, &mut head[range.start..]);
            let row = |j| NotPositiveDefinite {
                row: layout.start[k] + j,
            };
            let sparsity = &mut self.sparsity;
            kernel::factorise(&mut panel, sparsity, &self.least, width).map_err(row)?;
            if k + 1 < layout.blocks() {
                let next = layout.panel[k + 1]..layout.panel[k + 2];
                let numbers = &mut tail[..next.len()];
                numbers.copy_from_slice(&a.numbers[next]);
                let mut next = panel_of(layout, k + 1, numbers);
                kernel::eliminate(&panel, sparsity, &mut next, width);
            }
        }
        Ok(())
    }

    /// Solves A x = b in place: `x` holds b on input and x on output.
    pub fn solve(&self, x: &mut [f64]) {
        assert_eq!(x.len(), self.layout.block.len(), "one number for each row");
        let layout = &self.layout;
        for k in 0..layout.blocks() {
            for j in 0..layout.size(k) {
                let here = layout.start[k] + j;
                x[here] *= self.numbers[layout.column(k, j) + j];
                for (rows, numbers) in below_diagonal(layout, &self.numbers, k, j) {
                    let factor = -x[here];
                    add_scaled(&mut x[rows], factor, numbers);
                }
            }
        }
        for k in (0..layout.blocks()).rev() {
            for j in (0..layout.size(k)).rev() {
                let here = layout.start[k] + j;
                for (rows, numbers) in below_diagonal(layout, &self.numbers, k, j) {
                    x[here] -= dot(numbers, &x[rows]);
                }
                x[here] *= self.numbers[layout.column(k, j) + j];
            }
        }
    }
}

fn panel_of<'a>(layout: &Layout, k: usize, numbers: &'a mut [f64]) -> Panel<'a> {
    Panel {
        numbers,
        stride: layout.stride(k),
        square: layout.square(k),
        below: layout.below(k),
    }
}
