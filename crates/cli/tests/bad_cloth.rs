//! Whatever is wrong with cloth or an obstacle is said with its place and a
//! way out; and a run whose cloth cannot go on ends, says why, and keeps what
//! there is.

mod support;

use std::fs;
use support::{Said, assert_says, conatus, folder, wrong, wrong_with};

/// A scene with one piece that has these keys.
fn piece(keys: &str) -> String {
    format!("[[cloth.piece]]\nname = \"sheet\"\n{keys}\n")
}

const SQUARE: &str = "shape.rectangle = { width = 1, height = 1, vertices = [5, 5] }";

/// The square with more keys and tables behind it.
fn square(more: &str) -> String {
    piece(&format!("{SQUARE}\n{more}"))
}

fn mesh(obj: &str) -> Said {
    let scene = piece("shape.mesh.file = \"m.obj\"");
    wrong_with("s.toml", scene, &[("m.obj", obj)])
}

#[test]
fn meshes_that_cannot_be_cloth_are_told_by_triangle_and_vertex() {
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
        let said = mesh(&obj);
        assert_says(
            &said,
            &["s.toml:3:", "this mesh cannot be cloth", what, remedy],
        );
    }
    assert_says(&mesh("v 0 0 0\nf 1 2 3\n"), &["m.obj:2:5:"]);
    assert_says(&mesh("v 0 0 0\nv 1 0 nan\n"), &["m.obj:2:7:"]);
    let none = wrong("s.toml", piece("shape.mesh.file = \"m.obj\""));
    assert_says(&none, &["s.toml:3:19:", "m.obj", "no such file", "help:"]);
}

#[test]
fn pins_and_springs_hold_vertices_that_there_are() {
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
        let said = wrong("s.toml", square(keys));
        assert_says(&said, &[&format!("s.toml:{place}: {what}"), remedy]);
    }
    let disc = piece("shape.disc = { radius = 1, rings = 3 }\npin = [{ corners = true }]");
    assert_says(
        &wrong("s.toml", disc),
        &["s.toml:4:20: only a rectangle has corners", "`within`"],
    );
}

#[test]
fn shapes_of_cloth_need_sizes_and_counts_that_make_sense() {
    // The value in question stands between two stars.
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
        let said = wrong("s.toml", piece(&keys));
        assert_says(&said, &[&format!("s.toml:3:{column}: "), what, "help:"]);
    }
    assert_says(
        &wrong("s.toml", piece("position = [0, 0, 1]")),
        &[
            "s.toml:1:1: the piece `sheet` has no shape",
            "shape.rectangle",
        ],
    );
    assert_says(
        &wrong("s.toml", square("position = [1e7, 0, 0]")),
        &["s.toml:4:12:", "more than 1000000 m from the origin"],
    );
    assert_says(
        &wrong("s.toml", square("velocity = [0, 2e4, 0]")),
        &["s.toml:4:12:", "faster than 10000 m/s"],
    );
    let twice = format!("{}position = [0, 0, 2]\n{}", square(""), square(""));
    assert_says(
        &wrong("s.toml", twice),
        &["s.toml:", "the name `sheet` is used twice"],
    );
}

#[test]
fn settings_of_cloth_are_kept_within_reason() {
    let plain = piece("shape.rectangle = { width = 1, height = 1 }");
    for (key, value, what) in [
        // Once, nothing was subtracted from and overflowed.
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
        let said = wrong("s.toml", format!("[cloth]\n{key} = {value}\n{plain}"));
        assert_says(&said, &["s.toml:2:", what]);
    }
}

#[test]
fn a_sheet_thicker_than_its_triangles_is_refused() {
    let said = wrong("s.toml", format!("cloth.thickness = 0.2\n{}", square("")));
    assert_says(
        &said,
        &[
            "s.toml:2:1:",
            "`sheet` is 200 mm thick",
            "176.777 mm high",
            "`cloth.thickness`",
        ],
    );
}

#[test]
fn materials_are_known_sound_and_not_in_a_circle() {
    assert_says(
        &wrong("s.toml", square("material = \"coton\"")),
        &[
            "s.toml:4:12: there is no material `coton`",
            "did you mean `cotton`?",
        ],
    );
    assert_says(
        &wrong("s.toml", square("material = \"neoprene\"")),
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
        ("bend = -1e-5", "the stiffness is -0.00001"),
        ("damping_mass = -1", "the damping is -1"),
        ("drag_normal = -1", "the drag is -1"),
        ("thickness = -1", "the thickness is -1"),
        ("friction = -0.5", "the friction is -0.5"),
        ("compression = 1.5", "between 0 and 1"),
        ("like = \"slik\"", "did you mean `silk`?"),
    ] {
        let used = square("material = \"mine\"");
        let said = wrong("s.toml", format!("[cloth.material.mine]\n{keys}\n{used}"));
        assert_says(&said, &["s.toml:2:", what, "help:"]);
        let times = said.err.matches("help:").count();
        assert_eq!(times, 1, "it is said once: {}", said.err);
    }
    let circle = "[cloth.material.a]\nlike = \"b\"\n[cloth.material.b]\nlike = \"a\"\n";
    let said = wrong("s.toml", format!("{circle}{}", square("material = \"a\"")));
    assert_says(
        &said,
        &[
            "s.toml:4:8: materials go in a circle: `a` like `b` like `a`",
            "\"cotton\"",
        ],
    );
    // Also if the names are those of the table.
    let circle =
        "[cloth.material.silk]\nlike = \"denim\"\n[cloth.material.denim]\nlike = \"silk\"\n";
    assert_says(&wrong("s.toml", circle), &["materials go in a circle"]);
    let itself = "[cloth.material.a]\nlike = \"a\"\n";
    assert_says(
        &wrong("s.toml", itself),
        &["s.toml:2:8:", "circle: `a` like `a`"],
    );
    let mut chain: String = (0..3000)
        .map(|i| format!("[cloth.material.m{i}]\nlike = \"m{}\"\n", i + 1))
        .collect();
    chain += "[cloth.material.m3000]\n";
    assert_says(
        &wrong("s.toml", chain),
        &["more than 64 materials are like one another"],
    );
    // One may stand in for a material of the table, and be like it.
    let folder = folder();
    let fine = "[cloth.material.silk]\nlike = \"silk\"\nbend = 1e-6\n";
    let text = format!("{fine}{}", square("material = \"silk\""));
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let said = conatus(folder.path(), &["check", "s.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("0.07 kg"), "{}", said.out);
}

const BALL: &str = "[[obstacle]]\nname = \"ball\"\nshape.sphere.radius = 0.3\n";

#[test]
fn what_intersects_at_the_start_is_named_and_refused() {
    let text = format!("{}{BALL}", square("position = [0, 0, 0.1]"));
    let said = wrong("s.toml", &text);
    assert_says(
        &said,
        &[
            "s.toml:4:12: cloth intersects at the start: triangle",
            "of `sheet` and triangle",
            "of `ball`",
            "move the pieces apart",
            "--set cloth.allow_initial_intersections=true",
        ],
    );
    // And it can be run all the same.
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
    let said = conatus(folder.path(), &run);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(said.code == 0 || said.code == 3, "{}", said.err);
    assert!(report["cloth"]["intersections"].as_u64().unwrap() > 0);

    let two = format!("{}{}", square(""), square("").replace("sheet", "other"));
    assert_says(
        &wrong("s.toml", two),
        &["of `sheet` and triangle", "of `other`"],
    );
    let body = "[[body]]\nname = \"stone\"\nshape.sphere.radius = 0.3\nmass = 1\n";
    let said = wrong("s.toml", format!("{}{body}", square("")));
    assert_says(&said, &["of `sheet` and triangle", "of `stone`"]);
}

/// Once, a ball as wide as the galaxy never came to an end of touching.
#[test]
fn bodies_that_meet_cloth_have_a_size_that_makes_sense() {
    let body = "[[body]]\nname = \"world\"\nshape.sphere.radius = 9e15\nmass = 1\n";
    let said = wrong("s.toml", format!("{}{body}", square("")));
    assert_says(
        &said,
        &[
            "s.toml:5:1: `world` reaches more than 1000000 m from the origin",
            "collides = false",
        ],
    );
}

#[test]
fn cloth_behind_a_plane_is_refused_at_the_piece() {
    let plane = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    let said = wrong(
        "s.toml",
        format!("{}{plane}", square("position = [0, 0, -1]")),
    );
    assert_says(
        &said,
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
    let with = |keys: &str| wrong("s.toml", format!("[[obstacle]]\n{keys}\n{sheet}"));
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
            "what the rim is wider than the neck",
        ),
        (
            "shape.funnel = { rim_radius = 1, rim_height = 1, neck_radius = 0.5, fillet = 0, chute_length = 1, segments = 2 }",
            "2:110",
            "2 corners around",
        ),
    ] {
        assert_says(&with(keys), &[&format!("s.toml:{place}: "), what, "help:"]);
    }
    for times in [[1, 1], [2, 1]] {
        let [a, b] = times.map(|t| format!("{{ time = {t}, position = [0, 0, 0] }}"));
        let said = with(&format!(
            "shape.sphere.radius = 1\nkeyframe = [\n{a},\n{b},\n]"
        ));
        assert_says(
            &said,
            &[
                "s.toml:5:10: the keyframe at 1 s is not after the one before",
                "in the order of their times",
            ],
        );
    }
    let both = "shape.sphere.radius = 1\nposition = [0, 0, 5]\nkeyframe = [{ time = 0, position = [0, 0, 0] }]";
    assert_says(
        &with(both),
        &["s.toml:3:", "`keyframe` and `position` exclude each other"],
    );
    let named = format!("{BALL}{BALL}");
    assert_says(
        &wrong("s.toml", named),
        &["s.toml:5:8: the name `ball` is used twice"],
    );
}

#[test]
fn an_obstacle_that_moves_as_recorded_needs_that_recording_and_body() {
    let scene = "[[obstacle]]\nshape.sphere.radius = 0.1\nrecorded = { file = \"run.mcap\", body = \"ball-7\" }\n";
    let said = wrong("s.toml", scene);
    assert_says(&said, &["s.toml:3:12:", "run.mcap", "help:", "conatus run"]);
    let folder = folder();
    let here = folder.path();
    let made = conatus(
        here,
        &["run", "cylon", "--seconds", "0.1", "-o", "run.mcap"],
    );
    assert_eq!(made.code, 0, "{}", made.err);
    fs::write(here.join("s.toml"), scene).unwrap();
    let said = conatus(here, &["check", "s.toml"]);
    assert_eq!(said.code, 1);
    assert_says(
        &said,
        &[
            "s.toml:3:12: run.mcap has no body `ball-7`",
            "did you mean `ball-",
        ],
    );
    fs::write(here.join("s.toml"), scene.replace("ball-7", "ball-1")).unwrap();
    let said = conatus(
        here,
        &["run", "s.toml", "--seconds", "0.1", "-o", "again.mcap"],
    );
    assert_eq!(said.code, 0, "{}", said.err);
    // The recording of that runs again without the first.
    fs::remove_file(here.join("run.mcap")).unwrap();
    let said = conatus(here, &["run", "again.mcap"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("bit for bit"), "{}", said.out);
    // A file that is no recording is no motion.
    fs::write(here.join("run.mcap"), "precious").unwrap();
    let said = conatus(here, &["check", "s.toml"]);
    assert_eq!(said.code, 1);
    assert_says(&said, &["s.toml:3:12:", "not a Conatus recording"]);
}

#[test]
fn set_reaches_into_pieces_materials_and_obstacles() {
    let folder = folder();
    let check = |sets: &[&str]| {
        let mut arguments = vec!["check", "cloth-sphere"];
        for set in sets {
            arguments.extend(["--set", set]);
        }
        conatus(folder.path(), &arguments)
    };
    let said = check(&[
        "cloth.piece[0].shape.rectangle.vertices=[3, 4]",
        "cloth.piece.sheet.material=denim",
        "cloth.material.sheet.bend=1e-4",
        "obstacle.ball.position[2]=0.4",
    ]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("12 vertices and 12 triangles, 0.4 kg"),
        "{}",
        said.out
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
        let said = check(&[set]);
        assert_eq!(said.code, 1, "{set}");
        assert_says(&said, &[what]);
    }
}

/// A sheet that is held at its corners above a floor.
fn hanging() -> String {
    let time = "[time]\nstep = 0.01\nseconds = 0.5\n";
    let floor = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    let sheet = "[[cloth.piece]]\nname = \"sheet\"\nshape.rectangle = { width = 1, height = 1 }\nposition = [0, 0, 1]\npin = [{ corners = true }]\n";
    format!("{time}[cloth]\nresolution = 9\n{sheet}{floor}")
}

fn run(text: &str, sets: &[&str]) -> (Said, serde_json::Value) {
    let folder = folder();
    fs::write(folder.path().join("s.toml"), text).unwrap();
    let mut arguments = vec!["run", "s.toml", "--json", "-o", "out.mcap"];
    for set in sets {
        arguments.extend(["--set", set]);
    }
    let said = conatus(folder.path(), &arguments);
    let report = serde_json::from_str(&said.out).unwrap_or_default();
    // Whatever happened, what was recorded can be read, and is finite.
    let recording = conatus_record::Recording::read(folder.path().join("out.mcap")).unwrap();
    for frame in &recording.frames {
        assert!(frame.cloth.iter().all(|v| v.is_finite()));
        assert!(frame.bodies.iter().all(|b| b.position.is_finite()));
    }
    assert!(!recording.frames.is_empty());
    (said, report)
}

/// Once, a step too long for the integrator gave speeds of kilometres per
/// second, among which collisions were looked for without end.
#[test]
fn cloth_whose_numbers_run_away_ends_the_run_with_code_3() {
    for set in [
        "cloth.integrator=symplectic-euler",
        "cloth.wind=[1e30, 0, 0]",
        "gravity=[0, 0, -1e12]",
        "cloth.piece.sheet.pin=[{ corners = true, keyframe = [{ time = 0, position = [0, 0, 0] }, { time = 0.001, position = [0, 0, 1e5] }] }]",
    ] {
        let (said, report) = run(&hanging(), &[set]);
        assert_eq!(said.code, 3, "{set}: {}", said.err);
        assert_says(
            &said,
            &[
                "the cloth cannot go on",
                "its numbers ran away",
                "`sheet`",
                "time.step",
            ],
        );
        let failure = report["cloth"]["failure"].as_str().unwrap();
        assert!(failure.contains("ran away"), "{failure}");
        assert_eq!(report["cloth"]["intersections"], 0, "{set}");
        assert!(report["cloth"]["max_stretch"].as_f64().unwrap() < 100.0);
    }
}

#[test]
fn steps_long_and_short_no_gravity_and_no_time_at_all_run() {
    for sets in [
        &["time.step=1", "time.seconds=10"][..],
        &["time.step=1e-7", "time.seconds=1e-6"],
        &["gravity=[0, 0, 0]"],
        &["time.seconds=0"],
        &[
            "cloth.integrator=symplectic-euler",
            "time.step=0.0005",
            "time.seconds=0.05",
        ],
    ] {
        let (said, report) = run(&hanging(), sets);
        assert_eq!(said.code, 0, "{sets:?}: {}", said.err);
        assert_eq!(report["cloth"]["intersections"], 0);
    }
}

#[test]
fn a_pinch_ends_the_run_with_code_3_and_names_the_vertices() {
    let jaw = |name: &str, from: f64, to: f64| {
        format!(
            "[[obstacle]]\nname = \"{name}\"\nshape.box.half_extents = [0.3, 0.3, 0.1]\nkeyframe = [{{ time = 0, position = [0, 0, {from}] }}, {{ time = 0.2, position = [0, 0, {to}] }}]\n"
        )
    };
    let text = format!(
        "{}{}{}",
        hanging(),
        jaw("upper", 1.3, 0.9),
        jaw("lower", 0.7, 1.1)
    );
    let (said, report) = run(&text, &[]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert_says(
        &said,
        &[
            "the cloth cannot go on: at 0.",
            "of `sheet`",
            "all files hold what there is",
        ],
    );
    assert!(report["cloth"]["failure"].is_string());
    // The last frame shows the last moment that was good.
    assert_eq!(report["cloth"]["intersections"], 0);
}
