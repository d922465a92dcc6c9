//! The reference: bodies in rapier3d-f64, without colliders or sleeping.

use conatus_math::DVec3;
use conatus_rigid::{Constants, State};
use rapier3d_f64::prelude::*;

/// A world of free bodies in rapier3d-f64.
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
    /// Bodies with the given constants and states, and rapier's default
    /// settings, gyroscopic forces included.
    pub fn new(bodies: &[(Constants, State)], gravity: DVec3, h: f64) -> Self {
        let mut set = RigidBodySet::new();
        let handles = bodies
            .iter()
            .map(|(c, s)| {
                let q = s.orientation;
                let rotation = Rotation::from_xyzw(q.x, q.y, q.z, q.w);
                let mass = MassProperties::new(Vector::ZERO, c.mass, vector(c.moments));
                let body = RigidBodyBuilder::dynamic()
                    .pose(Pose::from_parts(vector(s.position), rotation))
                    .linvel(vector(s.velocity))
                    .angvel(vector(s.omega()))
                    .additional_mass_properties(mass)
                    .can_sleep(false);
                set.insert(body)
            })
            .collect();
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
            bodies: set,
            colliders: ColliderSet::new(),
            impulse_joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies: SoftBodySet::new(),
            ccd: CCDSolver::new(),
            handles,
        }
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
fn vector(v: DVec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}
