//! Meshes of other formats as the text of an OBJ file, which is what scenes read and
//! recordings keep.

mod gltf;

use super::diagnostic::Diagnostic;
use super::files::read_bytes;
use conatus_geometry::{obj, stl};
use std::path::Path;

/// The ending of a file in lower case.
fn ending(file: &str) -> String {
    let ending = Path::new(file).extension().map(|e| e.to_ascii_lowercase());
    ending.map_or_else(String::new, |e| e.to_string_lossy().into_owned())
}

/// Whether a file has to be converted.
pub fn is_converted(file: &str) -> bool {
    matches!(ending(file).as_str(), "stl" | "glb" | "gltf")
}

/// Whether a file has a mesh that scenes can read, by its ending.
pub fn is_mesh(file: &str) -> bool {
    ending(file) == "obj" || is_converted(file)
}

/// The mesh of a file as the text of an OBJ file.
pub fn to_obj(path: &Path) -> Result<String, Diagnostic> {
    let bytes = read_bytes(path)?;
    let name = path.display().to_string();
    let parsed = match ending(&name).as_str() {
        "stl" => stl::parse(&bytes).map_err(|error| error.to_string()),
        _ => gltf::parse(&bytes, |file| {
            let beside = path.with_file_name(file);
            read_bytes(&beside).map_err(|why| why.message)
        }),
    };
    let mesh = parsed.map_err(|error| {
        Diagnostic::new(format!("{name}: {error}"))
            .help("write it again from the program that made it, or as OBJ")
    })?;
    Ok(obj::write(&mesh))
}
