//! The rows of a joint: how its coordinates change with the velocities of its bodies.
//!
//! Each coordinate gives a row: a direction d for forces and angular parts α, β for
//! torques, so that its rate is d·(v_b − v_a) + β·ω_b − α·ω_a.

use super::angles::{difference, rotations};
use super::{JointSettings, MAX_ROWS};
use crate::joint::{Coordinates, Freedom, Joint, MotorTarget};
use conatus_math::{DVec3, Pose};

/// A motor with a target position approaches it at this rate per second.
const SERVO_RATE: f64 = 20.0;
const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
/// The gap of a limit that does not exist.
pub const NO_LIMIT: f64 = 1e30;

/// The derivative of a coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointRow {
    /// Along which forces act on the second body; zero for rotations.
    pub direction: DVec3,
    /// The angular parts of the two bodies.
    pub angular: [DVec3; 2],
    /// The number of the coordinate.
    pub slot: usize,
    /// The value of a locked coordinate.
    pub error: f64,
}

/// The spring, the motor and the limits of a coordinate.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drive {
    /// γ of an implicit spring; 0 without spring.
    pub spring_gamma: f64,
    /// γ h k x, the velocity that the stretched spring asks for.
    pub spring_bias: f64,
    /// The velocity of the motor.
    pub motor_speed: f64,
    /// Its greatest impulse in a substep; 0 without motor.
    pub motor_most: f64,
    /// The distances from the lower and the upper limit.
    pub gaps: [f64; 2],
}

/// The rows of a joint: locked coordinates, then driven ones.
#[derive(Clone, Copy, Debug)]
pub struct JointRows {
    /// The rows.
    pub rows: [JointRow; MAX_ROWS],
    /// How many coordinates are locked.
    pub locked: usize,
    /// How many have rows.
    pub count: usize,
    /// Those of driven coordinates, from number `locked`.
    pub drives: [Drive; MAX_ROWS],
    /// The greatest errors: translation and rotation.
    pub errors: [f64; 2],
}

/// A joint between two bodies at a moment.
#[derive(Clone, Copy, Debug)]
pub struct JointPlace {
    /// The frames in the world.
    pub frames: [Pose; 2],
    /// The centres of mass.
    pub centres: [DVec3; 2],
}

/// How many locked and driven coordinates a joint has.
pub fn structure(joint: &Joint) -> [usize; 2] {
    let mut counts = [0; 2];
    let mut count = |locked: bool, freedom: &Freedom| {
        counts[0] += usize::from(locked);
        counts[1] += usize::from(!locked && is_driven(freedom));
    };
    match &joint.coordinates {
        Coordinates::Distance(along) => count(fixed_distance(along).is_some(), along),
        Coordinates::Axes { linear, angular } => {
            for freedom in linear.iter().chain(angular) {
                count(freedom.locked, freedom);
            }
        }
    }
    counts
}

/// Whether a joint does nothing but hold two points together.
pub fn holds_points_only(joint: &Joint) -> bool {
    match &joint.coordinates {
        Coordinates::Distance(_) => false,
        Coordinates::Axes { linear, angular } => {
            linear.iter().all(|f| f.locked) && !angular.iter().any(|f| f.locked || is_driven(f))
        }
    }
}

#[inline]
fn is_driven(freedom: &Freedom) -> bool {
    freedom.spring.is_some() || freedom.motor.is_some() || freedom.range.is_some()
}

/// The length of a rod.
fn fixed_distance(along: &Freedom) -> Option<f64> {
    match along.range {
        _ if along.locked => Some(0.0),
        Some([low, high]) if low == high => Some(low),
        _ => None,
    }
}

impl JointRows {
    /// The rows of a joint at its place.
    pub fn of(joint: &Joint, place: &JointPlace, settings: &JointSettings) -> Self {
        let mut rows = Self {
            rows: [JointRow::default(); MAX_ROWS],
            locked: 0,
            count: 0,
            drives: [Drive::default(); MAX_ROWS],
            errors: [0.0; 2],
        };
        let mut driven = Driven {
            rows: [(JointRow::default(), Drive::default()); MAX_ROWS],
            count: 0,
            h: settings.h,
        };
        match &joint.coordinates {
            Coordinates::Distance(along) => rows.add_distance(place, along, &mut driven),
            Coordinates::Axes { linear, angular } => {
                rows.add_linear(place, linear, &mut driven);
                rows.add_angular(place, angular, joint.chain, &mut driven);
            }
        }
        rows.count = rows.locked + driven.count;
        for (k, (row, drive)) in driven.rows[..driven.count].iter().enumerate() {
            rows.rows[rows.locked + k] = *row;
            rows.drives[rows.locked + k] = *drive;
            let over = -drive.gaps[0].min(drive.gaps[1]);
            let worst = &mut rows.errors[usize::from(row.slot >= 3)];
            *worst = worst.max(over);
        }
        rows
    }

    fn add_distance(&mut self, place: &JointPlace, along: &Freedom, driven: &mut Driven) {
        let [a, b] = [0, 1].map(|k| place.frames[k].translation);
        let between = b - a;
        let length = between.length();
        let direction = between.try_normalize().unwrap_or(DVec3::Z);
        let row = JointRow {
            direction,
            angular: [
                (a - place.centres[0]).cross(direction),
                (b - place.centres[1]).cross(direction),
            ],
            ..JointRow::default()
        };
        match fixed_distance(along) {
            Some(rest) => {
                self.add_locked(row, length - rest);
                self.errors[0] = (length - rest).abs();
            }
            None => driven.add(row, length, along),
        }
    }

    fn add_linear(&mut self, place: &JointPlace, linear: &[Freedom; 3], driven: &mut Driven) {
        let [a, b] = &place.frames;
        let between = b.translation - a.translation;
        // The axes turn with the first body, so both forces act at the second anchor.
        let arms = [0, 1].map(|k| b.translation - place.centres[k]);
        // Three locked translations need no axes of the frame.
        let all = linear.iter().all(|f| f.locked);
        let mut square = 0.0;
        for (k, freedom) in linear.iter().enumerate() {
            let axis = AXES[k];
            let direction = if all { axis } else { a.direction(axis) };
            let row = JointRow {
                direction,
                angular: arms.map(|arm| arm.cross(direction)),
                slot: k,
                error: 0.0,
            };
            let value = between.dot(direction);
            if freedom.locked {
                self.add_locked(row, value);
                square += value * value;
            } else {
                driven.add(row, value, freedom);
            }
        }
        self.errors[0] = square.sqrt();
    }

    fn add_angular(
        &mut self,
        place: &JointPlace,
        angular: &[Freedom; 3],
        chain: bool,
        driven: &mut Driven,
    ) {
        if !angular.iter().any(|f| f.locked || is_driven(f)) {
            return;
        }
        let [a, b] = &place.frames;
        let about = rotations(angular, chain, a.rotation, b.rotation);
        for (k, (axis, value)) in about.into_iter().enumerate() {
            let row = JointRow {
                direction: DVec3::ZERO,
                angular: [axis; 2],
                slot: 3 + k,
                error: 0.0,
            };
            if angular[k].locked {
                self.add_locked(row, value);
                self.errors[1] = self.errors[1].max(value.abs());
            } else {
                driven.add(row, value, &angular[k]);
            }
        }
    }

    fn add_locked(&mut self, row: JointRow, error: f64) {
        self.rows[self.locked] = JointRow { error, ..row };
        self.locked += 1;
    }
}

/// The driven rows of a joint.
struct Driven {
    rows: [(JointRow, Drive); MAX_ROWS],
    count: usize,
    h: f64,
}

impl Driven {
    fn add(&mut self, row: JointRow, value: f64, freedom: &Freedom) {
        if !is_driven(freedom) {
            return;
        }
        let (slot, h) = (row.slot, self.h);
        let mut drive = Drive {
            gaps: [NO_LIMIT; 2],
            ..Drive::default()
        };
        if let Some(spring) = freedom.spring {
            // An implicit spring: (K + γ) λ = −(v + γ h k x) − γ Λ.
            let gamma = 1.0 / (h * (spring.damping + h * spring.stiffness));
            if gamma.is_finite() {
                let stretched = difference(slot, value, spring.rest);
                drive.spring_gamma = gamma;
                drive.spring_bias = gamma * h * spring.stiffness * stretched;
            }
        }
        if let Some(motor) = freedom.motor {
            drive.motor_speed = match motor.target {
                MotorTarget::Velocity(speed) => speed,
                MotorTarget::Position(target) => {
                    let speed = SERVO_RATE.min(0.5 / h) * difference(slot, target, value);
                    speed.clamp(-motor.max_speed, motor.max_speed)
                }
            };
            drive.motor_most = motor.max_force * h;
        }
        if let Some([low, high]) = freedom.range {
            drive.gaps = [value - low, high - value];
        }
        self.rows[self.count] = (row, drive);
        self.count += 1;
    }
}
