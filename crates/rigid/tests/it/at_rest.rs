//! What lies, slides, rolls and bounces on every kind of ground: planes, boxes and
//! triangle meshes are alike.

use crate::engine::{Heap, at, material};
use crate::random_scenes::grid;
use crate::support::pieces::{Piece, Rng, every_kind};
use conatus_geometry::{Axis, Mesh, Shape};
use conatus_math::{DQuat, DVec3, Pose};
use conatus_rigid::contact::collider::{Collider, ContactMaterial};
use conatus_rigid::{Activity, State};

/// Kinds of ground whose surface is z = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ground {
    Plane,
    Box,
    /// Squares of 0.4 m, each of two triangles.
    Mesh,
    /// Triangles of any shape.
    Irregular,
}

pub const GROUNDS: [Ground; 4] = [Ground::Plane, Ground::Box, Ground::Mesh, Ground::Irregular];

fn irregular() -> Mesh {
    let mut mesh = grid(20.0, 70);
    let mut rng = Rng(9);
    for v in &mut mesh.vertices {
        *v += DVec3::new(rng.within(-0.2, 0.2), rng.within(-0.2, 0.2), 0.0);
    }
    mesh
}

/// Adds ground that is turned about the origin.
pub fn add_ground(heap: &mut Heap, ground: Ground, turn: DQuat, m: ContactMaterial) {
    let mut still = |shape: Shape, pose: Pose| heap.engine.add(Collider::fixed(shape, pose, m));
    let pose = Pose::new(turn, DVec3::ZERO);
    match ground {
        Ground::Plane => heap
            .engine
            .add(Collider::plane(DVec3::ZERO, turn * DVec3::Z, m)),
        Ground::Box => {
            let half_extents = DVec3::new(20.0, 20.0, 1.0);
            let shape = Shape::Box { half_extents };
            still(shape, pose.after(&Pose::shift(DVec3::Z * -1.0)));
        }
        Ground::Mesh => still(Shape::mesh_of(grid(20.0, 100)), pose),
        Ground::Irregular => still(Shape::mesh_of(irregular()), pose),
    }
}

fn add(heap: &mut Heap, piece: &Piece, state: State, m: ContactMaterial) -> usize {
    heap.add(piece.shape.clone(), piece.mass, piece.moments, state, m)
}

#[test]
fn a_box_lies_at_half_its_height_on_every_ground_and_sleeps_with_no_velocity() {
    for ground in GROUNDS {
        for step in [1.0 / 60.0, 1.0 / 240.0] {
            let mut heap = Heap::new(step);
            heap.sleeps = true;
            let m = material(0.0, 0.6);
            add_ground(&mut heap, ground, DQuat::IDENTITY, m);
            let b = heap.add_box(
                DVec3::splat(0.5),
                1000.0,
                at(DVec3::new(0.13, 0.07, 0.5)),
                m,
            );
            let dropped = heap.add_box(
                DVec3::new(0.3, 0.2, 0.5),
                10.0,
                at(DVec3::new(2.13, 1.07, 0.8)),
                m,
            );
            heap.run(3.0);
            for (b, half) in [(b, 0.5), (dropped, 0.5)] {
                let s = heap.bodies.state(b);
                assert!(
                    (s.position.z - half).abs() < 5e-4,
                    "{ground:?}, {step}: {s:?}"
                );
                assert_eq!(
                    heap.bodies.activity(b),
                    Activity::Asleep,
                    "{ground:?}, {step}: {s:?}"
                );
                assert_eq!((s.velocity, s.omega_body), (DVec3::ZERO, DVec3::ZERO));
            }
        }
    }
}

/// On 20° a box with μ = 0.8 stays, and with μ = 0.2 slides with g (sin − μ cos).
#[test]
fn on_a_slope_a_rough_box_stays_and_a_smooth_one_slides_on_every_ground() {
    let angle = 20f64.to_radians();
    for ground in GROUNDS {
        // Rotated about the normal as well, so that edges of meshes are crossed at any angle.
        for about in [0.0, 0.6] {
            let turn = DQuat::from_rotation_y(angle) * DQuat::from_rotation_z(about);
            let along = DQuat::from_rotation_y(angle) * DVec3::X;
            let start = |heap: &mut Heap, mu: f64| {
                let m = material(0.0, mu);
                add_ground(heap, ground, turn, m);
                let mut state = at(DQuat::from_rotation_y(angle) * DVec3::new(-8.0, 0.3, 0.5));
                state.orientation = DQuat::from_rotation_y(angle);
                heap.add_box(DVec3::splat(0.5), 3.0, state, m)
            };
            let mut heap = Heap::new(1.0 / 240.0);
            let b = start(&mut heap, 0.8);
            heap.run(0.1);
            let from = heap.bodies.state(b).position;
            heap.run(10.0);
            let crept = heap.bodies.state(b).position.distance(from);
            let mut heap = Heap::new(1.0 / 240.0);
            let b = start(&mut heap, 0.2);
            heap.run(0.5);
            let early = heap.bodies.state(b).velocity;
            heap.run(2.0);
            let gained = (heap.bodies.state(b).velocity - early).dot(along) / 2.0;
            let expected = 9.81 * (angle.sin() - 0.2 * angle.cos());
            // A box that comes to the next triangle has no impulses there yet.
            let bound = match ground {
                Ground::Mesh | Ground::Irregular => 5e-3,
                _ => 5e-3,
            };
            assert!(crept < 1e-3, "{ground:?}: {crept}");
            assert!(
                (gained / expected - 1.0).abs() < bound,
                "{ground:?}: {gained} {expected}"
            );
        }
    }
}

/// Rolling without slipping down a slope: a = g sin / (1 + I/(m r²)).
#[test]
fn what_is_round_rolls_at_its_radius_on_every_ground() {
    let angle = 5f64.to_radians();
    let cylinder = Shape::Cylinder {
        radius: 0.3,
        height: 0.8,
        axis: Axis::Y,
    };
    let ball = Shape::Sphere { radius: 0.3 };
    let capsule = Shape::Capsule {
        radius: 0.3,
        height: 0.5,
        axis: Axis::Y,
    };
    for ground in GROUNDS {
        for (name, solid) in [
            ("ball", &ball),
            ("cylinder", &cylinder),
            ("capsule", &capsule),
        ] {
            let mut heap = Heap::new(1.0 / 240.0);
            let m = material(0.0, 0.6);
            let turn = DQuat::from_rotation_y(angle);
            add_ground(&mut heap, ground, turn, m);
            let piece = Piece::of_solid("round", solid, 2.0);
            let mut state = at(turn * DVec3::new(-8.0, 0.3, 0.3));
            state.orientation = turn;
            let b = add(&mut heap, &piece, state, m);
            heap.run(0.5);
            let early = heap.bodies.state(b).velocity;
            heap.run(2.0);
            let s = heap.bodies.state(b);
            let along = turn * DVec3::X;
            let gained = (s.velocity - early).dot(along) / 2.0;
            let expected = 9.81 * angle.sin() / (1.0 + piece.moments.y / (piece.mass * 0.09));
            let height = s.position.dot(turn * DVec3::Z);
            assert!(
                (gained / expected - 1.0).abs() < 5e-3,
                "{ground:?}, {name}: {gained} {expected}"
            );
            assert!(
                (s.omega().y * 0.3 - s.velocity.dot(along)).abs() < 2e-3,
                "{ground:?}, {name}"
            );
            assert!((height - 0.3).abs() < 5e-4, "{ground:?}, {name}: {height}");
            assert!(
                s.velocity.y.abs() < 5e-3,
                "{ground:?}, {name}: {}",
                s.velocity
            );
        }
    }
}

/// h₁/h₀ = c² for a ball that falls on ground or on the top of any solid.
#[test]
fn a_ball_bounces_to_the_square_of_its_restitution_on_everything() {
    let mut cases: Vec<(String, Heap, f64)> = Vec::new();
    let m = material(0.8, 0.3);
    for ground in GROUNDS {
        let mut heap = Heap::new(1.0 / 240.0);
        add_ground(&mut heap, ground, DQuat::IDENTITY, m);
        cases.push((format!("{ground:?}"), heap, 0.0));
    }
    for piece in every_kind(1.0) {
        for turn in [
            DQuat::IDENTITY,
            DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
        ] {
            let mut heap = Heap::new(1.0 / 240.0);
            // Its point that is farthest up lies on the z axis.
            let own = turn.conjugate() * DVec3::Z;
            let convex = piece.shape.convex().expect("pieces are convex");
            let top = turn * convex.support(own).0 + DVec3::Z * convex.radius();
            let mut state = at(-top);
            state.orientation = turn;
            let b = add(&mut heap, &piece, state, m);
            heap.bodies.set_activity(b, Activity::Locked);
            cases.push((piece.name.to_string(), heap, 0.0));
        }
    }
    for (name, mut heap, _) in cases {
        let radius = 0.2;
        // A little aside of the corner that supports a flat face.
        let ball = heap.add_ball(radius, 1.0, at(DVec3::Z * (1.0 + radius)), m);
        let mut highest: f64 = 0.0;
        let mut bounced = false;
        for _ in 0..400 {
            heap.step();
            let s = heap.bodies.state(ball);
            bounced |= s.velocity.z > 0.0;
            if bounced {
                highest = highest.max(s.position.z - radius);
            }
            if bounced && s.velocity.z < 0.0 {
                break;
            }
        }
        assert!((highest / 0.64 - 1.0).abs() < 0.01, "{name}: {highest}");
    }
}
