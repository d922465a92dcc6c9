//! Colliders: shapes that are fixed to bodies or to the world, and what they are made
//! of.

use conatus_geometry::convex::Convex;
use conatus_geometry::{Aabb, Bvh, Mesh};
use conatus_math::{DVec3, Pose, atan2};
use std::collections::BTreeMap;
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
    /// For each edge of each triangle the angle by which the triangle beyond it rises to the
    /// side of the normal; `None` at the border.
    bends: Vec<[Option<f64>; 3]>,
}

/// Normals of contacts may tilt this much from the face over a flat edge, in radians.
const MAX_FLAT_TILT: f64 = 1e-3;

impl CollisionMesh {
    /// Prepares a mesh.
    pub fn new(mesh: Mesh) -> Self {
        let boxes: Vec<Aabb> = (0..mesh.triangles.len())
            .map(|t| Aabb::from_points(mesh.corners(t)))
            .collect();
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, b| all.union(b));
        Self {
            bvh: Bvh::build(&boxes),
            bends: bends(&mesh),
            mesh,
            bounds,
        }
    }

    /// Whether a contact normal at triangle `t`, from the mesh, is one that only this
    /// triangle alone would have: the triangle beyond its edge covers that edge, and what
    /// slides over the two would be caught there.
    pub fn is_covered(&self, t: usize, normal: DVec3) -> bool {
        let [a, b, c] = self.mesh.corners(t);
        let Some(face) = (b - a).cross(c - a).try_normalize() else {
            return false;
        };
        let side = 1.0f64.copysign(normal.dot(face));
        let within = normal - face * normal.dot(face);
        let tilt = atan2(within.length(), normal.dot(face).abs());
        if tilt <= MAX_FLAT_TILT {
            return false;
        }
        let edges = [(a, b), (b, c), (c, a)].into_iter().zip(self.bends[t]);
        let mut beyond = edges.filter(|((from, to), _)| {
            let outward = (*to - *from).cross(face).normalize_or_zero();
            outward.dot(within) > 0.1 * within.length()
        });
        // Over a ridge normals lie between those of its two faces.
        beyond.all(|(_, bend)| bend.is_some_and(|b| tilt > (-side * b).max(0.0) + MAX_FLAT_TILT))
    }

    /// The triangles whose boxes overlap a box, in order.
    pub fn overlapping(&self, query: &Aabb, found: &mut Vec<u32>) {
        found.clear();
        self.bvh.for_each_overlap(query, |t| found.push(t));
        found.sort_unstable();
    }

    /// Visits triangles in order of a bound of their boxes; see [`Bvh::search`].
    pub fn search(&self, limit: f64, bound: impl Fn(&Aabb) -> f64, visit: impl FnMut(u32) -> f64) {
        self.bvh.search(limit, &bound, visit);
    }

    /// The box around all triangles.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }
}

/// The bends of a mesh at the edges of its triangles.
fn bends(mesh: &Mesh) -> Vec<[Option<f64>; 3]> {
    let mut beside: BTreeMap<(u32, u32), Vec<(usize, u32)>> = BTreeMap::new();
    let edges = |[a, b, c]: [u32; 3]| [(a, b, c), (b, c, a), (c, a, b)];
    for (t, triangle) in mesh.triangles.iter().enumerate() {
        for (from, to, opposite) in edges(*triangle) {
            let edge = (from.min(to), from.max(to));
            beside.entry(edge).or_default().push((t, opposite));
        }
    }
    let point = |k: u32| mesh.vertices[k as usize];
    let bend = |t: usize, (from, to, own): (u32, u32, u32)| {
        let others = beside.get(&(from.min(to), from.max(to)))?;
        let (_, opposite) = others.iter().find(|(other, _)| *other != t)?;
        let (start, along) = (point(from), point(to) - point(from));
        let face = along.cross(point(own) - start).try_normalize()?;
        let outward = along.cross(face).try_normalize()?;
        let beyond = point(*opposite) - start;
        Some(atan2(beyond.dot(face), beyond.dot(outward)))
    };
    let of = |(t, triangle): (usize, &[u32; 3])| edges(*triangle).map(|edge| bend(t, edge));
    mesh.triangles.iter().enumerate().map(of).collect()
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

/// Restitution, friction and rolling resistance of two colliders: what is not a body
/// decides where it says something; otherwise the geometric mean.
pub fn combined(materials: [&ContactMaterial; 2], on_body: [bool; 2]) -> (f64, f64, f64) {
    let [a, b] = materials;
    let pick = |x: Option<f64>, y: Option<f64>| match on_body {
        [false, true] => x.or(y).unwrap_or(0.0),
        [true, false] => y.or(x).unwrap_or(0.0),
        _ => match (x, y) {
            (Some(x), Some(y)) if x == y => x,
            (Some(x), Some(y)) => (x * y).sqrt(),
            (x, y) => x.or(y).unwrap_or(0.0),
        },
    };
    (
        pick(a.restitution, b.restitution),
        pick(a.friction, b.friction),
        a.rolling.max(b.rolling),
    )
}
