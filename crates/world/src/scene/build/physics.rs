//! The colliders and joints of a world as the recording's header lists them.

use crate::scene::model::JointKindSpec;
use crate::world::World;
use conatus_geometry::{Axis, HalfSpace, Mesh, Shape};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::{
    ColliderInfo, CoordinateInfo, JointAxis, JointInfo, JointKind, JointSpringInfo, MeshData,
    MotorInfo, PhysicsInfo, PoseInfo, ShapeInfo,
};
use conatus_rigid::contact::Collider;
use conatus_rigid::joint::{Coordinates, Freedom, Joint, Motor, MotorTarget};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The physics of a world whose header has these meshes, to which those of hulls are added.
pub fn info(world: &World, joints: Vec<JointInfo>, meshes: &mut Vec<MeshData>) -> PhysicsInfo {
    let engine = &world.contact_engine;
    let mut shapes = Shapes::new(meshes);
    let bodies = world.bodies.len();
    let all = engine.colliders.iter();
    let collider = |c: &Collider| {
        let (shape, pose) = shapes.get(c.shape())?;
        // Obstacles and parts of characters follow the bodies in the header.
        let scripted = c.script.map(|k| bodies + k as usize);
        Some(ColliderInfo {
            body: c.body.or(scripted),
            shape,
            pose: c.pose.after(&pose).into(),
            restitution: c.material.restitution,
            friction: c.material.friction,
            rolling_friction: c.material.rolling,
            sensor: c.sensor,
        })
    };
    let colliders = all.filter_map(collider).collect();
    let mut excluded = engine.excluded.clone();
    excluded.iter_mut().for_each(|pair| pair.sort_unstable());
    excluded.sort_unstable();
    excluded.dedup();
    PhysicsInfo {
        shapes: shapes.all,
        colliders,
        joints,
        excluded,
        bodies_pass_through: bodies > 1 && !engine.between_bodies,
    }
}

/// The shapes so far; equal ones are listed once.
struct Shapes<'a> {
    meshes: &'a mut Vec<MeshData>,
    all: Vec<ShapeInfo>,
    /// By a number for the kind, and the bits of the sizes.
    simple: BTreeMap<(u8, [u64; 3]), usize>,
    /// Of hulls and meshes, by their addresses: equal bodies share them.
    shared: BTreeMap<usize, usize>,
    /// Meshes by the number of their vertices.
    alike: BTreeMap<usize, Vec<usize>>,
}

impl<'a> Shapes<'a> {
    fn new(meshes: &'a mut Vec<MeshData>) -> Self {
        let mut alike: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, mesh) in meshes.iter().enumerate() {
            alike.entry(mesh.vertices.len()).or_default().push(k);
        }
        Self {
            meshes,
            all: Vec::new(),
            simple: BTreeMap::new(),
            shared: BTreeMap::new(),
            alike,
        }
    }

    /// The number of a shape, and its pose in the axes of the collider; none if it is empty
    /// or a compound, whose parts are colliders of their own.
    fn get(&mut self, shape: &Shape) -> Option<(usize, Pose)> {
        let along = |axis: Axis| Pose::new(from_z_to(axis.unit()), DVec3::ZERO);
        let address = |shared: *const u8| shared as usize;
        Some(match *shape {
            Shape::HalfSpace(HalfSpace { normal, offset }) => {
                let pose = Pose::new(from_z_to(normal), normal * offset);
                (self.simple(0, DVec3::ZERO, ShapeInfo::Plane), pose)
            }
            Shape::Sphere { radius } => {
                let shape = ShapeInfo::Sphere { radius };
                (self.simple(1, DVec3::X * radius, shape), Pose::IDENTITY)
            }
            Shape::Box { half_extents } => {
                let shape = ShapeInfo::Box { half_extents };
                (self.simple(2, half_extents, shape), Pose::IDENTITY)
            }
            Shape::Capsule {
                radius,
                height,
                axis,
            } => {
                let half_height = 0.5 * height;
                let shape = ShapeInfo::Capsule {
                    radius,
                    half_height,
                };
                let sizes = DVec3::new(radius, half_height, 0.0);
                (self.simple(3, sizes, shape), along(axis))
            }
            Shape::Cylinder {
                radius,
                height,
                axis,
            } => {
                let half_height = 0.5 * height;
                let shape = ShapeInfo::Cylinder {
                    radius,
                    half_height,
                };
                let sizes = DVec3::new(radius, half_height, 0.0);
                (self.simple(4, sizes, shape), along(axis))
            }
            Shape::Cone {
                radius,
                height,
                axis,
            } => {
                let half_height = 0.5 * height;
                let shape = ShapeInfo::Cone {
                    radius,
                    half_height,
                };
                let sizes = DVec3::new(radius, half_height, 0.0);
                // The file format has the origin half-way between base and tip.
                let middle = Pose::shift(axis.unit() * (0.25 * height));
                (self.simple(5, sizes, shape), middle.after(&along(axis)))
            }
            Shape::Ellipsoid { semi_axes } => {
                let shape = ShapeInfo::Ellipsoid { semi_axes };
                (self.simple(6, semi_axes, shape), Pose::IDENTITY)
            }
            Shape::Hull(ref hull) => {
                let known = address(Arc::as_ptr(hull).cast());
                (self.of_mesh(known, || hull.mesh(), true)?, Pose::IDENTITY)
            }
            Shape::Mesh(ref mesh) => {
                let known = address(Arc::as_ptr(mesh).cast());
                let surface = || mesh.mesh().clone();
                (self.of_mesh(known, surface, false)?, Pose::IDENTITY)
            }
            Shape::Heightfield(ref grid) => {
                let known = address(Arc::as_ptr(grid).cast());
                (self.of_mesh(known, || grid.mesh(), false)?, Pose::IDENTITY)
            }
            Shape::Compound(_) => return None,
        })
    }

    fn simple(&mut self, kind: u8, sizes: DVec3, shape: ShapeInfo) -> usize {
        let key = (kind, sizes.to_array().map(f64::to_bits));
        if let Some(&known) = self.simple.get(&key) {
            return known;
        }
        let made = self.push(shape);
        self.simple.insert(key, made);
        made
    }

    fn of_mesh(
        &mut self,
        address: usize,
        surface: impl FnOnce() -> Mesh,
        is_hull: bool,
    ) -> Option<usize> {
        if let Some(&known) = self.shared.get(&address) {
            return Some(known);
        }
        let surface = surface();
        if surface.triangles.is_empty() {
            return None;
        }
        let mesh = self.mesh(MeshData {
            vertices: surface.vertices,
            triangles: surface.triangles,
        });
        let shape = match is_hull {
            true => ShapeInfo::Hull { mesh },
            false => ShapeInfo::Mesh { mesh },
        };
        let made = self.push(shape);
        self.shared.insert(address, made);
        Some(made)
    }

    fn push(&mut self, shape: ShapeInfo) -> usize {
        self.all.push(shape);
        self.all.len() - 1
    }

    /// The number of a mesh in the header.
    fn mesh(&mut self, mesh: MeshData) -> usize {
        let candidates = self.alike.entry(mesh.vertices.len()).or_default();
        if let Some(&same) = candidates.iter().find(|&&k| self.meshes[k] == mesh) {
            return same;
        }
        candidates.push(self.meshes.len());
        self.meshes.push(mesh);
        self.meshes.len() - 1
    }
}

/// The smallest rotation from the z axis to a unit vector.
fn from_z_to(axis: DVec3) -> DQuat {
    match axis.z < -1.0 + 1e-12 {
        true => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
        false => DQuat::from_rotation_arc(DVec3::Z, axis),
    }
}

/// A joint of this type as the header lists it.
pub fn joint_info(name: &str, kind: JointKindSpec, joint: &Joint) -> JointInfo {
    const AXES: [JointAxis; 6] = [
        JointAxis::X,
        JointAxis::Y,
        JointAxis::Z,
        JointAxis::TurnX,
        JointAxis::TurnY,
        JointAxis::TurnZ,
    ];
    let coordinates = match &joint.coordinates {
        Coordinates::Axes { linear, angular } => {
            let all = AXES.into_iter().zip(linear.iter().chain(angular));
            all.filter_map(|(axis, freedom)| coordinate(axis, freedom))
                .collect()
        }
        Coordinates::Distance(along) => {
            let along = coordinate(JointAxis::Distance, along);
            along.into_iter().collect()
        }
    };
    let bound = |most: f64| Some(most).filter(|most| most.is_finite());
    JointInfo {
        name: name.to_owned(),
        kind: kind_of(kind),
        bodies: joint.bodies,
        frames: joint.frames.map(PoseInfo::from),
        coordinates,
        collide: joint.collide,
        break_force: bound(joint.strength.force),
        break_torque: bound(joint.strength.torque),
    }
}

fn coordinate(axis: JointAxis, freedom: &Freedom) -> Option<CoordinateInfo> {
    let motor = |motor: Motor| {
        let (speed, position) = match motor.target {
            MotorTarget::Velocity(speed) => (Some(speed), None),
            MotorTarget::Position(position) => (None, Some(position)),
        };
        MotorInfo {
            speed,
            position,
            max_force: motor.max_force,
            max_speed: Some(motor.max_speed).filter(|speed| speed.is_finite()),
        }
    };
    (!freedom.locked).then(|| CoordinateInfo {
        axis,
        limits: freedom.range,
        spring: freedom.spring.map(|s| JointSpringInfo {
            rest: s.rest,
            stiffness: s.stiffness,
            damping: s.damping,
        }),
        motor: freedom.motor.map(motor),
    })
}

fn kind_of(kind: JointKindSpec) -> JointKind {
    match kind {
        JointKindSpec::Fixed => JointKind::Fixed,
        JointKindSpec::Ball => JointKind::Ball,
        JointKindSpec::Hinge => JointKind::Hinge,
        JointKindSpec::Slider => JointKind::Slider,
        JointKindSpec::Universal => JointKind::Universal,
        JointKindSpec::Distance => JointKind::Distance,
        JointKindSpec::Rope => JointKind::Rope,
        JointKindSpec::Wheel => JointKind::Wheel,
        JointKindSpec::Free => JointKind::Free,
    }
}
