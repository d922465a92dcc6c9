//! Surfaces that characters can touch and must not penetrate: signed distances with
//! derivatives, and the soft nearest point of Mordatch (3).
//!
//! They follow from the [`Shape`]s that bodies and cloth collide with ([`RoundedShape::of`]).
//! All are rounded: the normals of a sharp edge flip, and an optimiser gets stuck there. Each
//! rounded shape has its own file, and is given about its own origin. A
//! [`Surface`] places a shape in the world, a [`ContactSolid`](crate::program::ContactSolid) attaches
//! one to a moving frame.

mod capsule;
mod heightfield;
mod rounded_box;
mod soft_nearest_point;

pub use capsule::Capsule;
pub use rounded_box::RoundedBox;
pub use soft_nearest_point::{SOFTNESS, SoftNearestPoint, Surroundings};

use conatus_geometry::{HalfSpace, Heightfield, Shape};
use conatus_math::{DMat3, DVec3, Pose};
use std::sync::Arc;

/// How far 1 may be from the cosine of half an angle that is none.
const LEVEL_TOLERANCE: f64 = 1e-9;

/// The cosine of the angle from which on a surface is a wall.
const WALL_COSINE: f64 = 0.3;

/// A static surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: RoundedShape,
    /// Whether hands can grip it.
    pub grippable: bool,
    /// Whether it bears load; otherwise it is only an obstacle.
    pub bears: bool,
    /// The translation with which it starts during a search, if it moves to its place
    /// in stages.
    pub comes_from: Option<DVec3>,
}

/// How the search sees one part of a [`Shape`]: rounded, at its place.
#[derive(Clone, Debug, PartialEq)]
pub enum RoundedShape {
    /// All points behind a plane.
    HalfSpace(HalfSpace),
    /// A box with rounded edges.
    RoundedBox(RoundedBox),
    /// All points within a distance of a segment; a ball if the segment is a point.
    Capsule(Capsule),
    /// A heightfield.
    Heightfield(Arc<Heightfield>),
}

/// The signed distance of a point from a surface (negative inside), with derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// In metres.
    pub value: f64,
    /// Its derivative with respect to the point.
    pub gradient: DVec3,
    /// The unit vector away from the surface; equal to the gradient where the distance
    /// is exact.
    pub normal: DVec3,
    /// The derivative of the normal with respect to the point.
    pub slope: DMat3,
}

impl Distance {
    /// A distance whose gradient is a unit vector; then `slope` is the second derivative.
    fn exact(value: f64, normal: DVec3, slope: DMat3) -> Self {
        Self {
            value,
            gradient: normal,
            normal,
            slope,
        }
    }

    /// The derivative of `normal · value`, the vector from the nearest point.
    pub fn gap_slope(&self) -> DMat3 {
        outer(self.normal, self.gradient) + self.slope * self.value
    }
}

impl RoundedShape {
    /// The parts of a shape at a pose; none if the search cannot see one of them: cylinders,
    /// cones, ellipsoids, hulls, meshes, and heightfields that are turned.
    pub fn of(shape: &Shape, pose: &Pose) -> Option<Vec<Self>> {
        let one = match shape {
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space.at(pose)),
            Shape::Sphere { radius } => Self::Capsule(Capsule::ball_at(pose.translation, *radius)),
            Shape::Capsule {
                radius,
                height,
                axis,
            } => {
                let half = pose.direction(axis.unit()) * (0.5 * height);
                Self::Capsule(Capsule {
                    start: pose.translation - half,
                    end: pose.translation + half,
                    radius: *radius,
                })
            }
            Shape::Box { half_extents } => {
                let axes = DMat3::from_quat(pose.rotation);
                Self::RoundedBox(RoundedBox::new(pose.translation, axes, *half_extents))
            }
            Shape::Heightfield(grid) => {
                let turned = pose.rotation.w.abs() < 1.0 - LEVEL_TOLERANCE;
                if turned {
                    return None;
                }
                let mut field = grid.field().clone();
                field.origin += pose.translation;
                Self::Heightfield(Arc::new(field))
            }
            Shape::Compound(_) => {
                let parts = shape.parts().into_iter();
                let rounded = parts.map(|(own, part)| Self::of(&part, &pose.after(&own)));
                let rounded: Option<Vec<Vec<Self>>> = rounded.collect();
                return rounded.map(|all| all.concat());
            }
            Shape::Cylinder { .. }
            | Shape::Cone { .. }
            | Shape::Ellipsoid { .. }
            | Shape::Hull(_)
            | Shape::Mesh(_) => return None,
        };
        Some(vec![one])
    }

    /// The signed distance of a point.
    #[inline]
    pub fn distance(&self, p: DVec3) -> Distance {
        match self {
            Self::HalfSpace(plane) => Distance::exact(plane.height(p), plane.normal, DMat3::ZERO),
            Self::RoundedBox(block) => block.distance(p),
            Self::Capsule(capsule) => capsule.distance(p),
            Self::Heightfield(field) => heightfield::distance(field, p),
        }
    }

    /// A bounding sphere: centre and radius; none for unbounded shapes.
    pub fn bounding_sphere(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::HalfSpace(_) | Self::Heightfield(_) => None,
            Self::RoundedBox(block) => Some(block.bounding_sphere()),
            Self::Capsule(capsule) => Some(capsule.bounding_sphere()),
        }
    }

    /// The volume that it sweeps when it is translated, if it is a block and the
    /// translation is along one of its edges; otherwise the shape itself.
    pub fn swept(&self, by: DVec3) -> Self {
        let mut swept = self.clone();
        if let Self::RoundedBox(block) = &mut swept {
            let along = (block.orientation.transpose() * by).abs();
            if along.max_element() > 0.999 * by.length() {
                block.half_extents += along * 0.5;
                block.position += by * 0.5;
            }
        }
        swept
    }

    /// The same shape, translated.
    pub fn translated(&self, by: DVec3) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Self::HalfSpace(plane) => plane.offset += plane.normal.dot(by),
            Self::RoundedBox(block) => block.position += by,
            Self::Capsule(capsule) => {
                capsule.start += by;
                capsule.end += by;
            }
            Self::Heightfield(field) => Arc::make_mut(field).origin += by,
        }
        moved
    }
}

impl Surface {
    /// A surface that bears load, is not gripped, and is in its place from the start.
    pub fn new(name: impl Into<String>, shape: RoundedShape) -> Self {
        Self {
            name: name.into(),
            shape,
            grippable: false,
            bears: true,
            comes_from: None,
        }
    }

    /// Flat ground at height zero.
    pub fn ground() -> Self {
        let ground = HalfSpace::through(DVec3::ZERO, DVec3::Z);
        Self::new("ground", RoundedShape::HalfSpace(ground))
    }

    /// The signed distance of a point.
    #[inline]
    pub fn distance(&self, p: DVec3) -> Distance {
        self.shape.distance(p)
    }

    /// Whether something could stand on a part of it that is not level: planes that lean but
    /// are no walls, turned boxes, and heightfields.
    pub fn is_slope(&self) -> bool {
        let leans = |up: f64| up.abs() > WALL_COSINE && up.abs() < 1.0 - LEVEL_TOLERANCE;
        match &self.shape {
            RoundedShape::HalfSpace(plane) => leans(plane.normal.z),
            RoundedShape::RoundedBox(block) => {
                let axes = block.orientation;
                [axes.x_axis, axes.y_axis, axes.z_axis]
                    .iter()
                    .any(|axis| leans(axis.z))
            }
            RoundedShape::Heightfield(_) => true,
            RoundedShape::Capsule(_) => false,
        }
    }

    /// Whether it is a plane: then the deepest point of a straight part is one of its
    /// ends.
    pub fn is_flat(&self) -> bool {
        matches!(self.shape, RoundedShape::HalfSpace(_))
    }
}

pub(crate) fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}
