//! Stores surfaces as glTF accessors.

use super::builder::{Builder, Surface};
use crate::ExportError;
use crate::shared::surface::{self, Corner};
use conatus_math::DVec3;
use conatus_record::MeshData;
use gltf_json::accessor::Type;

/// A body's surface with normals that are smooth except at creases.
/// `None` if all triangles are degenerate. A `plain` surface has one brightness.
pub(super) fn rounded_surface(
    mesh: &MeshData,
    builder: &mut Builder,
    plain: bool,
) -> Result<Option<Surface>, ExportError> {
    store(&surface::rounded(mesh), builder, !plain)
}

/// A surface of one brightness with flat normals.
pub(super) fn flat_surface(
    mesh: &MeshData,
    builder: &mut Builder,
) -> Result<Option<Surface>, ExportError> {
    store(&surface::flat(mesh), builder, false)
}

fn store(
    corners: &[Corner],
    builder: &mut Builder,
    colored: bool,
) -> Result<Option<Surface>, ExportError> {
    if corners.is_empty() {
        return Ok(None);
    }
    let floats = |of: fn(&Corner) -> DVec3| -> Vec<f32> {
        let values = corners.iter().flat_map(|c| of(c).to_array());
        values.map(|v| v as f32).collect()
    };
    let shades: Vec<f32> = corners.iter().map(|c| c.shade).collect();
    Ok(Some(Surface {
        positions: builder.floats(&floats(|c| c.position), Type::Vec3, true)?,
        normals: builder.floats(&floats(|c| c.normal), Type::Vec3, true)?,
        colors: match colored {
            true => Some(builder.grey_colors(&shades)?),
            false => None,
        },
        indices: None,
        targets: Vec::new(),
    }))
}
