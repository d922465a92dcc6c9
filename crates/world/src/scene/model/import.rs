//! Robots from other files, `[[import]]`.

use super::{TurnSpec, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A robot from a URDF or MJCF file.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Import")]
pub struct ImportSpec {
    /// The file, relative to the scene file.
    pub file: String,
    /// Put before the names of its bodies and joints, with a `/`; needed where two robots
    /// have bodies of the same names.
    pub name: String,
    /// Where the origin of the file is.
    pub position: Option<Vec3>,
    /// How the file's axes are turned, as a quaternion (w, x, y, z).
    pub orientation: Option<[f64; 4]>,
    /// How the file's axes are turned, instead of `orientation`.
    pub turn: Option<TurnSpec>,
    /// Whether the root of a URDF file is held in place.
    pub fixed_base: bool,
    /// Whether joints with a greatest force get a motor that holds their position.
    pub motors: bool,
    /// The positions of joints at the start by name, in radians or metres.
    pub start: BTreeMap<String, f64>,
    /// The folders of packages by name, for `package://` addresses; relative to the scene
    /// file.
    pub packages: BTreeMap<String, String>,
}
