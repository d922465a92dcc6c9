//! A scene in motion, step by step.

use crate::attachment::BodyId;
use crate::error::Error;
use crate::events::ContactObserver;
use crate::queries::QueryCache;
use crate::run::{MemorySink, Run};
use conatus_math::{DQuat, DVec3};
use conatus_record::{BodyFrame, Status};
use conatus_rigid::State;
use conatus_rigid::forces::{Callback, Force, Loads, View};
use conatus_world::scene::model::{BodySpec, PlaneSpec};
use conatus_world::scene::{Scene, Setup};
use conatus_world::{ForceId, Report, RunLog, StepReport, World};

#[cfg(feature = "motion")]
use conatus_world::motion::{MotionReport, Movement, Progress};
#[cfg(feature = "motion")]
use std::{ops::ControlFlow, sync::Arc};

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// A body.
    pub a: BodyId,
    /// The other body; `None` for a plane.
    pub b: Option<BodyId>,
    /// Where they touch, in world coordinates.
    pub point: DVec3,
    /// The unit normal, from `a` into the other.
    pub normal: DVec3,
    /// How deep they were in each other, in metres.
    pub penetration: f64,
    /// The impulse on `a`, in N·s.
    pub impulse: DVec3,
}

/// A scene in motion, which the caller steps. It records frames once
/// [`record`](Simulation::record) was called.
///
/// ```
/// use conatus::prelude::*;
///
/// let mut scene = SceneBuilder::new("bounce");
/// let ball = scene.add_body(BodySpec::sphere(0.1).position([0.0, 0.0, 0.5]).restitution(1.0));
/// scene.add_plane(PlaneSpec::ground());
/// let mut simulation = scene.simulate()?;
/// let mut bounces = 0;
/// while simulation.time() < 1.9 {
///     simulation.step();
///     bounces += simulation.contacts().filter(|contact| contact.a == ball).count();
/// }
/// assert_eq!(bounces, 3);
/// # Ok::<(), conatus::Error>(())
/// ```
pub struct Simulation {
    pub(crate) scene: Scene,
    pub(crate) setup: Setup,
    log: RunLog,
    sink: Option<MemorySink>,
    pub(crate) query_cache: QueryCache,
    pub(crate) after_contacts: Option<Box<ContactObserver>>,
}

impl Simulation {
    /// Builds a scene's world at time zero. Characters stand still until
    /// [`plan`](Simulation::plan) has found their movement.
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        let mut setup = scene.build()?;
        setup.world.watch_contacts();
        Ok(Self {
            setup,
            scene: scene.clone(),
            log: RunLog::new(),
            sink: None,
            query_cache: QueryCache::default(),
            after_contacts: None,
        })
    }

    /// What may be wrong with the scene although it runs.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let warnings = self.setup.warnings.diagnostics().iter();
        warnings.map(|warning| warning.message.clone())
    }

    /// Makes one step, and records a frame if one is due.
    pub fn step(&mut self) -> StepReport {
        let report = self.world_mut().step();
        if let Some(mut observer) = self.after_contacts.take() {
            self.contacts().for_each(|contact| observer(&contact));
            self.after_contacts = Some(observer);
        }
        self.log.log_step(&report);
        let per_frame = self.setup.schedule.steps_per_frame;
        if self.setup.world.steps().is_multiple_of(per_frame) {
            self.record_frame();
        }
        report
    }

    pub(crate) fn world(&self) -> &World {
        &self.setup.world
    }

    /// The world, to change it.
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.setup_mut().world
    }

    /// The setup, to change it.
    fn setup_mut(&mut self) -> &mut Setup {
        self.query_cache.outdate();
        &mut self.setup
    }

    /// Steps until a time in seconds.
    pub fn run_until(&mut self, time: f64) {
        let half_step = 0.5 * self.setup.world.step_seconds();
        while self.time() + half_step < time {
            self.step();
        }
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.setup.world.time()
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.setup.world.steps()
    }

    /// A body by its name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        let names = self.setup.world.names.iter();
        names
            .enumerate()
            .find(|(_, n)| *n == name)
            .map(|(i, _)| BodyId(i))
    }

    /// All bodies that were not removed, in order.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        let count = self.setup.world.names.len();
        (0..count)
            .map(BodyId)
            .filter(|&body| !self.is_removed(body))
    }

    /// The name of a body.
    ///
    /// # Panics
    /// If the handle belongs to another scene.
    pub fn name_of(&self, body: BodyId) -> &str {
        &self.setup.world.names[body.0]
    }

    /// Whether a body was removed.
    pub fn is_removed(&self, body: BodyId) -> bool {
        self.setup.world.is_removed(body.0)
    }

    /// Position, velocity, orientation and angular velocity of a body.
    ///
    /// # Panics
    /// If the handle belongs to another scene.
    pub fn state(&self, body: BodyId) -> State {
        self.setup.world.bodies.state(body.0)
    }

    /// The mass of a body in kilograms; of the whole, if it has merged with others.
    ///
    /// # Panics
    /// If the handle belongs to another scene.
    pub fn mass(&self, body: BodyId) -> f64 {
        let bodies = &self.setup.world.bodies;
        bodies.constants(bodies.mount(body.0).mover).mass
    }

    /// Adds a body while the simulation runs, with mass, state and shape in one
    /// call. In frames recorded earlier it has the status `removed`. Cloth does not
    /// collide with it. The addition is an event of the recording, which replays it.
    pub fn add_body(&mut self, body: BodySpec) -> Result<BodyId, Error> {
        self.query_cache.outdate();
        let index = self.setup.add_body(&self.scene, body)?;
        if let Some(sink) = &mut self.sink {
            sink.insert_body(index, self.setup.header.clone());
        }
        Ok(BodyId(index))
    }

    /// Removes a body from the world, with the springs that are attached to it. Its
    /// handle stays valid. Frames recorded from now on give it the status
    /// `removed`, and pictures and 3D files do not show it any more.
    pub fn remove_body(&mut self, body: BodyId) -> Result<(), Error> {
        Ok(self.world_mut().remove_body(body.0)?)
    }

    /// Adds a static plane while the simulation runs.
    pub fn add_plane(&mut self, plane: PlaneSpec) -> Result<(), Error> {
        self.query_cache.outdate();
        Ok(self.setup.add_plane(&self.scene, plane)?)
    }

    /// Whether a body is asleep: at rest, until something wakes it.
    pub fn is_asleep(&self, body: BodyId) -> bool {
        self.setup.world.is_asleep(body.0)
    }

    /// Wakes a body and those that it touches or is joined to.
    pub fn wake(&mut self, body: BodyId) {
        self.setup.world.wake(body.0);
    }

    /// Adds a force.
    pub fn add_force(&mut self, force: impl Force + 'static) -> ForceId {
        self.setup.world.add_force(force)
    }

    /// Adds a force as a closure, which may keep state. It is called at every stage
    /// of every step.
    ///
    /// ```
    /// use conatus::prelude::*;
    ///
    /// let mut scene = SceneBuilder::new("wind");
    /// let ball = scene.add_body(BodySpec::sphere(0.1).mass(1.0));
    /// let mut simulation = scene.gravity([0.0; 3]).simulate()?;
    /// let mut calls = 0;
    /// let wind = simulation.add_force_fn(move |t, view, loads| {
    ///     calls += 1;
    ///     let strength = if calls > 400 { 0.0 } else { t.cos() };
    ///     loads.central_force(view, ball.index(), DVec3::X * strength);
    /// });
    /// simulation.run_until(1.0);
    /// assert!((simulation.state(ball).velocity.x - 1f64.sin()).abs() < 1e-9);
    /// assert!(simulation.remove_force(wind));
    /// # Ok::<(), conatus::Error>(())
    /// ```
    pub fn add_force_fn(
        &mut self,
        force: impl FnMut(f64, &View, &mut Loads) + Send + Sync + 'static,
    ) -> ForceId {
        self.setup.world.add_force(Callback::new(force))
    }

    /// Removes a force; whether it was there.
    pub fn remove_force(&mut self, force: ForceId) -> bool {
        self.setup.world.remove_force(force)
    }

    /// The contacts of the last step between bodies and with planes.
    pub fn contacts(&self) -> impl Iterator<Item = ContactEvent> + '_ {
        self.setup.world.contacts().map(|contact| ContactEvent {
            a: BodyId(contact.a),
            b: contact.b.map(BodyId),
            point: contact.point,
            normal: contact.normal,
            penetration: contact.penetration,
            impulse: contact.impulse,
        })
    }

    /// Kinetic and potential energy of everything that moves, in joules.
    pub fn energy(&self) -> f64 {
        let totals = self.setup.world.totals();
        totals.kinetic + totals.potential
    }

    /// The positions of all vertices of cloth, piece by piece.
    #[cfg(feature = "cloth")]
    pub fn cloth_vertices(&self) -> &[DVec3] {
        let cloth = self.setup.world.cloth.as_ref();
        cloth.map_or(&[], |cloth| cloth.positions())
    }

    /// Finds the movement of the scene's characters and plays it from then on. This takes
    /// long and uses all threads. Returns its report, or `None` if the scene has no
    /// characters.
    #[cfg(feature = "motion")]
    pub fn plan(&mut self) -> Option<&MotionReport> {
        self.plan_with(&|_| ControlFlow::Continue(()))
    }

    /// The same with progress: `watch` is called at every iteration, and may stop the
    /// search by breaking; the best movement so far is used then.
    #[cfg(feature = "motion")]
    pub fn plan_with(
        &mut self,
        watch: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync),
    ) -> Option<&MotionReport> {
        let movement = self.setup.planner.as_ref()?.plan(watch);
        self.set_movement(&Arc::new(movement));
        self.setup.world.motion.as_ref()?.report()
    }

    /// Plays a movement that was found for this scene before. Returns whether it fits the
    /// scene.
    #[cfg(feature = "motion")]
    pub fn set_movement(&mut self, movement: &Arc<Movement>) -> bool {
        self.setup_mut().set_movement(movement).is_ok()
    }

    /// Records frames in memory from now on, the present one first.
    pub fn record(&mut self) {
        if self.sink.is_none() {
            self.sink = Some(MemorySink::new(&self.scene, &self.setup));
            self.record_frame();
        }
    }

    fn record_frame(&mut self) {
        if let Some(sink) = &mut self.sink {
            match self.log.record(&mut self.setup.world, sink) {
                Ok(()) => {}
                Err(never) => match never {},
            }
        }
    }

    /// The report of what was simulated so far. Energy, intersections and stretch
    /// are those of recorded frames.
    pub fn report(&self) -> Report {
        let whole = self.steps() >= self.setup.schedule.steps;
        let mut report = self
            .log
            .report(&self.setup.world, &self.setup.schedule, !whole);
        report.interrupted = false;
        report
    }

    /// Ends the simulation and returns what was recorded.
    pub fn finish(mut self) -> Run {
        self.record();
        let report = self.report();
        let sink = self.sink.take();
        let sink = sink.unwrap_or_else(|| MemorySink::new(&self.scene, &self.setup));
        Run::new(sink.finish(&self.setup, &report), report)
    }
}

/// A body that is not there in a frame.
pub(crate) fn absent_body() -> BodyFrame {
    BodyFrame {
        position: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        omega_body: DVec3::ZERO,
        status: Status::Removed,
    }
}
