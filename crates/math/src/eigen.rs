//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix by Jacobi's method,
//! which is accurate to the last digits also when eigenvalues coincide.

use glam::{DMat3, DVec3};

/// The eigenvalues of `m` and a *proper* rotation whose rows are the
/// eigenvectors, so that `rotation * m * rotation.transpose()` is diagonal
/// (Chaney §2.2, with the determinant made +1).
///
/// Of the 24 proper rotations that do this, the one nearest to the identity is
/// returned: for a diagonal matrix, the identity.
pub fn symmetric_eigen(m: DMat3) -> (DVec3, DMat3) {
    let mut a = m.to_cols_array_2d();
    let mut v = DMat3::IDENTITY.to_cols_array_2d();
    // Cyclic Jacobi converges quadratically; six sweeps suffice for 3×3.
    for _ in 0..16 {
        let off = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if off == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, &mut v, p, q);
        }
    }
    nearest_to_identity(
        DVec3::new(a[0][0], a[1][1], a[2][2]),
        DMat3::from_cols_array_2d(&v),
    )
}

/// One Jacobi rotation that annihilates entry (p, q).
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = if theta.is_finite() {
        theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt())
    } else {
        0.0
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    rotate_rows(a, p, q, c, s);
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    // v[p] is column p; the columns gather the eigenvectors.
    rotate_rows(v, p, q, c, s);
}

/// Applies the rotation (c, s) to rows `p` and `q` of a matrix.
fn rotate_rows(m: &mut [[f64; 3]; 3], p: usize, q: usize, c: f64, s: f64) {
    let (x, y) = (m[p], m[q]);
    m[p] = std::array::from_fn(|k| c * x[k] - s * y[k]);
    m[q] = std::array::from_fn(|k| s * x[k] + c * y[k]);
}

/// Orders and signs the eigenvectors (columns of `v`) so that the matrix of
/// rows is a proper rotation as close to the identity as possible.
fn nearest_to_identity(values: DVec3, v: DMat3) -> (DVec3, DMat3) {
    const ORDERS: [[usize; 3]; 6] = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let columns = [v.x_axis, v.y_axis, v.z_axis];
    let mut best = (f64::NEG_INFINITY, DVec3::ZERO, DMat3::IDENTITY);
    for order in ORDERS {
        for signs in 0..8 {
            let row = |i: usize| {
                let sign = if signs >> i & 1 == 1 { -1.0 } else { 1.0 };
                columns[order[i]] * sign
            };
            let rotation = DMat3::from_cols(row(0), row(1), row(2)).transpose();
            let trace = rotation.x_axis.x + rotation.y_axis.y + rotation.z_axis.z;
            if rotation.determinant() > 0.0 && trace > best.0 {
                let ordered = DVec3::new(values[order[0]], values[order[1]], values[order[2]]);
                best = (trace, ordered, rotation);
            }
        }
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation;

    fn check(m: DMat3) {
        let (values, r) = symmetric_eigen(m);
        let scale = values.abs().max_element().max(1e-300);
        let diagonal = r * m * r.transpose();
        assert!(diagonal.abs_diff_eq(DMat3::from_diagonal(values), 4e-15 * scale));
        assert!((r * r.transpose()).abs_diff_eq(DMat3::IDENTITY, 1e-14));
        assert!((r.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn rows_of_eigenvectors_make_a_matrix_diagonal() {
        for i in 0..200 {
            let s = i as f64;
            let r = rotation::exp(DVec3::new((s * 1.3).sin(), (s * 0.7).cos(), s.sin()) * 2.0);
            let r = rotation::to_matrix(r);
            let values = DVec3::new(1.0, 1.0 + (i % 3) as f64, 10f64.powi(i % 9 - 4));
            check(r * DMat3::from_diagonal(values) * r.transpose());
        }
    }

    #[test]
    fn a_diagonal_matrix_is_left_as_it_is() {
        let (values, r) = symmetric_eigen(DMat3::from_diagonal(DVec3::new(3.0, 1.0, 2.0)));
        assert_eq!(values, DVec3::new(3.0, 1.0, 2.0));
        assert_eq!(r, DMat3::IDENTITY);
    }

    #[test]
    fn a_multiple_of_the_identity_needs_no_rotation() {
        assert_eq!(symmetric_eigen(DMat3::IDENTITY * 5.0).1, DMat3::IDENTITY);
    }
}
