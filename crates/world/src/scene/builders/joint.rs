//! Joints.

use crate::scene::model::*;

impl JointSpec {
    /// A joint of a kind whose bodies are given later.
    pub fn new(kind: JointKindSpec) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// A joint that holds two bodies together.
    pub fn fixed() -> Self {
        Self::new(JointKindSpec::Fixed)
    }

    /// A ball in a socket at a point, in world coordinates at the start.
    pub fn ball(at: impl Into<Vec3>) -> Self {
        Self::new(JointKindSpec::Ball).at(at)
    }

    /// A hinge at a point about an axis, in world coordinates at the start.
    pub fn hinge(at: impl Into<Vec3>, axis: impl Into<Vec3>) -> Self {
        Self::new(JointKindSpec::Hinge).at(at).axis(axis)
    }

    /// A slider along an axis, in world axes at the start.
    pub fn slider(axis: impl Into<Vec3>) -> Self {
        Self::new(JointKindSpec::Slider).axis(axis)
    }

    /// A universal joint at a point with two axes, in world coordinates at the start.
    pub fn universal(
        at: impl Into<Vec3>,
        axis: impl Into<Vec3>,
        second_axis: impl Into<Vec3>,
    ) -> Self {
        Self {
            second_axis: Some(second_axis.into()),
            ..Self::new(JointKindSpec::Universal).at(at).axis(axis)
        }
    }

    /// A rod that keeps the distance of two bodies.
    pub fn distance() -> Self {
        Self::new(JointKindSpec::Distance)
    }

    /// A rope of a length in metres.
    pub fn rope(length: f64) -> Self {
        Self::new(JointKindSpec::Rope).length(length)
    }

    /// A wheel at a point: it moves along `suspension` and rolls about `axle`, in world
    /// axes at the start. The second body is the wheel.
    pub fn wheel(at: impl Into<Vec3>, suspension: impl Into<Vec3>, axle: impl Into<Vec3>) -> Self {
        Self {
            second_axis: Some(axle.into()),
            ..Self::new(JointKindSpec::Wheel).at(at).axis(suspension)
        }
    }

    /// A joint that leaves the named coordinates free.
    pub fn free(free: FreedomsSpec) -> Self {
        Self {
            free,
            ..Self::new(JointKindSpec::Free)
        }
    }

    /// Its name, for commands and reports.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The bodies by name: two, or one that is joined to the world.
    pub fn bodies<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.bodies = names.into_iter().map(Into::into).collect();
        self
    }

    /// Where it is at the start, in world coordinates.
    pub fn at(mut self, at: impl Into<Vec3>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Its axis at the start, in world axes.
    pub fn axis(mut self, axis: impl Into<Vec3>) -> Self {
        self.axis = Some(axis.into());
        self
    }

    /// The two ends of a rod or rope, in world coordinates at the start.
    pub fn ends(mut self, a: impl Into<Vec3>, b: impl Into<Vec3>) -> Self {
        self.ends = Some([a.into(), b.into()]);
        self
    }

    /// The length of a rod or rope in metres.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }

    /// The least and greatest angle of a hinge in radians, or displacement of a slider
    /// or suspension in metres.
    pub fn limits(mut self, low: f64, high: f64) -> Self {
        self.limits = Some([low, high]);
        self
    }

    /// The greatest angle of the axis of a ball joint against the start, in radians.
    pub fn swing(mut self, angle: f64) -> Self {
        self.swing = Some(angle);
        self
    }

    /// The least and greatest rotation of a ball joint about its axis, in radians.
    pub fn twist(mut self, low: f64, high: f64) -> Self {
        self.twist = Some([low, high]);
        self
    }

    /// A spring on its coordinate.
    pub fn spring(mut self, spring: JointSpringSpec) -> Self {
        self.spring = Some(spring);
        self
    }

    /// A motor on its coordinate.
    pub fn motor(mut self, motor: MotorSpec) -> Self {
        self.motor = Some(motor);
        self
    }

    /// A motor that steers a wheel.
    pub fn steering(mut self, motor: MotorSpec) -> Self {
        self.steering = Some(motor);
        self
    }

    /// Lets the two bodies collide with each other.
    pub fn colliding(mut self) -> Self {
        self.collide = true;
        self
    }

    /// The force in newtons at which it breaks.
    pub fn break_force(mut self, force: f64) -> Self {
        self.break_force = Some(force);
        self
    }

    /// The torque in newton metres at which it breaks.
    pub fn break_torque(mut self, torque: f64) -> Self {
        self.break_torque = Some(torque);
        self
    }
}

impl JointSpringSpec {
    /// A spring with a stiffness in N/m or N·m/rad that is at rest as at the start.
    pub fn new(stiffness: f64) -> Self {
        Self {
            stiffness,
            damping: 0.0,
            rest: None,
        }
    }

    /// Its damping in N·s/m or N·m·s/rad.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Where it is at rest, in metres or radians.
    pub fn rest(mut self, rest: f64) -> Self {
        self.rest = Some(rest);
        self
    }
}

impl MotorSpec {
    /// A motor that tries to reach a speed in m/s or rad/s with at most a force in
    /// newtons, or a torque in newton metres.
    pub fn speed(speed: f64, max_force: f64) -> Self {
        Self {
            speed: Some(speed),
            position: None,
            max_force,
            max_speed: None,
        }
    }

    /// A motor that tries to reach a position in metres or radians.
    pub fn position(position: f64, max_force: f64) -> Self {
        Self {
            speed: None,
            position: Some(position),
            max_force,
            max_speed: None,
        }
    }

    /// The greatest speed on the way to a position, in m/s or rad/s.
    pub fn max_speed(mut self, speed: f64) -> Self {
        self.max_speed = Some(speed);
        self
    }
}
