//! Meshes that a robot names, and the mass and extent of shapes.

use crate::scene::build::shapes::formula;
use crate::scene::diagnostic::Diagnostic;
use crate::scene::files::Files;
use crate::scene::mesh_files;
use crate::scene::model::{MeshSpec, ShapeSpec};
use conatus_geometry::convex::ConvexHull;
use conatus_geometry::{Aabb, Mesh, obj};
use conatus_math::{DVec3, Pose};
use conatus_rigid::MassProperties;
use std::collections::BTreeMap;

/// Finds the files that a robot names.
#[derive(Debug)]
pub struct Assets<'a> {
    /// Where files are read from.
    pub files: &'a Files,
    /// The folder of the robot's file, as the scene names it; empty or with a `/` at its end.
    pub folder: String,
    /// The folders of packages by name.
    pub packages: &'a BTreeMap<String, String>,
}

impl Assets<'_> {
    /// The name in the scene of a file that the robot names, and whether it can be read.
    pub fn resolve(&self, address: &str) -> Result<String, Diagnostic> {
        let candidates = self.candidates(address);
        let mut first_error = None;
        for name in candidates {
            match self.files.read(&name) {
                Ok(_) => return Ok(name),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        let error = first_error.unwrap_or_else(|| Diagnostic::new("the address is empty"));
        match address.strip_prefix("package://") {
            Some(rest) => {
                let package = rest.split('/').next().unwrap_or_default();
                Err(Diagnostic::new(format!(
                    "`{address}` is in no folder that was searched"
                ))
                .help(format!(
                    "say where the package is: `--package {package}=FOLDER`, or `packages.{package} = \"FOLDER\"` in `[[import]]`"
                )))
            }
            None => Err(error),
        }
    }

    fn candidates(&self, address: &str) -> Vec<String> {
        let near = |path: &str| plain_path(&format!("{}{path}", self.folder));
        if let Some(rest) = address.strip_prefix("package://") {
            let (package, path) = rest.split_once('/').unwrap_or((rest, ""));
            if let Some(folder) = self.packages.get(package) {
                return vec![plain_path(&format!(
                    "{}/{path}",
                    folder.trim_end_matches('/')
                ))];
            }
            // A robot usually is in PACKAGE/urdf/, or beside the folder of its package.
            let places = ["", "../", "../../"];
            let own = places.iter().map(|up| near(&format!("{up}{path}")));
            let beside = places
                .iter()
                .map(|up| near(&format!("{up}{package}/{path}")));
            return own.chain(beside).collect();
        }
        match address.strip_prefix("file://") {
            Some(path) => vec![path.to_owned()],
            None if address.starts_with('/') => vec![address.to_owned()],
            None => vec![near(address)],
        }
    }

    /// The mesh of a shape, with its scale.
    pub fn mesh(&self, spec: &MeshSpec) -> Result<Mesh, Diagnostic> {
        let source = self.files.read(&spec.file)?;
        let parsed = obj::parse(&source.text, spec.scale).map_err(|error| {
            let (line, column) = source.line_column(error.offset);
            let message = format!("{}:{line}:{column}: {}", source.name, error.kind);
            Diagnostic::new(message).help(error.help())
        })?;
        let mut mesh = parsed.mesh;
        if let Some(stretch) = spec.stretch {
            let stretch = DVec3::from(stretch);
            mesh.vertices.iter_mut().for_each(|v| *v *= stretch);
        }
        Ok(mesh)
    }

    /// The mass properties of a shape of a density in its own axes; none if it has no
    /// volume. A mesh that is not closed counts as its convex hull.
    pub fn mass(&self, spec: &ShapeSpec, density: f64) -> Option<MassProperties> {
        let mass = match (formula(spec), spec) {
            (Some(shape), _) => MassProperties::of_shape(&shape, density * shape.volume()?)?,
            (None, ShapeSpec::Mesh(spec)) => {
                let mut mesh = self.mesh(spec).ok()?;
                if mesh.check_closed().is_err() {
                    mesh = ConvexHull::new(&mesh.vertices).ok()?.mesh();
                }
                let volume = mesh.volume_integrals().volume.abs();
                MassProperties::of_mesh(&mesh, density * volume)
            }
            _ => return None,
        };
        mass.check().ok().map(|()| mass)
    }

    /// The box around a shape at a pose.
    pub fn bounds(&self, shape: &ShapeSpec, pose: &Pose) -> Option<Aabb> {
        match (formula(shape), shape) {
            (Some(solid), _) => Some(solid.aabb(pose)),
            (None, ShapeSpec::Mesh(spec)) => {
                let mesh = self.mesh(spec).ok()?;
                Some(Aabb::from_points(
                    mesh.vertices.iter().map(|v| pose.point(*v)),
                ))
            }
            _ => None,
        }
    }

    /// Whether scenes can read a mesh file, by its ending.
    pub fn can_read(&self, file: &str) -> bool {
        mesh_files::is_mesh(file)
    }
}

/// A path without `.` and without folders that `..` leaves again.
pub fn plain_path(path: &str) -> String {
    let root = if path.starts_with('/') { "/" } else { "" };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{root}{}", parts.join("/"))
}

/// Red, green and blue from 0 to 1 as `#rrggbb`.
pub fn color(rgb: [f64; 3]) -> String {
    let [r, g, b] = rgb.map(|x| (x.clamp(0.0, 1.0) * 255.0).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_addresses_are_searched_near_the_robot() {
        let files = Files::in_memory([
            ("arm/meshes/a.obj".to_owned(), "v 0 0 0".to_owned()),
            ("other/b.obj".to_owned(), "v 0 0 0".to_owned()),
        ]);
        let resolve = |packages: &BTreeMap<String, String>, address: &str| {
            let assets = Assets {
                files: &files,
                folder: "arm/urdf/".to_owned(),
                packages,
            };
            assets.resolve(address)
        };
        let mut packages = BTreeMap::new();
        let found = resolve(&packages, "package://arm/meshes/a.obj");
        assert_eq!(found.unwrap(), "arm/meshes/a.obj");
        let found = resolve(&packages, "../meshes/./a.obj");
        assert_eq!(found.unwrap(), "arm/meshes/a.obj");
        let missing = resolve(&packages, "package://tool/b.obj").unwrap_err();
        assert!(missing.help.unwrap().contains("--package tool=FOLDER"));
        packages.insert("tool".into(), "other/".into());
        let found = resolve(&packages, "package://tool/b.obj");
        assert_eq!(found.unwrap(), "other/b.obj");
    }

    #[test]
    fn colours_are_written_as_hexadecimal_numbers() {
        assert_eq!(color([1.0, 0.5, -3.0]), "#ff8000");
    }
}
