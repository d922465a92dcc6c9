//! The surfaces of bodies. What several bodies look like is written once, and
//! the bodies refer to it.

use super::still;
use super::text::Stage;
use crate::shared::shapes;
use conatus_record::{BodyInfo, Header, MeshData};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A surface.
pub(super) struct Solid {
    pub mesh: MeshData,
    /// Whether it has a rim.
    pub open: bool,
    /// Where it is, if bodies share it.
    pub path: Option<String>,
}

/// The surfaces of all bodies.
pub(super) struct Solids {
    all: Vec<Solid>,
    of_body: Vec<usize>,
}

impl Solids {
    /// Finds out who shares what; `path` is where shared ones will be.
    pub fn new(header: &Header, path: &str) -> Self {
        let mut known: BTreeMap<_, usize> = BTreeMap::new();
        let mut solids = Self {
            all: Vec::new(),
            of_body: Vec::new(),
        };
        for body in &header.bodies {
            let index = *known.entry(key(body)).or_insert_with(|| {
                let mesh = shapes::of_body(header, body);
                solids.all.push(Solid {
                    open: shapes::is_open(&mesh),
                    mesh,
                    path: None,
                });
                solids.all.len() - 1
            });
            solids.of_body.push(index);
        }
        let mut users = vec![0; solids.all.len()];
        solids.of_body.iter().for_each(|index| users[*index] += 1);
        for (index, solid) in solids.all.iter_mut().enumerate() {
            if users[index] > 1 {
                solid.path = Some(format!("{path}/{}", name(index)));
            }
        }
        solids
    }

    /// The surface of a body.
    pub fn of(&self, body: usize) -> Option<&Solid> {
        self.all.get(*self.of_body.get(body)?)
    }

    /// Puts those that are shared onto the stage.
    pub fn write(&self, scope: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        if self.all.iter().all(|solid| solid.path.is_none()) {
            return Ok(());
        }
        stage.open_class("Scope", scope)?;
        for (index, solid) in self.all.iter().enumerate() {
            if solid.path.is_some() {
                stage.open("Mesh", &name(index), &name(index), &[])?;
                still(&solid.mesh, solid.open, stage)?;
                stage.close()?;
            }
        }
        stage.close()
    }
}

fn name(index: usize) -> String {
    format!("shape_{}", index + 1)
}

/// Bodies with equal keys look alike but for their colour.
fn key(body: &BodyInfo) -> (Option<usize>, Vec<[u64; 4]>) {
    match body.mesh {
        Some(mesh) => (Some(mesh), Vec::new()),
        None => {
            let spheres = body.spheres.iter();
            let bits = spheres.map(|(c, r)| [c.x, c.y, c.z, *r].map(f64::to_bits));
            (None, bits.collect())
        }
    }
}
