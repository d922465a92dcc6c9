//! The schemas of UsdPhysics in `.usda` files. `cargo xtask validate` reads the same
//! recording with Pixar's parser.

use crate::support;
use conatus_export::usda;
use conatus_record::{JointKind, PhysicsInfo, Recording};

fn text(recording: &Recording) -> String {
    let mut out = Vec::new();
    usda::write(recording, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The lines of the prim of a name, up to the end of its attributes.
fn prim<'a>(text: &'a str, kind: &str, name: &str) -> &'a str {
    let start = text.find(&format!("def {kind} \"{name}\""));
    let start = start.unwrap_or_else(|| panic!("no {kind} {name}"));
    let rest = &text[start..];
    let end = rest[1..].find("def ").map_or(rest.len(), |end| end + 1);
    &rest[..end]
}

#[test]
fn bodies_have_mass_colliders_and_materials() {
    let recording = support::joints::machine(3);
    let text = text(&recording);
    // Ten bodies, one of them locked, and an obstacle that moves.
    assert_eq!(text.matches("\"PhysicsRigidBodyAPI\"").count(), 11);
    assert_eq!(text.matches("\"PhysicsMassAPI\"").count(), 9);
    assert_eq!(text.matches("kinematicEnabled = 1").count(), 2);
    let colliders = recording.header.physics.colliders.len();
    assert_eq!(text.matches("\"PhysicsCollisionAPI\"").count(), colliders);
    assert!(text.contains(&format!(
        "int bodies = 11; int colliders = {colliders}; int joints = 10"
    )));
    let arm = prim(&text, "Xform", "arm");
    assert!(arm.contains("float physics:mass = 2"));
    // 1 rad/s in degrees.
    assert!(arm.contains("vector3f physics:angularVelocity = "), "{arm}");
    assert!(
        prim(&text, "Xform", "base").contains("rel physics:filteredPairs = [</machine/carriage>]")
    );
    let plane = prim(&text, "Plane", "plane_1");
    assert!(plane.contains("rel material:binding:physics"));
    let material = prim(&text, "Material", "material_1");
    assert!(material.contains("dynamicFriction = 0.5"));
    assert!(material.contains("restitution = 0.25"));
    assert!(text.contains("vector3f physics:gravityDirection = (0, 0, -1)"));
    assert!(text.contains("float physics:gravityMagnitude = 9.81"));
}

#[test]
fn joints_have_their_schemas_limits_and_drives() {
    let text = text(&support::joints::machine(3));
    for (schema, name) in [
        ("PhysicsRevoluteJoint", "hinge"),
        ("PhysicsPrismaticJoint", "slider"),
        ("PhysicsSphericalJoint", "ball"),
        ("PhysicsFixedJoint", "fixed"),
        ("PhysicsJoint", "universal"),
        ("PhysicsJoint", "wheel"),
        ("PhysicsJoint", "free"),
        ("PhysicsDistanceJoint", "rope"),
        ("PhysicsDistanceJoint", "rod"),
        ("PhysicsJoint", "loop"),
    ] {
        prim(&text, schema, name);
    }
    let hinge = prim(&text, "PhysicsRevoluteJoint", "hinge");
    for line in [
        "rel physics:body0 = </machine/base>",
        "rel physics:body1 = </machine/arm>",
        "bool physics:collisionEnabled = 1",
        "float physics:lowerLimit = -85.94367",
        "float drive:angular:physics:targetVelocity = 114.59156",
        "float drive:angular:physics:maxForce = 20",
    ] {
        assert!(hinge.contains(line), "{line} is not in {hinge}");
    }
    let wheel = prim(&text, "PhysicsJoint", "wheel");
    assert!(wheel.contains("float drive:transZ:physics:stiffness = 400"));
    assert!(wheel.contains("float limit:rotZ:physics:low = 1"), "locked");
    assert!(!wheel.contains("limit:rotY"), "free");
    let rope = prim(&text, "PhysicsDistanceJoint", "rope");
    assert!(rope.contains("maxDistance = 2") && rope.contains("minDistance = -1"));
    assert!(!rope.contains("body0"), "the world has no path");
}

/// The samples of the motion would hide what a simulator computes.
#[test]
fn the_variant_for_simulators_has_no_samples() {
    let text = text(&support::joints::machine(3));
    let variants = text.split("variantSet \"motion\"").nth(1).unwrap();
    let (recorded, simulated) = variants.split_once("\"simulated\" {").unwrap();
    assert!(recorded.contains("timeSamples"));
    assert!(!simulated.contains("timeSamples"));
    assert!(simulated.contains("double3 xformOp:translate = "));
    let arm = prim(&text, "Xform", "arm");
    assert!(
        !arm.contains("xformOp:translate ="),
        "a stronger opinion: {arm}"
    );
    // Obstacles follow their samples in both.
    assert!(prim(&text, "Xform", "mill").contains("timeSamples"));
}

#[test]
fn recordings_without_physics_are_only_shown() {
    let mut recording = support::joints::machine(3);
    recording.header.physics = PhysicsInfo::default();
    let text = text(&recording);
    assert!(!text.contains("Physics") && !text.contains("variantSet"));
}

#[test]
fn a_rod_with_a_spring_is_left_out_and_not_counted() {
    let mut recording = support::joints::machine(3);
    let joints = &mut recording.header.physics.joints;
    let spring = joints[5].coordinates[0].spring;
    let rod = joints.iter_mut().find(|j| j.kind == JointKind::Distance);
    rod.unwrap().coordinates[0].spring = spring;
    let text = text(&recording);
    assert!(!text.contains("\"rod\"") && text.contains("int joints = 9"));
}
