//! Closest points of a vertex and a triangle.

use super::{Closest, fraction, inverse};
use conatus_math::DVec3;

/// The nearest points of the triangle `x[0]`, `x[1]`, `x[2]` and the vertex
/// `x[3]`. A triangle without area is treated as its edges.
///
/// First comes the nearest point q of the three edges, with the remainder f
/// from q to the vertex; it is well conditioned for a triangle of any shape.
/// Seen along the triangle's plane the vertex lies inside if and only if q is
/// no corner and f points to the inner side of q's edge e. Then f ⟂ e, and the
/// weight of the corner opposite to e is
///
///   λ = n·(e × f)/n²,  n = (x₁ − x₀) × (x₂ − x₀).
///
/// The foot of that corner lies at the fraction τ of e, so moving inwards by λ
/// moves the point on e from t to t − λτ. Starting from f, and not from the
/// whole stencil, is what keeps slivers exact: the direction of n is uncertain
/// by ε·L/h in a triangle of length L and height h, and is applied to nothing
/// longer than f.
#[inline]
pub fn vertex_triangle(x: &[DVec3; 4]) -> Closest {
    let (a, b, c) = (x[1] - x[0], x[2] - x[1], x[0] - x[2]);
    let n = c.cross(a);
    // The edge, the vector from its first corner to the third, and its index.
    let first = Side::new(a, -c, x[3] - x[0], 0);
    let second = Side::new(b, -a, x[3] - x[1], 1);
    let third = Side::new(c, -b, x[3] - x[2], 2);
    let side = if second.squared < first.squared {
        second
    } else {
        first
    };
    let side = if third.squared < side.squared {
        third
    } else {
        side
    };

    let (mut along, mut lambda) = (side.t, 0.0);
    let (mut vector, mut squared) = (side.rest, side.squared);
    let l = n.dot(side.edge.cross(side.rest)) * inverse(n.length_squared());
    if l > 0.0 && l <= 1.0 && side.t > 0.0 && side.t < 1.0 {
        let tau = side.inwards.dot(side.edge) * side.inverse;
        let t = (side.t - l * tau).max(0.0).min(1.0 - l);
        let inside = side.to_vertex - side.edge * t - side.inwards * l;
        // False only where the area is rounding error.
        if inside.length_squared() <= squared {
            (along, lambda) = (t, l);
            (vector, squared) = (inside, inside.length_squared());
        }
    }
    let begin = 1.0 - lambda - along;
    let [p, q, r] = match side.place {
        0 => [begin, along, lambda],
        1 => [lambda, begin, along],
        _ => [along, lambda, begin],
    };
    Closest {
        weights: [-p, -q, -r, 1.0],
        vector,
        squared,
    }
}

/// An edge with its point nearest to the vertex.
#[derive(Clone, Copy)]
struct Side {
    edge: DVec3,
    inwards: DVec3,
    to_vertex: DVec3,
    place: u32,
    inverse: f64,
    t: f64,
    rest: DVec3,
    squared: f64,
}

impl Side {
    #[inline(always)]
    fn new(edge: DVec3, inwards: DVec3, to_vertex: DVec3, place: u32) -> Self {
        let inverse = inverse(edge.length_squared());
        let t = fraction(to_vertex, edge, inverse);
        let rest = to_vertex - edge * t;
        Self {
            edge,
            inwards,
            to_vertex,
            place,
            inverse,
            t,
            rest,
            squared: rest.length_squared(),
        }
    }
}
