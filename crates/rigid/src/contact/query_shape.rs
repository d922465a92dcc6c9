//! Queries of one collider: each kind of shape at a pose.

use super::collider::{ColliderShape, CollisionMesh};
use conatus_geometry::convex::{Convex, gap, shape_cast};
use conatus_geometry::{Aabb, Ray};
use conatus_math::{DVec3, Pose};

/// A point as a solid.
pub(super) const POINT: Convex = Convex::Sphere { radius: 0.0 };

/// A place on a collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub distance: f64,
    pub point: DVec3,
    pub normal: DVec3,
}

/// A half-space at a pose: its normal and offset in the world.
fn placed(normal: DVec3, offset: f64, pose: &Pose) -> (DVec3, f64) {
    let normal = pose.direction(normal);
    (normal, offset + normal.dot(pose.translation))
}

/// The lowest point of a solid at a pose along a direction, without its radius.
fn lowest(shape: &Convex, pose: &Pose, normal: DVec3) -> DVec3 {
    let own = pose.rotation.conjugate() * normal;
    pose.point(shape.support(-own).0)
}

/// The triangle whose result is the least, by (distance, number).
fn first_triangle(
    mesh: &CollisionMesh,
    limit: f64,
    bound: impl Fn(&Aabb) -> f64,
    find: impl Fn(&Convex, f64) -> Option<Found>,
) -> Option<Found> {
    let mut best: Option<(Found, u32)> = None;
    mesh.search(limit, bound, |t| {
        let most = best.map_or(limit, |b| b.0.distance);
        let triangle = Convex::Triangle(mesh.mesh.corners(t as usize));
        if let Some(found) = find(&triangle, most).filter(|f| f.distance <= most) {
            let nearer = |(b, k): &(Found, u32)| (found.distance, t) < (b.distance, *k);
            if best.as_ref().is_none_or(nearer) {
                best = Some((found, t));
            }
        }
        best.map_or(limit, |b| b.0.distance)
    });
    best.map(|b| b.0)
}

/// Where a ray enters a shape.
pub(super) fn ray(shape: &ColliderShape, pose: &Pose, ray: &Ray, most: f64) -> Option<Found> {
    let own = ray.seen_from(pose);
    let hit = match shape {
        ColliderShape::Convex(convex) => convex.ray_cast(&own)?,
        ColliderShape::HalfSpace { normal, offset } => own.half_space(*normal, *offset)?,
        ColliderShape::Mesh(mesh) => {
            let find = |triangle: &Convex, _: f64| {
                let hit = triangle.ray_cast(&own)?;
                Some(Found {
                    distance: hit.distance,
                    point: own.at(hit.distance),
                    normal: hit.normal,
                })
            };
            let found = first_triangle(mesh, most, |b| own.entry(b), find)?;
            conatus_geometry::RayHit {
                distance: found.distance,
                normal: found.normal,
            }
        }
    };
    Some(Found {
        distance: hit.distance,
        point: ray.at(hit.distance),
        normal: pose.direction(hit.normal),
    })
}

/// Where a solid that moves along a unit direction touches a shape.
pub(super) fn cast(
    shape: &ColliderShape,
    pose: &Pose,
    moving: &Convex,
    from: &Pose,
    direction: DVec3,
    most: f64,
) -> Option<Found> {
    let of_convex = |target: &Convex, most: f64| {
        let hit = shape_cast(moving, from, direction, target, pose, most)?;
        Some(Found {
            distance: hit.distance,
            point: hit.point,
            normal: hit.normal,
        })
    };
    match shape {
        ColliderShape::Convex(convex) => of_convex(convex, most),
        ColliderShape::HalfSpace { normal, offset } => {
            let (normal, offset) = placed(*normal, *offset, pose);
            let low = lowest(moving, from, normal) - normal * moving.radius();
            let height = normal.dot(low) - offset;
            let distance = match height <= 0.0 {
                true => 0.0,
                false => -height / normal.dot(direction),
            };
            let hits = (0.0..f64::INFINITY).contains(&distance);
            hits.then(|| Found {
                distance,
                point: low + direction * distance,
                normal,
            })
        }
        ColliderShape::Mesh(mesh) => {
            let back = pose.inverse();
            let own = moving.aabb(&back.after(from));
            let path = Ray {
                origin: own.centre(),
                direction: back.direction(direction),
            };
            let half = 0.5 * own.extent();
            let bound = |b: &Aabb| path.entry(&Aabb::new(b.min - half, b.max + half));
            first_triangle(mesh, most, bound, of_convex)
        }
    }
}

/// The point of a shape that is nearest to a point.
pub(super) fn nearest(
    shape: &ColliderShape,
    pose: &Pose,
    point: DVec3,
    most: f64,
) -> Option<Found> {
    let at = Pose::shift(point);
    let of_convex = |convex: &Convex, _: f64| {
        Some(match gap(convex, pose, &POINT, &at) {
            Some(found) => Found {
                distance: found.distance,
                point: found.a,
                normal: found.normal,
            },
            None => Found {
                distance: 0.0,
                point,
                normal: DVec3::ZERO,
            },
        })
    };
    match shape {
        ColliderShape::Convex(convex) => of_convex(convex, most),
        ColliderShape::HalfSpace { normal, offset } => {
            let (normal, offset) = placed(*normal, *offset, pose);
            let height = normal.dot(point) - offset;
            Some(match height > 0.0 {
                true => Found {
                    distance: height,
                    point: point - normal * height,
                    normal,
                },
                false => Found {
                    distance: 0.0,
                    point,
                    normal: DVec3::ZERO,
                },
            })
        }
        ColliderShape::Mesh(mesh) => {
            let own = pose.inverse().point(point);
            first_triangle(mesh, most, |b| b.distance(own), of_convex)
        }
    }
}

/// Whether a solid overlaps a shape, or touches it.
pub(super) fn overlaps(shape: &ColliderShape, pose: &Pose, solid: &Convex, at: &Pose) -> bool {
    match shape {
        ColliderShape::Convex(convex) => gap(convex, pose, solid, at).is_none(),
        ColliderShape::HalfSpace { normal, offset } => {
            let (normal, offset) = placed(*normal, *offset, pose);
            normal.dot(lowest(solid, at, normal)) - solid.radius() <= offset
        }
        ColliderShape::Mesh(mesh) => {
            let query = solid.aabb(&pose.inverse().after(at));
            let mut near = Vec::new();
            mesh.overlapping(&query, &mut near);
            near.iter().any(|&t| {
                let triangle = Convex::Triangle(mesh.mesh.corners(t as usize));
                gap(&triangle, pose, solid, at).is_none()
            })
        }
    }
}

/// Whether two colliders overlap; surfaces do not overlap each other.
pub(super) fn overlap(a: &ColliderShape, pa: &Pose, b: &ColliderShape, pb: &Pose) -> bool {
    match (a, b) {
        (_, ColliderShape::Convex(solid)) => overlaps(a, pa, solid, pb),
        (ColliderShape::Convex(solid), _) => overlaps(b, pb, solid, pa),
        _ => false,
    }
}

/// Whether a collider that moves from a pose along a vector, without turning, meets another
/// one.
pub(super) fn sweep(
    target: &ColliderShape,
    pose: &Pose,
    moving: &ColliderShape,
    from: &Pose,
    way: DVec3,
) -> bool {
    let (ColliderShape::Convex(solid), Some(direction)) = (moving, way.try_normalize()) else {
        return false;
    };
    cast(target, pose, solid, from, direction, way.length())
        .is_some_and(|f| f.distance <= way.length())
}
