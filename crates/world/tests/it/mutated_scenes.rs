//! No text, however broken, makes the scene reader panic: it returns a scene or an error
//! that can be shown.

use crate::mutation::texts::{HOPPER, SMALL_CLOTH, SMALL_MESH, originals};
use crate::mutation::{TOKENS, breaks, broken, with_wild_numbers};
use conatus_world::scene::{Files, LoadOptions, Scene, SourceText, library};
use proptest::prelude::*;

#[test]
fn the_small_cloth_itself_runs() {
    let files = Files::in_memory([]);
    let source = SourceText::new("scene.toml", SMALL_CLOTH);
    let scene = Scene::parse("small", source, files, &LoadOptions::default());
    let mut setup = scene.unwrap().build().unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..10 {
        setup.world.step();
    }
    assert!(
        !setup.world.is_halted(),
        "{:?}",
        setup.world.cloth_failure()
    );
}

fn load(name: &str, text: &str, sets: Vec<String>) {
    let options = LoadOptions {
        sets,
        ..LoadOptions::default()
    };
    let files = Files::in_memory([]);
    if let Err(error) = Scene::parse("broken", SourceText::new(name, text), files, &options) {
        assert!(!error.diagnostics().is_empty());
        for problem in error.diagnostics() {
            assert!(!problem.message.is_empty());
            assert!(
                error.place(problem).is_some(),
                "no place for {:?}",
                problem.message
            );
        }
        assert!(!error.to_string().is_empty());
    }
}

/// Loads, builds and runs a few steps; all results are finite.
fn load_build_and_run(text: &str, mesh: &str) {
    let files = Files::in_memory([("meshes/boat.obj".to_owned(), mesh.to_owned())]);
    let source = SourceText::new("scene.toml", text);
    let Ok(scene) = Scene::parse("wild", source, files, &LoadOptions::default()) else {
        return;
    };
    let copies = |b: &conatus_world::scene::model::BodySpec| {
        b.array.as_ref().map_or(1, |a| {
            a.count.iter().fold(1, |n: u64, c| n.saturating_mul(*c))
        })
    };
    if scene
        .file
        .body
        .iter()
        .map(copies)
        .fold(0, u64::saturating_add)
        > 1500
    {
        return;
    }
    // Large cloth is valid, but slow.
    let cloth = &scene.file.cloth;
    if cloth.resolution > 20 && !cloth.piece.is_empty() {
        return;
    }
    match scene.build() {
        Ok(mut setup) => {
            for _ in 0..3 {
                setup.world.step();
                let frame = setup.world.frame();
                for body in frame.bodies {
                    assert!(body.position.is_finite() && body.velocity.is_finite());
                }
                assert!(frame.cloth.iter().all(|vertex| vertex.is_finite()));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2 * ProptestConfig::default().cases))]

    #[test]
    fn wild_numbers_are_refused_or_run_without_panic(
        which in any::<usize>(),
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..5),
    ) {
        // Rigid scenes: full-size cloth with wild numbers takes minutes.
        let names = library::list();
        let rigid: Vec<_> = names.iter().filter(|scene| scene.family == "rigid").collect();
        let scene = library::find(rigid[which % rigid.len()].name).unwrap();
        let text = with_wild_numbers(scene.text, &wild);
        load_build_and_run(&text, library::mesh("boat.obj").unwrap());
    }

    #[test]
    fn wild_numbers_in_cloth_are_refused_or_run_without_panic(
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4),
    ) {
        load_build_and_run(&with_wild_numbers(SMALL_CLOTH, &wild), "");
    }

    #[test]
    fn wild_numbers_about_characters_are_refused_or_built_without_panic(
        wild in prop::collection::vec((any::<usize>(), any::<usize>()), 1..4),
    ) {
        load_build_and_run(&with_wild_numbers(HOPPER, &wild), "");
    }

    #[test]
    fn a_broken_mesh_is_refused_or_hangs_as_cloth(breaks in breaks()) {
        let scene = "time.step = 0.01\n[cloth]\nresolution = 2\n[[cloth.piece]]\n\
                     shape.mesh.file = \"meshes/boat.obj\"\nmaterial = \"silk\"\n\
                     pin = [{ vertices = [1] }]\n";
        load_build_and_run(scene, &broken(SMALL_MESH, &breaks));
    }

    #[test]
    fn a_broken_mesh_is_refused_or_floats(breaks in breaks()) {
        let mesh = broken(library::mesh("boat.obj").unwrap(), &breaks);
        load_build_and_run(library::find("water").unwrap().text, &mesh);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8 * ProptestConfig::default().cases))]

    #[test]
    fn a_broken_scene_never_panics(which in any::<usize>(), breaks in breaks()) {
        let originals = originals();
        let (name, text) = &originals[which % originals.len()];
        load(name, &broken(text, &breaks), Vec::new());
    }

    #[test]
    fn a_heap_of_tokens_never_panics(
        tokens in prop::collection::vec(0..TOKENS.len(), 0..60),
        json in any::<bool>(),
    ) {
        let text: String = tokens.iter().map(|&token| TOKENS[token]).collect();
        load(if json { "scene.json" } else { "scene.toml" }, &text, Vec::new());
    }

    #[test]
    fn any_set_argument_never_panics(
        cloth in any::<bool>(),
        argument in "(body|time|spring|command|cloth|piece|sheet|pin|\\[|\\]|[0-9]|\\.|=|mass|'|\"|ball-1|é| |nan|\\{|\\}){0,12}",
    ) {
        let scene = library::find(if cloth { "cloth-sphere" } else { "cylon" });
        load("scene.toml", scene.unwrap().text, vec![argument]);
    }
}
