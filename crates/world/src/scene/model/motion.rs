//! Characters and the search for their movements: `[motion]`, `[[character]]`,
//! `[[object]]` and `[[goal]]`.

use super::{PlaceSpec, Vec3};
use crate::motion::{Description, PlaceDescription};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// How movements of characters are found.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Motion")]
pub struct MotionSpec {
    /// The number of phases of the movement, each with its own contacts; default 10.
    pub phases: Option<u32>,
    /// The length of a phase in seconds; default 0.5.
    pub phase_seconds: Option<f64>,
    /// Segments of the splines in a phase, 1 or 2; default 2.
    pub segments: Option<u32>,
    /// Samples of the costs in each segment.
    pub samples: Option<u32>,
    /// Samples in each segment in the polish at the end.
    pub polish_samples: Option<u32>,
    /// The largest numbers of iterations: for the task alone, with weak physics, with full
    /// physics.
    pub iterations: Option<[u32; 3]>,
    /// The largest number of iterations of the polish.
    pub polish: Option<u32>,
    /// The size of the random perturbation between stages.
    pub noise: Option<f64>,
    /// The largest number of attempts; the best is kept.
    pub attempts: Option<u32>,
    /// The number of different movements to keep, at most 16; default 1. With more than one,
    /// all attempts are made: by default twice as many as are kept, and at least 6.
    pub keep: Option<u32>,
    /// The form of the physics cost.
    pub objective: ObjectiveSpec,
    /// Weights of the costs, by name, where they differ from the defaults.
    pub weights: BTreeMap<String, f64>,
    /// Thresholds that a movement must satisfy, by name, where they differ from the defaults.
    #[serde(alias = "bars")]
    pub thresholds: BTreeMap<String, f64>,
}

/// The form of the physics cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Objective")]
pub enum ObjectiveSpec {
    /// The residual and the cost of the forces together.
    #[default]
    Envelope,
    /// The residual alone, as in the paper.
    Residual,
}

/// A character.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Character")]
pub struct CharacterSpec {
    /// The name by which goals and reports refer to it; by default its kind.
    pub name: String,
    /// A built-in character, by default `human`; `own` for one that `description` or `file`
    /// describes.
    pub kind: Option<String>,
    /// Its torso, limbs, patches and poses.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub description: Option<Description>,
    /// A TOML file with such a description, relative to the scene file.
    pub file: Option<String>,
    /// The pose at the start: a name such as `standing`, or a table of placements.
    pub pose: Option<StartPoseSpec>,
    /// Its position at the start: x, y and the height above the pose; without the height,
    /// on the highest horizontal plane.
    pub position: Vec<f64>,
    /// Its rotation about the vertical, in degrees; at 0 it faces along x.
    pub heading: f64,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// The factor of the cost of its forces on objects and on other characters; default 1.
    pub workload: Option<f64>,
    /// Whether other characters can grip its limbs and stand on them, not on its torso alone.
    /// It adds many contacts and slows the search.
    #[serde(alias = "limbs_bear")]
    pub limb_contacts: bool,
    /// Whether knees can bear load; false by default, because a character that can kneel
    /// prefers that to standing.
    pub knees: bool,
    /// Coulomb's coefficients of its effectors and patches, by name, where they differ from
    /// the description; `feet` and `hands` mean both.
    pub friction: BTreeMap<String, f64>,
}

/// An object that characters handle.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Object")]
pub struct ObjectSpec {
    /// Its name.
    pub name: String,
    /// Its shape: a box or a sphere.
    pub shape: Option<ObjectShapeSpec>,
    /// Its mass in kilograms; a human can move about 0.5 to 40.
    pub mass: Option<f64>,
    /// The position of its centre: x and y if it stands on the ground, or x, y and z.
    pub position: Vec<f64>,
    /// Its rotation about the vertical, in degrees.
    pub heading: f64,
    /// Coulomb's coefficient with the ground and obstacles; default 0.6.
    pub friction: Option<f64>,
    /// Whether hands can grip it; true by default. Otherwise they can only push.
    pub grip: Option<bool>,
    /// Whether it slides with friction when it is pushed; false by default, so that it does
    /// not move until it is lifted.
    pub slides: bool,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
}

/// The shape of an object.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ObjectShape")]
pub enum ObjectShapeSpec {
    /// A rectangular block: a parcel, a beam.
    Box(super::BoxSpec),
    /// A ball.
    Sphere(super::SphereSpec),
}

/// The pose of a character at the start.
#[derive(Clone, Debug)]
pub enum StartPoseSpec {
    /// By name.
    Named(String),
    /// Placements of the torso and of every limb.
    Places(BTreeMap<String, PlaceDescription>),
}

impl Serialize for StartPoseSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Named(name) => name.serialize(serializer),
            Self::Places(places) => places.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for StartPoseSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrPlacements;
        impl<'de> Visitor<'de> for NameOrPlacements {
            type Value = StartPoseSpec;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("the name of a pose, or a table of places")
            }
            fn visit_str<E>(self, name: &str) -> Result<StartPoseSpec, E> {
                Ok(StartPoseSpec::Named(name.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<StartPoseSpec, A::Error> {
                let places = BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(StartPoseSpec::Places(places))
            }
        }
        deserializer.deserialize_any(NameOrPlacements)
    }
}

/// A placement in a pose, for the schema.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct PlaceSchema {
    /// The centre of mass, or the centre of the patch.
    position: Vec3,
    /// The direction of its x axis.
    forward: Vec3,
    /// The direction of its z axis.
    normal: Option<Vec3>,
    /// The same, for the torso.
    up: Option<Vec3>,
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum PoseSchema {
    /// The name of a pose.
    Named(String),
    /// Places of the torso and of every limb.
    Places(BTreeMap<String, PlaceSchema>),
}

impl JsonSchema for StartPoseSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StartPose".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        PoseSchema::json_schema(generator)
    }
}

/// A goal of a character or an object.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Goal")]
pub struct GoalSpec {
    /// The kind of goal.
    pub kind: GoalKindSpec,
    /// The character; optional if there is only one.
    pub character: Option<String>,
    /// The object that must be at `position`, instead of a character.
    pub object: Option<String>,
    /// The limbs to stand on; by default the legs for `stand`, the arms for `handstand` and
    /// all for `crawl`.
    pub on: Option<Vec<String>>,
    /// The limbs that point straight up; by default the legs for `handstand`.
    pub up: Option<Vec<String>>,
    /// For `sit`, the height of the torso's centre, by default that of a torso on the ground.
    /// For `crawl`, the largest height on the way, by default that at the start.
    pub height: Option<f64>,
    /// For `sit`, the limbs that are stretched forwards; by default the legs.
    pub forwards: Option<Vec<String>>,
    /// The target position: x and y, optionally z, or a table of the coordinates that count;
    /// x, y and z for a strike.
    pub position: Option<PlaceSpec>,
    /// The direction to face: x and y.
    pub direction: Option<[f64; 2]>,
    /// The same as an angle in degrees about the vertical; 0 faces along x.
    pub heading: Option<f64>,
    /// The limb of a strike.
    pub limb: Option<String>,
    /// The time of a strike or of a position, in seconds.
    pub time: Option<f64>,
    /// For a position, how many seconds before `time` it must be reached.
    pub hold: Option<f64>,
    /// For the position of an object, whether it may still be moving.
    pub moving: Option<bool>,
    /// The velocity of the limb's end at that time.
    pub velocity: Option<Vec3>,
}

/// The kind of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "GoalKind")]
pub enum GoalKindSpec {
    /// Stands at the end.
    Stand,
    /// Stands on its arms at the end.
    Handstand,
    /// Sits on the ground at the end.
    Sit,
    /// Stays low and level all the way.
    Crawl,
    /// Is at a position at the end.
    Position,
    /// Faces a direction at the end.
    Facing,
    /// Hits a point with a limb at a given time.
    Strike,
}

impl GoalKindSpec {
    /// Its name in a scene.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Handstand => "handstand",
            Self::Sit => "sit",
            Self::Crawl => "crawl",
            Self::Position => "position",
            Self::Facing => "facing",
            Self::Strike => "strike",
        }
    }
}
