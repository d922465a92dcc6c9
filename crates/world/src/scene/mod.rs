//! From a scene file to a world: reading, checking, building.

pub mod model;
