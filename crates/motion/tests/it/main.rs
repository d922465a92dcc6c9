//! All integration tests of the crate in one binary, which is linked once.

mod built_in_characters;
mod choices_mordatch;
mod common;
mod dynamics;
mod errata_mordatch;
mod gradients;
mod inverse_dynamics;
mod mordatch_contact;
mod mordatch_hint;
mod mordatch_physics;
mod mordatch_pose;
mod mordatch_task;
mod moving_start;
mod slide;
mod stopping;
mod surfaces;
