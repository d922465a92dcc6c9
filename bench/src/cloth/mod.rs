//! Cloth, beside the figures of Harmon et al. (2008) and of Blender.

pub mod ccd;
pub mod contrast;
mod drive;
mod peak;
mod rest;
pub mod scenes;
pub mod sphere;
