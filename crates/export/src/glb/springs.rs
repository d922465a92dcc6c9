//! Springs as coils, ropes and rods as straight wires, stretched between their two ends.

use super::builder::Builder;
use super::keyframes::{Keyframes, Track};
use super::{NodeIndex, surfaces};
use crate::ExportError;
use crate::shared::sanitize::PoseSanitizer;
use crate::shared::{bounds, shapes, springs};
use conatus_math::{DQuat, DVec3};
use conatus_record::{Recording, SpringInfo};
use gltf_json as json;

const COIL_TURNS: usize = 10;

/// Adds a node for each spring.
pub(super) fn add(
    recording: &Recording,
    keys: &Keyframes,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<(), ExportError> {
    let header = &recording.header;
    if header.springs.is_empty() || keys.times.is_empty() {
        return Ok(());
    }
    let material = builder.body_material([0.55, 0.57, 0.60]);
    // One coil and one wire of length 1 serve all: their nodes scale them.
    let mut meshes = [None; 2];
    for (mesh, straight) in meshes.iter_mut().zip([false, true]) {
        if header.springs.iter().all(|s| s.joint.is_some() != straight) {
            continue;
        }
        let (name, shape) = match straight {
            false => ("spring", shapes::coil(COIL_TURNS, 0.8, 0.15, 0.008)),
            true => ("rope", shapes::wire(1.0)),
        };
        if let Some(surface) = surfaces::flat_surface(&shape, builder)? {
            *mesh = Some(builder.mesh(name, &surface, material));
        }
    }
    let size = bounds::extent(recording).diagonal();
    for (number, spring) in header.springs.iter().enumerate() {
        let track = track(recording, keys, spring, size);
        let node = builder.root.push(json::Node {
            name: Some(match &spring.joint {
                Some(joint) => joint.clone(),
                None => format!("spring {}", number + 1),
            }),
            mesh: meshes[usize::from(spring.joint.is_some())],
            translation: track.first_translation(),
            rotation: track.first_rotation(),
            scale: track.first_scale(),
            ..json::Node::default()
        });
        children.push(node);
        builder.animate(node, keys, &track)?;
    }
    Ok(())
}

fn track(recording: &Recording, keys: &Keyframes, spring: &SpringInfo, size: f64) -> Track {
    let width = springs::half_width(spring, size) as f32;
    let mut track = Track::default();
    let mut poses = PoseSanitizer::default();
    let (mut direction, mut rotation) = (DVec3::Z, DQuat::IDENTITY);
    let mut length = f64::from(width);
    for &frame in &keys.frames {
        let ends = recording.frames.get(frame);
        let ends = ends.and_then(|f| springs::ends(spring, f, &recording.events));
        // A spring without a body at one end is hidden.
        let width = if ends.is_some() { width } else { 0.0 };
        let [a, b] = ends.unwrap_or([DVec3::NAN; 2]);
        let along = b - a;
        if along.is_finite() && along.length() < 1e30 {
            length = along.length();
            if let Some(next) = along.try_normalize() {
                // Rotated from frame to frame by the smallest arc, so that the
                // coil never spins about its own axis.
                rotation = (DQuat::from_rotation_arc(direction, next) * rotation).normalize();
                direction = next;
            }
        }
        track.translation.extend(poses.translation(a));
        track.rotation.extend(poses.rotation(rotation));
        track.scale.extend([width, width, length.max(1e-6) as f32]);
    }
    track
}
