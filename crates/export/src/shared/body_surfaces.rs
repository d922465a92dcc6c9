//! The surfaces of all bodies; bodies of one shape share one.

use super::shapes;
use conatus_record::{BodyInfo, Header, MeshData};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The surfaces of a recording's bodies, each stored once.
pub(crate) struct BodySurfaces<'a> {
    /// Meshes are borrowed from the header, contact spheres are triangulated.
    surfaces: Vec<Cow<'a, MeshData>>,
    /// The surface of each body, by its index in `surfaces`.
    surface_of_body: Vec<usize>,
}

impl<'a> BodySurfaces<'a> {
    /// Collects the surfaces of all bodies.
    pub fn new(header: &'a Header) -> Self {
        let mut known: BTreeMap<ShapeKey, usize> = BTreeMap::new();
        let mut surfaces = Vec::new();
        let mut surface_of_body = Vec::with_capacity(header.bodies.len());
        for body in &header.bodies {
            let index = *known.entry(shape_key(body)).or_insert_with(|| {
                surfaces.push(surface(header, body));
                surfaces.len() - 1
            });
            surface_of_body.push(index);
        }
        Self {
            surfaces,
            surface_of_body,
        }
    }

    /// All distinct surfaces.
    pub fn iter(&self) -> impl Iterator<Item = &MeshData> {
        self.surfaces.iter().map(Cow::as_ref)
    }

    /// The index of a body's surface in [`BodySurfaces::iter`].
    pub fn index(&self, body: usize) -> Option<usize> {
        self.surface_of_body.get(body).copied()
    }

    /// The surface of a body.
    pub fn get(&self, body: usize) -> Option<&MeshData> {
        self.surfaces.get(self.index(body)?).map(Cow::as_ref)
    }

    /// How many bodies have each surface.
    pub fn users(&self) -> Vec<usize> {
        let mut users = vec![0; self.surfaces.len()];
        for index in &self.surface_of_body {
            users[*index] += 1;
        }
        users
    }
}

/// Bodies with equal keys have the same surface: the index of a mesh, or the
/// bits of the contact spheres' centres and radii.
type ShapeKey = (Option<usize>, Vec<[u64; 4]>);

fn shape_key(body: &BodyInfo) -> ShapeKey {
    match body.mesh {
        Some(mesh) => (Some(mesh), Vec::new()),
        None => {
            let spheres = body.spheres.iter();
            let bits = spheres.map(|(c, r)| [c.x, c.y, c.z, *r].map(f64::to_bits));
            (None, bits.collect())
        }
    }
}

/// The surface of a body: its mesh, or its contact spheres.
fn surface<'a>(header: &'a Header, body: &BodyInfo) -> Cow<'a, MeshData> {
    match body.mesh.and_then(|mesh| header.meshes.get(mesh)) {
        Some(mesh) => Cow::Borrowed(mesh),
        None => Cow::Owned(shapes::welded(&shapes::spheres(&body.spheres))),
    }
}
