//! The world: bodies, forces, constraints and scheduled commands (Di Pierro's
//! `Universe`).

use crate::cloth::ClothWorld;
use crate::command::{Command, Due};
use crate::later::{LaterBody, LaterJoint};
use crate::motion::MotionWorld;
use conatus_math::{DVec3, Pose};
use conatus_record::{BodyFrame, ContactFrame, Event, Frame, Status, Totals};
use conatus_rigid::contact::{BodyContact, Collider, ContactEngine, TouchTracker};
use conatus_rigid::forces::{Force, PointerSpring, View};
use conatus_rigid::joint::MotorTarget;
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, Joint, State};
use std::collections::{BTreeMap, VecDeque};

/// Identifies a force of a world, for as long as it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForceId(u64);

/// Everything that moves and everything that makes it move.
///
/// ```
/// use conatus_math::DVec3;
/// use conatus_rigid::{Constants, State};
/// use conatus_world::World;
///
/// let mut world = World::new(0.01);
/// let ball = world.add_body("ball", Constants::new(1.0, DVec3::splat(0.1)), State::default());
/// for _ in 0..100 {
///     world.step();
/// }
/// assert!((world.bodies.state(ball).position.z + 0.5 * 9.81).abs() < 1e-12);
/// ```
pub struct World {
    /// The bodies.
    pub bodies: Bodies,
    /// Their names, in the same order.
    pub names: Vec<String>,
    /// The forces besides gravity and automatic damping.
    pub(crate) forces: Vec<Box<dyn Force>>,
    /// The identifiers of the forces, in the same order.
    pub(crate) force_ids: Vec<ForceId>,
    pub(crate) next_force_id: u64,
    /// What collides, and the contacts of the last step.
    pub contact_engine: ContactEngine,
    /// The names of the joints, in the order of the engine's.
    pub joint_names: Vec<String>,
    /// The names of groups of colliders, in the order of their bits.
    pub group_names: Vec<String>,
    /// The names of colliders that are on no body.
    pub(crate) collider_names: BTreeMap<u32, String>,
    /// Whether bodies that touch become one.
    pub sticky: bool,
    /// The acceleration of gravity.
    pub gravity: DVec3,
    /// How steps are integrated.
    pub integrator: Integrator,
    /// Cloth and the obstacles that it collides with.
    pub cloth: Option<ClothWorld>,
    /// Characters and their movement.
    pub motion: Option<MotionWorld>,
    pub(crate) h: f64,
    pub(crate) steps: u64,
    pub(crate) due: VecDeque<Due>,
    pub(crate) inputs: VecDeque<(u64, Command)>,
    pub(crate) pointer_springs: Vec<(u32, PointerSpring)>,
    pub(crate) integration: Integration,
    pub(crate) before: Vec<State>,
    pub(crate) valid_states: Vec<State>,
    pub(crate) events: Vec<Event>,
    pub(crate) deepest: f64,
    /// Bodies and joints that commands add.
    pub(crate) later_bodies: Vec<LaterBody>,
    pub(crate) later_joints: Vec<LaterJoint>,
    /// What begins and ends to touch.
    pub(crate) touches: TouchTracker,
    /// Whether that is recorded as events.
    pub(crate) record_touches: bool,
}

impl World {
    /// An empty world whose steps take `h` seconds, with the defaults of scene
    /// files: gravity of 9.81 m/s² along −z, and bodies that collide.
    pub fn new(h: f64) -> Self {
        let mut contact_engine = ContactEngine::default();
        contact_engine.between_bodies = true;
        Self {
            bodies: Bodies::new(),
            names: Vec::new(),
            forces: Vec::new(),
            force_ids: Vec::new(),
            next_force_id: 0,
            contact_engine,
            joint_names: Vec::new(),
            group_names: Vec::new(),
            collider_names: BTreeMap::new(),
            sticky: false,
            gravity: DVec3::Z * -9.81,
            integrator: Integrator::default(),
            cloth: None,
            motion: None,
            h,
            steps: 0,
            due: VecDeque::new(),
            inputs: VecDeque::new(),
            pointer_springs: Vec::new(),
            integration: Integration::default(),
            before: Vec::new(),
            valid_states: Vec::new(),
            events: Vec::new(),
            deepest: 0.0,
            later_bodies: Vec::new(),
            later_joints: Vec::new(),
            touches: TouchTracker::default(),
            record_touches: false,
        }
    }

    /// Adds a body that is free to move and returns its index.
    pub fn add_body(&mut self, name: &str, constants: Constants, state: State) -> usize {
        self.names.push(name.to_owned());
        self.valid_states.push(state);
        self.bodies.add(constants, state, Activity::Free)
    }

    /// Adds a force.
    pub fn add_force(&mut self, force: impl Force + 'static) -> ForceId {
        self.add_boxed_force(Box::new(force))
    }

    pub(crate) fn add_boxed_force(&mut self, force: Box<dyn Force>) -> ForceId {
        let id = ForceId(self.next_force_id);
        self.next_force_id += 1;
        self.wake_all();
        self.forces.push(force);
        self.force_ids.push(id);
        id
    }

    /// Removes a force; whether it was there.
    pub fn remove_force(&mut self, id: ForceId) -> bool {
        let Some(k) = self.force_ids.iter().position(|&other| other == id) else {
            return false;
        };
        self.wake_all();
        self.force_ids.remove(k);
        self.forces.remove(k);
        true
    }

    /// Wakes all bodies that are asleep.
    pub fn wake_all(&mut self) {
        self.contact_engine.wake_all(&mut self.bodies);
    }

    /// Wakes a body and those that it touches or is joined to.
    pub fn wake(&mut self, body: usize) {
        self.contact_engine.wake_body(&mut self.bodies, body);
    }

    /// Whether a body is asleep: at rest, until something wakes it.
    pub fn is_asleep(&self, body: usize) -> bool {
        self.bodies.activity(self.bodies.mount(body).mover) == Activity::Asleep
    }

    /// Whether a body was removed.
    pub fn is_removed(&self, body: usize) -> bool {
        let mover = self.bodies.mount(body).mover;
        self.bodies.activity(mover) == Activity::Removed
    }

    /// How many forces there are besides gravity and automatic damping.
    pub fn force_count(&self) -> usize {
        self.forces.len()
    }

    /// The points of the last step where bodies touched each other or what never
    /// moves.
    pub fn contacts(&self) -> impl Iterator<Item = BodyContact> + '_ {
        self.contact_engine.body_contacts()
    }

    /// Adds a shape that collides, on a body or fixed in the world.
    pub fn add_collider(&mut self, collider: Collider) {
        self.contact_engine.add(collider);
        self.wake_all();
    }

    /// Joins two bodies, or a body to the world, and returns the index of the joint.
    pub fn add_joint(&mut self, name: &str, joint: Joint) -> usize {
        self.joint_names.push(name.to_owned());
        self.contact_engine.joints.push(joint);
        self.joint_names.len() - 1
    }

    /// The joints, in the order of their names.
    pub fn joints(&self) -> &[Joint] {
        &self.contact_engine.joints
    }

    /// A joint by its name, to change it.
    pub fn joint_mut(&mut self, name: &str) -> Option<&mut Joint> {
        let at = self.joint_names.iter().position(|n| n == name)?;
        self.contact_engine.joints.get_mut(at)
    }

    /// Gives the motor of a joint another target; `steering` names the one that steers a
    /// wheel. Returns false if there is no such joint.
    pub fn set_motor(&mut self, name: &str, steering: bool, target: MotorTarget) -> bool {
        self.wake_all();
        let joint = self.joint_mut(name);
        joint
            .map(|joint| joint.set_motor_target(steering, target))
            .is_some()
    }

    /// Breaks a joint. Returns false if there is no such joint.
    pub fn break_joint(&mut self, name: &str) -> bool {
        self.wake_all();
        let Some(k) = self.joint_names.iter().position(|n| n == name) else {
            return false;
        };
        if !std::mem::replace(&mut self.contact_engine.joints[k].broken, true) {
            self.log_break(k);
        }
        true
    }

    /// The poses of the two frames of a joint in the world.
    pub fn joint_frames(&self, joint: &Joint) -> [Pose; 2] {
        [0, 1].map(|side| match joint.bodies[side] {
            Some(body) => self.bodies.state(body).pose().after(&joint.frames[side]),
            None => joint.frames[side],
        })
    }

    /// The energy in the springs of joints.
    fn joint_potential(&self) -> f64 {
        let energy = |joint: &Joint| {
            let [a, b] = self.joint_frames(joint);
            joint.potential(&a, &b)
        };
        self.joints().iter().map(energy).sum()
    }

    /// Schedules a command for the step that begins nearest to `time`. Commands of
    /// one step are executed in the order given.
    pub fn command(&mut self, time: f64, command: Command) {
        let due = Due { time, command };
        let place = self.due.partition_point(|d| d.time <= time);
        self.due.insert(place, due);
    }

    /// The size of a step in seconds.
    pub fn step_seconds(&self) -> f64 {
        self.h
    }

    /// Steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Seconds since the start: the number of steps times their size, so that
    /// rounding does not add up.
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.h
    }

    /// Energy and momenta of all bodies and cloth.
    pub fn totals(&self) -> Totals {
        let (kinetic, momentum, angular_momentum) = self.bodies.totals();
        let mut states = Vec::new();
        self.bodies.gather(&mut states);
        let view = View::new(&self.bodies, &states);
        let hands = self
            .pointer_springs
            .iter()
            .map(|(_, hand)| hand as &dyn Force);
        let of_forces: f64 = self
            .forces
            .iter()
            .map(|f| &**f)
            .chain(hands)
            .map(|f| f.potential(self.time(), &view))
            .sum();
        let mut totals = Totals {
            kinetic,
            potential: self.bodies.gravity_potential(self.gravity)
                + of_forces
                + self.joint_potential(),
            momentum,
            angular_momentum,
            max_penetration: self.deepest,
        };
        if let Some(cloth) = &self.cloth {
            let (kinetic, potential, momentum, angular_momentum) = cloth.totals(self.gravity);
            totals.kinetic += kinetic;
            totals.potential += potential;
            totals.momentum += momentum;
            totals.angular_momentum += angular_momentum;
        }
        totals
    }

    /// Whether the cloth has halted: no valid step was found.
    pub fn is_halted(&self) -> bool {
        self.cloth.as_ref().is_some_and(ClothWorld::is_halted)
    }

    /// A message that says why the cloth has halted.
    pub fn cloth_failure(&self) -> Option<String> {
        self.cloth.as_ref()?.failure_message()
    }

    /// The events since the last call, in order.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The present state for the recording. Resets the largest penetration.
    pub fn frame(&mut self) -> Frame {
        let frame = Frame {
            time: self.time(),
            step: self.steps,
            totals: self.totals(),
            bodies: (0..self.bodies.len())
                .map(|i| self.body_frame(i))
                .chain(self.obstacle_frames())
                .chain(self.part_frames())
                .collect(),
            contacts: self
                .contacts()
                .map(|c| ContactFrame {
                    point: c.point,
                    impulse: c.impulse,
                    penetration: c.penetration,
                })
                .chain(self.character_contacts())
                .collect(),
            cloth: match &self.cloth {
                Some(cloth) => cloth.positions().to_vec(),
                None => Vec::new(),
            },
        };
        self.deepest = 0.0;
        self.bodies.gather(&mut self.valid_states);
        frame
    }

    /// Obstacles are recorded as bodies that move as the scene says.
    fn obstacle_frames(&self) -> impl Iterator<Item = BodyFrame> + '_ {
        let t = self.time();
        let poses = self.cloth.iter().flat_map(move |c| c.obstacle_poses(t));
        poses.map(|pose| BodyFrame {
            position: pose.translation,
            orientation: pose.rotation,
            velocity: DVec3::ZERO,
            omega_body: DVec3::ZERO,
            status: Status::Scripted,
        })
    }

    /// The parts of characters are recorded as scripted bodies too.
    fn part_frames(&self) -> Vec<BodyFrame> {
        let time = self.scripted_time();
        (self.motion.as_ref()).map_or(Vec::new(), |motion| motion.parts(time))
    }

    /// The contact forces of characters.
    fn character_contacts(&self) -> Vec<ContactFrame> {
        let time = self.scripted_time();
        let contacts = self.motion.as_ref().map(|m| m.contacts(time, self.h));
        contacts.unwrap_or_default()
    }

    /// The time of scripted motion. It stops where the cloth has halted.
    fn scripted_time(&self) -> f64 {
        let stopped = self.cloth.as_ref().and_then(ClothWorld::stopped);
        stopped.unwrap_or_else(|| self.time())
    }

    /// Whether only characters move, so that a run takes almost no time.
    pub fn is_scripted(&self) -> bool {
        self.bodies.is_empty() && self.cloth.is_none()
    }

    fn body_frame(&self, i: usize) -> BodyFrame {
        let mount = self.bodies.mount(i);
        let state = self.bodies.state(i);
        let status = match self.bodies.activity(mount.mover) {
            Activity::Locked => Status::Locked,
            Activity::Quarantined => Status::Quarantined,
            Activity::Removed => Status::Removed,
            _ if mount.pose.is_some() => Status::Merged,
            Activity::Asleep => Status::Asleep,
            _ => Status::Free,
        };
        BodyFrame {
            position: state.position,
            orientation: state.orientation,
            velocity: state.velocity,
            omega_body: state.omega_body,
            status,
        }
    }
}
