//! Bending energy of an edge: resistance to a change of the angle between its
//! two triangles (Grinspun, Hirani, Desbrun and Schröder 2003, "Discrete
//! shells").
//!
//! E = ½ D |e|²/(A₁ + A₂) (θ − θ₀)², all but θ taken at rest.
//!
//! The paper's weight is three times as large. But when a regular grid is bent
//! to a cylinder of curvature κ along its lines, only the edges across are
//! bent, by θ = κ Δx, and each stands for the area |e| Δx = A₁ + A₂; the sum
//! of ½ D |e|²/(|e| Δx) κ² Δx² over 1/(|e| Δx) edges per area is ½ D κ², the
//! energy of plate theory. With equal-sided triangles the same factor results
//! (Seung and Nelson 1988). So D here is that of plate theory.

use conatus_math::DVec3;

/// An edge between two triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hinge {
    /// The edge's ends and the opposite corners (tips) of the two triangles, in
    /// ascending order.
    pub corners: [u32; 4],
    /// Which of `corners` is: end a, end b, tip c, tip d.
    pub roles: [u8; 4],
    /// Slots of the blocks (0,1), (0,2), (0,3), (1,2), (1,3), (2,3).
    pub slots: [u32; 6],
    /// |e|²/(A₁ + A₂) at rest.
    pub weight: f64,
    /// θ₀, radians.
    pub rest_angle: f64,
    /// Which piece it belongs to.
    pub piece: u32,
}

/// The angle between the triangle (a, b, d) and the plane of (a, b, c); zero
/// when flat, in (−π, π].
pub fn angle([a, b, c, d]: [DVec3; 4]) -> f64 {
    let e = b - a;
    let (n1, n2) = (e.cross(c - a), (d - a).cross(e));
    let length = e.length();
    if length <= 0.0 {
        return 0.0;
    }
    libm::atan2(n1.cross(n2).dot(e) / length, n1.dot(n2))
}

/// Derivative of the angle with respect to the four points.
///
/// Moving a tip along its triangle's unit normal at height n/|e| above the edge
/// changes the angle by the inverse of that height: ∇_c θ = −|e| n₁/|n₁|². The
/// gradients of the ends make the sum and the torque about the edge zero.
pub fn angle_gradient([a, b, c, d]: [DVec3; 4]) -> [DVec3; 4] {
    let e = b - a;
    let (n1, n2) = (e.cross(c - a), (d - a).cross(e));
    let (s1, s2) = (n1.length_squared(), n2.length_squared());
    let ee = e.length_squared();
    if s1.min(s2).min(ee) <= 1e-300 {
        // A degenerate triangle has no angle.
        return [DVec3::ZERO; 4];
    }
    let length = ee.sqrt();
    let gc = n1 * (-length / s1);
    let gd = n2 * (-length / s2);
    let (tc, td) = ((c - a).dot(e) / ee, (d - a).dot(e) / ee);
    let gb = -(gc * tc + gd * td);
    [-(gb + gc + gd), gb, gc, gd]
}

/// Pairs of corners in the order of [`Hinge::slots`].
pub(crate) const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

impl Hinge {
    /// The hinge of ends a, b and tips c, d with these points at rest.
    pub fn new(ends_and_tips: [u32; 4], rest: [DVec3; 4], piece: u32) -> Self {
        let mut corners = ends_and_tips;
        corners.sort_unstable();
        let roles = ends_and_tips.map(|v| corners.iter().position(|c| *c == v).unwrap_or(0) as u8);
        let [a, b, c, d] = rest;
        let e = b - a;
        let areas = 0.5 * (e.cross(c - a).length() + e.cross(d - a).length());
        Self {
            corners,
            roles,
            slots: [0; 6],
            weight: e.length_squared() / areas,
            rest_angle: angle(rest),
            piece,
        }
    }

    /// The pairs of vertices that it couples, in the order of `slots`.
    pub fn pairs(&self) -> [(u32, u32); 6] {
        PAIRS.map(|(i, j)| (self.corners[i], self.corners[j]))
    }

    /// The points in the order end a, end b, tip c, tip d.
    pub fn points(&self, x: &[DVec3]) -> [DVec3; 4] {
        self.roles.map(|r| x[self.corners[r as usize] as usize])
    }

    /// Energy for bending stiffness `bend`.
    pub fn energy(&self, x: &[DVec3], bend: f64) -> f64 {
        let bent = angle(self.points(x)) - self.rest_angle;
        0.5 * bend * self.weight * bent * bent
    }

    /// Gradient of the energy's square root, for corners in ascending order:
    /// force = −`bent`·`gradient`, Gauss-Newton block = gradient gradientᵀ.
    pub fn linearise(&self, x: &[DVec3], bend: f64) -> (f64, [DVec3; 4]) {
        let points = self.points(x);
        let root = (bend * self.weight).sqrt();
        let bent = root * (angle(points) - self.rest_angle);
        let by_role = angle_gradient(points);
        let mut gradient = [DVec3::ZERO; 4];
        for (role, g) in self.roles.iter().zip(by_role) {
            gradient[*role as usize] = g * root;
        }
        (bent, gradient)
    }
}
