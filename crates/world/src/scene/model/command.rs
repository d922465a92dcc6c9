//! Commands: `[[command]]`, what happens at given times.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that happens at a given time: exactly one of the keys besides
/// `time`.
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
    /// Makes two or more bodies one.
    pub merge: Option<Vec<String>>,
    /// Holds a body in place from now on.
    pub lock: Option<String>,
    /// Lets a body go.
    pub unlock: Option<String>,
}

/// A kick, as the keys 1 to 9 give it.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Kick")]
pub struct KickSpec {
    /// The body.
    pub body: String,
    /// Its new momentum; unchanged if absent.
    pub momentum: Option<Vec3>,
    /// Its new angular momentum in world axes; unchanged if absent.
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
    /// the centre of mass if absent.
    pub point: Option<Vec3>,
}
