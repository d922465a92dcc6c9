//! Eigenvalues and eigenvectors of a symmetric matrix: Householder's
//! reflections make it tridiagonal, implicit QL steps diagonal (Bowdler,
//! Martin, Reinsch and Wilkinson 1968, tred2 and tql2 of EISPACK).
//! Single-threaded, with basic arithmetic and square roots only: bit-identical
//! on every machine.

/// Maximum number of QL steps per eigenvalue; two or three are usual.
const MAX_QL_ITERATIONS: usize = 60;

/// A symmetric matrix during its reduction to eigenvectors.
pub(super) struct Eigen {
    n: usize,
    /// Column-major; at the end the eigenvectors.
    columns: Vec<f64>,
    /// The diagonal; at the end the eigenvalues.
    pub(super) values: Vec<f64>,
    /// The subdiagonal.
    beside: Vec<f64>,
}

/// √(a² + b²) without overflow, by operations that are rounded alike on every
/// machine.
fn hypotenuse(a: f64, b: f64) -> f64 {
    let (a, b) = (a.abs(), b.abs());
    let (less, more) = (a.min(b), a.max(b));
    if more == 0.0 {
        return 0.0;
    }
    let ratio = less / more;
    more * (1.0 + ratio * ratio).sqrt()
}

impl Eigen {
    /// Decomposes a full matrix of n rows; `None` if the iteration does not
    /// converge.
    pub(super) fn of(n: usize, matrix: Vec<f64>) -> Option<Self> {
        let mut eigen = Self {
            n,
            columns: matrix,
            values: vec![0.0; n],
            beside: vec![0.0; n],
        };
        if n > 0 {
            eigen.make_tridiagonal();
            eigen.make_diagonal()?;
        }
        Some(eigen)
    }

    /// The unit eigenvector of the k-th value.
    pub(super) fn vector(&self, k: usize) -> &[f64] {
        &self.columns[k * self.n..(k + 1) * self.n]
    }

    fn make_tridiagonal(&mut self) {
        let n = self.n;
        let (v, d, e) = (&mut self.columns, &mut self.values, &mut self.beside);
        let at = |row: usize, column: usize| column * n + row;
        for j in 0..n {
            d[j] = v[at(n - 1, j)];
        }
        for i in (1..n).rev() {
            let scale: f64 = d[..i].iter().map(|d| d.abs()).sum();
            let mut h = 0.0;
            if scale == 0.0 {
                e[i] = d[i - 1];
                for j in 0..i {
                    d[j] = v[at(i - 1, j)];
                    v[at(i, j)] = 0.0;
                    v[at(j, i)] = 0.0;
                }
            } else {
                for d in &mut d[..i] {
                    *d /= scale;
                    h += *d * *d;
                }
                let f = d[i - 1];
                let g = if f > 0.0 { -h.sqrt() } else { h.sqrt() };
                e[i] = scale * g;
                h -= f * g;
                d[i - 1] = f - g;
                e[..i].fill(0.0);
                for j in 0..i {
                    let f = d[j];
                    v[at(j, i)] = f;
                    let mut g = e[j] + v[at(j, j)] * f;
                    for k in j + 1..i {
                        g += v[at(k, j)] * d[k];
                        e[k] += v[at(k, j)] * f;
                    }
                    e[j] = g;
                }
                let mut f = 0.0;
                for j in 0..i {
                    e[j] /= h;
                    f += e[j] * d[j];
                }
                let half = f / (h + h);
                for j in 0..i {
                    e[j] -= half * d[j];
                }
                for j in 0..i {
                    let (f, g) = (d[j], e[j]);
                    for k in j..i {
                        v[at(k, j)] -= f * e[k] + g * d[k];
                    }
                    d[j] = v[at(i - 1, j)];
                    v[at(i, j)] = 0.0;
                }
            }
            d[i] = h;
        }
        self.gather_reflections();
    }

    /// Forms the product of all reflections in place of their vectors.
    fn gather_reflections(&mut self) {
        let n = self.n;
        let (v, d, e) = (&mut self.columns, &mut self.values, &mut self.beside);
        let at = |row: usize, column: usize| column * n + row;
        for i in 0..n - 1 {
            v[at(n - 1, i)] = v[at(i, i)];
            v[at(i, i)] = 1.0;
            let h = d[i + 1];
            let (before, after) = v.split_at_mut(at(0, i + 1));
            let reflector = &mut after[..=i];
            if h != 0.0 {
                for (d, r) in d.iter_mut().zip(reflector.iter()) {
                    *d = r / h;
                }
                for column in before.chunks_exact_mut(n) {
                    let column = &mut column[..=i];
                    let g: f64 = reflector.iter().zip(&*column).map(|(r, c)| r * c).sum();
                    for (c, d) in column.iter_mut().zip(&*d) {
                        *c -= g * d;
                    }
                }
            }
            reflector.fill(0.0);
        }
        for j in 0..n {
            d[j] = v[at(n - 1, j)];
            v[at(n - 1, j)] = 0.0;
        }
        v[at(n - 1, n - 1)] = 1.0;
        e[0] = 0.0;
    }

    fn make_diagonal(&mut self) -> Option<()> {
        let n = self.n;
        let (v, d, e) = (&mut self.columns, &mut self.values, &mut self.beside);
        e.rotate_left(1);
        let (mut shift, mut size) = (0.0, 0.0f64);
        for l in 0..n {
            size = size.max(d[l].abs() + e[l].abs());
            let small = |e: f64| e.abs() <= f64::EPSILON * size;
            // The last entry is zero.
            let m = (l..n).find(|&m| small(e[m]))?;
            let mut steps = 0;
            while m > l && (steps == 0 || !small(e[l])) {
                steps += 1;
                if steps > MAX_QL_ITERATIONS {
                    return None;
                }
                let g = d[l];
                let p = (d[l + 1] - g) / (2.0 * e[l]);
                let r = hypotenuse(p, 1.0);
                let r = if p < 0.0 { -r } else { r };
                d[l] = e[l] / (p + r);
                d[l + 1] = e[l] * (p + r);
                let below = d[l + 1];
                let h = g - d[l];
                for d in &mut d[(l + 2).min(n)..] {
                    *d -= h;
                }
                shift += h;
                let mut p = d[m];
                let (mut c, mut c2, mut c3) = (1.0, 1.0, 1.0);
                let (mut s, mut s2) = (0.0, 0.0);
                let beside = e[l + 1];
                for i in (l..m).rev() {
                    (c3, c2, s2) = (c2, c, s);
                    let (g, h) = (c * e[i], c * p);
                    let r = hypotenuse(p, e[i]);
                    e[i + 1] = s * r;
                    (s, c) = (e[i] / r, p / r);
                    p = c * d[i] - s * g;
                    d[i + 1] = h + s * (c * g + s * d[i]);
                    let (left, right) = v.split_at_mut((i + 1) * n);
                    for (a, b) in left[i * n..].iter_mut().zip(&mut right[..n]) {
                        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
                    }
                }
                let p = -s * s2 * c3 * beside * e[l] / below;
                e[l] = s * p;
                d[l] = c * p;
            }
            d[l] += shift;
            e[l] = 0.0;
        }
        d.iter().all(|d| d.is_finite()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symmetric matrix of this rank with some equal eigenvalues.
    fn matrix(n: usize, rank: usize) -> Vec<f64> {
        let mut m = vec![0.0; n * n];
        for k in 0..rank {
            let row: Vec<f64> = (0..n)
                .map(|i| ((i * 37 + k * 101 + i * i * k) % 29) as f64 / 14.0 - 1.0)
                .collect();
            for i in 0..n {
                for j in 0..n {
                    m[i * n + j] += row[i] * row[j];
                }
            }
        }
        m
    }

    #[test]
    fn values_and_vectors_give_the_matrix_back() {
        for (n, rank) in [(1, 1), (2, 1), (3, 3), (8, 2), (40, 17), (120, 120)] {
            let m = matrix(n, rank);
            let eigen = Eigen::of(n, m.clone()).expect("an end");
            let size = m.iter().fold(1.0f64, |s, m| s.max(m.abs()));
            for i in 0..n {
                for j in 0..n {
                    let back: f64 = (0..n)
                        .map(|k| eigen.values[k] * eigen.vector(k)[i] * eigen.vector(k)[j])
                        .sum();
                    let off = (back - m[i * n + j]).abs();
                    assert!(off < 1e-12 * n as f64 * size, "{n}: {off}");
                    let dot: f64 = (0..n)
                        .map(|k| eigen.vector(i)[k] * eigen.vector(j)[k])
                        .sum();
                    let one = if i == j { 1.0 } else { 0.0 };
                    assert!((dot - one).abs() < 1e-12 * n as f64);
                }
            }
        }
    }

    #[test]
    fn the_iteration_ends_for_diagonal_matrices_and_nan() {
        let eigen = Eigen::of(3, vec![2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0]);
        let mut values = eigen.expect("an end").values;
        values.sort_by(f64::total_cmp);
        assert_eq!(values, [1.0, 2.0, 2.0]);
        assert!(Eigen::of(2, vec![f64::NAN; 4]).is_none());
        assert!(Eigen::of(0, Vec::new()).is_some());
    }
}
