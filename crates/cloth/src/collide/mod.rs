//! Finding collisions: all that can touch, which of it may, and which does.

mod around;
pub(crate) mod candidates;
pub(crate) mod narrow;
pub(crate) mod planes;
mod reach;
pub(crate) mod surface;
pub(crate) mod travel;

pub use narrow::Hit;
pub use planes::Plane;
pub use surface::{Kind, Part, Surface};
