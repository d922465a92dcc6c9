//! Pieces of cloth themselves: their meshes, pins, sizes, settings and materials.

use super::{piece, square};
use crate::support::{
    ProgramOutput, assert_error_contains, assert_scene_refused, assert_scene_refused_with, conatus,
    folder,
};
use std::fs;

fn mesh(obj: &str) -> ProgramOutput {
    let scene = piece("shape.mesh.file = \"m.obj\"");
    assert_scene_refused_with("s.toml", scene, &[("m.obj", obj)])
}

#[test]
fn meshes_that_cannot_be_cloth_are_refused_by_triangle_and_vertex() {
    let square = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    for (obj, what, remedy) in [
        (
            format!("{square}v 0.5 0.5 1\nf 1 2 3\nf 3 2 4\nf 3 2 5\n"),
            "the triangles 1, 2 and 3 all meet at the edge between the vertices 2 and 3",
            "leave two of them there",
        ),
        (
            format!("{square}f 1 2 3\nf 2 3 4\n"),
            "the triangles 1 and 2, neighbours at the edge between the vertices 2 and 3, face opposite sides",
            "turn one of them over",
        ),
        (
            format!("{square}v 2 2 0\nv 3 3 0\nf 1 2 3\nf 3 2 4\nf 4 5 6\n"),
            "triangle 3 has no area",
            "move a corner or remove the triangle",
        ),
        (
            format!("{square}v 1 1 0\nv 2 1 0\nv 2 2 0\nf 1 2 3\nf 3 2 4\nf 5 6 7\n"),
            "the vertices 4 and 5 lie in the same place",
            "merge them",
        ),
        (
            format!("{square}v 9 9 9\nf 1 2 3\nf 3 2 4\n"),
            "vertex 5 belongs to no triangle",
            "remove it",
        ),
        (
            format!("{square}f 1 2 3\nf 3 2 4\nf 4 4 1\n"),
            "triangle 3 uses vertex 4 twice",
            "remove the triangle",
        ),
    ] {
        let output = mesh(&obj);
        assert_error_contains(
            &output,
            &["s.toml:3:", "this mesh cannot be cloth", what, remedy],
        );
    }
    assert_error_contains(&mesh("v 0 0 0\nf 1 2 3\n"), &["m.obj:2:5:"]);
    assert_error_contains(&mesh("v 0 0 0\nv 1 0 nan\n"), &["m.obj:2:7:"]);
    let none = assert_scene_refused("s.toml", piece("shape.mesh.file = \"m.obj\""));
    assert_error_contains(&none, &["s.toml:3:19:", "m.obj", "no such file", "help:"]);
}

#[test]
fn pins_and_springs_of_missing_vertices_are_refused() {
    for (keys, place, what, remedy) in [
        (
            "pin = [{ vertices = [1, 26] }]",
            "4:25",
            "there is no vertex 26; the piece has 25",
            "counted from 1",
        ),
        (
            "pin = [{ vertices = [0] }]",
            "4:22",
            "there is no vertex 0",
            "counted from 1",
        ),
        ("pin = [{}]", "4:8", "this pin holds no vertex", "`within`"),
        (
            "pin = [{ within = [[5, 5, 5], [6, 6, 6]] }]",
            "4:8",
            "this pin holds no vertex",
            "`vertices`",
        ),
        (
            "spring = [{ vertices = [99], stiffness = 1 }]",
            "4:25",
            "there is no vertex 99",
            "counted from 1",
        ),
        (
            "spring = [{ vertices = [1], stiffness = -1 }]",
            "4:41",
            "the stiffness is -1",
            "zero or a positive",
        ),
    ] {
        let output = assert_scene_refused("s.toml", square(keys));
        assert_error_contains(&output, &[&format!("s.toml:{place}: {what}"), remedy]);
    }
    let disc = piece("shape.disc = { radius = 1, rings = 3 }\npin = [{ corners = true }]");
    assert_error_contains(
        &assert_scene_refused("s.toml", disc),
        &["s.toml:4:20: only a rectangle has corners", "`within`"],
    );
}

#[test]
fn shapes_of_cloth_with_invalid_sizes_or_counts_are_refused() {
    // The wrong value is between two stars.
    for (shape, what) in [
        (
            "rectangle = { width = *-1*, height = 1 }",
            "the width is -1",
        ),
        ("rectangle = { width = 1, height = *0* }", "the height is 0"),
        // Once, the number of vertices overflowed here.
        (
            "rectangle = { width = *-1e300*, height = -1e-300 }",
            "the width is -1e300",
        ),
        (
            "rectangle = { width = 1, height = 1, vertices = *[1, 9]* }",
            "too few",
        ),
        (
            "rectangle = { width = 1, height = 1, vertices = *[4000000000, 4000000000]* }",
            "16000000000000000000 vertices",
        ),
        ("disc = { radius = *0*, rings = 3 }", "the radius is 0"),
        ("disc = { radius = 1, rings = *0* }", "too few"),
        // Once, only the rings were counted, not the vertices in them.
        (
            "disc = { radius = 1, rings = *900000* }",
            "2430002700001 vertices",
        ),
        (
            "cylinder = { radius = 1, height = 1, vertices = *[2, 4]* }",
            "too few",
        ),
        (
            "sphere = { radius = 1, subdivisions = *40* }",
            "cut into four 40 times",
        ),
    ] {
        let column = "shape.".len() + shape.find('*').unwrap() + 1;
        let keys = format!("shape.{}", shape.replace('*', ""));
        let output = assert_scene_refused("s.toml", piece(&keys));
        assert_error_contains(&output, &[&format!("s.toml:3:{column}: "), what, "help:"]);
    }
    assert_error_contains(
        &assert_scene_refused("s.toml", piece("position = [0, 0, 1]")),
        &[
            "s.toml:1:1: the piece `sheet` has no shape",
            "shape.rectangle",
        ],
    );
    assert_error_contains(
        &assert_scene_refused("s.toml", square("position = [1e7, 0, 0]")),
        &["s.toml:4:12:", "more than 1000000 m from the origin"],
    );
    assert_error_contains(
        &assert_scene_refused("s.toml", square("velocity = [0, 2e4, 0]")),
        &["s.toml:4:12:", "faster than 10000 m/s"],
    );
    let twice = format!("{}position = [0, 0, 2]\n{}", square(""), square(""));
    assert_error_contains(
        &assert_scene_refused("s.toml", twice),
        &["s.toml:", "the name `sheet` is used twice"],
    );
}

#[test]
fn settings_of_cloth_out_of_range_are_refused() {
    let plain = piece("shape.rectangle = { width = 1, height = 1 }");
    for (key, value, what) in [
        // Once, zero minus one overflowed here.
        ("resolution", "0", "0 vertices along a side"),
        ("resolution", "1", "1 vertices along a side"),
        (
            "resolution",
            "1000000000",
            "1000000000 vertices along a side",
        ),
        ("resolution", "9999", "99980001 vertices"),
        ("resolution", "-3", "expected"),
        ("thickness", "-0.01", "the thickness is -0.01"),
        ("thickness", "0", "the thickness is 0"),
        ("friction", "-1", "the friction is -1"),
        ("restore", "0", "the share to restore is 0"),
        ("restore", "2", "`restore` is 2"),
        ("longest", "0.5", "0.5 times"),
        ("sweeps", "100000", "`sweeps` is 100000"),
        ("passes", "1001", "`passes` is 1001"),
        ("newton_iterations", "0", "`newton_iterations` is 0"),
        ("smallest_step", "1e-300", "`smallest_step` is 1e-300"),
        ("tolerance", "1", "`tolerance` is 1"),
        ("response", "\"rigid\"", "`rigid`"),
        ("wind", "[nan, 0, 0]", "not a finite number"),
        ("wind", "[0, -inf, 0]", "not a finite number"),
        ("wind", "[0, 1e999, 0]", "not a finite number"),
        (
            "gust",
            "{ strength = [1, 0, 0], period = 0 }",
            "the period is 0",
        ),
        ("sweep", "3", "did you mean `sweeps`?"),
    ] {
        let output = assert_scene_refused("s.toml", format!("[cloth]\n{key} = {value}\n{plain}"));
        assert_error_contains(&output, &["s.toml:2:", what]);
    }
}

#[test]
fn a_sheet_thicker_than_its_triangles_is_refused() {
    let output = assert_scene_refused("s.toml", format!("cloth.thickness = 0.2\n{}", square("")));
    assert_error_contains(
        &output,
        &[
            "s.toml:2:1:",
            "`sheet` is 200 mm thick",
            "176.777 mm high",
            "`cloth.thickness`",
        ],
    );
}

#[test]
fn materials_are_known_valid_and_not_circular() {
    assert_error_contains(
        &assert_scene_refused("s.toml", square("material = \"coton\"")),
        &[
            "s.toml:4:12: there is no material `coton`",
            "did you mean `cotton`?",
        ],
    );
    assert_error_contains(
        &assert_scene_refused("s.toml", square("material = \"neoprene\"")),
        &[
            "s.toml:4:12:",
            "cotton, silk, denim, paper, plastic",
            "[cloth.material.neoprene]",
        ],
    );
    for (keys, what) in [
        ("density = -1", "the density is -1"),
        ("density = 0", "the density is 0"),
        ("stretch = -5", "the stiffness is -5"),
        ("stretch_weft = 0", "the stiffness is 0"),
        ("shear = -1", "the stiffness is -1"),
        ("bend = -1e-5", "the stiffness is -1e-5"),
        ("damping_mass = -1", "the damping is -1"),
        ("drag_normal = -1", "the drag is -1"),
        ("thickness = -1", "the thickness is -1"),
        ("friction = -0.5", "the friction is -0.5"),
        ("compression = 1.5", "between 0 and 1"),
        ("like = \"slik\"", "did you mean `silk`?"),
    ] {
        let used = square("material = \"mine\"");
        let output =
            assert_scene_refused("s.toml", format!("[cloth.material.mine]\n{keys}\n{used}"));
        assert_error_contains(&output, &["s.toml:2:", what, "help:"]);
        let times = output.err.matches("help:").count();
        assert_eq!(times, 1, "it is output once: {}", output.err);
    }
    let circle = "[cloth.material.a]\nlike = \"b\"\n[cloth.material.b]\nlike = \"a\"\n";
    let output = assert_scene_refused("s.toml", format!("{circle}{}", square("material = \"a\"")));
    assert_error_contains(
        &output,
        &[
            "s.toml:4:8: materials refer to each other in a circle: `a` like `b` like `a`",
            "\"cotton\"",
        ],
    );
    // The same with names of the table.
    let circle =
        "[cloth.material.silk]\nlike = \"denim\"\n[cloth.material.denim]\nlike = \"silk\"\n";
    assert_error_contains(
        &assert_scene_refused("s.toml", circle),
        &["materials refer to each other in a circle"],
    );
    let itself = "[cloth.material.a]\nlike = \"a\"\n";
    assert_error_contains(
        &assert_scene_refused("s.toml", itself),
        &["s.toml:2:8:", "circle: `a` like `a`"],
    );
    let mut chain: String = (0..3000)
        .map(|i| format!("[cloth.material.m{i}]\nlike = \"m{}\"\n", i + 1))
        .collect();
    chain += "[cloth.material.m3000]\n";
    assert_error_contains(
        &assert_scene_refused("s.toml", chain),
        &["more than 64 materials in a chain of `like`"],
    );
    // A material may replace one of the table, and be derived from it.
    let folder = folder();
    let fine = "[cloth.material.silk]\nlike = \"silk\"\nbend = 1e-6\n";
    let text = format!("{fine}{}", square("material = \"silk\""));
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let output = conatus(folder.path(), &["check", "s.toml"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.out.contains("0.07 kg"), "{}", output.out);
}
