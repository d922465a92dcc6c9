//! The recording of a run: an append-only stream of frames and events, the
//! only thing that exporters and viewers read.
//!
//! [`Recording`] is the whole of it in memory.

pub mod model;

pub use model::*;
