//! From a scene file to a world: reading, checking, building.
//!
//! The way of a scene, one file each:
//!
//! 1. [`library`] and [`files`] find the text: a built-in scene, a file, or
//!    the copy inside of a recording.
//! 2. [`parse_toml`] and [`parse_json`] read it into a [`tree`] in which every
//!    value knows its place; [`set`] changes the tree as `--set` asks.
//! 3. [`de`] fits the tree to the keys of [`model`].
//! 4. `build` checks the physics and makes a world, reporting by path through
//!    [`Scene::diagnostics`] and reading meshes through [`Scene::files`].
//!
//! Whatever goes wrong on the way is a [`SceneError`] that shows where.

mod build;
mod builders;
pub mod de;
pub mod diagnostic;
pub mod files;
pub mod library;
pub mod load;
pub mod model;
pub mod parse_json;
pub mod parse_toml;
pub mod set;
pub mod template;
pub mod tree;
mod write;

pub use build::Setup;
pub use diagnostic::{Diagnostic, DiagnosticList, Diagnostics, SceneError, SourceText};
pub use files::Files;
pub use load::{LoadOptions, Scene};
pub use model::SceneFile;

/// The JSON Schema of scene files.
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(SceneFile).to_value();
    if let Some(keys) = schema.as_object_mut() {
        keys.insert("title".into(), "A Conatus scene".into());
    }
    schema
}
