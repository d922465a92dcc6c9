//! Rules that hold for the project as a whole.

mod dependencies;
mod public_names;

use std::path::{Path, PathBuf};

/// The project's root folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
