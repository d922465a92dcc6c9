//! Collision detection: surfaces, broad phase and narrow phase.

pub(crate) mod candidates;
pub(crate) mod narrow;
mod neighbourhood;
pub(crate) mod planes;
pub(crate) mod surface;
mod swept_box;
pub(crate) mod travel;

pub use narrow::CollisionHit;
pub use planes::ClothPlane;
pub use surface::{CollisionSurface, Kind, SurfacePart};
