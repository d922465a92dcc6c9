//! Stands in for characters in builds without the feature `motion`. Scenes that have any
//! are refused before ([`features`](super::features)), so nothing is built.

use crate::motion::{MotionPlanner, MotionWorld};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::SceneFile;
use conatus_record::BodyInfo;
use std::borrow::Cow;

/// The characters of a scene. There are none.
pub struct BuiltMotion {
    /// Plans their movement.
    pub planner: MotionPlanner,
    /// The characters in their start poses.
    pub world: MotionWorld,
}

/// The scene file as it is.
pub fn with_defaults(scene: &Scene) -> Cow<'_, SceneFile> {
    Cow::Borrowed(&scene.file)
}

/// No characters.
pub fn build(
    _scene: &Scene,
    _file: &SceneFile,
    _others: &[BodyInfo],
    _diagnostics: &mut Diagnostics,
) -> Option<BuiltMotion> {
    None
}
