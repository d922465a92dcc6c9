//! Triangulation of a polygon in space.

use conatus_math::DVec3;

/// Maximum number of corners for ear clipping, whose time grows at least with
/// their square; larger polygons become a fan.
const MAX_EAR_CLIPPING_CORNERS: usize = 4096;
/// Maximum number of ear tests per corner of the polygon, which bounds the time
/// for malicious files.
const MAX_EAR_TESTS_PER_CORNER: usize = 64;

/// Adds n - 2 triangles for a polygon of n ≥ 3 corners, with the same
/// orientation.
///
/// A convex polygon becomes a fan around its first corner; another simple,
/// planar polygon is cut by ear clipping. Any other polygon still gives n - 2
/// triangles with its corners, but they may overlap.
pub(super) fn triangulate(vertices: &[DVec3], polygon: &[u32], out: &mut Vec<[u32; 3]>) {
    let points: Option<Vec<DVec3>> = polygon
        .iter()
        .map(|&i| vertices.get(i as usize).copied())
        .collect();
    match points {
        Some(points) if polygon.len() > 3 && polygon.len() <= MAX_EAR_CLIPPING_CORNERS => {
            let flat = flatten(&points);
            if is_convex(&flat) {
                fan(polygon, out);
            } else {
                clip_ears(&flat, polygon, out);
            }
        }
        _ => fan(polygon, out),
    }
}

fn fan(polygon: &[u32], out: &mut Vec<[u32; 3]>) {
    if let [first, rest @ ..] = polygon {
        out.extend(rest.windows(2).filter_map(|pair| match pair {
            &[a, b] => Some([*first, a, b]),
            _ => None,
        }));
    }
}

/// A point in the plane of the polygon.
type Flat = [f64; 2];

/// Drops the coordinate in which the polygon's normal is largest, and keeps the
/// orientation counter-clockwise. The normal is Newell's: the sum of the cross
/// products of successive corners, here relative to the first, which is twice
/// the polygon's area for any shape.
fn flatten(points: &[DVec3]) -> Vec<Flat> {
    // Scaled to unit size first: the squares of tiny or huge lengths leave the
    // range of a double.
    let origin = points.first().copied().unwrap_or_default();
    let size = points.iter().fold(0.0f64, |m, p| {
        m.max((*p * 0.5 - origin * 0.5).abs().max_element())
    });
    let inverse = if size > 0.0 { 1.0 / size } else { 0.0 };
    let local = |p: &DVec3| (*p * 0.5 - origin * 0.5) * inverse;
    let normal: DVec3 = points
        .windows(2)
        .map(|pair| match pair {
            [a, b] => local(a).cross(local(b)),
            _ => DVec3::ZERO,
        })
        .sum();
    let n = normal.abs();
    points
        .iter()
        .map(local)
        .map(|p| {
            if n.x >= n.y && n.x >= n.z {
                [p.y * normal.x.signum(), p.z]
            } else if n.y >= n.z {
                [p.z * normal.y.signum(), p.x]
            } else {
                [p.x * normal.z.signum(), p.y]
            }
        })
        .collect()
}

/// Twice the signed area of a triangle; positive if it is counter-clockwise.
fn turn(a: Flat, b: Flat, c: Flat) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether no corner is clockwise. Stars that wind twice pass, too; a fan is as
/// good as any other triangulation of them.
fn is_convex(flat: &[Flat]) -> bool {
    let n = flat.len();
    (0..n).all(|i| turn(flat[i], flat[(i + 1) % n], flat[(i + 2) % n]) >= 0.0)
}

/// Clips ears, corners whose triangle contains no other corner, until three
/// corners are left. A simple polygon always has an ear; where none is found
/// the polygon is not simple, and the next corner is clipped regardless so that
/// the loop ends.
fn clip_ears(flat: &[Flat], polygon: &[u32], out: &mut Vec<[u32; 3]>) {
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    let mut at = 0;
    let mut tries = MAX_EAR_TESTS_PER_CORNER * polygon.len();
    while left.len() > 3 {
        let n = left.len();
        let ear = (0..n.min(tries))
            .map(|step| (at + step) % n)
            .find(|&i| {
                tries -= 1;
                is_ear(flat, &left, i)
            })
            .unwrap_or(at % n);
        let [a, b, c] = [left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]];
        out.push([polygon[a], polygon[b], polygon[c]]);
        left.remove(ear);
        // Continuing behind the ear makes triangles less slender than starting
        // over at the same corner.
        at = ear;
    }
    if let [a, b, c] = left[..] {
        out.push([polygon[a], polygon[b], polygon[c]]);
    }
}

fn is_ear(flat: &[Flat], left: &[usize], i: usize) -> bool {
    let n = left.len();
    let [a, b, c] = [left[(i + n - 1) % n], left[i], left[(i + 1) % n]].map(|k| flat[k]);
    if turn(a, b, c) <= 0.0 {
        return false;
    }
    // Corners at the position of a, b or c do not count: polygons with a hole
    // touch themselves along the cut to it.
    left.iter().map(|&k| flat[k]).all(|p| {
        p == a
            || p == b
            || p == c
            || turn(a, b, p) < 0.0
            || turn(b, c, p) < 0.0
            || turn(c, a, p) < 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(points: &[[f64; 2]]) -> (f64, f64, usize) {
        // In a slanted plane, so that no coordinate is constant.
        let (u, v) = (DVec3::new(2.0, 1.0, 0.5), DVec3::new(-0.5, 1.0, 1.5));
        let vertices: Vec<DVec3> = points.iter().map(|p| u * p[0] + v * p[1]).collect();
        let polygon: Vec<u32> = (0..points.len() as u32).collect();
        let mut triangles = Vec::new();
        triangulate(&vertices, &polygon, &mut triangles);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| points[i as usize]);
            0.5 * turn(a, b, c)
        };
        let signed = triangles.iter().map(area).sum();
        let absolute = triangles.iter().map(|t| area(t).abs()).sum();
        (signed, absolute, triangles.len())
    }

    /// The polygon's area by the shoelace formula.
    fn area(points: &[[f64; 2]]) -> f64 {
        let n = points.len();
        let cross = |i: usize| {
            let (p, q) = (points[i], points[(i + 1) % n]);
            0.5 * (p[0] * q[1] - p[1] * q[0])
        };
        (0..n).map(cross).sum()
    }

    fn check(points: &[[f64; 2]]) {
        for turned in [false, true] {
            let mut points = points.to_vec();
            if turned {
                points.reverse();
            }
            for start in 0..points.len() {
                points.rotate_left(start.min(1));
                let (signed, absolute, count) = cut(&points);
                assert_eq!(count, points.len() - 2);
                assert!((signed - area(&points)).abs() < 1e-12);
                // No triangle is inverted, so none overlap.
                assert!((absolute - area(&points).abs()).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_dart_is_cut_inside() {
        check(&[[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]]);
    }

    #[test]
    fn a_comb_is_cut_inside() {
        let mut points = vec![[5.0, -1.0], [5.0, 0.0]];
        for tooth in (0..5).rev() {
            let x = f64::from(tooth);
            points.extend([[x + 0.9, 3.0], [x + 0.5, 0.1]]);
        }
        points.extend([[0.0, 0.2], [0.0, -1.0]]);
        check(&points);
    }

    #[test]
    fn a_star_is_cut_inside() {
        let points: Vec<[f64; 2]> = (0..20)
            .map(|i| {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(i) / 20.0).sin_cos();
                let r = if i % 2 == 0 { 1.0 } else { 0.3 };
                [r * cos, r * sin]
            })
            .collect();
        check(&points);
    }

    #[test]
    fn a_regular_polygon_is_a_fan() {
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        let mut triangles = Vec::new();
        triangulate(&vertices, &[0, 1, 2, 3], &mut triangles);
        assert_eq!(triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn degenerate_polygons_are_triangulated_too() {
        let bow_tie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let point = [[1.0, 1.0]; 7];
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.5, 0.0], [0.5, 0.0]];
        assert_eq!(cut(&bow_tie).2, 2);
        assert_eq!(cut(&point).2, 5);
        assert_eq!(cut(&line).2, 3);
    }

    #[test]
    fn a_polygon_of_huge_numbers_does_not_overflow() {
        let dart = [[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]];
        for size in [1e-300, 1e300] {
            let vertices: Vec<DVec3> = dart
                .iter()
                .map(|p| DVec3::new(p[0], p[1], 1.0) * size)
                .collect();
            let mut triangles = Vec::new();
            triangulate(&vertices, &[0, 1, 2, 3], &mut triangles);
            // The cut must run through the notch, corner 2.
            assert!(triangles.iter().all(|t| t.contains(&2)), "{triangles:?}");
        }
    }
}
