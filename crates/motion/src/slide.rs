//! What slides: friction of a thing that is pushed along what it rests on.
//!
//! A contact that holds does not move, and its friction is whatever is needed
//! within Coulomb's cone. One that slides has no such choice: friction acts
//! against its velocity v along the surface, with all of µ,
//! ```text
//! F = f_n (n + s),    s = −µ v / √(|v|² + ε²)
//! ```
//! So n + s is the only direction of its force, and the cone of (6) is left with
//! f_n ≥ 0 and the centre of pressure. Below ε friction fades, because a law that
//! jumps has no derivative: on level ground a thing rests all the same.

use conatus_math::DVec3;

/// ε, in metres per second.
pub const SLOW: f64 = 0.01;
/// The same in the stages of a search: nobody gets going against a friction that
/// sets in at once, and nobody learns to follow a thing to its halt without.
pub const SLOW_IN_STAGES: [f64; 3] = [0.2, 0.2, 0.04];

/// How friction leans the force of a contact that slides.
#[derive(Clone, Copy, Debug)]
pub struct Lean {
    /// s.
    pub by: DVec3,
    normal: DVec3,
    velocity: DVec3,
    /// v/√(|v|² + ε²), of the velocity along the surface.
    way: DVec3,
    root: f64,
    friction: f64,
}

impl Lean {
    /// Of a contact with this normal and velocity, for µ and ε.
    pub fn new(friction: f64, slow: f64, normal: DVec3, velocity: DVec3) -> Self {
        let along = velocity - normal * normal.dot(velocity);
        let root = (along.length_squared() + slow * slow).sqrt();
        let way = along / root;
        Self {
            by: way * -friction,
            normal,
            velocity,
            way,
            root,
            friction,
        }
    }

    /// The adjoint: derivatives by the normal and by the velocity.
    pub fn pull(&self, by_lean: DVec3) -> (DVec3, DVec3) {
        let (n, v) = (self.normal, self.velocity);
        let across = by_lean - self.way * self.way.dot(by_lean);
        let by_along = across * (-self.friction / self.root);
        let up = n.dot(by_along);
        (-(by_along * n.dot(v) + v * up), by_along - n * up)
    }
}
