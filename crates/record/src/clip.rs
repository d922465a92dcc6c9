//! The motion of characters for other programs: the contents of `.clip.json`
//! (`conatus-clip/1`, specified in docs/formats.md).
//!
//! A [`Clip`] lists poses and forces at evenly spaced times. It does not depend on
//! how the motion was found. [`Clip::check`] validates one; [`Clip::parts`] and [`Clip::part_poses`] turn it into
//! scripted bodies that any exporter can draw.

mod chart;
mod check;
mod join;
mod limbs;
mod parts;
pub(crate) mod quaternions;
mod tracks;
mod velocities;

pub use chart::{ContactChart, ContactChartRow};
pub use limbs::ClipLimb;
pub use parts::{ClipPart, ClipPartSource};
pub use tracks::ClipTracks;

pub use velocities::{ClipCharacterVelocities, ClipTwists, ClipVelocities};

use crate::model::Up;
use conatus_geometry::PartShape;
use conatus_math::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// The name and version of the format that [`Clip::format`] carries.
pub const CLIP_FORMAT: &str = "conatus-clip/1";

/// The motion of characters and objects, sampled at even moments. All arrays
/// described as *per moment* have the length of [`Clip::time`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Always [`CLIP_FORMAT`].
    pub format: String,
    /// Which axis points up.
    pub up: Up,
    /// The acceleration of gravity, in m/s².
    pub gravity: DVec3,
    /// Seconds between two moments.
    pub dt: f64,
    /// The seed that the motion was found with.
    #[serde(default)]
    pub seed: u64,
    /// The moments in seconds, evenly spaced and rising. A movement that continues
    /// another starts at the time at which it does ([`Clip::start_time`]).
    pub time: Vec<f64>,
    /// The boundaries of the K phases in seconds: K + 1 numbers, or none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<f64>,
    /// The fixed surfaces of the world.
    pub surfaces: Vec<ClipSurface>,
    /// The characters.
    pub characters: Vec<ClipCharacter>,
    /// The objects that characters move.
    pub objects: Vec<ClipObject>,
    /// The requested targets, for display.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<ClipTarget>,
    /// The exact velocities at the moments, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocities: Option<ClipVelocities>,
}

/// A surface that does not move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipSurface {
    /// Its name, by which [`ClipEffector::touches`] refers to it.
    pub name: String,
    /// What it is, and where.
    #[serde(flatten)]
    pub kind: ClipSurfaceKind,
}

/// The kinds of surfaces, with their places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ClipSurfaceKind {
    /// An endless plane.
    Plane {
        /// A point on it.
        point: DVec3,
        /// The unit normal, towards the free side.
        normal: DVec3,
    },
    /// A box.
    Box {
        /// Half of its edges.
        half_extents: DVec3,
        /// Its centre.
        position: DVec3,
        /// From its axes to world axes; w, x, y, z in JSON.
        #[serde(with = "quaternions::one")]
        orientation: DQuat,
        /// The radius of its edges, if they are round.
        #[serde(default, skip_serializing_if = "is_zero")]
        radius: f64,
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
        /// Its centre.
        position: DVec3,
    },
    /// All points within a distance of a segment.
    Capsule {
        /// That distance.
        radius: f64,
        /// One end of the segment.
        start: DVec3,
        /// Its other end.
        end: DVec3,
    },
    /// Ground with hills: cubic B-splines of heights on a grid.
    Heightfield {
        /// The corner with the least x and y; its z is added to all heights.
        origin: DVec3,
        /// The distance of neighbours.
        spacing: f64,
        /// How many there are along x.
        columns: usize,
        /// Row by row, along x first; beyond the border the heights are constant.
        heights: Vec<f64>,
    },
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A shape without a place, about its own origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ClipShape {
    /// A box along its own axes.
    Box {
        /// Half of its edges.
        half_extents: DVec3,
        /// The radius of its edges, if they are round.
        #[serde(default, skip_serializing_if = "is_zero")]
        radius: f64,
    },
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// All points within `radius` of a segment on its own z axis, from
    /// −`length`/2 to `length`/2.
    Capsule {
        /// That distance.
        radius: f64,
        /// The length of the segment, without the round ends.
        length: f64,
    },
}

/// A character: a torso with limbs and contact patches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipCharacter {
    /// Its name.
    pub name: String,
    /// Its mass in kilograms.
    pub mass: f64,
    /// The inertia about the torso's origin in kg·m², rows, in torso axes.
    pub inertia: [[f64; 3]; 3],
    /// Red, green, blue from 0 to 1 (sRGB).
    #[serde(default = "default_color")]
    pub color: [f32; 3],
    /// Where the torso is.
    pub torso: ClipTorso,
    /// What is shown fixed to the torso, such as the head.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<ClipFixedShape>,
    /// The links of all limbs.
    pub links: Vec<ClipLink>,
    /// Its contact patches.
    pub effectors: Vec<ClipEffector>,
}

/// The colour of characters that name none.
pub(crate) fn default_color() -> [f32; 3] {
    [0.36, 0.55, 0.74]
}

/// The torso: the one body of a character that carries its mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClipTorso {
    /// Half of the edges of the box that it is shown as; none is shown if one
    /// of them is 0.
    #[serde(default)]
    pub half_extents: DVec3,
    /// The solid that it is for collisions, and that is shown; a trunk in the box
    /// if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision: Option<PartShape>,
    /// Its centre of mass, per moment.
    pub position: Vec<DVec3>,
    /// From torso axes to world axes, per moment; w, x, y, z in JSON.
    #[serde(with = "quaternions::many")]
    pub orientation: Vec<DQuat>,
}

/// A shape fixed to the torso.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipFixedShape {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub shape: ClipShape,
    /// Its origin, in torso axes.
    pub position: DVec3,
    /// From its axes to torso axes; w, x, y, z in JSON.
    #[serde(default, with = "quaternions::one")]
    pub orientation: DQuat,
}

/// One link of a limb: a capsule between two joints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipLink {
    /// Its name.
    pub name: String,
    /// The limb that it belongs to.
    #[serde(default)]
    pub limb: String,
    /// Its place in the limb, from 0 at the torso.
    #[serde(default)]
    pub index: usize,
    /// Its nominal length from joint to joint.
    pub length: f64,
    /// The capsule's radius.
    pub radius: f64,
    /// The solid that it is for collisions, and that is shown, with its middle as
    /// origin and z towards its end; a tapered capsule if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision: Option<PartShape>,
    /// The joint nearer to the torso, per moment.
    pub start: Vec<DVec3>,
    /// The joint farther from the torso, per moment.
    pub end: Vec<DVec3>,
}

/// A rectangular patch that can push against surfaces: a sole, a palm, the
/// back. Its x and y axes span it; its z axis is the surface's normal while it
/// lies flat on one, so that a standing foot's z points up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipEffector {
    /// Its name.
    pub name: String,
    /// The limb at whose end it is; none for patches of the body.
    #[serde(default)]
    pub limb: Option<String>,
    /// Half of its edges along its own x and y.
    pub half_extents: [f64; 2],
    /// The solid that it is for collisions, and that is shown, in its own axes: it
    /// stands on the patch at the end of a limb, and is centred in a patch of the
    /// body. A thin slab if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision: Option<PartShape>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether it can hold on, and so pull.
    pub grasps: bool,
    /// The contact variable of each of the K phases, if known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contact: Vec<f64>,
    /// Its centre, per moment.
    pub position: Vec<DVec3>,
    /// From patch axes to world axes, per moment; w, x, y, z in JSON.
    #[serde(with = "quaternions::many")]
    pub orientation: Vec<DQuat>,
    /// The force on the character in newtons, world axes, per moment.
    pub force: Vec<DVec3>,
    /// Where the force acts, in world coordinates, per moment.
    pub point: Vec<DVec3>,
    /// The torque on the character in N·m besides that of the force about its
    /// point, world axes, per moment.
    pub torque: Vec<DVec3>,
    /// The unit normal of what it touches or is nearest to, towards the
    /// character, per moment.
    pub normal: Vec<DVec3>,
    /// Whether it is in contact, per moment.
    pub active: Vec<bool>,
    /// The surface, the object or the other character's link that it touches,
    /// per moment.
    pub touches: Vec<Option<String>>,
}

/// An object that characters move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipObject {
    /// Its name.
    pub name: String,
    /// Its mass in kilograms.
    pub mass: f64,
    /// The inertia about its centre in kg·m², rows, in its own axes.
    pub inertia: [[f64; 3]; 3],
    /// Red, green, blue from 0 to 1 (sRGB).
    #[serde(default = "default_object_color")]
    pub color: [f32; 3],
    /// What it is.
    pub shape: ClipShape,
    /// The solid that it is for collisions, and that is shown; `shape` with
    /// slightly rounded edges if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision: Option<PartShape>,
    /// Its centre of mass, per moment.
    pub position: Vec<DVec3>,
    /// From its axes to world axes, per moment; w, x, y, z in JSON.
    #[serde(with = "quaternions::many")]
    pub orientation: Vec<DQuat>,
    /// The forces that act on it.
    pub contacts: Vec<ClipObjectContact>,
}

fn default_object_color() -> [f32; 3] {
    [0.80, 0.60, 0.32]
}

/// A force on an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipObjectContact {
    /// What exerts it: a surface, or a character's effector.
    pub with: String,
    /// The force on the object in newtons, world axes, per moment.
    pub force: Vec<DVec3>,
    /// Where it acts, in world coordinates, per moment.
    pub point: Vec<DVec3>,
    /// The torque on the object in N·m besides that of the force about its
    /// point, world axes, per moment.
    pub torque: Vec<DVec3>,
    /// The unit normal, towards the object, per moment.
    pub normal: Vec<DVec3>,
    /// Whether it touches, per moment.
    pub active: Vec<bool>,
}

/// A requested target, for display.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClipTarget {
    /// Its name.
    pub name: String,
    /// The kind of the request.
    pub kind: ClipTargetKind,
    /// Where.
    pub position: DVec3,
    /// The direction to face or to strike in, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<DVec3>,
    /// When, in seconds.
    pub time: f64,
    /// The character, effector or object that has to reach it.
    pub of: String,
}

/// The kinds of targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClipTargetKind {
    /// Be at a place.
    Position,
    /// Face a direction.
    Direction,
    /// Pass a place with a velocity.
    Strike,
    /// Be at a height.
    Height,
}

impl Clip {
    /// An empty clip of `moments` times, `dt` seconds apart.
    pub fn empty(up: Up, gravity: DVec3, dt: f64, moments: usize) -> Self {
        Self {
            format: CLIP_FORMAT.into(),
            up,
            gravity,
            dt,
            seed: 0,
            time: (0..moments).map(|i| i as f64 * dt).collect(),
            phases: Vec::new(),
            surfaces: Vec::new(),
            characters: Vec::new(),
            objects: Vec::new(),
            targets: Vec::new(),
            velocities: None,
        }
    }

    /// Seconds from the first moment to the last.
    pub fn duration(&self) -> f64 {
        match (self.time.first(), self.time.last()) {
            (Some(first), Some(last)) => last - first,
            _ => 0.0,
        }
    }

    /// The moment that is nearest to a time.
    pub fn moment(&self, time: f64) -> usize {
        let after = self.time.partition_point(|t| *t <= time);
        let before = after.saturating_sub(1);
        match (self.time.get(before), self.time.get(after)) {
            (Some(a), Some(b)) if b - time < time - a => after,
            _ => before,
        }
    }

    /// Reads a clip from JSON and checks it.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let clip: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        clip.check().map(|()| clip)
    }

    /// The clip as JSON, every number exact.
    pub fn to_json(&self) -> Result<String, String> {
        serde_json::to_string(self).map_err(|e| e.to_string())
    }
}
