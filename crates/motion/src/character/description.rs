//! Descriptions of characters in TOML. Mirror images of limbs may be left out.

mod build;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The description of a character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// In kilograms.
    pub mass: f64,
    /// Half of the torso's size in metres: forwards, to the left, upwards.
    pub half_extents: [f64; 3],
    /// Moments of inertia about these axes in kg·m²; default: those of a box.
    pub inertia: Option<[f64; 3]>,
    /// Red, green and blue from 0 to 1.
    #[serde(default = "skin")]
    pub color: [f32; 3],
    /// The limbs.
    #[serde(default)]
    pub limb: Vec<LimbDescription>,
    /// Patches of the torso that bear load.
    #[serde(default)]
    pub patch: Vec<PatchDescription>,
    /// Balls that make up the torso's hull; default: one ball of the size of the
    /// torso.
    #[serde(default)]
    pub hull: Vec<HullDescription>,
    /// Poses by name.
    #[serde(default)]
    pub pose: BTreeMap<String, BTreeMap<String, PlaceDescription>>,
}

fn skin() -> [f32; 3] {
    [0.8, 0.62, 0.48]
}

/// The description of a limb. Angles in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimbDescription {
    /// Its name.
    pub name: String,
    /// The name of its mirror image on the other side, if there is one.
    pub mirror: Option<String>,
    /// The position of its first joint, in torso axes.
    pub base: [f64; 3],
    /// Its links, from the torso outwards.
    pub links: Vec<LinkDescription>,
    /// Its direction in the middle of its range, in torso axes.
    pub direction: [f64; 3],
    /// The direction in which its joints bend then.
    pub bend: [f64; 3],
    /// A direction in effector axes, shorter than 1, that the bend follows.
    #[serde(default)]
    pub follow: [f64; 3],
    /// The largest angle between the limb and `direction`.
    #[serde(default = "half_turn")]
    pub swing: f64,
    /// The largest angle of an inner joint; 0 is straight.
    #[serde(default = "flexion")]
    pub flexion: f64,
    /// The largest angle between the last link and the effector's normal.
    #[serde(default = "half_turn")]
    pub tilt: f64,
    /// The largest angle by which the effector twists out of the bending plane of the
    /// limb.
    #[serde(default = "half_turn")]
    pub twist: f64,
    /// The greatest torques in N·m of its joints: where it begins, its inner joints, and its
    /// tip; default: no bound.
    #[serde(default)]
    pub strength: Vec<f64>,
    /// From the centre of the effector's patch to the last joint.
    #[serde(default)]
    pub tip: [f64; 3],
    /// The rest position of the tip, from the base, in torso axes.
    pub rest: Option<[f64; 3]>,
    /// The weight of the cost of being away from `rest`.
    #[serde(default)]
    pub comfort: f64,
    /// The vector from base to tip when the character stands on the limb, in torso
    /// axes; default: straight down and nearly stretched.
    pub stance: Option<[f64; 3]>,
    /// Inner joints that can bear load: knees.
    #[serde(default)]
    pub knee: Vec<KneeDescription>,
    /// The effector at its end.
    pub effector: EffectorDescription,
}

/// The description of an inner joint that can bear load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KneeDescription {
    /// Its name.
    pub name: String,
    /// The name of its mirror image; needed if the limb has one.
    pub mirror: Option<String>,
    /// The index of the inner joint, 0 nearest to the torso.
    #[serde(default)]
    pub joint: usize,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The factor of the cost of its forces; 1 for a foot.
    #[serde(default = "one")]
    pub effort: f64,
}

fn half_turn() -> f64 {
    180.0
}
fn flexion() -> f64 {
    150.0
}
fn one() -> f64 {
    1.0
}

/// The description of a link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkDescription {
    /// Its length in metres.
    pub length: f64,
    /// The radius of the capsule around it.
    pub radius: f64,
    /// The radius at its end, for collisions with cloth and bodies; default: that
    /// of the next link if that is smaller, 0.78 of `radius` for the last link.
    pub end_radius: Option<f64>,
}

/// The description of an effector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectorDescription {
    /// Its name; default: that of the limb.
    pub name: Option<String>,
    /// The name of its mirror image.
    pub mirror: Option<String>,
    /// Half of the patch's extent, forwards and sideways.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The factor of the cost of its forces; 1 for a foot.
    #[serde(default = "one")]
    pub effort: f64,
    /// Whether it can grip.
    #[serde(default)]
    pub grasps: bool,
    /// The radius of the capsule along it.
    pub radius: f64,
    /// The thickness of the foot or hand over its patch, for collisions with cloth
    /// and bodies; default: from the patch and the last link.
    pub thickness: Option<f64>,
}

/// The description of a patch of the torso.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchDescription {
    /// Its name.
    pub name: String,
    /// Its centre in torso axes.
    pub position: [f64; 3],
    /// The normal, from the surface that it lies on into the torso, in torso axes.
    pub normal: [f64; 3],
    /// The direction of its first extent, in torso axes.
    pub forward: [f64; 3],
    /// Half of its extents.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The factor of the cost of its forces; 1 for a foot.
    #[serde(default = "one")]
    pub effort: f64,
}

/// The description of a ball of the hull. A ball with a name is a visible part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HullDescription {
    /// The name of the part, such as `head`.
    pub name: Option<String>,
    /// Its centre in torso axes.
    pub position: [f64; 3],
    /// In metres.
    pub radius: f64,
}

/// The placement of the torso (with `up`) or of an effector (with `normal`) in a
/// pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceDescription {
    /// The centre of mass, or the centre of the patch.
    pub position: [f64; 3],
    /// The direction of its x axis.
    pub forward: [f64; 3],
    /// The direction of its z axis.
    #[serde(alias = "up")]
    pub normal: [f64; 3],
}

/// An error in a description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct DescriptionError {
    /// The path of the key, such as `limb[1].links`.
    pub path: String,
    /// The error and its remedy.
    pub what: String,
}

/// The built-in characters: name and description in TOML.
pub const BUILT_IN: [(&str, &str); 4] = [
    ("human", include_str!("../../characters/human.toml")),
    (
        "wide-human",
        include_str!("../../characters/wide-human.toml"),
    ),
    ("quadruped", include_str!("../../characters/quadruped.toml")),
    ("hexapod", include_str!("../../characters/hexapod.toml")),
];

/// The description of a built-in character.
pub fn built_in(name: &str) -> Option<Description> {
    let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
    toml::from_str(text).ok()
}
