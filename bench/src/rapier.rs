//! The reference: bodies in rapier3d-f64, which never sleep.

use conatus_math::DVec3;
use conatus_rigid::{Constants, State};
use rapier3d_f64::prelude::*;

/// A world in rapier3d-f64.
pub struct Rapier {
    gravity: Vector,
    parameters: IntegrationParameters,
    pipeline: PhysicsPipeline,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    impulse_joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    handles: Vec<RigidBodyHandle>,
}

impl Rapier {
    /// An empty world with rapier's default settings.
    pub fn empty(gravity: DVec3, h: f64) -> Self {
        Self {
            gravity: vector(gravity),
            parameters: IntegrationParameters {
                dt: h,
                ..Default::default()
            },
            pipeline: PhysicsPipeline::new(),
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies: RigidBodySet::new(),
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles: Vec::new(),
        }
    }

    /// Bodies with the given constants and states, without colliders, and rapier's
    /// default settings, gyroscopic forces included.
    pub fn new(bodies: &[(Constants, State)], gravity: DVec3, h: f64) -> Self {
        let mut rapier = Self::empty(gravity, h);
        for (c, s) in bodies {
            let q = s.orientation;
            let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
            let mass = MassProperties::new(Vector::ZERO, c.mass, vector(c.moments));
            let body = RigidBodyBuilder::dynamic()
                .pose(Pose::from_parts(vector(s.position), rotation))
                .linvel(vector(s.velocity))
                .angvel(vector(s.omega()))
                .additional_mass_properties(mass)
                .can_sleep(false);
            rapier.add_body(body);
        }
        rapier
    }

    /// Adds a body and returns its handle.
    pub fn add_body(&mut self, body: RigidBodyBuilder) -> RigidBodyHandle {
        let handle = self.bodies.insert(body);
        self.handles.push(handle);
        handle
    }

    /// Fixes a collider to a body.
    pub fn add_collider(&mut self, collider: ColliderBuilder, body: RigidBodyHandle) {
        self.colliders
            .insert_with_parent(collider, body, &mut self.bodies);
    }

    /// Adds a collider that never moves. Its body has no number.
    pub fn add_fixed(&mut self, collider: ColliderBuilder) {
        let body = self.bodies.insert(RigidBodyBuilder::fixed());
        self.add_collider(collider, body);
    }

    /// Joins two bodies, given by their numbers.
    pub fn add_joint(&mut self, bodies: [usize; 2], joint: impl Into<GenericJoint>) {
        let [a, b] = bodies.map(|i| self.handles[i]);
        self.impulse_joints.insert(a, b, joint, true);
    }

    /// Sets the number of substeps of a step.
    pub fn set_substeps(&mut self, substeps: usize) {
        self.parameters.num_solver_iterations = substeps;
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// One step.
    pub fn step(&mut self) {
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    /// The state of body `i` in our types.
    pub fn state(&self, i: usize) -> State {
        let body = &self.bodies[self.handles[i]];
        let q = body.rotation();
        let ours = |v: Vector| DVec3::new(v.x, v.y, v.z);
        let mut state = State {
            position: ours(body.translation()),
            velocity: ours(body.linvel()),
            orientation: conatus_math::DQuat::from_xyzw(q.x, q.y, q.z, q.w),
            omega_body: DVec3::ZERO,
        };
        state.omega_body = state.rotation().transpose() * ours(body.angvel());
        state
    }
}

/// Our vector as rapier's, which comes from another version of glam.
pub fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}
