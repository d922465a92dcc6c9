//! Refuses scenes that need a feature of the crate which is off, before anything else is
//! checked.

use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::{BodySpec, SceneFile};

/// Which optional features a build has.
#[derive(Clone, Copy)]
struct Features {
    cloth: bool,
    motion: bool,
}

/// The features of this build.
const ENABLED: Features = Features {
    cloth: cfg!(feature = "cloth"),
    motion: cfg!(feature = "motion"),
};

/// Reports what the scene contains but this build cannot simulate. False if the scene must
/// not be built.
pub fn check(file: &SceneFile, diagnostics: &mut Diagnostics) -> bool {
    check_with(ENABLED, file, diagnostics)
}

fn check_with(enabled: Features, file: &SceneFile, diagnostics: &mut Diagnostics) -> bool {
    let before = diagnostics.len();
    let Features { cloth, motion } = enabled;
    let lists = [
        ("cloth.piece", file.cloth.piece.len(), "cloth", cloth),
        ("obstacle", file.obstacle.len(), "cloth", cloth),
        ("character", file.character.len(), "motion", motion),
        ("object", file.object.len(), "motion", motion),
        ("goal", file.goal.len(), "motion", motion),
    ];
    for (key, count, feature, is_enabled) in lists {
        if count > 0 && !is_enabled {
            diagnostics.at(
                &format!("{key}[0]"),
                format!("`{key}` needs the feature `{feature}`, which this build does not have"),
                format!("enable the feature `{feature}` of the crate `conatus`"),
            );
        }
    }
    // The collisions of bodies with characters are those with obstacles.
    if !file.character.is_empty()
        && motion
        && !cloth
        && let Some(body) = file.body.iter().position(collides)
    {
        diagnostics.at(
            &format!("body[{body}]"),
            "collisions of bodies with characters need the feature `cloth`, which this build does not have",
            "enable the feature `cloth` of the crate `conatus`, or set `collides = false`",
        );
    }
    diagnostics.len() == before
}

/// Whether a body can touch anything.
fn collides(body: &BodySpec) -> bool {
    let has_shape = body.shape.is_some() || !body.parts.is_empty();
    has_shape && body.collides != Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Files, LoadOptions, Scene, SourceText};

    const WHOLE: &str = "\
[[body]]
shape.sphere.radius = 1
mass = 1

[[character]]
name = 'ben'
[[object]]
shape.sphere.radius = 0.1
[[goal]]
kind = 'stand'

[[obstacle]]
shape.sphere.radius = 1
[[cloth.piece]]
shape.disc = { radius = 1, rings = 4 }
";

    /// The refusals of a scene in a build with these features.
    fn refusals(text: &str, cloth: bool, motion: bool) -> Vec<String> {
        let source = SourceText::new("a.toml", text);
        let files = Files::in_memory([]);
        let scene = Scene::parse("a", source, files, &LoadOptions::default()).unwrap();
        let mut diagnostics = scene.diagnostics();
        let accepted = check_with(Features { cloth, motion }, &scene.file, &mut diagnostics);
        assert_eq!(accepted, diagnostics.is_empty());
        match diagnostics.finish() {
            Ok(_) => Vec::new(),
            Err(error) => error.to_string().lines().map(str::to_owned).collect(),
        }
    }

    #[test]
    fn what_needs_a_feature_that_is_off_is_refused_at_its_place() {
        assert!(refusals(WHOLE, true, true).is_empty());
        let cloth = [
            "a.toml:14:1: `cloth.piece` needs the feature `cloth`, which this build does not have",
            "  help: enable the feature `cloth` of the crate `conatus`",
            "a.toml:12:1: `obstacle` needs the feature `cloth`, which this build does not have",
            "  help: enable the feature `cloth` of the crate `conatus`",
        ];
        let motion = [
            "a.toml:5:1: `character` needs the feature `motion`, which this build does not have",
            "  help: enable the feature `motion` of the crate `conatus`",
            "a.toml:7:1: `object` needs the feature `motion`, which this build does not have",
            "  help: enable the feature `motion` of the crate `conatus`",
            "a.toml:9:1: `goal` needs the feature `motion`, which this build does not have",
            "  help: enable the feature `motion` of the crate `conatus`",
        ];
        assert_eq!(refusals(WHOLE, true, false), motion);
        assert_eq!(
            refusals(WHOLE, false, false),
            [&cloth[..], &motion].concat()
        );
        assert_eq!(refusals(WHOLE, false, true)[..4], cloth);
    }

    /// Bodies would fall through characters, because that collision is part of cloth.
    #[test]
    fn bodies_that_collide_with_characters_need_cloth() {
        let scene = |body: &str| format!("[[character]]\n[[body]]\nmass = 1\n[[body]]\n{body}");
        let refused = refusals(&scene("shape.sphere.radius = 1"), false, true);
        assert!(
            refused[0].starts_with("a.toml:4:1: collisions of bodies"),
            "{refused:?}"
        );
        assert_eq!(refused.len(), 2);
        let ghost = scene("shape.sphere.radius = 1\ncollides = false");
        assert!(refusals(&ghost, false, true).is_empty());
        let alone = "[[body]]\nshape.sphere.radius = 1";
        assert!(refusals(alone, false, false).is_empty());
    }
}
