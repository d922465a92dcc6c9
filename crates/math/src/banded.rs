//! Symmetric matrices of blocks in which only neighbours are coupled, as the
//! knots of a spline are, and their factorisation A = L Lᵀ.
//!
//! ```text
//! D₀ B₀ᵀ
//! B₀ D₁ B₁ᵀ        Lₖ Lₖᵀ = Dₖ,  Bₖ ← Bₖ Lₖ⁻ᵀ,  Dₖ₊₁ ← Dₖ₊₁ − Bₖ Bₖᵀ
//!    B₁ D₂ …
//! ```
//! Blocks are dense and may differ in size. Dₖ and Bₖ, which have the same
//! width, are stored on top of each other in one panel, so that a single kernel
//! factorises both.
//!
//! The kernels are part of this crate because results have to be bit-identical
//! on every machine, and libraries fuse and split sums depending on the
//! processor. There is no loss of speed. Milliseconds to factorise 20 blocks on
//! one thread of a Xeon of 2023 (`examples/math_speed.rs`), beside faer 0.24
//! doing the same block by block:
//!
//! | size | AVX-512 | AVX2 | SSE2 | faer |
//! |---|---|---|---|---|
//! | 64 | 0.39 | 0.45 | 1.6 | 0.45 |
//! | 128 | 2.6 | 3.4 | 12 | 2.3 |

mod cholesky;
mod kernel;
mod sparsity;

use crate::vector::{add_scaled, dot};
pub use cholesky::{Cholesky, NotPositiveDefinite};
use kernel::{TILE_SIZE, Width};
use std::ops::Range;

/// The memory layout of a block-tridiagonal matrix.
#[derive(Clone, Debug, PartialEq)]
struct Layout {
    /// The unknowns of block k are `start[k]..start[k + 1]`.
    start: Vec<usize>,
    /// The block of each unknown.
    block: Vec<u32>,
    /// The start of the panel of each block, and the end of the last.
    panel: Vec<usize>,
}

impl Layout {
    fn new(sizes: &[usize]) -> Self {
        let (mut start, mut block, mut panel) = (vec![0], Vec::new(), vec![0]);
        for (k, &size) in sizes.iter().enumerate() {
            block.resize(block.len() + size, k as u32);
            start.push(block.len());
        }
        let mut layout = Self {
            start,
            block,
            panel: Vec::new(),
        };
        for k in 0..sizes.len() {
            panel.push(panel[k] + layout.square(k) * layout.stride(k));
        }
        layout.panel = panel;
        layout
    }

    fn blocks(&self) -> usize {
        self.start.len() - 1
    }

    fn size(&self, k: usize) -> usize {
        self.start[k + 1] - self.start[k]
    }

    /// Rows and columns of Dₖ, padded to whole tiles. The padding is zero
    /// except for ones on the diagonal, and has no effect on the other entries.
    fn square(&self, k: usize) -> usize {
        self.size(k).next_multiple_of(TILE_SIZE)
    }

    /// Rows of Bₖ, padded likewise.
    fn below(&self, k: usize) -> usize {
        if k + 1 < self.blocks() {
            self.square(k + 1)
        } else {
            0
        }
    }

    /// The distance between columns of panel k: an odd number of cache lines,
    /// because columns a power of two apart evict each other from the cache.
    fn stride(&self, k: usize) -> usize {
        (((self.square(k) + self.below(k)) / TILE_SIZE) | 1) * TILE_SIZE
    }

    /// The start of column `j` of panel `k`.
    fn column(&self, k: usize, j: usize) -> usize {
        self.panel[k] + j * self.stride(k)
    }

    /// The index of the entry of unknowns `i` ≥ `j`.
    fn entry(&self, i: usize, j: usize) -> usize {
        let (k, l) = (self.block[j] as usize, self.block[i] as usize);
        assert!(j <= i && l - k <= 1, "({i}, {j}) is not within the band");
        let row = i - self.start[l] + if l > k { self.square(k) } else { 0 };
        self.column(k, j - self.start[k]) + row
    }
}

/// A symmetric matrix of blocks, coupled to their neighbours. One triangle is
/// stored.
#[derive(Clone, Debug)]
pub struct BlockTridiagonal {
    layout: Layout,
    numbers: Vec<f64>,
    scratch: Scratch,
    width: Width,
}

/// Buffers for adding rows.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// The row of a panel for each unknown.
    row: Vec<usize>,
    /// Ranges of that list with consecutive rows.
    runs: Vec<Range<usize>>,
}

impl BlockTridiagonal {
    /// The zero matrix with diagonal blocks of these sizes.
    pub fn new(sizes: &[usize]) -> Self {
        let layout = Layout::new(sizes);
        let mut new = Self {
            numbers: vec![0.0; *layout.panel.last().unwrap_or(&0)],
            layout,
            scratch: Scratch::default(),
            width: Width::best(),
        };
        new.clear();
        new
    }

    /// Number of rows, and of columns.
    pub fn len(&self) -> usize {
        self.layout.block.len()
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.layout.block.is_empty()
    }

    /// Sets every entry to zero.
    pub fn clear(&mut self) {
        self.numbers.fill(0.0);
        for k in 0..self.layout.blocks() {
            for j in self.layout.size(k)..self.layout.square(k) {
                let at = self.layout.column(k, j) + j;
                self.numbers[at] = 1.0;
            }
        }
    }

    /// The entry of row `i` and column `j`, which have to be in the same block
    /// or in neighbouring ones.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.numbers[self.layout.entry(i.max(j), i.min(j))]
    }

    /// Adds to the entry of row `i` and column `j`, and to its mirror image.
    /// They have to be in the same block or in neighbouring ones.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let at = self.layout.entry(i.max(j), i.min(j));
        self.numbers[at] += value;
    }

    /// Adds a number to each entry of the diagonal.
    pub fn add_diagonal(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.len(), "one number for each row");
        for (i, &value) in values.iter().enumerate() {
            self.add(i, i, value);
        }
    }

    /// Adds Jᵀ J for rows of J, the derivatives of residuals, that depend on
    /// the same unknowns. `unknowns` ascend, and belong to one block or to two
    /// neighbouring ones; `rows` holds one number for each of them, row after
    /// row. For speed, add rows with the same unknowns together; consecutive
    /// unknowns are the fastest.
    pub fn add_rows(&mut self, unknowns: &[usize], rows: &[f64]) {
        let n = unknowns.len();
        let (Some(&first), Some(&last)) = (unknowns.first(), unknowns.last()) else {
            return;
        };
        assert!(unknowns.is_sorted_by(|a, b| a < b), "unknowns ascend");
        assert_eq!(rows.len() % n, 0, "whole rows");
        let layout = &self.layout;
        let k = layout.block[first] as usize;
        assert!(layout.block[last] as usize <= k + 1, "neighbouring blocks");
        let split = unknowns.partition_point(|&i| i < layout.start[k + 1]);

        // Rows of panel k; those of block k + 1 come after its square.
        let (square, size) = (layout.square(k), layout.size(k));
        let Scratch { row, runs } = &mut self.scratch;
        row.clear();
        row.extend(unknowns[..split].iter().map(|i| i - layout.start[k]));
        row.extend(
            unknowns[split..]
                .iter()
                .map(|i| i - layout.start[k] + square - size),
        );
        find_runs(row, runs);

        let (groups, singles) = rows.split_at(rows.len() / (4 * n) * 4 * n);
        for (b, &j) in unknowns.iter().enumerate() {
            // The second block has a separate panel, `square` rows higher.
            let (panel, up) = if b < split { (k, 0) } else { (k + 1, square) };
            let at = layout.column(panel, j - layout.start[panel]);
            let column = &mut self.numbers[at..at + layout.stride(panel)];
            if 6 * runs.len() <= n {
                for run in runs.iter().filter(|run| run.end > b) {
                    let from = run.start.max(b);
                    let into = &mut column[row[from] - up..][..run.end - from];
                    kernel::add_products(into, (groups, singles), n, b, from, self.width);
                }
            } else {
                for group in groups.chunks_exact(4 * n) {
                    let [x, y, z, w] = parts(group, n, b);
                    for (a, row) in row[b..].iter().enumerate() {
                        column[row - up] +=
                            (x.0 * x.1[a] + y.0 * y.1[a]) + (z.0 * z.1[a] + w.0 * w.1[a]);
                    }
                }
                for one in singles.chunks_exact(n) {
                    for (row, x) in row[b..].iter().zip(&one[b..]) {
                        column[row - up] += one[b] * x;
                    }
                }
            }
        }
    }

    /// out = A x.
    pub fn multiply(&self, x: &[f64], out: &mut [f64]) {
        assert!(x.len() == self.len() && out.len() == self.len());
        out.fill(0.0);
        let layout = &self.layout;
        for k in 0..layout.blocks() {
            for j in 0..layout.size(k) {
                let at = layout.column(k, j);
                let here = layout.start[k] + j;
                out[here] += self.numbers[at + j] * x[here];
                for (rows, numbers) in below_diagonal(layout, &self.numbers, k, j) {
                    out[here] += dot(numbers, &x[rows.clone()]);
                    add_scaled(&mut out[rows], x[here], numbers);
                }
            }
        }
    }
}

fn find_runs(row: &[usize], runs: &mut Vec<Range<usize>>) {
    runs.clear();
    for a in 0..row.len() {
        match runs.last_mut() {
            Some(run) if row[a - 1] + 1 == row[a] => run.end = a + 1,
            _ => runs.push(a..a + 1),
        }
    }
}

/// The entries of four rows at `b` and from there on.
fn parts(group: &[f64], n: usize, b: usize) -> [(f64, &[f64]); 4] {
    std::array::from_fn(|r| (group[r * n + b], &group[r * n + b..(r + 1) * n]))
}

/// The entries below the diagonal in column `j` of block `k`: the rest of its
/// own block, and the block below; with the unknowns they belong to.
fn below_diagonal<'a>(
    layout: &Layout,
    numbers: &'a [f64],
    k: usize,
    j: usize,
) -> [(Range<usize>, &'a [f64]); 2] {
    let column = &numbers[layout.column(k, j)..][..layout.stride(k)];
    let next = layout.start[(k + 2).min(layout.blocks())];
    let (start, end) = (layout.start[k], layout.start[k + 1]);
    [
        (start + j + 1..end, &column[j + 1..end - start]),
        (end..next, &column[layout.square(k)..][..next - end]),
    ]
}
