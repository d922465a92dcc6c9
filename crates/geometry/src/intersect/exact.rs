//! Exact triangle-triangle intersection by the signs of determinants.

use conatus_math::DVec3;
use robust::{Coord, Coord3D};

/// Whether two triangles of one mesh intersect beyond what they share.
pub(super) fn intersect(vertices: &[DVec3], [s, t]: [[u32; 3]; 2]) -> bool {
    let at = |t: [u32; 3]| t.map(|i| vertices[i as usize]);
    let (p, q) = (at(s), at(t));
    let shared = |of: [u32; 3], with: [u32; 3]| of.map(|i| with.contains(&i));
    let (in_s, in_t) = (shared(s, t), shared(t, s));
    match in_s.iter().filter(|&&yes| yes).count() {
        0 => apart_meet(&p, &q),
        1 => {
            // Both are convex and contain the common vertex, so any other
            // common point implies that an edge opposite to it meets the other
            // triangle.
            let opposite = |x: &[DVec3; 3], shared: [bool; 3]| {
                let i = shared.iter().position(|&yes| yes).unwrap_or(0);
                [x[(i + 1) % 3], x[(i + 2) % 3]]
            };
            edge_meets(opposite(&p, in_s), &q) || edge_meets(opposite(&q, in_t), &p)
        }
        2 => {
            let alone = |x: &[DVec3; 3], shared: [bool; 3]| {
                let i = shared.iter().position(|&yes| !yes).unwrap_or(0);
                [x[(i + 1) % 3], x[(i + 2) % 3], x[i]]
            };
            let [u, v, c] = alone(&p, in_s);
            folded_flat(u, v, c, alone(&q, in_t)[2])
        }
        _ => true,
    }
}

/// Two triangles without a common vertex intersect if and only if an edge of
/// one meets the other.
fn apart_meet(p: &[DVec3; 3], q: &[DVec3; 3]) -> bool {
    // Most candidates end here: one triangle lies entirely on one side of the
    // other.
    let one_side = |of: &[DVec3; 3], plane: &[DVec3; 3]| {
        let [a, b, c] = of.map(|x| side(plane, x));
        a != 0 && a == b && b == c
    };
    if one_side(p, q) || one_side(q, p) {
        return false;
    }
    let edges = |x: &[DVec3; 3]| [[x[0], x[1]], [x[1], x[2]], [x[2], x[0]]];
    edges(p).iter().any(|e| edge_meets(*e, q)) || edges(q).iter().any(|e| edge_meets(*e, p))
}

/// Whether triangles u, v, c and u, v, d lie in one plane, on the same side of
/// the edge that they share.
fn folded_flat(u: DVec3, v: DVec3, c: DVec3, d: DVec3) -> bool {
    if side(&[u, v, c], d) != 0 {
        return false;
    }
    (0..3).any(|drop| {
        let turn = |w| turn(u, v, w, drop);
        turn(c) * turn(d) > 0
    })
}

/// Whether the segment `edge` and the triangle have a point in common. A
/// triangle without area has none: its own edges are tested instead.
fn edge_meets(edge: [DVec3; 2], triangle: &[DVec3; 3]) -> bool {
    let [p, q] = edge;
    let [a, b, c] = *triangle;
    let (at_p, at_q) = (side(triangle, p), side(triangle, q));
    if at_p * at_q > 0 {
        return false;
    }
    if at_p == 0 && at_q == 0 {
        return (0..3)
            .find(|&drop| turn(a, b, c, drop) != 0)
            .is_some_and(|drop| edge_meets_flat(edge, triangle, drop));
    }
    // The line crosses the plane in one point, which is inside if the line
    // passes all edges on the same side.
    let passes = [[a, b], [b, c], [c, a]].map(|[s, t]| side(&[p, q, s], t));
    passes.iter().all(|&s| s >= 0) || passes.iter().all(|&s| s <= 0)
}

/// The same for coplanar primitives, projected along the axis `drop`.
fn edge_meets_flat([p, q]: [DVec3; 2], [a, b, c]: &[DVec3; 3], drop: usize) -> bool {
    let sides = [[*a, *b], [*b, *c], [*c, *a]];
    let inside = |x: DVec3| {
        let turns = sides.map(|[s, t]| turn(s, t, x, drop));
        turns.iter().all(|&s| s >= 0) || turns.iter().all(|&s| s <= 0)
    };
    inside(p)
        || inside(q)
        || sides.iter().any(|&[s, t]| {
            // With both ends outside, the segment crosses an edge or misses.
            turn(p, q, s, drop) * turn(p, q, t, drop) <= 0
                && turn(s, t, p, drop) * turn(s, t, q, drop) < 0
        })
}

/// The side of the plane through three points that x lies on: -1, 0 or 1,
/// exact.
fn side([a, b, c]: &[DVec3; 3], x: DVec3) -> i32 {
    let coord = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    sign(robust::orient3d(coord(*a), coord(*b), coord(*c), coord(x)))
}

/// The orientation of a, b, c projected along the axis `drop`: left (1), right
/// (-1) or collinear (0), exact.
fn turn(a: DVec3, b: DVec3, c: DVec3, drop: usize) -> i32 {
    let coord = |p: DVec3| Coord {
        x: p[(drop + 1) % 3],
        y: p[(drop + 2) % 3],
    };
    sign(robust::orient2d(coord(a), coord(b), coord(c)))
}

fn sign(x: f64) -> i32 {
    i32::from(x > 0.0) - i32::from(x < 0.0)
}
