//! Geometry: shapes, and triangle meshes with topology, the Wavefront OBJ and STL formats,
//! volume integrals, bounding-volume hierarchies, distances, continuous collision detection
//! and an exact intersection check.
//!
//! [`Shape`] describes everything that collides or has mass.
//!
//! Mass and motion are in `conatus-rigid`.

pub mod aabb;
pub mod bvh;
pub mod ccd;
pub mod convex;
mod decompose;
pub mod distance;
pub mod generate;
pub mod heightfield;
pub mod intersect;
pub mod mesh;
pub mod obj;
pub mod part_shape;
pub mod ray;
mod refine;
pub mod shape;
pub mod stl;
pub mod topology;
pub mod volume;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use decompose::{Decomposition, DecompositionSettings};
pub use generate::icosphere;
pub use heightfield::Heightfield;
pub use mesh::Mesh;
pub use part_shape::PartShape;
pub use ray::{Ray, RayHit};
pub use shape::{Axis, CollisionMesh, HalfSpace, HeightGrid, Shape};
pub use topology::Topology;
pub use volume::{OpenMesh, VolumeIntegrals};
