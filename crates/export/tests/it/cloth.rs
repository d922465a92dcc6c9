//! Cloth in every format.

use crate::support::cloth::drape;
use conatus_export::{ExportError, ExportOptions};
use conatus_math::DVec3;
use conatus_record::*;
use std::fs;
use std::path::Path;

fn written(recording: &Recording, path: &Path) -> Vec<String> {
    conatus_export::write_file(recording, path, &ExportOptions::default()).unwrap()
}

/// The objects of an OBJ file: names, vertices, triangles counted from 1.
type Object = (String, Vec<DVec3>, Vec<[usize; 3]>);

fn objects(text: &str) -> Vec<Object> {
    let mut out: Vec<Object> = Vec::new();
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let mut words = rest.split(' ');
        let mut number = || words.next().unwrap().parse::<f64>().unwrap();
        match kind {
            "#" => {}
            "o" => out.push((rest.into(), Vec::new(), Vec::new())),
            "v" => {
                let vertex = DVec3::new(number(), number(), number());
                out.last_mut().unwrap().1.push(vertex);
            }
            "f" => {
                let corners = [0; 3].map(|_| number() as usize);
                out.last_mut().unwrap().2.push(corners);
            }
            other => panic!("{other}"),
        }
    }
    out
}

#[test]
fn an_obj_folder_has_every_frame_with_exactly_the_recorded_positions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    let mut recording = drape(9, 11);
    recording.frames[3].cloth[5] = DVec3::new(-0.0, 5e-324, 1e300);
    written(&recording, &path);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 11);
    for (n, frame) in recording.frames.iter().enumerate() {
        let text = fs::read_to_string(path.join(format!("frame-{n:04}.obj"))).unwrap();
        let objects = objects(&text);
        let names: Vec<&str> = objects.iter().map(|o| o.0.as_str()).collect();
        assert_eq!(
            names,
            ["sheet", "first square", "second square", "ball", "funnel"]
        );
        let vertices: Vec<DVec3> = objects.iter().flat_map(|o| o.1.clone()).collect();
        for ((piece, range), object) in recording.header.cloth_pieces().zip(&objects) {
            assert_eq!(object.1, frame.cloth[range.clone()]);
            // Corners count through the whole file.
            assert_eq!(object.2.len(), piece.triangles.len());
            for (found, expected) in object.2.iter().zip(&piece.triangles) {
                for (found, expected) in found.iter().zip(expected) {
                    let expected = frame.cloth[range.start + *expected as usize];
                    assert_eq!(vertices[found - 1], expected);
                }
            }
        }
        let ball = &recording.header.meshes[0];
        let body = &frame.bodies[0];
        for (found, v) in objects[3].1.iter().zip(&ball.vertices) {
            assert_eq!(*found, body.position + body.orientation * *v);
        }
    }
}

#[test]
fn an_obj_describes_its_objects_and_planes_in_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    let mut recording = drape(4, 1);
    let ball = recording.header.bodies[0].clone();
    let solid = BodyInfo {
        name: "solid".into(),
        scripted: false,
        spheres: vec![(DVec3::ZERO, 0.34)],
        ..ball.clone()
    };
    let ghost = BodyInfo {
        name: "ghost".into(),
        spheres: Vec::new(),
        ..solid.clone()
    };
    // Cloth meets meshes only.
    let drawn = BodyInfo {
        name: "drawn".into(),
        mesh: None,
        ..solid.clone()
    };
    for body in [solid, ghost, drawn] {
        recording.header.bodies.push(body);
        let place = recording.frames[0].bodies[0];
        recording.frames[0].bodies.push(place);
    }
    written(&recording, &path);
    let text = fs::read_to_string(path.join("frame-0000.obj")).unwrap();
    let comments_and_names: Vec<&str> =
        text.lines().filter(|l| l.starts_with(['#', 'o'])).collect();
    assert_eq!(
        comments_and_names[2..],
        [
            "# plane through 0.0 0.0 0.0, normal 0.0 0.0 1.0",
            "# cloth",
            "o sheet",
            "# cloth",
            "o first square",
            "# cloth",
            "o second square",
            "# obstacle",
            "o ball",
            "# obstacle",
            "o funnel",
            "# body",
            "o solid",
            "# body that meets no cloth",
            "o ghost",
            "# body that meets no cloth",
            "o drawn",
        ]
    );
}

#[test]
fn an_obj_folder_is_thinned_evenly_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    let options = ExportOptions { frames: Some(3) };
    conatus_export::write_file(&drape(4, 11), &path, &options).unwrap();
    let mut names: Vec<_> = fs::read_dir(&path)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        ["frame-0000.obj", "frame-0005.obj", "frame-0010.obj"]
    );
}

#[test]
fn a_folder_is_replaced_only_if_it_contains_frames_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    written(&drape(4, 8), &path);
    written(&drape(4, 2), &path);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 2);
    for (name, content) in [("notes.txt", "# Conatus "), ("frame-0009.obj", "# mine\n")] {
        let precious = path.join(name);
        fs::write(&precious, content).unwrap();
        let error = conatus_export::check_writable(&path).unwrap_err();
        assert!(matches!(error, ExportError::NotOurFolder { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        let refused = conatus_export::write_file(&drape(4, 3), &path, &ExportOptions::default());
        assert!(refused.is_err());
        assert_eq!(fs::read_dir(&path).unwrap().count(), 3);
        fs::remove_file(precious).unwrap();
    }
    // A file of that name may be a user's mesh.
    let file = folder.path().join("mesh.obj");
    fs::write(&file, "v 0 0 0\n").unwrap();
    let error =
        conatus_export::write_file(&drape(4, 1), &file, &ExportOptions::default()).unwrap_err();
    assert!(matches!(error, ExportError::NotAFolder { .. }), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "v 0 0 0\n");
    // No temporary file is left.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_piece_that_is_not_finite_is_left_out_of_its_obj() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.obj");
    let mut recording = drape(4, 1);
    recording.frames[0].cloth[17].y = f64::NAN;
    recording.header.cloths[1].name = "first\nsquare".into();
    written(&recording, &path);
    let text = fs::read_to_string(path.join("frame-0000.obj")).unwrap();
    assert!(text.contains("# first\\nsquare is left out"), "{text}");
    assert!(!text.contains("NaN"));
    let vertices: usize = objects(&text).iter().map(|o| o.1.len()).sum();
    let corners = objects(&text).into_iter().flat_map(|o| o.2).flatten();
    assert!(corners.max().unwrap() <= vertices);
}

#[test]
fn csv_has_a_row_for_every_piece_with_its_mean_position() {
    let recording = drape(6, 3);
    let mut text = Vec::new();
    conatus_export::csv::write(&recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows.len(), 1 + 3 * (2 + 3));
    assert!(rows.iter().all(|row| row.len() == 17));
    let of_sheet: Vec<_> = rows.iter().filter(|row| row[2] == "sheet").collect();
    for (row, frame) in of_sheet.iter().zip(&recording.frames) {
        let mean = frame.cloth[..36].iter().sum::<DVec3>() / 36.0;
        let read = DVec3::new(
            row[3].parse().unwrap(),
            row[4].parse().unwrap(),
            row[5].parse().unwrap(),
        );
        assert_eq!(read, mean);
        assert!(row[6..16].iter().all(|cell| cell.is_empty()));
        assert_eq!(row[16], "cloth");
    }
    assert_eq!(rows[1][16], "scripted");
}

/// The JSON and the binary part of a `.glb` file, and the notes.
fn glb(recording: &Recording) -> (serde_json::Value, Vec<u8>, Vec<String>) {
    let mut file = Vec::new();
    let notes = conatus_export::glb::write(recording, &mut file).unwrap();
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap()) as usize;
    let json = serde_json::from_slice(&file[20..20 + length]).unwrap();
    (json, file[28 + length..].to_vec(), notes)
}

fn floats(json: &serde_json::Value, bin: &[u8], accessor: &serde_json::Value) -> Vec<f32> {
    let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
    let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
    let length = view["byteLength"].as_u64().unwrap() as usize;
    let bytes = &bin[start..start + length];
    let number = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
    bytes.chunks_exact(4).map(number).collect()
}

#[test]
fn glb_has_the_recorded_cloth_positions_at_every_key() {
    let recording = drape(7, 12);
    let (json, bin, notes) = glb(&recording);
    assert!(notes.is_empty());
    let nodes = json["nodes"].as_array().unwrap();
    for (piece, range) in recording.header.cloth_pieces() {
        let at = nodes.iter().position(|n| n["name"] == piece.name).unwrap();
        let mesh = &json["meshes"][nodes[at]["mesh"].as_u64().unwrap() as usize];
        let primitive = &mesh["primitives"][0];
        let material = primitive["material"].as_u64().unwrap() as usize;
        assert_eq!(json["materials"][material]["doubleSided"], true);
        let base = floats(&json, &bin, &primitive["attributes"]["POSITION"]);
        let targets: Vec<Vec<f32>> = primitive["targets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| floats(&json, &bin, &t["POSITION"]))
            .collect();
        assert_eq!(targets.len(), 11);
        let animation = &json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let channel = channels.iter().find(|c| c["target"]["node"] == at).unwrap();
        assert_eq!(channel["target"]["path"], "weights");
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        let weights = floats(&json, &bin, &sampler["output"]);
        for (key, frame) in recording.frames.iter().enumerate() {
            let weights = &weights[11 * key..11 * (key + 1)];
            for (v, vertex) in frame.cloth[range.clone()].iter().enumerate() {
                for axis in 0..3 {
                    let k = 3 * v + axis;
                    let moved = targets.iter().zip(weights).map(|(t, w)| t[k] * w);
                    let shown = f64::from(base[k] + moved.sum::<f32>());
                    assert!((shown - vertex[axis]).abs() < 1e-6);
                }
            }
        }
    }
}

#[test]
fn glb_thins_long_clips_of_cloth_with_a_note() {
    let (json, bin, notes) = glb(&drape(5, 700));
    assert_eq!(notes.len(), 1);
    assert!(notes[0].contains("256 of 700 frames"), "{}", notes[0]);
    let targets = json["meshes"].as_array().unwrap().iter();
    let most = targets
        .filter_map(|m| m["primitives"][0]["targets"].as_array())
        .map(Vec::len)
        .max();
    assert_eq!(most, Some(255));
    // Bodies keep all of their keys, cloth spans the same time.
    let animation = &json["animations"][0];
    let mut ends: Vec<(usize, f32)> = Vec::new();
    for sampler in animation["samplers"].as_array().unwrap() {
        let times = floats(&json, &bin, &sampler["input"]);
        ends.push((times.len(), *times.last().unwrap()));
    }
    let count = |n: usize| ends.iter().filter(|(len, _)| *len == n).count();
    assert!(count(700) > 0 && count(256) == 1, "{ends:?}");
    assert!(ends.iter().all(|(_, end)| *end == ends[0].1));
}

#[test]
fn usda_has_the_points_of_every_frame_and_animates_only_moving_things() {
    let mut recording = drape(5, 6);
    recording.header.cloths[2].name = "first square".into();
    recording.header.scene = "2 \"sheets\"".into();
    let mut text = Vec::new();
    conatus_export::usda::write(&recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for part in [
        "#usda 1.0\n",
        "defaultPrim = \"_2__sheets_\"",
        "displayName = \"2 \\\"sheets\\\"\"",
        "metersPerUnit = 1\n",
        "upAxis = \"Z\"",
        "startTimeCode = 0\n",
        "endTimeCode = 5\n",
        "timeCodesPerSecond = 60\n",
        "def Mesh \"sheet\"",
        "def Mesh \"first_square\"",
        "def Mesh \"first_square_2\"",
        "def Xform \"funnel\"",
        "double3 xformOp:translate = (1.1, 0, 0.75)",
        "double3 xformOp:translate.timeSamples = {",
        "uniform token subdivisionScheme = \"none\"",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert_eq!(text.matches("points.timeSamples").count(), 3);
    assert_eq!(text.matches("extent.timeSamples").count(), 3);
    assert_eq!(text.matches("translate.timeSamples").count(), 1);
    // The points of the last frame, read back.
    let at = text.find("point3f[] points.timeSamples").unwrap();
    let line = text[at..].lines().find(|l| l.trim().starts_with("5: ["));
    let numbers: Vec<f32> = line
        .unwrap()
        .split(['(', ')', ',', ' ', '[', ']'])
        .skip_while(|word| !word.ends_with(':'))
        .filter_map(|word| word.parse().ok())
        .collect();
    let expected = recording.frames[5].cloth[..25].iter();
    let expected: Vec<f32> = expected
        .flat_map(|v| v.to_array().map(|v| v as f32))
        .collect();
    assert_eq!(numbers, expected);
}

#[test]
fn usda_writes_shared_surfaces_once() {
    let mut recording = crate::support::demo(3);
    let mut text = Vec::new();
    conatus_export::usda::write(&recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text.matches("references = </bounce/Shapes/shape_1>")
            .count(),
        3
    );
    // Three surfaces and the ground.
    assert_eq!(text.matches("int[] faceVertexIndices").count(), 4);
    for body in &mut recording.header.bodies {
        body.mesh = None;
        body.spheres = vec![(DVec3::X, 0.5)];
    }
    let mut text = Vec::new();
    conatus_export::usda::write(&recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(text.matches("int[] faceVertexIndices").count(), 2);
}

/// Recordings with unusual cloth.
fn unusual_recordings() -> Vec<Recording> {
    let mut blown_up = drape(6, 5);
    for (n, frame) in blown_up.frames.iter_mut().enumerate().skip(1) {
        frame.cloth[n] = DVec3::new(f64::NAN, 1e308, f64::NEG_INFINITY);
        frame.cloth[n + 7] *= 1e200;
    }
    let mut gone = drape(4, 2);
    gone.frames[1].cloth.fill(DVec3::NAN);
    let mut empty = drape(4, 3);
    empty.header.cloths[0].triangles.clear();
    empty.header.cloths.push(ClothInfo {
        name: String::new(),
        color: [2.0, -1.0, 0.5],
        thickness: 0.0,
        vertices: 0,
        triangles: Vec::new(),
    });
    let mut flat = drape(4, 3);
    flat.frames
        .iter_mut()
        .for_each(|f| f.cloth.fill(DVec3::ZERO));
    let mut alone = drape(9, 4);
    alone.header.bodies.clear();
    alone.header.planes.clear();
    alone.frames.iter_mut().for_each(|f| f.bodies.clear());
    let mut y_up = drape(6, 3);
    y_up.header.up = Up::Y;
    vec![
        blown_up,
        gone,
        empty,
        flat,
        alone,
        y_up,
        drape(5, 1),
        drape(5, 0),
    ]
}

#[test]
fn every_exporter_accepts_unusual_cloth() {
    let folder = tempfile::tempdir().unwrap();
    for (n, recording) in unusual_recordings().into_iter().enumerate() {
        for ending in ["glb", "usda", "obj", "csv", "svg", "png"] {
            let path = folder.path().join(format!("{n}.{ending}"));
            written(&recording, &path);
        }
        let svg = fs::read_to_string(folder.path().join(format!("{n}.svg"))).unwrap();
        roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{n}: {e}"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{n}");
        let usda = fs::read_to_string(folder.path().join(format!("{n}.usda"))).unwrap();
        let usda = usda.replace("info:id", "");
        assert!(!usda.contains("NaN") && !usda.contains("inf"), "{n}");
    }
}

#[test]
fn svg_shows_cloth_in_pictures_side_by_side_and_stays_small() {
    let mut text = Vec::new();
    conatus_export::svg::write(&drape(101, 13), &mut text).unwrap();
    assert!(text.len() < 650_000, "{} bytes", text.len());
    let text = String::from_utf8(text).unwrap();
    for part in ["3 pieces of cloth", "first square", "0.2 s</text>"] {
        assert!(text.contains(part), "{part}");
    }
}
