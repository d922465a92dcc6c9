//! Contacts of true shapes: what rests, slides, rolls and bounces.

use conatus_geometry::convex::Convex;
use conatus_geometry::{Axis, Solid};
use conatus_math::{DQuat, DVec3};
use conatus_rigid::contact::collider::{Collider, ContactMaterial};
use conatus_rigid::contact::engine::ContactEngine;
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, MassProperties, State};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

struct Heap {
    bodies: Bodies,
    engine: ContactEngine,
    integration: Integration,
    before: Vec<State>,
    gravity: DVec3,
    h: f64,
    steps: u64,
}

fn material(restitution: f64, friction: f64) -> ContactMaterial {
    ContactMaterial {
        restitution: Some(restitution),
        friction: Some(friction),
        rolling: 0.0,
    }
}

impl Heap {
    fn new(h: f64) -> Self {
        let mut engine = ContactEngine::default();
        engine.between_bodies = true;
        Self {
            bodies: Bodies::new(),
            engine,
            integration: Integration::default(),
            before: Vec::new(),
            gravity: DOWN,
            h,
            steps: 0,
        }
    }

    fn add(
        &mut self,
        shape: Convex,
        mass: f64,
        moments: DVec3,
        state: State,
        m: ContactMaterial,
    ) -> usize {
        let body = self
            .bodies
            .add(Constants::new(mass, moments), state, Activity::Free);
        self.engine
            .colliders
            .push(Collider::on_body(body, shape, m));
        body
    }

    fn add_box(&mut self, half: DVec3, mass: f64, state: State, m: ContactMaterial) -> usize {
        let s = half * half;
        let moments = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0);
        self.add(Convex::Box { half_extents: half }, mass, moments, state, m)
    }

    fn add_ball(&mut self, radius: f64, mass: f64, state: State, m: ContactMaterial) -> usize {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        self.add(Convex::Sphere { radius }, mass, moments, state, m)
    }

    fn floor(&mut self, m: ContactMaterial) {
        self.engine
            .colliders
            .push(Collider::plane(DVec3::ZERO, DVec3::Z, m));
    }

    fn step(&mut self) {
        self.bodies.gather(&mut self.before);
        let t = self.steps as f64 * self.h;
        let mut none = Vec::new();
        self.integration.step(
            &mut self.bodies,
            &mut none,
            Integrator::Rk4,
            self.gravity,
            t,
            self.h,
        );
        self.engine.step(&mut self.bodies, &self.before, self.h);
        self.steps += 1;
    }

    fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.h).round() as usize {
            self.step();
        }
    }

    fn energy(&self) -> f64 {
        self.bodies.totals().0 + self.bodies.gravity_potential(self.gravity)
    }
}

fn at(position: DVec3) -> State {
    State {
        position,
        ..State::default()
    }
}

#[test]
fn a_box_lies_on_a_plane_at_half_its_height() {
    let mut heap = Heap::new(1.0 / 60.0);
    heap.floor(material(0.0, 0.6));
    let b = heap.add_box(
        DVec3::splat(0.5),
        1000.0,
        at(DVec3::Z * 0.5),
        material(0.0, 0.6),
    );
    heap.run(5.0);
    let s = heap.bodies.state(b);
    println!("{s:?}");
    assert!((s.position.z - 0.5).abs() < 5e-4);
    assert!(s.velocity.length() < 1e-3);
    assert!(s.orientation.angle_between(DQuat::IDENTITY) < 1e-6);
}

#[test]
fn ten_boxes_stand_on_each_other() {
    let mut heap = Heap::new(1.0 / 240.0);
    heap.floor(material(0.0, 0.6));
    for k in 0..10 {
        heap.add_box(
            DVec3::splat(0.5),
            1.0,
            at(DVec3::Z * (0.5 + f64::from(k))),
            material(0.0, 0.6),
        );
    }
    heap.run(10.0);
    for k in 0..10 {
        let s = heap.bodies.state(k);
        println!("{k}: {} {}", s.position, s.velocity.length());
        let off = s.position - DVec3::Z * (0.5 + k as f64);
        assert!(off.length() < 3e-3, "{k}: {off}");
    }
}

#[test]
fn a_rough_box_stays_on_a_slope_and_a_smooth_one_slides() {
    for (mu, slides) in [(0.8, false), (0.2, true)] {
        let mut heap = Heap::new(1.0 / 120.0);
        let angle = 20f64.to_radians();
        heap.gravity = DVec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
        heap.floor(material(0.0, mu));
        let b = heap.add_box(
            DVec3::splat(0.5),
            2.0,
            at(DVec3::Z * 0.5),
            material(0.0, mu),
        );
        heap.run(2.0);
        let s = heap.bodies.state(b);
        println!("{mu}: {} {}", s.position, s.velocity);
        if slides {
            let expected = 9.81 * (angle.sin() - mu * angle.cos()) * 2.0;
            assert!((s.velocity.x / expected - 1.0).abs() < 5e-3);
        } else {
            assert!(s.position.x.abs() < 1e-4);
        }
    }
}

#[test]
fn an_elastic_ball_keeps_its_energy_and_a_duller_one_its_height() {
    for e in [1.0, 0.8] {
        let mut heap = Heap::new(1.0 / 120.0);
        heap.floor(material(e, 0.0));
        let b = heap.add_ball(0.1, 1.0, at(DVec3::Z * 1.1), material(e, 0.0));
        let start = heap.energy() - 9.81 * 0.1;
        let mut top: f64 = 0.0;
        let mut bounced = false;
        for _ in 0..120 * 10 {
            heap.step();
            let s = heap.bodies.state(b);
            if s.velocity.z > 0.0 {
                bounced = true;
            }
            if bounced && e < 1.0 && heap.steps < 120 {
                top = top.max(s.position.z - 0.1);
            }
        }
        let end = heap.energy() - 9.81 * 0.1;
        println!("{e}: energy {start} to {end}, top {top}");
        if e == 1.0 {
            assert!((end / start - 1.0).abs() < 1e-3);
        } else {
            assert!((top - 0.64).abs() < 0.0064);
        }
    }
}

/// Solids of every kind, each with about the same size.
fn solids() -> Vec<Solid> {
    let axis = Axis::Z;
    vec![
        Solid::Sphere { radius: 0.4 },
        Solid::Box {
            half_extents: DVec3::new(0.3, 0.4, 0.5),
        },
        Solid::Capsule {
            radius: 0.25,
            height: 0.6,
            axis,
        },
        Solid::Cylinder {
            radius: 0.35,
            height: 0.7,
            axis,
        },
        Solid::Cone {
            radius: 0.4,
            height: 0.9,
            axis,
        },
        Solid::Ellipsoid {
            semi_axes: DVec3::new(0.5, 0.3, 0.4),
        },
    ]
}

fn convex(solid: &Solid) -> Convex {
    match *solid {
        Solid::Sphere { radius } => Convex::Sphere { radius },
        Solid::Box { half_extents } => Convex::Box { half_extents },
        Solid::Capsule { radius, height, .. } => Convex::Capsule {
            half: DVec3::Z * (0.5 * height),
            radius,
        },
        Solid::Cylinder { radius, height, .. } => Convex::Cylinder {
            axis: DVec3::Z,
            radius,
            half_height: 0.5 * height,
        },
        Solid::Cone { radius, height, .. } => Convex::Cone {
            axis: DVec3::Z,
            radius,
            base_and_tip: [-0.25 * height, 0.75 * height],
        },
        Solid::Ellipsoid { semi_axes } => Convex::Ellipsoid { semi_axes },
    }
}

/// Two solids of any kind meet in space, obliquely and spinning. Momentum and angular
/// momentum stay; energy stays if they are smooth and elastic, and never grows.
#[test]
fn impacts_of_all_pairs_of_shapes_keep_the_conserved_quantities() {
    let mut impacts = 0;
    let mut worst: f64 = 0.0;
    for (i, first) in solids().iter().enumerate() {
        for (j, second) in solids().iter().enumerate() {
            for (e, mu) in [(1.0, 0.0), (0.5, 0.0), (0.6, 0.4)] {
                let mut heap = Heap::new(0.002);
                heap.gravity = DVec3::ZERO;
                for (k, solid) in [first, second].into_iter().enumerate() {
                    let side = if k == 0 { -1.0 } else { 1.0 };
                    let seed = (i * 7 + j * 3 + k) as f64;
                    let axis = DVec3::new(seed.sin(), 1.0, (2.0 * seed).cos()).normalize();
                    let moments = MassProperties::of_solid(solid, 1.0 + k as f64)
                        .diagonalise()
                        .moments;
                    // The mesh's principal axes are those of the solid in this list.
                    let state = State {
                        position: DVec3::new(0.8 * side, 0.1 * side, 0.05 * side),
                        velocity: DVec3::new(-3.0 * side, 0.4, 0.2 * side),
                        orientation: DQuat::from_axis_angle(axis, seed),
                        omega_body: DVec3::new(0.7, -1.1, 0.4) * side,
                    };
                    let mass = 1.0 + k as f64;
                    heap.add(convex(solid), mass, moments, state, material(e, mu));
                }
                let before = heap.bodies.totals();
                heap.run(0.4);
                let after = heap.bodies.totals();
                let turned = heap.bodies.state(0).velocity.x < 2.9;
                impacts += usize::from(turned);
                let name = format!("{first:?} and {second:?}, {e}, {mu}");
                assert!((after.1 - before.1).length() < 1e-11, "{name}");
                let turned = (after.2 - before.2).length();
                worst = worst.max(turned);
                assert!(after.0 <= before.0 * (1.0 + 1e-6), "{name}");
                if e == 1.0 {
                    assert!((after.0 / before.0 - 1.0).abs() < 1e-6, "{name}");
                }
            }
        }
    }
    assert!(impacts > 100, "{impacts}");
    // Round solids touch to about 1e-8 m, over which friction has a lever.
    assert!(worst < 1e-7, "{worst}");
}
