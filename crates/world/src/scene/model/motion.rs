//! Characters that find out how to move: `[motion]`, `[[character]]` and
//! `[[goal]]`.

use super::Vec3;
use conatus_motion::character::Description;
use conatus_motion::character::description::PlaceDescription;
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
    /// How many phases the movement has, each with its own contacts; 10 if
    /// absent.
    pub phases: Option<u32>,
    /// How long a phase is, in seconds; 0.5 if absent.
    pub phase_seconds: Option<f64>,
    /// Segments of the splines in a phase, 1 or 2; 2 if absent.
    pub segments: Option<u32>,
    /// Moments that are looked at in each segment.
    pub samples: Option<u32>,
    /// The same for the polish at the end.
    pub polish_samples: Option<u32>,
    /// Iterations, at most: for the task alone, with weak physics, with full
    /// physics.
    pub iterations: Option<[u32; 3]>,
    /// Iterations of the polish, at most.
    pub polish: Option<u32>,
    /// The size of the noise between stages.
    pub noise: Option<f64>,
    /// Attempts, at most; the best of them is kept.
    pub attempts: Option<u32>,
    /// How many different movements to keep, at most 16; 1 if absent. With more
    /// than one all attempts are made: twice as many as are kept, and at least 6,
    /// unless `attempts` says otherwise.
    pub keep: Option<u32>,
    /// Which form of the physics' cost counts.
    pub objective: ObjectiveSpec,
    /// What each cost weighs, by name; the usual weight where there is none.
    pub weights: BTreeMap<String, f64>,
    /// What a movement has to keep to, by name; the usual where there is none.
    pub bars: BTreeMap<String, f64>,
}

/// Which form of the physics' cost counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Objective")]
pub enum ObjectiveSpec {
    /// What is left unexplained and the price of forces together.
    #[default]
    Envelope,
    /// What is left unexplained alone, as in the paper.
    Residual,
}

/// A character.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Character")]
pub struct CharacterSpec {
    /// The name by which goals and reports refer to it; its kind if absent.
    pub name: String,
    /// A ready-made character: `human` if nothing is said; `own` for one that
    /// `description` or `file` describes.
    pub kind: Option<String>,
    /// What it is like: torso, limbs, patches and poses.
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub description: Option<Description>,
    /// A TOML file with such a description, as seen from the scene file.
    pub file: Option<String>,
    /// The pose it starts in: a name such as `standing`, or places by numbers.
    pub pose: Option<StartPoseSpec>,
    /// Where it starts: x and y, and how high above the pose if that is given;
    /// on the highest level plane if not.
    pub position: Vec<f64>,
    /// How far it is turned about the vertical, in degrees; 0 looks along x.
    pub heading: f64,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
    /// How much dearer than usual its forces on things and on others are; 1 if
    /// absent.
    pub workload: Option<f64>,
    /// Whether others can hold on to its limbs and stand on them, not on its torso
    /// alone. That makes many contacts, so it takes its time.
    pub limbs_bear: bool,
    /// Whether legs bear load with their knees as well; they do not if nothing is
    /// said, since who can kneel does so rather than stand.
    pub knees: bool,
    /// Coulomb's coefficients of its effectors and patches by name, where they
    /// differ from the description's; `feet` and `hands` mean both.
    pub friction: BTreeMap<String, f64>,
}

/// A thing that characters handle.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Object")]
pub struct ObjectSpec {
    /// Its name.
    pub name: String,
    /// Its shape: a box or a sphere.
    pub shape: Option<ObjectShapeSpec>,
    /// Its mass in kilograms, from 0.5 to 40 for what a human can move.
    pub mass: Option<f64>,
    /// Where its centre is: x and y if it stands on the ground, or x, y and z.
    pub position: Vec<f64>,
    /// How far it is turned about the vertical, in degrees.
    pub heading: f64,
    /// Coulomb's coefficient with the ground and obstacles; 0.6 if absent.
    pub friction: Option<f64>,
    /// Whether hands can hold on to it; they do if nothing is said. Otherwise
    /// they press.
    pub grip: Option<bool>,
    /// Whether it slides when it is pushed, with friction against that. It lies
    /// still until it is lifted if nothing is said.
    pub slides: bool,
    /// Its colour as `#rrggbb`.
    pub color: Option<String>,
}

/// The shape of a thing.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ObjectShape")]
pub enum ObjectShapeSpec {
    /// A rectangular block: a parcel, a beam.
    Box(super::BoxSpec),
    /// A ball.
    Sphere(super::SphereSpec),
}

/// The pose that a character starts in.
#[derive(Clone, Debug)]
pub enum StartPoseSpec {
    /// By name.
    Named(String),
    /// By numbers: the torso and every limb.
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
        struct Either;
        impl<'de> Visitor<'de> for Either {
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
        deserializer.deserialize_any(Either)
    }
}

/// A place of a pose, for the schema.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)]
struct PlaceSchema {
    /// The centre of mass, or the centre of the patch.
    position: Vec3,
    /// Where its x axis points.
    forward: Vec3,
    /// Where its z axis points.
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

/// Something that a character is to have done.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Goal")]
pub struct GoalSpec {
    /// What it is to do.
    pub kind: GoalKindSpec,
    /// Who; may be left out if there is only one character.
    pub character: Option<String>,
    /// What is to be at `position`, instead of a character: a thing.
    pub object: Option<String>,
    /// On which limbs to stand; for `stand` the legs if absent, for
    /// `handstand` the arms, for `crawl` all.
    pub on: Option<Vec<String>>,
    /// Which limbs point straight up; for `handstand` the legs if absent.
    pub up: Option<Vec<String>>,
    /// To sit: the height of the torso's centre; that of a torso on the ground
    /// if absent. To crawl: the most that it may have on the way; what it starts
    /// with if absent.
    pub height: Option<f64>,
    /// To sit: which limbs are stretched forwards; the legs if absent.
    pub forwards: Option<Vec<String>>,
    /// Where to be: x and y, and the height if that matters. For a strike x, y
    /// and z.
    pub position: Option<Vec<f64>>,
    /// Where to face: x and y of a direction.
    pub direction: Option<[f64; 2]>,
    /// The same in degrees about the vertical; 0 faces along x.
    pub heading: Option<f64>,
    /// With which limb to strike.
    pub limb: Option<String>,
    /// When to strike, or to be somewhere, in seconds.
    pub time: Option<f64>,
    /// To be somewhere: for how many seconds before that already.
    pub hold: Option<f64>,
    /// Of a thing that is to be somewhere: whether it still moves then.
    pub moving: Option<bool>,
    /// How fast the limb's end moves then.
    pub velocity: Option<Vec3>,
}

/// What a character is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "GoalKind")]
pub enum GoalKindSpec {
    /// To stand in the end.
    Stand,
    /// To stand on its arms, head below.
    Handstand,
    /// To sit on the ground in the end.
    Sit,
    /// To keep low and level all the way.
    Crawl,
    /// To be somewhere in the end.
    Position,
    /// To face somewhere in the end.
    Facing,
    /// To hit something with a limb at a time.
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
