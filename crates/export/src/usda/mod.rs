//! OpenUSD as text: the motion as an animated scene for Blender, Houdini and other
//! programs that read USD.
//!
//! Each piece of cloth is a mesh whose points have a sample for every frame;
//! bodies are meshes that are moved, planes finite quads. Springs, water,
//! contacts, events and totals are not exported.

mod materials;
mod names;
mod shared_meshes;
mod text;
mod time_codes;

use crate::ExportError;
use crate::shared::sanitize::{PoseSanitizer, VertexSanitizer};
use crate::shared::{bounds, shapes, surface};
use conatus_record::{BodyInfo, ClothInfo, MeshData, Recording, Up};
use materials::{Material, Materials};
use names::Names;
use shared_meshes::SharedMeshes;
use std::io::{self, Write};
use text::Stage;
use time_codes::TimeCodes;

/// The opacity of obstacles with open surfaces.
const OPEN_OBSTACLE_OPACITY: f32 = 0.35;

/// Writes the recording as a `.usda` file.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    write_scene(recording, out).map_err(ExportError::Output)
}

fn write_scene(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let header = &recording.header;
    let time_codes = TimeCodes::new(recording);
    let root = Names::default().unique(&header.scene);
    let up = match header.up {
        Up::Y => "Y",
        Up::Z => "Z",
    };
    writeln!(out, "#usda 1.0\n(")?;
    writeln!(out, "    defaultPrim = \"{root}\"")?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "    doc = \"Written by Conatus {version}\"")?;
    writeln!(out, "    endTimeCode = {}", time_codes.end())?;
    writeln!(out, "    framesPerSecond = {}", time_codes.rate)?;
    writeln!(out, "    metersPerUnit = 1")?;
    writeln!(out, "    startTimeCode = {}", time_codes.start())?;
    writeln!(out, "    timeCodesPerSecond = {}", time_codes.rate)?;
    writeln!(out, "    upAxis = \"{up}\"\n)\n")?;

    let mut names = Names::default();
    let materials_name = names.unique("Looks");
    let mut materials = Materials::new(format!("/{root}/{materials_name}"));
    let shapes_name = names.unique("Shapes");
    let meshes = SharedMeshes::new(header, &format!("/{root}/{shapes_name}"));
    let mut stage = Stage::new(out);
    stage.open("Xform", &root, &header.scene, &[])?;
    meshes.write(&shapes_name, &mut stage)?;
    for (piece, range) in header.cloth_pieces() {
        let name = names.unique(&piece.name);
        let material = materials.get(Material::cloth(piece.color));
        write_cloth(
            recording,
            &time_codes,
            piece,
            range,
            &name,
            &material,
            &mut stage,
        )?;
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
        write_transform(recording, &time_codes, index, &mut stage)?;
        write_surface(&meshes, index, body, &mut materials, &mut stage)?;
        stage.close()?;
    }
    if group.is_some() {
        stage.close()?;
    }
    let display_box = bounds::display_box(recording);
    let up = bounds::up(header);
    for plane in &header.planes {
        let Some(quad) = shapes::quad(&display_box, plane) else {
            continue;
        };
        let (label, material) = match plane.normal.normalize_or_zero().dot(up) > 0.7 {
            true => ("ground", Material::new([0.56, 0.58, 0.58], 1.0, 0.9)),
            false => ("wall", Material::new([0.75, 0.80, 0.86], 0.12, 0.9)),
        };
        let material = materials.get(material);
        stage.open("Mesh", &names.unique(label), label, &[MATERIAL_API])?;
        write_mesh(&quad, true, &mut stage)?;
        bind_material(&material, &mut stage)?;
        stage.close()?;
    }
    materials.write(&materials_name, &mut stage)?;
    stage.close()
}

/// The API schema of a prim with a material.
const MATERIAL_API: &str = "MaterialBindingAPI";

/// Writes a piece of cloth: one mesh, with points for every frame.
fn write_cloth(
    recording: &Recording,
    time_codes: &TimeCodes,
    piece: &ClothInfo,
    range: std::ops::Range<usize>,
    name: &str,
    material: &materials::MaterialBinding,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    stage.open("Mesh", name, &piece.name, &[MATERIAL_API])?;
    stage.line("uniform bool doubleSided = 1")?;
    let frame = |index: usize| {
        let frame = recording.frames.get(index);
        let points = frame.and_then(|f| f.cloth.get(range.clone()));
        points.unwrap_or_default()
    };
    let mut sanitizer = VertexSanitizer::new(piece.vertices);
    if time_codes.frames.is_empty() {
        stage.extent("float3[] extent = ", sanitizer.next(&[]))?;
    } else {
        stage.line("float3[] extent.timeSamples = {")?;
        for (code, index) in &time_codes.frames {
            stage.extent(&format!("    {code}: "), sanitizer.next(frame(*index)))?;
        }
        stage.line("}")?;
    }
    stage.topology(&piece.triangles)?;
    let mut sanitizer = VertexSanitizer::new(piece.vertices);
    if time_codes.frames.is_empty() {
        stage.points("point3f[] points = ", sanitizer.next(&[]))?;
    } else {
        stage.line("point3f[] points.timeSamples = {")?;
        for (code, index) in &time_codes.frames {
            stage.points(&format!("    {code}: "), sanitizer.next(frame(*index)))?;
        }
        stage.line("}")?;
    }
    stage.line("uniform token subdivisionScheme = \"none\"")?;
    bind_material(material, stage)?;
    stage.close()
}

/// Writes the pose of a body: samples if it moves, otherwise one pose.
fn write_transform(
    recording: &Recording,
    time_codes: &TimeCodes,
    index: usize,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let mut poses = PoseSanitizer::default();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for (_, frame) in &time_codes.frames {
        let frame = recording.frames.get(*frame);
        if let Some(body) = frame.and_then(|f| f.bodies.get(index)) {
            translations.push(poses.translation(body.position));
            let [x, y, z, w] = poses.rotation(body.orientation);
            rotations.push([w, x, y, z]);
        }
    }
    stage.samples("quatf xformOp:orient", &time_codes.frames, &rotations)?;
    stage.samples(
        "double3 xformOp:translate",
        &time_codes.frames,
        &translations,
    )?;
    if !translations.is_empty() {
        stage.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]")?;
    }
    write_visibility(recording, time_codes, index, stage)
}

/// Writes when a body is visible, if it is not in the world all the time.
fn write_visibility(
    recording: &Recording,
    time_codes: &TimeCodes,
    index: usize,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let is_present = |frame: &usize| {
        let frame = recording.frames.get(*frame);
        frame.is_some_and(|f| f.present_body(index).is_some())
    };
    let present: Vec<bool> = time_codes
        .frames
        .iter()
        .map(|(_, f)| is_present(f))
        .collect();
    if present.iter().all(|present| *present) {
        return Ok(());
    }
    stage.line("token visibility.timeSamples = {")?;
    let mut before = None;
    for ((code, _), present) in time_codes.frames.iter().zip(present) {
        // Tokens keep their value until the next sample.
        if before == Some(present) {
            continue;
        }
        before = Some(present);
        let value = if present { "inherited" } else { "invisible" };
        stage.line(&format!("    {code}: \"{value}\","))?;
    }
    stage.line("}")
}

/// Writes the surface of a body.
fn write_surface(
    meshes: &SharedMeshes,
    index: usize,
    info: &BodyInfo,
    materials: &mut Materials,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    if let Some(shape) = meshes.get(index) {
        let opacity = match shape.open && info.scripted {
            true => OPEN_OBSTACLE_OPACITY,
            false => 1.0,
        };
        let material = materials.get(Material::new(info.color, opacity, 0.45));
        stage.open_reference("Mesh", "surface", shape.path, &[MATERIAL_API])?;
        if shape.path.is_none() {
            write_mesh(shape.mesh, shape.open, stage)?;
        }
        bind_material(&material, stage)?;
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
    let mut sanitizer = VertexSanitizer::new(mesh.vertices.len());
    let points = sanitizer.next(&mesh.vertices);
    stage.extent("float3[] extent = ", points)?;
    stage.topology(&mesh.triangles)?;
    // Degenerate triangles have no normals, and then none are written.
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

/// Binds a material to a mesh.
fn bind_material(
    material: &materials::MaterialBinding,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    stage.line(&format!("rel material:binding = <{}>", material.path))?;
    stage.color(material.color, material.opacity)
}
