//! Bodies that were removed from the world are in no picture and in no 3D file.

use crate::support;
use conatus_export::ExportOptions;
use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use std::fs;
use std::path::Path;

const FRAMES: u64 = 5;
/// The first frame without the second body.
const REMOVED_AT: u64 = 2;

/// A grey ball that rises, and a red one beside it that is removed.
fn recording(removed_at: u64) -> Recording {
    let mut header = support::header("removed");
    header.meshes = vec![support::ball(0.5, 8)];
    header.bodies = vec![
        support::body("grey", 1.0, [0.5; 3], 0, 0.5),
        support::body("red", 1.0, [1.0, 0.0, 0.0], 0, 0.5),
    ];
    header.springs = vec![SpringInfo {
        a: EndInfo::Body(0, DVec3::ZERO),
        b: EndInfo::Body(1, DVec3::ZERO),
        length: 1.0,
        joint: None,
    }];
    let mut recording = support::recording(header);
    for n in 0..FRAMES {
        let body = |x: f64, status: Status| BodyFrame {
            position: DVec3::new(x, 0.0, 1.0 + 0.1 * n as f64),
            orientation: DQuat::IDENTITY,
            velocity: DVec3::Z,
            omega_body: DVec3::ZERO,
            status,
        };
        let status = if n < removed_at {
            Status::Free
        } else {
            Status::Removed
        };
        recording.frames.push(Frame {
            time: n as f64 * 0.1,
            step: 10 * n,
            bodies: vec![body(0.0, Status::Free), body(1.5, status)],
            ..Frame::default()
        });
    }
    recording
}

fn written(recording: &Recording, path: &Path) {
    conatus_export::write_file(recording, path, &ExportOptions { frames: None }).unwrap();
}

#[test]
fn a_frame_of_obj_lists_only_the_bodies_that_are_present() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    written(&recording(REMOVED_AT), &path);
    for n in 0..FRAMES {
        let text = fs::read_to_string(path.join(format!("frame-{n:04}.obj"))).unwrap();
        assert!(text.contains("o grey"));
        assert_eq!(text.contains("o red"), n < REMOVED_AT, "frame {n}");
    }
}

#[test]
fn usd_hides_a_body_from_the_frame_of_its_removal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.usda");
    written(&recording(REMOVED_AT), &path);
    let text = fs::read_to_string(&path).unwrap();
    let samples = text
        .split("token visibility.timeSamples = {")
        .nth(1)
        .unwrap();
    let samples: Vec<&str> = samples
        .split('}')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(samples.len(), 4, "{samples:?}");
    assert_eq!(
        (samples[1], samples[3]),
        ("\"inherited\",", "\"invisible\",")
    );
    assert_eq!(text.matches("visibility").count(), 1);
}

#[test]
fn gltf_scales_a_removed_body_and_its_spring_to_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.glb");
    written(&recording(REMOVED_AT), &path);
    let bytes = fs::read(&path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let gltf: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let name = |node: &serde_json::Value| {
        let node = node.as_u64().unwrap() as usize;
        gltf["nodes"][node]["name"].as_str().unwrap().to_owned()
    };
    let channels = gltf["animations"][0]["channels"].as_array().unwrap();
    let scaled = channels.iter().filter(|c| c["target"]["path"] == "scale");
    let mut scaled: Vec<String> = scaled.map(|c| name(&c["target"]["node"])).collect();
    scaled.sort();
    assert_eq!(scaled, ["red", "spring 1"]);
    // The accessors of glTF carry no bounds for outputs: read the last key itself.
    let binary = &bytes[28 + length..];
    let red = channels
        .iter()
        .find(|c| c["target"]["path"] == "scale" && name(&c["target"]["node"]) == "red")
        .unwrap();
    let sampler = &gltf["animations"][0]["samplers"][red["sampler"].as_u64().unwrap() as usize];
    let accessor = &gltf["accessors"][sampler["output"].as_u64().unwrap() as usize];
    let view = &gltf["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let offset = |v: &serde_json::Value| v["byteOffset"].as_u64().unwrap_or(0) as usize;
    let start = offset(accessor) + offset(view);
    let key = |n: u64| {
        let at = start + 12 * n as usize;
        f32::from_le_bytes(binary[at..at + 4].try_into().unwrap())
    };
    for n in 0..FRAMES {
        assert_eq!(key(n), if n < REMOVED_AT { 1.0 } else { 0.0 }, "key {n}");
    }
}

#[test]
fn pictures_show_no_body_that_was_removed_before_the_first_frame() {
    let folder = tempfile::tempdir().unwrap();
    let red_pixels = |removed_at: u64| {
        let path = folder.path().join(format!("{removed_at}.png"));
        written(&recording(removed_at), &path);
        let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        let samples = info.color_type.samples();
        let red = |p: &&[u8]| p[0] > 100 && p[1] < 60 && p[2] < 60;
        pixels.chunks_exact(samples).filter(red).count()
    };
    assert!(red_pixels(FRAMES) > 1000);
    assert_eq!(red_pixels(0), 0);
    let images = |removed_at: u64| {
        let path = folder.path().join(format!("{removed_at}.svg"));
        written(&recording(removed_at), &path);
        let text = fs::read_to_string(&path).unwrap();
        text.matches("url(#ball)").count()
    };
    assert_eq!(images(FRAMES), 2 * images(0));
}
