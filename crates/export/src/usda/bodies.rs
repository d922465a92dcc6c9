//! Bodies: their motion, their surfaces, and the variants of the motion.
//!
//! The samples of bodies that forces move are in the variant `recorded` of the root prim,
//! which is selected. In the variant `simulated` they stand where the recording starts,
//! so that the samples do not hide what a simulation computes.

use super::materials::{Material, Materials};
use super::names::Names;
use super::physics::{Physics, PhysicsRole, SurfaceCollider};
use super::shared_meshes::SharedMeshes;
use super::text::Stage;
use super::time_codes::TimeCodes;
use super::{MATERIAL_API, bind_material, write_mesh};
use crate::shared::sanitize::PoseSanitizer;
use conatus_record::{BodyInfo, Header, Recording};
use std::io::{self, Write};

/// The opacity of obstacles with open surfaces.
const OPEN_OBSTACLE_OPACITY: f32 = 0.35;

/// The places of bodies in the file.
pub(super) struct BodyPrims {
    /// The name of the prim of each body.
    names: Vec<String>,
    paths: Vec<String>,
    /// The name of the group that starts with a body: the parts of a character come one
    /// after the other.
    groups: Vec<Option<String>>,
}

impl BodyPrims {
    /// Names the bodies of a header.
    pub fn new(header: &Header, root: &str, names: &mut Names) -> Self {
        let mut prims = Self {
            names: Vec::new(),
            paths: Vec::new(),
            groups: Vec::new(),
        };
        let mut group: Option<(&String, String)> = None;
        for body in &header.bodies {
            let before = group.as_ref().map(|(character, _)| *character);
            let mut starts = None;
            if before != body.character.as_ref() {
                let character = body.character.as_ref();
                group = character.map(|character| (character, names.unique(character)));
                starts = group.as_ref().map(|(_, name)| name.clone());
            }
            let name = names.unique(&body.name);
            prims.paths.push(match &group {
                Some((_, group)) => format!("/{root}/{group}/{name}"),
                None => format!("/{root}/{name}"),
            });
            prims.names.push(name);
            prims.groups.push(starts);
        }
        prims
    }

    /// The paths of all bodies.
    pub fn paths(&self) -> &[String] {
        &self.paths
    }

    /// Writes all bodies.
    pub fn write(
        &self,
        recording: &Recording,
        time_codes: &TimeCodes,
        meshes: &SharedMeshes,
        physics: &mut Physics,
        materials: &mut Materials,
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        let mut group = None;
        let bodies = recording.header.bodies.iter();
        for (index, (body, name)) in bodies.zip(&self.names).enumerate() {
            if group != body.character.as_ref() {
                if group.is_some() {
                    stage.close()?;
                }
                group = body.character.as_ref();
                if let (Some(character), Some(name)) = (group, &self.groups[index]) {
                    stage.open("Xform", name, character, &[])?;
                }
            }
            stage.open("Xform", name, &body.name, &physics.body_apis(index))?;
            physics.write_body(index, body, stage)?;
            physics.write_filtered(index, &self.paths, stage)?;
            match physics.role(index) {
                PhysicsRole::Dynamic => write_transform_order(time_codes, stage)?,
                _ => {
                    write_transform(recording, time_codes, index, true, stage)?;
                    write_transform_order(time_codes, stage)?;
                    write_visibility(recording, time_codes, index, stage)?;
                }
            }
            let collider = physics.surface_collider(index);
            write_surface(meshes, index, body, collider.as_ref(), materials, stage)?;
            physics.write_colliders(index, stage)?;
            stage.close()?;
        }
        if group.is_some() {
            stage.close()?;
        }
        Ok(())
    }

    /// Writes the variants of the motion, if forces move any body.
    pub fn write_variants(
        &self,
        recording: &Recording,
        time_codes: &TimeCodes,
        physics: &Physics,
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        if !physics.any_dynamic() {
            return Ok(());
        }
        stage.open_block("variantSet \"motion\" =")?;
        for (variant, samples) in [("recorded", true), ("simulated", false)] {
            stage.open_block(&format!("\"{variant}\""))?;
            for (index, name) in self.names.iter().enumerate() {
                if physics.role(index) != PhysicsRole::Dynamic {
                    continue;
                }
                stage.open_over(name)?;
                write_transform(recording, time_codes, index, samples, stage)?;
                if samples {
                    write_visibility(recording, time_codes, index, stage)?;
                }
                stage.close()?;
            }
            stage.close()?;
        }
        stage.close()
    }
}

/// The metadata of the root prim: the variants of the motion, if forces move any body.
pub(super) fn variant_metadata(physics: &Physics) -> Vec<String> {
    match physics.any_dynamic() {
        true => vec![
            "variants = {".into(),
            "    string motion = \"recorded\"".into(),
            "}".into(),
            "prepend variantSets = \"motion\"".into(),
        ],
        false => Vec::new(),
    }
}

/// Writes the pose of a body: that at the start, and samples if it moves and they are
/// wanted.
fn write_transform(
    recording: &Recording,
    time_codes: &TimeCodes,
    index: usize,
    samples: bool,
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
    if !samples {
        translations.truncate(1);
        rotations.truncate(1);
    }
    stage.samples("quatf xformOp:orient", &time_codes.frames, &rotations)?;
    stage.samples(
        "double3 xformOp:translate",
        &time_codes.frames,
        &translations,
    )
}

/// Writes the order of the operations that pose a body.
fn write_transform_order(time_codes: &TimeCodes, stage: &mut Stage<impl Write>) -> io::Result<()> {
    match time_codes.frames.is_empty() {
        true => Ok(()),
        false => {
            stage.line("uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]")
        }
    }
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
    collider: Option<&SurfaceCollider>,
    materials: &mut Materials,
    stage: &mut Stage<impl Write>,
) -> io::Result<()> {
    if let Some(shape) = meshes.get(index) {
        let opacity = match shape.open && info.scripted {
            true => OPEN_OBSTACLE_OPACITY,
            false => 1.0,
        };
        let material = materials.get(Material::new(info.color, opacity, 0.45));
        let mut apis = vec![MATERIAL_API];
        if collider.is_some() {
            apis.extend(SurfaceCollider::APIS);
        }
        stage.open_reference("Mesh", "surface", shape.path, &apis)?;
        if shape.path.is_none() {
            write_mesh(shape.mesh, shape.open, stage)?;
        }
        bind_material(&material, stage)?;
        if let Some(collider) = collider {
            collider.write(stage)?;
        }
        stage.close()?;
    }
    Ok(())
}
