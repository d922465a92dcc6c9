//! Shapes: one description from which mass, surface, collisions, queries and distances
//! follow.
//!
//! | file | what follows from a shape |
//! |---|---|
//! | [`solid`](SolidProperties) | volume, centre of mass and inertia |
//! | `surface` | triangles for display, cloth and export |
//! | `collision` | the convex solids and triangles that collide, bounds |
//! | `query` | rays, moving shapes, nearest points, overlaps |
//! | `validate` | what is wrong with a shape |
//!
//! Manifolds of two shapes come from [`crate::convex`], which works on convex parts alone.

mod collision;
mod collision_mesh;
mod half_space;
mod height_grid;
mod query;
mod solid;
mod surface;
mod triangles;
mod validate;

pub use collision_mesh::CollisionMesh;
pub use half_space::HalfSpace;
pub use height_grid::HeightGrid;
pub use query::ShapeHit;
pub use solid::SolidProperties;
pub use surface::MAX_SURFACE_TRIANGLES;
pub use triangles::TriangleSurface;
pub use validate::ShapeError;

use crate::Mesh;
use crate::convex::{ConvexHull, HullError};
use conatus_math::{DVec3, Pose};
use std::sync::Arc;

/// The axis that a cylinder, capsule or cone lies along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Along x, as Chaney's `setCylinder` does.
    X,
    /// Along y.
    Y,
    /// Along z.
    Z,
}

impl Axis {
    /// The unit vector along it.
    pub fn unit(self) -> DVec3 {
        match self {
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

/// A shape in its own axes. The origin of solids with a formula is their centre of mass
/// (a cone's at a quarter of its height above the base). Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A ball.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A rectangular block.
    Box {
        /// Half of each edge (Chaney calls them radii).
        half_extents: DVec3,
    },
    /// A cylinder with half a ball on either end.
    Capsule {
        /// The radius of cylinder and balls.
        radius: f64,
        /// The height of the cylinder alone, without the balls.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// A circular cylinder.
    Cylinder {
        /// The radius.
        radius: f64,
        /// The full height along the axis.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// A circular cone, its tip in the positive direction of the axis.
    Cone {
        /// The radius of the base.
        radius: f64,
        /// The height from base to tip.
        height: f64,
        /// The axis it lies along.
        axis: Axis,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// The three half axes.
        semi_axes: DVec3,
    },
    /// The convex hull of points.
    Hull(Arc<ConvexHull>),
    /// A surface of triangles. It collides from both sides; it has mass if it is closed.
    Mesh(Arc<CollisionMesh>),
    /// Uneven ground above a grid.
    Heightfield(Arc<HeightGrid>),
    /// All points on one side of a plane.
    HalfSpace(HalfSpace),
    /// Several shapes as one, each at its pose. Where they overlap, mass counts twice.
    Compound(Arc<[(Pose, Shape)]>),
}

impl Shape {
    /// The convex hull of points.
    pub fn hull(points: &[DVec3]) -> Result<Self, HullError> {
        ConvexHull::new(points).map(Self::from)
    }

    /// A surface of triangles.
    pub fn mesh_of(mesh: Mesh) -> Self {
        Self::Mesh(Arc::new(CollisionMesh::new(mesh)))
    }

    /// Several shapes as one, each at its pose.
    pub fn compound(parts: impl IntoIterator<Item = (Pose, Self)>) -> Self {
        Self::Compound(parts.into_iter().collect())
    }

    /// The shapes that it consists of, each at its pose: itself, unless it is a compound.
    pub fn parts(&self) -> Vec<(Pose, Self)> {
        let Self::Compound(parts) = self else {
            return vec![(Pose::IDENTITY, self.clone())];
        };
        let placed = parts.iter().flat_map(|(pose, part)| {
            let inner = part.parts().into_iter();
            inner.map(|(own, shape)| (pose.after(&own), shape))
        });
        placed.collect()
    }
}

impl From<ConvexHull> for Shape {
    fn from(hull: ConvexHull) -> Self {
        Self::Hull(Arc::new(hull))
    }
}

impl From<HalfSpace> for Shape {
    fn from(half_space: HalfSpace) -> Self {
        Self::HalfSpace(half_space)
    }
}

#[cfg(test)]
mod tests;
