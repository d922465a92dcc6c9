//! Which tiles of a panel are zero and can be skipped.

use super::kernel::{Panel, TILE_SIZE};

/// Which tiles of `TILE_SIZE` by `TILE_SIZE` numbers of a panel are not zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparsity {
    /// One bit for each tile, row by row.
    pub bits: Vec<u64>,
    /// Words for a row of tiles.
    pub words: usize,
}

impl Sparsity {
    /// Scans all tiles below the diagonal.
    pub fn find(&mut self, panel: &Panel) {
        let (columns, rows) = (
            panel.square / TILE_SIZE,
            (panel.square + panel.below) / TILE_SIZE,
        );
        self.words = columns.div_ceil(64);
        self.bits.clear();
        self.bits.resize(rows * self.words, 0);
        for column in 0..columns {
            let numbers = &panel.numbers[column * TILE_SIZE * panel.stride..];
            for row in column..rows {
                let zero = |c: usize| {
                    let tile = &numbers[c * panel.stride + row * TILE_SIZE..][..TILE_SIZE];
                    tile.iter().all(|x| *x == 0.0)
                };
                if row == column || !(0..TILE_SIZE).all(zero) {
                    self.set(row, column);
                }
            }
        }
    }

    #[inline(always)]
    pub fn set(&mut self, row: usize, column: usize) {
        self.bits[row * self.words + column / 64] |= 1 << (column % 64);
    }

    #[inline(always)]
    pub fn has(&self, row: usize, column: usize) -> bool {
        self.bits[row * self.words + column / 64] >> (column % 64) & 1 != 0
    }

    /// Columns before `end` in which both rows of tiles are not zero, in order.
    #[inline(always)]
    pub fn shared(&self, a: usize, b: usize, end: usize) -> impl Iterator<Item = usize> + '_ {
        let word = move |w: usize| {
            let both = self.bits[a * self.words + w] & self.bits[b * self.words + w];
            match end.saturating_sub(64 * w) {
                64.. => both,
                left => both & ((1 << left) - 1),
            }
        };
        (0..self.words).flat_map(move |w| {
            let mut bits = word(w);
            std::iter::from_fn(move || {
                let next = (bits != 0).then(|| 64 * w + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                next
            })
        })
    }
}
