//! From a checked scene file to a world that is ready to run. After this,
//! nothing from the file can fail.
//!
//! Every check reports by path, so that the message shows the place in the
//! file; all problems of a scene are reported together.

mod bodies;
mod check;
#[cfg_attr(not(feature = "cloth"), path = "cloth/disabled.rs")]
mod cloth;
mod commands;
mod exclude;
mod features;
mod forces;
mod groups;
mod infos;
mod joint_keys;
mod joints;
mod live;
mod mass_ratios;
mod matter;
mod mesh_shapes;
#[cfg_attr(not(feature = "motion"), path = "motion/disabled.rs")]
mod motion;
mod physics;
pub(super) mod shapes;
mod size;
mod warnings;

use super::diagnostic::{DiagnosticList, Diagnostics, SceneError};
use super::load::Scene;
use super::model::{BodySpec, IntegratorSpec, SceneFile, UpAxisSpec};
use crate::memory;
use crate::motion::MotionPlanner;
use crate::run::RunSchedule;
use crate::world::World;
use bodies::BuiltBody;
use conatus_math::DVec3;
use conatus_record::{FORMAT, Header, PlaneInfo, Up};
use conatus_rigid::Integrator;
use conatus_rigid::contact::{Collider, ContactMaterial, SleepSettings};
use groups::{GroupKeys, GroupNames};

/// A scene that is ready to run.
pub struct Setup {
    /// The world at time zero.
    pub world: World,
    /// How long to run and how often to record.
    pub schedule: RunSchedule,
    /// The description that a recording holds before its first frame.
    pub header: Header,
    /// The texts that a recording keeps: the scene first, then the files that
    /// it names. [`Scene::from_recording`] loads the scene from them.
    pub sources: Vec<conatus_record::Source>,
    /// Plans the movement of the scene's characters; absent without characters.
    /// Characters stand still until a movement is planned and
    /// [set](Setup::set_movement).
    pub planner: Option<MotionPlanner>,
    /// What may be wrong with the scene although it can be run.
    pub warnings: DiagnosticList,
}

impl Setup {
    /// Estimates the memory that the whole recording takes, in bytes.
    pub fn recording_bytes(&self) -> u64 {
        let bodies = self.header.bodies.len();
        self.schedule
            .frames()
            .saturating_mul(
                conatus_record::bytes_per_frame(bodies, self.header.cloth_vertices()) as u64,
            )
    }
}

impl Scene {
    /// Checks that a recording of the whole run fits into memory, as every
    /// format but `.mcap` requires.
    pub fn check_memory(&self, setup: &Setup) -> Result<(), SceneError> {
        let (need, have) = (setup.recording_bytes(), memory::available());
        let mut diagnostics = self.diagnostics();
        if need > have {
            diagnostics.at(
                "time.seconds",
                format!(
                    "the run has {} frames of {} bodies, which take {} of memory; {} are free",
                    setup.schedule.frames(),
                    setup.header.bodies.len(),
                    memory::format_bytes(need),
                    memory::format_bytes(have),
                ),
                "shorten `time.seconds`, record less often with a greater `time.steps_per_frame`, or write a .mcap alone, which needs no memory",
            );
        }
        diagnostics.finish().map(drop)
    }

    /// Checks the physics of the scene and builds its world. The first call reads
    /// the files that the scene names; later calls see the same texts, so that
    /// every call gives an equal setup.
    pub fn build(&self) -> Result<Setup, SceneError> {
        let mut diagnostics = self.diagnostics();
        if !features::check(&self.file, &mut diagnostics) {
            return Err(diagnostics.into_error());
        }
        let file = motion::with_defaults(self);
        let up = match file.up {
            UpAxisSpec::Y => Up::Y,
            UpAxisSpec::Z => Up::Z,
        };
        check::time(&file, &mut diagnostics);
        check::surroundings(&file, &mut diagnostics);
        GroupNames::of(&file).check(&mut diagnostics);
        if !size::check(&file, memory::available(), &mut diagnostics) {
            return Err(diagnostics.into_error());
        }
        let all = bodies::build(self, &file, &mut diagnostics);
        let (built, later) = all.split_at(all.len() - bodies::later_specs(&file).count());

        let mut world = World::new(file.time.step);
        world.integrator = match file.time.integrator {
            IntegratorSpec::Rk4 => Integrator::Rk4,
            IntegratorSpec::Euler => Integrator::Euler,
            IntegratorSpec::MomentumEuler => Integrator::MomentumEuler,
            IntegratorSpec::SymplecticEuler => Integrator::SymplecticEuler,
        };
        world.gravity = gravity(&file);
        world.record_touches = file.contact.events;
        world.touches.contacts = file.contact.events;
        world.sticky = file.contact.sticky;
        world.contact_engine.between_bodies = file.contact.between_bodies;
        world.contact_engine.settings.substeps = file.contact.substeps;
        world.contact_engine.sleep_settings = SleepSettings {
            speed: file.contact.sleep_speed,
            seconds: file.contact.sleep_seconds,
        };
        add_bodies(&mut world, built, file.contact.friction);
        let planes = add_planes(&mut world, &file, &mut diagnostics);
        world.group_names = GroupNames::of(&file).into_names();
        let mut springs = forces::build(&mut world, &file, built, &mut diagnostics);
        let (ropes, joints) = joints::build(&mut world, &file, built, &mut diagnostics);
        springs.extend(ropes);
        exclude::build(&mut world, &file, built, &mut diagnostics);
        let waters = forces::waters(&mut world, &file, built, &mut diagnostics);
        commands::build(&mut world, &file, &all, &mut diagnostics);

        let placed = cloth::build_obstacles(self, &file, &all, &mut diagnostics);
        let (mut meshes, mut infos) = infos::infos(built, &placed);
        let motion = motion::build(self, &file, &infos, &mut diagnostics);
        let characters = motion.as_ref().map(|motion| &motion.world);
        let cloth = cloth::build(self, &file, built, &placed, characters, &mut diagnostics);
        world.cloth = cloth.world;
        for (name, collider) in cloth.colliders {
            world.add_named_collider(&name, collider);
        }
        world.place_scripted_colliders();
        let planner = motion.map(|motion| {
            world.motion = Some(motion.world);
            motion.planner
        });
        if let Some(motion) = &world.motion {
            let (surfaces, parts) = motion.clip().part_bodies(meshes.len());
            meshes.extend(surfaces);
            infos.extend(parts);
        }
        warnings::check(&world, built, &mut diagnostics);
        mass_ratios::check(&world, built, &mut diagnostics);
        let physics = physics::info(&world, joints, &mut meshes);
        let header = Header {
            format: FORMAT.to_owned(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            scene: self.name.clone(),
            seed: self.seed,
            up,
            gravity: world.gravity,
            step_seconds: file.time.step,
            steps_per_frame: file.time.steps_per_frame,
            meshes,
            bodies: infos,
            planes,
            springs,
            waters,
            cloths: cloth.infos,
            physics,
        };
        let warnings = diagnostics.finish()?;
        tracing::info!(
            scene = %self.name,
            bodies = world.bodies.len(),
            obstacles = placed.len(),
            cloth_vertices = header.cloth_vertices(),
            characters = file.character.len(),
            forces = world.forces.len(),
            "scene built"
        );
        let mut setup = Setup {
            world,
            schedule: schedule(self, &file),
            header,
            sources: self.record_sources(),
            planner,
            warnings,
        };
        for (body, (_, spec)) in later.iter().zip(bodies::later_specs(&file)) {
            let named = BodySpec {
                name: body.name.clone(),
                ..spec.clone()
            };
            setup.prepare_body(self, named)?;
        }
        Ok(setup)
    }
}

/// The steps that make up the requested seconds. The last frame may follow
/// fewer steps than the others.
fn schedule(scene: &Scene, file: &SceneFile) -> RunSchedule {
    RunSchedule {
        scene: scene.name.clone(),
        seed: scene.seed,
        seconds: file.time.seconds,
        steps: (file.time.seconds / file.time.step).round() as u64,
        steps_per_frame: file.time.steps_per_frame.max(1),
    }
}

/// Gravity as given, or 9.81 m/s² downwards.
fn gravity(file: &SceneFile) -> DVec3 {
    match (file.gravity, file.up) {
        (Some(g), _) => g.into(),
        (None, UpAxisSpec::Y) => DVec3::Y * -9.81,
        (None, UpAxisSpec::Z) => DVec3::Z * -9.81,
    }
}

fn add_bodies(world: &mut World, built: &[BuiltBody], friction: f64) {
    let colliders = built.iter().map(|body| body.colliders.len()).sum();
    world.contact_engine.colliders.reserve_exact(colliders);
    world.names.reserve_exact(built.len());
    world.valid_states.reserve_exact(built.len());
    for body in built {
        let index = world.add_body(&body.name, body.constants, body.state);
        if body.locked {
            world
                .bodies
                .set_activity(index, conatus_rigid::Activity::Locked);
        }
        let material = ContactMaterial {
            restitution: Some(body.restitution),
            friction: Some(body.friction.unwrap_or(friction)),
            rolling: body.rolling_friction,
        };
        for (pose, shape) in &body.colliders {
            let mut collider = Collider::on_body(index, shape.clone(), material);
            collider.pose = *pose;
            collider.groups = body.groups;
            collider.sensor = body.sensor;
            world.add_collider(collider);
        }
    }
}

fn add_planes(
    world: &mut World,
    file: &SceneFile,
    diagnostics: &mut Diagnostics,
) -> Vec<PlaneInfo> {
    let names = GroupNames::of(file);
    let mut planes = Vec::new();
    for (i, plane) in file.plane.iter().enumerate() {
        let info = PlaneInfo {
            point: plane.point.into(),
            normal: DVec3::from(plane.normal).normalize_or(DVec3::Z),
        };
        let material = ContactMaterial {
            restitution: plane.restitution,
            friction: plane.friction,
            rolling: 0.0,
        };
        let mut collider = Collider::plane(info.point, info.normal, material);
        let keys = GroupKeys {
            groups: &plane.groups,
            collides_with: plane.collides_with.as_deref(),
        };
        collider.groups = names.groups(keys, &format!("plane[{i}]"), diagnostics);
        collider.sensor = plane.sensor;
        let name = match plane.name.as_str() {
            "" => format!("plane-{}", i + 1),
            name => name.to_owned(),
        };
        world.add_named_collider(&name, collider);
        planes.push(info);
    }
    planes
}
