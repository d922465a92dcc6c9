//! What is wrong with a shape that a user gave.

use super::Shape;
use crate::OpenMesh;
use conatus_math::DVec3;
use thiserror::Error;

/// Why a shape cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ShapeError {
    /// A size is zero, negative or not finite.
    #[error("{what} is {value}, but must be greater than zero and finite")]
    NotPositive {
        /// Which size.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// Sizes are so extreme that the volume is not a normal number.
    #[error("the volume comes out as {0:?} m³")]
    Volume(f64),
    /// A coordinate of a mesh or a heightfield is not finite.
    #[error("a coordinate is not a finite number")]
    NotFinite,
    /// A mesh has no triangles, or one that does not exist.
    #[error("{0}")]
    Mesh(OpenMesh),
    /// A heightfield has no triangle.
    #[error("a heightfield of {rows} rows of {columns} heights has no area")]
    TooFewHeights {
        /// The heights along x.
        columns: usize,
        /// The heights along y.
        rows: usize,
    },
    /// The normal of a half-space is not of length 1.
    #[error("the normal of a half-space has length {0}, not 1")]
    Normal(f64),
    /// A compound has no parts.
    #[error("a compound needs at least one part")]
    NoParts,
    /// A part of a compound is wrong.
    #[error("part {part}: {error}")]
    Part {
        /// The part.
        part: usize,
        /// What is wrong with it.
        error: Box<Self>,
    },
}

impl Shape {
    /// Checks sizes and coordinates. Hulls were checked when they were made.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let sizes: &[(&'static str, f64)] = match *self {
            Self::Sphere { radius } => &[("the radius", radius)],
            Self::Box { half_extents: v } => &each("a half extent", v),
            Self::Ellipsoid { semi_axes: v } => &each("a semi-axis", v),
            Self::Cylinder { radius, height, .. } | Self::Cone { radius, height, .. } => {
                &[("the radius", radius), ("the height", height)]
            }
            // Without a height it is a ball.
            Self::Capsule {
                radius,
                height: 0.0,
                ..
            } => &[("the radius", radius)],
            Self::Capsule { radius, height, .. } => {
                &[("the radius", radius), ("the height", height)]
            }
            Self::Hull(_) => &[],
            Self::Mesh(ref mesh) => {
                mesh.mesh().check_indices().map_err(ShapeError::Mesh)?;
                return all_finite(mesh.mesh().vertices.iter().all(|v| v.is_finite()));
            }
            Self::Heightfield(ref grid) => {
                let field = grid.field();
                let (columns, rows) = (field.columns, field.rows());
                if columns < 2 || rows < 2 || columns * rows != field.heights.len() {
                    return Err(ShapeError::TooFewHeights { columns, rows });
                }
                positive("the spacing", field.spacing)?;
                let finite =
                    field.origin.is_finite() && field.heights.iter().all(|h| h.is_finite());
                return all_finite(finite);
            }
            Self::HalfSpace(half_space) => {
                let length = half_space.normal.length();
                return match (length - 1.0).abs() < 1e-6 {
                    true => all_finite(half_space.offset.is_finite()),
                    false => Err(ShapeError::Normal(length)),
                };
            }
            Self::Compound(ref parts) if parts.is_empty() => return Err(ShapeError::NoParts),
            Self::Compound(ref parts) => {
                for (part, (pose, shape)) in parts.iter().enumerate() {
                    let at = |error| ShapeError::Part {
                        part,
                        error: Box::new(error),
                    };
                    let finite = pose.translation.is_finite() && pose.rotation.is_finite();
                    all_finite(finite).map_err(at)?;
                    let at = |error| ShapeError::Part {
                        part,
                        error: Box::new(error),
                    };
                    shape.validate().map_err(at)?;
                }
                return Ok(());
            }
        };
        for &(what, value) in sizes {
            positive(what, value)?;
        }
        let volume = self.volume().unwrap_or(0.0);
        match volume.is_normal() {
            true => Ok(()),
            false => Err(ShapeError::Volume(volume)),
        }
    }
}

fn each(what: &'static str, v: DVec3) -> [(&'static str, f64); 3] {
    v.to_array().map(|value| (what, value))
}

fn positive(what: &'static str, value: f64) -> Result<(), ShapeError> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(ShapeError::NotPositive { what, value }),
    }
}

fn all_finite(finite: bool) -> Result<(), ShapeError> {
    finite.then_some(()).ok_or(ShapeError::NotFinite)
}
