//! The parts of characters, and the objects that they handle, as obstacles of cloth and
//! bodies.

use super::PlacedObstacle;
use crate::cloth::part_paths;
use crate::motion::MotionWorld;
use conatus_geometry::{Mesh, Shape};
use conatus_math::Pose;
use conatus_rigid::contact::Groups;
use std::sync::Arc;

/// All parts in their order. Their solids come from the characters' own descriptions,
/// which the clip carries.
pub fn parts(motion: &MotionWorld) -> Vec<PlacedObstacle> {
    let parts = motion.clip().parts().into_iter();
    (parts.zip(part_paths(motion)))
        .map(|(part, motion)| PlacedObstacle {
            name: part.name,
            collider: match part.shape {
                Some(shape) => shape.collision_shape(),
                None => (Pose::IDENTITY, Shape::mesh_of(Mesh::default())),
            },
            mesh: Arc::new(part.shape.map(|shape| shape.mesh()).unwrap_or_default()),
            motion,
            friction: None,
            groups: Groups::default(),
            sensor: false,
            color: part.color,
        })
        .collect()
}

#[cfg(all(test, feature = "motion"))]
mod tests;
