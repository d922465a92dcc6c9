//! Block-tridiagonal matrices against dense ones, by textbook methods.

use conatus_math::banded::{BlockTridiagonal, Cholesky};

/// Pseudo-random numbers between −1 and 1, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn many(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// The same matrix in both formats: residuals with random unknowns of
/// neighbours.
fn both_kinds(sizes: &[usize], numbers: &mut Numbers) -> (BlockTridiagonal, Vec<Vec<f64>>) {
    let mut banded = BlockTridiagonal::new(sizes);
    let n = banded.len();
    let mut dense = vec![vec![0.0; n]; n];
    let mut start = 0;
    for (k, &size) in sizes.iter().enumerate() {
        let reach = size + sizes.get(k + 1).unwrap_or(&0);
        for group in 0..size / 2 + 2 {
            // All unknowns, or a random half: long runs and short.
            let unknowns =
                (start..start + reach).filter(|_| group % 2 == 0 || numbers.next() < 0.0);
            let unknowns: Vec<usize> = unknowns.collect();
            let (many, rows) = (unknowns.len(), 1 + group / 2 % 6);
            let values = numbers.many(many * rows);
            banded.add_rows(&unknowns, &values);
            if many == 0 {
                continue;
            }
            for row in values.chunks_exact(many) {
                for (i, a) in unknowns.iter().zip(row) {
                    for (j, b) in unknowns.iter().zip(row) {
                        dense[*i][*j] += a * b;
                    }
                }
            }
        }
        start += size;
    }
    let damping: Vec<f64> = numbers.many(n).iter().map(|x| 0.1 + x * x).collect();
    banded.add_diagonal(&damping);
    for (i, d) in damping.iter().enumerate() {
        dense[i][i] += d;
    }
    (banded, dense)
}

/// Elimination with pivots.
fn solve_dense(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
        let pivot = pivot.expect("rows are left");
        a.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let (above, below) = a.split_at_mut(i);
            for (x, y) in below[0][k..].iter_mut().zip(&above[k][k..]) {
                *x -= factor * y;
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k][j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k][k];
    }
    b
}

const SHAPES: [&[usize]; 8] = [
    &[1],
    &[7],
    &[8, 8],
    &[3, 9, 1, 17],
    &[24, 16, 8],
    &[5, 0, 4],
    &[64, 33, 64],
    &[130, 131],
];

#[test]
fn a_solution_is_that_of_the_dense_matrix() {
    let mut numbers = Numbers(1);
    for sizes in SHAPES {
        let (banded, dense) = both_kinds(sizes, &mut numbers);
        let n = banded.len();
        let b = numbers.many(n);
        let mut x = b.clone();
        let mut cholesky = Cholesky::new(&banded);
        // Twice, because the memory is reused.
        assert_eq!(cholesky.factorise(&banded, &vec![1.0; n]), Ok(()));
        assert_eq!(cholesky.factorise(&banded, &vec![0.0; n]), Ok(()));
        cholesky.solve(&mut x);
        let expected = solve_dense(dense, b);
        let scale = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let errors = x.iter().zip(&expected).map(|(x, e)| (x - e).abs());
        let error = errors.fold(0.0, f64::max) / scale;
        assert!(error < 1e-12, "{sizes:?}: {error:e}");
    }
}

#[test]
fn entries_and_products_are_those_of_the_dense_matrix() {
    let mut numbers = Numbers(2);
    for sizes in SHAPES {
        let (mut banded, dense) = both_kinds(sizes, &mut numbers);
        let n = banded.len();
        let x = numbers.many(n);
        let mut product = vec![0.0; n];
        banded.multiply(&x, &mut product);
        for (row, y) in dense.iter().zip(&product) {
            let expected: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
            assert!((y - expected).abs() < 1e-12 * (1.0 + expected.abs()));
        }
        let before = banded.get(n - 1, n - 1);
        assert!((before - dense[n - 1][n - 1]).abs() < 1e-13 * before);
        assert_eq!(banded.get(0, n.min(2) - 1), banded.get(n.min(2) - 1, 0));
        banded.add(n - 1, n - 1, 2.0);
        assert_eq!(banded.get(n - 1, n - 1), before + 2.0);
        banded.clear();
        banded.multiply(&x, &mut product);
        assert_eq!(product, vec![0.0; n]);
    }
}

#[test]
fn damping_is_added_to_the_diagonal() {
    let mut numbers = Numbers(3);
    let (mut banded, _) = both_kinds(&[10, 12, 3], &mut numbers);
    let damping: Vec<f64> = numbers.many(25).iter().map(|x| x * x).collect();
    let mut cholesky = Cholesky::new(&banded);
    let (mut x, mut y) = (vec![1.0; 25], vec![1.0; 25]);
    assert_eq!(cholesky.factorise(&banded, &damping), Ok(()));
    cholesky.solve(&mut x);
    banded.add_diagonal(&damping);
    assert_eq!(cholesky.factorise(&banded, &[0.0; 25]), Ok(()));
    cholesky.solve(&mut y);
    let errors = x.iter().zip(&y).map(|(x, y)| (x - y).abs());
    assert!(errors.fold(0.0, f64::max) < 1e-13);
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused_with_its_row() {
    let sizes = [9, 12, 5];
    let row = |change: &dyn Fn(&mut BlockTridiagonal)| {
        let mut banded = BlockTridiagonal::new(&sizes);
        banded.add_diagonal(&[1.0; 26]);
        change(&mut banded);
        let result = Cholesky::new(&banded).factorise(&banded, &[0.0; 26]);
        result.map_err(|e| e.row)
    };
    assert_eq!(row(&|_| ()), Ok(()));
    assert_eq!(row(&|a| a.add(3, 3, -1.0)), Err(3));
    assert_eq!(row(&|a| a.add(17, 17, -1.5)), Err(17));
    assert_eq!(row(&|a| a.add(24, 12, 1.001)), Err(24));
    assert_eq!(row(&|a| a.add(8, 5, f64::NAN)), Err(8));
    assert_eq!(row(&|a| a.add(25, 25, f64::INFINITY)), Err(25));
    // Two rows that are equal up to rounding: a pivot of rounding error only.
    let singular = |a: &mut BlockTridiagonal| {
        a.add(1, 1, -1.0);
        a.add(2, 2, -1.0);
        a.add_rows(&[0, 1, 2], &[0.1, 0.3, 0.3]);
    };
    assert_eq!(row(&singular), Err(2));
}

#[test]
fn an_empty_matrix_has_an_empty_solution() {
    let mut empty = BlockTridiagonal::new(&[]);
    assert!(empty.is_empty());
    empty.add_rows(&[], &[]);
    let mut cholesky = Cholesky::new(&empty);
    assert_eq!(cholesky.factorise(&empty, &[]), Ok(()));
    cholesky.solve(&mut []);
}
