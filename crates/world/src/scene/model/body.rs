//! Bodies: `[[body]]`, their shapes, parts and copies.

use super::{DampingSpec, Vec3};
use conatus_geometry::DecompositionSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rigid body.
///
/// Its mass comes from `shape` (or `parts`) with `mass` or `density`, or from
/// `particles`; `inertia` and `centre` override what follows from them.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Body")]
pub struct BodySpec {
    /// The name by which springs, commands and reports refer to it.
    pub name: String,
    /// The shape, for mass, collisions and display.
    pub shape: Option<ShapeSpec>,
    /// Several shapes, each at its own pose, that make up one body.
    pub parts: Vec<PartSpec>,
    /// Point masses that make up the body.
    pub particles: Vec<ParticleSpec>,
    /// The mass in kilograms.
    pub mass: Option<f64>,
    /// The density in kg/m³, instead of the mass.
    pub density: Option<f64>,
    /// The inertia tensor about the centre of mass: three rows.
    pub inertia: Option<[Vec3; 3]>,
    /// The centre of mass in the coordinates that the shape is given in.
    pub centre: Option<Vec3>,
    /// Where the centre of mass starts.
    pub position: Option<Vec3>,
    /// Where the origin of the shape's coordinates starts, instead of `position`.
    pub origin: Option<Vec3>,
    /// The orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// The orientation as a turn about an axis, instead of `orientation`.
    pub turn: Option<TurnSpec>,
    /// The velocity of the centre of mass.
    pub velocity: Option<Vec3>,
    /// The momentum, instead of `velocity`.
    pub momentum: Option<Vec3>,
    /// The angular velocity in the axes that the shape is given in.
    pub omega_body: Option<Vec3>,
    /// The angular velocity in world axes, instead of `omega_body`.
    pub angular_velocity: Option<Vec3>,
    /// The angular momentum in world axes, instead of `omega_body`.
    pub angular_momentum: Option<Vec3>,
    /// Held in place: it never moves, and other bodies bounce off it.
    pub locked: bool,
    /// Its automatic damping; by default that of the scene.
    pub damping: Option<DampingSpec>,
    /// Its restitution; by default that of the scene.
    pub restitution: Option<f64>,
    /// Its friction; by default that of the scene.
    pub friction: Option<f64>,
    /// Its rolling resistance: the lever of the torque against rolling in metres; by
    /// default that of the scene.
    pub rolling_friction: Option<f64>,
    /// Whether it takes part in collisions.
    pub collides: Option<bool>,
    /// The names of the groups that it is in; `default` if it is in no other.
    pub groups: Vec<String>,
    /// The groups that it collides with; all by default.
    pub collides_with: Option<Vec<String>>,
    /// A sensor reports what overlaps it, and touches nothing.
    pub sensor: bool,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Many copies of the body on a grid.
    pub array: Option<ArraySpec>,
}

/// A shape. Its origin is its centre, except for a mesh.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Shape")]
pub enum ShapeSpec {
    /// A ball.
    Sphere(SphereSpec),
    /// A rectangular block.
    Box(BoxSpec),
    /// A circular cylinder.
    Cylinder(AxialSpec),
    /// A cylinder with half a ball on either end; `height` is without them.
    Capsule(AxialSpec),
    /// A circular cone about its centre of mass, the tip towards positive `axis`.
    Cone(AxialSpec),
    /// An ellipsoid.
    Ellipsoid(EllipsoidSpec),
    /// A closed triangle mesh from a Wavefront OBJ, STL or glTF file.
    Mesh(MeshSpec),
    /// The convex hull of points.
    Hull(HullSpec),
    /// Several shapes as one, of the same density.
    Compound(Vec<CompoundPartSpec>),
}

/// A shape of a compound.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CompoundPart")]
pub struct CompoundPartSpec {
    /// Its shape.
    pub shape: ShapeSpec,
    /// The position of its origin in the compound.
    #[serde(default)]
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis, instead of `orientation`.
    pub turn: Option<TurnSpec>,
}

/// The convex hull of points.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hull")]
pub struct HullSpec {
    /// Its points: at least four that do not lie in a plane. Points inside do not count.
    pub points: Vec<Vec3>,
}

/// A ball.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Sphere")]
pub struct SphereSpec {
    /// The radius.
    pub radius: f64,
}

/// A rectangular block.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Block")]
pub struct BoxSpec {
    /// Half of each edge.
    pub half_extents: Vec3,
}

/// A shape with an axis.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Axial")]
pub struct AxialSpec {
    /// The radius.
    pub radius: f64,
    /// The height along the axis.
    pub height: f64,
    /// The direction of its axis.
    #[serde(default)]
    pub axis: AxisSpec,
}

/// The name of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AxisName")]
pub enum AxisSpec {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    #[default]
    Z,
}

/// An ellipsoid.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Ellipsoid")]
pub struct EllipsoidSpec {
    /// The three half axes.
    pub semi_axes: Vec3,
}

/// A mesh from a file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "MeshFile")]
pub struct MeshSpec {
    /// The file, relative to the scene file; the name of a built-in mesh in built-in scenes.
    pub file: String,
    /// The factor of its coordinates.
    #[serde(default = "one")]
    pub scale: f64,
    /// Factors of its coordinates along x, y and z, besides `scale`; negative ones mirror.
    pub stretch: Option<Vec3>,
    /// What a body of this mesh collides as; by default as its convex parts.
    pub collide: Option<MeshCollisionSpec>,
    /// How a body of this mesh is divided into convex parts.
    pub decompose: Option<DecomposeSpec>,
}

/// What a body with a mesh that is not convex collides as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MeshCollision")]
pub enum MeshCollisionSpec {
    /// As convex parts, into which the mesh is divided.
    #[default]
    Parts,
    /// As its convex hull.
    Hull,
}

/// How a mesh is divided into convex parts.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Decompose")]
pub struct DecomposeSpec {
    /// The most parts.
    pub max_parts: usize,
    /// By how much the hull of a part may be larger than the part, as a share of the volume
    /// of the mesh.
    pub concavity: f64,
}

impl Default for DecomposeSpec {
    fn default() -> Self {
        let DecompositionSettings {
            max_parts,
            concavity,
        } = DecompositionSettings::default();
        Self {
            max_parts,
            concavity,
        }
    }
}

fn one() -> f64 {
    1.0
}

/// One part of a composite body.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Part")]
pub struct PartSpec {
    /// Its shape.
    pub shape: ShapeSpec,
    /// Its mass in kilograms.
    pub mass: Option<f64>,
    /// Its density in kg/m³, instead of the mass.
    pub density: Option<f64>,
    /// The position of its origin in the body.
    #[serde(default)]
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis, instead of `orientation`.
    pub turn: Option<TurnSpec>,
}

/// A point mass.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Particle")]
pub struct ParticleSpec {
    /// Its mass in kilograms.
    pub mass: f64,
    /// Its position in the body.
    pub position: Vec3,
}

/// A turn about an axis.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Turn")]
pub struct TurnSpec {
    /// The axis; its length must not be zero.
    pub axis: Vec3,
    /// The angle in radians.
    pub angle: Option<f64>,
    /// The angle in degrees, instead of `angle`.
    pub degrees: Option<f64>,
}

/// Many copies of a body on a grid, named `name-0`, `name-1`, …
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Array")]
pub struct ArraySpec {
    /// The number of copies along x, y and z.
    pub count: [u64; 3],
    /// The distance between neighbours along x, y and z.
    pub spacing: Vec3,
    /// The largest random displacement of each copy along each axis.
    #[serde(default)]
    pub jitter: f64,
    /// Each copy gets a velocity of this size in a random direction, added to its own.
    #[serde(default)]
    pub speed: f64,
}

impl ArraySpec {
    /// The number of copies; the largest number if it is larger still.
    pub fn copies(&self) -> u64 {
        let [nx, ny, nz] = self.count;
        nx.saturating_mul(ny).saturating_mul(nz)
    }
}
