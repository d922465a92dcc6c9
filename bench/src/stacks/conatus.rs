//! The scenes in a [`World`], as programs that use Conatus step it.

use super::scene::{self, FRICTION, Scene};
use super::{Engine, STEP, SUBSTEPS};
use crate::Failure;
use conatus_geometry::Shape;
use conatus_math::Pose;
use conatus_rigid::contact::{Collider, ContactMaterial, Groups};
use conatus_rigid::joint::Freedom;
use conatus_rigid::{Activity, Joint, State};
use conatus_world::World;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Sees nothing of its own kind.
const NO_COLLISIONS: Groups = Groups {
    member: 2,
    mask: !2,
};

/// A world and the threads that step it.
pub struct Conatus {
    pub world: World,
    pool: ThreadPool,
}

impl Conatus {
    /// Builds a scene for a number of threads.
    pub fn new(scene: &Scene, threads: usize) -> Result<Self, Failure> {
        Ok(Self {
            world: world(scene),
            pool: ThreadPoolBuilder::new().num_threads(threads).build()?,
        })
    }
}

impl Engine for Conatus {
    fn step(&mut self) {
        let world = &mut self.world;
        self.pool.install(|| world.step());
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        poses.clear();
        let bodies = &self.world.bodies;
        poses.extend((0..bodies.len()).map(|i| bodies.state(i).pose()));
    }
}

/// A scene as a world with the default settings.
pub fn world(scene: &Scene) -> World {
    let mut world = World::new(STEP);
    world.contact_engine.settings.substeps = SUBSTEPS;
    // Nothing sleeps.
    world.contact_engine.sleep_settings.speed = 0.0;
    let material = ContactMaterial {
        restitution: Some(0.0),
        friction: Some(FRICTION),
        rolling: 0.0,
    };
    let shape = match &scene.shape {
        scene::Shape::Cube(half) => Shape::Box {
            half_extents: conatus_math::DVec3::splat(*half),
        },
        scene::Shape::Ball(radius) => Shape::Sphere { radius: *radius },
        scene::Shape::Hull(hull, _) => Shape::Hull(hull.clone()),
    };
    let constants = scene.constants();
    for (i, placed) in scene.bodies.iter().enumerate() {
        let state = State {
            position: placed.position,
            ..State::default()
        };
        let body = world.add_body(&format!("body {i}"), constants, state);
        if placed.fixed {
            world.bodies.set_activity(body, Activity::Locked);
        }
        let mut collider = Collider::on_body(body, shape.clone(), material);
        if !scene.collides() {
            collider.groups = NO_COLLISIONS;
        }
        world.add_collider(collider);
    }
    for wall in &scene.walls {
        world.add_collider(Collider::plane(wall.point, wall.normal, material));
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        let bodies = joint.bodies.map(Some);
        let frames = joint.anchors.map(Pose::shift);
        let joint = Joint::ball(bodies, frames, None, Freedom::FREE);
        world.add_joint(&format!("joint {i}"), joint);
    }
    world
}
