//! Joints, `[[joint]]`.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint between two bodies, or between a body and the world.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Joint")]
pub struct JointSpec {
    /// Its name; `joint-1`, … by place in the file by default.
    pub name: String,
    /// What it leaves free.
    #[serde(rename = "type")]
    pub kind: JointKindSpec,
    /// One body, which is joined to the world, or two.
    pub bodies: Vec<String>,
    /// Where the joint is at the start, in world coordinates; the centre of mass of the
    /// last body by default.
    pub at: Option<Vec3>,
    /// Its axis at the start, in world axes; the z axis by default. A hinge turns about it,
    /// a slider and the suspension of a wheel move along it, the cone of a ball joint
    /// is around it.
    pub axis: Option<Vec3>,
    /// The second axis of a `universal` joint, or the axle of a `wheel`, in world axes.
    pub second_axis: Option<Vec3>,
    /// The two ends of a `distance` or `rope`, in world coordinates at the start; the
    /// centres of mass by default. Of a body that is joined to the world, the first is in
    /// the world.
    pub ends: Option<[Vec3; 2]>,
    /// The length of a `distance` or `rope` in metres; by default as at the start.
    pub length: Option<f64>,
    /// The least and greatest angle of a hinge in radians, or displacement of a slider or
    /// suspension in metres, against the start.
    pub limits: Option<[f64; 2]>,
    /// The greatest angle between the axis and where it was, of a ball joint, in radians.
    pub swing: Option<f64>,
    /// The least and greatest rotation about the axis of a ball joint, in radians.
    pub twist: Option<[f64; 2]>,
    /// A spring on a hinge, slider, suspension or distance.
    pub spring: Option<JointSpringSpec>,
    /// A motor on a hinge or slider, or on the axle of a wheel.
    pub motor: Option<MotorSpec>,
    /// A motor that steers a wheel; without one it keeps its direction.
    pub steering: Option<MotorSpec>,
    /// The six coordinates of a joint of type `free`, in the axes that `axis` (z) and
    /// `second_axis` (y) give; those that are not named are locked. Rotations are hinges
    /// one after another: about z, then y, then x.
    pub free: FreedomsSpec,
    /// Whether the two bodies collide with each other.
    pub collide: bool,
    /// The force in newtons at which it breaks.
    pub break_force: Option<f64>,
    /// The torque in newton metres at which it breaks.
    pub break_torque: Option<f64>,
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "JointType")]
pub enum JointKindSpec {
    /// Nothing.
    #[default]
    Fixed,
    /// All rotations, within `swing` and `twist`.
    Ball,
    /// The rotation about `axis`.
    Hinge,
    /// The displacement along `axis`.
    Slider,
    /// The rotations about `axis` and `second_axis`.
    Universal,
    /// A rod: the distance of `ends` is `length`, or held by a spring.
    Distance,
    /// A rope: the distance of `ends` is `length` at most.
    Rope,
    /// A wheel with suspension along `axis`, that rolls about `second_axis`.
    Wheel,
    /// What `free` says.
    Free,
}

/// A spring of a joint.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "JointSpring")]
pub struct JointSpringSpec {
    /// In N/m or N·m/rad.
    pub stiffness: f64,
    /// In N·s/m or N·m·s/rad.
    #[serde(default)]
    pub damping: f64,
    /// Where it is at rest, in metres or radians; as at the start by default.
    pub rest: Option<f64>,
}

/// A motor of a joint: give `speed` or `position`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Motor")]
pub struct MotorSpec {
    /// The speed to reach, in m/s or rad/s.
    pub speed: Option<f64>,
    /// The position to reach, in metres or radians.
    pub position: Option<f64>,
    /// The greatest force in newtons, or torque in newton metres.
    pub max_force: f64,
    /// The greatest speed on the way to a position, in m/s or rad/s.
    pub max_speed: Option<f64>,
}

/// Bodies that do not collide with each other.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Exclude")]
pub struct ExcludeSpec {
    /// Their names, at least two.
    pub bodies: Vec<String>,
}

/// The coordinates of a joint of type `free`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Freedoms")]
pub struct FreedomsSpec {
    /// The displacement along x.
    pub x: Option<FreedomSpec>,
    /// The displacement along y.
    pub y: Option<FreedomSpec>,
    /// The displacement along z.
    pub z: Option<FreedomSpec>,
    /// The rotation about x.
    pub turn_x: Option<FreedomSpec>,
    /// The rotation about y.
    pub turn_y: Option<FreedomSpec>,
    /// The rotation about z.
    pub turn_z: Option<FreedomSpec>,
}

/// A coordinate of a joint that is not locked.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Freedom")]
pub struct FreedomSpec {
    /// The least and greatest value, in metres or radians.
    pub limits: Option<[f64; 2]>,
    /// A spring.
    pub spring: Option<JointSpringSpec>,
    /// A motor.
    pub motor: Option<MotorSpec>,
}
