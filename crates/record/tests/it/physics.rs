//! Colliders and joints in the header of a recording.

use crate::support;
use conatus_record::*;

#[test]
fn physics_comes_back_from_a_file() {
    let recording = support::joints::machine(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("machine.mcap");
    recording.write(&path).unwrap();
    assert_eq!(Recording::read(&path).unwrap().header, recording.header);
}

/// Recordings of earlier programs have no physics.
#[test]
fn a_header_without_physics_is_read_and_stays_without() {
    let header = support::demo(1).header;
    assert!(header.physics.is_empty());
    let text = serde_json::to_string(&header).unwrap();
    assert!(!text.contains("physics"), "{text}");
    assert_eq!(serde_json::from_str::<Header>(&text).unwrap(), header);
}

#[test]
fn what_changes_nothing_is_not_written() {
    let physics = support::joints::machine(1).header.physics;
    let collider = serde_json::to_value(&physics.colliders[1]).unwrap();
    let wanted = serde_json::json!({"body": 0, "shape": 1, "restitution": 0.25, "friction": 0.5});
    assert_eq!(collider, wanted);
    let turned = serde_json::to_value(&physics.colliders[6]).unwrap();
    let w = turned["pose"]["orientation"][0].as_f64().unwrap();
    assert!((w - 0.5f64.sqrt()).abs() < 1e-12, "w comes first: {turned}");
}

#[test]
fn wrong_physics_is_refused() {
    let changes: [fn(&mut PhysicsInfo); 7] = [
        |p| p.colliders[1].body = Some(12),
        |p| p.colliders[1].shape = 9,
        |p| p.colliders[1].friction = Some(f64::NAN),
        |p| p.shapes[7] = ShapeInfo::Hull { mesh: 3 },
        |p| p.joints[0].bodies[1] = Some(12),
        |p| p.joints[0].frames[0].orientation.w = 2.0,
        |p| p.excluded[0][1] = 12,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut header = support::joints::machine(0).header;
        header.check().unwrap();
        change(&mut header.physics);
        assert!(header.check().is_err(), "change {number}");
    }
}
