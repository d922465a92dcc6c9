//! Bodies as nodes: below each other where joints join them, with channels for what moves.

use super::builder::{Builder, Surface};
use super::hierarchy::Hierarchy;
use super::keyframes::{Keyframes, Track};
use super::{MeshIndex, NodeIndex, label, surfaces};
use crate::ExportError;
use crate::shared::body_surfaces::BodySurfaces;
use crate::shared::sanitize::PoseSanitizer;
use crate::shared::shapes;
use conatus_math::{DQuat, DVec3, Pose};
use conatus_record::{Header, JointInfo, JointKind, Recording};
use gltf_json as json;
use json::scene::UnitQuaternion;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Adds a node for each body and for each joint.
pub(super) fn add(
    recording: &Recording,
    keys: &Keyframes,
    builder: &mut Builder,
    children: &mut Vec<NodeIndex>,
) -> Result<(), ExportError> {
    let header = &recording.header;
    let surfaces = BodySurfaces::new(header);
    let mut meshes = BodyMeshes::default();
    let mut groups: BTreeMap<&str, Vec<NodeIndex>> = BTreeMap::new();
    let hierarchy = Hierarchy::new(recording);
    let mut locals = local_tracks(recording, keys, &hierarchy);
    let mut nodes = Vec::with_capacity(header.bodies.len());
    for (index, body) in header.bodies.iter().enumerate() {
        let track = match locals.remove(&index) {
            Some(local) => local,
            None => keys.body(&recording.frames, index),
        };
        let mesh = meshes.get(header, &surfaces, index, builder)?;
        let extras = json!({ "mass": body.mass }).to_string();
        let node = builder.root.push(json::Node {
            name: Some(label(&body.name)),
            mesh,
            translation: track.first_translation(),
            rotation: track.first_rotation(),
            scale: track.first_scale(),
            extras: json::extras::RawValue::from_string(extras).ok(),
            ..json::Node::default()
        });
        match (&body.character, hierarchy.parents[index]) {
            (Some(character), _) => groups.entry(character).or_default().push(node),
            (None, None) => children.push(node),
            (None, Some(_)) => {}
        }
        builder.animate(node, keys, &track)?;
        nodes.push(node);
    }
    let mut below: BTreeMap<usize, Vec<NodeIndex>> = BTreeMap::new();
    for (node, parent) in nodes.iter().zip(&hierarchy.parents) {
        if let Some(parent) = parent {
            below.entry(*parent).or_default().push(*node);
        }
    }
    for joint in header.physics.joints.iter().filter(|j| j.has_axes()) {
        let node = add_joint(header, joint, builder);
        match joint.bodies[0] {
            Some(body) => below.entry(body).or_default().push(node),
            None => children.push(node),
        }
    }
    for (body, nodes_below) in below {
        if let Some(node) = nodes.get(body)
            && let Some(node) = builder.root.nodes.get_mut(node.value())
        {
            node.children = Some(nodes_below);
        }
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

/// The poses of bodies that have a parent, against their parents.
///
/// Each is measured against the pose that the parent has after rounding to single
/// precision, so that the errors along a chain do not add up.
fn local_tracks(
    recording: &Recording,
    keys: &Keyframes,
    hierarchy: &Hierarchy,
) -> BTreeMap<usize, Track> {
    let mut tracks = BTreeMap::new();
    let mut has_children = vec![false; hierarchy.parents.len()];
    for parent in hierarchy.parents.iter().flatten() {
        has_children[*parent] = true;
    }
    // The rounded poses of bodies with children.
    let mut rounded: BTreeMap<usize, Vec<Pose>> = BTreeMap::new();
    for &body in &hierarchy.order {
        let parent = hierarchy.parents[body];
        if parent.is_none() && !has_children[body] {
            continue;
        }
        let mut own = Vec::with_capacity(keys.frames.len());
        let mut track = Track::default();
        let (mut world, mut local) = (PoseSanitizer::default(), PoseSanitizer::default());
        for (key, frame) in keys.frames.iter().enumerate() {
            let frame = recording.frames.get(*frame);
            let Some(frame) = frame.and_then(|f| f.bodies.get(body)) else {
                continue;
            };
            let wanted = Pose::new(
                double_rotation(world.rotation(frame.orientation)),
                double_translation(world.translation(frame.position)),
            );
            let base = parent.and_then(|parent| rounded.get(&parent)?.get(key));
            let base = base.copied().unwrap_or(Pose::IDENTITY);
            let relative = base.inverse().after(&wanted);
            let translation = local.translation(relative.translation);
            let rotation = local.rotation(relative.rotation);
            let kept = Pose::new(double_rotation(rotation), double_translation(translation));
            own.push(base.after(&kept));
            track.translation.extend(translation);
            track.rotation.extend(rotation);
        }
        if has_children[body] {
            rounded.insert(body, own);
        }
        if parent.is_some() {
            tracks.insert(body, track);
        }
    }
    tracks
}

fn double_translation(v: [f32; 3]) -> DVec3 {
    DVec3::from(v.map(f64::from))
}

fn double_rotation(q: [f32; 4]) -> DQuat {
    let [x, y, z, w] = q.map(f64::from);
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// Adds a node at the first frame of a joint, with its description.
fn add_joint(header: &Header, joint: &JointInfo, builder: &mut Builder) -> NodeIndex {
    let axis = match joint.kind {
        JointKind::Fixed | JointKind::Free => Value::Null,
        JointKind::Wheel => json!([0, 1, 0]),
        JointKind::Universal => json!([1, 0, 0]),
        _ => json!([0, 0, 1]),
    };
    let name = |body: Option<usize>| Some(&header.bodies.get(body?)?.name);
    let mut description = json!({
        "kind": joint.kind.name(),
        "bodies": joint.bodies.map(name),
        "coordinates": joint.coordinates,
    });
    if !axis.is_null() {
        description["axis"] = axis;
    }
    if let (JointKind::Hinge | JointKind::Slider, [c]) = (joint.kind, &joint.coordinates[..])
        && let Some(limits) = c.limits
    {
        description["limits"] = json!(limits);
    }
    let extras = json!({ "joint": description }).to_string();
    let mut pose = PoseSanitizer::default();
    builder.root.push(json::Node {
        name: Some(label(&joint.name)),
        translation: Some(pose.translation(joint.frames[0].position)),
        rotation: Some(UnitQuaternion(pose.rotation(joint.frames[0].orientation))),
        extras: json::extras::RawValue::from_string(extras).ok(),
        ..json::Node::default()
    })
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
