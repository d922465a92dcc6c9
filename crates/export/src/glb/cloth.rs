//! Cloth as meshes with a morph target for every later keyframe.
//!
//! The mesh itself is the first keyframe. The target of a later keyframe holds the
//! displacements of all vertices; its weight is 1 at its own keyframe and 0 at all
//! others. Linear weights then move every vertex along straight lines.

use super::builder::{Builder, Surface};
use super::keyframes::Keyframes;
use super::{NodeIndex, label};
use crate::ExportError;
use crate::shared::sanitize::VertexSanitizer;
use crate::shared::{cloth, layout};
use conatus_math::DVec3;
use conatus_record::{ClothInfo, Recording};
use gltf_json as json;
use json::accessor::Type;
use std::ops::Range;

/// The most keyframes: every graphics card supports 256 layers.
const MAX_KEYS: usize = 256;
/// About how many bytes cloth may take: larger files load slowly.
const MAX_BYTES: usize = 64 << 20;
/// About how many bytes of JSON describe a target.
const JSON_BYTES_PER_TARGET: usize = 700;

/// Adds a node for each piece of cloth; returns a note about what was left out.
pub(super) fn add(
    recording: &Recording,
    keys: &Keyframes,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<Vec<String>, ExportError> {
    let header = &recording.header;
    if header.cloths.is_empty() || keys.times.is_empty() {
        return Ok(Vec::new());
    }
    let all = keys.times.len();
    let kept = layout::evenly_spaced(
        all,
        max_keyframes(header.cloth_vertices(), header.cloths.len()),
    );
    let at = |k: &usize| Some((*keys.times.get(*k)?, *keys.frames.get(*k)?));
    let (times, frames): (Vec<f32>, Vec<usize>) = kept.iter().filter_map(at).unzip();
    let mut moving = Vec::new();
    for (piece, range) in header.cloth_pieces() {
        let Some((surface, moves)) = surface(recording, &frames, piece, range, builder)? else {
            continue;
        };
        let material = builder.double_sided_material(&piece.name, piece.color, 1.0);
        let mesh = builder.mesh(&piece.name, &surface, material);
        let node = builder.root.push(json::Node {
            name: Some(label(&piece.name)),
            mesh: Some(mesh),
            weights: moves.then(|| vec![0.0; frames.len() - 1]),
            ..json::Node::default()
        });
        children.push(node);
        if moves {
            moving.push(node);
        }
    }
    let weights: Vec<f32> = (0..frames.len())
        .flat_map(|key| (1..frames.len()).map(move |target| f32::from(u8::from(key == target))))
        .collect();
    builder.animate_weights(&moving, keys, &times, &weights)?;
    Ok(match frames.len() < all {
        false => Vec::new(),
        true => vec![format!(
            "it contains cloth at {} of {all} frames; `.usda` has all of them",
            frames.len()
        )],
    })
}

/// The number of keyframes that cloth of this size may have.
fn max_keyframes(vertices: usize, pieces: usize) -> usize {
    // Positions and normals in f32 for each target, and the weights of all
    // targets at all keys, which the pieces share.
    let bytes_per_key = (24 * vertices).saturating_add(JSON_BYTES_PER_TARGET * pieces);
    let size = |keys: &usize| {
        keys.saturating_mul(bytes_per_key)
            .saturating_add(4 * keys * keys)
    };
    let fits = (2..=MAX_KEYS).rev().find(|keys| size(keys) <= MAX_BYTES);
    fits.unwrap_or(2)
}

/// A piece at the first key and its targets, and whether it moves at all; none
/// if it has no triangles.
fn surface(
    recording: &Recording,
    frames: &[usize],
    piece: &ClothInfo,
    range: Range<usize>,
    builder: &mut Builder,
) -> Result<Option<(Surface, bool)>, ExportError> {
    if piece.triangles.is_empty() || piece.vertices == 0 {
        return Ok(None);
    }
    let mut sanitizer = VertexSanitizer::new(piece.vertices);
    let mut shape = |frame: usize| {
        let frame = recording.frames.get(frame);
        let points = frame.and_then(|f| f.cloth.get(range.clone()));
        let points = sanitizer.next(points.unwrap_or_default());
        let positions: Vec<DVec3> = points
            .iter()
            .map(|p| DVec3::from_array(p.map(f64::from)))
            .collect();
        let normals = cloth::normals(&positions, &piece.triangles);
        let normals = normals.iter().flat_map(|n| n.to_array().map(|v| v as f32));
        [points.as_flattened().to_vec(), normals.collect()]
    };
    let base = shape(frames.first().copied().unwrap_or(0));
    let mut targets = Vec::new();
    let mut moves = false;
    for frame in frames.iter().skip(1) {
        let [points, normals] = shape(*frame);
        moves |= points != base[0];
        let displacements = [(points, &base[0]), (normals, &base[1])].map(|(mut values, base)| {
            values.iter_mut().zip(base).for_each(|(v, b)| *v -= b);
            values
        });
        targets.push(displacements);
    }
    let [positions, normals] = &base;
    let surface = Surface {
        positions: builder.floats(positions, Type::Vec3, true)?,
        normals: builder.floats(normals, Type::Vec3, true)?,
        colors: None,
        indices: Some(builder.indices(piece.triangles.as_flattened())?),
        targets: match moves {
            false => Vec::new(),
            true => targets
                .iter()
                .map(|[positions, normals]| {
                    Ok([
                        builder.floats(positions, Type::Vec3, true)?,
                        builder.floats(normals, Type::Vec3, true)?,
                    ])
                })
                .collect::<Result<_, ExportError>>()?,
        },
    };
    Ok(Some((surface, moves)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloth_of_any_size_stays_within_the_limits_of_viewers() {
        assert_eq!(max_keyframes(5_523, 1), MAX_KEYS);
        assert_eq!(max_keyframes(10_201, 3), MAX_KEYS);
        for (vertices, pieces) in [(20_000, 1), (100_000, 2), (2_000, 200), (5_000_000, 1)] {
            let keys = max_keyframes(vertices, pieces);
            assert!((2..=MAX_KEYS).contains(&keys));
            assert!(keys == 2 || keys * 24 * vertices <= MAX_BYTES);
        }
        assert_eq!(max_keyframes(usize::MAX / 1024, 1), 2);
    }
}
