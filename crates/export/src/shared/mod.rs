//! Code that several formats share.

pub(crate) mod body_surfaces;
pub(crate) mod bounds;
pub(crate) mod cloth;
pub(crate) mod color;
pub(crate) mod layout;
pub(crate) mod markers;
pub(crate) mod sanitize;
pub(crate) mod shapes;
pub(crate) mod simplify;
pub(crate) mod springs;
pub(crate) mod surface;
pub(crate) mod water_surface;
