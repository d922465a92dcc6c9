//! Shared by the tests: a small universe, and independent references that are
//! written out plainly rather than taken from the code under test.

// Every test crate uses its own part of this module.
#![allow(dead_code)]

pub mod catalogue;
pub mod elliptic;
pub mod pieces;
pub mod strategies;

use conatus_geometry::Shape;
use conatus_math::{DMat3, DQuat, DVec3, rotation};
use conatus_rigid::contact::{BodyContact, Collider, ContactEngine, ContactMaterial};
use conatus_rigid::forces::{Force, Loads, View};
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, Load, State};

/// The strength of gravity in the tests, m/s².
pub const G: f64 = 9.81;

/// Gravity downwards along z.
pub const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

/// Restitution and friction of a collider.
pub fn material(restitution: f64, friction: f64) -> ContactMaterial {
    ContactMaterial {
        restitution: Some(restitution),
        friction: Some(friction),
        rolling: 0.0,
    }
}

/// Bodies, forces and contacts, stepped in the order of Di Pierro §11.
pub struct Universe {
    pub bodies: Bodies,
    pub forces: Vec<Box<dyn Force>>,
    pub engine: ContactEngine,
    pub integrator: Integrator,
    pub gravity: DVec3,
    pub h: f64,
    pub steps: u64,
    pub contacts: Vec<BodyContact>,
    integration: Integration,
    states: Vec<State>,
}

impl Universe {
    pub fn new(h: f64, gravity: DVec3) -> Self {
        let mut engine = ContactEngine::default();
        engine.between_bodies = true;
        Self {
            bodies: Bodies::new(),
            forces: Vec::new(),
            engine,
            integrator: Integrator::Rk4,
            gravity,
            h,
            steps: 0,
            contacts: Vec::new(),
            integration: Integration::default(),
            states: Vec::new(),
        }
    }

    pub fn add(&mut self, mass: f64, moments: DVec3, state: State) -> usize {
        self.bodies
            .add(Constants::new(mass, moments), state, Activity::Free)
    }

    /// A uniform ball that collides.
    pub fn add_ball(&mut self, mass: f64, radius: f64, c: f64, mu: f64, state: State) -> usize {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        let body = self.add(mass, moments, state);
        self.engine.add(Collider::on_body(
            body,
            Shape::Sphere { radius },
            material(c, mu),
        ));
        body
    }

    pub fn add_floor(&mut self) {
        self.add_plane(DVec3::ZERO, DVec3::Z);
    }

    /// A plane without a material of its own.
    pub fn add_plane(&mut self, point: DVec3, normal: DVec3) {
        let own = ContactMaterial::default();
        self.engine.add(Collider::plane(point, normal, own));
    }

    pub fn push(&mut self, force: impl Force + 'static) {
        self.forces.push(Box::new(force));
    }

    pub fn time(&self) -> f64 {
        self.steps as f64 * self.h
    }

    pub fn state(&self, i: usize) -> State {
        self.bodies.state(i)
    }

    pub fn step(&mut self) {
        self.bodies.gather(&mut self.states);
        let t = self.time();
        self.integration.step(
            &mut self.bodies,
            &mut self.forces,
            self.integrator,
            self.gravity,
            t,
            self.h,
        );
        self.steps += 1;
        if self.engine.is_idle() {
            return;
        }
        self.engine.step(&mut self.bodies, &mut self.states, self.h);
        self.contacts = self.engine.body_contacts().collect();
    }

    pub fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
    }

    /// Kinetic energy and the potentials of gravity and forces.
    pub fn energy(&self) -> f64 {
        let mut states = Vec::new();
        self.bodies.gather(&mut states);
        let view = View::new(&self.bodies, &states);
        let stored: f64 = self
            .forces
            .iter()
            .map(|f| f.potential(self.time(), &view))
            .sum();
        self.bodies.totals().0 + self.bodies.gravity_potential(self.gravity) + stored
    }

    /// The loads on each mover at the present time.
    pub fn loads(&mut self) -> Vec<Load> {
        let t = self.time();
        loads_of(&self.bodies, &mut self.forces, t)
    }
}

/// The loads of `forces` on each mover at time `t`.
pub fn loads_of(bodies: &Bodies, forces: &mut [Box<dyn Force>], t: f64) -> Vec<Load> {
    let mut states = Vec::new();
    bodies.gather(&mut states);
    let mut loads = vec![Load::default(); bodies.len()];
    let view = View::new(bodies, &states);
    for force in forces {
        force.apply(t, &view, &mut Loads::new(&mut loads));
    }
    loads
}

/// A state in which nothing is zero or along an axis.
pub fn general_state() -> State {
    State {
        position: DVec3::new(1.0, -2.0, 3.0),
        velocity: DVec3::new(0.4, 0.5, -0.6),
        orientation: rotation::from_axis_angle(DVec3::new(1.0, 1.0, -0.5), 1.2),
        omega_body: DVec3::new(0.7, -1.1, 0.3),
    }
}

/// At rest at `position`.
pub fn resting(position: DVec3) -> State {
    State {
        position,
        ..State::default()
    }
}

/// At `position` with `velocity`, not turning.
pub fn moving(position: DVec3, velocity: DVec3) -> State {
    State {
        position,
        velocity,
        ..State::default()
    }
}

/// R by turning the three axes with the quaternion, q r q*.
pub fn matrix_by_conjugation(q: DQuat) -> DMat3 {
    let turn = |r: DVec3| {
        let out = q * DQuat::from_xyzw(r.x, r.y, r.z, 0.0) * q.conjugate();
        DVec3::new(out.x, out.y, out.z)
    };
    DMat3::from_cols(turn(DVec3::X), turn(DVec3::Y), turn(DVec3::Z))
}

/// The largest entry of a matrix by size.
pub fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |a, x| x.abs().max(a))
}

/// Asserts that two vectors agree to `tolerance`, absolutely.
#[track_caller]
pub fn assert_near(a: DVec3, b: DVec3, tolerance: f64) {
    assert!((a - b).length() <= tolerance, "{a} is not {b}");
}

/// Asserts that two matrices agree to `tolerance`, entry by entry.
#[track_caller]
pub fn assert_matrix_near(a: DMat3, b: DMat3, tolerance: f64) {
    assert!(largest(a - b) <= tolerance, "{a} is not {b}");
}

/// Asserts that two numbers agree to `tolerance`, relative to the second.
#[track_caller]
pub fn assert_ratio(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs(), "{a} is not {b}");
}
