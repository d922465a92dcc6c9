//! Exports agree with the recording.

use conatus_export::{ExportError, ExportOptions, Format};
use conatus_math::{DQuat, DVec3};
use conatus_record::*;
use proptest::prelude::*;
use std::fs;

fn bytes(recording: &Recording, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    match format {
        Format::Csv => conatus_export::csv::write(recording, &mut out),
        Format::Svg => conatus_export::svg::write(recording, &mut out),
        Format::Glb => conatus_export::glb::write(recording, &mut out).map(drop),
        Format::Usda => conatus_export::usda::write(recording, &mut out),
        Format::ClipJson => conatus_export::clip_json::write(recording, &mut out),
        Format::Mcap | Format::Html | Format::Png | Format::Obj | Format::Bvh => {
            unreachable!("written by their own tests")
        }
    }
    .unwrap();
    out
}

/// Splits a line of CSV, quoted fields included.
fn fields(line: &str) -> Vec<String> {
    let (mut out, mut quoted) = (vec![String::new()], false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                out.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(String::new()),
            c => out.last_mut().unwrap().push(c),
        }
    }
    out
}

#[test]
fn csv_gives_every_number_back() {
    let mut recording = crate::support::sea(Up::Z, 4);
    recording.header.bodies[0].name = "raft, \"old\"".into();
    recording.frames[1].bodies[0].position = DVec3::new(-0.0, 5e-324, 1e300);
    recording.frames[2].bodies[1].velocity = DVec3::new(f64::INFINITY, f64::NAN, 0.1);
    recording.frames[2].bodies[1].status = Status::Quarantined;
    let text = String::from_utf8(bytes(&recording, Format::Csv)).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(conatus_export::csv::HEADER));
    for (n, frame) in recording.frames.iter().enumerate() {
        for (body, info) in frame.bodies.iter().zip(&recording.header.bodies) {
            let row = fields(lines.next().unwrap());
            assert_eq!(row.len(), 17);
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            assert_eq!(number(0), frame.time);
            assert_eq!(row[1], n.to_string());
            assert_eq!(row[2], info.name);
            let q = body.orientation;
            let expected = [
                &body.position.to_array()[..],
                &[q.w, q.x, q.y, q.z],
                &body.velocity.to_array(),
                &body.omega_body.to_array(),
            ]
            .concat();
            for (i, value) in expected.into_iter().enumerate() {
                let read = number(3 + i);
                assert!(read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()));
            }
            let status = if n == 2 && info.name == "buoy <1>" {
                "quarantined"
            } else {
                "free"
            };
            assert_eq!(row[16], status);
        }
    }
    assert_eq!(lines.next(), None);
}

/// Recordings with unusual contents.
fn unusual_recordings() -> Vec<Recording> {
    let mut one_frame = crate::support::demo(1);
    one_frame.header.scene = "a & b < c \u{1} \"d\"".into();
    let mut nothing = crate::support::recording(crate::support::header("nothing"));
    nothing.frames = vec![Frame::default(); 3];
    let mut blown_up = crate::support::demo(10);
    for (n, frame) in blown_up.frames.iter_mut().enumerate().skip(4) {
        frame.bodies[n % 5].position = DVec3::new(f64::NAN, 1e308, f64::NEG_INFINITY);
        frame.bodies[n % 5].orientation = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        frame.totals.kinetic = f64::INFINITY;
        frame.time = f64::NAN;
    }
    let mut spheres = crate::support::demo(20);
    for body in &mut spheres.header.bodies {
        body.mesh = None;
        body.spheres.push((DVec3::X, 0.2));
    }
    spheres.header.bodies[0].spheres.clear();
    let mut flat = crate::support::demo(5);
    flat.header.meshes[0].vertices.fill(DVec3::ZERO);
    flat.header.planes[0].normal = DVec3::ZERO;
    flat.header.springs[0].a = flat.header.springs[0].b.clone();
    let mut endless = crate::support::sea(Up::Y, 3);
    endless.header.waters[0].extent = None;
    endless.header.waters[0].waves[0].wave_vector = [1e300, 1e300];
    vec![
        one_frame,
        crate::support::demo(0),
        crate::support::recording(crate::support::header("empty")),
        nothing,
        blown_up,
        spheres,
        flat,
        endless,
    ]
}

#[test]
fn svg_is_well_formed_and_self_contained() {
    let mut all = unusual_recordings();
    all.extend([
        crate::support::demo(300),
        crate::support::sea(Up::Z, 60),
        crate::support::sea(Up::Y, 60),
    ]);
    for recording in all {
        let text = String::from_utf8(bytes(&recording, Format::Svg)).unwrap();
        let name = &recording.header.scene;
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(document.root_element().tag_name().name(), "svg");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}");
        assert!(!text.contains("href"), "{name}");
        assert!(text.len() < 400_000, "{name}: {} bytes", text.len());
    }
}

#[test]
fn svg_shows_a_body_that_turns_in_place_as_a_strip() {
    let mut top = crate::support::demo(50);
    top.header.springs.clear();
    top.header.bodies.drain(..3);
    top.header.bodies.truncate(1);
    for (n, frame) in top.frames.iter_mut().enumerate() {
        frame.bodies.truncate(1);
        frame.bodies[0].position = DVec3::ZERO;
        frame.bodies[0].orientation = DQuat::from_rotation_z(0.1 * n as f64);
    }
    let text = String::from_utf8(bytes(&top, Format::Svg)).unwrap();
    roxmltree::Document::parse(&text).unwrap();
    assert!(!text.contains("grid"));
    assert!(text.contains("0.817 s"));
}

#[test]
fn svg_stays_small_with_many_bodies_and_frames() {
    let mut recording = crate::support::demo(0);
    let template = crate::support::demo(1).frames.remove(0);
    let infos = recording.header.bodies.clone();
    recording.header.bodies = (0..1000).map(|i| infos[i % 5].clone()).collect();
    for n in 0..600 {
        let mut frame = template.clone();
        frame.time = n as f64 / 60.0;
        frame.bodies = (0..1000)
            .map(|i| {
                let mut body = template.bodies[i % 5];
                let t = frame.time + i as f64;
                body.position +=
                    DVec3::new((3.0 * t).sin(), (2.0 * t).cos(), 1.0 + (5.0 * t).sin());
                body
            })
            .collect();
        recording.frames.push(frame);
    }
    let size = bytes(&recording, Format::Svg).len();
    assert!(size < 450_000, "{size} bytes");
}

#[test]
fn glb_accepts_everything_that_a_recording_can_hold() {
    for recording in unusual_recordings() {
        let file = bytes(&recording, Format::Glb);
        assert_eq!(&file[..4], b"glTF");
        let (json, _) = parts(&file);
        assert_eq!(json["asset"]["version"], "2.0");
        let generator = json["asset"]["generator"].as_str().unwrap();
        assert!(generator.starts_with("Conatus "));
    }
}

proptest! {
    #[test]
    fn exporters_accept_extreme_numbers(
        factors in prop::collection::vec(
            prop::sample::select(vec![1.0, 1.0, 0.0, -1.0, 1e-300, 1e13, 1e300, 1e308]), 12),
        wet in any::<bool>(),
    ) {
        let mut recording = if wet { crate::support::sea(Up::Y, 4) } else { crate::support::demo(4) };
        let header = &mut recording.header;
        let f = |i: usize| factors[i];
        header.meshes.iter_mut().for_each(|m| m.vertices[3] *= f(0));
        header.bodies[0].spheres[0].1 *= f(1);
        header.bodies[1].mesh = None;
        header.bodies[1].spheres[0].0 += f(2);
        header.planes.iter_mut().for_each(|p| { p.point += f(3); p.normal *= f(4) });
        header.springs.iter_mut().for_each(|s| {
            s.length *= f(5);
            s.a = EndInfo::Pin(DVec3::splat(f(6)));
        });
        for water in &mut header.waters {
            water.level *= f(7);
            water.extent = water.extent.map(|e| e.map(|c| c.map(|v| v * f(8))));
            water.waves[0].amplitude *= f(9);
            water.waves[1].wave_vector[0] *= f(10);
        }
        recording.frames[2].bodies[2].position *= f(11);
        for format in [Format::Csv, Format::Svg, Format::Glb, Format::Usda] {
            bytes(&recording, format);
        }
    }
}

/// The JSON and the binary part of a `.glb` file.
fn parts(file: &[u8]) -> (serde_json::Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(8), file.len());
    let json = word(12);
    let value = serde_json::from_slice(&file[20..20 + json]).unwrap();
    let rest = &file[20 + json..];
    (value, if rest.is_empty() { rest } else { &rest[8..] })
}

fn floats(json: &serde_json::Value, bin: &[u8], accessor: &serde_json::Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let length = view["byteLength"].as_u64().unwrap() as usize;
    bin[start..start + length]
        .chunks(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// The values of a node's channel, by the node's name and the property.
fn channel(json: &serde_json::Value, bin: &[u8], node: &str, path: &str) -> Option<Vec<f32>> {
    let animation = &json["animations"][0];
    let channels = animation["channels"].as_array()?;
    let channel = channels.iter().find(|c| {
        let index = c["target"]["node"].as_u64().unwrap() as usize;
        json["nodes"][index]["name"] == node && c["target"]["path"] == path
    })?;
    let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
    assert_eq!(sampler["input"], animation["samplers"][0]["input"]);
    Some(floats(json, bin, &sampler["output"]))
}

#[test]
fn glb_keys_are_the_frames() {
    let mut recording = crate::support::demo(50);
    // The opposite sign is the same rotation and must have no effect.
    for frame in recording.frames.iter_mut().step_by(3) {
        frame.bodies[3].orientation = -frame.bodies[3].orientation;
    }
    let file = bytes(&recording, Format::Glb);
    let (json, bin) = parts(&file);
    let times = floats(&json, bin, &json["animations"][0]["samplers"][0]["input"]);
    let places = channel(&json, bin, "slab", "translation").unwrap();
    let turns = channel(&json, bin, "slab", "rotation").unwrap();
    assert_eq!(times.len(), 50);
    let mut last = DQuat::IDENTITY;
    for (n, frame) in recording.frames.iter().enumerate() {
        let body = &frame.bodies[3];
        assert_eq!(times[n], frame.time as f32);
        assert_eq!(
            places[3 * n..3 * n + 3],
            body.position.to_array().map(|v| v as f32)
        );
        let turn: [f32; 4] = turns[4 * n..4 * n + 4].try_into().unwrap();
        let turn = DQuat::from_array(turn.map(f64::from));
        assert!(turn.dot(body.orientation).abs() > 1.0 - 1e-6);
        assert!(n == 0 || turn.dot(last) > 0.9, "a jump at key {n}");
        last = turn;
    }
}

#[test]
fn glb_springs_reach_from_end_to_end() {
    let recording = crate::support::demo(20);
    let file = bytes(&recording, Format::Glb);
    let (json, bin) = parts(&file);
    // One end is a pin, so nothing moves there.
    assert_eq!(channel(&json, bin, "spring 1", "translation"), None);
    let scale = channel(&json, bin, "spring 1", "scale").unwrap();
    for (n, frame) in recording.frames.iter().enumerate() {
        let bob = &frame.bodies[4];
        let end = bob.position + bob.orientation * DVec3::new(0.0, 0.0, 0.2);
        let length = (end - DVec3::new(-2.2, 0.8, 3.0)).length();
        assert!((f64::from(scale[3 * n + 2]) - length).abs() < 1e-6);
    }
}

#[test]
fn glb_water_is_the_travelling_wave_at_every_key_and_grid_point() {
    for up in [Up::Z, Up::Y] {
        let recording = crate::support::sea(up, 30);
        let water = &recording.header.waters[0];
        let file = bytes(&recording, Format::Glb);
        let (json, bin) = parts(&file);
        let weights = channel(&json, bin, "water", "weights").unwrap();
        let meshes = json["meshes"].as_array().unwrap();
        let mesh = meshes.iter().find(|m| m["name"] == "water").unwrap();
        let primitive = &mesh["primitives"][0];
        let base = floats(&json, bin, &primitive["attributes"]["POSITION"]);
        let targets: Vec<_> = primitive["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| floats(&json, bin, &t["POSITION"]))
            .collect();
        assert_eq!(targets.len(), 4);
        let (flat, high) = match up {
            Up::Z => ([0, 1], 2),
            Up::Y => ([0, 2], 1),
        };
        for (n, frame) in recording.frames.iter().enumerate().step_by(7) {
            for v in (0..base.len() / 3).step_by(11) {
                let h = flat.map(|k| f64::from(base[3 * v + k]));
                let mut shown = f64::from(base[3 * v + high]);
                for (t, target) in targets.iter().enumerate() {
                    shown += f64::from(weights[4 * n + t]) * f64::from(target[3 * v + high]);
                }
                let wave = |w: &WaveInfo| {
                    let k = w.wave_vector[0] * h[0] + w.wave_vector[1] * h[1];
                    w.amplitude * (k - w.angular_frequency * frame.time + w.phase).sin()
                };
                let truth = water.level + water.waves.iter().map(wave).sum::<f64>();
                assert!((shown - truth).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn glb_shares_meshes_and_does_not_animate_resting_bodies() {
    let mut recording = crate::support::demo(10);
    for frame in &mut recording.frames {
        frame.bodies[0] = BodyFrame {
            status: Status::Locked,
            position: DVec3::ONE,
            orientation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            omega_body: DVec3::ZERO,
        };
    }
    recording.header.bodies[1].color = recording.header.bodies[2].color;
    let file = bytes(&recording, Format::Glb);
    let (json, bin) = parts(&file);
    assert_eq!(channel(&json, bin, "red", "translation"), None);
    assert_eq!(channel(&json, bin, "red", "rotation"), None);
    assert!(channel(&json, bin, "amber", "translation").is_some());
    let nodes = json["nodes"].as_array().unwrap();
    let node = |name: &str| nodes.iter().find(|n| n["name"] == name).unwrap();
    assert_eq!(node("amber")["mesh"], node("teal")["mesh"]);
    assert_ne!(node("red")["mesh"], node("teal")["mesh"]);
    let positions = |name: &str| {
        let mesh = node(name)["mesh"].as_u64().unwrap() as usize;
        json["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"].clone()
    };
    assert_eq!(positions("red"), positions("teal"));
    assert_eq!(node("slab")["extras"]["mass"], 2.0);
}

#[test]
fn the_file_extension_selects_the_format() {
    assert_eq!(Format::from_path("a/b.GLB").unwrap(), Format::Glb);
    assert_eq!(Format::from_path("b.tar.csv").unwrap(), Format::Csv);
    assert_eq!(Format::from_path("b.html").unwrap(), Format::Html);
    for path in ["b.blend", "glb", ".svg", ""] {
        let error = Format::from_path(path).unwrap_err().to_string();
        for ending in [
            ".mcap", ".glb", ".usda", ".obj", ".csv", ".svg", ".png", ".html",
        ] {
            assert!(error.contains(ending), "{error}");
        }
    }
}

#[test]
fn outputs_are_checked_without_touching_them() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("there.csv"), "precious").unwrap();
    fs::create_dir(at("folder.csv")).unwrap();
    conatus_export::check_writable(at("there.csv")).unwrap();
    conatus_export::check_writable(at("new.csv")).unwrap();
    assert_eq!(fs::read_to_string(at("there.csv")).unwrap(), "precious");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let check = |name: &str| conatus_export::check_writable(at(name)).unwrap_err();
    assert!(matches!(check("no/new.csv"), ExportError::NoFolder { .. }));
    assert!(matches!(
        check("there.csv/new.csv"),
        ExportError::NotAFolder { .. }
    ));
    assert!(matches!(check("folder.csv"), ExportError::IsAFolder { .. }));
    assert!(check("no/new.csv").help().contains("mkdir"));
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let demo = crate::support::demo(3);
    for ending in ["mcap", "glb", "usda", "csv", "svg", "png"] {
        let path = folder.path().join(format!("run.{ending}"));
        fs::write(&path, "precious").unwrap();
        conatus_export::write_file(&demo, &path, &ExportOptions::default()).unwrap();
        assert_ne!(fs::read(&path).unwrap(), b"precious");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
    let back = Recording::read(folder.path().join("run.mcap")).unwrap();
    assert_eq!(back, demo);
    // A recording that cannot be written leaves the existing file unchanged.
    let mut wrong = demo;
    wrong.header.bodies[0].mass = f64::NAN;
    let path = folder.path().join("run.mcap");
    let before = fs::read(&path).unwrap();
    assert!(conatus_export::write_file(&wrong, &path, &ExportOptions::default()).is_err());
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 6);
}

#[test]
fn a_file_of_another_writer_appears_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    conatus_export::replace_file(&path, |out| {
        out.write_all(b"first").map_err(ExportError::Output)
    })
    .unwrap();
    let failed = conatus_export::replace_file(&path, |out| {
        out.write_all(b"second").map_err(ExportError::Output)?;
        Err(ExportError::DoesNotFit("so much".into()))
    });
    assert!(matches!(failed, Err(ExportError::DoesNotFit(_))));
    assert_eq!(fs::read(&path).unwrap(), b"first");
    let refused =
        conatus_export::write_file(&crate::support::demo(1), &path, &ExportOptions::default());
    assert!(matches!(refused, Err(ExportError::NeedsPage)));
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
