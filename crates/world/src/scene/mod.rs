//! From a scene file to a world: reading, checking, building.
//!
//! The stages, one file each:
//!
//! 1. [`library`] and [`files`] find the text: a built-in scene, a file, or
//!    the copy in a recording.
//! 2. [`parse_toml`] and [`parse_json`] read it into a [`tree`] in which every
//!    value has its place; [`import`] adds the robots of `[[import]]`, and [`set`] applies
//!    `--set` to the tree.
//! 3. [`de`] deserialises the tree into the structs of [`model`].
//! 4. `build` checks the physics and makes a world. It reports errors and warnings by path
//!    through [`Scene::diagnostics`] and reads meshes through [`Scene::files`].
//!
//! All errors are [`SceneError`]s that show file, line and column.

mod build;
mod builders;
pub mod de;
pub mod diagnostic;
pub mod files;
pub mod import;
pub mod library;
pub mod load;
mod mesh_files;
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
