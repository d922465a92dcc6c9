//! Obstacles, and intersections of cloth at the start.

use super::square;
use crate::support::{assert_error_contains, assert_scene_refused, conatus, folder};
use std::fs;

const BALL: &str = "[[obstacle]]\nname = \"ball\"\nshape.sphere.radius = 0.3\n";

#[test]
fn intersections_at_the_start_are_refused() {
    let text = format!("{}{BALL}", square("position = [0, 0, 0.1]"));
    let output = assert_scene_refused("s.toml", &text);
    assert_error_contains(
        &output,
        &[
            "s.toml:4:12: cloth intersects at the start: triangle",
            "of `sheet` and triangle",
            "of `ball`",
            "move the pieces apart",
            "--set cloth.allow_initial_intersections=true",
        ],
    );
    // It can be run if that is allowed explicitly.
    let folder = folder();
    fs::write(folder.path().join("s.toml"), &text).unwrap();
    let allow = "cloth.allow_initial_intersections=true";
    let run = [
        "run",
        "s.toml",
        "--set",
        allow,
        "--seconds",
        "0.02",
        "--json",
    ];
    let output = conatus(folder.path(), &run);
    let report: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert!(output.code == 0 || output.code == 3, "{}", output.err);
    assert!(report["cloth"]["intersections"].as_u64().unwrap() > 0);

    let two = format!("{}{}", square(""), square("").replace("sheet", "other"));
    assert_error_contains(
        &assert_scene_refused("s.toml", two),
        &["of `sheet` and triangle", "of `other`"],
    );
    let body = "[[body]]\nname = \"stone\"\nshape.sphere.radius = 0.3\nmass = 1\n";
    let output = assert_scene_refused("s.toml", format!("{}{body}", square("")));
    assert_error_contains(&output, &["of `sheet` and triangle", "of `stone`"]);
}

/// With a ball as wide as the galaxy the search for contacts never ended. Such a
/// ball must be refused.
#[test]
fn bodies_beside_cloth_have_a_limited_size() {
    let body = "[[body]]\nname = \"world\"\nshape.sphere.radius = 9e15\nmass = 1\n";
    let output = assert_scene_refused("s.toml", format!("{}{body}", square("")));
    assert_error_contains(
        &output,
        &[
            "s.toml:5:1: `world` reaches more than 1000000 m from the origin",
            "collides = false",
        ],
    );
}

#[test]
fn cloth_behind_a_plane_is_refused_at_the_piece() {
    let plane = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    let output = assert_scene_refused(
        "s.toml",
        format!("{}{plane}", square("position = [0, 0, -1]")),
    );
    assert_error_contains(
        &output,
        &[
            "s.toml:4:12: cloth starts behind plane[0]: 32 of its triangles, the first of `sheet`",
            "where the plane's `normal` points",
            "--set cloth.allow_initial_intersections=true",
        ],
    );
}

#[test]
fn obstacles_have_a_shape_and_keyframes_in_order() {
    let sheet = square("position = [0, 0, 2]");
    let with =
        |keys: &str| assert_scene_refused("s.toml", format!("[[obstacle]]\n{keys}\n{sheet}"));
    for (keys, place, what) in [
        ("name = \"ball\"", "1:1", "the obstacle `ball` has no shape"),
        ("shape.sphere.radius = 0", "2:23", "the radius is 0"),
        (
            "shape.sphere.radius = 1\ndetail = 0",
            "3:10",
            "the longest edge is 0",
        ),
        (
            "shape.sphere.radius = 1\nfriction = -1",
            "3:12",
            "the friction is -1",
        ),
        (
            "shape.sphere.radius = 1e9",
            "1:1",
            "more than 1000000 m from the origin",
        ),
        (
            "shape.sphere.radius = 1\nposition = [0, 0, 1e300]",
            "1:1",
            "more than 1000000 m",
        ),
        (
            "shape.revolution = { profile = [[1, 0]] }",
            "2:32",
            "at least two points",
        ),
        (
            "shape.revolution = { profile = [[1, 0], [-1, 1]] }",
            "2:42",
            "the radius is -1",
        ),
        (
            "shape.extrusion = { profile = [[0, 0], [0, 0]], length = 1 }",
            "2:31",
            "each apart from the one before",
        ),
        (
            "shape.extrusion = { profile = [[0, 0], [1, 0]], length = 1, segments = 4000000000 }",
            "2:72",
            "4000000000 pieces along",
        ),
        (
            "shape.trough = { width = 1, length = 1, depth = 1, segments = 1 }",
            "2:63",
            "1 sides",
        ),
        (
            "shape.funnel = { rim_radius = 1, rim_height = 1, neck_radius = 2, fillet = 0, chute_length = 1 }",
            "2:31",
            "the difference of the radii of rim and neck",
        ),
        (
            "shape.funnel = { rim_radius = 1, rim_height = 1, neck_radius = 0.5, fillet = 0, chute_length = 1, segments = 2 }",
            "2:110",
            "2 corners around",
        ),
    ] {
        assert_error_contains(&with(keys), &[&format!("s.toml:{place}: "), what, "help:"]);
    }
    for times in [[1, 1], [2, 1]] {
        let [a, b] = times.map(|t| format!("{{ time = {t}, position = [0, 0, 0] }}"));
        let output = with(&format!(
            "shape.sphere.radius = 1\nkeyframe = [\n{a},\n{b},\n]"
        ));
        assert_error_contains(
            &output,
            &[
                "s.toml:5:10: the keyframe at 1 s is not after the one before",
                "in the order of their times",
            ],
        );
    }
    let both = "shape.sphere.radius = 1\nposition = [0, 0, 5]\nkeyframe = [{ time = 0, position = [0, 0, 0] }]";
    assert_error_contains(
        &with(both),
        &["s.toml:3:", "`keyframe` and `position` exclude each other"],
    );
    let named = format!("{BALL}{BALL}");
    assert_error_contains(
        &assert_scene_refused("s.toml", named),
        &["s.toml:5:8: the name `ball` is used twice"],
    );
}

#[test]
fn an_obstacle_that_moves_as_recorded_needs_that_recording_and_body() {
    let scene = "[[obstacle]]\nshape.sphere.radius = 0.1\nrecorded = { file = \"run.mcap\", body = \"ball-7\" }\n";
    let output = assert_scene_refused("s.toml", scene);
    assert_error_contains(
        &output,
        &["s.toml:3:12:", "run.mcap", "help:", "conatus run"],
    );
    let folder = folder();
    let here = folder.path();
    let made = conatus(
        here,
        &["run", "cylon", "--seconds", "0.1", "-o", "run.mcap"],
    );
    assert_eq!(made.code, 0, "{}", made.err);
    fs::write(here.join("s.toml"), scene).unwrap();
    let output = conatus(here, &["check", "s.toml"]);
    assert_eq!(output.code, 1);
    assert_error_contains(
        &output,
        &[
            "s.toml:3:12: run.mcap has no body `ball-7`",
            "did you mean `ball-",
        ],
    );
    fs::write(here.join("s.toml"), scene.replace("ball-7", "ball-1")).unwrap();
    let output = conatus(
        here,
        &["run", "s.toml", "--seconds", "0.1", "-o", "again.mcap"],
    );
    assert_eq!(output.code, 0, "{}", output.err);
    // The recording of that run can be run again without the first.
    fs::remove_file(here.join("run.mcap")).unwrap();
    let output = conatus(here, &["run", "again.mcap"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.out.contains("bit for bit"), "{}", output.out);
    // A file that is not a recording is refused.
    fs::write(here.join("run.mcap"), "precious").unwrap();
    let output = conatus(here, &["check", "s.toml"]);
    assert_eq!(output.code, 1);
    assert_error_contains(&output, &["s.toml:3:12:", "not a Conatus recording"]);
}
