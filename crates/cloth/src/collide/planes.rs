//! Static planes: the only obstacles without triangles. Only vertices can touch
//! a plane first, and one comparison decides whether they do.

use crate::response::constraint::{Stencil, StencilPair};
use conatus_geometry::HalfSpace;
use conatus_math::DVec3;

/// A static plane; cloth stays on the side of its normal.
#[derive(Clone, Debug)]
pub struct ClothPlane {
    /// All points behind it.
    pub half_space: HalfSpace,
    /// Coulomb's coefficient; the cloth's if `None`.
    pub friction: Option<f64>,
    /// The vertices that collide with it.
    pub(crate) vertices: Vec<u32>,
}

impl ClothPlane {
    /// A plane through `point`.
    pub fn new(point: DVec3, normal: DVec3, friction: Option<f64>) -> Self {
        Self {
            half_space: HalfSpace::through(point, normal),
            friction,
            vertices: Vec::new(),
        }
    }

    pub(crate) fn stencil(&self, index: usize, p: u32) -> Stencil {
        Stencil {
            pair: StencilPair::VertexPlane(index as u32),
            points: [p, Stencil::NONE, Stencil::NONE, Stencil::NONE],
        }
    }
}
