//! Errors in cloth and obstacles show their place and help. A run whose cloth simulation
//! stops ends with a message and keeps its frames.

mod pieces;
mod runs;
mod surroundings;

use crate::support::{assert_error_contains, conatus, folder};

/// A scene with one piece that has these keys.
fn piece(keys: &str) -> String {
    format!("[[cloth.piece]]\nname = \"sheet\"\n{keys}\n")
}

const SQUARE: &str = "shape.rectangle = { width = 1, height = 1, vertices = [5, 5] }";

/// The square, followed by more keys and tables.
fn square(more: &str) -> String {
    piece(&format!("{SQUARE}\n{more}"))
}

#[test]
fn set_changes_pieces_materials_and_obstacles() {
    let folder = folder();
    let check = |sets: &[&str]| {
        let mut arguments = vec!["check", "cloth-sphere"];
        for set in sets {
            arguments.extend(["--set", set]);
        }
        conatus(folder.path(), &arguments)
    };
    let output = check(&[
        "cloth.piece[0].shape.rectangle.vertices=[3, 4]",
        "cloth.piece.sheet.material=denim",
        "cloth.material.sheet.bend=1e-4",
        "obstacle.ball.position[2]=0.4",
    ]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(
        output.out.contains("12 vertices and 12 triangles, 0.4 kg"),
        "{}",
        output.out
    );
    for (set, what) in [
        (
            "cloth.piece[1].material=silk",
            "--set:1:12: `cloth.piece` has no element [1]",
        ),
        (
            "cloth.piece.shet.material=silk",
            "did you mean `cloth.piece.sheet`?",
        ),
        (
            "cloth.piece.sheet.materail=silk",
            "--set:1:19: unknown key `materail`",
        ),
        (
            "cloth.piece.sheet.material=slik",
            "--set:1:28: there is no material `slik`",
        ),
        (
            "cloth.piece[0].pin=[{ vertices = [0] }]",
            "--set:1:35: there is no vertex 0",
        ),
        ("cloth.wind[0]=NaN", "--set:1:15:"),
    ] {
        let output = check(&[set]);
        assert_eq!(output.code, 1, "{set}");
        assert_error_contains(&output, &[what]);
    }
}
