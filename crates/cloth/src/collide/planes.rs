//! Static planes: the only obstacles without triangles. Only vertices can
//! meet a plane first, and whether they do is a single comparison.

use crate::response::constraint::{Stencil, StencilPair};
use conatus_math::DVec3;

/// A static plane before which cloth stays.
#[derive(Clone, Debug)]
pub struct ClothPlane {
    /// A point on it.
    pub point: DVec3,
    /// The unit normal, towards the free side.
    pub normal: DVec3,
    /// Coulomb's coefficient; without one, that of the cloth.
    pub friction: Option<f64>,
    /// The vertices that it holds back.
    pub(crate) vertices: Vec<u32>,
}

impl ClothPlane {
    /// A plane through `point`.
    pub fn new(point: DVec3, normal: DVec3, friction: Option<f64>) -> Self {
        Self {
            point,
            normal,
            friction,
            vertices: Vec::new(),
        }
    }

    /// How far `x` lies before the plane.
    #[inline]
    pub fn height(&self, x: DVec3) -> f64 {
        self.normal.dot(x - self.point)
    }

    pub(crate) fn stencil(&self, index: usize, p: u32) -> Stencil {
        Stencil {
            pair: StencilPair::VertexPlane(index as u32),
            points: [p, Stencil::NONE, Stencil::NONE, Stencil::NONE],
        }
    }
}
