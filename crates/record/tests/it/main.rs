//! Tests of recordings and clips, in one binary.

mod checkpoints;
mod clip;
mod physics;
mod recording;
#[path = "../support/mod.rs"]
mod support;
