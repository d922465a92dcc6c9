//! The impulse between two bodies that touch, Di Pierro (68)-(80), corrected.
//!
//! An impulse changes momentum by J and angular momentum by r × J; a static
//! plane is a body whose inverse mass and inertia are zero, the limit of (74).

use conatus_math::{DMat3, DVec3};

/// The quantities of a body that an impulse changes: velocity and angular
/// velocity (world axes), with the inverse mass and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Participant {
    /// The velocity of the centre of mass.
    pub velocity: DVec3,
    /// The angular velocity in world axes.
    pub omega: DVec3,
    /// 1/m; zero for an immovable body.
    pub inverse_mass: f64,
    /// I⁻¹ in world axes: R I_b⁻¹ Rᵀ.
    pub inverse_inertia: DMat3,
}

impl Participant {
    /// An immovable body: a plane or a locked body.
    pub const FIXED: Self = Self {
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
    };

    /// The velocity of the point at `arm` from the centre: v_c of Di Pierro
    /// (75), ω × r_c + v with the rotated arm.
    pub fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.omega.cross(arm) + self.velocity
    }

    /// K′ = K + J and L′ = L + r_c × J, Di Pierro (71)-(74), (77)-(80).
    pub fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse * self.inverse_mass;
        self.omega += self.inverse_inertia * arm.cross(impulse);
    }

    /// This body's part of the denominator of (75), the inverse effective mass:
    /// the change of its point's velocity along `direction` by a unit impulse
    /// along it.
    fn inverse_effective_mass(&self, arm: DVec3, direction: DVec3) -> f64 {
        let spin = self.inverse_inertia * arm.cross(direction);
        self.inverse_mass + spin.cross(arm).dot(direction)
    }
}

/// The contact point of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// r_cA, from A's centre of mass to the point of contact.
    pub arm_a: DVec3,
    /// r_cB, from B's.
    pub arm_b: DVec3,
    /// n, the unit normal from A to B.
    pub normal: DVec3,
    /// μ.
    pub friction: f64,
}

/// The impulse on A along the normal that makes the points of contact separate
/// at `parting` m/s, Di Pierro (75): with `parting` = c · closing speed, as in
/// Di Pierro (68)-(70), this is (c + 1)(v_cB − v_cA)·n over the denominator.
/// For bodies that do not rotate it is Di Pierro (73).
pub fn normal_impulse(a: &Participant, b: &Participant, at: &Meeting, parting: f64) -> DVec3 {
    let n = at.normal;
    let along = (b.velocity_at(at.arm_b) - a.velocity_at(at.arm_a)).dot(n);
    let denominator = a.inverse_effective_mass(at.arm_a, n) + b.inverse_effective_mass(at.arm_b, n);
    if denominator > 0.0 {
        n * ((along - parting) / denominator)
    } else {
        DVec3::ZERO
    }
}

/// The friction impulse on A along the surface, Di Pierro (76): it stops the
/// sliding, and is at most μ times the normal impulse.
pub fn friction_impulse(a: &Participant, b: &Participant, at: &Meeting, normal: f64) -> DVec3 {
    let relative = b.velocity_at(at.arm_b) - a.velocity_at(at.arm_a);
    let sliding = relative - at.normal * relative.dot(at.normal);
    let speed = sliding.length();
    if speed == 0.0 || at.friction == 0.0 {
        return DVec3::ZERO;
    }
    let t = sliding / speed;
    let denominator = a.inverse_effective_mass(at.arm_a, t) + b.inverse_effective_mass(at.arm_b, t);
    if denominator > 0.0 {
        t * (speed / denominator).min(at.friction * normal)
    } else {
        DVec3::ZERO
    }
}

/// Resolves one contact: the normal impulse for the given separation speed,
/// then friction. Returns the impulse on A.
pub fn collide(a: &mut Participant, b: &mut Participant, at: &Meeting, parting: f64) -> DVec3 {
    let normal = normal_impulse(a, b, at, parting);
    a.push(normal, at.arm_a);
    b.push(-normal, at.arm_b);
    let friction = friction_impulse(a, b, at, normal.length());
    a.push(friction, at.arm_a);
    b.push(-friction, at.arm_b);
    normal + friction
}
