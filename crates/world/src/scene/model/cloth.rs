//! Cloth: `[cloth]`, its pieces and materials.

use super::{ArraySpec, EaseSpec, KeyframeSpec, MeshSpec, TurnSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Cloth and thin shells, and how their collisions are handled.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Cloth")]
pub struct ClothSpec {
    /// The pieces.
    pub piece: Vec<ClothPieceSpec>,
    /// Custom materials, by name.
    pub material: BTreeMap<String, ClothMaterialSpec>,
    /// Vertices along the longer side of rectangles without `vertices`.
    pub resolution: u32,
    /// Coulomb friction of all pieces, instead of their materials'.
    pub friction: Option<f64>,
    /// The distance that all pieces keep, in metres, instead of their materials'.
    pub thickness: Option<f64>,
    /// The velocity of the air in m/s.
    pub wind: Vec3,
    /// Gusts: a periodic addition to the wind.
    pub gust: Option<GustSpec>,
    /// The fail-safe for collisions that the earlier stages leave.
    pub response: ClothResponseSpec,
    /// How friction acts in the fail-safe.
    pub zone_friction: ClothZoneFrictionSpec,
    /// The largest number of sweeps over contacts in a step.
    pub sweeps: u32,
    /// The largest number of passes over collisions in a step, before the fail-safe.
    pub passes: u32,
    /// The fraction of an overlap that is removed in a step.
    pub restore: f64,
    /// The largest ratio of an edge to its rest length before it is held back.
    pub longest: f64,
    /// Whether contacts of the step before take part in the linear system of a step.
    pub contacts_in_solve: bool,
    /// Whether cloth at rest is skipped until something around it moves.
    pub rests: bool,
    /// The shortest substep, in seconds, that a difficult step is split into.
    pub smallest_step: f64,
    /// How a step is integrated.
    pub integrator: ClothIntegratorSpec,
    /// How the linear system of a step is solved.
    pub solver: ClothSolverSpec,
    /// The tolerance of the solver, relative to the change of velocity.
    pub tolerance: f64,
    /// The number of linearisations of the forces in a step.
    pub newton_iterations: u32,
    /// Whether to run a scene in which cloth intersects something at the start.
    pub allow_initial_intersections: bool,
}

impl Default for ClothSpec {
    fn default() -> Self {
        Self {
            piece: Vec::new(),
            material: BTreeMap::new(),
            resolution: 41,
            friction: None,
            thickness: None,
            wind: [0.0; 3],
            gust: None,
            response: ClothResponseSpec::default(),
            zone_friction: ClothZoneFrictionSpec::default(),
            sweeps: 8,
            passes: 4,
            restore: 0.1,
            longest: 1.1,
            contacts_in_solve: true,
            rests: true,
            smallest_step: 2e-5,
            integrator: ClothIntegratorSpec::default(),
            solver: ClothSolverSpec::default(),
            tolerance: 1e-3,
            newton_iterations: 1,
            allow_initial_intersections: false,
        }
    }
}

/// Periodic wind: the sum of three sines with different periods.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Gust")]
pub struct GustSpec {
    /// The largest velocity of the gusts, in m/s.
    pub strength: Vec3,
    /// The time from one gust to the next, in seconds.
    pub period: f64,
}

/// The fail-safe for collisions that the earlier stages leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ClothResponse")]
pub enum ClothResponseSpec {
    /// Impact is cancelled, sliding is kept (Harmon et al. 2008).
    #[default]
    InelasticProjection,
    /// Colliding vertices move on as one rigid body (Provot 1997, Bridson et al. 2002).
    RigidImpactZones,
    /// Impulses push and never pull: a linear complementarity problem.
    Lcp,
}

/// How friction acts in an impact zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ClothZoneFriction")]
pub enum ClothZoneFrictionSpec {
    /// One magnitude for the whole zone, as in the paper.
    #[default]
    PerZone,
    /// Coulomb's limit for every collision separately.
    PerConstraint,
}

/// How a step of cloth is integrated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ClothIntegrator")]
pub enum ClothIntegratorSpec {
    /// Linearised implicit Euler: stable at any step.
    #[default]
    ImplicitEuler,
    /// Conserves energy, for steps shorter than the fastest vibration.
    SymplecticEuler,
}

/// How the linear system of a step is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ClothSolver")]
pub enum ClothSolverSpec {
    /// Conjugate gradients, and Cholesky when they do not converge.
    #[default]
    Auto,
    /// Conjugate gradients.
    Pcg,
    /// Sparse Cholesky factorisation.
    Cholesky,
}

/// A piece of cloth.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ClothPiece")]
pub struct ClothPieceSpec {
    /// The name by which reports refer to it.
    pub name: String,
    /// Its shape at rest.
    pub shape: Option<ClothShapeSpec>,
    /// Its material: cotton, silk, denim, paper, plastic, or one of `cloth.material`.
    pub material: Option<String>,
    /// Where the origin of its shape starts.
    pub position: Vec3,
    /// Its orientation at the start, as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// Its orientation at the start, as a turn about an axis.
    pub turn: Option<TurnSpec>,
    /// Its velocity at the start.
    pub velocity: Vec3,
    /// Vertices that are held or moved by the scene.
    pub pin: Vec<ClothPinSpec>,
    /// Springs between vertices and fixed points.
    pub spring: Vec<ClothSpringSpec>,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// Many copies of the piece on a grid.
    pub array: Option<ArraySpec>,
    /// When copies, which are held at their start until then, are released.
    pub release: Option<ReleaseSpec>,
}

/// The shape of a piece at rest.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ClothShape")]
pub enum ClothShapeSpec {
    /// A flat rectangle or strip in the x-y plane, about its middle.
    Rectangle(ClothRectangleSpec),
    /// A flat disc in the x-y plane, about its middle.
    Disc(ClothDiscSpec),
    /// An open cylinder about z that keeps its curvature.
    Cylinder(ClothTubeSpec),
    /// A sphere that keeps its curvature.
    Sphere(ClothBallSpec),
    /// A triangle mesh from a Wavefront OBJ file; flat bending if it is flat.
    Mesh(MeshSpec),
}

/// A flat rectangle.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClothRectangle")]
pub struct ClothRectangleSpec {
    /// The length along x.
    pub width: f64,
    /// The length along y.
    pub height: f64,
    /// The number of vertices along x and y; from `cloth.resolution` by default.
    pub vertices: Option<[u32; 2]>,
}

/// A flat disc.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClothDisc")]
pub struct ClothDiscSpec {
    /// The radius.
    pub radius: f64,
    /// Rings of vertices about the middle.
    pub rings: u32,
}

/// An open cylinder.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClothTube")]
pub struct ClothTubeSpec {
    /// The radius.
    pub radius: f64,
    /// The length along z.
    pub height: f64,
    /// The number of vertices around and along.
    pub vertices: [u32; 2],
}

/// A sphere as a shell.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClothBall")]
pub struct ClothBallSpec {
    /// The radius.
    pub radius: f64,
    /// How often each triangle of the icosahedron is divided into four.
    pub subdivisions: u32,
}

/// A custom material. Missing keys are those of the material `like`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ClothMaterial")]
pub struct ClothMaterialSpec {
    /// The material that supplies the missing keys; cotton by default.
    pub like: Option<String>,
    /// Mass per area in kg/m².
    pub density: Option<f64>,
    /// Tension per width at 100% stretch, in N/m, both ways.
    pub stretch: Option<f64>,
    /// The same along the warp (x) alone.
    pub stretch_warp: Option<f64>,
    /// The same along the weft (y) alone.
    pub stretch_weft: Option<f64>,
    /// Shear stiffness in N/m.
    pub shear: Option<f64>,
    /// The fraction of the stretch stiffness in compression, from 0 to 1.
    pub compression: Option<f64>,
    /// Bending stiffness in N·m.
    pub bend: Option<f64>,
    /// Damping by mass in 1/s: slows all motion.
    pub damping_mass: Option<f64>,
    /// Damping by stiffness in s: slows deformation.
    pub damping_stiffness: Option<f64>,
    /// Drag coefficient of air through the sheet.
    pub drag_normal: Option<f64>,
    /// Drag coefficient of air along the sheet.
    pub drag_tangential: Option<f64>,
    /// The distance that it keeps from other surfaces, in metres.
    pub thickness: Option<f64>,
    /// Coulomb friction.
    pub friction: Option<f64>,
}

/// Vertices that are held, or moved by the scene, a body, an obstacle or a character.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ClothPin")]
pub struct ClothPinSpec {
    /// Which vertices, counted from 1 as in OBJ files.
    pub vertices: Vec<u32>,
    /// The four corners of a rectangle.
    pub corners: bool,
    /// All vertices in a box, given by its two opposite corners, in the shape's coordinates.
    pub within: Option<[Vec3; 2]>,
    /// How they move from their start; held in place by default.
    pub keyframe: Vec<KeyframeSpec>,
    /// The body that they are fixed to. The forces of the cloth on them act on it.
    pub body: Option<String>,
    /// The obstacle that they are fixed to.
    pub obstacle: Option<String>,
    /// The part of a character that they are fixed to, for example `human/torso`.
    pub part: Option<String>,
    /// The interpolation between keyframes.
    pub ease: EaseSpec,
    /// When they are released, in seconds.
    pub until: Option<f64>,
}

/// A spring from vertices to points.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ClothSpring")]
pub struct ClothSpringSpec {
    /// Which vertices, counted from 1.
    pub vertices: Vec<u32>,
    /// The fixed point; by default the start of each vertex.
    pub point: Option<Vec3>,
    /// The stiffness in N/m.
    pub stiffness: f64,
    /// The damping in N·s/m.
    #[serde(default)]
    pub damping: f64,
}

/// When copies are released.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Release")]
pub struct ReleaseSpec {
    /// When the first copy is released, in seconds.
    #[serde(default)]
    pub first: f64,
    /// The time between two releases, in seconds.
    pub every: f64,
}
