//! The scene file, key by key. The doc comments are the descriptions that `conatus schema`
//! prints; docs/scenes.md explains all keys.
//!
//! Units are SI: metres, kilograms, seconds, radians unless a key says degrees.

mod body;
mod cloth;
mod command;
mod force;
mod import;
mod joint;
mod motion;
mod obstacle;
mod place;

pub use body::*;
pub use cloth::*;
pub use command::*;
pub use force::*;
pub use import::*;
pub use joint::*;
pub use motion::*;
pub use obstacle::*;
pub use place::*;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A vector of three numbers.
pub type Vec3 = [f64; 3];

/// A scene: bodies, forces, constraints and timed commands.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneFile {
    /// One line: what happens.
    pub title: Option<String>,
    /// The document and section that the scene illustrates.
    pub shows: Option<String>,
    /// The axis that points up.
    pub up: UpAxisSpec,
    /// The seed of everything random in the scene.
    pub seed: Option<u64>,
    /// The size and number of steps.
    pub time: TimeSpec,
    /// The acceleration of gravity; 9.81 m/s² downwards by default.
    pub gravity: Option<Vec3>,
    /// Chaney's automatic damping, for every body without its own.
    pub damping: DampingSpec,
    /// How bodies collide.
    pub contact: ContactSpec,
    /// The rigid bodies.
    pub body: Vec<BodySpec>,
    /// Cloth and thin shells.
    pub cloth: ClothSpec,
    /// Obstacles for cloth and bodies: fixed, or moved by the scene.
    pub obstacle: Vec<ObstacleSpec>,
    /// Static planes that bodies cannot pass.
    pub plane: Vec<PlaneSpec>,
    /// Springs between bodies, or from a body to a pin.
    pub spring: Vec<SpringSpec>,
    /// Joints between bodies, or between a body and the world.
    pub joint: Vec<JointSpec>,
    /// Bodies that do not collide with each other.
    pub exclude: Vec<ExcludeSpec>,
    /// Robots from URDF and MJCF files.
    pub import: Vec<ImportSpec>,
    /// Linear drag.
    pub drag: Vec<DragSpec>,
    /// Constant forces and torques.
    pub push: Vec<PushSpec>,
    /// Bodies of water.
    pub water: Vec<WaterSpec>,
    /// Characters whose movements are found by optimisation.
    pub character: Vec<CharacterSpec>,
    /// Objects that characters handle.
    pub object: Vec<ObjectSpec>,
    /// The goals of characters and objects.
    pub goal: Vec<GoalSpec>,
    /// How movements are found.
    pub motion: MotionSpec,
    /// Actions at given times.
    pub command: Vec<CommandSpec>,
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "UpAxis")]
pub enum UpAxisSpec {
    /// The y axis, as in Di Pierro.
    Y,
    /// The z axis, as in Chaney.
    #[default]
    Z,
}

/// The size and number of steps.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Time")]
pub struct TimeSpec {
    /// The size of a step in seconds.
    pub step: f64,
    /// The length of the run in seconds; in scenes with characters, the length of their
    /// movement by default.
    pub seconds: f64,
    /// The number of steps between two recorded frames.
    pub steps_per_frame: u64,
    /// How a step is integrated.
    pub integrator: IntegratorSpec,
}

impl Default for TimeSpec {
    fn default() -> Self {
        Self {
            step: 0.01,
            seconds: 10.0,
            steps_per_frame: 2,
            integrator: IntegratorSpec::default(),
        }
    }
}

/// How a step is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Integrator")]
pub enum IntegratorSpec {
    /// Runge-Kutta of fourth order, Chaney §6.3.
    #[default]
    Rk4,
    /// Euler's method on position and velocity, Chaney (28).
    Euler,
    /// Euler's method on momentum and angular momentum, Di Pierro (48)-(55).
    MomentumEuler,
    /// Momenta first, then positions and orientations with the new momenta; the energy does
    /// not drift.
    SymplecticEuler,
}

/// Automatic damping (Chaney's linKD and rotKD).
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Damping")]
pub struct DampingSpec {
    /// Force per velocity, in N·s/m.
    pub linear: f64,
    /// Torque per angular velocity, in N·m·s.
    pub angular: f64,
}

/// How bodies collide.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Contact")]
pub struct ContactSpec {
    /// Whether bodies collide with each other.
    pub between_bodies: bool,
    /// Restitution of bodies without their own, from 0 to 1.
    pub restitution: f64,
    /// Coulomb friction of bodies without their own.
    pub friction: f64,
    /// Rolling resistance of bodies without their own: the lever of the torque against
    /// rolling, in metres.
    pub rolling_friction: f64,
    /// Substeps of each step for bodies that touch.
    pub substeps: u32,
    /// Whether bodies that touch become one body.
    pub sticky: bool,
    /// Bodies at rest fall asleep below this speed, in m/s; 0 keeps them awake.
    pub sleep_speed: f64,
    /// How long they have to be slower, in seconds.
    pub sleep_seconds: f64,
    /// The names of all groups; by default those that bodies, planes and obstacles name.
    pub groups: Vec<String>,
    /// Whether the beginning and the end of contacts are recorded as events, and what enters
    /// and leaves sensors.
    pub events: bool,
}

impl Default for ContactSpec {
    fn default() -> Self {
        Self {
            between_bodies: true,
            restitution: 0.5,
            friction: 0.0,
            rolling_friction: 0.0,
            substeps: 4,
            sticky: false,
            sleep_speed: 0.002,
            sleep_seconds: 0.5,
            groups: Vec::new(),
            events: false,
        }
    }
}

/// A static plane.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Plane")]
pub struct PlaneSpec {
    /// A point on it.
    pub point: Vec3,
    /// Its normal, towards the side where bodies may be; its length must not be zero.
    pub normal: Vec3,
    /// Restitution; by default that of the body.
    pub restitution: Option<f64>,
    /// Friction; by default that of the body.
    pub friction: Option<f64>,
    /// Its name, for events.
    #[serde(default)]
    pub name: String,
    /// The names of the groups that it is in; `default` if it is in no other.
    #[serde(default)]
    pub groups: Vec<String>,
    /// The groups that it collides with; all by default.
    pub collides_with: Option<Vec<String>>,
    /// A sensor reports what overlaps it, and touches nothing.
    #[serde(default)]
    pub sensor: bool,
}
