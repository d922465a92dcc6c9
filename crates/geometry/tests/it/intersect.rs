//! The exact intersection check against all pairs, tested by separating axes in
//! integers.

use conatus_geometry::intersect::{intersecting_pairs, reaches_half_space};
use conatus_geometry::{HalfSpace, Mesh, icosphere};
use conatus_math::DVec3;
use proptest::prelude::*;

type Vector = [i64; 3];

fn sub(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

fn dot(a: Vector, b: Vector) -> i64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Whether two convex sets of corners (points, segments, triangles) have a
/// common point: no axis among the cross products of their edges, nor at right
/// angles to one of these and an edge, separates them strictly.
fn meet(p: &[Vector], q: &[Vector]) -> bool {
    let mut edges = vec![sub(q[0], p[0])];
    for x in [p, q] {
        for (i, a) in x.iter().enumerate() {
            edges.extend(x[..i].iter().map(|b| sub(*a, *b)));
        }
    }
    let mut axes = edges.clone();
    for (i, e) in edges.iter().enumerate() {
        for f in &edges[..i] {
            let n = cross(*e, *f);
            axes.push(n);
            axes.extend(edges.iter().map(|g| cross(n, *g)));
        }
    }
    !axes.iter().any(|n| {
        let range = |x: &[Vector]| {
            let along = || x.iter().map(|a| dot(*n, *a));
            (along().min().unwrap(), along().max().unwrap())
        };
        let ((a, b), (c, d)) = (range(p), range(q));
        b < c || d < a
    })
}

/// The definition in the documentation, literally.
fn intersect(vertices: &[Vector], s: [u32; 3], t: [u32; 3]) -> bool {
    let at = |x: &[u32]| -> Vec<Vector> { x.iter().map(|&i| vertices[i as usize]).collect() };
    let without = |x: [u32; 3], y: [u32; 3]| -> Vec<u32> {
        x.into_iter().filter(|i| !y.contains(i)).collect()
    };
    let (in_s, in_t) = (without(s, t), without(t, s));
    match in_s.len() {
        3 => meet(&at(&s), &at(&t)),
        2 => meet(&at(&in_s), &at(&t)) || meet(&at(&in_t), &at(&s)),
        1 => {
            // Overlapping: the third corners lie on the same side of the edge.
            let common: Vec<u32> = s.into_iter().filter(|i| t.contains(i)).collect();
            let (u, v) = (vertices[common[0] as usize], vertices[common[1] as usize]);
            let normal = |w: u32| cross(sub(v, u), sub(vertices[w as usize], u));
            let (m, n) = (normal(in_s[0]), normal(in_t[0]));
            cross(m, n) == [0; 3] && dot(m, n) > 0
        }
        _ => true,
    }
}

fn all_pairs(vertices: &[Vector], triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for j in 0..triangles.len() {
        for i in 0..j {
            if intersect(vertices, triangles[i], triangles[j]) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

fn float(vertices: &[Vector]) -> Vec<DVec3> {
    let point = |p: &Vector| DVec3::from_array(p.map(|c| c as f64));
    vertices.iter().map(point).collect()
}

/// Triangles with area, often with common vertices, on a coarse grid where
/// touching and common planes are the rule.
fn soup(most: i64) -> impl Strategy<Value = (Vec<Vector>, Vec<[u32; 3]>)> {
    let vertices = prop::collection::vec(prop::array::uniform3(-most..=most), 3..14);
    let corners = prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..10);
    (vertices, corners).prop_map(|(vertices, corners)| {
        let triangles = corners
            .into_iter()
            .map(|t| t.map(|i| i.index(vertices.len()) as u32))
            .filter(|t| {
                let [a, b, c] = t.map(|i| vertices[i as usize]);
                cross(sub(b, a), sub(c, a)) != [0; 3]
            })
            .collect();
        (vertices, triangles)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    #[test]
    fn the_check_agrees_with_separating_axes_in_integers(
        (vertices, triangles) in prop_oneof![soup(2), soup(4), soup(300)],
    ) {
        let found = intersecting_pairs(&float(&vertices), &triangles, usize::MAX, |_, _| false);
        prop_assert_eq!(found, all_pairs(&vertices, &triangles));
    }

    #[test]
    fn skipped_pairs_are_left_out_and_the_limit_holds((vertices, triangles) in soup(2), limit in 0usize..5) {
        let all = all_pairs(&vertices, &triangles);
        let odd = |i: u32, j: u32| (i + j) % 2 == 1;
        let found = intersecting_pairs(&float(&vertices), &triangles, usize::MAX, odd);
        let expected: Vec<_> = all.iter().copied().filter(|&(i, j)| !odd(i, j)).collect();
        prop_assert_eq!(found, expected);
        let found = intersecting_pairs(&float(&vertices), &triangles, limit, |_, _| false);
        prop_assert_eq!(found.len(), limit.min(all.len()));
        prop_assert!(found.iter().all(|pair| all.contains(pair)));
    }
}

fn pairs(mesh: &Mesh) -> Vec<(u32, u32)> {
    intersecting_pairs(&mesh.vertices, &mesh.triangles, usize::MAX, |_, _| false)
}

#[test]
fn a_ball_does_not_intersect_itself_and_two_balls_do_where_they_overlap() {
    let ball = icosphere(3);
    assert_eq!(pairs(&ball), []);
    let moved = |by: f64| {
        let mut both = ball.clone();
        let mut other = ball.clone();
        other.vertices.iter_mut().for_each(|v| v.x += by);
        both.append(&other);
        pairs(&both)
    };
    assert_eq!(moved(2.1), []);
    assert!(moved(1.0).len() > 100);
    // The vertices on the axis are exactly at 1 and at -1 + 2.
    assert!(!moved(2.0).is_empty());
    assert_eq!(moved(2.0 + 1e-15), []);
}

#[test]
fn one_rounding_decides_between_touching_and_apart() {
    let triangles = [[0, 1, 2], [3, 4, 5]];
    let at = |z: f64| {
        let vertices = [
            DVec3::new(0.1, 0.1, 0.3),
            DVec3::new(1.1, 0.2, 0.3),
            DVec3::new(0.3, 1.7, 0.3),
            DVec3::new(0.5, 0.5, z),
            DVec3::new(0.6, 0.5, 1.0),
            DVec3::new(0.5, 0.6, 1.0),
        ];
        intersecting_pairs(&vertices, &triangles, 9, |_, _| false).len()
    };
    assert_eq!(at(0.3), 1);
    assert_eq!(at(0.3f64.next_up()), 0);
    assert_eq!(at(0.3f64.next_down()), 1);
}

#[test]
fn a_sheet_folded_flat_intersects_and_one_folded_nearly_does_not() {
    let fold = |z: f64| {
        let x = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let vertices = [x(0., 0., 0.), x(0., 1., 0.), x(1., 0., 0.), x(0.9, 0.3, z)];
        intersecting_pairs(&vertices, &[[0, 1, 2], [1, 0, 3]], 9, |_, _| false).len()
    };
    assert_eq!(fold(0.0), 1);
    assert_eq!(fold(1e-300), 0);
}

#[test]
fn triangles_below_a_plane_are_counted_once() {
    let ball = icosphere(2);
    let below = |mesh: &Mesh, z: f64| {
        let half_space = HalfSpace::through(DVec3::Z * z, DVec3::Z);
        reaches_half_space(&mesh.vertices, &mesh.triangles, &half_space)
    };
    let count = |z: f64| below(&ball, z);
    assert_eq!(count(-1.0), 0);
    assert_eq!(count(2.0), ball.triangles.len());
    let half = count(0.0);
    assert!(half > ball.triangles.len() / 2 && half < ball.triangles.len());
    let mut broken = ball.clone();
    broken.vertices[0].x = f64::NAN;
    assert!(below(&broken, -1.0) > 0);
}
