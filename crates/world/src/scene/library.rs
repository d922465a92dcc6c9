//! The scenes and meshes that come with the program.
//!
//! They are the files of the project's `scenes/` folder, embedded in the program so that
//! `conatus run cylon` works wherever it is installed.

use super::model::SceneFile;
use super::{de, parse_toml};

/// A scene that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// The name to run it by.
    pub name: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// Every scene that comes with the program, by name.
        pub const SCENES: &[BuiltIn] = &[$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../scenes/", $name, ".toml")),
        }),*];
    };
}

macro_rules! meshes {
    ($($name:literal),* $(,)?) => {
        /// Every mesh that comes with the program: its file name and its text.
        pub const MESHES: &[(&str, &str)] = &[$((
            $name,
            include_str!(concat!("../../scenes/meshes/", $name)),
        )),*];
    };
}

// One line for each file of scenes/ and scenes/meshes/; a test compares.
scenes![
    "arch",
    "billiards",
    "boats",
    "boost",
    "bounce-and-slide",
    "box-and-cylinder",
    "box-stack",
    "bullet",
    "caped-walker",
    "car",
    "card-house",
    "carry",
    "carry-heavy",
    "carry-tray",
    "catch",
    "chain",
    "climb",
    "climb-tall",
    "climb-wall",
    "cloth-sphere",
    "cradle",
    "crane",
    "crawl",
    "crushed-cylinder",
    "cylon",
    "dominoes",
    "flag",
    "funnel",
    "funnel-low",
    "gas",
    "get-up-back",
    "get-up-front",
    "gyroscope",
    "hammock",
    "handover",
    "handstand",
    "handstand-walk",
    "heavy-top",
    "hexapod-walk",
    "hurdle",
    "hurdle-thin",
    "jump",
    "kick",
    "kick-ball",
    "merging",
    "pile",
    "punch",
    "push",
    "pyramid",
    "quadruped-climb",
    "quadruped-trot",
    "ragdoll-stairs",
    "rattleback",
    "ribbon",
    "shared-load",
    "shelf",
    "sit-up",
    "slope-walk",
    "spinning-coin",
    "spring-chain",
    "squares-incline",
    "squares-plane",
    "stairs",
    "stand",
    "step-over",
    "tablecloth",
    "throw",
    "trampoline",
    "tumbling-top",
    "under-bar",
    "walk",
    "walk-turn",
    "walker-curtain",
    "water",
    "wide-human-carry",
    "wide-human-walk",
    "workload",
    "wrecking-ball",
];
meshes!["boat.obj"];

/// What `conatus list` prints about a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The name to run it by.
    pub name: &'static str,
    /// The kind of scene: `rigid`, `cloth` or `motion`.
    pub family: &'static str,
    /// What happens in it.
    pub title: String,
    /// The document and section that it illustrates.
    pub shows: String,
}

/// A built-in scene by its name.
pub fn find(name: &str) -> Option<&'static BuiltIn> {
    SCENES.iter().find(|scene| scene.name == name)
}

/// The text of a built-in mesh, named as scenes name it: `meshes/hull.obj`.
pub fn mesh(file: &str) -> Option<&'static str> {
    let name = file.strip_prefix("./").unwrap_or(file);
    let name = name.strip_prefix("meshes/").unwrap_or(name);
    let (_, text) = MESHES.iter().find(|(mesh, _)| *mesh == name)?;
    Some(text)
}

/// All built-in scenes, by family and then by name.
pub fn list() -> Vec<Listing> {
    let mut scenes: Vec<Listing> = SCENES
        .iter()
        .map(|scene| {
            let file: SceneFile = parse_toml::parse(scene.text, 0)
                .ok()
                .and_then(|tree| de::from_node(&tree).ok())
                .unwrap_or_default();
            Listing {
                name: scene.name,
                family: family(&file),
                title: file.title.unwrap_or_default(),
                shows: file.shows.unwrap_or_default(),
            }
        })
        .collect();
    scenes.sort_by_key(|scene| (scene.family, scene.name));
    scenes
}

/// The kind of a scene, from its contents.
pub fn family(file: &SceneFile) -> &'static str {
    if !file.character.is_empty() {
        "motion"
    } else if !file.cloth.piece.is_empty() {
        "cloth"
    } else {
        "rigid"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn files(folder: &str, ending: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let Ok(entries) = std::fs::read_dir(folder) else {
            return BTreeSet::new();
        };
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(ending))
            .collect()
    }

    #[test]
    fn every_scene_file_is_built_in() {
        let built_in = SCENES.iter().map(|scene| format!("{}.toml", scene.name));
        assert_eq!(built_in.collect::<BTreeSet<_>>(), files("scenes", ".toml"));
    }

    #[test]
    fn every_mesh_file_is_built_in() {
        let built_in = MESHES.iter().map(|(name, _)| (*name).to_owned());
        assert_eq!(
            built_in.collect::<BTreeSet<_>>(),
            files("scenes/meshes", ".obj")
        );
    }

    #[test]
    fn every_built_in_scene_has_a_title_and_a_source() {
        for scene in list() {
            assert!(!scene.title.is_empty(), "{} has no title", scene.name);
            assert!(!scene.shows.is_empty(), "{} shows nothing", scene.name);
            assert!(!scene.title.contains('\n') && !scene.shows.contains('\n'));
        }
    }
}
