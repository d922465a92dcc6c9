//! Clips: reading, validation and parts.

use crate::support::walker;
use conatus_math::{DQuat, DVec3};
use conatus_record::clip::*;
use conatus_record::{RecordError, Recording, Status};

#[test]
fn a_clip_comes_back_from_json_bit_for_bit() {
    let clip = walker::two(0.5);
    let text = clip.to_json().unwrap();
    assert_eq!(Clip::from_json(&text).unwrap(), clip);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["format"], "conatus-clip/1");
    assert_eq!(value["up"], "z");
    assert_eq!(value["surfaces"][0]["kind"], "plane");
    assert_eq!(value["objects"][0]["shape"]["kind"], "box");
    let q = clip.characters[0].torso.orientation[7];
    let written = &value["characters"][0]["torso"]["orientation"][7];
    assert_eq!(*written, serde_json::json!([q.w, q.x, q.y, q.z]));
}

#[test]
fn display_data_may_be_missing_from_json() {
    let mut value: serde_json::Value =
        serde_json::from_str(&walker::clip(0.1).to_json().unwrap()).unwrap();
    for key in ["seed", "phases", "targets"] {
        value.as_object_mut().unwrap().remove(key);
    }
    let character = value["characters"][0].as_object_mut().unwrap();
    character.remove("color");
    character.remove("shapes");
    character["torso"]
        .as_object_mut()
        .unwrap()
        .remove("half_extents");
    for link in character["links"].as_array_mut().unwrap() {
        link.as_object_mut().unwrap().remove("limb");
        link.as_object_mut().unwrap().remove("index");
    }
    for effector in character["effectors"].as_array_mut().unwrap() {
        effector.as_object_mut().unwrap().remove("contact");
    }
    let clip = Clip::from_json(&value.to_string()).unwrap();
    assert_eq!(clip.parts().len(), walker::clip(0.1).parts().len() - 2);
    assert!(clip.check().is_ok());
}

#[test]
fn a_check_names_what_is_wrong() {
    type Harm = fn(&mut Clip);
    let harms: [(Harm, &str); 11] = [
        (|c| c.format = "conatus-clip/9".into(), "the format is"),
        (|c| c.dt = 0.0, "dt is 0"),
        (|c| c.time.clear(), "no moments"),
        (|c| c.time[3] = 0.0, "time does not rise"),
        (|c| c.phases = vec![0.0], "phases"),
        (
            |c| c.characters[0].torso.position[2].y = f64::NAN,
            "character `walker`: torso.position[2] is not finite",
        ),
        (
            |c| c.characters[0].torso.orientation[1] = DQuat::from_xyzw(0.0, 0.0, 0.5, 0.5),
            "torso.orientation[1] has the length",
        ),
        (
            |c| c.characters[0].links[2].end.truncate(4),
            "link `right thigh`: end has 4 entries, but there are 21 moments",
        ),
        (
            |c| c.characters[0].effectors[0].normal[5] = DVec3::ZERO,
            "effector `left foot`: normal[5] has the length 0",
        ),
        (
            |c| c.characters[0].effectors[0].contact.truncate(1),
            "contact has 1 entries, but there are 10 phases",
        ),
        (
            |c| c.characters[0].links[1].name = "left thigh".into(),
            "two links named `left thigh`",
        ),
    ];
    assert_eq!(walker::clip(0.1).check(), Ok(()));
    for (harm, message) in harms {
        let mut clip = walker::clip(0.1);
        harm(&mut clip);
        let found = clip.check().unwrap_err();
        assert!(found.contains(message), "{found}");
        // A reader refuses the same.
        let text = clip.to_json().unwrap_or_default();
        assert!(Clip::from_json(&text).is_err());
    }
}

#[test]
fn a_recording_carries_its_clip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walker.mcap");
    let recording = walker::recording(walker::two(0.4));
    recording.write(&path).unwrap();
    let read = Recording::read(&path).unwrap();
    assert_eq!(read, recording);
    // Without a clip there is none.
    crate::support::demo(3).write(&path).unwrap();
    assert_eq!(Recording::read(&path).unwrap().clip, None);
    let mut broken = walker::recording(walker::clip(0.1));
    if let Some(clip) = &mut broken.clip {
        clip.dt = -1.0;
    }
    let refused = broken.write(&path);
    assert!(matches!(refused, Err(RecordError::Unrecordable { .. })));
}

#[test]
fn parts_are_named_after_their_character_and_share_surfaces() {
    let clip = walker::two(0.1);
    let parts = clip.parts();
    let names: Vec<&str> = parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(&names[..3], ["walker/torso", "walker/neck", "walker/head"]);
    assert_eq!(names.last(), Some(&"crate"));
    let (meshes, bodies) = clip.part_bodies(5);
    assert_eq!(bodies.len(), parts.len());
    assert!(bodies.iter().all(|b| b.scripted && b.mass == 0.0));
    // Left and right share surfaces, and so do two characters of a kind: torso, neck,
    // head, two links of legs, two of arms, foot, hand, back, crate.
    assert_eq!(meshes.len(), 11);
    let used = bodies.iter().filter_map(|b| b.mesh);
    assert_eq!(used.max(), Some(5 + 10));
    let thigh = |side: &str| {
        bodies
            .iter()
            .find(|b| b.name == format!("walker/{side} thigh"))
    };
    let (left, right) = (thigh("left").unwrap(), thigh("right").unwrap());
    assert_eq!(left.mesh, right.mesh);
    assert!(left.color.iter().sum::<f32>() > right.color.iter().sum::<f32>());
}

#[test]
fn parts_have_the_positions_of_the_clip_and_are_interpolated_between_samples() {
    let clip = walker::clip(1.0);
    let parts = clip.parts();
    for time in [0.0, 0.31, 0.3125, 1.0] {
        let poses = clip.part_poses(time);
        assert_eq!(poses.len(), parts.len());
        let (i, s) = ((time / 0.005_f64).floor() as usize, (time / 0.005).fract());
        let at = |list: &[DVec3]| list[i].lerp(list[(i + 1).min(list.len() - 1)], s);
        let character = &clip.characters[0];
        for (part, pose) in parts.iter().zip(&poses) {
            assert_eq!(pose.status, Status::Scripted);
            match part.of {
                ClipPartSource::Torso { .. } => {
                    let off = pose.position - at(&character.torso.position);
                    assert!(off.length() < 1e-12);
                }
                ClipPartSource::Link { link, .. } => {
                    let it = &character.links[link];
                    let half = pose.orientation * DVec3::Z * (it.length / 2.0);
                    assert!((pose.position - half - at(&it.start)).length() < 1e-4);
                    assert!((pose.position + half - at(&it.end)).length() < 1e-4);
                }
                ClipPartSource::Effector { effector, .. } => {
                    let it = &character.effectors[effector];
                    let off = pose.position - at(&it.position);
                    let lift = off.dot(pose.orientation * DVec3::Z);
                    assert!((off.length() - lift).abs() < 1e-6, "{off}");
                }
                _ => {}
            }
        }
    }
    let before = clip.part_poses(-1.0);
    assert_eq!(before[0].position, clip.characters[0].torso.position[0]);
    assert_eq!(before[0].velocity, DVec3::ZERO);
    assert_eq!(clip.part_poses(f64::NAN).len(), parts.len());
}

#[test]
fn velocities_of_parts_are_the_rates_of_their_poses() {
    let clip = walker::clip(1.0);
    let tracks = clip.tracks();
    let (t, h) = (0.4326, 0.004);
    let [a, now, b] = [t - h, t, t + h].map(|t| tracks.poses(t));
    for (part, ((a, now), b)) in clip.parts().iter().zip(a.iter().zip(&now).zip(&b)) {
        let v = (b.position - a.position) / (2.0 * h);
        assert!((v - now.velocity).length() < 0.03, "{}: {v}", part.name);
        let turn = a.orientation.inverse() * b.orientation;
        let w = DVec3::new(turn.x, turn.y, turn.z) * (turn.w.signum() / h);
        assert!((w - now.omega_body).length() < 0.1, "{}: {w}", part.name);
    }
}

#[test]
fn contacts_of_a_frame_are_the_forces_of_active_effectors() {
    let clip = walker::clip(1.0);
    let step = 1.0 / 240.0;
    let contacts = clip.contact_frames(0.0, step);
    let sum: DVec3 = contacts.iter().map(|c| c.impulse / step).sum();
    assert_eq!(contacts.len(), 2);
    assert!((sum.z - 70.0 * 9.81).abs() < 1e-9);
    let chart = clip.chart();
    assert!(chart.rows[0].is_active(0.0) && chart.rows[1].is_active(0.0));
    assert!(!chart.rows[1].is_active(0.3) && chart.rows[4].active.is_empty());
    for row in &chart.rows {
        assert!(row.active.windows(2).all(|w| w[0][1] < w[1][0]));
    }
}
