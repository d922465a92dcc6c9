//! Motion-capture files, read back by an independent reader: the joints must follow
//! the motion of the clip.

use crate::support::walker;
use conatus_export::ExportOptions;
use conatus_math::{DMat3, DVec3, rotation};
use conatus_record::Up;
use conatus_record::clip::{Clip, ClipCharacter};
use std::collections::BTreeMap;

/// One joint of the file.
struct Joint {
    name: String,
    parent: Option<usize>,
    offset: DVec3,
    channels: Vec<String>,
    ends: bool,
}

struct File {
    joints: Vec<Joint>,
    frames: Vec<Vec<f64>>,
    frame_time: f64,
}

fn read(text: &str) -> File {
    let mut words = text.split_whitespace();
    let (mut joints, mut stack): (Vec<Joint>, Vec<usize>) = (Vec::new(), Vec::new());
    let number =
        |words: &mut std::str::SplitWhitespace| words.next().unwrap().parse::<f64>().unwrap();
    assert_eq!(words.next(), Some("HIERARCHY"));
    loop {
        match words.next().unwrap() {
            kind @ ("ROOT" | "JOINT" | "End") => {
                let name = words.next().unwrap().to_string();
                assert_eq!(words.next(), Some("{"));
                joints.push(Joint {
                    name,
                    parent: stack.last().copied(),
                    offset: DVec3::ZERO,
                    channels: Vec::new(),
                    ends: kind == "End",
                });
                stack.push(joints.len() - 1);
            }
            "OFFSET" => {
                let offset = DVec3::from_array(std::array::from_fn(|_| number(&mut words)));
                joints[*stack.last().unwrap()].offset = offset;
            }
            "CHANNELS" => {
                let count = number(&mut words) as usize;
                let channels = (0..count).map(|_| words.next().unwrap().to_string());
                joints[*stack.last().unwrap()].channels = channels.collect();
            }
            "}" => {
                stack.pop();
            }
            "MOTION" => break,
            other => panic!("`{other}` in a hierarchy"),
        }
    }
    assert_eq!(words.next(), Some("Frames:"));
    let count = number(&mut words) as usize;
    assert_eq!((words.next(), words.next()), (Some("Frame"), Some("Time:")));
    let frame_time = number(&mut words);
    let width: usize = joints.iter().map(|j| j.channels.len()).sum();
    let frames = (0..count)
        .map(|_| (0..width).map(|_| number(&mut words)).collect())
        .collect();
    assert_eq!(words.next(), None);
    File {
        joints,
        frames,
        frame_time,
    }
}

/// Where every joint is in a frame.
fn places(file: &File, frame: usize) -> Vec<DVec3> {
    let mut values = file.frames[frame].iter();
    let mut poses: Vec<(DMat3, DVec3)> = Vec::new();
    for joint in &file.joints {
        let (mut turn, mut place) = match joint.parent {
            Some(parent) => {
                let (turn, at) = poses[parent];
                (turn, at + turn * joint.offset)
            }
            None => (DMat3::IDENTITY, joint.offset),
        };
        for channel in &joint.channels {
            let value = *values.next().unwrap();
            let about = |axis| rotation::rodrigues(axis, value.to_radians());
            match channel.as_str() {
                "Xposition" => place.x += value,
                "Yposition" => place.y += value,
                "Zposition" => place.z += value,
                "Xrotation" => turn *= about(DVec3::X),
                "Yrotation" => turn *= about(DVec3::Y),
                "Zrotation" => turn *= about(DVec3::Z),
                other => panic!("channel `{other}`"),
            }
        }
        poses.push((turn, place));
    }
    poses.into_iter().map(|(_, place)| place).collect()
}

fn written(clip: &Clip, character: &ClipCharacter) -> File {
    let mut bytes = Vec::new();
    conatus_export::bvh::write(clip, character, &mut bytes).unwrap();
    read(&String::from_utf8(bytes).unwrap())
}

/// From z up to the file's axes.
fn turned(p: DVec3) -> DVec3 {
    DVec3::new(p.y, p.z, p.x)
}

#[test]
fn forward_kinematics_of_the_file_find_the_ends_of_all_links() {
    let clip = walker::clip(2.6);
    let character = &clip.characters[0];
    let file = written(&clip, character);
    assert_eq!(file.frames.len(), clip.time.len());
    assert_eq!(file.frame_time, 0.005);
    let of_name: BTreeMap<String, usize> = (0..file.joints.len())
        .filter(|j| !file.joints[*j].ends)
        .map(|j| (file.joints[j].name.clone(), j))
        .collect();
    assert_eq!(of_name.len(), 1 + 8 + 4 + 2);
    for moment in (0..clip.time.len()).step_by(7) {
        let places = places(&file, moment);
        for link in &character.links {
            let joint = of_name[&link.name.replace(' ', "_")];
            let start = places[joint] - turned(link.start[moment]);
            assert!(start.length() < 1e-3, "{} starts {start} off", link.name);
            let next = (0..file.joints.len()).find(|j| file.joints[*j].parent == Some(joint));
            let end = places[next.unwrap()] - turned(link.end[moment]);
            assert!(end.length() < 1e-3, "{} ends {end} off", link.name);
        }
        // The tips of feet and hands.
        for effector in character.effectors.iter().filter(|e| e.limb.is_some()) {
            let joint = of_name[&effector.name.replace(' ', "_")];
            let end = (0..file.joints.len()).find(|j| file.joints[*j].parent == Some(joint));
            let tip = DVec3::X * effector.half_extents[0];
            let tip = effector.position[moment] + effector.orientation[moment] * tip;
            let off = places[end.unwrap()] - turned(tip);
            assert!(off.length() < 1e-3, "{} is {off} off", effector.name);
        }
    }
}

#[test]
fn bones_at_rest_have_nominal_lengths_and_stand_upright() {
    let clip = walker::clip(0.5);
    let file = written(&clip, &clip.characters[0]);
    let joint = |name: &str| file.joints.iter().find(|j| j.name == name).unwrap();
    assert_eq!(joint("left_shin").offset, DVec3::new(0.0, -0.44, 0.0));
    assert_eq!(joint("right_foot").offset, DVec3::new(0.0, -0.45, 0.0));
    assert_eq!(joint("left_thigh").offset, DVec3::new(0.09, -0.28, 0.0));
    assert!(joint("head").offset.y > 0.4);
}

#[test]
fn knees_are_hinges_and_no_angle_jumps() {
    let clip = walker::clip(2.6);
    let file = written(&clip, &clip.characters[0]);
    let mut first = 0;
    for joint in &file.joints {
        let angles = first..first + joint.channels.len();
        first = angles.end;
        let knee = joint.name.ends_with("shin");
        for pair in file.frames.windows(2) {
            for k in angles.clone() {
                assert!((pair[1][k] - pair[0][k]).abs() < 12.0, "{}", joint.name);
            }
            // Zrotation and Yrotation of a knee that bends about x.
            if knee {
                assert!(
                    pair[0][angles.start].abs() < 1e-3 && pair[0][angles.start + 2].abs() < 1e-3
                );
            }
        }
    }
}

#[test]
fn with_y_up_the_figure_at_rest_is_the_same() {
    let clip = walker::clip(0.2);
    let mut tilted = clip.clone();
    tilted.up = Up::Y;
    let file = written(&tilted, &tilted.characters[0]);
    let upright = written(&clip, &clip.characters[0]);
    for (a, b) in file.joints.iter().zip(&upright.joints) {
        assert_eq!(a.offset, b.offset);
    }
    let places = places(&file, 3);
    assert!((places[0] - clip.characters[0].torso.position[3]).length() < 1e-6);
}

#[test]
fn several_characters_are_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.bvh");
    let recording = walker::recording(walker::two(0.1));
    let notes = conatus_export::write_file(&recording, &path, &ExportOptions::default()).unwrap();
    assert!(path.is_file() && folder.path().join("two.friend.bvh").is_file());
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("`friend`"));
}
