//! Cholesky's method on panels: column-major blocks of numbers.
//!
//! Every entry of the result is made by the same operations in the same order
//! (products are subtracted one by one, from the first column on, and nothing
//! is fused), whatever the shape of the tiles. So all SIMD widths give the same
//! bits. Zero tiles are skipped ([`Sparsity`]), which changes no bit either:
//! uncoupled unknowns cost nothing.

use super::sparsity::Sparsity;
use crate::lanes::{Lanes, Real};

/// Columns of a tile. Sizes of blocks are rounded up to a multiple of it, so
/// that all tiles are full.
pub(super) const TILE_SIZE: usize = 8;

/// A panel: columns of equal length, column-major.
pub(super) struct Panel<'a> {
    pub numbers: &'a mut [f64],
    /// The distance between columns.
    pub stride: usize,
    /// Rows of the diagonal block, which is square.
    pub square: usize,
    /// Rows of the block below.
    pub below: usize,
}

/// The SIMD width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Baseline,
    Avx2,
    Avx512,
}

impl Width {
    /// All that this processor supports, the widest last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let (avx2, avx512) = (
            is_x86_feature_detected!("avx2"),
            is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"),
        );
        #[cfg(not(target_arch = "x86_64"))]
        let (avx2, avx512) = (false, false);
        [
            (true, Self::Baseline),
            (avx2, Self::Avx2),
            (avx512, Self::Avx512),
        ]
        .into_iter()
        .filter_map(|(has, width)| has.then_some(width))
    }

    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Baseline)
    }
}

/// Factorises the square D of the panel into L Lᵀ and replaces the block B
/// below it by B L⁻ᵀ. The diagonal of L is stored inverted. Pivots have to be
/// above `least`, one for each column; otherwise the column is returned.
/// Updates which tiles are not zero.
pub(super) fn factorise(
    panel: &mut Panel,
    sparsity: &mut Sparsity,
    least: &[f64],
    width: Width,
) -> Result<(), usize> {
    sparsity.find(panel);
    match width {
        Width::Baseline => factorise_in::<2>(panel, sparsity, least),
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: AVX2 support was just checked.
            unsafe { factorise_avx2(panel, sparsity, least) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"));
            // SAFETY: support of AVX-512F and VL was just checked.
            unsafe { factorise_avx512(panel, sparsity, least) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Width::Avx2 | Width::Avx512 => factorise_in::<2>(panel, sparsity, least),
    }
}

/// Subtracts B Bᵀ of a factorised panel from the square of the next one.
pub(super) fn eliminate(panel: &Panel, sparsity: &Sparsity, next: &mut Panel, width: Width) {
    match width {
        Width::Baseline => eliminate_in::<2>(panel, sparsity, next),
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: AVX2 support was just checked.
            unsafe { eliminate_avx2(panel, sparsity, next) }
        }
        #[cfg(target_arch = "x86_64")]
        Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl"));
            // SAFETY: support of AVX-512F and VL was just checked.
            unsafe { eliminate_avx512(panel, sparsity, next) }
        }
        #[cfg(not(target_arch = "x86_64"))]
        Width::Avx2 | Width::Avx512 => eliminate_in::<2>(panel, sparsity, next),
    }
}

/// Adds to a part of a column the products of rows of `n` numbers: for each row
/// its number at `b` times those from `from` on. Rows come in groups of four,
/// then one by one.
pub(super) fn add_products(
    into: &mut [f64],
    rows: (&[f64], &[f64]),
    n: usize,
    b: usize,
    from: usize,
    width: Width,
) {
    match width {
        #[cfg(target_arch = "x86_64")]
        Width::Avx2 | Width::Avx512 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: AVX2 support was just checked.
            unsafe { add_products_avx2(into, rows, n, b, from) }
        }
        _ => add_products_in(into, rows, n, b, from),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_products_avx2(into: &mut [f64], rows: (&[f64], &[f64]), n: usize, b: usize, from: usize) {
    add_products_in(into, rows, n, b, from);
}

#[inline(always)]
fn add_products_in(into: &mut [f64], rows: (&[f64], &[f64]), n: usize, b: usize, from: usize) {
    let (eights, rest) = into.as_chunks_mut::<8>();
    let mut at = from;
    for eight in eights {
        *eight = add_to_tile(*eight, rows, n, b, at);
        at += 8;
    }
    let (fours, rest) = rest.as_chunks_mut::<4>();
    for four in fours {
        *four = add_to_tile(*four, rows, n, b, at);
        at += 4;
    }
    for one in rest {
        [*one] = add_to_tile([*one], rows, n, b, at);
        at += 1;
    }
}

/// A part of a column stays in registers while all rows are added to it.
#[inline(always)]
fn add_to_tile<const L: usize>(
    tile: [f64; L],
    (groups, singles): (&[f64], &[f64]),
    n: usize,
    b: usize,
    at: usize,
) -> [f64; L] {
    let mut sum = Lanes(tile);
    let product = |row: &[f64]| {
        let mut x = Lanes([0.0; L]);
        x.0.copy_from_slice(&row[at..at + L]);
        x * Lanes::splat(row[b])
    };
    for group in groups.chunks_exact(4 * n) {
        let row = |r: usize| &group[r * n..(r + 1) * n];
        let first = product(row(0)) + product(row(1));
        sum = sum + (first + (product(row(2)) + product(row(3))));
    }
    for one in singles.chunks_exact(n) {
        sum = sum + product(one);
    }
    sum.0
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn factorise_avx2(panel: &mut Panel, sparsity: &mut Sparsity, least: &[f64]) -> Result<(), usize> {
    factorise_in::<4>(panel, sparsity, least)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn factorise_avx512(
    panel: &mut Panel,
    sparsity: &mut Sparsity,
    least: &[f64],
) -> Result<(), usize> {
    factorise_in::<8>(panel, sparsity, least)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn eliminate_avx2(panel: &Panel, sparsity: &Sparsity, next: &mut Panel) {
    eliminate_in::<4>(panel, sparsity, next);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn eliminate_avx512(panel: &Panel, sparsity: &Sparsity, next: &mut Panel) {
    eliminate_in::<8>(panel, sparsity, next);
}

/// A tile of a panel: `TILE_SIZE` columns of `L` rows, which fill a register.
type Tile<const L: usize> = [Lanes<L>; TILE_SIZE];

/// The square on the diagonal where a tile's columns begin.
type Corner = [[f64; TILE_SIZE]; TILE_SIZE];

#[inline(always)]
fn factorise_in<const L: usize>(
    panel: &mut Panel,
    sparsity: &mut Sparsity,
    least: &[f64],
) -> Result<(), usize> {
    let (stride, rows) = (panel.stride, panel.square + panel.below);
    for j in (0..panel.square).step_by(TILE_SIZE) {
        let (done, rest) = panel.numbers.split_at_mut(j * stride);
        let column = j / TILE_SIZE;
        for i in (j..j + TILE_SIZE).step_by(L) {
            let mut tile = load::<L>(rest, stride, i);
            for left in sparsity.shared(column, column, column) {
                tile = subtract(tile, tile_columns(done, stride, left), stride, i, j);
            }
            store(&tile, rest, stride, i);
        }
        let corner = pivots(rest, stride, j, &least[j..]).map_err(|k| j + k)?;
        for row in column + 1..rows / TILE_SIZE {
            let fills = sparsity.shared(row, column, column).next().is_some();
            if !fills && !sparsity.has(row, column) {
                continue;
            }
            for i in (row * TILE_SIZE..(row + 1) * TILE_SIZE).step_by(L) {
                let mut tile = load::<L>(rest, stride, i);
                for left in sparsity.shared(row, column, column) {
                    tile = subtract(tile, tile_columns(done, stride, left), stride, i, j);
                }
                for c in 0..TILE_SIZE {
                    for q in 0..c {
                        tile[c] = tile[c] - tile[q] * Lanes::splat(corner[q][c]);
                    }
                    tile[c] = tile[c] * Lanes::splat(corner[c][c]);
                }
                store(&tile, rest, stride, i);
            }
            sparsity.set(row, column);
        }
    }
    Ok(())
}

#[inline(always)]
fn eliminate_in<const L: usize>(panel: &Panel, sparsity: &Sparsity, next: &mut Panel) {
    let (from, stride, top) = (&*panel.numbers, panel.stride, panel.square);
    let columns = panel.square / TILE_SIZE;
    for j in (0..panel.below).step_by(TILE_SIZE) {
        let into = &mut next.numbers[j * next.stride..];
        let other = (top + j) / TILE_SIZE;
        for row in j / TILE_SIZE..panel.below / TILE_SIZE {
            let shared = || sparsity.shared(top / TILE_SIZE + row, other, columns);
            if shared().next().is_none() {
                continue;
            }
            for i in (row * TILE_SIZE..(row + 1) * TILE_SIZE).step_by(L) {
                let mut tile = load::<L>(into, next.stride, i);
                for left in shared() {
                    tile = subtract(
                        tile,
                        tile_columns(from, stride, left),
                        stride,
                        top + i,
                        top + j,
                    );
                }
                store(&tile, into, next.stride, i);
            }
        }
    }
}

/// The columns of a column of tiles.
#[inline(always)]
fn tile_columns(numbers: &[f64], stride: usize, column: usize) -> &[f64] {
    &numbers[column * TILE_SIZE * stride..][..TILE_SIZE * stride]
}

/// Subtracts the products of rows from `i` on with rows from `j` on, summed
/// over all columns of `left`.
#[inline(always)]
fn subtract<const L: usize>(
    mut tile: Tile<L>,
    left: &[f64],
    stride: usize,
    i: usize,
    j: usize,
) -> Tile<L> {
    for column in left.chunks_exact(stride) {
        let (mut a, b) = (Lanes::splat(0.0), &column[j..j + TILE_SIZE]);
        a.0.copy_from_slice(&column[i..i + L]);
        for c in 0..TILE_SIZE {
            tile[c] = tile[c] - a * Lanes::splat(b[c]);
        }
    }
    tile
}

#[inline(always)]
fn load<const L: usize>(from: &[f64], stride: usize, i: usize) -> Tile<L> {
    let mut tile = [Lanes::splat(0.0); TILE_SIZE];
    for c in 0..TILE_SIZE {
        tile[c].0.copy_from_slice(&from[c * stride + i..][..L]);
    }
    tile
}

#[inline(always)]
fn store<const L: usize>(tile: &Tile<L>, into: &mut [f64], stride: usize, i: usize) {
    for c in 0..TILE_SIZE {
        into[c * stride + i..][..L].copy_from_slice(&tile[c].0);
    }
}

/// Cholesky's method for the corner at row `i` of `rest`, which it returns.
/// Entries above its diagonal are never read.
#[inline(always)]
fn pivots(rest: &mut [f64], stride: usize, i: usize, least: &[f64]) -> Result<Corner, usize> {
    let mut corner = [[0.0; TILE_SIZE]; TILE_SIZE];
    for c in 0..TILE_SIZE {
        let place = c * stride + i;
        let (done, left) = corner.split_at_mut(c);
        let column = &mut left[0];
        column.copy_from_slice(&rest[place..][..TILE_SIZE]);
        for other in done {
            let factor = other[c];
            for (x, y) in column[c..].iter_mut().zip(&other[c..]) {
                *x -= y * factor;
            }
        }
        let pivot = column[c];
        // Also false for NaN.
        if !(pivot > least[c] && pivot < f64::INFINITY) {
            return Err(c);
        }
        column[c] = 1.0 / pivot.sqrt();
        let inverse = column[c];
        column[c + 1..].iter_mut().for_each(|x| *x *= inverse);
        rest[place..][..TILE_SIZE].copy_from_slice(column);
    }
    Ok(corner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panel, and the square that comes after it.
    fn panels<'a>(
        first: &'a mut [f64],
        second: &'a mut [f64],
        square: usize,
        below: usize,
    ) -> (Panel<'a>, Panel<'a>) {
        let panel = Panel {
            numbers: first,
            stride: square + below,
            square,
            below,
        };
        let next = Panel {
            numbers: second,
            stride: below,
            square: below,
            below: 0,
        };
        (panel, next)
    }

    #[test]
    fn every_width_gives_the_same_bits() {
        let (square, below, stride) = (24, 16, 40);
        let number = |i: usize| (i as f64 * 0.7).sin();
        let mut start: Vec<f64> = (0..square * stride).map(number).collect();
        for j in 0..square {
            start[j * stride + j] += square as f64;
        }
        let next_start: Vec<f64> = (0..below * below).map(number).collect();
        let run = |width| {
            let (mut first, mut second) = (start.clone(), next_start.clone());
            let (mut panel, mut next) = panels(&mut first, &mut second, square, below);
            let mut sparsity = Sparsity::default();
            let done = factorise(&mut panel, &mut sparsity, &[0.0; 24], width);
            assert_eq!(done, Ok(()));
            eliminate(&panel, &sparsity, &mut next, width);
            (first, second)
        };
        for width in Width::available() {
            assert_eq!(run(width), run(Width::Baseline), "{width:?}");
        }
    }

    #[test]
    fn skipping_zero_tiles_changes_no_bit() {
        // Two uncoupled systems, and fill-in between them; also with more
        // columns of tiles than there are bits in a word.
        leaves_out_zeros(40, 32, 30);
        leaves_out_zeros(536, 32, 1800);
    }

    fn leaves_out_zeros(square: usize, below: usize, most: u32) {
        let stride = square + below;
        let number = |i: usize| (i as f64 * 0.7).sin();
        let side = |row: usize| (row % square) / 16 % 2;
        let mut start = vec![0.0; square * stride];
        for j in 0..square {
            for i in j..square + below {
                if side(i) == side(j) || (i, j) == (30, 7) {
                    start[j * stride + i] = number(i * stride + j);
                }
            }
            start[j * stride + j] += square as f64;
        }
        let run = |sparsity: &mut Sparsity| {
            let (mut first, mut second) = (start.clone(), vec![0.5; below * below]);
            let (mut panel, mut next) = panels(&mut first, &mut second, square, below);
            let least = vec![0.0; square];
            assert_eq!(factorise_in::<4>(&mut panel, sparsity, &least), Ok(()));
            eliminate_in::<4>(&panel, sparsity, &mut next);
            let all = first.into_iter().chain(second);
            all.map(|x| (x + 0.0).to_bits()).collect::<Vec<u64>>()
        };
        let mut numbers = start.clone();
        let mut found = Sparsity::default();
        found.find(&Panel {
            numbers: &mut numbers,
            stride,
            square,
            below,
        });
        let words = (square / TILE_SIZE).div_ceil(64);
        let mut full = Sparsity {
            bits: vec![u64::MAX; words * stride / TILE_SIZE],
            words,
        };
        let tiles: u32 = found.bits.iter().map(|bits| bits.count_ones()).sum();
        assert!(tiles < most, "{tiles}");
        assert_eq!(run(&mut found), run(&mut full));
    }
}
