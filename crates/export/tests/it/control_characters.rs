//! Control characters in the names and titles of a scene are never exported.

use crate::support::{cloth, walker};
use conatus_export::ExportOptions;
use conatus_record::Recording;
use std::fs;

/// Clears the screen, changes the window title, and breaks the line.
const HOSTILE: &str = "ball\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{7f}\r\nline";

fn with_hostile_names(mut recording: Recording) -> Recording {
    recording.header.scene = HOSTILE.into();
    for body in &mut recording.header.bodies {
        body.name += HOSTILE;
        if let Some(character) = &mut body.character {
            *character += HOSTILE;
        }
    }
    for piece in &mut recording.header.cloths {
        piece.name += HOSTILE;
    }
    if let Some(clip) = &mut recording.clip {
        for character in &mut clip.characters {
            character.name += HOSTILE;
        }
    }
    recording
}

/// A user downloaded a scene whose names held escape sequences, exported the run
/// and looked at the file with `cat`. The names cleared the terminal and changed
/// its title. No text that an exporter writes, and no note that it returns, may
/// hold a control character other than the line feeds of its format.
#[test]
fn no_export_passes_control_characters_on() {
    let folder = tempfile::tempdir().unwrap();
    let cloth = with_hostile_names(cloth::drape(4, 3));
    let clip = with_hostile_names(walker::recording(walker::two(0.2)));
    let mut texts = Vec::new();
    for (kind, recording) in [("cloth", cloth), ("clip", clip)] {
        let mut endings = vec!["glb", "usda", "obj", "csv", "svg"];
        if recording.clip.is_some() {
            endings.extend(["clip.json", "bvh"]);
        }
        for ending in endings {
            let path = folder.path().join(format!("{kind}.{ending}"));
            let options = ExportOptions { frames: Some(2) };
            let notes = conatus_export::write_file(&recording, &path, &options).unwrap();
            texts.extend(
                notes
                    .into_iter()
                    .map(|note| (format!("{ending} note"), note)),
            );
            texts.extend(match ending {
                "obj" => fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
                    .map(|text| (ending.to_owned(), text))
                    .collect(),
                "glb" => vec![(ending.to_owned(), names_of_glb(&fs::read(&path).unwrap()))],
                _ => vec![(ending.to_owned(), fs::read_to_string(&path).unwrap())],
            });
        }
    }
    assert!(texts.len() >= 14, "{}", texts.len());
    for (format, text) in texts {
        let control = |c: &char| c.is_control() && *c != '\n' && !(*c == '\t' && format == "bvh");
        assert_eq!(text.chars().find(control), None, "{format}");
    }
}

/// All names in the JSON of a `.glb`, as a reader gets them.
fn names_of_glb(bytes: &[u8]) -> String {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let mut names = Vec::new();
    for list in ["nodes", "meshes", "materials", "animations"] {
        let items = json[list].as_array().into_iter().flatten();
        names.extend(items.filter_map(|item| item["name"].as_str().map(String::from)));
    }
    assert!(names.len() > 3);
    names.join("\n")
}
