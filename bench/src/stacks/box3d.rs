//! The scenes in Box3D, by its raw bindings, with its default settings.

use super::scene::{FRICTION, Scene, Shape, Wall};
use super::{Engine, STEP, SUBSTEPS};
use crate::Failure;
use box3d_sys::*;
use conatus_math::{DQuat, DVec3, Pose};

/// Half of the width of a floor or wall. Box3D has no planes, so they are boxes.
const WALL_HALF_WIDTH_M: f64 = 400.0;
/// Half of their thickness.
const WALL_HALF_THICKNESS_M: f64 = 1.0;

/// A world of Box3D.
pub struct Box3d {
    world: b3WorldId,
    bodies: Vec<b3BodyId>,
}

/// The shape that all bodies of a scene share.
enum SharedShape {
    Cube(Box<b3BoxHull>),
    Ball(b3Sphere),
    Hull(*mut b3HullData),
}

impl Box3d {
    /// Builds a scene for a number of threads.
    pub fn new(scene: &Scene, threads: usize) -> Result<Self, Failure> {
        let shape = shared_shape(&scene.shape)?;
        // SAFETY: the definition is Box3D's own default with a few fields changed, and
        // without task callbacks Box3D manages its threads itself.
        let world = unsafe {
            let mut def = b3DefaultWorldDef();
            def.gravity = vector(DVec3::Z * -9.81);
            def.enableSleep = false;
            def.workerCount = threads as u32;
            b3CreateWorld(&def)
        };
        let mut built = Self {
            world,
            bodies: Vec::new(),
        };
        for placed in &scene.bodies {
            // SAFETY: the world exists, and `add_shape` leaves the body valid.
            let body = unsafe {
                let mut def = b3DefaultBodyDef();
                def.type_ = match placed.fixed {
                    true => b3BodyType_b3_staticBody,
                    false => b3BodyType_b3_dynamicBody,
                };
                def.position = vector(placed.position);
                def.enableSleep = false;
                b3CreateBody(world, &def)
            };
            add_shape(body, &shape, scene);
            built.bodies.push(body);
        }
        scene.walls.iter().for_each(|wall| built.add_wall(wall));
        built.add_joints(scene);
        if let SharedShape::Hull(hull) = shape {
            // SAFETY: Box3D made it, shapes have copies, and nothing refers to it now.
            unsafe { b3DestroyHull(hull) };
        }
        Ok(built)
    }

    fn add_wall(&mut self, wall: &Wall) {
        let across = DVec3::ONE - wall.normal.abs();
        let half = across * WALL_HALF_WIDTH_M + wall.normal.abs() * WALL_HALF_THICKNESS_M;
        let [x, y, z] = half.to_array().map(|v| v as f32);
        // SAFETY: the world exists; the box outlives the call that copies it.
        unsafe {
            let mut def = b3DefaultBodyDef();
            def.position = vector(wall.point - wall.normal * WALL_HALF_THICKNESS_M);
            let body = b3CreateBody(self.world, &def);
            let hull = b3MakeBoxHull(x, y, z);
            let mut shape = b3DefaultShapeDef();
            shape.baseMaterial.friction = FRICTION as f32;
            b3CreateHullShape(body, &shape, &hull.base);
        }
    }

    fn add_joints(&mut self, scene: &Scene) {
        for joint in &scene.joints {
            let [a, b] = joint.bodies.map(|i| self.bodies[i]);
            // SAFETY: world and bodies exist.
            unsafe {
                let mut def = b3DefaultSphericalJointDef();
                def.base.bodyIdA = a;
                def.base.bodyIdB = b;
                def.base.localFrameA.p = vector(joint.anchors[0]);
                def.base.localFrameB.p = vector(joint.anchors[1]);
                b3CreateSphericalJoint(self.world, &def);
            }
        }
    }
}

impl Engine for Box3d {
    fn step(&mut self) {
        // SAFETY: the world exists until `drop`.
        unsafe { b3World_Step(self.world, STEP as f32, SUBSTEPS as i32) };
    }

    fn poses(&self, poses: &mut Vec<Pose>) {
        let ours = |v: b3Vec3| DVec3::new(v.x.into(), v.y.into(), v.z.into());
        let pose = |&body: &b3BodyId| {
            // SAFETY: the body exists as long as the world.
            let at = unsafe { b3Body_GetTransform(body) };
            let axis = ours(at.q.v);
            let turn = DQuat::from_xyzw(axis.x, axis.y, axis.z, at.q.s.into());
            Pose::new(turn.normalize(), ours(at.p))
        };
        poses.clear();
        poses.extend(self.bodies.iter().map(pose));
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: it is destroyed only here.
        unsafe { b3DestroyWorld(self.world) };
    }
}

fn shared_shape(shape: &Shape) -> Result<SharedShape, Failure> {
    Ok(match shape {
        Shape::Cube(half) => {
            let half = *half as f32;
            // SAFETY: a function of numbers.
            SharedShape::Cube(Box::new(unsafe { b3MakeBoxHull(half, half, half) }))
        }
        Shape::Ball(radius) => SharedShape::Ball(b3Sphere {
            center: vector(DVec3::ZERO),
            radius: *radius as f32,
        }),
        Shape::Hull(hull, _) => {
            let points: Vec<b3Vec3> = hull.vertices().iter().map(|p| vector(*p)).collect();
            let count = points.len() as i32;
            // SAFETY: `count` points are there.
            let hull = unsafe { b3CreateHull(points.as_ptr(), count, count) };
            if hull.is_null() {
                return Err("Box3D finds no hull of the points".into());
            }
            SharedShape::Hull(hull)
        }
    })
}

fn add_shape(body: b3BodyId, shape: &SharedShape, scene: &Scene) {
    // SAFETY: the body exists, and the shape outlives the calls that copy it.
    unsafe {
        let mut def = b3DefaultShapeDef();
        def.density = scene.density as f32;
        def.baseMaterial.friction = FRICTION as f32;
        if !scene.collides() {
            // Sees nothing of its own kind.
            def.filter.categoryBits = 2;
            def.filter.maskBits = !2;
        }
        match shape {
            SharedShape::Cube(cube) => b3CreateHullShape(body, &def, &cube.base),
            SharedShape::Ball(ball) => b3CreateSphereShape(body, &def, ball),
            SharedShape::Hull(hull) => b3CreateHullShape(body, &def, *hull),
        };
    }
}

/// Our vector as Box3D's, with 24 bits.
fn vector(v: DVec3) -> b3Vec3 {
    b3Vec3 {
        x: v.x as f32,
        y: v.y as f32,
        z: v.z as f32,
    }
}
