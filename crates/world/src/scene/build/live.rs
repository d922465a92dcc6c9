//! Adds bodies and planes to a world that is running already.

use super::{Setup, joints};
use crate::command::{Command, INPUT, UnknownInput};
use crate::scene::diagnostic::{Diagnostic, SceneError};
use crate::scene::load::{LoadOptions, Scene};
use crate::scene::model::{BodySpec, ContactSpec, JointSpec, PlaneSpec, SceneFile};
use conatus_record::{Event, MeshData, ShapeInfo};

impl Setup {
    /// Adds a body to the world and to the header of its recording, and returns its
    /// index. A body without a name gets one. Defaults of contacts and damping,
    /// water and gravity are those of the scene. Cloth does not collide with it.
    ///
    /// The addition is recorded as an input, so that the run can be replayed.
    pub fn add_body(&mut self, scene: &Scene, body: BodySpec) -> Result<usize, SceneError> {
        let (index, body) = self.prepare_body(scene, body)?;
        let spec = serde_json::to_value(body).ok();
        let command = Command::AddBody { body: index, spec };
        self.world.execute_now(&command);
        Ok(index)
    }

    /// Adds a joint between bodies as they are now, and returns its name. A joint without a
    /// name gets one. The addition is recorded as an input.
    pub fn add_joint(&mut self, scene: &Scene, joint: JointSpec) -> Result<String, SceneError> {
        let joint = self.prepare_joint(scene, joint)?;
        let name = joint.name.clone();
        let command = Command::AddJoint {
            joint: name.clone(),
            spec: serde_json::to_value(joint).ok(),
        };
        self.world.execute_now(&command);
        Ok(name)
    }

    /// Schedules all inputs among the events of a recording again, and prepares the bodies
    /// and joints that they add. Call it before a checkpoint is restored.
    pub fn repeat_inputs(&mut self, scene: &Scene, events: &[Event]) -> Result<(), UnknownInput> {
        self.prepare_inputs(scene, events)?;
        self.world.repeat_inputs(events)
    }

    /// Prepares the bodies and joints that the inputs of a recording add.
    pub fn prepare_inputs(&mut self, scene: &Scene, events: &[Event]) -> Result<(), UnknownInput> {
        for event in events.iter().filter(|event| event.kind == INPUT) {
            let of = |command: &str| event.detail.get(command)?.get("spec").cloned();
            let prepared = if let Some(spec) = of("add_body") {
                let spec = serde_json::from_value(spec).ok();
                spec.is_some_and(|spec| self.prepare_body(scene, spec).is_ok())
            } else if let Some(spec) = of("add_joint") {
                let spec = serde_json::from_value(spec).ok();
                spec.is_some_and(|spec| self.prepare_joint(scene, spec).is_ok())
            } else {
                true
            };
            if !prepared {
                return Err(UnknownInput {
                    step: event.step,
                    detail: event.detail.clone(),
                });
            }
        }
        Ok(())
    }

    /// Adds a joint that waits for a command.
    fn prepare_joint(
        &mut self,
        scene: &Scene,
        mut joint: JointSpec,
    ) -> Result<JointSpec, SceneError> {
        let names = &self.world.joint_names;
        if joint.name.is_empty() {
            let mut free = (names.len() + 1..).map(|number| format!("joint-{number}"));
            joint.name = free.find(|name| !names.contains(name)).unwrap_or_default();
        }
        if names.contains(&joint.name) {
            let message = format!("there is a joint named `{}` already", joint.name);
            let help = "give every joint a unique name";
            return Err(SceneError::placeless(Diagnostic::new(message).help(help)));
        }
        let alone = SceneFile {
            joint: vec![joint.clone()],
            ..scene.defaults()
        };
        let mut diagnostics = scene.part(&alone)?.diagnostics();
        let bodies = &self.world.names;
        let place = |name: &str| {
            let found = bodies.iter().position(|n| n == name);
            found.ok_or_else(|| bodies.clone())
        };
        let path = "joint[0]";
        if let Some(bodies) = joints::joined(&joint, &place, path, &mut diagnostics) {
            let world = &mut self.world;
            let poses = joints::poses(bodies, |body| world.bodies.state(body).pose());
            joints::prepare(world, &joint, bodies, poses, path, &mut diagnostics);
        }
        diagnostics.finish()?;
        Ok(joint)
    }

    /// Adds a body that waits for a command, and returns its index and its full table.
    pub(super) fn prepare_body(
        &mut self,
        scene: &Scene,
        mut body: BodySpec,
    ) -> Result<(usize, BodySpec), SceneError> {
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
            contact: self.contact_with_groups(scene, &body.groups),
            body: vec![body.clone()],
            ..scene.defaults()
        };
        let alone = scene.part(&alone)?.build()?;
        self.append(alone, index);
        Ok((index, body))
    }

    /// Adds a static plane to the world and to the header of its recording.
    pub fn add_plane(&mut self, scene: &Scene, plane: PlaneSpec) -> Result<(), SceneError> {
        let name = plane.name.clone();
        let contact = self.contact_with_groups(scene, &plane.groups);
        let alone = SceneFile {
            plane: vec![plane],
            contact,
            ..scene.defaults()
        };
        let alone = scene.part(&alone)?.build()?;
        let name = match name.as_str() {
            "" => format!("plane-{}", self.header.planes.len() + 1),
            name => name.to_owned(),
        };
        for collider in alone.world.contact_engine.colliders {
            self.world.add_named_collider(&name, collider);
        }
        self.world.group_names = alone.world.group_names;
        self.header.planes.extend(alone.header.planes);
        Ok(())
    }

    /// The settings of contacts, with the groups of the world so far and those of something
    /// that is added.
    fn contact_with_groups(&self, scene: &Scene, new: &[String]) -> ContactSpec {
        let mut contact = scene.file.contact.clone();
        contact.groups = self.world.group_names.iter().skip(1).cloned().collect();
        for name in new {
            if !self.world.group_names.contains(name) && !contact.groups.contains(name) {
                contact.groups.push(name.clone());
            }
        }
        contact
    }

    /// Moves the only body of another setup here, with the forces of water on it.
    fn append(&mut self, other: Self, index: usize) {
        let from = other.world;
        self.world.group_names = from.group_names;
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
        let mut forces = from.forces;
        forces.iter_mut().for_each(|f| f.shift_bodies(index));
        self.world.make_body_later(forces);
        for (k, mut info) in other.header.bodies.into_iter().enumerate() {
            let mesh = info.mesh.and_then(|mesh| other.header.meshes.get(mesh));
            info.mesh = mesh.map(|mesh| number_of_mesh(&mut self.header.meshes, mesh));
            self.header.bodies.insert(index + k, info);
        }
        // Obstacles and parts of characters follow the bodies.
        let colliders = self.header.physics.colliders.iter_mut();
        let moved = colliders.filter_map(|c| c.body.as_mut());
        moved.filter(|b| **b >= index).for_each(|b| *b += 1);
        for mut collider in other.header.physics.colliders {
            let Some(mut shape) = other.header.physics.shapes.get(collider.shape).cloned() else {
                continue;
            };
            if let ShapeInfo::Hull { mesh } | ShapeInfo::Mesh { mesh } = &mut shape
                && let Some(known) = other.header.meshes.get(*mesh)
            {
                *mesh = number_of_mesh(&mut self.header.meshes, known);
            }
            let shapes = &mut self.header.physics.shapes;
            let known = shapes.iter().position(|other| *other == shape);
            collider.shape = known.unwrap_or_else(|| {
                shapes.push(shape);
                shapes.len() - 1
            });
            collider.body = collider.body.map(|body| body + index);
            self.header.physics.colliders.push(collider);
        }
        for warning in other.warnings.diagnostics() {
            tracing::warn!("{}", warning.message);
        }
    }
}

/// The number of a mesh in a list that it is added to if it is not there.
fn number_of_mesh(meshes: &mut Vec<MeshData>, mesh: &MeshData) -> usize {
    let known = meshes.iter().position(|other| other == mesh);
    known.unwrap_or_else(|| {
        meshes.push(mesh.clone());
        meshes.len() - 1
    })
}

impl Scene {
    /// An empty scene with the defaults of this one.
    fn defaults(&self) -> SceneFile {
        let file = &self.file;
        SceneFile {
            up: file.up,
            gravity: file.gravity,
            damping: file.damping,
            contact: file.contact.clone(),
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
