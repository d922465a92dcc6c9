//! The entries of bodies and obstacles in the recording's header.

use super::bodies::BuiltBody;
use super::cloth::PlacedObstacle;
use conatus_geometry::Mesh;
use conatus_record::{BodyInfo, MeshData};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The bodies and obstacles as the recording's header lists them. Equal meshes appear once.
pub fn infos<'a>(
    built: &'a [BuiltBody],
    placed: &'a [PlacedObstacle],
) -> (Vec<MeshData>, Vec<BodyInfo>) {
    let mut meshes: Vec<&'a Arc<Mesh>> = Vec::new();
    let mut alike: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut share = |mesh: &'a Arc<Mesh>| {
        let candidates = alike.entry(fingerprint(mesh)).or_default();
        let same = |&&k: &&usize| Arc::ptr_eq(meshes[k], mesh) || **meshes[k] == **mesh;
        candidates.iter().find(same).copied().unwrap_or_else(|| {
            meshes.push(mesh);
            candidates.push(meshes.len() - 1);
            meshes.len() - 1
        })
    };
    let bodies = built.iter().map(|body| BodyInfo {
        name: body.name.clone(),
        mass: body.constants.mass,
        moments: body.constants.moments,
        color: body.color,
        mesh: body.mesh.as_ref().map(&mut share),
        spheres: body.bounding_spheres(),
        scripted: false,
        character: None,
    });
    let mut infos: Vec<BodyInfo> = bodies.collect();
    infos.extend(placed.iter().map(|o| o.info(share(o.mesh()))));
    let meshes = meshes.into_iter().map(|m| MeshData::from(&**m)).collect();
    (meshes, infos)
}

/// Equal for equal meshes, and seldom for others: from the first vertex and the counts.
fn fingerprint(mesh: &Mesh) -> u64 {
    let first = mesh.vertices.first().copied().unwrap_or_default();
    let bits = first.to_array().map(f64::to_bits);
    (bits[0].rotate_left(7) ^ bits[1]).rotate_left(7) ^ bits[2] ^ mesh.vertices.len() as u64
}
