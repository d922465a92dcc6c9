//! OpenUSD as text: the motion as an animated scene for Blender, Houdini and
//! everything else that reads USD.
//!
//! Each piece of cloth is a mesh whose points have a sample for every frame;
//! bodies are meshes that are moved, planes finite quads. Springs, water,
//! contacts, events and totals are not exported.

mod clock;
mod looks;
mod names;
mod shared_meshes;
mod text;

use crate::ExportError;
use crate::shared::sanitize::{Held, Smooth};
use crate::shared::{motion, shapes, surface};
use clock::Clock;
use conatus_record::{BodyInfo, ClothInfo, MeshData, Recording, Up};
use looks::{Look, Looks};
use names::Names;
use shared_meshes::SharedMeshes;
use std::io::{self, Write};
use text::Stage;

/// Obstacles that are open surfaces let the view pass, as in pictures.
const CLEAR: f32 = 0.35;

/// Writes the recording as a `.usda` file.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    scene(recording, out).map_err(ExportError::Output)
}

fn scene(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let header = &recording.header;
    let clock = Clock::new(recording);
    let root = Names::default().unique(&header.scene);
    let up = match header.up {
        Up::Y => "Y",
        Up::Z => "Z",
    };
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"{root}\"")?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "    doc = \"Written by Conatus {version}\"")?;
    writeln!(out, "    endTimeCode = {}", clock.end())?;
    writeln!(out, "    framesPerSecond = {}", clock.rate)?;
    writeln!(out, "    metersPerUnit = 1")?;
    writeln!(out, "    startTimeCode = {}", clock.start())?;
    writeln!(out, "    timeCodesPerSecond = {}", clock.rate)?;
    writeln!(out, "    upAxis = \"{up}\"\n)\n")?;

    let mut names = Names::default();
    let looks_name = names.unique("Looks");
    let mut looks = Looks::new(format!("/{root}/{looks_name}"));
    let shapes_name = names.unique("Shapes");
    let meshes = SharedMeshes::new(header, &format!("/{root}/{shapes_name}"));
    let mut stage = Stage::new(out);
    stage.open("Xform", &root, &header.scene, &[])?;
    meshes.write(&shapes_name, &mut stage)?;
    for (piece, range) in header.cloth_pieces() {
        let name = names.unique(&piece.name);
        let look = looks.of(Look::cloth(piece.color));
        cloth(recording, &clock, piece, range, &name, &look, &mut stage)?;
    }
    let mut group = None;
    for (index, body) in header.bodies.iter().enumerate() {
        // The parts of a character come one after the other.
        if group != body.character.as_ref() {
            if group.is_some() {
                stage.close()?;
            }
            group = body.character.as_ref();
            if let Some(character) = group {
                stage.open("Xform", &names.unique(character), character, &[])?;
            }
        }
        let name = names.unique(&body.name);
        stage.open("Xform", &name, &body.name, &[])?;
        moves(recording, &clock, index, &mut stage)?;
        write_surface(&meshes, index, body, &mut looks, &mut stage)?;
        stage.close()?;
    }
    if group.is_some() {
        stage.close()?;
    }
    let room = motion::room(recording);
    let up = motion::up(header);
    for plane in &header.planes {
        let Some(quad) = shapes::quad(&room, plane) else {
            continue;
        };
        let (label, look) = match plane.normal.normalize_or_zero().dot(up) > 0.7 {
            true => ("ground", Look::new([0.56, 0.58, 0.58], 1.0, 0.9)),
            false => ("wall", Look::new([0.75, 0.80, 0.86], 0.12, 0.9)),
        };
        let look = looks.of(look);
        stage.open("Mesh", &names.unique(label), label, &[MATERIAL_API])?;
        write_mesh(&quad, true, &mut stage)?;
        bind(&look, &mut stage)?;
        stage.close()?;
    }
    looks.write(&looks_name, &mut stage)?;
    stage.close()
}

/// What a prim must say of itself to have a material.
const MATERIAL_API: &str = "MaterialBindingAPI";

/// A piece of cloth: one mesh, with points for every frame.
fn cloth(
    recording: &Recording,
    clock: &Clock,
    piece: &ClothInfo,
    range: std::ops::Range<usize>,
    name: &str,
    look: &looks::Bound,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    stage.open("Mesh", name, &piece.name, &[MATERIAL_API])?;
    stage.line("uniform bool doubleSided = 1")?;
    let frame = |index: usize| {
        let frame = recording.frames.get(index);
        let points = frame.and_then(|f| f.cloth.get(range.clone()));
        points.unwrap_or_default()
    };
    let mut held = Held::new(piece.vertices);
    if clock.frames.is_empty() {
        stage.extent("float3[] extent = ", held.next(&[]))?;
    } else {
        stage.line("float3[] extent.timeSamples = {")?;
        for (code, index) in &clock.frames {
            stage.extent(&format!("    {code}: "), held.next(frame(*index)))?;
        }
        stage.line("}")?;
    }
    stage.topology(&piece.triangles)?;
    let mut held = Held::new(piece.vertices);
    if clock.frames.is_empty() {
        stage.points("point3f[] points = ", held.next(&[]))?;
    } else {
        stage.line("point3f[] points.timeSamples = {")?;
        for (code, index) in &clock.frames {
            stage.points(&format!("    {code}: "), held.next(frame(*index)))?;
        }
        stage.line("}")?;
    }
    stage.line("uniform token subdivisionScheme = \"none\"")?;
    bind(look, stage)?;
    stage.close()
}

/// Where a body is: samples if it moves, one pose if it does not.
fn moves(
    recording: &Recording,
    clock: &Clock,
    index: usize,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let mut smooth = Smooth::default();
    let (mut at, mut turned) = (Vec::new(), Vec::new());
    for (_, frame) in &clock.frames {
        let frame = recording.frames.get(*frame);
        if let Some(body) = frame.and_then(|f| f.bodies.get(index)) {
            at.push(smooth.translation(body.position));
            let [x, y, z, w] = smooth.rotation(body.orientation);
            turned.push([w, x, y, z]);
        }
    }
    stage.samples("quatf xformOp:orient", &clock.frames, &turned)?;
    stage.samples("double3 xformOp:translate", &clock.frames, &at)?;
    if !at.is_empty() {
        stage.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]")?;
    }
    Ok(())
}

/// What a body looks like.
fn write_surface(
    meshes: &SharedMeshes,
    index: usize,
    info: &BodyInfo,
    looks: &mut Looks,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    if let Some(shape) = meshes.get(index) {
        let opacity = match shape.open && info.scripted {
            true => CLEAR,
            false => 1.0,
        };
        let look = looks.of(Look::new(info.color, opacity, 0.45));
        stage.open_like("Mesh", "surface", shape.path, &[MATERIAL_API])?;
        if shape.path.is_none() {
            write_mesh(shape.mesh, shape.open, stage)?;
        }
        bind(&look, stage)?;
        stage.close()?;
    }
    Ok(())
}

/// Writes a mesh that does not deform.
fn write_mesh(
    mesh: &MeshData,
    double_sided: bool,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let corners = surface::rounded(mesh);
    let sides = u8::from(double_sided);
    stage.line(&format!("uniform bool doubleSided = {sides}"))?;
    let mut held = Held::new(mesh.vertices.len());
    let points = held.next(&mesh.vertices);
    stage.extent("float3[] extent = ", points)?;
    stage.topology(&mesh.triangles)?;
    // Triangles without an area have no normals, and then none is given.
    if corners.len() == 3 * mesh.triangles.len() {
        let normals: Vec<[f32; 3]> = corners
            .iter()
            .map(|c| c.normal.to_array().map(|v| v as f32))
            .collect();
        stage.normals(&normals)?;
    }
    stage.points("point3f[] points = ", points)?;
    stage.line("uniform token subdivisionScheme = \"none\"")
}

/// Gives a mesh its colour.
fn bind(look: &looks::Bound, stage: &mut Stage<impl Write>) -> io::Result<()> {
    stage.line(&format!("rel material:binding = <{}>", look.path))?;
    stage.color(look.color, look.opacity)
}
