//! The JSON Schema that `conatus schema` prints describes every key. Whether scenes fit
//! it is checked by `xtask/schema-checker`.

use conatus_world::scene::{LoadOptions, Scene, library, schema};

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
