//! Obstacles, `[[obstacle]]`, and the keyframes that they and pins of cloth follow.

use super::{Axial, Block, Ellipsoid, MeshFile, Sphere, Turn, Vec3};
use schemars::JsonSchema;
use serde::Deserialize;

/// A pose at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Seconds since the start.
    pub time: f64,
    /// Where it is; for pins, how far from where they start.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<Turn>,
}

/// How something gets from one keyframe to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EaseName {
    /// At constant velocity.
    #[default]
    Linear,
    /// Starting and ending at rest.
    Smooth,
}

/// Something that cloth and bodies of its kind meet, and that moves as the scene says.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Obstacle {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Option<ObstacleShape>,
    /// The longest edge of its triangles in metres; coarse if absent.
    pub detail: Option<f64>,
    /// Where it is.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<Turn>,
    /// Where it is when, instead of `position` and `orientation`.
    pub keyframe: Vec<Keyframe>,
    /// How it gets from one keyframe to the next.
    pub ease: EaseName,
    /// Moves as a body of a recorded run did.
    pub recorded: Option<Recorded>,
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// The recording, relative to the scene file.
    pub file: String,
    /// The body in it.
    pub body: String,
}

/// The shape of an obstacle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ObstacleShape {
    /// A ball.
    Sphere(Sphere),
    /// A rectangular block.
    Box(Block),
    /// A circular cylinder.
    Cylinder(Axial),
    /// A cylinder with half a ball on either end.
    Capsule(Axial),
    /// A circular cone.
    Cone(Axial),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A triangle mesh from a Wavefront OBJ file, open or closed.
    Mesh(MeshFile),
    /// A funnel about z: a cone, a rounded lip and a chute below.
    Funnel(Funnel),
    /// A surface of revolution about z.
    Revolution(Profile),
    /// A channel along y.
    Trough(Trough),
    /// A profile in x and z, drawn out along y.
    Extrusion(Extrusion),
    /// Steps that go up along x.
    Stairs(Stairs),
    /// A slope that goes up along x.
    Ramp(Ramp),
    /// Ground with hills: heights on a grid.
    Heightfield(Heightfield),
}

/// Steps that go up along x, from x = 0; y goes through their middle.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stairs {
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ramp {
    /// How long it is, along x.
    pub length: f64,
    /// How high it gets.
    pub height: f64,
    /// How wide it is, along y.
    pub width: f64,
}

/// Heights on a grid, blended smoothly.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Heightfield {
    /// Rows of heights: along x in each row, rows along y.
    pub heights: Vec<Vec<f64>>,
    /// The distance of neighbours.
    pub spacing: f64,
}

/// A funnel about z.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Funnel {
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Pairs of radius and height.
    pub profile: Vec<[f64; 2]>,
    /// Corners around.
    #[serde(default = "around")]
    pub segments: u32,
}

/// A channel along y, open above.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trough {
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
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extrusion {
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
