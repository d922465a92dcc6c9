//! Writes a scene as the text of a scene file, so that a scene that was described
//! in code can be checked, recorded and run again like any other.

use super::diagnostic::{Diagnostic, SceneError};
use super::files::Files;
use super::load::{LoadOptions, Scene};
use super::model::*;
use serde::Serialize;
use toml::{Table, Value};

impl SceneFile {
    /// The scene as TOML. Keys with their default values are left out.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let mut table = Table::try_from(self)?;
        // An element of a list is compared with the default of its kind.
        prune_list(&mut table, "body", &BodySpec::default())?;
        prune_list(&mut table, "obstacle", &ObstacleSpec::default())?;
        prune_list(&mut table, "joint", &JointSpec::default())?;
        prune_list(&mut table, "import", &ImportSpec::default())?;
        prune_list(&mut table, "drag", &DragSpec::default())?;
        prune_list(&mut table, "push", &PushSpec::default())?;
        prune_list(&mut table, "character", &CharacterSpec::default())?;
        prune_list(&mut table, "object", &ObjectSpec::default())?;
        if let Some(Value::Table(cloth)) = table.get_mut("cloth") {
            prune_list(cloth, "piece", &ClothPieceSpec::default())?;
            if let Some(Value::Array(pieces)) = cloth.get_mut("piece") {
                for piece in pieces.iter_mut().filter_map(Value::as_table_mut) {
                    prune_list(piece, "pin", &ClothPinSpec::default())?;
                }
            }
        }
        prune(&mut table, &Table::try_from(Self::default())?);
        toml::to_string(&table)
    }
}

/// Removes the keys of every table of a list that are as in `default`.
fn prune_list<T: Serialize>(
    table: &mut Table,
    key: &str,
    default: &T,
) -> Result<(), toml::ser::Error> {
    let default = Table::try_from(default)?;
    if let Some(Value::Array(list)) = table.get_mut(key) {
        for element in list.iter_mut().filter_map(Value::as_table_mut) {
            prune(element, &default);
        }
    }
    Ok(())
}

/// Removes the keys that are as in `default`.
fn prune(table: &mut Table, default: &Table) {
    table.retain(|key, value| match (value, default.get(key)) {
        (Value::Table(inner), Some(Value::Table(default))) => {
            prune(inner, default);
            !inner.is_empty()
        }
        (value, Some(default)) => value != default,
        (_, None) => true,
    });
}

impl Scene {
    /// A scene that was described in code. It goes through the text of a scene
    /// file, so that it is checked by the same code, its recordings carry it, and
    /// messages can show the place of a mistake.
    pub fn from_spec(
        name: &str,
        spec: &SceneFile,
        files: Files,
        options: &LoadOptions,
    ) -> Result<Self, SceneError> {
        let text = spec.to_toml().map_err(|error| {
            let message = format!("the scene cannot be written as TOML: {error}");
            let help = "numbers must fit TOML: integers up to 2^63 − 1";
            SceneError::placeless(Diagnostic::new(message).help(help))
        })?;
        let source = super::SourceText::new(format!("{name}.toml"), text);
        Self::parse(name, source, files, options)
    }
}
