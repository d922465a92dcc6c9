//! Pictures and 3D scenes of a clip.

use crate::support::walker;
use conatus_record::clip::Clip;
use conatus_record::{Recording, Up};

fn glb(recording: &Recording) -> serde_json::Value {
    let mut bytes = Vec::new();
    conatus_export::glb::write(recording, &mut bytes).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

fn png(recording: &Recording, frames: usize) -> (usize, usize, Vec<u8>) {
    let mut bytes = Vec::new();
    conatus_export::png::write(recording, frames, &mut bytes).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width as usize, info.height as usize, pixels)
}

#[test]
fn the_nodes_of_a_character_are_children_of_a_node_with_its_name() {
    let json = glb(&walker::recording(walker::two(1.2)));
    let nodes = json["nodes"].as_array().unwrap();
    for name in ["walker", "friend"] {
        let group = |n: &&serde_json::Value| n["name"] == name && n["children"].is_array();
        let group = nodes.iter().find(group).unwrap();
        let children = group["children"].as_array().unwrap();
        assert_eq!(children.len(), 16);
        for child in children {
            let child = &nodes[child.as_u64().unwrap() as usize];
            let own = child["name"].as_str().unwrap();
            assert!(own.starts_with(&format!("{name}/")), "{own}");
        }
    }
    // Every part moves, and only the crate has vertex colours.
    let channels = json["animations"][0]["channels"].as_array().unwrap();
    assert!(channels.len() >= 2 * 32);
    let patterned = json["meshes"].as_array().unwrap().iter();
    let patterned = patterned.filter(|m| m["primitives"][0]["attributes"]["COLOR_0"].is_number());
    assert_eq!(patterned.count(), 1);
}

#[test]
fn a_character_is_a_group_in_usd() {
    let mut recording = walker::recording(walker::two(0.1));
    recording.header.scene = "pair".into();
    let mut text = Vec::new();
    conatus_export::usda::write(&recording, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    // Prims are indented by their depth: scene, character, part.
    for (depth, name) in [
        (4, "walker"),
        (4, "friend"),
        (8, "friend_torso"),
        (4, "crate"),
    ] {
        let line = format!("\n{}def Xform \"{name}\"", " ".repeat(depth));
        assert_eq!(text.matches(&line).count(), 1, "{name}");
    }
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

#[test]
fn a_sheet_of_a_clip_has_a_chart_at_its_foot() {
    let recording = walker::recording(walker::clip(1.0));
    let mut without = recording.clone();
    without.clip = None;
    let (width, height, pixels) = png(&recording, 3);
    let rows = recording.clip.as_ref().unwrap().chart().rows;
    let chart = 40 + 24 * rows.len() + 30;
    let line = |y: usize| pixels[3 * width * y..3 * width * (y + 1)].chunks_exact(3);
    let colored = |y: usize, color: [f32; 3]| {
        let wanted = color.map(|c| (c * 255.0).round() as u8);
        line(y).filter(|pixel| *pixel == wanted).count()
    };
    let middle = |row: usize| height - chart - 24 + 40 + 24 * row + 12;
    // The share of time that each foot stands is the share of its row.
    for (row, it) in rows.iter().enumerate() {
        let seconds: f64 = it.active.iter().map(|[from, to]| to - from).sum();
        let found = colored(middle(row), it.color) as f64 / 1400.0;
        assert!(
            (found - seconds).abs() < 0.12,
            "{}: {found} of {seconds}",
            it.label
        );
    }
    assert!(png(&without, 3).1 < height);
}

#[test]
fn characters_are_seen_from_the_front_in_any_walking_direction() {
    // A character that walks towards the camera is larger at the end.
    for turned in [false, true] {
        let mut clip = walker::clip(2.0);
        if turned {
            turn_round(&mut clip);
        }
        let (width, _, pixels) = png(&walker::recording(clip), 2);
        let mut blue = [0; 2];
        for (k, pixel) in pixels.chunks_exact(3).enumerate() {
            let [r, g, b] = [0, 1, 2].map(|c| i32::from(pixel[c]));
            if b > r + 30 && r < 110 && g < 140 {
                blue[usize::from(k % width >= width / 2)] += 1;
            }
        }
        let [first, last] = blue;
        assert!(first > 2000 && last > first * 11 / 10, "{first} to {last}");
    }
}

/// Half a turn about the vertical axis.
fn turn_round(clip: &mut Clip) {
    use conatus_math::{DQuat, DVec3};
    let turn = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
    let vectors = |list: &mut Vec<DVec3>| list.iter_mut().for_each(|v| *v = turn * *v);
    let turns = |list: &mut Vec<DQuat>| list.iter_mut().for_each(|q| *q = turn * *q);
    for character in &mut clip.characters {
        vectors(&mut character.torso.position);
        turns(&mut character.torso.orientation);
        for link in &mut character.links {
            vectors(&mut link.start);
            vectors(&mut link.end);
        }
        for effector in &mut character.effectors {
            vectors(&mut effector.position);
            turns(&mut effector.orientation);
            vectors(&mut effector.force);
            vectors(&mut effector.point);
        }
    }
    for target in &mut clip.targets {
        target.position = turn * target.position;
        target.direction = target.direction.map(|d| turn * d);
    }
}

#[test]
fn the_svg_sheet_of_a_clip_is_well_formed_xml_with_a_chart() {
    for up in [Up::Z, Up::Y] {
        let mut clip = walker::two(0.5);
        clip.up = up;
        clip.characters[1].effectors[0].name = "left <foot> & \"co\"".into();
        let mut recording = walker::recording(clip);
        recording.header.up = up;
        let mut text = Vec::new();
        conatus_export::svg::write(&recording, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
        for wanted in [
            "Contacts",
            "walker left foot",
            "friend left <foot> & \"co\"",
            "crate",
        ] {
            assert!(texts.contains(&wanted), "{wanted}");
        }
        assert!(!texts.iter().any(|s| s.contains("walker/")));
    }
}

#[test]
fn a_clip_without_limbs_or_effectors_is_still_drawn() {
    let mut clip = walker::clip(0.1);
    clip.characters[0].links.clear();
    clip.characters[0].effectors.clear();
    clip.characters[0].torso.half_extents = conatus_math::DVec3::ZERO;
    clip.phases.clear();
    let recording = walker::recording(clip);
    assert!(png(&recording, 2).1 > 100);
    for write in [svg, usd, |r: &Recording| drop(glb(r))] {
        write(&recording);
    }
    let clip = recording.clip.as_ref().unwrap();
    conatus_export::bvh::write(clip, &clip.characters[0], &mut Vec::new()).unwrap();
}

fn svg(recording: &Recording) {
    conatus_export::svg::write(recording, &mut Vec::new()).unwrap();
}

fn usd(recording: &Recording) {
    conatus_export::usda::write(recording, &mut Vec::new()).unwrap();
}
