//! Tests of all exporters, in one binary.

mod bvh;
mod clip_json;
mod clip_pictures;
mod cloth;
mod control_characters;
mod formats;
mod glb_validator;
mod joint_hierarchy;
mod png;
mod removed;
mod shared_meshes;
#[path = "../../../record/tests/support/mod.rs"]
mod support;
mod usd_physics;
