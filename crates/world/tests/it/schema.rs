//! The JSON Schema that `conatus schema` prints describes what really loads.

use conatus_world::scene::{LoadOptions, Scene, library, schema, template};

fn json_of(text: &str) -> serde_json::Value {
    conatus_world::scene::parse_toml::parse(text, 0)
        .unwrap()
        .to_json()
}

#[test]
fn every_built_in_scene_and_template_fits_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let templates = template::FAMILIES
        .iter()
        .map(|family| (*family, template::template(family).unwrap()));
    let scenes = library::SCENES.iter().map(|scene| (scene.name, scene.text));
    for (name, text) in scenes.chain(templates) {
        let json = json_of(text);
        let errors: Vec<String> = validator
            .iter_errors(&json)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

#[test]
fn a_misspelt_key_does_not_fit_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    assert!(validator.is_valid(&json_of("[[body]]\nname = 'a'\nmass = 1")));
    for text in [
        "[[body]]\nname = 'a'\nmasss = 1",
        "[[body]]\nshape.sphere.raduis = 1",
        "titel = 'x'",
        "gravity = [1, 2]",
        "time.integrator = 'rk5'",
        "[[cloth.piece]]\nshape.rectangle = { width = 1, heigth = 1 }",
        "cloth.response = 'rigid'",
        "[cloth.material.a]\nstiffness = 1",
        "[[obstacle]]\nkeyframe = [{ time = 0 }]",
    ] {
        assert!(!validator.is_valid(&json_of(text)), "{text}");
    }
}

#[test]
fn every_key_of_the_schema_is_described() {
    fn walk(value: &serde_json::Value, path: &str) {
        match value {
            serde_json::Value::Object(keys) => {
                if let Some(serde_json::Value::Object(properties)) = keys.get("properties") {
                    for (name, property) in properties {
                        // A choice such as `sphere` is described beside it.
                        let described =
                            property.get("description").is_some() || properties.len() == 1;
                        assert!(described, "{path}.{name} has no description");
                    }
                }
                for (name, value) in keys {
                    walk(value, &format!("{path}.{name}"));
                }
            }
            serde_json::Value::Array(values) => values.iter().for_each(|value| walk(value, path)),
            _ => {}
        }
    }
    walk(&schema(), "");
}

#[test]
fn every_built_in_scene_loads() {
    for scene in library::SCENES {
        let loaded = Scene::load(scene.name, &LoadOptions::default());
        assert!(loaded.is_ok(), "{}", loaded.unwrap_err());
    }
}
