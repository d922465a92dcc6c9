//! Colliders: shapes that are fixed to bodies or to the world, and what they are made
//! of.

use conatus_geometry::convex::Convex;
use conatus_geometry::{Aabb, Bvh, Mesh};
use conatus_math::{DVec3, Pose};
use std::sync::Arc;

/// The geometry of a collider, in its own axes.
#[derive(Clone, Debug)]
pub enum ColliderShape {
    /// A convex solid.
    Convex(Convex),
    /// All points p with normal · p ≤ offset.
    HalfSpace {
        /// The outward unit normal.
        normal: DVec3,
        /// Along the normal, in metres.
        offset: f64,
    },
    /// A surface of triangles, which collides with convex solids from both sides.
    Mesh(Arc<CollisionMesh>),
}

/// A triangle mesh with a hierarchy of its triangles.
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    /// The triangles.
    pub mesh: Mesh,
    bvh: Bvh,
    bounds: Aabb,
}

impl CollisionMesh {
    /// Prepares a mesh.
    pub fn new(mesh: Mesh) -> Self {
        let boxes: Vec<Aabb> = (0..mesh.triangles.len())
            .map(|t| Aabb::from_points(mesh.corners(t)))
            .collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        Self {
            bvh: Bvh::build(&boxes),
            mesh,
            bounds,
        }
    }

    /// The triangles whose boxes overlap a box, in order.
    pub fn overlapping(&self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.bvh.for_each_overlap(query, |t| found.push(t));
        found.sort_unstable();
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// What a collider is made of. A value that is not given follows from the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactMaterial {
    /// c of Di Pierro (69), from 0 to 1.
    pub restitution: Option<f64>,
    /// Coulomb's μ.
    pub friction: Option<f64>,
    /// The lever of rolling resistance in metres.
    pub rolling: f64,
}

/// Which colliders see each other: the mask of each has to have a bit in common with
/// the group of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups that the collider is in, as bits.
    pub member: u32,
    /// The groups that it collides with, as bits.
    pub mask: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            member: 1,
            mask: u32::MAX,
        }
    }
}

impl Groups {
    /// Whether two colliders see each other.
    pub fn meet(&self, other: &Self) -> bool {
        self.member & other.mask != 0 && other.member & self.mask != 0
    }
}

/// A shape that collides.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Its shape.
    pub shape: ColliderShape,
    /// From its own axes to those of its body, of its script, or of the world.
    pub pose: Pose,
    /// The body that it is fixed to; without one it is fixed in the world or scripted.
    pub body: Option<usize>,
    /// The scripted motion that it follows, of a collider without a body.
    pub script: Option<u32>,
    /// What it is made of.
    pub material: ContactMaterial,
    /// What it collides with.
    pub groups: Groups,
    /// A sensor reports overlaps and is not touched.
    pub sensor: bool,
}

impl Collider {
    /// A solid that is fixed to a body.
    pub fn on_body(body: usize, shape: Convex, material: ContactMaterial) -> Self {
        Self {
            shape: ColliderShape::Convex(shape),
            pose: Pose::IDENTITY,
            body: Some(body),
            script: None,
            material,
            groups: Groups::default(),
            sensor: false,
        }
    }

    /// A half-space that never moves: bodies stay on the side of the normal.
    pub fn plane(point: DVec3, normal: DVec3, material: ContactMaterial) -> Self {
        Self {
            shape: ColliderShape::HalfSpace {
                normal,
                offset: normal.dot(point),
            },
            pose: Pose::IDENTITY,
            body: None,
            script: None,
            material,
            groups: Groups::default(),
            sensor: false,
        }
    }

    /// A shape that follows scripted motion number `script`.
    pub fn scripted(
        script: u32,
        shape: ColliderShape,
        pose: Pose,
        material: ContactMaterial,
    ) -> Self {
        Self {
            shape,
            pose,
            body: None,
            script: Some(script),
            material,
            groups: Groups::default(),
            sensor: false,
        }
    }

    /// The radius of a ball about the origin of its axes around it.
    pub fn bounding_radius(&self) -> f64 {
        match &self.shape {
            ColliderShape::Convex(convex) => convex.bounding_radius(),
            ColliderShape::HalfSpace { .. } => f64::INFINITY,
            ColliderShape::Mesh(mesh) => {
                let b = mesh.bounds();
                b.min.abs().max(b.max.abs()).length()
            }
        }
    }

    /// The box around it at a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        match &self.shape {
            ColliderShape::Convex(convex) => convex.aabb(pose),
            ColliderShape::HalfSpace { .. } => Aabb::EMPTY,
            ColliderShape::Mesh(mesh) => {
                let b = mesh.bounds();
                let corner = |k: u32| {
                    let pick =
                        |bit: u32, low: f64, high: f64| if k >> bit & 1 == 0 { low } else { high };
                    pose.point(DVec3::new(
                        pick(0, b.min.x, b.max.x),
                        pick(1, b.min.y, b.max.y),
                        pick(2, b.min.z, b.max.z),
                    ))
                };
                Aabb::from_points((0..8).map(corner))
            }
        }
    }
}

/// The restitution and friction of two colliders: what is not a body decides where it
/// says something; otherwise the geometric mean.
pub fn combined(a: &Collider, b: &Collider) -> (f64, f64, f64) {
    let pick = |x: Option<f64>, y: Option<f64>| match (a.body, b.body) {
        (None, Some(_)) => x.or(y).unwrap_or(0.0),
        (Some(_), None) => y.or(x).unwrap_or(0.0),
        _ => match (x, y) {
            (Some(x), Some(y)) if x == y => x,
            (Some(x), Some(y)) => (x * y).sqrt(),
            (x, y) => x.or(y).unwrap_or(0.0),
        },
    };
    (
        pick(a.material.restitution, b.material.restitution),
        pick(a.material.friction, b.material.friction),
        a.material.rolling.max(b.material.rolling),
    )
}
