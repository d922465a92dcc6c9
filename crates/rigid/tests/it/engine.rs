//! Contacts of true shapes: what rests, slides, rolls and bounces.

use conatus_geometry::{Axis, Shape};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_rigid::contact::collider::{Collider, ContactMaterial};
use conatus_rigid::contact::{ContactEngine, ScriptedMotion};
use conatus_rigid::{Activity, Bodies, Constants, Integration, Integrator, MassProperties, State};

const DOWN: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Bodies that collide, and the world around them.
pub struct Heap {
    pub bodies: Bodies,
    pub engine: ContactEngine,
    integration: Integration,
    before: Vec<State>,
    pub gravity: DVec3,
    pub h: f64,
    steps: u64,
    /// Whether bodies at rest fall asleep.
    pub sleeps: bool,
}

pub fn material(restitution: f64, friction: f64) -> ContactMaterial {
    ContactMaterial {
        restitution: Some(restitution),
        friction: Some(friction),
        rolling: 0.0,
    }
}

impl Heap {
    pub fn new(h: f64) -> Self {
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
            sleeps: false,
        }
    }

    pub fn add(
        &mut self,
        shape: Shape,
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

    pub fn add_box(&mut self, half: DVec3, mass: f64, state: State, m: ContactMaterial) -> usize {
        let s = half * half;
        let moments = DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y) * (mass / 3.0);
        self.add(Shape::Box { half_extents: half }, mass, moments, state, m)
    }

    pub fn add_ball(&mut self, radius: f64, mass: f64, state: State, m: ContactMaterial) -> usize {
        let moments = DVec3::splat(0.4 * mass * radius * radius);
        self.add(Shape::Sphere { radius }, mass, moments, state, m)
    }

    pub fn floor(&mut self, m: ContactMaterial) {
        self.engine
            .colliders
            .push(Collider::plane(DVec3::ZERO, DVec3::Z, m));
    }

    pub fn step(&mut self) {
        self.bodies.gather_awake(&mut self.before);
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
        self.engine.gravity = self.gravity;
        self.engine.step(&mut self.bodies, &mut self.before, self.h);
        if self.sleeps {
            self.engine.let_sleep(&mut self.bodies, |_| false, self.h);
        }
        self.steps += 1;
    }

    pub fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.h).round() as usize {
            self.step();
        }
    }

    pub fn energy(&self) -> f64 {
        self.bodies.totals().0 + self.bodies.gravity_potential(self.gravity)
    }
}

pub fn at(position: DVec3) -> State {
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
fn solids() -> Vec<Shape> {
    let axis = Axis::Z;
    vec![
        Shape::Sphere { radius: 0.4 },
        Shape::Box {
            half_extents: DVec3::new(0.3, 0.4, 0.5),
        },
        Shape::Capsule {
            radius: 0.25,
            height: 0.6,
            axis,
        },
        Shape::Cylinder {
            radius: 0.35,
            height: 0.7,
            axis,
        },
        Shape::Cone {
            radius: 0.4,
            height: 0.9,
            axis,
        },
        Shape::Ellipsoid {
            semi_axes: DVec3::new(0.5, 0.3, 0.4),
        },
    ]
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
                    let moments = MassProperties::of_shape(solid, 1.0 + k as f64)
                        .unwrap()
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
                    heap.add(solid.clone(), mass, moments, state, material(e, mu));
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

#[test]
fn a_heavy_box_rests_on_a_light_one_and_a_light_one_on_a_heavy_one() {
    for masses in [[1.0, 1000.0], [1000.0, 1.0]] {
        let mut heap = Heap::new(1.0 / 240.0);
        heap.floor(material(0.0, 0.6));
        let boxes: Vec<usize> = (0..2)
            .map(|k| {
                let state = at(DVec3::Z * (0.5 + k as f64));
                heap.add_box(DVec3::splat(0.5), masses[k], state, material(0.0, 0.6))
            })
            .collect();
        heap.run(5.0);
        let middle: Vec<State> = boxes.iter().map(|&b| heap.bodies.state(b)).collect();
        heap.run(5.0);
        for (k, &b) in boxes.iter().enumerate() {
            let s = heap.bodies.state(b);
            // The contact of a heavy body is as soft as the light one makes it.
            let moved = s.position - DVec3::Z * (0.5 + k as f64);
            assert!(moved.length() < 0.025, "{masses:?}, box {k}: {moved}");
            let later = s.position.distance(middle[k].position);
            assert!(later < 1e-6, "{masses:?}, box {k}: {later}");
            assert!(s.velocity.length() < 1e-6, "{masses:?}, box {k}");
        }
    }
}

/// h₁ / h₀ = c² for a ball that falls on a face of any shape.
#[test]
fn a_ball_bounces_to_the_square_of_its_restitution_on_every_shape() {
    for solid in solids() {
        let mut heap = Heap::new(1.0 / 240.0);
        let ground = heap.add(
            solid.clone(),
            1.0,
            DVec3::ONE,
            State::default(),
            material(0.8, 0.0),
        );
        heap.bodies.set_activity(ground, Activity::Locked);
        let convex = solid.convex().unwrap();
        let top = convex.support(DVec3::Z).0;
        // Above the top of the shape, where its normal is vertical.
        let height = top.z + convex.radius();
        let start = DVec3::new(top.x, top.y, height + 0.2 + 1.0);
        let ball = heap.add_ball(0.2, 1.0, at(start), material(0.8, 0.0));
        let mut highest: f64 = 0.0;
        let mut fell = false;
        for _ in 0..400 {
            heap.step();
            let s = heap.bodies.state(ball);
            fell |= s.velocity.z > 0.0;
            if fell {
                highest = highest.max(s.position.z - height - 0.2);
            }
            if fell && s.velocity.z < 0.0 {
                break;
            }
        }
        assert!((highest - 0.64).abs() < 0.0064, "{solid:?}: {highest}");
    }
}

/// A cylinder that is pushed off on a rough floor rolls: its centre moves as fast as its
/// rim turns, and stays one radius above the floor.
#[test]
fn a_cylinder_rolls_at_its_radius() {
    let (radius, half_height) = (0.3, 0.4);
    let mut heap = Heap::new(1.0 / 240.0);
    heap.floor(material(0.0, 0.5));
    let mass = 2.0;
    let across = mass * (radius * radius / 4.0 + half_height * half_height / 3.0);
    let moments = DVec3::new(across, 0.5 * mass * radius * radius, across);
    let shape = Shape::Cylinder {
        radius,
        height: 2.0 * half_height,
        axis: Axis::Y,
    };
    let mut state = at(DVec3::Z * radius);
    state.velocity = DVec3::X * 1.5;
    let cylinder = heap.add(shape, mass, moments, state, material(0.0, 0.5));
    heap.run(3.0);
    let s = heap.bodies.state(cylinder);
    // Two thirds of the speed are left when sliding ends.
    assert!((s.velocity.x - 1.0).abs() < 0.01, "{}", s.velocity);
    assert!((s.omega().y * radius - s.velocity.x).abs() < 1e-3);
    assert!((s.position.z - radius).abs() < 5e-4);
    assert!(s.position.y.abs() < 1e-3);
}

/// Sliding on a tilted box is as on a tilted plane: g (sin − μ cos).
#[test]
fn a_box_slides_down_a_tilted_box_as_down_a_plane() {
    let angle = 20f64.to_radians();
    let turn = DQuat::from_rotation_y(angle);
    for (friction, expected) in [(0.8, 0.0), (0.2, 9.81 * (angle.sin() - 0.2 * angle.cos()))] {
        let mut heap = Heap::new(1.0 / 240.0);
        let mut slope = at(DVec3::ZERO);
        slope.orientation = turn;
        let half = DVec3::new(20.0, 5.0, 0.5);
        let ground = heap.add_box(half, 1.0, slope, material(0.0, friction));
        heap.bodies.set_activity(ground, Activity::Locked);
        let mut state = at(turn * DVec3::new(-15.0, 0.0, 1.0));
        state.orientation = turn;
        let b = heap.add_box(DVec3::splat(0.5), 3.0, state, material(0.0, friction));
        let along = turn * DVec3::X;
        heap.run(0.5);
        let early = heap.bodies.state(b);
        heap.run(1.0);
        let late = heap.bodies.state(b);
        let acceleration = (late.velocity - early.velocity).dot(along);
        if expected == 0.0 {
            heap.run(8.5);
            let crept = (heap.bodies.state(b).position - early.position).length();
            assert!(crept < 1e-3, "{crept}");
        } else {
            let error = acceleration / expected - 1.0;
            assert!(error.abs() < 5e-3, "{acceleration} instead of {expected}");
        }
    }
}

/// A platform that the scene moves carries a box by friction and lifts it, and a turning
/// one takes it around.
#[test]
fn a_scripted_platform_carries_a_box() {
    let h = 1.0 / 240.0;
    let pose = |t: f64| {
        let turn = DQuat::from_rotation_z(0.5 * t);
        Pose::new(turn, DVec3::new(0.4 * t, 0.0, 0.3 * t))
    };
    let mut heap = Heap::new(h);
    let platform = Shape::Box {
        half_extents: DVec3::new(1.0, 1.0, 0.1),
    };
    heap.engine.colliders.push(Collider::scripted(
        0,
        platform,
        Pose::IDENTITY,
        material(0.0, 0.8),
    ));
    let start = DVec3::new(0.3, 0.2, 0.2);
    let mut state = at(start);
    state.velocity = DVec3::new(0.4 - 0.1, 0.15, 0.3);
    state.omega_body = DVec3::Z * 0.5;
    let b = heap.add_box(DVec3::splat(0.1), 2.0, state, material(0.0, 0.8));
    for k in 0..480 {
        let t = f64::from(k) * h;
        heap.engine.scripted = vec![ScriptedMotion::between(pose(t), pose(t + h), h)];
        heap.step();
    }
    let s = heap.bodies.state(b);
    let expected = pose(2.0).point(start);
    assert!(
        s.position.distance(expected) < 2e-3,
        "{} {expected}",
        s.position
    );
    let speed =
        DVec3::new(0.4, 0.0, 0.3) + (DVec3::Z * 0.5).cross(expected - pose(2.0).translation);
    assert!(s.velocity.distance(speed) < 2e-2, "{} {speed}", s.velocity);
}
