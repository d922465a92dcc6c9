//! The convex solids that shapes collide as, and their bounds.

use super::Shape;
use crate::Aabb;
use crate::convex::Convex;
use conatus_math::{DVec3, Pose};

impl Shape {
    /// The convex solid that the narrow phase computes with, in the axes of the shape;
    /// `None` for surfaces, half-spaces and compounds.
    pub fn convex(&self) -> Option<Convex> {
        Some(match *self {
            Self::Sphere { radius } => Convex::Sphere { radius },
            Self::Box { half_extents } => Convex::Box { half_extents },
            Self::Cylinder {
                radius,
                height,
                axis,
            } => Convex::Cylinder {
                axis: axis.unit(),
                radius,
                half_height: 0.5 * height,
            },
            Self::Capsule {
                radius,
                height,
                axis,
            } => Convex::Capsule {
                half: axis.unit() * (0.5 * height),
                radius,
            },
            Self::Cone {
                radius,
                height,
                axis,
            } => Convex::Cone {
                axis: axis.unit(),
                radius,
                base_and_tip: [-0.25 * height, 0.75 * height],
            },
            Self::Ellipsoid { semi_axes } => Convex::Ellipsoid { semi_axes },
            Self::Hull(ref hull) => Convex::Hull(hull.clone()),
            Self::Mesh(_) | Self::Heightfield(_) | Self::HalfSpace(_) | Self::Compound(_) => {
                return None;
            }
        })
    }

    /// The convex solids that it consists of, each at its pose; `None` if a part is not
    /// convex.
    pub fn convex_parts(&self) -> Option<Vec<(Pose, Convex)>> {
        let parts = self.parts().into_iter();
        parts
            .map(|(pose, part)| Some((pose, part.convex()?)))
            .collect()
    }

    /// The box around it at a pose; empty for a half-space, which no box bounds.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        if let Some(convex) = self.convex() {
            return convex.aabb(pose);
        }
        match self {
            Self::Compound(parts) => (parts.iter())
                .map(|(own, part)| part.aabb(&pose.after(own)))
                .fold(Aabb::EMPTY, |all, b| all.union(&b)),
            _ => self.triangles().map_or(Aabb::EMPTY, |t| {
                let b = t.bounds();
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
            }),
        }
    }

    /// The radius of a ball about the origin that it lies in; infinite for a half-space.
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::HalfSpace(_) => f64::INFINITY,
            Self::Compound(parts) => (parts.iter())
                .map(|(pose, part)| pose.translation.length() + part.bounding_radius())
                .fold(0.0, f64::max),
            _ => match (self.convex(), self.triangles()) {
                (Some(convex), _) => convex.bounding_radius(),
                (None, Some(triangles)) => {
                    let b = triangles.bounds();
                    b.min.abs().max(b.max.abs()).length()
                }
                (None, None) => 0.0,
            },
        }
    }
}
