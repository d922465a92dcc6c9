//! A piece of cloth: its shape at rest and its material.

use crate::Material;
use conatus_geometry::Mesh;
use conatus_math::DVec3;

/// One sheet. Vertices of several pieces are numbered one piece after the
/// other, in the order in which the pieces are given.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its name in messages.
    pub name: String,
    /// The shape at rest. Triangles without area have no elasticity.
    pub rest: Mesh,
    /// Direction of the warp threads in the rest shape, projected onto every
    /// triangle. Any nonzero vector.
    pub warp: DVec3,
    /// Its material.
    pub material: Material,
    /// Whether the sheet is flat at rest: bending is then quadratic in the
    /// positions and cheap. Otherwise every edge keeps its angle at rest.
    pub flat: bool,
}

impl Piece {
    /// A sheet that is flat at rest, its warp along x.
    pub fn flat(name: impl Into<String>, rest: Mesh, material: Material) -> Self {
        Self {
            name: name.into(),
            rest,
            warp: DVec3::X,
            material,
            flat: true,
        }
    }

    /// A shell that keeps the angles of its rest shape, its warp along x.
    pub fn curved(name: impl Into<String>, rest: Mesh, material: Material) -> Self {
        Self {
            flat: false,
            ..Self::flat(name, rest, material)
        }
    }

    /// The same with another direction of the warp.
    pub fn with_warp(mut self, warp: DVec3) -> Self {
        self.warp = warp;
        self
    }
}
