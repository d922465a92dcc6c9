//! The volume enclosed by a closed surface, and the integrals that give its
//! centre of mass and its inertia.
//!
//! The surface must be closed for the integrals to be meaningful;
//! [`Mesh::check_closed`] reports where it is not. Self-intersections are not
//! checked.

use crate::{Aabb, Mesh};
use conatus_math::{DMat3, DVec3};
use thiserror::Error;

/// Why a mesh does not enclose a solid. Vertices and triangles are numbered
/// from zero, as in the mesh.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenMesh {
    /// There are no triangles at all.
    #[error("the mesh has no triangles")]
    Empty,
    /// A triangle uses a vertex that does not exist.
    #[error("triangle {triangle} uses vertex {vertex}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// The triangle.
        triangle: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A triangle uses one vertex twice.
    #[error("triangle {triangle} uses vertex {vertex} twice, so it has no area")]
    DegenerateTriangle {
        /// The triangle.
        triangle: usize,
        /// The vertex it repeats.
        vertex: u32,
    },
    /// An edge borders one triangle only: the surface has a hole there.
    #[error("the surface is open: no triangle lies on the other side of the edge {from}-{to}")]
    OpenEdge {
        /// The vertex where the edge starts.
        from: u32,
        /// The vertex where it ends.
        to: u32,
    },
    /// Two triangles run along an edge in the same direction: one of them is
    /// inverted, or more than two triangles meet there.
    #[error(
        "the triangles at the edge {from}-{to} do not agree on which side is outside, \
         or more than two of them meet there"
    )]
    InconsistentEdge {
        /// The vertex where the edge starts.
        from: u32,
        /// The vertex where it ends.
        to: u32,
    },
}

impl OpenMesh {
    /// What the user can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Empty => "give the mesh at least four triangles",
            Self::IndexOutOfRange { .. } => "triangles may use only vertices of the same mesh",
            Self::DegenerateTriangle { .. } => "remove the triangle; its neighbours then meet",
            Self::OpenEdge { .. } => {
                "close the hole, and merge vertices that lie in the same place \
                 (in Blender: Mesh > Merge > By Distance)"
            }
            Self::InconsistentEdge { .. } => {
                "turn all faces outwards (in Blender: Mesh > Normals > Recalculate Outside)"
            }
        }
    }
}

/// The integrals of 1, x and x xᵀ over the inside of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeIntegrals {
    /// ∫ dV in m³; negative if the surface is inverted.
    pub volume: f64,
    /// ∫ x dV in m⁴; the centre of mass is this over the volume.
    pub first: DVec3,
    /// ∫ x xᵀ dV in m⁵, symmetric, about the mesh's own origin.
    pub second: DMat3,
}

impl VolumeIntegrals {
    /// The centre of mass of a uniform solid.
    pub fn centre(&self) -> DVec3 {
        self.first / self.volume
    }

    /// The inertia tensor of a uniform solid of a mass about its centre of mass.
    pub fn inertia(&self, mass: f64) -> DMat3 {
        // ∫ (r·r δ − r rᵀ) dV about the origin, then moved to the centre.
        let about_origin = |second: DMat3| {
            let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
            DMat3::from_diagonal(DVec3::splat(trace)) - second
        };
        let c = self.centre();
        let shift = (DMat3::from_diagonal(DVec3::splat(c.length_squared())) - outer(c, c)) * mass;
        about_origin(self.second * (mass / self.volume)) - shift
    }
}

impl Mesh {
    /// Whether the surface is closed and all its triangles agree on which
    /// side is outside: each directed edge appears once, and once reversed.
    pub fn check_closed(&self) -> Result<(), OpenMesh> {
        self.check_indices()?;
        self.check_triangles()?;
        let mut edges: Vec<(u32, u32)> = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .collect();
        edges.sort_unstable();
        for pair in edges.windows(2) {
            if let [first, second] = pair
                && first == second
            {
                let (from, to) = *first;
                return Err(OpenMesh::InconsistentEdge { from, to });
            }
        }
        for &(from, to) in &edges {
            if edges.binary_search(&(to, from)).is_err() {
                return Err(OpenMesh::OpenEdge { from, to });
            }
        }
        Ok(())
    }

    /// Whether there are triangles, and all their corners exist.
    pub fn check_indices(&self) -> Result<(), OpenMesh> {
        let vertices = self.vertices.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(OpenMesh::IndexOutOfRange {
                    triangle,
                    vertex,
                    vertices,
                });
            }
        }
        match self.triangles.is_empty() {
            true => Err(OpenMesh::Empty),
            false => Ok(()),
        }
    }

    /// Whether every triangle has three different corners.
    fn check_triangles(&self) -> Result<(), OpenMesh> {
        for (triangle, &[a, b, c]) in self.triangles.iter().enumerate() {
            if a == b || b == c || c == a {
                let vertex = if a == b { a } else { c };
                return Err(OpenMesh::DegenerateTriangle { triangle, vertex });
            }
        }
        Ok(())
    }

    /// The integrals of 1, x and x xᵀ over the inside, exact up to rounding.
    /// Triangles must have valid indices.
    ///
    /// Every triangle (a, b, c) makes a tetrahedron with a reference point r.
    /// Its signed volume is V = (a-r)·((b-r)×(c-r))/6, positive if r lies on
    /// the inner side. Where tetrahedra reach outside the solid, those of the
    /// far side count once and those of the near side minus once, so the
    /// signed sum over all triangles is the integral over the inside.
    ///
    /// In one tetrahedron let a, b, c stand for the corners seen from r (the
    /// fourth is the origin) and x = λ₁a + λ₂b + λ₃c with barycentric λ. The
    /// means over a tetrahedron are ⟨λᵢ⟩ = 1/4, ⟨λᵢ²⟩ = 1/10 and
    /// ⟨λᵢλⱼ⟩ = 1/20 for i ≠ j. With s = a + b + c this gives
    ///
    ///   ∫ x dV    = V/4 · s
    ///   ∫ x xᵀ dV = V/20 · (s sᵀ + a aᵀ + b bᵀ + c cᵀ),
    ///
    /// for s sᵀ holds each product once, and the squares are wanted twice.
    pub fn volume_integrals(&self) -> VolumeIntegrals {
        // Far from the origin the tetrahedra would be long and nearly cancel;
        // from a point inside the bounding box they are no larger than the
        // solid.
        let reference = self.reference_point();
        let mut volume = 0.0;
        let mut first = DVec3::ZERO;
        let mut second = DMat3::ZERO;
        for t in 0..self.triangles.len() {
            let [a, b, c] = self.corners(t).map(|p| p - reference);
            let v = a.dot(b.cross(c)) / 6.0;
            let s = a + b + c;
            volume += v;
            first += s * (v / 4.0);
            second += (outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c)) * (v / 20.0);
        }
        // With x = r + y: ∫x = V r + ∫y, and
        // ∫x xᵀ = V r rᵀ + r (∫y)ᵀ + (∫y) rᵀ + ∫y yᵀ.
        VolumeIntegrals {
            volume,
            first: first + reference * volume,
            second: second
                + outer(reference, reference) * volume
                + outer(reference, first)
                + outer(first, reference),
        }
    }

    /// The same surface with inverted orientation.
    pub fn flipped(mut self) -> Self {
        for t in &mut self.triangles {
            t.swap(1, 2);
        }
        self
    }

    /// The bounding box of all vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(self.vertices.iter().copied())
    }

    /// The mean of the vertices.
    fn reference_point(&self) -> DVec3 {
        let count = self.vertices.len().max(1) as f64;
        // Divided before adding, so that large coordinates do not overflow.
        self.vertices.iter().map(|&v| v / count).sum()
    }
}

/// The matrix a bᵀ.
fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shape;
    use conatus_math::Pose;
    use conatus_math::rotation;

    /// The tetrahedron of the origin and the three unit points.
    fn corner_tetrahedron() -> Mesh {
        Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    fn cuboid(half_extents: DVec3) -> Mesh {
        Shape::Box { half_extents }.mesh()
    }

    #[test]
    fn a_corner_tetrahedron_has_its_closed_form_integrals() {
        // ∫x = 1/24, ∫x² = 1/60, ∫xy = 1/120 over x, y, z ≥ 0, x + y + z ≤ 1.
        let i = corner_tetrahedron().volume_integrals();
        assert!((i.volume - 1.0 / 6.0).abs() < 1e-16);
        assert!((i.first - DVec3::splat(1.0 / 24.0)).length() < 1e-16);
        let expected = (DMat3::from_diagonal(DVec3::ONE)
            + DMat3::from_cols(DVec3::ONE, DVec3::ONE, DVec3::ONE))
            * (1.0 / 120.0);
        assert!(i.second.abs_diff_eq(expected, 1e-16));
    }

    #[test]
    fn a_cube_has_unit_volume() {
        let i = cuboid(DVec3::splat(0.5)).volume_integrals();
        assert_eq!(i.volume, 1.0);
        assert_eq!(i.first, DVec3::ZERO);
        let twelfth = DMat3::from_diagonal(DVec3::splat(1.0 / 12.0));
        assert!(i.second.abs_diff_eq(twelfth, 1e-16));
    }

    #[test]
    fn a_block_far_away_and_turned_keeps_its_integrals() {
        let h = DVec3::new(0.3, 0.2, 0.1);
        let pose = Pose::new(
            rotation::exp(DVec3::new(0.4, -1.0, 0.7)),
            DVec3::new(1e4, -2e4, 3e4),
        );
        let i = cuboid(h).at(&pose).volume_integrals();
        let volume = 8.0 * h.x * h.y * h.z;
        assert!((i.volume / volume - 1.0).abs() < 1e-10);
        assert!((i.first / i.volume - pose.translation).length() < 1e-8);
        // About its own centre a block has ∫x² = V h²/3.
        let r = rotation::to_matrix(pose.rotation);
        let about_centre = r * DMat3::from_diagonal(h * h * volume / 3.0) * r.transpose();
        let expected = about_centre + outer(pose.translation, pose.translation) * volume;
        assert!(
            i.second
                .abs_diff_eq(expected, 1e-9 * expected.x_axis.length())
        );
        assert!(
            i.second
                .abs_diff_eq(i.second.transpose(), 1e-9 * expected.x_axis.length())
        );
    }

    #[test]
    fn a_flipped_mesh_has_the_negative_integrals() {
        let mesh = corner_tetrahedron();
        let (out, inside_out) = (
            mesh.volume_integrals(),
            mesh.clone().flipped().volume_integrals(),
        );
        assert!(mesh.flipped().check_closed().is_ok());
        assert!((out.volume + inside_out.volume).abs() < 1e-16);
        assert!((out.first + inside_out.first).length() < 1e-16);
        assert!(out.second.abs_diff_eq(-inside_out.second, 1e-16));
    }

    #[test]
    fn an_empty_mesh_encloses_no_volume() {
        let i = Mesh::default().volume_integrals();
        assert_eq!(
            (i.volume, i.first, i.second),
            (0.0, DVec3::ZERO, DMat3::ZERO)
        );
        assert_eq!(Mesh::default().check_closed(), Err(OpenMesh::Empty));
    }

    #[test]
    fn a_closed_mesh_passes() {
        assert_eq!(corner_tetrahedron().check_closed(), Ok(()));
    }

    #[test]
    fn a_missing_triangle_leaves_an_open_edge() {
        let mut mesh = corner_tetrahedron();
        mesh.triangles.pop();
        let error = mesh.check_closed().unwrap_err();
        assert!(matches!(error, OpenMesh::OpenEdge { from: 1, to: 3 }));
        assert!(error.to_string().contains("1-3"));
        assert!(error.help().contains("hole"));
    }

    #[test]
    fn a_turned_triangle_is_inconsistent() {
        let mut mesh = corner_tetrahedron();
        mesh.triangles[3].swap(0, 1);
        assert!(matches!(
            mesh.check_closed(),
            Err(OpenMesh::InconsistentEdge { .. })
        ));
    }

    #[test]
    fn a_triangle_with_a_repeated_corner_is_degenerate() {
        for bad in [[1, 1, 2], [2, 1, 1], [1, 2, 1]] {
            let mut mesh = corner_tetrahedron();
            mesh.triangles.push(bad);
            assert_eq!(
                mesh.check_closed(),
                Err(OpenMesh::DegenerateTriangle {
                    triangle: 4,
                    vertex: 1
                })
            );
        }
    }

    #[test]
    fn an_index_beyond_the_vertices_is_refused() {
        let mut mesh = corner_tetrahedron();
        mesh.triangles.push([0, 1, 4]);
        assert_eq!(
            mesh.check_closed(),
            Err(OpenMesh::IndexOutOfRange {
                triangle: 4,
                vertex: 4,
                vertices: 4
            })
        );
    }
}
