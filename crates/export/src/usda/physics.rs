//! The schemas of UsdPhysics: what other programs need to simulate the scene.
//!
//! Bodies are rigid bodies with mass, their colliders are invisible prims below them, and
//! what never moves is a collider without a body. Obstacles and parts of characters are
//! kinematic.

use super::colliders::{
    approximation, shape_name, sizes, surface, vec3, write_collision_mesh, write_pose,
};
use super::materials::PhysicsMaterials;
use super::text::{Stage, float};
use conatus_math::DVec3;
use conatus_record::{
    BodyFrame, BodyInfo, ColliderInfo, Header, PhysicsInfo, Recording, ShapeInfo, Status, Up,
};
use std::io::{self, Write};

/// How a body takes part in a simulation of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhysicsRole {
    /// Forces move it.
    Dynamic,
    /// It follows its samples.
    Kinematic,
    /// It never moves.
    Static,
    /// It is only shown.
    Display,
}

/// The physics of a recording, with the places of its parts in the file.
pub(super) struct Physics<'a> {
    header: &'a Header,
    info: &'a PhysicsInfo,
    /// The path of the scene prim.
    scene: String,
    roles: Vec<PhysicsRole>,
    first: Vec<Option<&'a BodyFrame>>,
    /// The colliders of each body, and those that are fixed in the world.
    of_body: Vec<Vec<&'a ColliderInfo>>,
    fixed: Vec<&'a ColliderInfo>,
    /// The path of each shape that several colliders share.
    shared: Vec<Option<String>>,
    materials: PhysicsMaterials,
}

impl<'a> Physics<'a> {
    /// Reads the header; `scene`, `shapes` and `materials` are the paths of the scene
    /// prim and of the scopes of shapes and materials.
    pub fn new(recording: &'a Recording, scene: String, shapes: &str, materials: String) -> Self {
        let header = &recording.header;
        let info = &header.physics;
        let mut of_body = vec![Vec::new(); header.bodies.len()];
        let mut fixed = Vec::new();
        let mut users = vec![0; info.shapes.len()];
        for collider in &info.colliders {
            match collider.body.and_then(|b| of_body.get_mut(b)) {
                Some(own) => own.push(collider),
                None => fixed.push(collider),
            }
            if let Some(users) = users.get_mut(collider.shape) {
                *users += 1;
            }
        }
        let shared = info.shapes.iter().zip(users).enumerate();
        let shared = shared.map(|(k, (shape, users))| {
            let is_shared = users > 1 && surface(header, shape).is_some();
            is_shared.then(|| format!("{shapes}/{}", shape_name(k)))
        });
        let first = recording.frames.first();
        let first = |b| first.and_then(|f: &'a conatus_record::Frame| f.bodies.get(b));
        let roles = (0..header.bodies.len()).map(|b| match info.is_empty() {
            true => PhysicsRole::Display,
            false => role(recording, b, !of_body[b].is_empty()),
        });
        Self {
            roles: roles.collect(),
            first: (0..header.bodies.len()).map(first).collect(),
            shared: shared.collect(),
            materials: PhysicsMaterials::new(materials, &info.colliders),
            header,
            info,
            scene,
            of_body,
            fixed,
        }
    }

    /// Whether there is anything to write.
    pub fn is_empty(&self) -> bool {
        self.info.is_empty()
    }

    /// The role of a body.
    pub fn role(&self, body: usize) -> PhysicsRole {
        self.roles
            .get(body)
            .copied()
            .unwrap_or(PhysicsRole::Display)
    }

    /// Whether any body is moved by forces.
    pub fn any_dynamic(&self) -> bool {
        self.roles.contains(&PhysicsRole::Dynamic)
    }

    /// The numbers of bodies, colliders and joints that a reader should find.
    pub fn counts(&self, joints: usize) -> String {
        let is_body =
            |role: &&PhysicsRole| matches!(role, PhysicsRole::Dynamic | PhysicsRole::Kinematic);
        let bodies = self.roles.iter().filter(is_body).count();
        let colliders = self.info.colliders.len();
        format!("int bodies = {bodies}; int colliders = {colliders}; int joints = {joints}")
    }

    /// Writes the prim of the scene, with gravity.
    pub fn write_scene(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        stage.open("PhysicsScene", name, name, &[])?;
        let gravity = self.header.gravity;
        let down = match self.header.up {
            Up::Y => DVec3::NEG_Y,
            Up::Z => DVec3::NEG_Z,
        };
        let direction = gravity.normalize_or(down);
        stage.line(&format!(
            "vector3f physics:gravityDirection = {}",
            vec3(direction)
        ))?;
        stage.line(&format!(
            "float physics:gravityMagnitude = {}",
            float(gravity.length())
        ))?;
        stage.close()
    }

    /// The API schemas of a body.
    pub fn body_apis(&self, body: usize) -> Vec<&'static str> {
        let mut apis = match self.role(body) {
            PhysicsRole::Dynamic => vec!["PhysicsRigidBodyAPI", "PhysicsMassAPI"],
            PhysicsRole::Kinematic => vec!["PhysicsRigidBodyAPI"],
            PhysicsRole::Static | PhysicsRole::Display => Vec::new(),
        };
        if self.info.excluded.iter().any(|pair| pair[0] == body) {
            apis.push("PhysicsFilteredPairsAPI");
        }
        apis
    }

    /// Writes the attributes of a body: mass, and velocities at the start.
    pub fn write_body(
        &self,
        body: usize,
        info: &BodyInfo,
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        match self.role(body) {
            PhysicsRole::Static | PhysicsRole::Display => return Ok(()),
            PhysicsRole::Kinematic => stage.line("bool physics:kinematicEnabled = 1")?,
            PhysicsRole::Dynamic => {
                stage.line(&format!("float physics:mass = {}", float(info.mass)))?;
                stage.line("point3f physics:centerOfMass = (0, 0, 0)")?;
                stage.line(&format!(
                    "float3 physics:diagonalInertia = {}",
                    vec3(info.moments)
                ))?;
                stage.line("quatf physics:principalAxes = (1, 0, 0, 0)")?;
                if let Some(frame) = self.first.get(body).copied().flatten() {
                    let omega = frame.orientation * frame.omega_body;
                    let omega = omega * 1f64.to_degrees();
                    for (name, v) in [("velocity", frame.velocity), ("angularVelocity", omega)] {
                        if v.is_finite() && v != DVec3::ZERO {
                            stage.line(&format!("vector3f physics:{name} = {}", vec3(v)))?;
                        }
                    }
                }
            }
        }
        stage.line(&format!("rel physics:simulationOwner = <{}>", self.scene))
    }

    /// Writes the bodies that this one does not collide with.
    pub fn write_filtered(
        &self,
        body: usize,
        paths: &[String],
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        let others = self.info.excluded.iter().filter(|pair| pair[0] == body);
        let others: Vec<String> = others
            .filter_map(|pair| Some(format!("<{}>", paths.get(pair[1])?)))
            .collect();
        match others.is_empty() {
            true => Ok(()),
            false => stage.line(&format!(
                "rel physics:filteredPairs = [{}]",
                others.join(", ")
            )),
        }
    }

    /// The collider that is the displayed surface of a body itself.
    pub fn surface_collider(&self, body: usize) -> Option<SurfaceCollider> {
        let mesh = self.header.bodies.get(body)?.mesh?;
        let is_surface = |c: &&&ColliderInfo| {
            let shape = self.info.shapes.get(c.shape);
            let same = matches!(shape,
                Some(ShapeInfo::Hull { mesh: m } | ShapeInfo::Mesh { mesh: m }) if *m == mesh);
            same && c.pose.is_identity()
        };
        let collider = *self.of_body.get(body)?.iter().find(is_surface)?;
        Some(SurfaceCollider {
            approximation: approximation(self.info.shapes.get(collider.shape)?),
            material: self.materials.path(collider),
            sensor: collider.sensor,
        })
    }

    /// Writes the colliders of a body, but for that which is its surface.
    pub fn write_colliders(
        &mut self,
        body: usize,
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        let surface = self.header.bodies.get(body).and_then(|b| b.mesh);
        let mut surface = surface.filter(|_| self.surface_collider(body).is_some());
        let mut number = 0;
        for &collider in self.of_body.get(body).into_iter().flatten() {
            let Some(shape) = self.info.shapes.get(collider.shape) else {
                continue;
            };
            // The first collider with the mesh of the surface is the surface.
            if let ShapeInfo::Hull { mesh } | ShapeInfo::Mesh { mesh } = shape
                && surface == Some(*mesh)
                && collider.pose.is_identity()
            {
                surface = None;
                continue;
            }
            number += 1;
            let name = match number {
                1 => "collider".to_owned(),
                _ => format!("collider_{number}"),
            };
            self.write_collider(&name, collider, shape, stage)?;
        }
        Ok(())
    }

    /// Writes the colliders that are fixed in the world.
    pub fn write_fixed(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        if self.fixed.is_empty() {
            return Ok(());
        }
        stage.open("Xform", name, name, &[])?;
        for (k, collider) in self.fixed.iter().enumerate() {
            if let Some(shape) = self.info.shapes.get(collider.shape) {
                let kind = match shape {
                    ShapeInfo::Plane => "plane",
                    _ => "collider",
                };
                self.write_collider(&format!("{kind}_{}", k + 1), collider, shape, stage)?;
            }
        }
        stage.close()
    }

    fn write_collider(
        &self,
        name: &str,
        collider: &ColliderInfo,
        shape: &ShapeInfo,
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        let (kind, sizes) = sizes(shape);
        let reference = self.shared.get(collider.shape).and_then(Option::as_deref);
        let mut apis = vec!["PhysicsCollisionAPI", "MaterialBindingAPI"];
        if kind == "Mesh" {
            apis.push("PhysicsMeshCollisionAPI");
        }
        stage.open_reference(kind, name, reference, &apis)?;
        for line in sizes {
            stage.line(&line)?;
        }
        if let Some(mesh) = surface(self.header, shape).filter(|_| reference.is_none()) {
            write_collision_mesh(&mesh, stage)?;
        }
        if kind == "Mesh" {
            stage.line(&format!(
                "uniform token physics:approximation = \"{}\"",
                approximation(shape)
            ))?;
        }
        if collider.sensor {
            stage.line("bool physics:collisionEnabled = 0")?;
        }
        let material = self.materials.path(collider);
        stage.line(&format!("rel material:binding:physics = <{material}>"))?;
        stage.line("uniform token purpose = \"guide\"")?;
        let scale = match shape {
            ShapeInfo::Box { half_extents } => Some(*half_extents),
            _ => None,
        };
        write_pose(&collider.pose, scale, stage)?;
        stage.close()
    }

    /// Whether a shape that several colliders have has to be written.
    pub fn any_shared(&self) -> bool {
        self.shared.iter().any(Option::is_some)
    }

    /// Writes the meshes that several colliders share.
    pub fn write_shared(&self, stage: &mut Stage<impl Write>) -> io::Result<()> {
        for (k, shape) in self.info.shapes.iter().enumerate() {
            let is_shared = self.shared.get(k).is_some_and(Option::is_some);
            if let Some(mesh) = surface(self.header, shape).filter(|_| is_shared) {
                stage.open("Mesh", &shape_name(k), &shape_name(k), &[])?;
                write_collision_mesh(&mesh, stage)?;
                stage.close()?;
            }
        }
        Ok(())
    }

    /// Writes a group of bodies that do not collide with each other, if they do not.
    pub fn write_group(
        &self,
        path: &str,
        name: &str,
        bodies: &[String],
        stage: &mut Stage<impl Write>,
    ) -> io::Result<()> {
        if !self.info.bodies_pass_through {
            return Ok(());
        }
        let own = bodies.iter().zip(&self.header.bodies);
        let own = own.filter(|(_, info)| !info.scripted);
        let own: Vec<String> = own.map(|(path, _)| format!("<{path}>")).collect();
        stage.open("PhysicsCollisionGroup", name, name, &[])?;
        let own = own.join(", ");
        stage.line(&format!("rel collection:colliders:includes = [{own}]"))?;
        stage.line(&format!("rel physics:filteredGroups = <{path}>"))?;
        stage.close()
    }

    /// Writes the materials of all colliders.
    pub fn write_materials(&self, name: &str, stage: &mut Stage<impl Write>) -> io::Result<()> {
        self.materials.write(name, stage)
    }
}

/// What makes a displayed surface a collider.
pub(super) struct SurfaceCollider {
    approximation: &'static str,
    material: String,
    sensor: bool,
}

impl SurfaceCollider {
    /// The schemas of the prim.
    pub const APIS: [&'static str; 2] = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"];

    /// Writes the attributes.
    pub fn write(&self, stage: &mut Stage<impl Write>) -> io::Result<()> {
        stage.line(&format!(
            "uniform token physics:approximation = \"{}\"",
            self.approximation
        ))?;
        if self.sensor {
            stage.line("bool physics:collisionEnabled = 0")?;
        }
        let material = &self.material;
        stage.line(&format!("rel material:binding:physics = <{material}>"))
    }
}

/// The role of a body in a recording with physics.
fn role(recording: &Recording, index: usize, collides: bool) -> PhysicsRole {
    let header = &recording.header;
    let Some(body) = header.bodies.get(index) else {
        return PhysicsRole::Display;
    };
    let mut frames = recording.frames.iter().filter_map(|f| f.bodies.get(index));
    let Some(first) = frames.next() else {
        return PhysicsRole::Display;
    };
    if body.scripted {
        let place = |f: &BodyFrame| (f.position, f.orientation);
        return match (collides, frames.all(|f| place(f) == place(first))) {
            (false, _) => PhysicsRole::Display,
            (true, true) => PhysicsRole::Static,
            (true, false) => PhysicsRole::Kinematic,
        };
    }
    match first.status {
        Status::Locked => PhysicsRole::Kinematic,
        _ if body.mass > 0.0 => PhysicsRole::Dynamic,
        _ => PhysicsRole::Display,
    }
}
