//! Joints in a recording's header.

use super::{PoseInfo, finite};
use serde::{Deserialize, Serialize};
use std::ops::Not;

/// The types of joints in scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Nothing is free.
    Fixed,
    /// All rotations: the z axis swings in a cone, and turns about itself.
    Ball,
    /// The rotation about the z axis.
    Hinge,
    /// The displacement along the z axis.
    Slider,
    /// The rotations about the x axis of the first frame and the y axis of the second.
    Universal,
    /// The distance of the origins of the frames is held or sprung.
    Distance,
    /// The distance of the origins of the frames is bounded.
    Rope,
    /// A wheel that rolls about the y axis; its suspension is along z.
    Wheel,
    /// Each coordinate on its own; rotations are hinges about z, then y, then x.
    Free,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointAxis {
    /// The displacement along x.
    X,
    /// The displacement along y.
    Y,
    /// The displacement along z.
    Z,
    /// The rotation about x.
    TurnX,
    /// The rotation about y.
    TurnY,
    /// The rotation about z.
    TurnZ,
    /// The distance of the origins of the frames.
    Distance,
}

/// A joint between two bodies, or between the world and a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointInfo {
    /// Its name in the scene.
    pub name: String,
    /// Its type.
    pub kind: JointKind,
    /// The two bodies, indices into [`Header::bodies`](crate::Header::bodies); null for the world.
    pub bodies: [Option<usize>; 2],
    /// The frames of the joint in the axes of the bodies, or in the world. Coordinates
    /// are those of the second frame in the axes of the first.
    pub frames: [PoseInfo; 2],
    /// The coordinates that are not locked. `swing` of a ball joint is the range of
    /// `turn_x`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<CoordinateInfo>,
    /// Whether the two bodies collide with each other.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub collide: bool,
    /// The force in newtons at which it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_force: Option<f64>,
    /// The torque in newton metres at which it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_torque: Option<f64>,
}

/// A coordinate of a joint that is not locked, in metres or radians.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoordinateInfo {
    /// Which one.
    pub axis: JointAxis,
    /// The least and the greatest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<[f64; 2]>,
    /// A spring.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<JointSpringInfo>,
    /// A motor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorInfo>,
}

/// A spring of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointSpringInfo {
    /// Where it is at rest, in metres or radians.
    pub rest: f64,
    /// In N/m or N·m/rad.
    pub stiffness: f64,
    /// In N·s/m or N·m·s/rad.
    pub damping: f64,
}

/// A motor of a joint: it has a speed or a position to reach.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MotorInfo {
    /// In m/s or rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// In metres or radians.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    /// The greatest force in newtons, or torque in newton metres.
    pub max_force: f64,
    /// The greatest speed on the way to a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_speed: Option<f64>,
}

impl JointInfo {
    /// The coordinate of an axis, unless it is locked.
    pub fn coordinate(&self, axis: JointAxis) -> Option<&CoordinateInfo> {
        self.coordinates.iter().find(|c| c.axis == axis)
    }

    /// Whether it has axes: all but distances and ropes.
    pub fn has_axes(&self) -> bool {
        !matches!(self.kind, JointKind::Distance | JointKind::Rope)
    }

    pub(super) fn check(&self, bodies: usize) -> Result<(), String> {
        let name = &self.name;
        if self.bodies.iter().flatten().any(|&b| b >= bodies) {
            return Err(format!("the joint `{name}` refers to a missing body"));
        }
        let what = format!("the joint `{name}`");
        for frame in &self.frames {
            frame.check(&what)?;
        }
        let bounds = [self.break_force, self.break_torque];
        finite(&what, &bounds.map(|b| b.unwrap_or(0.0)))?;
        for c in &self.coordinates {
            finite(&what, &c.limits.unwrap_or_default())?;
            if let Some(spring) = c.spring {
                finite(&what, &[spring.rest, spring.stiffness, spring.damping])?;
            }
            if let Some(motor) = c.motor {
                let given = [motor.speed, motor.position, motor.max_speed];
                finite(&what, &given.map(|v| v.unwrap_or(0.0)))?;
                finite(&what, &[motor.max_force])?;
            }
        }
        Ok(())
    }
}

impl JointKind {
    /// Its name in scene files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Ball => "ball",
            Self::Hinge => "hinge",
            Self::Slider => "slider",
            Self::Universal => "universal",
            Self::Distance => "distance",
            Self::Rope => "rope",
            Self::Wheel => "wheel",
            Self::Free => "free",
        }
    }
}
