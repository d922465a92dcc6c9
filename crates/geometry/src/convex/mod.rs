//! Convex solids as collision detection sees them: support points, contact
//! features, and manifolds of points where two of them touch.
//!
//! Every solid is a *core* and a radius around it. The core of a ball is its
//! centre and that of a capsule its axis; all other cores are the solid itself.
//! Polytopes (points, segments, triangles, boxes, hulls) are separated by the
//! separating-axis test ([`sat`]), large hulls and pairs with a round core by GJK and EPA
//! ([`gjk`], [`epa`]). What touches is found by clipping the features that face
//! each other ([`feature`]).

pub mod box_box;
mod cast;
pub mod epa;
pub mod feature;
pub mod gjk;
mod half_space;
pub mod hull;
mod lanes;
pub mod manifold;
mod pairs;
mod polygon;
mod ray;
pub mod sat;

pub use cast::{CastHit, Gap, gap, shape_cast};
pub use gjk::NearCorners;
pub use half_space::half_space_convex;
pub use hull::{ConvexHull, HullError};
pub use manifold::{Manifold, ManifoldPoint};
pub use pairs::{PairCache, collide};

use crate::Aabb;
use conatus_math::{DMat3, DVec3, Pose};
use std::sync::Arc;

/// A convex solid about its own origin. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Convex {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// All points within `radius` of the segment from −`half` to `half`.
    Capsule {
        /// Half of the segment.
        half: DVec3,
        /// The radius.
        radius: f64,
    },
    /// A rectangular block.
    Box {
        /// Half of each edge.
        half_extents: DVec3,
    },
    /// The convex hull of points.
    Hull(Arc<ConvexHull>),
    /// A circular cylinder.
    Cylinder {
        /// The unit vector of its axis.
        axis: DVec3,
        /// The radius.
        radius: f64,
        /// Half of the height along the axis.
        half_height: f64,
    },
    /// A circular cone.
    Cone {
        /// The unit vector from its base to its tip.
        axis: DVec3,
        /// The radius of the base.
        radius: f64,
        /// The coordinates of the base and of the tip along the axis.
        base_and_tip: [f64; 2],
    },
    /// An ellipsoid along the axes.
    Ellipsoid {
        /// The three half axes.
        semi_axes: DVec3,
    },
    /// A triangle without thickness.
    Triangle([DVec3; 3]),
}

/// A vector at right angles to `direction`, of unit length.
pub fn perpendicular(direction: DVec3) -> DVec3 {
    let a = direction.abs();
    let other = if a.x <= a.y && a.x <= a.z {
        DVec3::X
    } else if a.y <= a.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    direction.cross(other).normalize_or(DVec3::X)
}

/// The unit vector of the part of a direction across a unit axis; zero where the
/// direction is along the axis but for rounding.
fn across(direction: DVec3, axis: DVec3) -> DVec3 {
    let part = direction - axis * direction.dot(axis);
    if part.length_squared() <= 1e-24 * direction.length_squared() {
        return DVec3::ZERO;
    }
    // Of a short part, rounding has left a share along the axis.
    let part = part.normalize();
    (part - axis * part.dot(axis)).normalize()
}

impl Convex {
    /// The radius around the core.
    #[inline]
    pub fn radius(&self) -> f64 {
        match self {
            Self::Sphere { radius } | Self::Capsule { radius, .. } => *radius,
            _ => 0.0,
        }
    }

    /// Whether the core has corners, edges and faces only.
    pub fn is_polytope(&self) -> bool {
        !matches!(
            self,
            Self::Cylinder { .. } | Self::Cone { .. } | Self::Ellipsoid { .. }
        )
    }

    /// How many edges the core has, if it is a polytope.
    pub fn edge_count(&self) -> usize {
        match self {
            Self::Box { .. } => 12,
            Self::Triangle(_) => 3,
            Self::Capsule { .. } => 1,
            Self::Hull(hull) => hull.edges().len(),
            _ => 0,
        }
    }

    /// The point of the core that is farthest in a direction, and a number that
    /// tells the corners of a polytope apart.
    #[inline]
    pub fn support(&self, direction: DVec3) -> (DVec3, u32) {
        match self {
            Self::Sphere { .. } => (DVec3::ZERO, 0),
            Self::Capsule { half, .. } => match direction.dot(*half) >= 0.0 {
                true => (*half, 0),
                false => (-*half, 1),
            },
            Self::Box { half_extents: h } => {
                let side = |d: f64| d >= 0.0;
                let [x, y, z] = [side(direction.x), side(direction.y), side(direction.z)];
                let sign = |positive: bool| if positive { 1.0 } else { -1.0 };
                let id = u32::from(x) | u32::from(y) << 1 | u32::from(z) << 2;
                (*h * DVec3::new(sign(x), sign(y), sign(z)), id)
            }
            Self::Hull(hull) => hull.support(direction),
            Self::Cylinder {
                axis,
                radius,
                half_height,
            } => {
                let along = direction.dot(*axis);
                let across = across(direction, *axis);
                (*axis * half_height.copysign(along) + across * *radius, 0)
            }
            Self::Cone {
                axis,
                radius,
                base_and_tip: [base, tip],
            } => {
                let along = direction.dot(*axis);
                let length = (direction - *axis * along).length();
                // The tip is farther than the rim where the direction is steeper
                // than the normal of the side.
                if along * (tip - base) >= radius * length {
                    return (*axis * *tip, 0);
                }
                let across = self::across(direction, *axis);
                (*axis * *base + across * *radius, 1)
            }
            Self::Ellipsoid { semi_axes: s } => {
                let scaled = direction * *s;
                (*s * scaled.normalize_or(DVec3::Z), 0)
            }
            Self::Triangle(corners) => {
                let heights = corners.map(|c| c.dot(direction));
                let mut best = 0;
                for k in 1..3 {
                    if heights[k] > heights[best] {
                        best = k;
                    }
                }
                (corners[best], best as u32)
            }
        }
    }

    /// The box around the solid at a pose.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        let r = DMat3::from_quat(pose.rotation);
        let centre = pose.translation;
        // The extent along each world axis is that of the support point.
        let by_support = || {
            let rows = [r.row(0), r.row(1), r.row(2)];
            let high = rows.map(|row| self.support(row).0.dot(row));
            let low = rows.map(|row| self.support(-row).0.dot(row));
            Aabb::new(centre + DVec3::from(low), centre + DVec3::from(high)).grow(self.radius())
        };
        match self {
            Self::Sphere { radius } => Aabb::of_sphere(centre, *radius),
            Self::Capsule { half, radius } => {
                let half = (r * *half).abs() + DVec3::splat(*radius);
                Aabb::new(centre - half, centre + half)
            }
            Self::Box { half_extents: h } => {
                let half = r.x_axis.abs() * h.x + r.y_axis.abs() * h.y + r.z_axis.abs() * h.z;
                Aabb::new(centre - half, centre + half)
            }
            Self::Hull(hull) => hull.aabb(pose, &r),
            Self::Triangle(corners) => Aabb::from_points(corners.map(|c| pose.point(c))),
            _ => by_support(),
        }
    }

    /// The radius of a ball about the origin that the solid lies in.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        match self {
            Self::Sphere { radius } => *radius,
            Self::Capsule { half, radius } => half.length() + radius,
            Self::Box { half_extents } => half_extents.length(),
            Self::Hull(hull) => hull.bounding_radius(),
            Self::Cylinder {
                radius,
                half_height,
                ..
            } => radius.hypot(*half_height),
            Self::Cone {
                radius,
                base_and_tip: [base, tip],
                ..
            } => radius.hypot(*base).max(tip.abs()),
            Self::Ellipsoid { semi_axes } => semi_axes.max_element(),
            Self::Triangle(corners) => corners.iter().map(|c| c.length()).fold(0.0, f64::max),
        }
    }
}
