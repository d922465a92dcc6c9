//! From mesh files in a scene to shapes.

use super::check;
use super::shapes::{MeshDivision, ShapeGeometry};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::{DecomposeSpec, MeshCollisionSpec, MeshSpec};
use conatus_geometry::{DecompositionSettings, Mesh, Shape, obj};
use conatus_math::{DVec3, Pose};

/// The mesh of a file, unchanged but for its scale.
pub fn read_mesh(
    scene: &Scene,
    file: &MeshSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Mesh> {
    if file.scale == 0.0 {
        check::positive(
            diagnostics,
            &format!("{path}.scale"),
            "the scale",
            file.scale,
        );
        return None;
    }
    if let Some(stretch) = file.stretch.filter(|s| s.contains(&0.0)) {
        let flat = stretch.iter().position(|factor| *factor == 0.0);
        let path = format!("{path}.stretch[{}]", flat.unwrap_or_default());
        check::positive(diagnostics, &path, "the factor", 0.0);
        return None;
    }
    let source = match scene.files.read(&file.file) {
        Ok(source) => source,
        Err(diagnostic) => {
            diagnostics.push_at(&format!("{path}.file"), diagnostic);
            return None;
        }
    };
    match obj::parse(&source.text, file.scale) {
        Ok(parsed) => Some(stretched(parsed.mesh, file.stretch)),
        Err(e) => {
            let (message, help) = (e.kind.to_string(), e.help());
            diagnostics.in_source(
                &source.name,
                &source.text,
                e.offset,
                e.length,
                message,
                help,
            );
            None
        }
    }
}

/// A mesh with its coordinates multiplied; triangles of a mirror image are turned, so that
/// its outside stays outside.
fn stretched(mut mesh: Mesh, factors: Option<[f64; 3]>) -> Mesh {
    let Some(factors) = factors.map(DVec3::from) else {
        return mesh;
    };
    mesh.vertices.iter_mut().for_each(|v| *v *= factors);
    match factors.x * factors.y * factors.z < 0.0 {
        true => mesh.flipped(),
        false => mesh,
    }
}

/// A mesh as the shape of a body. It has no mass if it is not closed.
pub fn mesh_geometry(
    scene: &Scene,
    file: &MeshSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<ShapeGeometry> {
    let mut mesh = read_mesh(scene, file, path, diagnostics)?;
    // A mesh that is inside out is turned right side out.
    if mesh.check_closed().is_ok() && mesh.volume_integrals().volume < 0.0 {
        mesh = mesh.flipped();
    }
    let settings = decomposition(file, path, diagnostics)?;
    let mut geometry = ShapeGeometry::new(Shape::mesh_of(mesh));
    let volume = geometry.solid.map(|solid| solid.volume);
    let (hull, is_convex) = hull_of_mesh(&geometry.mesh, volume);
    geometry.colliders = vec![hull];
    if is_convex || file.collide == Some(MeshCollisionSpec::Hull) {
        return Some(geometry);
    }
    let triangles = geometry.mesh.triangles.len();
    if triangles > MAX_DIVIDED_TRIANGLES {
        geometry.indivisible = Some(format!(
            "a mesh of {triangles} triangles is too large to be divided into convex parts"
        ));
        return Some(geometry);
    }
    match geometry.mesh.decompose(&settings) {
        Err(open) => geometry.indivisible = Some(format!("{open}, so it has no convex parts")),
        // A mesh without a volume keeps its hull.
        Ok(divided) if divided.parts.is_empty() => {}
        Ok(divided) => {
            let parts = divided.parts.into_iter();
            geometry.colliders = parts.map(|p| (Pose::IDENTITY, Shape::Hull(p))).collect();
            geometry.division = Some(MeshDivision {
                parts: geometry.colliders.len(),
                excess: divided.excess,
            });
        }
    }
    Some(geometry)
}

/// The most triangles of a mesh that is divided into convex parts.
const MAX_DIVIDED_TRIANGLES: usize = 50_000;
/// The most convex parts of a mesh.
const MAX_PARTS: usize = 256;

/// How a mesh is divided into convex parts.
fn decomposition(
    file: &MeshSpec,
    path: &str,
    diagnostics: &mut Diagnostics,
) -> Option<DecompositionSettings> {
    let DecomposeSpec {
        max_parts,
        concavity,
    } = file.decompose.unwrap_or_default();
    let before = diagnostics.len();
    if !(1..=MAX_PARTS).contains(&max_parts) {
        diagnostics.at(
            &format!("{path}.decompose.max_parts"),
            format!("{max_parts} parts"),
            format!("give from 1 to {MAX_PARTS}"),
        );
    }
    let key = format!("{path}.decompose.concavity");
    check::positive(diagnostics, &key, "the concavity", concavity);
    (diagnostics.len() == before).then_some(DecompositionSettings {
        max_parts,
        concavity,
    })
}

/// Refuses keys that are for bodies alone. `what` collides as its triangles.
#[cfg(feature = "cloth")]
pub fn refuse_collision_keys(
    file: &MeshSpec,
    what: &str,
    path: &str,
    diagnostics: &mut Diagnostics,
) {
    let keys = [
        ("collide", file.collide.is_some()),
        ("decompose", file.decompose.is_some()),
    ];
    for (key, _) in keys.into_iter().filter(|(_, given)| *given) {
        diagnostics.at(
            &format!("{path}.{key}"),
            format!("{what} collides as its triangles"),
            format!("remove `{key}`; only bodies are divided into convex parts"),
        );
    }
}

/// The convex hull of a mesh, and whether it is as large as the mesh. A mesh whose points all
/// lie in a plane has none, and collides as a ball about it.
fn hull_of_mesh(mesh: &Mesh, volume: Option<f64>) -> ((Pose, Shape), bool) {
    /// A mesh is convex if its hull is larger by less than this share.
    const CONVEX_TOLERANCE: f64 = 1e-6;
    match Shape::hull(&mesh.vertices) {
        Ok(hull) => {
            let size = hull.volume().unwrap_or(f64::INFINITY);
            let is_convex = volume.is_some_and(|v| size <= v * (1.0 + CONVEX_TOLERANCE));
            ((Pose::IDENTITY, hull), is_convex)
        }
        Err(_) => {
            let count = mesh.vertices.len().max(1) as f64;
            let centre = mesh.vertices.iter().sum::<DVec3>() / count;
            let radius = mesh.bounding_radius(centre);
            ((Pose::shift(centre), Shape::Sphere { radius }), false)
        }
    }
}

/// Reports at `path` why a mesh has no volume; `otherwise` is the alternative to closing it.
pub fn explain_open(mesh: &Mesh, path: &str, otherwise: &str, diagnostics: &mut Diagnostics) {
    match mesh.check_closed() {
        Err(open) => diagnostics.at(
            path,
            format!("the mesh has no volume: {open}"),
            format!("{}; {otherwise}", open.help()),
        ),
        Ok(()) => diagnostics.at(
            path,
            "the mesh encloses no volume that a number can hold",
            "is it flat, or its scale far too small or too large?",
        ),
    }
}
