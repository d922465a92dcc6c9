//! Random bodies and motions for properties.

use conatus_math::{DMat3, DQuat, DVec3, Pose, rotation};
use conatus_rigid::State;
use conatus_rigid::contact::impulse::{Meeting, Participant};
use proptest::prelude::*;

/// A vector with components up to `size`.
pub fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    [-size..size, -size..size, -size..size].prop_map(DVec3::from_array)
}

/// A unit vector.
pub fn direction() -> impl Strategy<Value = DVec3> {
    vector(1.0)
        .prop_filter("long enough", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

/// Any orientation.
pub fn orientation() -> impl Strategy<Value = DQuat> {
    (direction(), -3.1..3.1).prop_map(|(axis, angle)| rotation::from_axis_angle(axis, angle))
}

/// Any pose within a few metres.
pub fn pose() -> impl Strategy<Value = Pose> {
    (orientation(), vector(3.0)).prop_map(|(q, p)| Pose::new(q, p))
}

/// Any motion.
pub fn state() -> impl Strategy<Value = State> {
    (vector(4.0), vector(3.0), orientation(), vector(5.0)).prop_map(
        |(position, velocity, orientation, omega_body)| State {
            position,
            velocity,
            orientation,
            omega_body,
        },
    )
}

/// Mass and principal moments of some body: those of an ellipsoid, which obey
/// the triangle inequality.
pub fn inertia() -> impl Strategy<Value = (f64, DVec3)> {
    (0.1..10.0, [0.1..1.5, 0.1..1.5, 0.1..1.5]).prop_map(|(mass, axes): (f64, [f64; 3])| {
        let [a, b, c] = axes.map(|x| x * x);
        (mass, DVec3::new(b + c, a + c, a + b) * (0.2 * mass))
    })
}

/// A body before a collision, with its inertia tensor in world axes.
#[derive(Clone, Copy, Debug)]
pub struct Collider {
    pub mass: f64,
    pub inertia: DMat3,
    pub participant: Participant,
}

impl Collider {
    pub fn energy(&self) -> f64 {
        let p = &self.participant;
        0.5 * self.mass * p.velocity.length_squared() + 0.5 * p.omega.dot(self.inertia * p.omega)
    }

    pub fn momentum(&self) -> DVec3 {
        self.participant.velocity * self.mass
    }

    pub fn angular_momentum(&self, centre: DVec3) -> DVec3 {
        centre.cross(self.momentum()) + self.inertia * self.participant.omega
    }
}

/// A body with any inertia tensor, velocity and spin.
pub fn collider() -> impl Strategy<Value = Collider> {
    (inertia(), orientation(), vector(3.0), vector(4.0)).prop_map(
        |((mass, moments), turn, velocity, omega)| {
            let r = rotation::to_matrix(turn);
            let about = |m: DVec3| r * DMat3::from_diagonal(m) * r.transpose();
            Collider {
                mass,
                inertia: about(moments),
                participant: Participant {
                    velocity,
                    omega,
                    inverse_mass: 1.0 / mass,
                    inverse_inertia: about(moments.recip()),
                },
            }
        },
    )
}

/// A contact with any arms, with friction up to `friction`.
pub fn meeting(friction: f64) -> impl Strategy<Value = Meeting> {
    (vector(1.0), vector(1.0), direction(), 0.0..=friction).prop_map(
        |(arm_a, arm_b, normal, friction)| Meeting {
            arm_a,
            arm_b,
            normal,
            friction,
        },
    )
}
