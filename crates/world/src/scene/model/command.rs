//! Commands: `[[command]]`, actions at given times.

use super::{BodySpec, JointSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An action at a given time: exactly one of the keys besides `time`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Command")]
pub struct CommandSpec {
    /// When, in seconds.
    pub time: f64,
    /// Gives a body a new momentum and angular momentum.
    pub kick: Option<KickSpec>,
    /// Adds an impulse at a point of a body.
    pub impulse: Option<ImpulseSpec>,
    /// Merges two or more bodies into one.
    pub merge: Option<Vec<String>>,
    /// Holds a body in place from now on.
    pub lock: Option<String>,
    /// Releases a body.
    pub unlock: Option<String>,
    /// Adds a body, in the words of `[[body]]`.
    pub add_body: Option<Box<BodySpec>>,
    /// Removes a body.
    pub remove_body: Option<String>,
    /// Joins bodies as they are then, in the words of `[[joint]]`.
    pub add_joint: Option<Box<JointSpec>>,
    /// Removes a joint.
    pub remove_joint: Option<String>,
    /// Gives the motor of a joint another target.
    pub motor: Option<MotorCommandSpec>,
    /// Breaks a joint.
    #[serde(rename = "break")]
    pub break_joint: Option<String>,
}

/// Another target for the motor of a joint: `speed` or `position`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MotorCommand")]
pub struct MotorCommandSpec {
    /// The joint.
    pub joint: String,
    /// Whether it is the motor that steers a wheel.
    #[serde(default)]
    pub steering: bool,
    /// The speed to reach, in m/s or rad/s.
    pub speed: Option<f64>,
    /// The position to reach, in metres or radians.
    pub position: Option<f64>,
}

/// A new momentum for a body, as the keys 1 to 9 give it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Kick")]
pub struct KickSpec {
    /// The body.
    pub body: String,
    /// Its new momentum; unchanged by default.
    pub momentum: Option<Vec3>,
    /// Its new angular momentum in world axes; unchanged by default.
    pub angular_momentum: Option<Vec3>,
}

/// An impulse at a point of a body.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Impulse")]
pub struct ImpulseSpec {
    /// The body.
    pub body: String,
    /// The impulse in N·s, in world axes.
    pub impulse: Vec3,
    /// Where it acts, in the coordinates that the body's shape is given in;
    /// the centre of mass by default.
    pub point: Option<Vec3>,
}
