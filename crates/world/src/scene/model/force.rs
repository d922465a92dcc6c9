//! Forces: `[[spring]]`, `[[drag]]`, `[[push]]` and `[[water]]`.

use super::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spring.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spring")]
pub struct SpringSpec {
    /// One end.
    pub a: SpringEndSpec,
    /// The other end.
    pub b: SpringEndSpec,
    /// Force per stretch, in N/m.
    pub stiffness: f64,
    /// The length at rest; by default the length at the start.
    pub length: Option<f64>,
    /// Force per stretching velocity along the spring, in N·s/m.
    #[serde(default)]
    pub damping: f64,
}

/// One end of a spring: a `pin`, or a `body` with a `vertex` or a `point`
/// (its centre of mass if neither is given).
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SpringEnd")]
pub struct SpringEndSpec {
    /// A fixed point of the world.
    pub pin: Option<Vec3>,
    /// A body by its name.
    pub body: Option<String>,
    /// The number of a vertex of the body's mesh, counted from 0.
    pub vertex: Option<u64>,
    /// A point in the coordinates that the body's shape is given in.
    pub point: Option<Vec3>,
}

/// Linear drag: a force against the velocity, a torque against the rotation.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Drag")]
pub struct DragSpec {
    /// The bodies it acts on; all by default.
    pub bodies: Option<Vec<String>>,
    /// Force per velocity, in N·s/m.
    pub linear: f64,
    /// Torque per angular velocity, in N·m·s.
    pub angular: f64,
}

/// A constant force or torque.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Push")]
pub struct PushSpec {
    /// The body it acts on.
    pub body: String,
    /// The force in newtons.
    pub force: Option<Vec3>,
    /// Where it acts, in the coordinates that the body's shape is given in;
    /// the centre of mass by default.
    pub point: Option<Vec3>,
    /// The torque in N·m.
    pub torque: Option<Vec3>,
    /// Whether force and torque turn with the body.
    pub axes: PushAxesSpec,
    /// When it begins; at the start by default.
    pub from: Option<f64>,
    /// When it ends; never by default.
    pub until: Option<f64>,
}

/// The axes that a constant force is given in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "PushAxes")]
pub enum PushAxesSpec {
    /// Fixed in the world.
    #[default]
    World,
    /// Turning with the body, in the axes that its shape is given in.
    Body,
}

/// A body of water with buoyancy and drag.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Water")]
pub struct WaterSpec {
    /// The height of the undisturbed surface.
    pub level: f64,
    /// Its density in kg/m³.
    #[serde(default = "water_density")]
    pub density: f64,
    /// Drag per submerged area and velocity, in N·s/m³.
    #[serde(default)]
    pub linear_drag: f64,
    /// The coefficient of quadratic drag on the submerged area.
    #[serde(default)]
    pub drag_coefficient: f64,
    /// The velocity of the water.
    #[serde(default)]
    pub current: Vec3,
    /// Its horizontal extent; unlimited by default.
    pub extent: Option<ExtentSpec>,
    /// Waves that travel over it.
    #[serde(default)]
    pub waves: Vec<WaveSpec>,
}

fn water_density() -> f64 {
    1000.0
}

/// A rectangle seen from above: (x, y) if z is up, (x, z) if y is up.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extent")]
pub struct ExtentSpec {
    /// The corner with the smallest coordinates.
    pub min: [f64; 2],
    /// The corner with the greatest coordinates.
    pub max: [f64; 2],
}

/// A travelling wave.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Wave")]
pub struct WaveSpec {
    /// Half of the height from trough to crest, in metres.
    pub amplitude: f64,
    /// The distance from crest to crest, in metres.
    pub wavelength: f64,
    /// The direction of travel, seen from above; its length must not be zero.
    pub direction: [f64; 2],
    /// Its speed in m/s; by default that of a deep-water wave of its length.
    pub speed: Option<f64>,
    /// Its phase at the start, in radians.
    #[serde(default)]
    pub phase: f64,
}
