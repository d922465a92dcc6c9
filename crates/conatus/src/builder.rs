//! Describes a scene in code, in the words of a scene file.

use crate::attachment::{Attachment, BodyId};
use crate::error::Error;
use crate::run::Run;
use crate::simulation::Simulation;
use conatus_world::scene::files::Files;
use conatus_world::scene::model::*;
use conatus_world::scene::{LoadOptions, Scene};
use std::path::PathBuf;

/// A scene that is being described. It has all keys of a scene file: the common keys have
/// methods, and [`spec`](SceneBuilder::spec) gives access to all.
///
/// Nothing is checked until [`build`](SceneBuilder::build), which reports all
/// mistakes at once, by the paths of a scene file (`body[2].mass`).
///
/// ```
/// use conatus::prelude::*;
///
/// let mut scene = SceneBuilder::new("pendulum");
/// let bob = scene.add_body(BodySpec::sphere(0.1).mass(2.0).position([1.0, 0.0, 0.0]));
/// scene.connect([0.0, 0.0, 0.0], bob, SpringSpec::with_stiffness(500.0).damping(1.0));
/// scene.seconds(2.0);
/// let run = scene.run()?;
/// assert_eq!(run.report.rigid.bodies, 1);
/// # Ok::<(), conatus::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneBuilder {
    name: String,
    file: SceneFile,
    folder: PathBuf,
    seconds: Option<f64>,
    /// The names of all bodies, by the index of their handle.
    bodies: Vec<String>,
}

impl SceneBuilder {
    /// An empty scene with the defaults of scene files: gravity of 9.81 m/s² along
    /// −z, steps of 0.01 s, bodies that collide.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            file: SceneFile::default(),
            folder: PathBuf::new(),
            seconds: None,
            bodies: Vec::new(),
        }
    }

    /// Every key of the scene. Add bodies with [`add_body`](Self::add_body), so that
    /// handles stay right.
    pub fn spec(&mut self) -> &mut SceneFile {
        &mut self.file
    }

    /// The folder that meshes and other files are relative to; the current folder
    /// by default.
    pub fn folder(&mut self, folder: impl Into<PathBuf>) -> &mut Self {
        self.folder = folder.into();
        self
    }

    /// The title: one line that describes the scene.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.file.title = Some(title.into());
        self
    }

    /// The seed of everything random.
    pub fn seed(&mut self, seed: u64) -> &mut Self {
        self.file.seed = Some(seed);
        self
    }

    /// The size of a step in seconds; 0.01 by default.
    pub fn step(&mut self, seconds: f64) -> &mut Self {
        self.file.time.step = seconds;
        self
    }

    /// The length of a run in seconds: 10 by default, or the length of the movement
    /// in scenes with characters.
    pub fn seconds(&mut self, seconds: f64) -> &mut Self {
        self.seconds = Some(seconds);
        self
    }

    /// How many steps lie between two recorded frames; 2 by default.
    pub fn steps_per_frame(&mut self, steps: u64) -> &mut Self {
        self.file.time.steps_per_frame = steps;
        self
    }

    /// The acceleration of gravity in m/s².
    pub fn gravity(&mut self, gravity: impl Into<Vec3>) -> &mut Self {
        self.file.gravity = Some(gravity.into());
        self
    }

    /// Adds a body with mass, state and shape in one call. A body without a name
    /// gets one. With an `array` this is the handle of the first copy; see
    /// [`add_bodies`](Self::add_bodies).
    pub fn add_body(&mut self, body: BodySpec) -> BodyId {
        let first = BodyId(self.bodies.len());
        self.add_bodies(body);
        first
    }

    /// Adds a body and all copies of its `array`, and returns their handles in order.
    pub fn add_bodies(&mut self, mut body: BodySpec) -> Vec<BodyId> {
        if body.name.is_empty() {
            body.name = format!("body-{}", self.file.body.len() + 1);
        }
        let first = self.bodies.len();
        match &body.array {
            None => self.bodies.push(body.name.clone()),
            Some(array) => {
                let copies = array.count.iter().product::<u64>();
                let names = (0..copies).map(|copy| format!("{}-{copy}", body.name));
                self.bodies.extend(names);
            }
        }
        self.file.body.push(body);
        (first..self.bodies.len()).map(BodyId).collect()
    }

    /// The name of a body.
    ///
    /// # Panics
    /// If the handle belongs to another scene.
    pub fn name_of(&self, body: BodyId) -> &str {
        &self.bodies[body.0]
    }

    /// Adds a static plane.
    pub fn add_plane(&mut self, plane: PlaneSpec) -> &mut Self {
        self.file.plane.push(plane);
        self
    }

    /// Adds a spring between two bodies, points of bodies, or fixed points.
    ///
    /// # Panics
    /// If a handle belongs to another scene.
    pub fn connect(
        &mut self,
        a: impl Into<Attachment>,
        b: impl Into<Attachment>,
        mut spring: SpringSpec,
    ) -> &mut Self {
        (spring.a, spring.b) = (self.end(a.into()), self.end(b.into()));
        self.file.spring.push(spring);
        self
    }

    fn end(&self, attachment: Attachment) -> SpringEndSpec {
        match attachment {
            Attachment::Pin(point) => SpringEndSpec::pin(point),
            Attachment::Body(body) => SpringEndSpec::body(self.name_of(body)),
            Attachment::Point(body, point) => SpringEndSpec::body(self.name_of(body)).point(point),
        }
    }

    /// Joins two bodies, or a body to the world if `a` is `None`.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("pendulum");
    /// let rod = BodySpec::capsule(0.02, 1.0).mass(1.0).position([0.0, 0.0, -0.5]);
    /// let rod = scene.add_body(rod);
    /// scene.join(None, rod, JointSpec::hinge([0.0; 3], [0.0, 1.0, 0.0]));
    /// scene.seconds(1.0);
    /// let joints = scene.run()?.report.rigid.joints.expect("the scene has a joint");
    /// assert!(joints.max_error < 1e-3);
    /// # Ok::<(), conatus::Error>(())
    /// ```
    ///
    /// # Panics
    /// If a handle belongs to another scene.
    pub fn join(&mut self, a: impl Into<Option<BodyId>>, b: BodyId, joint: JointSpec) -> &mut Self {
        let bodies = a.into().into_iter().chain([b]);
        let names: Vec<String> = bodies.map(|body| self.name_of(body).to_owned()).collect();
        self.file.joint.push(joint.bodies(names));
        self
    }

    /// Adds linear drag.
    pub fn add_drag(&mut self, drag: DragSpec) -> &mut Self {
        self.file.drag.push(drag);
        self
    }

    /// Adds a constant force or torque.
    pub fn add_push(&mut self, push: PushSpec) -> &mut Self {
        self.file.push.push(push);
        self
    }

    /// Adds a body of water.
    pub fn add_water(&mut self, water: WaterSpec) -> &mut Self {
        self.file.water.push(water);
        self
    }

    /// Adds a command that is executed at a given time.
    pub fn add_command(&mut self, command: CommandSpec) -> &mut Self {
        self.file.command.push(command);
        self
    }

    /// Adds an obstacle, at rest or scripted by keyframes.
    #[cfg(feature = "cloth")]
    pub fn add_obstacle(&mut self, obstacle: ObstacleSpec) -> &mut Self {
        self.file.obstacle.push(obstacle);
        self
    }

    /// Adds a piece of cloth.
    #[cfg(feature = "cloth")]
    pub fn add_cloth(&mut self, piece: ClothPieceSpec) -> &mut Self {
        self.file.cloth.piece.push(piece);
        self
    }

    /// Defines a material of cloth that pieces can name.
    #[cfg(feature = "cloth")]
    pub fn define_material(&mut self, name: impl Into<String>, material: ClothMaterialSpec) {
        self.file.cloth.material.insert(name.into(), material);
    }

    /// The velocity of the air that cloth feels, in m/s.
    #[cfg(feature = "cloth")]
    pub fn wind(&mut self, velocity: impl Into<Vec3>) -> &mut Self {
        self.file.cloth.wind = velocity.into();
        self
    }

    /// Adds a character.
    #[cfg(feature = "motion")]
    pub fn add_character(&mut self, character: CharacterSpec) -> &mut Self {
        self.file.character.push(character);
        self
    }

    /// Adds an object that characters handle.
    #[cfg(feature = "motion")]
    pub fn add_object(&mut self, object: ObjectSpec) -> &mut Self {
        self.file.object.push(object);
        self
    }

    /// Adds a goal of a character or of an object.
    #[cfg(feature = "motion")]
    pub fn add_goal(&mut self, goal: GoalSpec) -> &mut Self {
        self.file.goal.push(goal);
        self
    }

    /// Checks the keys of the scene. The result can be simulated, run, and written
    /// as a scene file.
    pub fn build(&self) -> Result<Scene, Error> {
        let files = Files::in_folder(self.folder.clone());
        let options = LoadOptions {
            seconds: self.seconds,
            ..LoadOptions::default()
        };
        Ok(Scene::from_spec(&self.name, &self.file, files, &options)?)
    }

    /// Builds the scene and starts a simulation of it.
    pub fn simulate(&self) -> Result<Simulation, Error> {
        Simulation::new(&self.build()?)
    }

    /// Builds the scene and runs it to its end.
    pub fn run(&self) -> Result<Run, Error> {
        crate::run(&self.build()?)
    }
}
