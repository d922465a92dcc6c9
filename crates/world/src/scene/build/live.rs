//! Adds bodies and planes to a world that is running already.

use super::Setup;
use crate::scene::diagnostic::{Diagnostic, SceneError};
use crate::scene::load::{LoadOptions, Scene};
use crate::scene::model::{BodySpec, PlaneSpec, SceneFile};

impl Setup {
    /// Adds a body to the world and to the header of its recording, and returns its
    /// index. A body without a name gets one. Defaults of contacts and damping,
    /// water and gravity are those of the scene. Cloth does not collide with it.
    pub fn add_body(&mut self, scene: &Scene, mut body: BodySpec) -> Result<usize, SceneError> {
        let index = self.world.bodies.len();
        if body.array.is_some() {
            let message = "an array of bodies cannot be added to a running world";
            let help = "add its copies one by one";
            return Err(SceneError::placeless(Diagnostic::new(message).help(help)));
        }
        if body.name.is_empty() {
            let taken = |name: &String| self.world.names.contains(name);
            let mut names = (index + 1..).map(|number| format!("body-{number}"));
            body.name = names.find(|name| !taken(name)).unwrap_or_default();
        }
        if self.world.names.contains(&body.name) {
            let message = format!("there is a body named `{}` already", body.name);
            let help = "give every body a unique name";
            return Err(SceneError::placeless(Diagnostic::new(message).help(help)));
        }
        let alone = SceneFile {
            water: scene.file.water.clone(),
            body: vec![body],
            ..scene.defaults()
        };
        let alone = scene.part(&alone)?.build()?;
        self.append(alone, index);
        Ok(index)
    }

    /// Adds a static plane to the world and to the header of its recording.
    pub fn add_plane(&mut self, scene: &Scene, plane: PlaneSpec) -> Result<(), SceneError> {
        let alone = SceneFile {
            plane: vec![plane],
            ..scene.defaults()
        };
        let alone = scene.part(&alone)?.build()?;
        for collider in alone.world.contact_engine.colliders {
            self.world.add_collider(collider);
        }
        self.header.planes.extend(alone.header.planes);
        Ok(())
    }

    /// Moves the only body of another setup here, with the forces of water on it.
    fn append(&mut self, other: Self, index: usize) {
        let from = other.world;
        for name in &from.names {
            let constants = *from.bodies.constants(0);
            self.world.add_body(name, constants, from.bodies.state(0));
            self.world
                .bodies
                .set_activity(index, from.bodies.activity(0));
        }
        for mut collider in from.contact_engine.colliders {
            collider.body = collider.body.map(|body| body + index);
            self.world.add_collider(collider);
        }
        for mut force in from.forces {
            force.shift_bodies(index);
            self.world.add_boxed_force(force);
        }
        for (k, mut info) in other.header.bodies.into_iter().enumerate() {
            info.mesh = info.mesh.and_then(|mesh| {
                let mesh = other.header.meshes.get(mesh)?;
                let known = self.header.meshes.iter().position(|other| other == mesh);
                Some(known.unwrap_or_else(|| {
                    self.header.meshes.push(mesh.clone());
                    self.header.meshes.len() - 1
                }))
            });
            self.header.bodies.insert(index + k, info);
        }
        for warning in other.warnings.diagnostics() {
            tracing::warn!("{}", warning.message);
        }
    }
}

impl Scene {
    /// An empty scene with the defaults of this one.
    fn defaults(&self) -> SceneFile {
        let file = &self.file;
        SceneFile {
            up: file.up,
            gravity: file.gravity,
            damping: file.damping,
            contact: file.contact,
            time: file.time.clone(),
            ..SceneFile::default()
        }
    }

    /// A scene with files and seed of this one.
    fn part(&self, spec: &SceneFile) -> Result<Self, SceneError> {
        let options = LoadOptions {
            seed: Some(self.seed),
            ..LoadOptions::default()
        };
        Self::from_spec(&self.name, spec, self.files.clone(), &options)
    }
}
