//! The data model of a recording.

use crate::clip::Clip;
use crate::physics::PhysicsInfo;
use conatus_geometry::Mesh;
use conatus_math::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// The name and version of the format that [`Header::format`] carries.
pub const FORMAT: &str = "conatus-recording/3";

/// Which axis points up in the recorded coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Up {
    /// The y axis.
    Y,
    /// The z axis.
    #[default]
    Z,
}

/// Everything about a run that does not change from frame to frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Always [`FORMAT`].
    pub format: String,
    /// The program's version that wrote the recording.
    pub program: String,
    /// The scene's name.
    pub scene: String,
    /// The seed of the run.
    pub seed: u64,
    /// Which axis points up.
    pub up: Up,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// The size of a step, in seconds.
    pub step_seconds: f64,
    /// How many steps lie between two frames.
    pub steps_per_frame: u64,
    /// Surfaces. Equal meshes appear once; bodies refer to them by index.
    pub meshes: Vec<MeshData>,
    /// The bodies; every frame lists them in this order.
    pub bodies: Vec<BodyInfo>,
    /// Static planes.
    pub planes: Vec<PlaneInfo>,
    /// Springs, ropes and rods, for display.
    pub springs: Vec<SpringInfo>,
    /// Stretches of water.
    pub waters: Vec<WaterInfo>,
    /// Pieces of cloth; every frame lists their vertices in this order, one
    /// piece after the other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<ClothInfo>,
    /// What collides and what is joined.
    #[serde(default, skip_serializing_if = "PhysicsInfo::is_empty")]
    pub physics: PhysicsInfo,
}

impl Header {
    /// The radius of the smallest ball about a body's centre of mass that holds
    /// its mesh or, if it has none, its contact spheres.
    pub fn bounding_radius(&self, body: &BodyInfo) -> f64 {
        match body.mesh.and_then(|mesh| self.meshes.get(mesh)) {
            Some(mesh) => {
                let distances = mesh.vertices.iter().map(|v| v.length());
                distances.fold(0.0, f64::max)
            }
            None => {
                let distances = body.spheres.iter().map(|(c, r)| c.length() + r.abs());
                distances.fold(0.0, f64::max)
            }
        }
    }

    /// How many vertices all pieces of cloth have together.
    pub fn cloth_vertices(&self) -> usize {
        self.cloths.iter().map(|c| c.vertices).sum()
    }

    /// Each piece of cloth, with the range of its vertices in [`Frame::cloth`].
    pub fn cloth_pieces(&self) -> impl Iterator<Item = (&ClothInfo, std::ops::Range<usize>)> {
        self.cloths.iter().scan(0, |first, piece| {
            let range = *first..*first + piece.vertices;
            *first = range.end;
            Some((piece, range))
        })
    }
}

/// The constant properties of a piece of cloth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClothInfo {
    /// Its name in the scene.
    pub name: String,
    /// Red, green, blue from 0 to 1 (sRGB).
    pub color: [f32; 3],
    /// The minimum distance between its layers, in metres.
    pub thickness: f64,
    /// How many vertices it has.
    pub vertices: usize,
    /// Corners of each triangle, counted from its own first vertex.
    pub triangles: Vec<[u32; 3]>,
}

/// A mesh as it is written to a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshData {
    /// Points in the body's principal axes, about its centre of mass.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl From<&Mesh> for MeshData {
    fn from(mesh: &Mesh) -> Self {
        Self {
            vertices: mesh.vertices.clone(),
            triangles: mesh.triangles.clone(),
        }
    }
}

/// The constant properties of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyInfo {
    /// Its name in the scene.
    pub name: String,
    /// Mass in kilograms.
    pub mass: f64,
    /// Principal moments of inertia in kg·m².
    pub moments: DVec3,
    /// Red, green, blue from 0 to 1 (sRGB).
    pub color: [f32; 3],
    /// Its surface: an index into [`Header::meshes`].
    pub mesh: Option<usize>,
    /// Its contact spheres: centres in body axes, and radii.
    pub spheres: Vec<(DVec3, f64)>,
    /// Whether it is an obstacle that the scene moves or holds; its mass is
    /// then given as 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scripted: bool,
    /// The character that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub character: Option<String>,
}

/// A static plane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneInfo {
    /// A point on it.
    pub point: DVec3,
    /// The unit normal, towards the side where bodies may be.
    pub normal: DVec3,
}

/// One end of a spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndInfo {
    /// A fixed point of the world.
    Pin(DVec3),
    /// A point of a body (its index), in the body's principal axes.
    Body(usize, DVec3),
}

/// A spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpringInfo {
    /// One end.
    pub a: EndInfo,
    /// The other end.
    pub b: EndInfo,
    /// The length at which it neither pulls nor pushes.
    pub length: f64,
    /// The name of the joint, if it is a rope or a rod: these are drawn straight, until
    /// an event `break` names the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
}

/// A stretch of water whose surface is `level + Σ amplitude ·
/// sin(wave_vector · (horizontal position) − angular_frequency · t + phase)`.
/// The horizontal position is (x, y) if z is up and (x, z) if y is up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaterInfo {
    /// The height of the undisturbed surface.
    pub level: f64,
    /// The horizontal extent, least and greatest corner; endless without one.
    pub extent: Option<[[f64; 2]; 2]>,
    /// The travelling waves.
    pub waves: Vec<WaveInfo>,
}

/// One travelling wave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaveInfo {
    /// Half of the height from trough to crest, in metres.
    pub amplitude: f64,
    /// Direction of travel times 2π/wavelength, in rad/m.
    pub wave_vector: [f64; 2],
    /// In rad/s.
    pub angular_frequency: f64,
    /// In radians.
    pub phase: f64,
}

/// How a body takes part in the simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum Status {
    /// It moves freely.
    #[default]
    Free = 0,
    /// It is fixed in place.
    Locked = 1,
    /// It is part of another body after a merge.
    Merged = 2,
    /// Its state was not finite, and it was frozen.
    Quarantined = 3,
    /// It follows a scripted motion, unaffected by contacts.
    Scripted = 4,
    /// It was taken out of the world, and is not shown.
    Removed = 5,
    /// It is at rest, and nothing is computed for it until something wakes it.
    Asleep = 6,
}

/// A body in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// The centre of mass, in world coordinates.
    pub position: DVec3,
    /// From principal body axes to world axes.
    pub orientation: DQuat,
    /// The velocity of the centre of mass.
    pub velocity: DVec3,
    /// The angular velocity in body axes.
    pub omega_body: DVec3,
    /// How it takes part.
    pub status: Status,
}

/// A contact of two bodies in the last step before a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactFrame {
    /// Where, in world coordinates.
    pub point: DVec3,
    /// The impulse on the first body, in N·s.
    pub impulse: DVec3,
    /// The penetration depth in metres.
    pub penetration: f64,
}

/// Sums over the whole world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Kinetic energy in joules.
    pub kinetic: f64,
    /// Potential energy of gravity, springs and constant forces, in joules.
    pub potential: f64,
    /// Momentum in kg·m/s.
    pub momentum: DVec3,
    /// Angular momentum about the world's origin in kg·m²/s.
    pub angular_momentum: DVec3,
    /// The greatest penetration since the previous frame, in metres.
    pub max_penetration: f64,
}

/// One moment of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Seconds since the start.
    pub time: f64,
    /// Steps since the start.
    pub step: u64,
    /// Sums over the whole world.
    pub totals: Totals,
    /// The bodies in the header's order.
    pub bodies: Vec<BodyFrame>,
    /// The contacts of the last step before the frame.
    pub contacts: Vec<ContactFrame>,
    /// The vertices of all pieces of cloth in the header's order, in world
    /// coordinates.
    pub cloth: Vec<DVec3>,
}

/// An event: a command was executed, a body was quarantined, bodies merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Seconds since the start.
    pub time: f64,
    /// Steps since the start.
    pub step: u64,
    /// `command` (of the scene), `input` (a command given while it ran),
    /// `quarantine`, `merge`, `pinch` (of cloth), `break` (of a joint), `contact_begin`,
    /// `contact_end`, `sensor_enter` or `sensor_leave`.
    pub kind: String,
    /// Details: a command as in the scene file, the body's name, …
    pub detail: serde_json::Value,
}

impl Frame {
    /// The bodies that are in the world, with their indices: all but removed ones.
    pub fn present_bodies(&self) -> impl Iterator<Item = (usize, &BodyFrame)> {
        let bodies = self.bodies.iter().enumerate();
        bodies.filter(|(_, body)| body.status != Status::Removed)
    }

    /// A body, unless it was removed.
    pub fn present_body(&self, index: usize) -> Option<&BodyFrame> {
        let body = self.bodies.get(index)?;
        (body.status != Status::Removed).then_some(body)
    }
}

impl Event {
    /// The body that was quarantined, if the event is a quarantine.
    pub fn quarantined(&self) -> Option<&str> {
        let body = self
            .detail
            .get("body")
            .filter(|_| self.kind == "quarantine");
        body.and_then(serde_json::Value::as_str)
    }

    /// The joint that broke, if the event says so.
    pub fn broken_joint(&self) -> Option<&str> {
        let joint = self.detail.get("joint").filter(|_| self.kind == "break");
        joint.and_then(serde_json::Value::as_str)
    }

    /// The joint that broke or was removed by a command, if the event says so.
    pub fn ended_joint(&self) -> Option<&str> {
        let removed = self.detail.get("remove_joint").and_then(|d| d.get("joint"));
        let removed = removed.and_then(serde_json::Value::as_str);
        self.broken_joint().or(removed)
    }
}

/// An input file of the run: the scene itself or a mesh that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name by which the scene refers to it; `scene.toml` or `scene.json`
    /// for the scene.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A whole run in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The header.
    pub header: Header,
    /// The input files of the run, the scene first.
    pub sources: Vec<Source>,
    /// The command line's changes to the scene, as `key=value`.
    pub overrides: Vec<String>,
    /// The frames in order of time.
    pub frames: Vec<Frame>,
    /// The events in order of time.
    pub events: Vec<Event>,
    /// The report at the end of a run; missing if the run was cut off.
    pub report: Option<serde_json::Value>,
    /// The motion of characters, if there are any. In frames their parts are
    /// scripted bodies.
    pub clip: Option<Clip>,
}
