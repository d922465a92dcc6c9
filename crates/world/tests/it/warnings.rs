//! Warnings of scenes and runs that are valid.

use crate::support::{built_in, from_text, run};
use conatus_world::scene::library;

/// Warnings of a scene, as they are printed.
fn warnings(text: &str) -> String {
    let setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    setup.warnings.to_string()
}

const THREE_BOXES: &str = r#"
[time]
step = 0.01
seconds = 2
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[obstacle]]
name = "table"
shape.box.half_extents = [1, 1, 0.1]
position = [0, 0, 0.5]
[[body]]
name = "low"
shape.box.half_extents = [0.2, 0.2, 0.2]
density = 500
position = [0, 0, 0.85]
[[body]]
name = "middle"
shape.box.half_extents = [0.2, 0.2, 0.2]
density = 500
position = [0.05, 0, 1.27]
[[body]]
name = "high"
shape.box.half_extents = [0.2, 0.2, 0.2]
density = 500
position = [0, 0.05, 1.69]
"#;

/// A user stacked three boxes over an obstacle. They collided with each other as bounding
/// spheres and were thrown apart with 79 times the energy that they had.
#[test]
fn three_boxes_over_an_obstacle_gain_nothing() {
    let mut setup = from_text(THREE_BOXES, &[]).unwrap_or_else(|e| panic!("{e}"));
    let warnings = setup.warnings.to_string();
    assert!(!warnings.contains("start inside"), "{warnings}");
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    assert_eq!(report.energy.unexplained, None, "{:?}", report.energy);
    let last = kept.frames.last().unwrap();
    for (k, body) in last.bodies[..3].iter().enumerate() {
        let z = body.position.z;
        assert!(
            (z - 0.8 - 0.4 * k as f64).abs() < 0.02,
            "box {k}: {}",
            body.position
        );
    }
}

#[test]
fn a_box_inside_an_obstacle_warns() {
    let inside = THREE_BOXES.replace("[0, 0, 0.85]", "[0, 0, 0.7]");
    let warnings = warnings(&inside);
    assert!(
        warnings.contains("start inside an obstacle or character") && warnings.contains("`low`"),
        "{warnings}"
    );
}

/// One box alone falls and rests: no energy is gained, and there is no warning.
#[test]
fn a_single_box_over_an_obstacle_gains_nothing() {
    let alone = THREE_BOXES.split("[[body]]").take(2).collect::<Vec<_>>();
    let mut setup = from_text(&alone.join("[[body]]"), &[]).unwrap_or_else(|e| panic!("{e}"));
    let warnings = setup.warnings.to_string();
    assert!(!warnings.contains("start inside"), "{warnings}");
    let (report, _) = run(&mut setup);
    assert_eq!(report.energy.unexplained, None, "{:?}", report.energy);
    let json = serde_json::to_value(&report).unwrap();
    assert!(json["energy"].get("unexplained").is_none());
}

/// None of the built-in scenes without characters gains energy that nothing explains.
#[test]
fn no_built_in_scene_gains_energy_without_an_explanation() {
    for scene in library::list() {
        if scene.family == "motion" {
            continue;
        }
        let seconds = match (scene.family, scene.name) {
            ("cloth", _) => "time.seconds=0.3",
            (_, "pile") => "time.seconds=0.8",
            _ => "time.seconds=3",
        };
        let mut setup = built_in(scene.name, &[seconds]);
        let (report, _) = run(&mut setup);
        let energy = report.energy;
        assert_eq!(energy.unexplained, None, "{}: {energy:?}", scene.name);
    }
}

/// External actions explain the energy that they add: a push, a kick, a wave.
#[test]
fn pushes_kicks_and_water_explain_the_energy_that_they_add() {
    let ball =
        "[time]\nseconds = 2\n[[body]]\nname = 'ball'\nshape.sphere.radius = 0.5\ndensity = 200\n";
    for extra in [
        "[[push]]\nbody = 'ball'\nforce = [900, 0, 0]\nfrom = 0.5\n",
        "[[push]]\nbody = 'ball'\ntorque = [0, 0, 50]\n",
        "[[command]]\ntime = 1\nkick = { body = 'ball', momentum = [9000, 0, 0] }\n",
        "[[water]]\nlevel = 5\n",
    ] {
        let mut setup = from_text(&format!("{ball}{extra}"), &[]).unwrap_or_else(|e| panic!("{e}"));
        let (report, kept) = run(&mut setup);
        let totals = |f: &conatus_record::Frame| f.totals.kinetic + f.totals.potential;
        let first = totals(&kept.frames[0]);
        let most = kept.frames.iter().map(totals).fold(f64::MIN, f64::max);
        assert!(most > first + 1.0, "{extra} adds no energy");
        assert_eq!(report.energy.unexplained, None, "{extra}");
    }
}

/// A step far too long for a stiff spring adds energy without a cause.
#[test]
fn a_step_too_long_for_a_spring_is_warned_of() {
    let text = "gravity = [0, 0, 0]\n[time]\nstep = 0.02\nseconds = 1\nintegrator = 'euler'\n\
                [[body]]\nname = 'ball'\nshape.sphere.radius = 0.1\nmass = 1\nposition = [1, 0, 0]\n\
                [[spring]]\nstiffness = 400\nlength = 0.5\na.pin = [0, 0, 0]\nb.body = 'ball'\n";
    let mut setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, _) = run(&mut setup);
    assert!(report.energy.unexplained.is_some(), "{:?}", report.energy);
}

#[test]
fn bodies_that_start_in_a_plane_or_behind_it_are_named() {
    let plane = "[[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\n";
    let ball = |name: &str, z: f64| {
        format!(
            "[[body]]\nname = '{name}'\nshape.sphere.radius = 0.5\nmass = 1\nposition = [0, 0, {z}]\n"
        )
    };
    assert_eq!(warnings(&format!("{plane}{}", ball("resting", 0.5))), "");
    let sunk = warnings(&format!("{plane}{}", ball("sunk", 0.3)));
    assert!(
        sunk.contains("start inside a plane, by up to 0.2 m: `sunk`"),
        "{sunk}"
    );
    assert!(sunk.starts_with("scene.toml:8:12:"), "{sunk}");
    let lost = warnings(&format!("{plane}{}", ball("lost", -3.0)));
    assert!(
        lost.contains("start behind a plane, by up to 3.5 m: `lost`"),
        "{lost}"
    );
}

#[test]
fn bodies_that_touch_or_do_not_collide_are_not_warned_of() {
    let two = |x: f64, extra: &str| {
        format!(
            "[[body]]\nname = 'a'\nshape.sphere.radius = 0.5\nmass = 1\n\
             [[body]]\nname = 'b'\nshape.sphere.radius = 0.5\nmass = 1\nposition = [{x}, 0, 0]\n{extra}"
        )
    };
    assert_eq!(warnings(&two(1.0, "")), "");
    assert!(warnings(&two(0.9, "")).contains("inside each other, by up to 0.1 m: `a` and `b`"));
    assert_eq!(warnings(&two(0.9, "collides = false\n")), "");
    let apart = format!("contact.between_bodies = false\n{}", two(0.9, ""));
    assert_eq!(warnings(&apart), "");
}

/// Two cylinders with a fine `detail` became 196,608 triangles each, because every triangle
/// was cut into four until the longest edge was short enough, and a step took 248 times as
/// long. Only edges that are too long may be cut, without vertices inside the edges of other
/// triangles, and slivers must not become ever thinner ones: cutting into four stopped at
/// 196,608 triangles with edges of 4.7 cm, bisection without flips made 70,080.
#[test]
fn a_fine_cylinder_is_cut_at_its_long_edges_only() {
    let text = "[[obstacle]]\nname = 'bar'\nshape.cylinder = { radius = 0.02, height = 1.5 }\ndetail = 0.03\n\
                [[cloth.piece]]\nshape.rectangle = { width = 0.2, height = 0.2, vertices = [8, 8] }\nposition = [0, 0, 2]\n";
    let setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let mesh = &setup.header.meshes[0];
    let count = mesh.triangles.len();
    assert!(count < 20_000, "{count}");
    let mesh = conatus_geometry::Mesh {
        vertices: mesh.vertices.clone(),
        triangles: mesh.triangles.clone(),
    };
    assert!(mesh.longest_edge() <= 0.03);
    assert_eq!(mesh.check_closed(), Ok(()));
    assert_eq!(setup.warnings.to_string(), "");
}

/// An edge length that no sensible number of triangles reaches is warned of.
#[test]
fn detail_that_cannot_be_reached_is_warned_of() {
    let text = "[[obstacle]]\nshape.box.half_extents = [5, 5, 5]\ndetail = 0.001\n\
                [[body]]\nshape.sphere.radius = 0.1\nmass = 1\nposition = [0, 0, 9]\n";
    let warnings = warnings(text);
    assert!(warnings.contains("the longest edge is"), "{warnings}");
    assert!(warnings.contains("not 0.001 m"), "{warnings}");
}

/// A ball of 10 t on a box of 10 g, apart or joined: contacts and joints between them
/// converge too slowly to hold.
#[test]
fn masses_that_differ_too_much_are_warned_of() {
    let scene = |heavy: f64, joint: &str| {
        format!(
            r#"
            [[plane]]
            point = [0, 0, 0]
            normal = [0, 0, 1]
            [[body]]
            name = "light"
            shape.box.half_extents = [0.1, 0.1, 0.1]
            mass = 0.01
            position = [0, 0, 0.1]
            [[body]]
            name = "heavy"
            shape.sphere.radius = 0.5
            mass = {heavy}
            position = [0, 0, 0.701]
            {joint}
            "#
        )
    };
    let joined = "[[joint]]\ntype = \"ball\"\nbodies = [\"light\", \"heavy\"]\nat = [0, 0, 0.2]";
    let apart = warnings(&scene(1e4, ""));
    assert!(
        apart.contains("1000000 times the mass of `light`"),
        "{apart}"
    );
    let fixed = warnings(&scene(100.0, joined));
    assert!(fixed.contains("the joint holds `light`"), "{fixed}");
    assert_eq!(warnings(&scene(5.0, joined)), "");
}

/// Whatever the masses, nothing becomes infinite.
#[test]
fn a_mass_ratio_of_a_million_blows_nothing_up() {
    let text = r#"
        [time]
        step = 0.01
        seconds = 2
        [[plane]]
        point = [0, 0, 0]
        normal = [0, 0, 1]
        [[body]]
        name = "light"
        shape.box.half_extents = [0.1, 0.1, 0.1]
        mass = 0.01
        position = [0, 0, 0.1]
        [[body]]
        name = "heavy"
        shape.sphere.radius = 0.5
        mass = 10000
        position = [0, 0, 0.701]
    "#;
    let mut setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    assert_eq!(report.energy.unexplained, None, "{:?}", report.energy);
    let last = kept.frames.last().unwrap();
    assert!(last.bodies.iter().all(|b| b.velocity.length() < 20.0));
    let height = last.bodies[1].position.z;
    assert!((0.49..0.75).contains(&height), "{height}");
}
