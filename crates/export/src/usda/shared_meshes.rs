//! Surfaces that several bodies have are written once, and the bodies refer to
//! them.

use super::text::Stage;
use super::write_mesh;
use crate::shared::body_surfaces::BodySurfaces;
use crate::shared::shapes;
use conatus_record::{Header, MeshData};
use std::io::{self, Write};

/// The surfaces of all bodies, with their places in the file.
pub(super) struct SharedMeshes<'a> {
    surfaces: BodySurfaces<'a>,
    /// Whether each surface has a boundary edge.
    open: Vec<bool>,
    /// The path of each surface that several bodies share.
    paths: Vec<Option<String>>,
}

/// The surface of a body.
pub(super) struct BodyMesh<'a> {
    pub mesh: &'a MeshData,
    /// Whether it has a boundary edge.
    pub open: bool,
    /// Where it is in the file, if several bodies share it.
    pub path: Option<&'a str>,
}

impl<'a> SharedMeshes<'a> {
    /// Collects the surfaces; `path` is the scope of those that are shared.
    pub fn new(header: &'a Header, path: &str) -> Self {
        let surfaces = BodySurfaces::new(header);
        let shared_path = |(index, users): (usize, usize)| {
            let shared = users > 1;
            shared.then(|| format!("{path}/{}", mesh_name(index)))
        };
        Self {
            open: surfaces.iter().map(shapes::is_open).collect(),
            paths: surfaces
                .users()
                .into_iter()
                .enumerate()
                .map(shared_path)
                .collect(),
            surfaces,
        }
    }

    /// The surface of a body, if it has any triangles.
    pub fn get(&self, body: usize) -> Option<BodyMesh<'_>> {
        let index = self.surfaces.index(body)?;
        let mesh = self.surfaces.get(body)?;
        (!mesh.triangles.is_empty()).then_some(BodyMesh {
            mesh,
            open: self.open[index],
            path: self.paths[index].as_deref(),
        })
    }

    /// Whether several bodies share a surface.
    pub fn any_shared(&self) -> bool {
        self.paths.iter().any(Option::is_some)
    }

    /// Writes the shared surfaces, in a class that others refer to.
    pub fn write(&self, stage: &mut Stage<impl Write>) -> io::Result<()> {
        for (index, mesh) in self.surfaces.iter().enumerate() {
            if self.paths[index].is_some() {
                stage.open("Mesh", &mesh_name(index), &mesh_name(index), &[])?;
                write_mesh(mesh, self.open[index], stage)?;
                stage.close()?;
            }
        }
        Ok(())
    }
}

fn mesh_name(index: usize) -> String {
    format!("shape_{}", index + 1)
}
