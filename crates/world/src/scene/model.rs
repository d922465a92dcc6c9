//! The scene file, key by key. What is written here is what `conatus schema`
//! prints and what docs/scenes.md explains.
//!
//! Units are SI: metres, kilograms, seconds, radians unless a key says degrees.

use schemars::JsonSchema;
use serde::Deserialize;

/// A vector of three numbers.
pub type Vec3 = [f64; 3];

/// A scene: bodies, forces, constraints and what happens when.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneFile {
    /// One line: what to look for.
    pub title: Option<String>,
    /// The document and section that the scene shows.
    pub shows: Option<String>,
    /// The axis that points up.
    pub up: UpAxis,
    /// The seed of everything random in the scene.
    pub seed: Option<u64>,
    /// How time passes.
    pub time: Time,
    /// The acceleration of gravity; 9.81 m/s² downwards if absent.
    pub gravity: Option<Vec3>,
    /// Chaney's automatic damping, for every body that has none of its own.
    pub damping: Damping,
    /// How things collide.
    pub contact: Contact,
    /// The rigid bodies.
    pub body: Vec<Body>,
    /// Static planes that bodies cannot pass.
    pub plane: Vec<Plane>,
    /// Springs between bodies, or from a body to a pin.
    pub spring: Vec<Spring>,
    /// Linear drag.
    pub drag: Vec<Drag>,
    /// Constant forces and torques.
    pub push: Vec<Push>,
    /// Stretches of water.
    pub water: Vec<Water>,
    /// What happens at given times.
    pub command: Vec<Command>,
}

/// The axis that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// The y axis, as in Di Pierro.
    Y,
    /// The z axis, as in Chaney.
    #[default]
    Z,
}

/// How time passes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Time {
    /// The size of a step in seconds.
    pub step: f64,
    /// The length of the run in seconds.
    pub seconds: f64,
    /// How many steps lie between two recorded frames.
    pub steps_per_frame: u64,
    /// How a step is integrated.
    pub integrator: Integrator,
}

impl Default for Time {
    fn default() -> Self {
        Self {
            step: 0.01,
            seconds: 10.0,
            steps_per_frame: 2,
            integrator: Integrator::default(),
        }
    }
}

/// How a step is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// Runge-Kutta of fourth order, Chaney §6.3.
    #[default]
    Rk4,
    /// Euler's method on position and velocity, Chaney (28).
    Euler,
    /// Euler's method on momentum and angular momentum, Di Pierro (48)-(55).
    MomentumEuler,
    /// Momenta first, then positions with the new momenta.
    SymplecticEuler,
}

/// Automatic damping (Chaney's linKD and rotKD).
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// Force per velocity, in N·s/m.
    pub linear: f64,
    /// Torque per angular velocity, in N·m·s.
    pub angular: f64,
}

/// How things collide.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Contact {
    /// Whether bodies collide with each other.
    pub between_bodies: bool,
    /// Restitution of bodies that have none of their own, from 0 to 1.
    pub restitution: f64,
    /// Coulomb friction of bodies that have none of their own.
    pub friction: f64,
    /// Whether bodies that touch become one body.
    pub sticky: bool,
}

impl Default for Contact {
    fn default() -> Self {
        Self {
            between_bodies: true,
            restitution: 0.5,
            friction: 0.0,
            sticky: false,
        }
    }
}

/// A rigid body.
///
/// Its mass comes from `shape` (or `parts`) with `mass` or `density`, or from
/// `particles`; `inertia` and `centre` override what follows from them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Body {
    /// The name by which springs, commands and reports refer to it.
    pub name: String,
    /// The shape, for mass, collisions and display.
    pub shape: Option<Shape>,
    /// Several shapes at poses of their own that make up one body.
    pub parts: Vec<Part>,
    /// Point masses that make up the body.
    pub particles: Vec<Particle>,
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
    pub turn: Option<Turn>,
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
    /// Held in place: it never moves, and others bounce off it.
    pub locked: bool,
    /// Automatic damping of its own.
    pub damping: Option<Damping>,
    /// Restitution of its own.
    pub restitution: Option<f64>,
    /// Friction of its own.
    pub friction: Option<f64>,
    /// Whether it takes part in collisions.
    pub collides: Option<bool>,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Many copies of the body on a grid.
    pub array: Option<Array>,
}

/// A shape. Its origin is its centre, except for a mesh.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A rectangular block.
    Box(Block),
    /// A circular cylinder.
    Cylinder(Axial),
    /// A cylinder with half a ball on either end; `height` is without them.
    Capsule(Axial),
    /// A circular cone about its centre of mass, the tip towards positive `axis`.
    Cone(Axial),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A closed triangle mesh from a Wavefront OBJ file.
    Mesh(MeshFile),
}

/// A ball.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// The radius.
    pub radius: f64,
}

/// A rectangular block.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Half of each edge.
    pub half_extents: Vec3,
}

/// A shape with an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axial {
    /// The radius.
    pub radius: f64,
    /// The height along the axis.
    pub height: f64,
    /// The axis it lies along.
    #[serde(default)]
    pub axis: AxisName,
}

/// The name of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AxisName {
    /// The x axis.
    X,
    /// The y axis.
    Y,
    /// The z axis.
    #[default]
    Z,
}

/// An ellipsoid.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipsoid {
    /// The three half axes.
    pub semi_axes: Vec3,
}

/// A mesh from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// The file, relative to the scene file; a bare built-in mesh in built-in scenes.
    pub file: String,
    /// What its coordinates are multiplied by.
    #[serde(default = "one")]
    pub scale: f64,
}

fn one() -> f64 {
    1.0
}

/// One part of a composite body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its shape.
    pub shape: Shape,
    /// Its mass in kilograms.
    pub mass: Option<f64>,
    /// Its density in kg/m³, instead of the mass.
    pub density: Option<f64>,
    /// Where its origin is in the body.
    #[serde(default)]
    pub position: Vec3,
    /// Its orientation as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation as a turn about an axis, instead of `orientation`.
    pub turn: Option<Turn>,
}

/// A point mass.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Particle {
    /// Its mass in kilograms.
    pub mass: f64,
    /// Where it is in the body.
    pub position: Vec3,
}

/// A turn about an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The axis, of any length but zero.
    pub axis: Vec3,
    /// The angle in radians.
    pub angle: Option<f64>,
    /// The angle in degrees, instead of `angle`.
    pub degrees: Option<f64>,
}

/// Many copies of a body on a grid, named `name-0`, `name-1`, …
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Array {
    /// How many along x, y and z.
    pub count: [u64; 3],
    /// The distance between neighbours along x, y and z.
    pub spacing: Vec3,
    /// Each copy is moved by up to this much along each axis, at random.
    #[serde(default)]
    pub jitter: f64,
    /// Each copy gets a velocity of this size in a random direction, added to its own.
    #[serde(default)]
    pub speed: f64,
}

/// A static plane.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// A point on it.
    pub point: Vec3,
    /// Its normal, towards the side where bodies may be; of any length but zero.
    pub normal: Vec3,
    /// Restitution; the body's own if absent.
    pub restitution: Option<f64>,
    /// Friction; the body's own if absent.
    pub friction: Option<f64>,
}

/// A spring.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// One end.
    pub a: SpringEnd,
    /// The other end.
    pub b: SpringEnd,
    /// Force per stretch, in N/m.
    pub stiffness: f64,
    /// The length at rest; the length at the start if absent.
    pub length: Option<f64>,
    /// Force per stretching velocity along the spring, in N·s/m.
    #[serde(default)]
    pub damping: f64,
}

/// One end of a spring: a `pin`, or a `body` with a `vertex` or a `point`
/// (its centre of mass if neither is given).
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpringEnd {
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
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drag {
    /// The bodies it acts on; all if absent.
    pub bodies: Option<Vec<String>>,
    /// Force per velocity, in N·s/m.
    pub linear: f64,
    /// Torque per angular velocity, in N·m·s.
    pub angular: f64,
}

/// A constant force or torque.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Push {
    /// The body it acts on.
    pub body: String,
    /// The force in newtons.
    pub force: Option<Vec3>,
    /// Where it acts, in the coordinates that the body's shape is given in;
    /// the centre of mass if absent.
    pub point: Option<Vec3>,
    /// The torque in N·m.
    pub torque: Option<Vec3>,
    /// Whether force and torque turn with the body.
    pub axes: PushAxes,
    /// When it begins; at once if absent.
    pub from: Option<f64>,
    /// When it ends; never if absent.
    pub until: Option<f64>,
}

/// The axes that a constant force is given in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PushAxes {
    /// Fixed in the world.
    #[default]
    World,
    /// Turning with the body, in the axes that its shape is given in.
    Body,
}

/// A stretch of water that carries and slows what is in it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Water {
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
    /// Its horizontal extent; endless if absent.
    pub extent: Option<Extent>,
    /// Waves that travel over it.
    #[serde(default)]
    pub waves: Vec<Wave>,
}

fn water_density() -> f64 {
    1000.0
}

/// A rectangle seen from above: (x, y) if z is up, (x, z) if y is up.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Extent {
    /// The corner with the smallest coordinates.
    pub min: [f64; 2],
    /// The corner with the greatest coordinates.
    pub max: [f64; 2],
}

/// A travelling wave.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wave {
    /// Half of the height from trough to crest, in metres.
    pub amplitude: f64,
    /// The distance from crest to crest, in metres.
    pub wavelength: f64,
    /// Where it travels to, seen from above; of any length but zero.
    pub direction: [f64; 2],
    /// Its speed in m/s; that of a deep-water wave of its length if absent.
    pub speed: Option<f64>,
    /// Its phase at the start, in radians.
    #[serde(default)]
    pub phase: f64,
}

/// Something that happens at a given time: exactly one of the keys besides
/// `time`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Command {
    /// When, in seconds.
    pub time: f64,
    /// Gives a body a new momentum and angular momentum.
    pub kick: Option<Kick>,
    /// Adds an impulse at a point of a body.
    pub impulse: Option<Impulse>,
    /// Makes two or more bodies one.
    pub merge: Option<Vec<String>>,
    /// Holds a body in place from now on.
    pub lock: Option<String>,
    /// Lets a body go.
    pub unlock: Option<String>,
}

/// A kick, as the keys 1 to 9 give it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kick {
    /// The body.
    pub body: String,
    /// Its new momentum; unchanged if absent.
    pub momentum: Option<Vec3>,
    /// Its new angular momentum in world axes; unchanged if absent.
    pub angular_momentum: Option<Vec3>,
}

/// An impulse at a point of a body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impulse {
    /// The body.
    pub body: String,
    /// The impulse in N·s, in world axes.
    pub impulse: Vec3,
    /// Where it acts, in the coordinates that the body's shape is given in;
    /// the centre of mass if absent.
    pub point: Option<Vec3>,
}
