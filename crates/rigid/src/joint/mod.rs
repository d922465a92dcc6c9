//! Joints: what holds two bodies together, or a body to the world.
//!
//! A joint has a frame on each side. The translation of the second frame in the axes of
//! the first, and its rotation against the first, are six coordinates. Each of them is
//! locked, free or limited, and may have a spring and a motor. [`Joint`] has a constructor
//! for every common kind; [`solve`] turns joints into soft constraints.

pub mod solve;

use conatus_math::{DQuat, DVec3, Pose};

/// A spring on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Where it is at rest, in metres or radians.
    pub rest: f64,
    /// In N/m or N·m/rad.
    pub stiffness: f64,
    /// In N·s/m or N·m·s/rad.
    pub damping: f64,
}

/// What a motor tries to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorTarget {
    /// A velocity in m/s or rad/s.
    Velocity(f64),
    /// A position in metres or radians.
    Position(f64),
}

/// A motor on a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// What it tries to reach.
    pub target: MotorTarget,
    /// The greatest force in newtons, or torque in newton metres.
    pub max_force: f64,
    /// The greatest speed on the way to a position, in m/s or rad/s.
    pub max_speed: f64,
}

impl Motor {
    /// A motor without a bound on its speed.
    pub fn new(target: MotorTarget, max_force: f64) -> Self {
        Self {
            target,
            max_force,
            max_speed: f64::INFINITY,
        }
    }
}

/// How a coordinate of a joint may change.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Freedom {
    /// Held at zero.
    pub locked: bool,
    /// The least and greatest value, in metres or radians.
    pub range: Option<[f64; 2]>,
    /// A spring.
    pub spring: Option<Spring>,
    /// A motor.
    pub motor: Option<Motor>,
}

impl Freedom {
    /// Held at zero.
    pub const LOCKED: Self = Self {
        locked: true,
        range: None,
        spring: None,
        motor: None,
    };
    /// Free.
    pub const FREE: Self = Self {
        locked: false,
        range: None,
        spring: None,
        motor: None,
    };

    /// Free within limits.
    pub fn within(low: f64, high: f64) -> Self {
        Self {
            range: Some([low, high]),
            ..Self::FREE
        }
    }
}

/// Which coordinates a joint has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "most joints have all six coordinates"
)]
pub enum Coordinates {
    /// Translations along and rotations about the axes of the first frame.
    ///
    /// With one free rotation it is the angle about that axis. With two, about i and j,
    /// the first frame carries axis i and the second axis j, as in a universal joint. With
    /// three, the z axis of the second frame swings in a cone about that of the first, and
    /// the rotation about z is the twist; the range of x has the angle of the cone. If the
    /// joint is a [chain](Joint::chain), the three are hinges one after another.
    Axes {
        /// Along x, y and z.
        linear: [Freedom; 3],
        /// About x, y and z.
        angular: [Freedom; 3],
    },
    /// The distance of the origins of the frames.
    Distance(Freedom),
}

/// The bounds at which a joint breaks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// In newtons.
    pub force: f64,
    /// In newton metres.
    pub torque: f64,
}

impl Default for Strength {
    fn default() -> Self {
        Self {
            force: f64::INFINITY,
            torque: f64::INFINITY,
        }
    }
}

/// A joint between two bodies, or a body and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// The two bodies; none for the world.
    pub bodies: [Option<usize>; 2],
    /// The frames of the joint in the axes of the bodies, or of the world.
    pub frames: [Pose; 2],
    /// Its coordinates.
    pub coordinates: Coordinates,
    /// Three free rotations are hinges about z, y and x one after another, as Cardan
    /// angles: the first frame carries the z axis, the second the x axis. Otherwise they
    /// are swing and twist.
    pub chain: bool,
    /// Whether the two bodies collide with each other.
    pub collide: bool,
    /// When it breaks.
    pub strength: Strength,
    /// Whether it was broken or removed.
    pub broken: bool,
    /// The impulses of the last substep.
    pub impulses: JointImpulses,
    /// What was measured in the last step.
    pub load: JointLoad,
}

/// The impulses that a joint passes from one substep to the next. The first three belong
/// to translations, the others to rotations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointImpulses {
    /// Of locked coordinates.
    pub locked: [f64; 6],
    /// Of lower limits.
    pub lower: [f64; 6],
    /// Of upper limits.
    pub upper: [f64; 6],
    /// Of springs.
    pub spring: [f64; 6],
    /// Of motors.
    pub motor: [f64; 6],
}

/// What a joint carried in the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLoad {
    /// The force on the second body in newtons, the mean of the step.
    pub force: DVec3,
    /// The torque on it about the anchor in newton metres, the mean of the step.
    pub torque: DVec3,
    /// The greatest error of locked translations and of limits, in metres.
    pub error: f64,
    /// The greatest error of locked rotations and of limits, in radians.
    pub angle_error: f64,
}

impl Joint {
    /// A joint with all coordinates locked.
    pub fn fixed(bodies: [Option<usize>; 2], frames: [Pose; 2]) -> Self {
        Self::axes(bodies, frames, [Freedom::LOCKED; 3], [Freedom::LOCKED; 3])
    }

    /// A joint with each coordinate as given.
    pub fn axes(
        bodies: [Option<usize>; 2],
        frames: [Pose; 2],
        linear: [Freedom; 3],
        angular: [Freedom; 3],
    ) -> Self {
        Self {
            bodies,
            frames,
            coordinates: Coordinates::Axes { linear, angular },
            chain: false,
            collide: false,
            strength: Strength::default(),
            broken: false,
            impulses: JointImpulses::default(),
            load: JointLoad::default(),
        }
    }

    /// A ball in a socket; `swing` is the half angle of the cone of the z axis, and `twist`
    /// limits the rotation about it.
    pub fn ball(
        bodies: [Option<usize>; 2],
        frames: [Pose; 2],
        swing: Option<f64>,
        twist: Freedom,
    ) -> Self {
        let cone = Freedom {
            range: swing.map(|angle| [-angle, angle]),
            ..Freedom::FREE
        };
        Self::axes(
            bodies,
            frames,
            [Freedom::LOCKED; 3],
            [cone, Freedom::FREE, twist],
        )
    }

    /// A hinge about the z axis of the frames.
    pub fn hinge(bodies: [Option<usize>; 2], frames: [Pose; 2], about: Freedom) -> Self {
        let angular = [Freedom::LOCKED, Freedom::LOCKED, about];
        Self::axes(bodies, frames, [Freedom::LOCKED; 3], angular)
    }

    /// A slider along the z axis of the frames.
    pub fn slider(bodies: [Option<usize>; 2], frames: [Pose; 2], along: Freedom) -> Self {
        let linear = [Freedom::LOCKED, Freedom::LOCKED, along];
        Self::axes(bodies, frames, linear, [Freedom::LOCKED; 3])
    }

    /// A universal joint: the first frame carries the x axis, the second the y axis.
    pub fn universal(bodies: [Option<usize>; 2], frames: [Pose; 2], about: [Freedom; 2]) -> Self {
        let angular = [about[0], about[1], Freedom::LOCKED];
        Self::axes(bodies, frames, [Freedom::LOCKED; 3], angular)
    }

    /// A wheel, the second body, that rolls about the y axis and moves along the z axis of
    /// the first frame; `steer` is its rotation about z.
    pub fn wheel(
        bodies: [Option<usize>; 2],
        frames: [Pose; 2],
        suspension: Freedom,
        roll: Freedom,
        steer: Freedom,
    ) -> Self {
        let linear = [Freedom::LOCKED, Freedom::LOCKED, suspension];
        // The first frame carries the z axis, the second the y axis.
        Self::axes(bodies, frames, linear, [Freedom::LOCKED, roll, steer])
    }

    /// Holds the distance of two points.
    pub fn distance(bodies: [Option<usize>; 2], anchors: [DVec3; 2], along: Freedom) -> Self {
        let frames = anchors.map(|p| Pose::new(DQuat::IDENTITY, p));
        Self {
            coordinates: Coordinates::Distance(along),
            ..Self::fixed(bodies, frames)
        }
    }

    /// Keeps the distance of two points below `length`.
    pub fn rope(bodies: [Option<usize>; 2], anchors: [DVec3; 2], length: f64) -> Self {
        Self::distance(bodies, anchors, Freedom::within(0.0, length))
    }

    /// The freedom of coordinate `k`: three translations, then three rotations; the
    /// distance is number 0.
    pub fn freedom(&self, k: usize) -> Option<&Freedom> {
        match &self.coordinates {
            Coordinates::Axes { linear, angular } => linear.iter().chain(angular).nth(k),
            Coordinates::Distance(along) => Some(along).filter(|_| k == 0),
        }
    }

    /// The same, to change it.
    pub fn freedom_mut(&mut self, k: usize) -> Option<&mut Freedom> {
        match &mut self.coordinates {
            Coordinates::Axes { linear, angular } => linear.iter_mut().chain(angular).nth(k),
            Coordinates::Distance(along) => Some(along).filter(|_| k == 0),
        }
    }

    /// Gives its motor another target; `steering` names the one about the z axis of a wheel.
    /// Without that motor nothing happens.
    pub fn set_motor_target(&mut self, steering: bool, target: MotorTarget) {
        let steered = [5];
        let driven = [2, 4, 0, 1, 3, 5];
        let order: &[usize] = match steering {
            true => &steered,
            false => &driven,
        };
        for &k in order {
            if let Some(motor) = self.freedom_mut(k).and_then(|f| f.motor.as_mut()) {
                motor.target = target;
                return;
            }
        }
    }

    /// Whether it has a motor that may work.
    pub fn has_motor(&self) -> bool {
        !self.broken && (0..6).any(|k| self.freedom(k).is_some_and(|f| f.motor.is_some()))
    }

    /// The energy in its springs, for frames at these poses in the world.
    pub fn potential(&self, a: &Pose, b: &Pose) -> f64 {
        let sprung = (0..6).any(|k| self.freedom(k).is_some_and(|f| f.spring.is_some()));
        if self.broken || !sprung {
            return 0.0;
        }
        let values = self.values(a, b);
        let energy = |k: usize| {
            let spring = self.freedom(k)?.spring?;
            Some(0.5 * spring.stiffness * solve::difference(k, values[k], spring.rest).powi(2))
        };
        (0..6).filter_map(energy).sum()
    }

    /// The values of the coordinates for frames at these poses in the world: translations,
    /// then rotations; the distance is number 0.
    pub fn values(&self, a: &Pose, b: &Pose) -> [f64; 6] {
        let mut values = [0.0; 6];
        match &self.coordinates {
            Coordinates::Distance(_) => values[0] = a.translation.distance(b.translation),
            Coordinates::Axes { angular, .. } => {
                let between = a.rotation.conjugate() * (b.translation - a.translation);
                values[..3].copy_from_slice(&between.to_array());
                let angles = solve::angles(angular, self.chain, a.rotation, b.rotation);
                values[3..].copy_from_slice(&angles);
            }
        }
        values
    }
}

/// What a joint passes from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoredJoint {
    /// The impulses of the last substep.
    pub impulses: JointImpulses,
    /// 1 if it is broken.
    pub broken: u8,
    /// For each coordinate 1 if its motor has a target position, 0 if a velocity or none.
    pub moves: [u8; 6],
    /// The targets of motors.
    pub targets: [f64; 6],
}

impl StoredJoint {
    /// Of a joint.
    pub fn of(joint: &Joint) -> Self {
        let mut stored = Self {
            impulses: joint.impulses,
            broken: u8::from(joint.broken),
            ..Self::default()
        };
        for k in 0..6 {
            match joint.freedom(k).and_then(|f| f.motor).map(|m| m.target) {
                Some(MotorTarget::Velocity(speed)) => stored.targets[k] = speed,
                Some(MotorTarget::Position(position)) => {
                    stored.moves[k] = 1;
                    stored.targets[k] = position;
                }
                None => {}
            }
        }
        stored
    }

    /// Gives a joint back what was stored.
    pub fn restore(&self, joint: &mut Joint) {
        joint.impulses = self.impulses;
        joint.broken = self.broken != 0;
        for k in 0..6 {
            if let Some(motor) = joint.freedom_mut(k).and_then(|f| f.motor.as_mut()) {
                motor.target = match self.moves[k] {
                    0 => MotorTarget::Velocity(self.targets[k]),
                    _ => MotorTarget::Position(self.targets[k]),
                };
            }
        }
    }
}
