//! Stands in for cloth and obstacles in builds without the feature `cloth`. Scenes that
//! have any are refused before ([`features`](super::features)), so nothing is built.

use super::bodies::BuiltBody;
use crate::cloth::ClothWorld;
use crate::motion::MotionWorld;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{ClothShapeSpec, ClothSpec, SceneFile};
use conatus_geometry::Mesh;
use conatus_record::{BodyInfo, ClothInfo};
use conatus_rigid::contact::Collider;
use std::sync::Arc;

/// The cloth of a scene: none.
#[derive(Default)]
pub struct BuiltCloth {
    /// For the world.
    pub world: Option<ClothWorld>,
    /// For the recording's header.
    pub infos: Vec<ClothInfo>,
    /// What bodies collide with.
    pub colliders: Vec<(String, Collider)>,
}

/// An obstacle. There are none.
pub enum PlacedObstacle {}

impl PlacedObstacle {
    /// Its surface in its own axes.
    pub fn mesh(&self) -> &Arc<Mesh> {
        match *self {}
    }

    /// Its entry in the recording's header.
    pub fn info(&self, _mesh: usize) -> BodyInfo {
        match *self {}
    }
}

/// No obstacles.
pub fn build_obstacles(
    _scene: &Scene,
    _file: &SceneFile,
    _bodies: &[BuiltBody],
    _diagnostics: &mut Diagnostics,
) -> Vec<PlacedObstacle> {
    Vec::new()
}

/// No cloth.
pub fn build(
    _scene: &Scene,
    _file: &SceneFile,
    _bodies: &[BuiltBody],
    _placed: &[PlacedObstacle],
    _motion: Option<&MotionWorld>,
    _diagnostics: &mut Diagnostics,
) -> BuiltCloth {
    BuiltCloth::default()
}

/// The number of vertices of a shape: none is built.
pub fn vertex_count(_shape: &ClothShapeSpec, _cloth: &ClothSpec) -> u64 {
    0
}
