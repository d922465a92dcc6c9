//! Springs, drag, constant forces, water and commands.

use crate::scene::model::*;

impl SpringSpec {
    /// A spring between two ends with a stiffness in N/m. Its length at rest is
    /// its length at the start until `length` is given.
    pub fn new(a: SpringEndSpec, b: SpringEndSpec, stiffness: f64) -> Self {
        Self {
            a,
            b,
            stiffness,
            length: None,
            damping: 0.0,
        }
    }

    /// A spring with a stiffness in N/m whose ends are given later.
    pub fn with_stiffness(stiffness: f64) -> Self {
        let end = SpringEndSpec::default;
        Self::new(end(), end(), stiffness)
    }

    /// The length at rest.
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }

    /// Force per stretching velocity along the spring, in N·s/m.
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }
}

impl SpringEndSpec {
    /// A fixed point of the world.
    pub fn pin(point: impl Into<Vec3>) -> Self {
        Self {
            pin: Some(point.into()),
            ..Self::default()
        }
    }

    /// The centre of mass of a body.
    pub fn body(name: impl Into<String>) -> Self {
        Self {
            body: Some(name.into()),
            ..Self::default()
        }
    }

    /// A point of the body, in the coordinates that its shape is given in.
    pub fn point(mut self, point: impl Into<Vec3>) -> Self {
        self.point = Some(point.into());
        self
    }

    /// A vertex of the body's mesh, counted from 0.
    pub fn vertex(mut self, vertex: u64) -> Self {
        self.vertex = Some(vertex);
        self
    }
}

impl DragSpec {
    /// Linear drag on all bodies: force per velocity, in N·s/m.
    pub fn new(linear: f64) -> Self {
        Self {
            linear,
            ..Self::default()
        }
    }

    /// Torque per angular velocity, in N·m·s.
    pub fn angular(mut self, angular: f64) -> Self {
        self.angular = angular;
        self
    }

    /// The bodies it acts on, by name.
    pub fn bodies<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.bodies = Some(names.into_iter().map(Into::into).collect());
        self
    }
}

impl PushSpec {
    /// A constant force on a body, in newtons.
    pub fn force(body: impl Into<String>, force: impl Into<Vec3>) -> Self {
        Self {
            body: body.into(),
            force: Some(force.into()),
            ..Self::default()
        }
    }

    /// A constant torque on a body, in N·m.
    pub fn torque(body: impl Into<String>, torque: impl Into<Vec3>) -> Self {
        Self {
            body: body.into(),
            torque: Some(torque.into()),
            ..Self::default()
        }
    }

    /// Where the force acts, in the coordinates that the body's shape is given in.
    pub fn point(mut self, point: impl Into<Vec3>) -> Self {
        self.point = Some(point.into());
        self
    }

    /// Force and torque turn with the body.
    pub fn in_body_axes(mut self) -> Self {
        self.axes = PushAxesSpec::Body;
        self
    }

    /// When it begins and ends, in seconds.
    pub fn during(mut self, from: f64, until: f64) -> Self {
        (self.from, self.until) = (Some(from), Some(until));
        self
    }
}

impl WaterSpec {
    /// Still water up to a height, without drag.
    pub fn new(level: f64) -> Self {
        Self {
            level,
            density: 1000.0,
            linear_drag: 0.0,
            drag_coefficient: 0.0,
            current: [0.0; 3],
            extent: None,
            waves: Vec::new(),
        }
    }

    /// Its density in kg/m³.
    pub fn density(mut self, density: f64) -> Self {
        self.density = density;
        self
    }

    /// Drag per submerged area and velocity, in N·s/m³.
    pub fn linear_drag(mut self, linear_drag: f64) -> Self {
        self.linear_drag = linear_drag;
        self
    }

    /// The coefficient of quadratic drag on the submerged area.
    pub fn drag_coefficient(mut self, coefficient: f64) -> Self {
        self.drag_coefficient = coefficient;
        self
    }

    /// The velocity of the water.
    pub fn current(mut self, current: impl Into<Vec3>) -> Self {
        self.current = current.into();
        self
    }

    /// Its horizontal extent, by two corners.
    pub fn extent(mut self, min: [f64; 2], max: [f64; 2]) -> Self {
        self.extent = Some(ExtentSpec { min, max });
        self
    }

    /// Adds a wave that travels over it.
    pub fn wave(mut self, wave: WaveSpec) -> Self {
        self.waves.push(wave);
        self
    }
}

impl WaveSpec {
    /// A wave with the speed of a deep-water wave of its length.
    pub fn new(amplitude: f64, wavelength: f64, direction: [f64; 2]) -> Self {
        Self {
            amplitude,
            wavelength,
            direction,
            speed: None,
            phase: 0.0,
        }
    }

    /// Its speed in m/s.
    pub fn speed(mut self, speed: f64) -> Self {
        self.speed = Some(speed);
        self
    }

    /// Its phase at the start, in radians.
    pub fn phase(mut self, phase: f64) -> Self {
        self.phase = phase;
        self
    }
}

impl CommandSpec {
    fn at(time: f64) -> Self {
        Self {
            time,
            kick: None,
            impulse: None,
            merge: None,
            lock: None,
            unlock: None,
            add_body: None,
            remove_body: None,
            add_joint: None,
            remove_joint: None,
            motor: None,
            break_joint: None,
        }
    }

    /// Gives the motor of a joint another speed, in m/s or rad/s.
    pub fn motor_speed(time: f64, joint: impl Into<String>, speed: f64) -> Self {
        Self::motor(time, joint.into(), Some(speed), None)
    }

    /// Gives the motor of a joint another position, in metres or radians.
    pub fn motor_position(time: f64, joint: impl Into<String>, position: f64) -> Self {
        Self::motor(time, joint.into(), None, Some(position))
    }

    fn motor(time: f64, joint: String, speed: Option<f64>, position: Option<f64>) -> Self {
        Self {
            motor: Some(MotorCommandSpec {
                joint,
                steering: false,
                speed,
                position,
            }),
            ..Self::at(time)
        }
    }

    /// Breaks a joint.
    pub fn break_joint(time: f64, joint: impl Into<String>) -> Self {
        Self {
            break_joint: Some(joint.into()),
            ..Self::at(time)
        }
    }

    /// Adds a body.
    pub fn add_body(time: f64, body: BodySpec) -> Self {
        Self {
            add_body: Some(Box::new(body)),
            ..Self::at(time)
        }
    }

    /// Removes a body.
    pub fn remove_body(time: f64, body: impl Into<String>) -> Self {
        Self {
            remove_body: Some(body.into()),
            ..Self::at(time)
        }
    }

    /// Joins bodies as they are then; the joint names them.
    pub fn add_joint(time: f64, joint: JointSpec) -> Self {
        Self {
            add_joint: Some(Box::new(joint)),
            ..Self::at(time)
        }
    }

    /// Removes a joint.
    pub fn remove_joint(time: f64, joint: impl Into<String>) -> Self {
        Self {
            remove_joint: Some(joint.into()),
            ..Self::at(time)
        }
    }

    /// Gives a body a new momentum.
    pub fn kick(time: f64, body: impl Into<String>, momentum: impl Into<Vec3>) -> Self {
        Self {
            kick: Some(KickSpec {
                body: body.into(),
                momentum: Some(momentum.into()),
                angular_momentum: None,
            }),
            ..Self::at(time)
        }
    }

    /// Adds an impulse in N·s at the centre of mass of a body.
    pub fn impulse(time: f64, body: impl Into<String>, impulse: impl Into<Vec3>) -> Self {
        Self {
            impulse: Some(ImpulseSpec {
                body: body.into(),
                impulse: impulse.into(),
                point: None,
            }),
            ..Self::at(time)
        }
    }

    /// Makes several bodies one.
    pub fn merge<N: Into<String>>(time: f64, bodies: impl IntoIterator<Item = N>) -> Self {
        Self {
            merge: Some(bodies.into_iter().map(Into::into).collect()),
            ..Self::at(time)
        }
    }

    /// Holds a body in place.
    pub fn lock(time: f64, body: impl Into<String>) -> Self {
        Self {
            lock: Some(body.into()),
            ..Self::at(time)
        }
    }

    /// Releases a body.
    pub fn unlock(time: f64, body: impl Into<String>) -> Self {
        Self {
            unlock: Some(body.into()),
            ..Self::at(time)
        }
    }
}
