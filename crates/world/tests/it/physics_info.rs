//! The header of a recording lists what really collides, and the joints as the world has
//! them.

use crate::support::{built_in, from_text};
use conatus_geometry::{HalfSpace, Shape};
use conatus_math::DVec3;
use conatus_record::{Header, JointAxis, JointKind, ShapeInfo};
use conatus_rigid::contact::Collider;
use conatus_world::scene::Setup;

/// How far a shape of the header reaches in a direction in its own axes.
fn reach(header: &Header, shape: &ShapeInfo, d: DVec3) -> f64 {
    let across = d.x.hypot(d.y);
    match shape {
        ShapeInfo::Sphere { radius } => *radius,
        ShapeInfo::Box { half_extents } => half_extents.dot(d.abs()),
        ShapeInfo::Capsule {
            radius,
            half_height,
        } => radius + half_height * d.z.abs(),
        ShapeInfo::Cylinder {
            radius,
            half_height,
        } => radius * across + half_height * d.z.abs(),
        ShapeInfo::Cone {
            radius,
            half_height,
        } => (radius * across - half_height * d.z).max(half_height * d.z),
        ShapeInfo::Ellipsoid { semi_axes } => (*semi_axes * d).length(),
        ShapeInfo::Hull { mesh } | ShapeInfo::Mesh { mesh } => {
            let heights = header.meshes[*mesh].vertices.iter().map(|v| v.dot(d));
            heights.fold(f64::NEG_INFINITY, f64::max)
        }
        ShapeInfo::Plane => panic!("a plane has no end"),
    }
}

/// The same of a collider of the world, in the axes of its body.
fn reach_of_collider(collider: &Collider, d: DVec3) -> f64 {
    let own = collider.pose.inverse().direction(d);
    let offset = collider.pose.translation.dot(d);
    offset
        + match collider.shape().convex() {
            Some(convex) => convex.support(own).0.dot(own) + convex.radius(),
            None => {
                let mesh = collider.shape().mesh();
                let heights = mesh.vertices.iter().map(|v| v.dot(own));
                heights.fold(f64::NEG_INFINITY, f64::max)
            }
        }
}

fn assert_shapes_agree(setup: &Setup) {
    let header = &setup.header;
    header.check().unwrap();
    let engine = &setup.world.contact_engine;
    let bodies = setup.world.bodies.len();
    assert_eq!(header.physics.colliders.len(), engine.colliders.len());
    let directions = [
        DVec3::X,
        DVec3::NEG_Z,
        DVec3::new(1.0, -2.0, 0.5).normalize(),
        DVec3::new(-0.3, 0.4, 1.0).normalize(),
    ];
    for ((info, shape), collider) in header.physics.solids().zip(&engine.colliders) {
        let of_script = collider.script.map(|k| bodies + k as usize);
        assert_eq!(info.body, collider.body.or(of_script));
        assert_eq!(info.friction, collider.material.friction);
        let pose = info.pose.pose();
        if let Shape::HalfSpace(HalfSpace { normal, offset }) = *collider.shape() {
            assert_eq!(*shape, ShapeInfo::Plane);
            assert!((pose.direction(DVec3::Z) - normal).length() < 1e-15);
            assert!((pose.translation.dot(normal) - offset).abs() < 1e-12);
            continue;
        }
        for d in directions {
            let found = pose.translation.dot(d) + reach(header, shape, pose.inverse().direction(d));
            let wanted = reach_of_collider(collider, d);
            assert!(
                (found - wanted).abs() < 1e-12 * wanted.abs().max(1.0),
                "{shape:?} along {d}: {found}, not {wanted}"
            );
        }
    }
}

#[test]
fn colliders_of_the_header_have_the_size_and_place_of_those_of_the_world() {
    for name in [
        "car",
        "ragdoll-stairs",
        "arch",
        "pile",
        "boats",
        "rattleback",
    ] {
        let setup = built_in(name, &[]);
        assert_shapes_agree(&setup);
        assert!(!setup.header.physics.is_empty(), "{name}");
    }
}

#[test]
fn equal_shapes_are_listed_once() {
    let setup = built_in("box-stack", &[]);
    let physics = &setup.header.physics;
    assert_eq!(physics.colliders.len(), 11);
    // The boxes and the plane.
    assert_eq!(physics.shapes.len(), 2);
}

#[test]
fn joints_of_the_header_are_those_of_the_world() {
    let setup = built_in("car", &[]);
    let joints = &setup.header.physics.joints;
    assert_eq!(joints.len(), 4);
    for (info, joint) in joints.iter().zip(setup.world.joints()) {
        assert_eq!(info.kind, JointKind::Wheel);
        assert_eq!(info.bodies, joint.bodies);
        assert_eq!(info.frames.each_ref().map(|f| f.pose()), joint.frames);
        let suspension = info.coordinate(JointAxis::Z).unwrap();
        let freedom = joint.freedom(2).unwrap();
        assert_eq!(suspension.limits, freedom.range);
        let spring = suspension.spring.unwrap();
        assert_eq!(spring.stiffness, freedom.spring.unwrap().stiffness);
        assert!(info.coordinate(JointAxis::X).is_none(), "locked");
        let axle = info.coordinate(JointAxis::TurnY).unwrap();
        let motor = joint.freedom(4).unwrap().motor;
        assert_eq!(axle.motor.map(|m| m.max_force), motor.map(|m| m.max_force));
    }
}

#[test]
fn colliders_excluded_pairs_and_turned_planes_are_listed() {
    let setup = from_text(
        "
[contact]
between_bodies = false
[[body]]
name = 'a'
shape.cone = { radius = 0.2, height = 0.5, axis = 'x' }
mass = 1
position = [0, 0, 2]
[[body]]
name = 'b'
shape.hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
density = 100
position = [2, 0, 2]
[[exclude]]
bodies = ['b', 'a']
[[plane]]
point = [0, 0, 5]
normal = [0, 0, -1]
restitution = 0.5
",
        &[],
    )
    .unwrap_or_else(|e| panic!("{e}"));
    assert_shapes_agree(&setup);
    let physics = &setup.header.physics;
    assert_eq!(physics.excluded, [[0, 1]]);
    assert!(physics.bodies_pass_through);
    let plane = physics.colliders.iter().find(|c| c.body.is_none()).unwrap();
    assert_eq!((plane.restitution, plane.friction), (Some(0.5), None));
}
