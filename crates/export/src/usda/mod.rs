//! OpenUSD as text: the motion as an animated scene for Blender, Houdini and other
//! programs that read USD.
//!
//! Each piece of cloth is a mesh whose points have a sample for every frame;
//! bodies are meshes that are moved, planes finite quads. The schemas of UsdPhysics say
//! what bodies, colliders and joints are, so that other programs can simulate the scene.
//! Springs, water, contacts, events and totals are not exported.

mod bodies;
mod colliders;
mod joints;
mod materials;
mod names;
mod physics;
mod shared_meshes;
mod text;
mod time_codes;

use crate::ExportError;
use crate::shared::sanitize::VertexSanitizer;
use crate::shared::{bounds, shapes, surface};
use bodies::BodyPrims;
use conatus_record::{ClothInfo, Header, MeshData, Recording, Up};
use materials::{Material, Materials};
use names::Names;
use physics::Physics;
use shared_meshes::SharedMeshes;
use std::io::{self, Write};
use text::Stage;
use time_codes::TimeCodes;

/// Writes the recording as a `.usda` file.
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    write_scene(recording, out).map_err(ExportError::Output)
}

fn write_scene(recording: &Recording, out: &mut impl Write) -> io::Result<()> {
    let header = &recording.header;
    let time_codes = TimeCodes::new(recording);
    let root = Names::default().unique(&header.scene);
    let mut names = Names::default();
    let mut scope = |name: &str| {
        let name = names.unique(name);
        (format!("/{root}/{name}"), name)
    };
    let (materials_path, materials_name) = scope("Looks");
    let (shapes_path, shapes_name) = scope("Shapes");
    let (scene_path, scene_name) = scope("PhysicsScene");
    let (substances_path, substances_name) = scope("PhysicsMaterials");
    let [(_, fixed_name), (_, joints_name), (group_path, group_name)] =
        ["Colliders", "Joints", "Bodies"].map(scope);
    let mut materials = Materials::new(materials_path);
    let meshes = SharedMeshes::new(header, &shapes_path);
    let mut physics = Physics::new(recording, scene_path, &shapes_path, substances_path);
    write_metadata(header, &time_codes, &root, &physics, out)?;

    let mut stage = Stage::new(out);
    let variants = bodies::variant_metadata(&physics);
    stage.open_with("Xform", &root, &header.scene, variants)?;
    if !physics.is_empty() {
        physics.write_scene(&scene_name, &mut stage)?;
    }
    if meshes.any_shared() || physics.any_shared() {
        stage.open_class("Scope", &shapes_name)?;
        meshes.write(&mut stage)?;
        physics.write_shared(&mut stage)?;
        stage.close()?;
    }
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
    let prims = BodyPrims::new(header, &root, &mut names);
    prims.write(
        recording,
        &time_codes,
        &meshes,
        &mut physics,
        &mut materials,
        &mut stage,
    )?;
    write_planes(recording, &mut names, &mut materials, &mut stage)?;
    physics.write_fixed(&fixed_name, &mut stage)?;
    joints::write(&header.physics, &joints_name, prims.paths(), &mut stage)?;
    physics.write_group(&group_path, &group_name, prims.paths(), &mut stage)?;
    physics.write_materials(&substances_name, &mut stage)?;
    materials.write(&materials_name, &mut stage)?;
    prims.write_variants(recording, &time_codes, &physics, &mut stage)?;
    stage.close()
}

/// Writes the metadata of the file.
fn write_metadata(
    header: &Header,
    time_codes: &TimeCodes,
    root: &str,
    physics: &Physics,
    out: &mut impl Write,
) -> io::Result<()> {
    let up = match header.up {
        Up::Y => "Y",
        Up::Z => "Z",
    };
    writeln!(out, "#usda 1.0\n(")?;
    if !physics.is_empty() {
        let counts = physics.counts(joints::written(&header.physics).count());
        writeln!(out, "    customLayerData = {{")?;
        writeln!(out, "        dictionary conatus = {{ {counts} }}")?;
        writeln!(out, "    }}")?;
    }
    writeln!(out, "    defaultPrim = \"{root}\"")?;
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out, "    doc = \"Written by Conatus {version}\"")?;
    writeln!(out, "    endTimeCode = {}", time_codes.end())?;
    writeln!(out, "    framesPerSecond = {}", time_codes.rate)?;
    if !physics.is_empty() {
        writeln!(out, "    kilogramsPerUnit = 1")?;
    }
    writeln!(out, "    metersPerUnit = 1")?;
    writeln!(out, "    startTimeCode = {}", time_codes.start())?;
    writeln!(out, "    timeCodesPerSecond = {}", time_codes.rate)?;
    writeln!(out, "    upAxis = \"{up}\"\n)\n")
}

/// Writes the visible parts of planes.
fn write_planes(
    recording: &Recording,
    names: &mut Names,
    materials: &mut Materials,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    let header = &recording.header;
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
        write_mesh(&quad, true, stage)?;
        bind_material(&material, stage)?;
        stage.close()?;
    }
    Ok(())
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
