//! Obstacles, `[[obstacle]]`, and the keyframes that they and pins of cloth follow.

use super::{AxialSpec, BoxSpec, EllipsoidSpec, MeshSpec, SphereSpec, TurnSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pose at a time.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Keyframe")]
pub struct KeyframeSpec {
    /// Seconds since the start.
    pub time: f64,
    /// Where it is; for pins, how far from where they start.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<TurnSpec>,
}

/// How something gets from one keyframe to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "EaseName")]
pub enum EaseSpec {
    /// At constant velocity.
    #[default]
    Linear,
    /// Starting and ending at rest.
    Smooth,
}

/// Something that cloth and bodies of its kind meet, and that moves as the scene says.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Obstacle")]
pub struct ObstacleSpec {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Option<ObstacleShapeSpec>,
    /// The longest edge of its triangles in metres; coarse if absent.
    pub detail: Option<f64>,
    /// Where it is.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<TurnSpec>,
    /// Where it is when, instead of `position` and `orientation`.
    pub keyframe: Vec<KeyframeSpec>,
    /// How it gets from one keyframe to the next.
    pub ease: EaseSpec,
    /// Moves as a body of a recorded run did.
    pub recorded: Option<RecordedSpec>,
    /// Coulomb friction; that of the cloth if absent.
    pub friction: Option<f64>,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Whether hands of characters can hold on to it.
    pub grip: bool,
    /// Whether characters can stand on it and lean against it; they can if
    /// nothing is said.
    pub bears: Option<bool>,
    /// How far it is shifted at first while a movement is being found: it comes
    /// to its place in stages, in some of the attempts.
    pub comes_from: Option<Vec3>,
    /// Whether characters meet it; they do if nothing is said.
    pub characters: Option<bool>,
}

/// A body of a recorded run.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Recorded")]
pub struct RecordedSpec {
    /// The recording, relative to the scene file.
    pub file: String,
    /// The body in it.
    pub body: String,
}

/// The shape of an obstacle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ObstacleShape")]
pub enum ObstacleShapeSpec {
    /// A ball.
    Sphere(SphereSpec),
    /// A rectangular block.
    Box(BoxSpec),
    /// A circular cylinder.
    Cylinder(AxialSpec),
    /// A cylinder with half a ball on either end.
    Capsule(AxialSpec),
    /// A circular cone.
    Cone(AxialSpec),
    /// An ellipsoid.
    Ellipsoid(EllipsoidSpec),
    /// A triangle mesh from a Wavefront OBJ file, open or closed.
    Mesh(MeshSpec),
    /// A funnel about z: a cone, a rounded lip and a chute below.
    Funnel(FunnelSpec),
    /// A surface of revolution about z.
    Revolution(RevolutionSpec),
    /// A channel along y.
    Trough(TroughSpec),
    /// A profile in x and z, drawn out along y.
    Extrusion(ExtrusionSpec),
    /// Steps that go up along x.
    Stairs(StairsSpec),
    /// A slope that goes up along x.
    Ramp(RampSpec),
    /// Ground with hills: heights on a grid.
    Heightfield(HeightfieldSpec),
}

/// Steps that go up along x, from x = 0; y goes through their middle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Stairs")]
pub struct StairsSpec {
    /// How many.
    pub steps: u32,
    /// How far it is from edge to edge.
    pub depth: f64,
    /// How high each is.
    pub height: f64,
    /// How wide they are, along y.
    pub width: f64,
    /// How far the top goes on beyond the last step.
    #[serde(default)]
    pub landing: f64,
}

/// A slope that goes up along x, from x = 0; y goes through its middle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ramp")]
pub struct RampSpec {
    /// How long it is, along x.
    pub length: f64,
    /// How high it gets.
    pub height: f64,
    /// How wide it is, along y.
    pub width: f64,
}

/// Heights on a grid, blended smoothly.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Heightfield")]
pub struct HeightfieldSpec {
    /// Rows of heights: along x in each row, rows along y.
    pub heights: Vec<Vec<f64>>,
    /// The distance of neighbours.
    pub spacing: f64,
}

/// A funnel about z.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Funnel")]
pub struct FunnelSpec {
    /// The radius of the rim.
    pub rim_radius: f64,
    /// The height of the rim.
    pub rim_height: f64,
    /// The radius of the chute.
    pub neck_radius: f64,
    /// The height of the chute's upper end.
    #[serde(default)]
    pub neck_height: f64,
    /// The radius of the rounding between cone and chute.
    pub fillet: f64,
    /// The length of the chute.
    pub chute_length: f64,
    /// Corners around.
    #[serde(default = "around")]
    pub segments: u32,
}

fn around() -> u32 {
    64
}

/// A profile of radius and height.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Profile")]
pub struct RevolutionSpec {
    /// Pairs of radius and height.
    pub profile: Vec<[f64; 2]>,
    /// Corners around.
    #[serde(default = "around")]
    pub segments: u32,
}

/// A channel along y, open above.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Trough")]
pub struct TroughSpec {
    /// The width along x.
    pub width: f64,
    /// The length along y.
    pub length: f64,
    /// The depth.
    pub depth: f64,
    /// Sides of the profile; 2 make a V.
    #[serde(default = "sides")]
    pub segments: u32,
}

fn sides() -> u32 {
    24
}

/// A profile drawn out.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extrusion")]
pub struct ExtrusionSpec {
    /// Pairs of x and z.
    pub profile: Vec<[f64; 2]>,
    /// The length along y.
    pub length: f64,
    /// How many pieces the length is cut into.
    #[serde(default = "once")]
    pub segments: u32,
}

fn once() -> u32 {
    1
}
