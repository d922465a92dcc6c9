//! `.clip.json` files, and clips that lack what is only for display.

use crate::support::walker;
use conatus_export::{ExportError, ExportOptions, Format};
use conatus_math::DVec3;
use conatus_record::clip::Clip;

#[test]
fn a_clip_without_display_data_still_has_a_skeleton() {
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
    assert!(conatus_export::bvh::write(&clip, &clip.characters[0], &mut Vec::new()).is_ok());
}

#[test]
fn a_clip_json_keeps_enough_digits_to_be_differentiated_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("Walker.Clip.JSON");
    let recording = walker::recording(walker::clip(1.0));
    assert_eq!(Format::from_path(&path).unwrap(), Format::ClipJson);
    conatus_export::write_file(&recording, &path, &ExportOptions::default()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let read = Clip::from_json(&text).unwrap();
    let clip = recording.clip.as_ref().unwrap();
    assert!(text.len() < 3 * clip.to_json().unwrap().len() / 4);
    let accelerations = |clip: &Clip| -> Vec<DVec3> {
        let link = &clip.characters[0].links[1];
        let second = |w: &[DVec3]| (w[0] - 2.0 * w[1] + w[2]) / (clip.dt * clip.dt);
        link.end.windows(3).map(second).collect()
    };
    for (exact, read) in accelerations(clip).iter().zip(accelerations(&read)) {
        assert!((*exact - read).length() <= 2e-5);
    }
}

#[test]
fn a_recording_without_a_character_has_no_clip_to_write() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.bvh", "x.clip.json"] {
        let path = folder.path().join(name);
        let failed =
            conatus_export::write_file(&crate::support::demo(3), &path, &ExportOptions::default());
        assert!(matches!(failed, Err(ExportError::NoClip)));
        assert!(!path.exists());
    }
}
