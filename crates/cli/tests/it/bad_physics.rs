//! Invalid numbers of bodies and forces show their place and help; nothing is
//! written.

use crate::support::{
    assert_error_contains, assert_scene_refused, assert_scene_refused_with, conatus, folder,
};
use std::fs;

/// A scene with one body that has these keys.
fn body(keys: &str) -> String {
    format!("[[body]]\nname = \"a\"\n{keys}\n")
}

#[test]
fn masses_and_sizes_must_be_positive() {
    for (keys, place, what) in [
        ("shape.sphere.radius = 1\nmass = 0", "4:8", "the mass is 0"),
        (
            "shape.sphere.radius = 1\nmass = -2",
            "4:8",
            "the mass is -2",
        ),
        (
            "shape.sphere.radius = 1\ndensity = -1",
            "4:11",
            "the density is -1",
        ),
        (
            "shape.sphere.radius = 0\nmass = 1",
            "3:23",
            "the radius is 0",
        ),
        (
            "mass = 1\nshape.box.half_extents = [1, -1, 1]",
            "4:30",
            "a half extent is -1",
        ),
        (
            "mass = 1\nshape.cylinder = { radius = 1, height = 0 }",
            "4:41",
            "the height is 0",
        ),
        (
            "mass = 1\nshape.cone = { radius = -1, height = 1 }",
            "4:25",
            "the radius is -1",
        ),
        (
            "mass = 1\nshape.ellipsoid.semi_axes = [0, 1, 1]",
            "4:30",
            "a semi-axis is 0",
        ),
        (
            "particles = [{ mass = 0, position = [0, 0, 0] }]",
            "3:23",
            "the mass is 0",
        ),
    ] {
        let output = assert_scene_refused("s.toml", body(keys));
        assert_error_contains(&output, &[&format!("s.toml:{place}: {what}"), "help:"]);
    }
}

#[test]
fn a_body_has_exactly_one_source_of_mass() {
    assert_error_contains(
        &assert_scene_refused("s.toml", body("")),
        &["the body has no mass"],
    );
    assert_error_contains(
        &assert_scene_refused("s.toml", body("shape.sphere.radius = 1")),
        &["the shape has no mass", "density"],
    );
    assert_error_contains(
        &assert_scene_refused(
            "s.toml",
            body("shape.sphere.radius = 1\nmass = 1\ndensity = 1"),
        ),
        &["`mass` and `density` exclude each other"],
    );
    assert_error_contains(
        &assert_scene_refused(
            "s.toml",
            body("shape.sphere.radius = 1\nmass = 1\nvelocity = [1, 0, 0]\nmomentum = [1, 0, 0]"),
        ),
        &["s.toml:6:", "`velocity` and `momentum`"],
    );
}

#[test]
fn an_impossible_inertia_tensor_is_refused() {
    let with = |tensor: &str| {
        assert_scene_refused("s.toml", body(&format!("mass = 1\ninertia = {tensor}")))
    };
    assert_error_contains(
        &with("[[1, 0, 0], [0, -1, 0], [0, 0, 1]]"),
        &["s.toml:4:11:", "not positive definite"],
    );
    assert_error_contains(
        &with("[[1, 0, 0], [0, 1, 0], [0, 0, 5]]"),
        &["s.toml:4:11:", "triangle inequality"],
    );
    assert_error_contains(
        &with("[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]"),
        &["s.toml:4:11:", "not symmetric"],
    );
    let line =
        "particles = [{ mass = 1, position = [0, 0, 0] }, { mass = 1, position = [1, 0, 0] }]";
    assert_error_contains(
        &assert_scene_refused("s.toml", body(line)),
        &["s.toml:3:", "not positive definite"],
    );
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

#[test]
fn meshes_that_cannot_be_used_are_refused_at_their_place() {
    let scene = body("density = 10\nshape.mesh.file = \"m.obj\"");
    let output = assert_scene_refused("s.toml", &scene);
    assert_error_contains(&output, &["s.toml:4:19:", "m.obj", "no such file"]);
    let with = |mesh: &str| assert_scene_refused_with("s.toml", &scene, &[("m.obj", mesh)]);
    assert_error_contains(&with(TRIANGLE), &["s.toml:4:19:", "the mesh has no volume"]);
    assert_error_contains(
        &with("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        &["m.obj:4:7:", "9"],
    );
    assert_error_contains(&with("v 0 0 0\nv 1 0 zero\n"), &["m.obj:2:7:", "zero"]);
    assert_error_contains(&with("v 0 0 0\nv 1 0 nan\n"), &["m.obj:2:7:"]);
    let half = &TETRAHEDRON[..TETRAHEDRON.len() - 3];
    assert_error_contains(&with(half), &["m.obj:8:"]);
    // A mesh that is open collides as its hull or not at all.
    let inertia = "mass = 1\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    let open = body(&format!("{inertia}\nshape.mesh.file = \"m.obj\""));
    assert_error_contains(
        &assert_scene_refused_with("s.toml", &open, &[("m.obj", TRIANGLE)]),
        &["the surface is open", "collides = false"],
    );
    let folder = folder();
    let text = open.replace("[[body]]\n", "[[body]]\ncollides = false\n");
    fs::write(folder.path().join("s.toml"), &text).unwrap();
    fs::write(folder.path().join("m.obj"), TRIANGLE).unwrap();
    assert_eq!(conatus(folder.path(), &["check", "s.toml"]).code, 0);
    // But not in water.
    let wet = format!("{text}\n[[water]]\nlevel = 0\n");
    let output = assert_scene_refused_with("s.toml", &wet, &[("m.obj", TRIANGLE)]);
    assert_error_contains(&output, &["the mesh has no volume"]);
}

#[test]
fn names_must_be_known_and_used_once() {
    let ball = "shape.sphere.radius = 1\nmass = 1";
    let twice = format!("{}{}", body(ball), body(ball));
    assert_error_contains(
        &assert_scene_refused("s.toml", twice),
        &["s.toml:6:8:", "`a` is used twice"],
    );
    let two = format!(
        "{}[[body]]\nname = \"anchor\"\n{ball}\n[[spring]]\na = {{ body = \"ancor\" }}\nb = {{ pin = [0, 0, 0] }}\nstiffness = 1\n",
        body(ball)
    );
    assert_error_contains(
        &assert_scene_refused("s.toml", two),
        &[
            "s.toml:10:14:",
            "there is no body `ancor`",
            "did you mean `anchor`?",
        ],
    );
    let command = format!("{}[[command]]\ntime = 1\nlock = \"b\"\n", body(ball));
    assert_error_contains(
        &assert_scene_refused("s.toml", command),
        &["s.toml:7:8:", "there is no body `b`"],
    );
}

#[test]
fn the_step_and_the_duration_must_be_positive() {
    for (keys, place, what) in [
        ("step = 0", "2:8", "the step is 0"),
        ("step = -0.1", "2:8", "the step is -0.1"),
        ("seconds = -1", "2:11", "must not be negative"),
        ("steps_per_frame = 0", "2:19", "at least one step"),
        ("step = 1e-300", "2:8", "more steps than can be counted"),
    ] {
        let output = assert_scene_refused("s.toml", format!("[time]\n{keys}\n"));
        assert_error_contains(&output, &[&format!("s.toml:{place}: "), what]);
    }
}

#[test]
fn more_frames_than_memory_can_hold_are_refused() {
    let ball = body("shape.sphere.radius = 1\nmass = 1");
    let output = assert_scene_refused(
        "s.toml",
        format!("{ball}[time]\nseconds = 1e10\nstep = 0.001\n"),
    );
    assert_error_contains(
        &output,
        &["s.toml:6:11:", "frames", "memory", "steps_per_frame"],
    );
    let output = assert_scene_refused(
        "s.toml",
        body(
            "shape.sphere.radius = 1\nmass = 1\narray = { count = [100000, 100000, 100000], spacing = [1, 1, 1] }",
        ),
    );
    assert_error_contains(&output, &["s.toml:5:19:", "at most 1000000"]);
}

#[test]
fn invalid_forces_are_refused() {
    let ball = body("shape.sphere.radius = 1\nmass = 1");
    for (text, what) in [
        (
            "[[spring]]\na = { pin = [0, 0, 0] }\nb = { pin = [1, 0, 0] }\nstiffness = 1",
            "two pins",
        ),
        (
            "[[spring]]\na = { body = \"a\", vertex = 9999 }\nb = { pin = [1, 0, 0] }\nstiffness = 1",
            "none with number 9999",
        ),
        (
            "[[spring]]\na = {}\nb = { pin = [1, 0, 0] }\nstiffness = 1",
            "is not attached",
        ),
        (
            "[[spring]]\na = { body = \"a\" }\nb = { pin = [1, 0, 0] }\nstiffness = -1",
            "the stiffness is -1",
        ),
        ("[[drag]]\nlinear = -1", "the drag is -1"),
        ("[[push]]\nbody = \"a\"", "without force or torque"),
        (
            "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 0]",
            "the normal has no direction",
        ),
        (
            "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nrestitution = 1.5",
            "between 0 and 1",
        ),
        ("[[water]]\nlevel = 0\ndensity = 0", "the density is 0"),
        (
            "[[water]]\nlevel = 0\nextent = { min = [1, 0], max = [0, 1] }",
            "the extent is empty",
        ),
        (
            "[[water]]\nlevel = 0\nwaves = [{ amplitude = 1, wavelength = 0, direction = [1, 0] }]",
            "the wavelength is 0",
        ),
        ("[[command]]\ntime = 1", "exactly one action"),
        ("[[command]]\ntime = -1\nlock = \"a\"", "the time is -1"),
        ("[[command]]\ntime = 1\nmerge = [\"a\"]", "needs two bodies"),
    ] {
        let output = assert_scene_refused("s.toml", format!("{ball}{text}\n"));
        assert_error_contains(&output, &["s.toml:", what, "help:"]);
    }
}

#[test]
fn all_errors_of_a_scene_are_shown_at_once() {
    let output = assert_scene_refused(
        "s.toml",
        "[time]\nstep = 0\n[[body]]\nmass = -1\nshape.sphere.radius = -1\ncolor = \"red\"\n",
    );
    assert_error_contains(
        &output,
        &[
            "s.toml:2:8:",
            "s.toml:4:8:",
            "s.toml:5:23:",
            "s.toml:6:9:",
            "`red` is not a colour",
        ],
    );
}
