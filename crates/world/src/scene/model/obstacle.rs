//! Obstacles, `[[obstacle]]`, and the keyframes of obstacles and of pins.

use super::{
    AxialSpec, BoxSpec, CompoundPartSpec, EllipsoidSpec, MeshSpec, ShapeSpec, SphereSpec, TurnSpec,
    Vec3,
};
use conatus_geometry::Heightfield;
use conatus_math::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A pose at a time.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Keyframe")]
pub struct KeyframeSpec {
    /// Seconds since the start.
    pub time: f64,
    /// The position; for pins, the displacement from their start.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<TurnSpec>,
}

/// The interpolation between keyframes.
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

/// A surface that cloth and bodies collide with: fixed, or moved by the scene.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Obstacle")]
pub struct ObstacleSpec {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Option<ObstacleShapeSpec>,
    /// The longest edge of its triangles in metres; coarse by default.
    pub detail: Option<f64>,
    /// Its position.
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis.
    pub turn: Option<TurnSpec>,
    /// Its poses over time, instead of `position` and `orientation`.
    pub keyframe: Vec<KeyframeSpec>,
    /// The interpolation between keyframes.
    pub ease: EaseSpec,
    /// Moves like a body of a recorded run.
    pub recorded: Option<RecordedSpec>,
    /// Coulomb friction; by default that of the cloth.
    pub friction: Option<f64>,
    /// The names of the groups that it is in; `default` if it is in no other.
    pub groups: Vec<String>,
    /// The groups that it collides with; all by default.
    pub collides_with: Option<Vec<String>>,
    /// A sensor reports what overlaps it, and touches nothing, no cloth and no character either.
    pub sensor: bool,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Whether hands of characters can grip it.
    pub grip: bool,
    /// Whether characters can stand on it and lean against it; true by default.
    pub bears: Option<bool>,
    /// The displacement of the obstacle at the start of a search: some attempts bring it to
    /// its position in stages.
    pub comes_from: Option<Vec3>,
    /// Whether characters collide with it; true by default.
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
    /// A triangle mesh from a Wavefront OBJ, STL or glTF file, open or closed.
    Mesh(MeshSpec),
    /// A funnel about z: a cone, a rounded lip and a chute below.
    Funnel(FunnelSpec),
    /// A surface of revolution about z.
    Revolution(RevolutionSpec),
    /// A channel along y.
    Trough(TroughSpec),
    /// A profile in x and z, extruded along y.
    Extrusion(ExtrusionSpec),
    /// Steps that go up along x.
    Stairs(StairsSpec),
    /// A slope that goes up along x.
    Ramp(RampSpec),
    /// Uneven ground: heights on a grid.
    Heightfield(HeightfieldSpec),
    /// Several shapes of bodies as one.
    Compound(Vec<CompoundPartSpec>),
}

impl ObstacleShapeSpec {
    /// The shape of a body that it is, unless only obstacles can have it.
    pub fn solid(&self) -> Option<ShapeSpec> {
        Some(match self {
            Self::Sphere(s) => ShapeSpec::Sphere(s.clone()),
            Self::Box(b) => ShapeSpec::Box(b.clone()),
            Self::Cylinder(a) => ShapeSpec::Cylinder(a.clone()),
            Self::Capsule(a) => ShapeSpec::Capsule(a.clone()),
            Self::Cone(a) => ShapeSpec::Cone(a.clone()),
            Self::Ellipsoid(e) => ShapeSpec::Ellipsoid(e.clone()),
            Self::Compound(parts) => ShapeSpec::Compound(parts.clone()),
            Self::Mesh(_)
            | Self::Funnel(_)
            | Self::Revolution(_)
            | Self::Trough(_)
            | Self::Extrusion(_)
            | Self::Stairs(_)
            | Self::Ramp(_)
            | Self::Heightfield(_) => return None,
        })
    }
}

/// Steps that go up along x, from x = 0; y goes through their middle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Stairs")]
pub struct StairsSpec {
    /// The number of steps.
    pub steps: u32,
    /// The depth of a step, from edge to edge.
    pub depth: f64,
    /// The height of a step.
    pub height: f64,
    /// The width along y.
    pub width: f64,
    /// The length of the top beyond the last step.
    #[serde(default)]
    pub landing: f64,
}

/// A slope that goes up along x, from x = 0; y goes through its middle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ramp")]
pub struct RampSpec {
    /// The length along x.
    pub length: f64,
    /// The height of its end.
    pub height: f64,
    /// The width along y.
    pub width: f64,
}

/// Heights on a grid, interpolated smoothly.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Heightfield")]
pub struct HeightfieldSpec {
    /// Rows of heights: along x in each row, rows along y.
    pub heights: Vec<Vec<f64>>,
    /// The distance between neighbours.
    pub spacing: f64,
}

impl HeightfieldSpec {
    /// The smooth surface of these heights, with its middle at a place.
    pub fn field(&self, place: DVec3) -> Heightfield {
        let columns = self.heights.first().map_or(0, Vec::len);
        let half = |n: usize| 0.5 * self.spacing * (n as f64 - 1.0);
        Heightfield {
            origin: place - DVec3::new(half(columns), half(self.heights.len()), 0.0),
            spacing: self.spacing,
            columns,
            heights: self.heights.concat(),
        }
    }
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
    /// The number of vertices around.
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
    /// The number of vertices around.
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
    /// The number of sides of the profile; 2 make a V.
    #[serde(default = "sides")]
    pub segments: u32,
}

fn sides() -> u32 {
    24
}

/// An extruded profile.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Extrusion")]
pub struct ExtrusionSpec {
    /// Pairs of x and z.
    pub profile: Vec<[f64; 2]>,
    /// The length along y.
    pub length: f64,
    /// The number of segments along the length.
    #[serde(default = "once")]
    pub segments: u32,
}

fn once() -> u32 {
    1
}
