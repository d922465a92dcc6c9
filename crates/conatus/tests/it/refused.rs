//! Scenes and files that need a feature which is off. The gate runs these tests with the
//! default features; `cargo test -p conatus --no-default-features` shows the refusals.

use conatus::prelude::*;
use conatus_world::scene::{Files, SourceText};

/// The message of a scene that cannot be simulated; none if it can be.
fn refusal(scene: &Scene) -> Option<String> {
    Simulation::new(scene).err().map(|error| error.to_string())
}

fn parsed(text: &str) -> Scene {
    let source = SourceText::new("mine.toml", text);
    let files = Files::in_memory([]);
    Scene::parse("mine", source, files, &LoadOptions::default()).unwrap()
}

#[test]
fn scenes_of_rigid_bodies_need_no_feature() {
    let cylon = Scene::load("cylon", &LoadOptions::default()).unwrap();
    assert_eq!(refusal(&cylon), None);
}

#[test]
fn cloth_and_obstacles_need_the_feature_cloth() {
    let scene = parsed(
        "[[obstacle]]\nshape.sphere.radius = 0.3\n\n\
         [[cloth.piece]]\nshape.disc = { radius = 0.2, rings = 4 }\nposition = [0, 0, 1]\n",
    );
    let expected = "mine.toml:4:1: `cloth.piece` needs the feature `cloth`, which this build does not have\n  \
                    help: enable the feature `cloth` of the crate `conatus`\n\
                    mine.toml:1:1: `obstacle` needs the feature `cloth`, which this build does not have\n  \
                    help: enable the feature `cloth` of the crate `conatus`";
    let expected = (!cfg!(feature = "cloth")).then(|| expected.to_owned());
    assert_eq!(refusal(&scene), expected);
}

#[test]
fn characters_and_goals_need_the_feature_motion() {
    let scene = parsed("seed = 1\n[[character]]\n\n[[goal]]\nkind = 'stand'\n");
    let expected = "mine.toml:2:1: `character` needs the feature `motion`, which this build does not have\n  \
                    help: enable the feature `motion` of the crate `conatus`\n\
                    mine.toml:4:1: `goal` needs the feature `motion`, which this build does not have\n  \
                    help: enable the feature `motion` of the crate `conatus`";
    let expected = (!cfg!(feature = "motion")).then(|| expected.to_owned());
    assert_eq!(refusal(&scene), expected);
}

/// Without the feature `motion` nothing knows the keys of a description.
#[test]
fn a_described_character_is_refused_as_well() {
    let scene = parsed(
        "[[character]]\nkind = 'own'\n[character.description]\nmass = 10\n\
         half_extents = [0.1, 0.1, 0.1]\n[character.description.pose.standing]\n\
         torso = { position = [0, 0, 0.1], forward = [1, 0, 0], up = [0, 0, 1] }\n",
    );
    if !cfg!(feature = "motion") {
        let message = refusal(&scene).unwrap();
        assert!(
            message.starts_with("mine.toml:1:1: `character` needs"),
            "{message}"
        );
    }
}

/// Bodies collide with characters by the code of cloth. Without it they would pass
/// through, which no message would have told.
#[test]
fn bodies_beside_characters_need_both_features() {
    let mut scene = SceneBuilder::new("crowd");
    scene.add_body(BodySpec::sphere(0.1).position([5.0, 0.0, 1.0]));
    scene.spec().character.push(CharacterSpec::human());
    let message = refusal(&scene.build().unwrap());
    let expected = match (cfg!(feature = "cloth"), cfg!(feature = "motion")) {
        (true, true) => None,
        (false, true) => Some("collisions of bodies with characters need the feature `cloth`"),
        (_, false) => Some("`character` needs the feature `motion`"),
    };
    match (message, expected) {
        (None, None) => {}
        (Some(message), Some(expected)) => assert!(message.contains(expected), "{message}"),
        (message, expected) => panic!("{message:?} instead of {expected:?}"),
    }
}

#[test]
fn a_file_of_another_format_needs_the_feature_export() {
    let mut scene = SceneBuilder::new("drop");
    scene.add_body(BodySpec::sphere(0.1));
    let run = scene.seconds(0.02).run().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let saved = run.save(folder.path().join("drop.csv"));
    match cfg!(feature = "export") {
        true => assert!(saved.is_ok()),
        false => assert!(saved.unwrap_err().to_string().contains("feature `export`")),
    }
    assert!(run.save(folder.path().join("drop.mcap")).is_ok());
}
