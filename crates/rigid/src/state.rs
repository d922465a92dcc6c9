//! The state of one body and derived quantities: points, velocities, momenta,
//! energy. And the load, the sum of its forces.

use crate::bodies::Constants;
use crate::mass::Diagonal;
use crate::rk4::Motion;
use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};

/// The state variables of Chaney §2.1. Body axes are the principal axes, with
/// the centre of mass as their origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// x, the centre of mass in world coordinates.
    pub position: DVec3,
    /// ẋ, its velocity.
    pub velocity: DVec3,
    /// Q, from body axes to world axes.
    pub orientation: DQuat,
    /// ω in body axes, Chaney (11).
    pub omega_body: DVec3,
}

impl Default for State {
    /// At rest at the origin.
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            velocity: DVec3::ZERO,
            orientation: DQuat::IDENTITY,
            omega_body: DVec3::ZERO,
        }
    }
}

impl State {
    /// R, Chaney (10), from a normalised copy of Q.
    #[inline]
    pub fn rotation(&self) -> DMat3 {
        rotation::to_matrix(self.orientation.normalize())
    }

    /// Position and orientation of the body.
    #[inline]
    pub fn pose(&self) -> Pose {
        Pose::new(self.orientation.normalize(), self.position)
    }

    /// The world position of the body point `r_body`, Chaney (8) and (30); Di
    /// Pierro (56).
    pub fn point_position(&self, r_body: DVec3) -> DVec3 {
        self.rotation() * r_body + self.position
    }

    /// The velocity of the body point `r_body`, Chaney (31).
    pub fn point_velocity(&self, r_body: DVec3) -> DVec3 {
        self.rotation() * self.omega_body.cross(r_body) + self.velocity
    }

    /// The velocity of the body at a world point: Di Pierro (57) with the
    /// *rotated* arm, ω × (point − p) + v; without v, Di Pierro (34)-(36).
    #[inline]
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.omega().cross(point - self.position) + self.velocity
    }

    /// The angular velocity in world axes, Di Pierro (31).
    #[inline]
    pub fn omega(&self) -> DVec3 {
        self.rotation() * self.omega_body
    }

    /// The momentum, Di Pierro (10).
    pub fn momentum(&self, mass: f64) -> DVec3 {
        self.velocity * mass
    }

    /// The angular momentum about the centre of mass in world axes, Chaney
    /// (32); Di Pierro (45)-(46) for particles that turn together.
    pub fn angular_momentum(&self, moments: DVec3) -> DVec3 {
        self.rotation() * (moments * self.omega_body)
    }

    /// Gives the body the angular momentum `l` (world axes): ω_b = I_b⁻¹ Rᵀ L,
    /// Di Pierro (51) with the tensor in body axes.
    pub fn set_angular_momentum(&mut self, l: DVec3, moments: DVec3) {
        self.omega_body = (self.rotation().transpose() * l) / moments;
    }

    /// The kinetic energy: the last two terms of Chaney (33).
    pub fn kinetic_energy(&self, mass: f64, moments: DVec3) -> f64 {
        0.5 * mass * self.velocity.length_squared()
            + 0.5 * (moments * self.omega_body).dot(self.omega_body)
    }

    /// The total energy of Chaney (33); gravity is a vector, so m g z becomes
    /// −m g·x.
    pub fn energy(&self, mass: f64, moments: DVec3, gravity: DVec3) -> f64 {
        self.kinetic_energy(mass, moments) - mass * gravity.dot(self.position)
    }

    /// Whether every number is finite and below the speed of light; otherwise
    /// the simulation has diverged.
    pub fn is_finite_and_slower_than_light(&self) -> bool {
        const SPEED_OF_LIGHT: f64 = 299_792_458.0;
        self.position.is_finite()
            && self.orientation.is_finite()
            && self.velocity.length() < SPEED_OF_LIGHT
            && self.omega_body.length() < SPEED_OF_LIGHT
    }

    /// A body described in the coordinates of its shape, transformed to the
    /// principal axes of `d`: the centre of mass at `position`, the shape
    /// rotated by `orientation`.
    pub fn placed(d: &Diagonal, position: DVec3, orientation: DQuat) -> Self {
        let turn = rotation::from_matrix(d.diag_rotation);
        Self {
            position,
            orientation: (orientation * turn.conjugate()).normalize(),
            ..Self::default()
        }
    }
}

impl From<State> for Motion<f64> {
    #[inline]
    fn from(s: State) -> Self {
        let q = s.orientation;
        Self {
            x: s.position.into(),
            v: s.velocity.into(),
            q: [q.w, q.x, q.y, q.z],
            w: s.omega_body.into(),
        }
    }
}

impl From<Motion<f64>> for State {
    #[inline]
    fn from(m: Motion<f64>) -> Self {
        Self {
            position: m.x.into(),
            velocity: m.v.into(),
            orientation: DQuat::from_xyzw(m.q[1], m.q[2], m.q[3], m.q[0]),
            omega_body: m.w.into(),
        }
    }
}

/// The sum of forces and torques on one body: what (7) and (18)-(20) need.
/// d'Alembert's sum, Di Pierro (12), (16), (44), (48), (49).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// F, in world axes.
    pub force: DVec3,
    /// τ, in body axes, Chaney (15).
    pub torque_body: DVec3,
    /// The drag part of `force` and `torque_body`.
    pub drag: DragShare,
}

/// The drag part of a load, and its stiffness.
///
/// Drag is a force −C (v − u) against the velocity relative to a medium. An
/// explicit step of h changes v by −h C (v − u)/m: for h C > m it overshoots u,
/// and with quadratic drag, whose C grows with the velocity, each overshoot is
/// larger than the last. [`Load::with_limited_drag`] prevents that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DragShare {
    /// In world axes.
    pub force: DVec3,
    /// In body axes.
    pub torque_body: DVec3,
    /// Σ C, in N·s/m.
    pub linear: f64,
    /// Σ C r², r the distance from the centre of mass, in N·m·s.
    pub angular: f64,
}

impl DragShare {
    /// Adds the part of another drag.
    pub fn add(&mut self, other: &Self) {
        self.force += other.force;
        self.torque_body += other.torque_body;
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl Load {
    /// The load with its drag scaled down so that a step of `h` brings a body
    /// at most to rest relative to the medium: drag cannot reverse a velocity.
    /// Bit-identical where h C ≤ m and h C r² ≤ I.
    pub fn with_limited_drag(&self, constants: &Constants, h: f64) -> Self {
        let least_moment = constants.moments.min_element();
        let linear = h * self.drag.linear / constants.mass;
        let angular = h * self.drag.angular / least_moment;
        let excess = linear.max(angular);
        let mut load = *self;
        if excess > 1.0 {
            let removed = 1.0 - excess.recip();
            load.force -= self.drag.force * removed;
            load.torque_body -= self.drag.torque_body * removed;
        }
        load
    }

    /// Adds drag against the velocity of a world point: `force` is −C (v − u)
    /// with the coefficient C in N·s/m.
    pub fn add_drag_at(&mut self, s: &State, force: DVec3, point: DVec3, coefficient: f64) {
        let arm = point - s.position;
        let torque_body = s.rotation().transpose() * arm.cross(force);
        self.force += force;
        self.torque_body += torque_body;
        self.drag.add(&DragShare {
            force,
            torque_body,
            linear: coefficient,
            angular: coefficient * arm.length_squared(),
        });
    }

    /// Adds a torque against the rotation: −C ω in world axes, C in N·m·s.
    pub fn add_drag_torque(&mut self, s: &State, torque: DVec3, coefficient: f64) {
        let torque_body = s.rotation().transpose() * torque;
        self.torque_body += torque_body;
        self.drag.add(&DragShare {
            torque_body,
            angular: coefficient,
            ..DragShare::default()
        });
    }

    /// Force and point in world coordinates, Chaney (22); Di Pierro (40).
    pub fn add_force_at(&mut self, s: &State, force: DVec3, point: DVec3) {
        self.force += force;
        let torque = (point - s.position).cross(force);
        self.torque_body += s.rotation().transpose() * torque;
    }

    /// Force in world axes, point in body coordinates, Chaney (23) and (16).
    pub fn add_force_at_body_point(&mut self, s: &State, force: DVec3, r_body: DVec3) {
        self.force += force;
        self.torque_body += r_body.cross(s.rotation().transpose() * force);
    }

    /// Force and point in body coordinates, Chaney (24)-(25).
    pub fn add_body_force(&mut self, s: &State, force_body: DVec3, r_body: DVec3) {
        self.force += s.rotation() * force_body;
        self.torque_body += r_body.cross(force_body);
    }

    /// A torque in world axes, Chaney (26).
    pub fn add_torque(&mut self, s: &State, torque: DVec3) {
        self.torque_body += s.rotation().transpose() * torque;
    }

    /// A torque in body axes.
    pub fn add_body_torque(&mut self, torque_body: DVec3) {
        self.torque_body += torque_body;
    }
}
