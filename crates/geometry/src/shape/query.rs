//! Queries of one shape at a pose: rays, moving shapes, nearest points and overlaps.

use super::{HalfSpace, Shape, TriangleSurface};
use crate::convex::{Convex, gap, shape_cast};
use crate::{Aabb, Ray, RayHit};
use conatus_math::{DVec3, Pose};

/// A point as a solid.
const POINT: Convex = Convex::Sphere { radius: 0.0 };

/// A place on a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeHit {
    /// In metres from the start of the ray or of the movement, or from the point.
    pub distance: f64,
    /// Where, in the coordinates of the pose.
    pub point: DVec3,
    /// The outward unit normal of the surface there; zero for a point inside.
    pub normal: DVec3,
}

impl Shape {
    /// Where a ray enters it within `most` metres. A ray that starts inside enters at
    /// distance 0.
    pub fn ray_cast(&self, pose: &Pose, ray: &Ray, most: f64) -> Option<ShapeHit> {
        let own = ray.seen_from(pose);
        let hit = match self {
            Self::HalfSpace(half_space) => half_space.ray_cast(&own)?,
            Self::Compound(parts) => {
                let hits = parts
                    .iter()
                    .filter_map(|(inner, part)| part.ray_cast(&pose.after(inner), ray, most));
                return nearest_of(hits);
            }
            _ => match self.triangles() {
                Some(triangles) => {
                    let find = |triangle: &Convex, _: f64| {
                        let hit = triangle.ray_cast(&own)?;
                        Some(ShapeHit {
                            distance: hit.distance,
                            point: own.at(hit.distance),
                            normal: hit.normal,
                        })
                    };
                    let found = first_triangle(triangles, most, |b| own.entry(b), find)?;
                    RayHit {
                        distance: found.distance,
                        normal: found.normal,
                    }
                }
                None => self.convex()?.ray_cast(&own)?,
            },
        };
        Some(ShapeHit {
            distance: hit.distance,
            point: ray.at(hit.distance),
            normal: pose.direction(hit.normal),
        })
    }

    /// Where a shape that moves from `from` along a unit direction, without turning, touches
    /// this one within `most` metres. Only convex parts of the moving shape count.
    pub fn shape_cast(
        &self,
        pose: &Pose,
        moving: &Self,
        from: &Pose,
        direction: DVec3,
        most: f64,
    ) -> Option<ShapeHit> {
        if let Some(moving) = moving.convex() {
            return self.convex_cast(pose, &moving, from, direction, most);
        }
        let parts = moving.parts().into_iter();
        nearest_of(parts.filter_map(|(own, part)| {
            self.convex_cast(pose, &part.convex()?, &from.after(&own), direction, most)
        }))
    }

    fn convex_cast(
        &self,
        pose: &Pose,
        moving: &Convex,
        from: &Pose,
        direction: DVec3,
        most: f64,
    ) -> Option<ShapeHit> {
        let of_convex = |target: &Convex, most: f64| {
            let hit = shape_cast(moving, from, direction, target, pose, most)?;
            Some(ShapeHit {
                distance: hit.distance,
                point: hit.point,
                normal: hit.normal,
            })
        };
        match self {
            Self::HalfSpace(half_space) => {
                let placed = half_space.at(pose);
                let normal = placed.normal;
                let low = lowest(moving, from, normal) - normal * moving.radius();
                let height = placed.height(low);
                let distance = match height <= 0.0 {
                    true => 0.0,
                    false => -height / normal.dot(direction),
                };
                let hits = (0.0..f64::INFINITY).contains(&distance);
                hits.then(|| ShapeHit {
                    distance,
                    point: low + direction * distance,
                    normal,
                })
            }
            Self::Compound(parts) => nearest_of(parts.iter().filter_map(|(inner, part)| {
                part.convex_cast(&pose.after(inner), moving, from, direction, most)
            })),
            _ => match self.triangles() {
                Some(triangles) => {
                    let back = pose.inverse();
                    let own = moving.aabb(&back.after(from));
                    let path = Ray {
                        origin: own.centre(),
                        direction: back.direction(direction),
                    };
                    let half = 0.5 * own.extent();
                    let bound = |b: &Aabb| path.entry(&Aabb::new(b.min - half, b.max + half));
                    first_triangle(triangles, most, bound, of_convex)
                }
                None => of_convex(&self.convex()?, most),
            },
        }
    }

    /// The point of it that is nearest to a point; a shape that contains the point is at
    /// distance 0. Surfaces farther than `most` metres may be left out.
    pub fn nearest(&self, pose: &Pose, point: DVec3, most: f64) -> Option<ShapeHit> {
        let at = Pose::shift(point);
        let inside = ShapeHit {
            distance: 0.0,
            point,
            normal: DVec3::ZERO,
        };
        let of_convex = |convex: &Convex, _: f64| {
            Some(match gap(convex, pose, &POINT, &at) {
                Some(found) => ShapeHit {
                    distance: found.distance,
                    point: found.a,
                    normal: found.normal,
                },
                None => inside,
            })
        };
        match self {
            Self::HalfSpace(half_space) => {
                let placed = half_space.at(pose);
                let height = placed.height(point);
                Some(match height > 0.0 {
                    true => ShapeHit {
                        distance: height,
                        point: point - placed.normal * height,
                        normal: placed.normal,
                    },
                    false => inside,
                })
            }
            Self::Compound(parts) => nearest_of(
                (parts.iter())
                    .filter_map(|(inner, part)| part.nearest(&pose.after(inner), point, most)),
            ),
            _ => match self.triangles() {
                Some(triangles) => {
                    let own = pose.inverse().point(point);
                    first_triangle(triangles, most, |b| b.distance(own), of_convex)
                }
                None => of_convex(&self.convex()?, most),
            },
        }
    }

    /// Whether two shapes at their poses overlap or touch. Surfaces and half-spaces do not
    /// overlap each other.
    pub fn overlaps(&self, pose: &Pose, other: &Self, at: &Pose) -> bool {
        if let Some(solid) = other.convex() {
            return self.overlaps_convex(pose, &solid, at);
        }
        match (self, other) {
            (_, Self::Compound(parts)) => {
                (parts.iter()).any(|(own, part)| self.overlaps(pose, part, &at.after(own)))
            }
            (Self::Compound(parts), _) => {
                (parts.iter()).any(|(own, part)| part.overlaps(&pose.after(own), other, at))
            }
            _ => (self.convex()).is_some_and(|solid| other.overlaps_convex(at, &solid, pose)),
        }
    }

    fn overlaps_convex(&self, pose: &Pose, solid: &Convex, at: &Pose) -> bool {
        match self {
            Self::HalfSpace(half_space) => {
                let HalfSpace { normal, offset } = half_space.at(pose);
                normal.dot(lowest(solid, at, normal)) - solid.radius() <= offset
            }
            Self::Compound(parts) => {
                (parts.iter()).any(|(own, part)| part.overlaps_convex(&pose.after(own), solid, at))
            }
            _ => match self.triangles() {
                Some(triangles) => {
                    let query = solid.aabb(&pose.inverse().after(at));
                    let mut near = Vec::new();
                    triangles.overlapping(&query, &mut near);
                    near.iter().any(|&t| {
                        let triangle = Convex::Triangle(triangles.corners(t));
                        gap(&triangle, pose, solid, at).is_none()
                    })
                }
                None => (self.convex()).is_some_and(|own| gap(&own, pose, solid, at).is_none()),
            },
        }
    }
}

/// The lowest point of a solid at a pose along a direction, without its radius.
fn lowest(shape: &Convex, pose: &Pose, normal: DVec3) -> DVec3 {
    let own = pose.rotation.conjugate() * normal;
    pose.point(shape.support(-own).0)
}

/// The first of the nearest hits.
fn nearest_of(hits: impl Iterator<Item = ShapeHit>) -> Option<ShapeHit> {
    hits.min_by(|a, b| a.distance.total_cmp(&b.distance))
}

/// The triangle whose result is the least, by (distance, number).
fn first_triangle(
    surface: TriangleSurface,
    limit: f64,
    bound: impl Fn(&Aabb) -> f64,
    find: impl Fn(&Convex, f64) -> Option<ShapeHit>,
) -> Option<ShapeHit> {
    let mut best: Option<(ShapeHit, u32)> = None;
    surface.search(limit, bound, |t| {
        let most = best.map_or(limit, |b| b.0.distance);
        let triangle = Convex::Triangle(surface.corners(t));
        if let Some(found) = find(&triangle, most).filter(|f| f.distance <= most) {
            let nearer = |(b, k): &(ShapeHit, u32)| (found.distance, t) < (b.distance, *k);
            if best.as_ref().is_none_or(nearer) {
                best = Some((found, t));
            }
        }
        best.map_or(limit, |b| b.0.distance)
    });
    best.map(|b| b.0)
}
