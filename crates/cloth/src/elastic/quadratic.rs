//! Bending of sheets that are flat at rest: an energy that is quadratic in the
//! positions as long as the sheet does not stretch (Bergou, Wardetzky, Harmon,
//! Zorin and Grinspun 2006, "A quadratic bending model for inextensible
//! surfaces").
//!
//! For an edge with ends a, b and tips c, d, the vector y = Σ kᵢ xᵢ with the
//! cotangents below is |e| times the sum of the two unit vectors perpendicular
//! to the edge in the planes of its triangles. Its length is 2 |e| sin(θ/2), or
//! |e| θ when θ is small, and it is zero when the four points are any linear
//! image of their flat rest shape. E = ½ D |y|²/(A₁ + A₂): one third of the
//! paper's weight, for the reason given in [`super::hinge`].

use conatus_math::DVec3;

/// The coefficients kᵢ for ends a, b and tips c, d of a flat rest shape, in
/// this order, times 1/√(A₁ + A₂), so that E = ½ D |Σ kᵢ xᵢ|².
pub(crate) fn coefficients([a, b, c, d]: [DVec3; 4]) -> [f64; 4] {
    let cot = |p: DVec3, q: DVec3| p.dot(q) / p.cross(q).length();
    let e = b - a;
    // Angles at the ends a and b, in the triangles of c and of d.
    let (at_a_c, at_a_d) = (cot(e, c - a), cot(e, d - a));
    let (at_b_c, at_b_d) = (cot(-e, c - b), cot(-e, d - b));
    let area = 0.5 * (e.cross(c - a).length() + e.cross(d - a).length());
    let scale = 1.0 / area.sqrt();
    [
        (at_b_c + at_b_d) * scale,
        (at_a_c + at_a_d) * scale,
        -(at_a_c + at_b_c) * scale,
        -(at_a_d + at_b_d) * scale,
    ]
}
