use super::*;
use proptest::prelude::*;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// How many points belong to the first primitive.
type Kind = (usize, fn(&[DVec3; 4]) -> Closest);
const VERTEX_TRIANGLE: Kind = (3, vertex_triangle);
const EDGE_EDGE: Kind = (2, edge_edge);

fn size(x: &[DVec3; 4]) -> f64 {
    x.iter().map(|p| (*p - x[3]).length()).fold(0.0, f64::max)
}

/// Checks the signs and sums of the weights, and the vector that they give.
fn is_consistent((first, closest): Kind, x: &[DVec3; 4]) -> Closest {
    let c = closest(x);
    let (a, b) = c.weights.split_at(first);
    assert!(a.iter().all(|w| (-1.0..=0.0).contains(w)), "{c:?}");
    assert!(b.iter().all(|w| (0.0..=1.0).contains(w)), "{c:?}");
    assert!((a.iter().sum::<f64>() + 1.0).abs() < 1e-15);
    assert!((b.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    // The weights sum to zero, so the origin is arbitrary.
    let sum: DVec3 = (0..4).map(|i| (x[i] - x[3]) * c.weights[i]).sum();
    assert!((sum - c.vector).length() <= 1e-15 * size(x), "{x:?} {c:?}");
    assert_eq!(c.squared, c.vector.length_squared());
    c
}

/// Slow reference: the squared distance is convex in the weights, and so is its
/// minimum over one of them, so nested section searches find it.
fn least(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    let mut best = f(0.0).min(f(1.0));
    for _ in 0..90 {
        let (p, q) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (fp, fq) = (f(p), f(q));
        best = best.min(fp).min(fq);
        if fp < fq { high = q } else { low = p }
    }
    best
}

fn slow((first, _): Kind, x: &[DVec3; 4]) -> f64 {
    let y = x.map(|p| p - x[3]);
    least(|s| {
        least(|t| {
            let between = if first == 3 {
                y[0] + (y[1] - y[0]) * s + (y[2] - y[0]) * ((1.0 - s) * t)
            } else {
                y[0].lerp(y[1], s) - y[2].lerp(y[3], t)
            };
            between.length_squared()
        })
    })
    .sqrt()
}

/// Whether the closest vector proves, as a separating axis, that no points are
/// nearer; `slack` is a length.
fn is_proven((first, _): Kind, x: &[DVec3; 4], c: &Closest, slack: f64) {
    let n = c.vector / c.distance();
    for a in &x[..first] {
        for b in &x[first..] {
            assert!((*b - *a).dot(n) >= c.distance() - slack, "{x:?} {c:?}");
        }
    }
}

/// Integers make degenerate cases likely: equal points, parallel edges.
fn coarse() -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-3i32..=3))
        .prop_map(|x| x.map(|p| DVec3::from_array(p.map(f64::from))))
}

fn fine() -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64))
        .prop_map(|x| x.map(DVec3::from_array))
}

/// Slivers and nearly parallel edges: points near one line.
fn thin() -> impl Strategy<Value = [DVec3; 4]> {
    (fine(), fine(), -15..0i32).prop_map(|(x, noise, power)| {
        let direction = x[0];
        std::array::from_fn(|i| {
            let along = direction * noise[i].x + if i == 3 { noise[3] } else { DVec3::ZERO };
            along + x[i] * 10f64.powi(power)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6 * ProptestConfig::default().cases))]

    #[test]
    fn no_points_are_nearer_than_the_closest(x in prop_oneof![coarse(), fine(), thin()]) {
        for kind in [VERTEX_TRIANGLE, EDGE_EDGE] {
            let c = is_consistent(kind, &x);
            let expected = slow(kind, &x);
            // The reference works on squares, so near zero it has half the
            // digits.
            let tolerance = 1e-7 * size(&x);
            prop_assert!((c.distance() - expected).abs() <= tolerance, "{} {expected}", c.distance());
            if c.distance() > 0.01 * size(&x) {
                is_proven(kind, &x, &c, 1e-12 * size(&x));
            }
        }
    }

    #[test]
    fn large_coordinates_cost_no_digits(x in coarse(), place in prop::array::uniform3(-1i64 << 45..1 << 45)) {
        let place = DVec3::from_array(place.map(|p| p as f64));
        for kind in [VERTEX_TRIANGLE, EDGE_EDGE] {
            prop_assert_eq!(kind.1(&x), kind.1(&x.map(|p| p + place)));
        }
    }

    #[test]
    fn swapping_corners_changes_no_distance(x in prop_oneof![coarse(), fine(), thin()]) {
        let tolerance = 4e-15 * size(&x);
        let same = |a: Closest, b: Closest| (a.distance() - b.distance()).abs() <= tolerance;
        let d = vertex_triangle(&x);
        prop_assert!(same(d, vertex_triangle(&[x[1], x[2], x[0], x[3]])));
        prop_assert!(same(d, vertex_triangle(&[x[1], x[0], x[2], x[3]])));
        let d = edge_edge(&x);
        prop_assert!(same(d, edge_edge(&[x[1], x[0], x[2], x[3]])));
        prop_assert!(same(d, edge_edge(&[x[2], x[3], x[1], x[0]])));
    }

    /// A sliver, or two almost parallel edges, in a plane rotated by integers:
    /// (2, 1, 2), (-2, 2, 1) and (1, 2, -2) are orthogonal and 3 long, so
    /// distances are known exactly.
    #[test]
    fn slivers_and_almost_parallel_edges_are_as_exact_as_others(
        thin in 0..45u32, near in 0..45u32, s in 0.01..0.99f64, t in 0.01..0.99f64,
    ) {
        let long = 2f64.powi(45);
        let (high, apart) = (2f64.powi(thin as i32), 2f64.powi(near as i32));
        let turn = |x: f64, y: f64, z: f64| {
            v(2.0, 1.0, 2.0) * x + v(-2.0, 2.0, 1.0) * y + v(1.0, 2.0, -2.0) * z
        };
        let close = |c: Closest| (c.distance() - 3.0 * apart).abs() <= 20.0 * f64::EPSILON * long;

        // Above the point with weights given by s, t.
        let (p, q) = (t * (1.0 - s), t * s);
        let (px, py) = ((p * long).round(), (q * high).round());
        let inside = px >= 0.0 && py >= 0.0 && px / long + py / high <= 1.0;
        let x = [turn(0.0, 0.0, 0.0), turn(long, 0.0, 0.0), turn(0.0, high, 0.0), turn(px, py, apart)];
        if inside {
            for x in [x, [x[1], x[2], x[0], x[3]], [x[2], x[1], x[0], x[3]]] {
                prop_assert!(close(vertex_triangle(&x)), "{} {}", vertex_triangle(&x).distance(), 3.0 * apart);
            }
        }
        // They cross at the middle of both, seen from above.
        let x = [turn(-long, -high, 0.0), turn(long, high, 0.0), turn(-long, high, apart), turn(long, -high, apart)];
        prop_assert!(close(edge_edge(&x)), "{} {}", edge_edge(&x).distance(), 3.0 * apart);
    }
}

#[test]
fn a_vertex_above_the_middle_is_nearest_to_the_inside() {
    let x = [
        v(0.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, 3.0, 0.0),
        v(1.0, 1.0, 2.0),
    ];
    let c = is_consistent(VERTEX_TRIANGLE, &x);
    assert_eq!(c.vector, v(0.0, 0.0, 2.0));
    let third = 1.0 / 3.0;
    for i in 0..3 {
        assert!((c.weights[i] + third).abs() < 1e-15);
    }
}

#[test]
fn a_vertex_outside_is_nearest_to_an_edge_or_a_corner() {
    let [a, b, c] = [v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)];
    for (p, weights, vector) in [
        (
            v(1.0, -2.0, 1.0),
            [-0.75, -0.25, 0.0, 1.0],
            v(0.0, -2.0, 1.0),
        ),
        (
            v(-1.0, 1.0, 0.0),
            [-0.75, 0.0, -0.25, 1.0],
            v(-1.0, 0.0, 0.0),
        ),
        (v(3.0, 3.0, 0.0), [0.0, -0.5, -0.5, 1.0], v(1.0, 1.0, 0.0)),
        (
            v(-1.0, -1.0, 1.0),
            [-1.0, 0.0, 0.0, 1.0],
            v(-1.0, -1.0, 1.0),
        ),
        (v(6.0, -1.0, 0.0), [0.0, -1.0, 0.0, 1.0], v(2.0, -1.0, 0.0)),
        (v(-1.0, 7.0, 0.0), [0.0, 0.0, -1.0, 1.0], v(-1.0, 3.0, 0.0)),
    ] {
        let found = is_consistent(VERTEX_TRIANGLE, &[a, b, c, p]);
        assert_eq!((found.weights, found.vector), (weights, vector), "{p}");
    }
}

#[test]
fn a_triangle_without_area_is_a_segment_or_a_point() {
    let p = v(1.0, 2.0, 0.0);
    let x = [v(0.0, 0.0, 0.0), v(3.0, 0.0, 0.0), v(2.0, 0.0, 0.0), p];
    assert_eq!(is_consistent(VERTEX_TRIANGLE, &x).vector, v(0.0, 2.0, 0.0));
    let x = [DVec3::ONE, DVec3::ONE, DVec3::ONE, p];
    assert_eq!(is_consistent(VERTEX_TRIANGLE, &x).vector, v(0.0, 1.0, -1.0));
    assert_eq!(vertex_triangle(&[p; 4]).squared, 0.0);
}

#[test]
fn crossing_edges_are_nearest_where_they_cross() {
    let x = [
        v(-1.0, 0.0, 0.0),
        v(3.0, 0.0, 0.0),
        v(0.0, -1.0, 2.0),
        v(0.0, 1.0, 2.0),
    ];
    let c = is_consistent(EDGE_EDGE, &x);
    assert_eq!(c.weights, [-0.75, -0.25, 0.5, 0.5]);
    assert_eq!(c.vector, v(0.0, 0.0, 2.0));
}

#[test]
fn parallel_edges_and_points_have_their_distance() {
    let o = DVec3::ZERO;
    for (x, distance) in [
        // Side by side, one after the other, and on one line.
        (
            [o, v(4.0, 0.0, 0.0), v(1.0, 3.0, 0.0), v(9.0, 3.0, 0.0)],
            3.0,
        ),
        (
            [o, v(4.0, 0.0, 0.0), v(9.0, 3.0, 0.0), v(1.0, 3.0, 0.0)],
            3.0,
        ),
        (
            [o, v(1.0, 0.0, 0.0), v(4.0, 4.0, 0.0), v(9.0, 4.0, 0.0)],
            5.0,
        ),
        (
            [o, v(1.0, 0.0, 0.0), v(9.0, 4.0, 0.0), v(4.0, 4.0, 0.0)],
            5.0,
        ),
        (
            [o, v(1.0, 0.0, 0.0), v(3.0, 0.0, 0.0), v(2.0, 0.0, 0.0)],
            1.0,
        ),
        (
            [o, v(2.0, 0.0, 0.0), v(3.0, 0.0, 0.0), v(1.0, 0.0, 0.0)],
            0.0,
        ),
        // One point, and two.
        ([o, o, v(-1.0, 2.0, 0.0), v(1.0, 2.0, 0.0)], 2.0),
        ([v(-1.0, 2.0, 0.0), v(1.0, 2.0, 0.0), o, o], 2.0),
        ([o, o, v(3.0, 4.0, 0.0), v(3.0, 4.0, 0.0)], 5.0),
        ([o, o, o, o], 0.0),
    ] {
        assert_eq!(is_consistent(EDGE_EDGE, &x).distance(), distance, "{x:?}");
    }
}
