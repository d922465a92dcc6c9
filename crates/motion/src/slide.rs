//! Sliding friction: the force of an object that is pushed along what it rests on.
//!
//! A contact that holds does not move, and its friction may be anything within
//! Coulomb's cone. The friction of a sliding contact is determined: it acts against the
//! velocity v along the surface, with all of µ,
//! ```text
//! F = f_n (n + s),    s = −µ v / √(|v|² + ε²)
//! ```
//! So n + s is the only direction of its force, and the cone of (6) is left with
//! f_n ≥ 0 and the centre of pressure. Below the speed ε friction fades (regularised
//! Coulomb friction), because a law with a jump has no derivative; on level ground an
//! object still rests.

use conatus_math::DVec3;

/// ε, in metres per second.
pub const REGULARISATION_SPEED_M_S: f64 = 0.01;
/// ε in the stages of a search. With full friction at once no search starts to push;
/// without friction none learns to push until the object stops.
pub const STAGE_REGULARISATION_SPEEDS_M_S: [f64; 3] = [0.2, 0.2, 0.04];

/// How friction tilts the force of a sliding contact.
#[derive(Clone, Copy, Debug)]
pub struct SlidingFriction {
    /// s.
    pub tilt: DVec3,
    normal: DVec3,
    velocity: DVec3,
    /// v/√(|v|² + ε²), of the velocity along the surface.
    direction: DVec3,
    root: f64,
    friction: f64,
}

impl SlidingFriction {
    /// Of a contact with this normal and velocity, for µ and ε.
    pub fn new(friction: f64, regularisation_speed: f64, normal: DVec3, velocity: DVec3) -> Self {
        let along = velocity - normal * normal.dot(velocity);
        let root = (along.length_squared() + regularisation_speed * regularisation_speed).sqrt();
        let direction = along / root;
        Self {
            tilt: direction * -friction,
            normal,
            velocity,
            direction,
            root,
            friction,
        }
    }

    /// From derivatives by s to derivatives by the normal and by the velocity.
    pub fn vector_jacobian_product(&self, by_tilt: DVec3) -> (DVec3, DVec3) {
        let (n, v) = (self.normal, self.velocity);
        let across = by_tilt - self.direction * self.direction.dot(by_tilt);
        let by_along = across * (-self.friction / self.root);
        let up = n.dot(by_along);
        (-(by_along * n.dot(v) + v * up), by_along - n * up)
    }
}
