//! Binary glTF 2.0: the motion as an animated scene for Blender, game engines
//! and browsers.
//!
//! Each body is a node whose translation and rotation are animated; springs are
//! stretched coils, planes finite quads, water a grid whose waves are morph
//! targets, and cloth a mesh with a morph target for every moment. Contacts,
//! events and totals are not exported.

mod builder;
mod cloth;
mod keyframes;
mod springs;
mod surfaces;
mod water;

use crate::ExportError;
use crate::shared::body_surfaces::BodySurfaces;
use crate::shared::{bounds, shapes};
use builder::{Builder, Surface};
use conatus_record::text::escape_control_characters;
use conatus_record::{Header, Recording, Up};
use gltf_json as json;
use json::scene::UnitQuaternion;
use keyframes::Keyframes;
use std::collections::BTreeMap;
use std::io::Write;

type NodeIndex = json::Index<json::Node>;
type MeshIndex = json::Index<json::Mesh>;

/// Writes the recording as a `.glb` file; returns a note about what was left out.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<Vec<String>, ExportError> {
    let header = &recording.header;
    let mut builder = Builder::new(header);
    let keys = Keyframes::new(&recording.frames);
    let mut children = Vec::new();
    bodies(recording, &keys, &mut builder, &mut children)?;
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

/// Adds a node for each body, with channels for what moves.
fn bodies(
    recording: &Recording,
    keys: &Keyframes,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<(), ExportError> {
    let header = &recording.header;
    let surfaces = BodySurfaces::new(header);
    let mut meshes = BodyMeshes::default();
    let mut groups: BTreeMap<&str, Vec<NodeIndex>> = BTreeMap::new();
    for (index, body) in header.bodies.iter().enumerate() {
        let track = keys.body(&recording.frames, index);
        let mesh = meshes.get(header, &surfaces, index, builder)?;
        let extras = serde_json::json!({ "mass": body.mass }).to_string();
        let node = builder.root.push(json::Node {
            name: Some(label(&body.name)),
            mesh,
            translation: track.first_translation(),
            rotation: track.first_rotation(),
            scale: track.first_scale(),
            extras: json::extras::RawValue::from_string(extras).ok(),
            ..json::Node::default()
        });
        match &body.character {
            Some(character) => groups.entry(character).or_default().push(node),
            None => children.push(node),
        }
        builder.animate(node, keys, &track)?;
    }
    // The parts of a character are children of a node with its name.
    for (name, parts) in groups {
        children.push(builder.root.push(json::Node {
            name: Some(label(name)),
            children: Some(parts),
            ..json::Node::default()
        }));
    }
    Ok(())
}

/// The meshes made so far: surfaces are stored once, and each pair of surface
/// and colour becomes one glTF mesh.
#[derive(Default)]
struct BodyMeshes {
    /// By the surface's index, and whether it is of one brightness.
    surfaces: BTreeMap<(usize, bool), Option<Surface>>,
    /// By the surface's index, the bits of the colour, and whether the body is
    /// scripted and part of a character.
    meshes: BTreeMap<(usize, [u32; 3], [bool; 2]), Option<MeshIndex>>,
}

impl BodyMeshes {
    /// The mesh of a body; none if all its triangles are degenerate.
    fn get(
        &mut self,
        header: &Header,
        surfaces: &BodySurfaces,
        body: usize,
        builder: &mut Builder,
    ) -> Result<Option<MeshIndex>, ExportError> {
        let (Some(shape), Some(mesh), Some(body)) = (
            surfaces.index(body),
            surfaces.get(body),
            header.bodies.get(body),
        ) else {
            return Ok(None);
        };
        let key = (
            shape,
            body.color.map(f32::to_bits),
            [body.scripted, body.character.is_some()],
        );
        if let Some(&known) = self.meshes.get(&key) {
            return Ok(known);
        }
        // Characters have no octants.
        let plain = body.character.is_some();
        let surface = match self.surfaces.get(&(shape, plain)) {
            Some(known) => known.clone(),
            None => {
                let made = surfaces::rounded_surface(mesh, builder, plain)?;
                self.surfaces.insert((shape, plain), made.clone());
                made
            }
        };
        let open = body.mesh.is_some() && shapes::is_open(mesh);
        let mesh = surface.map(|surface| {
            let material = match (open, body.scripted) {
                (false, _) => builder.body_material(body.color),
                (true, false) => builder.double_sided_material(&body.name, body.color, 1.0),
                // Obstacles such as funnels show what is in them.
                (true, true) => builder.double_sided_material(&body.name, body.color, 0.35),
            };
            builder.mesh(&body.name, &surface, material)
        });
        self.meshes.insert(key, mesh);
        Ok(mesh)
    }
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
