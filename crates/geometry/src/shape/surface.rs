//! The surfaces of shapes as triangles, for display, cloth and export.

use super::Shape;
use crate::Mesh;
use crate::generate::{capsule, cube, icosphere, lathe, scaled};
use conatus_math::DVec3;

/// How often the icosahedron of balls and ellipsoids is subdivided.
const SUBDIVISIONS: u32 = 3;

/// The most triangles of a surface whose edges are bisected.
pub const MAX_SURFACE_TRIANGLES: usize = 200_000;

impl Shape {
    /// The surface as triangles, closed and facing outwards for solids, in the axes of the
    /// shape. Sizes must be positive. A half-space has none: it has no end.
    pub fn mesh(&self) -> Mesh {
        match *self {
            Self::Sphere { radius } => scaled(icosphere(SUBDIVISIONS), DVec3::splat(radius)),
            Self::Ellipsoid { semi_axes } => scaled(icosphere(SUBDIVISIONS), semi_axes),
            Self::Box { half_extents } => scaled(cube(), half_extents),
            Self::Cylinder {
                radius,
                height,
                axis,
            } => {
                let half = 0.5 * height;
                // The centres of the end faces are poles; a ring may have the
                // same height as a pole.
                let rings = [(radius, -half), (radius, half)];
                lathe(-half, &rings, half, axis)
            }
            Self::Cone {
                radius,
                height,
                axis,
            } => lathe(
                -0.25 * height,
                &[(radius, -0.25 * height)],
                0.75 * height,
                axis,
            ),
            Self::Capsule {
                radius,
                height,
                axis,
            } => capsule(radius, height, axis),
            Self::Hull(ref hull) => hull.mesh(),
            Self::Mesh(ref mesh) => mesh.mesh().clone(),
            Self::Heightfield(ref grid) => grid.mesh(),
            Self::HalfSpace(_) => Mesh::default(),
            Self::Compound(ref parts) => {
                let mut all = Mesh::default();
                for (pose, part) in parts.iter() {
                    all.append(&part.mesh().at(pose));
                }
                all
            }
        }
    }

    /// The surface with no edge much longer than `longest`, as far as
    /// [`MAX_SURFACE_TRIANGLES`] allow.
    pub fn fine_mesh(&self, longest: f64) -> Mesh {
        match *self {
            Self::Sphere { radius } => {
                // The edges of an icosahedron are 1.05 radii long.
                let halvings = (1.2 * radius / longest).log2().ceil();
                let ball = icosphere(halvings.clamp(1.0, 6.0) as u32);
                scaled(ball, DVec3::splat(radius))
            }
            _ if longest > 0.0 => self.mesh().refined(longest, MAX_SURFACE_TRIANGLES),
            _ => self.mesh(),
        }
    }
}
