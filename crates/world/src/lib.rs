//! Scene files and the one loop that runs them.

pub mod scene;
