//! Binary glTF 2.0: the motion as an animated scene for Blender, game engines
//! and browsers.
//!
//! Each body is a node whose translation and rotation are animated, below the body that a
//! joint joins it to; joints are nodes with a description. Springs are stretched coils, planes finite quads, water a grid whose waves are morph
//! targets, and cloth a mesh with a morph target for every moment. Contacts,
//! events and totals are not exported.

mod bodies;
mod builder;
mod cloth;
mod hierarchy;
mod keyframes;
mod springs;
mod surfaces;
mod water;

use crate::ExportError;
use crate::shared::{bounds, shapes};
use builder::Builder;
use conatus_record::text::escape_control_characters;
use conatus_record::{Recording, Up};
use gltf_json as json;
use json::scene::UnitQuaternion;
use keyframes::Keyframes;
use std::io::Write;

type NodeIndex = json::Index<json::Node>;
type MeshIndex = json::Index<json::Mesh>;

/// Writes the recording as a `.glb` file; returns a note about what was left out.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<Vec<String>, ExportError> {
    let header = &recording.header;
    let mut builder = Builder::new(header);
    let keys = Keyframes::new(&recording.frames);
    let mut children = Vec::new();
    bodies::add(recording, &keys, &mut builder, &mut children)?;
    springs::add(recording, &keys, &mut builder, &mut children)?;
    planes(recording, &mut builder, &mut children)?;
    water::add(recording, &keys, &mut builder, &mut children)?;
    let notes = cloth::add(recording, &keys, &mut builder, &mut children)?;

    let rotation = match header.up {
        Up::Y => None,
        // A quarter turn about x: z becomes glTF's y.
        Up::Z => Some(UnitQuaternion([
            -std::f32::consts::FRAC_1_SQRT_2,
            0.0,
            0.0,
            std::f32::consts::FRAC_1_SQRT_2,
        ])),
    };
    let root = builder.root.push(json::Node {
        name: Some(label(&header.scene)),
        rotation,
        children: (!children.is_empty()).then_some(children),
        ..json::Node::default()
    });
    builder.finish(root, out)?;
    Ok(notes)
}

/// A name from the scene without control characters, which readers print.
fn label(name: &str) -> String {
    escape_control_characters(name).into_owned()
}

/// Adds a quad for each plane, as large as the motion needs. The ground is
/// opaque, walls are transparent.
fn planes(
    recording: &Recording,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<(), ExportError> {
    let header = &recording.header;
    let display_box = bounds::display_box(recording);
    let up = bounds::up(header);
    for plane in &header.planes {
        let Some(quad) = shapes::quad(&display_box, plane) else {
            continue;
        };
        let ground = plane.normal.normalize_or_zero().dot(up) > 0.7;
        let surface = surfaces::flat_surface(&quad, builder)?;
        let (name, material) = match ground {
            true => (
                "ground",
                builder.double_sided_material("ground", [0.56, 0.58, 0.58], 1.0),
            ),
            false => (
                "wall",
                builder.double_sided_material("wall", [0.75, 0.80, 0.86], 0.12),
            ),
        };
        let Some(surface) = surface else { continue };
        let mesh = builder.mesh(name, &surface, material);
        children.push(builder.root.push(json::Node {
            name: Some(name.into()),
            mesh: Some(mesh),
            ..json::Node::default()
        }));
    }
    Ok(())
}
