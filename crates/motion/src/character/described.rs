//! Characters as they are written down: in TOML, with mirror images left out.

mod build;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A character, as described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// In kilograms.
    pub mass: f64,
    /// Half of the torso's size: forwards, to the left, upwards.
    pub half_extents: [f64; 3],
    /// Moments of inertia about these axes; those of a box if left out.
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
    /// Balls that make the torso's hull; one of the size of the torso if none.
    #[serde(default)]
    pub hull: Vec<HullDescription>,
    /// Poses by name.
    #[serde(default)]
    pub pose: BTreeMap<String, BTreeMap<String, PlaceDescription>>,
}

fn skin() -> [f32; 3] {
    [0.8, 0.62, 0.48]
}

/// A limb, as described. Angles in degrees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimbDescription {
    /// Its name.
    pub name: String,
    /// The name of its mirror image on the other side, if there is one.
    pub mirror: Option<String>,
    /// Where it begins, in torso axes.
    pub base: [f64; 3],
    /// Its links, from the torso outwards.
    pub links: Vec<LinkDescription>,
    /// Where it points in the middle of its range, in torso axes.
    pub direction: [f64; 3],
    /// Where its joints stick out then.
    pub bend: [f64; 3],
    /// A direction of the effector, shorter than 1, that draws the joints along.
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
    /// The largest angle by which the effector is twisted out of the plane in
    /// which the limb bends.
    #[serde(default = "half_turn")]
    pub twist: f64,
    /// From the centre of the effector's patch to the last joint.
    #[serde(default)]
    pub tip: [f64; 3],
    /// Where the tip is when nothing is asked of the limb, from its base, in
    /// torso axes.
    pub rest: Option<[f64; 3]>,
    /// How much that matters.
    #[serde(default)]
    pub comfort: f64,
    /// The way from its base to its tip when the character stands on it, in
    /// torso axes; straight down and nearly stretched if left out.
    pub stance: Option<[f64; 3]>,
    /// Inner joints that bear load as well: knees.
    #[serde(default)]
    pub knee: Vec<KneeDescription>,
    /// What it ends in.
    pub effector: EffectorDescription,
}

/// An inner joint that bears load, as described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KneeDescription {
    /// Its name.
    pub name: String,
    /// The name of its mirror image; needed where the limb has one.
    pub mirror: Option<String>,
    /// Which of the inner joints, from 0 at the torso.
    #[serde(default)]
    pub joint: usize,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How much dearer its forces are than a foot's.
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

/// A link, as described.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkDescription {
    /// In metres.
    pub length: f64,
    /// Of the capsule around it.
    pub radius: f64,
    /// The radius at its end, for collisions with cloth and bodies; that of the next
    /// link if that is smaller, or 0.78 of `radius` for the last.
    pub end_radius: Option<f64>,
}

/// An effector, as described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectorDescription {
    /// Its name; that of the limb if left out.
    pub name: Option<String>,
    /// The name of its mirror image.
    pub mirror: Option<String>,
    /// Half of the patch's extent, forwards and sideways.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How much dearer its forces are than a foot's.
    #[serde(default = "one")]
    pub effort: f64,
    /// Whether it can hold on to things.
    #[serde(default)]
    pub grasps: bool,
    /// The radius of the capsule along it.
    pub radius: f64,
    /// The thickness of the foot or hand over its patch, for collisions with cloth
    /// and bodies; follows from the patch and the last link if left out.
    pub thickness: Option<f64>,
}

/// A patch of the torso, as described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchDescription {
    /// Its name.
    pub name: String,
    /// Its centre in torso axes.
    pub position: [f64; 3],
    /// From the surface it lies on into the torso, in torso axes.
    pub normal: [f64; 3],
    /// Along its first extent, in torso axes.
    pub forward: [f64; 3],
    /// Half of its extents.
    pub half_extents: [f64; 2],
    /// Coulomb's coefficient.
    pub friction: f64,
    /// How much dearer its forces are than a foot's.
    #[serde(default = "one")]
    pub effort: f64,
}

/// A ball of the hull, as described; one with a name is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HullDescription {
    /// Shown under this name, such as `head`.
    pub name: Option<String>,
    /// Its centre in torso axes.
    pub position: [f64; 3],
    /// In metres.
    pub radius: f64,
}

/// A place in a pose: of the torso (with `up`) or of an effector (with
/// `normal`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaceDescription {
    /// The centre of mass, or the centre of the patch.
    pub position: [f64; 3],
    /// Where its x axis points.
    pub forward: [f64; 3],
    /// Where its z axis points.
    #[serde(alias = "up")]
    pub normal: [f64; 3],
}

/// What is wrong with a description: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {what}")]
pub struct DescriptionError {
    /// The key, as in `limb[1].links`.
    pub path: String,
    /// What is wrong, and what to do.
    pub what: String,
}

/// The characters that come with the program: name and description in TOML.
pub const READY_MADE: [(&str, &str); 4] = [
    ("human", include_str!("../../characters/human.toml")),
    (
        "wide-human",
        include_str!("../../characters/wide-human.toml"),
    ),
    ("quadruped", include_str!("../../characters/quadruped.toml")),
    ("hexapod", include_str!("../../characters/hexapod.toml")),
];

/// A ready-made character's description.
pub fn ready_made(name: &str) -> Option<Description> {
    let (_, text) = READY_MADE.iter().find(|(known, _)| *known == name)?;
    toml::from_str(text).ok()
}
