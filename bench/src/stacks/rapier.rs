//! The scenes in rapier3d-f64, on one thread, with its default settings.

use super::scene::{FRICTION, Scene, Shape};
use super::{Engine, STEP, SUBSTEPS};
use crate::Failure;
use crate::rapier::{Rapier, vector};
use conatus_math::{DVec3, Pose};
use rapier3d_f64::prelude::*;

/// Sees nothing of its own kind.
const NO_COLLISIONS: InteractionGroups = InteractionGroups::new(
    Group::GROUP_2,
    Group::ALL.difference(Group::GROUP_2),
    InteractionTestMode::And,
);

/// Builds a scene.
pub fn build(scene: &Scene) -> Result<Rapier, Failure> {
    let mut rapier = Rapier::empty(DVec3::Z * -9.81, STEP);
    rapier.set_substeps(SUBSTEPS as usize);
    let shape = match &scene.shape {
        Shape::Cube(half) => SharedShape::cuboid(*half, *half, *half),
        Shape::Ball(radius) => SharedShape::ball(*radius),
        Shape::Hull(hull, _) => {
            let points: Vec<Vector> = hull.vertices().iter().map(|p| vector(*p)).collect();
            SharedShape::convex_hull(&points).ok_or("rapier finds no hull of the points")?
        }
    };
    for placed in &scene.bodies {
        let body = match placed.fixed {
            true => RigidBodyBuilder::fixed(),
            false => RigidBodyBuilder::dynamic(),
        };
        let body = body.translation(vector(placed.position)).can_sleep(false);
        let mut collider = ColliderBuilder::new(shape.clone())
            .density(scene.density)
            .friction(FRICTION);
        if !scene.collides() {
            collider = collider.collision_groups(NO_COLLISIONS);
        }
        let handle = rapier.add_body(body);
        rapier.add_collider(collider, handle);
    }
    for joint in &scene.joints {
        let ball = SphericalJointBuilder::new()
            .local_anchor1(vector(joint.anchors[0]))
            .local_anchor2(vector(joint.anchors[1]))
            .contacts_enabled(false);
        rapier.add_joint(joint.bodies, ball);
    }
    for wall in &scene.walls {
        let shape = SharedShape::halfspace(vector(wall.normal));
        rapier.add_fixed(
            ColliderBuilder::new(shape)
                .translation(vector(wall.point))
                .friction(FRICTION),
        );
    }
    Ok(rapier)
}

impl Engine for Rapier {
    fn step(&mut self) {
        Rapier::step(self);
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        poses.extend((0..self.len()).map(|i| self.state(i).pose()));
    }
}
