//! What characters can touch and must not enter: signed distances with their
//! derivatives, and the soft nearest point of Mordatch (3).
//!
//! Each shape is a file. All are rounded: a sharp edge has normals that flip,
//! and what stands on it finds no way off. Shapes are given about their own
//! origin; a [`Surface`] places one in the world, a [`Solid`](crate::program::Solid)
//! ties one to something that moves.

mod block;
mod capsule;
mod field;
mod near;

pub use block::Block;
pub use capsule::Capsule;
pub use field::Field;
pub use near::{Nearness, SOFTNESS, Surroundings};

use conatus_math::{DMat3, DVec3};

/// A surface that does not move.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// Whether hands can hold on to it.
    pub grippable: bool,
    /// Whether it bears anything; otherwise one can only keep clear of it.
    pub bears: bool,
    /// Where it begins while a movement is being found, if it comes to its place
    /// in stages: how far it is shifted at first.
    pub comes_from: Option<DVec3>,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// All that is on the far side of a plane.
    Plane {
        /// A point of the plane.
        point: DVec3,
        /// The unit normal, towards where characters may be.
        normal: DVec3,
    },
    /// A box with rounded edges.
    Block(Block),
    /// All that is near to a segment; a ball if that is a point.
    Capsule(Capsule),
    /// Ground with hills.
    Field(std::sync::Arc<Field>),
}

/// The distance of a point from a surface (negative inside) with derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// In metres.
    pub value: f64,
    /// Its derivative by the point.
    pub gradient: DVec3,
    /// The unit vector away from the surface: the gradient, where the distance is
    /// exact.
    pub normal: DVec3,
    /// How the normal changes with the point.
    pub slope: DMat3,
}

impl Distance {
    /// Where the gradient is a unit vector: `slope` is the second derivative.
    fn exact(value: f64, normal: DVec3, slope: DMat3) -> Self {
        Self {
            value,
            gradient: normal,
            normal,
            slope,
        }
    }

    /// The derivative of `normal · value`, the way from the nearest point.
    pub fn gap_slope(&self) -> DMat3 {
        outer(self.normal, self.gradient) + self.slope * self.value
    }
}

impl Shape {
    /// How far a point is from it.
    #[inline]
    pub fn distance(&self, p: DVec3) -> Distance {
        match self {
            Self::Plane { point, normal } => {
                Distance::exact((p - *point).dot(*normal), *normal, DMat3::ZERO)
            }
            Self::Block(block) => block.distance(p),
            Self::Capsule(capsule) => capsule.distance(p),
            Self::Field(field) => field.distance(p),
        }
    }

    /// A ball around all of it, if there is one.
    pub fn ball(&self) -> Option<(DVec3, f64)> {
        match self {
            Self::Plane { .. } | Self::Field(_) => None,
            Self::Block(block) => Some(block.ball()),
            Self::Capsule(capsule) => Some(capsule.ball()),
        }
    }

    /// With all that it passes when it is shifted, if it is a block and that is
    /// along one of its edges.
    pub fn drawn_out(&self, by: DVec3) -> Self {
        let mut longer = self.clone();
        if let Self::Block(block) = &mut longer {
            let along = (block.orientation.transpose() * by).abs();
            if along.max_element() > 0.999 * by.length() {
                block.half_extents += along * 0.5;
                block.position += by * 0.5;
            }
        }
        longer
    }

    /// The same, elsewhere.
    pub fn shifted(&self, by: DVec3) -> Self {
        let mut moved = self.clone();
        match &mut moved {
            Self::Plane { point, .. } => *point += by,
            Self::Block(block) => block.position += by,
            Self::Capsule(capsule) => {
                capsule.start += by;
                capsule.end += by;
            }
            Self::Field(field) => *field = std::sync::Arc::new(field.shifted(by)),
        }
        moved
    }
}

impl Surface {
    /// A surface that is where it is from the start.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
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
        let (point, normal) = (DVec3::ZERO, DVec3::Z);
        Self::new("ground", Shape::Plane { point, normal })
    }

    /// How far a point is from it.
    #[inline]
    pub fn distance(&self, p: DVec3) -> Distance {
        self.shape.distance(p)
    }

    /// Whether only the ends of a stiff part can be the deepest in it.
    pub fn is_flat(&self) -> bool {
        matches!(self.shape, Shape::Plane { .. })
    }
}

pub(crate) fn outer(u: DVec3, v: DVec3) -> DMat3 {
    DMat3::from_cols(u * v.x, u * v.y, u * v.z)
}
