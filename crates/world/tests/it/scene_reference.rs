//! docs/scenes.md leaves no key and no built-in scene out, and its examples run;
//! docs/behaviours.md shows every scene with characters.

use conatus_cloth::MATERIALS;
use conatus_world::scene::{Files, LoadOptions, Scene, SourceText, library, schema, template};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn reference() -> String {
    page("scenes.md")
}

fn page(name: &str) -> String {
    // A checkout may have converted the line ends.
    let text = std::fs::read_to_string(docs().join(name)).unwrap();
    text.replace("\r\n", "\n")
}

/// The page in two: its prose, and its fenced blocks with what follows the
/// fence (`toml`).
fn split(page: &str) -> (String, Vec<(String, String)>) {
    let mut prose = String::new();
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        let into = match (line.strip_prefix("```"), &mut open) {
            (Some(kind), None) => {
                open = Some((kind.to_owned(), String::new()));
                continue;
            }
            (Some(_), Some(_)) => {
                blocks.extend(open.take());
                continue;
            }
            (None, Some((_, block))) => block,
            (None, None) => &mut prose,
        };
        into.push_str(line);
        into.push('\n');
    }
    assert!(open.is_none(), "a block of docs/scenes.md is not closed");
    (prose, blocks)
}

/// Every key of every table, and every word to choose from, in a schema.
fn collect(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(entries) => {
            if let Some(Value::Object(properties)) = entries.get("properties") {
                found.extend(properties.keys().cloned());
            }
            found.extend(
                entries
                    .get("const")
                    .and_then(Value::as_str)
                    .map(|word| format!("\"{word}\"")),
            );
            entries.values().for_each(|value| collect(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

#[test]
fn every_key_and_choice_of_a_scene_is_in_the_reference() {
    let (prose, _) = split(&reference());
    let mut words = BTreeSet::new();
    collect(&schema(), &mut words);
    assert!(words.contains("steps_per_frame") && words.contains("\"rk4\""));
    let missing: Vec<&String> = words
        .iter()
        .filter(|word| !prose.contains(&format!("`{word}`")))
        .collect();
    assert!(missing.is_empty(), "not in docs/scenes.md: {missing:?}");
}

#[test]
fn every_built_in_scene_has_a_row_in_the_reference() {
    let (prose, _) = split(&reference());
    for scene in library::SCENES {
        let row = format!("\n| `{}` |", scene.name);
        assert!(prose.contains(&row), "{} has no row", scene.name);
    }
}

#[test]
fn every_scene_with_characters_has_a_section_with_a_picture() {
    let page = page("behaviours.md");
    let heading = |name: &str| page.find(&format!("\n### {name}\n"));
    for scene in library::list() {
        if scene.family != "motion" {
            continue;
        }
        let name = scene.name;
        let from = heading(name).unwrap_or_else(|| panic!("{name} has no section"));
        let section = &page[from + 1..];
        let section = &section[..section[1..].find("\n##").map_or(section.len(), |to| to + 1)];
        assert!(section.contains(&scene.title), "another title in {name}");
        let picture = format!("pictures/behaviours/{name}.png");
        assert!(section.contains(&format!("]({picture})")), "{name}");
        let size = std::fs::metadata(docs().join(&picture)).map(|m| m.len());
        let size = size.unwrap_or_else(|e| panic!("{picture}: {e}"));
        assert!((1000..100_000).contains(&size), "{picture}: {size} bytes");
    }
    // No section shows a scene that no longer exists.
    let names = page.lines().filter_map(|l| l.strip_prefix("### "));
    for name in names {
        assert!(library::list().iter().any(|s| s.name == name), "{name}");
    }
}

#[test]
fn the_examples_of_the_reference_run() {
    let (_, blocks) = split(&reference());
    let mut count = 0;
    for (kind, text) in blocks {
        if kind == "toml" && text.starts_with("# runs\n") {
            let setup = crate::support::from_text(&text, &[]);
            let mut setup = setup.unwrap_or_else(|error| panic!("{text}\n{error}"));
            let (report, _) = crate::support::run(&mut setup);
            assert!(report.succeeded(), "{text}\n{report:?}");
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} examples");
}

#[test]
fn the_json_example_is_a_scene() {
    let (_, blocks) = split(&reference());
    let json = blocks.iter().filter(|(kind, _)| kind == "json");
    let texts: Vec<&str> = json.map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts.len(), 1);
    let source = SourceText::new("scene.json", texts[0]);
    let scene = Scene::parse(
        "test",
        source,
        Files::in_memory([]),
        &LoadOptions::default(),
    );
    scene.unwrap().build().unwrap();
}

/// Once, the commented parts of the template's hammer began with `# `, so that
/// removing the `#` as the template instructs left a body without matter. It loaded, and
/// only building it failed.
#[test]
fn the_templates_run_as_they_are_and_with_every_key_to_try() {
    for family in template::FAMILIES {
        let template = template::template(family).unwrap();
        let tried = template::with_keys_to_try(template);
        for text in [template, &tried] {
            let mut setup =
                crate::support::from_text(text, &[]).unwrap_or_else(|error| panic!("{error}"));
            let (report, _) = crate::support::run(&mut setup);
            assert!(report.succeeded(), "{family}: {report:?}");
            let intersections = report.cloth.map_or(0, |cloth| cloth.intersections);
            assert_eq!(intersections, 0, "{family}");
        }
    }
}

/// The table of materials in the page is the one in the program.
#[test]
fn the_materials_of_the_reference_are_those_of_the_program() {
    let (prose, _) = split(&reference());
    let cells = |line: &str| -> Vec<String> {
        let cells = line.trim_matches('|').split('|');
        cells
            .map(|c| c.trim().trim_matches('`').to_owned())
            .collect()
    };
    let mut lines = prose.lines().skip_while(|l| !l.starts_with("| | unit |"));
    let names = cells(lines.next().unwrap());
    assert_eq!(names.len(), MATERIALS.len() + 3);
    let mut rows = 0;
    for line in lines.skip(1).take_while(|l| l.starts_with('|')) {
        let row = cells(line);
        for (name, material) in MATERIALS {
            let column = names.iter().position(|n| n == name).unwrap();
            let value = match row[0].as_str() {
                "density" => material.density,
                "stretch_warp" => material.stretch_warp,
                "stretch_weft" => material.stretch_weft,
                "shear" => material.shear,
                "compression" => material.compression,
                "bend" => material.bend,
                "damping_mass" => material.damping_mass,
                "damping_stiffness" => material.damping_stiffness,
                "drag_normal" => material.drag_normal,
                "drag_tangential" => material.drag_tangential,
                "thickness" => material.thickness,
                "friction" => material.friction,
                other => panic!("there is no `{other}` in a material"),
            };
            assert_eq!(row[column].parse(), Ok(value), "{} of {name}", row[0]);
        }
        rows += 1;
    }
    assert_eq!(rows, 12);
}
