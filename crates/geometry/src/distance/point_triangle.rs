//! A vertex and a triangle.

use super::{Closest, fraction, inverse};
use conatus_math::DVec3;

/// The nearest points of the triangle `x[0]`, `x[1]`, `x[2]` and the vertex
/// `x[3]`. A triangle without area is what its edges are.
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
    let edges = [x[1] - x[0], x[2] - x[1], x[0] - x[2]];
    let to_vertex = [x[3] - x[0], x[3] - x[1], x[3] - x[2]];
    let inverses = edges.map(|e| inverse(e.length_squared()));
    let t: [f64; 3] = std::array::from_fn(|i| fraction(to_vertex[i], edges[i], inverses[i]));
    let rest: [DVec3; 3] = std::array::from_fn(|i| to_vertex[i] - edges[i] * t[i]);
    let squared = rest.map(DVec3::length_squared);

    let mut i = usize::from(squared[1] < squared[0]);
    if squared[2] < squared[i] {
        i = 2;
    }
    let (next, opposite) = ([1, 2, 0][i], [2, 0, 1][i]);
    let mut weights = [0.0, 0.0, 0.0, 1.0];

    let n = edges[2].cross(edges[0]);
    let lambda = n.dot(edges[i].cross(rest[i])) * inverse(n.length_squared());
    if lambda > 0.0 && lambda <= 1.0 && t[i] > 0.0 && t[i] < 1.0 {
        let inwards = -edges[opposite];
        let tau = inwards.dot(edges[i]) * inverses[i];
        let along = (t[i] - lambda * tau).max(0.0).min(1.0 - lambda);
        let vector = to_vertex[i] - edges[i] * along - inwards * lambda;
        let inside = vector.length_squared();
        // Not so only where the area is nothing but rounding.
        if inside <= squared[i] {
            weights[i] = -(1.0 - lambda - along);
            weights[next] = -along;
            weights[opposite] = -lambda;
            return Closest {
                weights,
                vector,
                squared: inside,
            };
        }
    }
    weights[i] = -(1.0 - t[i]);
    weights[next] = -t[i];
    weights[opposite] = 0.0;
    Closest {
        weights,
        vector: rest[i],
        squared: squared[i],
    }
}
