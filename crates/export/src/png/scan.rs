//! Scan conversion of triangles.

use std::ops::Range;

/// Visits every sample whose centre the triangle covers, with its column, its row
/// and its barycentric coordinates.
pub(super) fn triangle(
    [a, b, c]: [[f64; 2]; 3],
    columns: Range<usize>,
    rows: Range<usize>,
    mut visit: impl FnMut(usize, usize, [f64; 3]),
) {
    let whole = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if whole.is_nan() || whole.abs() < 1e-9 {
        return;
    }
    let lo = |k: usize| a[k].min(b[k]).min(c[k]);
    let hi = |k: usize| a[k].max(b[k]).max(c[k]);
    // Barycentric coordinates are linear along a row.
    let step = [b[1] - c[1], c[1] - a[1], a[1] - b[1]].map(|s| s / whole);
    for row in middles(lo(1), hi(1), rows) {
        let y = row as f64 + 0.5;
        let start = |u: [f64; 2], v: [f64; 2]| (u[0] * (v[1] - y) - v[0] * (u[1] - y)) / whole;
        let start = [start(b, c), start(c, a), start(a, b)];
        // Where all of them are positive, with a tolerance for rounding.
        let (mut left, mut right) = (lo(0), hi(0));
        for (start, step) in start.into_iter().zip(step) {
            let zero = -start / step;
            match step > 0.0 {
                true if step > 1e-12 => left = left.max(zero - 1e-6),
                false if step < -1e-12 => right = right.min(zero + 1e-6),
                _ => {}
            }
        }
        for column in middles(left, right, columns.clone()) {
            let x = column as f64 + 0.5;
            let weights: [f64; 3] = std::array::from_fn(|k| start[k] + step[k] * x);
            if weights.iter().all(|w| *w > -1e-6) {
                visit(column, row, weights);
            }
        }
    }
}

/// The samples of a range whose centres lie between two coordinates.
pub(super) fn middles(lo: f64, hi: f64, range: Range<usize>) -> Range<usize> {
    let (first, last) = (range.start as f64, range.end as f64);
    let lo = (lo - 0.5).ceil().clamp(first, last);
    let hi = (hi + 0.5).floor().clamp(first, last);
    lo as usize..hi as usize
}
