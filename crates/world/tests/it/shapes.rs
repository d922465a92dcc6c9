//! Bodies and obstacles of meshes that are not convex, compounds and heightfields.

use crate::support::{from_text, run};
use conatus_geometry::Shape;
use conatus_math::{DVec3, sincos};
use conatus_record::Frame;
use conatus_world::scene::Setup;
use std::f64::consts::TAU;
use std::fmt::Write;

/// A prism along y over an outline in x and z, as Wavefront OBJ.
fn prism(outline: &[(f64, f64)], width: f64) -> String {
    let n = outline.len();
    let mut text = String::new();
    for y in [-0.5 * width, 0.5 * width] {
        for (x, z) in outline {
            writeln!(text, "v {x} {y} {z}").unwrap();
        }
    }
    let face = |corners: &mut dyn Iterator<Item = usize>| {
        let names: Vec<String> = corners.map(|k| (k + 1).to_string()).collect();
        format!("f {}\n", names.join(" "))
    };
    text += &face(&mut (0..n));
    text += &face(&mut (n..2 * n).rev());
    for i in 0..n {
        let j = (i + 1) % n;
        text += &face(&mut [j, i, n + i, n + j].into_iter());
    }
    text
}

/// Two walls on a floor, 2 m wide and 1 m high.
fn u_shape() -> String {
    let outline = [
        (-1.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (0.8, 1.0),
        (0.8, 0.2),
        (-0.8, 0.2),
        (-0.8, 1.0),
        (-1.0, 1.0),
    ];
    prism(&outline, 1.0)
}

/// A column on the ground with an arm to the side, in all 2 m high.
fn arm(length: f64) -> String {
    let outline = [
        (-0.2, 0.0),
        (0.2, 0.0),
        (0.2, 1.6),
        (length, 1.6),
        (length, 2.0),
        (-0.2, 2.0),
    ];
    prism(&outline, 0.4)
}

fn torus(major: f64, minor: f64, around: usize, across: usize) -> String {
    let mut text = String::new();
    for i in 0..around {
        let (s, c) = sincos(TAU * i as f64 / around as f64);
        for j in 0..across {
            let (t, d) = sincos(TAU * j as f64 / across as f64);
            let r = major + minor * d;
            writeln!(text, "v {} {} {}", r * c, r * s, minor * t).unwrap();
        }
    }
    let at = |i: usize, j: usize| (i % around) * across + j % across + 1;
    for i in 0..around {
        for j in 0..across {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            writeln!(text, "f {a} {b} {c} {d}").unwrap();
        }
    }
    text
}

const GROUND: &str = "[time]\nstep = 0.005\nseconds = 3\n\
    [[plane]]\npoint = [0, 0, 0]\nnormal = [0, 0, 1]\nfriction = 0.6\n";

fn setup(text: &str, meshes: &[(&str, &str)]) -> Setup {
    from_text(&format!("{GROUND}{text}"), meshes).unwrap_or_else(|e| panic!("{e}"))
}

fn last_frame(text: &str, meshes: &[(&str, &str)]) -> Frame {
    let (report, kept) = run(&mut setup(text, meshes));
    assert!(report.succeeded());
    kept.frames.last().cloned().unwrap()
}

#[test]
fn a_u_shaped_mesh_holds_a_ball_inside() {
    let text = "[[body]]\nname = 'u'\nshape.mesh.file = 'u.obj'\ndensity = 500\norigin = [0, 0, 0]\n\
        [[body]]\nname = 'ball'\nshape.sphere.radius = 0.2\ndensity = 500\nposition = [0.1, 0, 1.5]\n";
    let setup = setup(text, &[("u.obj", &u_shape())]);
    assert_eq!(setup.world.contact_engine.colliders.len(), 1 + 3 + 1);
    assert!(setup.warnings.is_empty(), "{}", setup.warnings);
    let last = last_frame(text, &[("u.obj", &u_shape())]);
    let ball = last.bodies[1].position;
    assert!((ball.z - 0.4).abs() < 2e-3 && ball.x.abs() < 0.65, "{ball}");
}

#[test]
fn a_mesh_that_asks_for_it_collides_as_its_hull() {
    let text = "[[body]]\nname = 'u'\nshape.mesh = { file = 'u.obj', collide = 'hull' }\ndensity = 500\norigin = [0, 0, 0]\n\
        [[body]]\nname = 'ball'\nshape.sphere.radius = 0.2\ndensity = 500\nposition = [0.1, 0, 1.5]\n";
    let last = last_frame(text, &[("u.obj", &u_shape())]);
    assert!((last.bodies[1].position.z - 1.2).abs() < 2e-3);
}

/// The mass of a mesh is that of the mesh, not of the parts or of the hull.
#[test]
fn a_column_with_an_arm_stands_if_its_centre_of_mass_is_over_its_foot() {
    for (length, stands) in [(0.5, true), (1.4, false)] {
        let text = "[[body]]\nname = 'l'\nshape.mesh.file = 'l.obj'\ndensity = 500\norigin = [0, 0, 0]\nrestitution = 0\n\
            [[body]]\nname = 'below'\nshape.box.half_extents = [0.08, 0.1, 0.1]\ndensity = 500\nposition = [0.4, 0, 0.1]\n";
        let mesh = arm(length);
        let start = setup(text, &[("l.obj", &mesh)]);
        let area = 0.4 * 2.0 + (length - 0.2) * 0.4;
        let mass = start.header.bodies[0].mass;
        assert!((mass - 500.0 * 0.4 * area).abs() < 1e-9, "{mass}");
        // What is below the arm is in the hull, but not in the parts.
        assert!(start.warnings.is_empty(), "{}", start.warnings);
        let moment = (length - 0.2) * 0.4 * 0.5 * (0.2 + length);
        assert_eq!(moment / area < 0.2, stands);
        let (first, last) = (
            start.world.bodies.state(0).orientation,
            last_frame(text, &[("l.obj", &mesh)]).bodies[0].orientation,
        );
        let angle = first.angle_between(last);
        assert_eq!(angle < 0.02, stands, "{length}: {angle}");
    }
}

#[test]
fn a_torus_falls_over_a_peg() {
    let text = "[[obstacle]]\nname = 'peg'\nshape.cylinder = { radius = 0.4, height = 1.6 }\nposition = [0, 0, 0.8]\n\
        [[body]]\nname = 'ring'\nshape.mesh.file = 'torus.obj'\ndensity = 500\nposition = [0.15, 0.1, 2.1]\nfriction = 0.2\n";
    let mesh = torus(1.0, 0.3, 24, 10);
    let start = setup(text, &[("torus.obj", &mesh)]);
    let parts = start.world.contact_engine.colliders.iter();
    let hulls = parts.filter(|c| matches!(c.shape(), Shape::Hull(_)));
    assert!((6..=16).contains(&hulls.count()));
    let ring = last_frame(text, &[("torus.obj", &mesh)]).bodies[0].position;
    assert!((ring.z - 0.3).abs() < 0.02, "{ring}");
    assert!(ring.truncate().length() < 0.35, "{ring}");
}

#[test]
fn a_mesh_with_a_hole_is_refused_unless_it_collides_as_its_hull() {
    let open = u_shape().lines().skip(1).fold(String::new(), |text, line| {
        // Without its first face, and with the vertex that was skipped.
        let keep = text.contains("f ") || !line.starts_with("f ");
        let line = if keep { line } else { "f 1 2 3" };
        text + line + "\n"
    });
    let open = format!("v -1 -0.5 0\n{open}");
    let body = |keys: &str| {
        format!(
            "{GROUND}[[body]]\nname = 'u'\nmass = 2\ninertia = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ncentre = [0, 0, 0.5]\norigin = [0, 0, 0.1]\n{keys}\n"
        )
    };
    let meshes = [("u.obj", open.as_str())];
    let error = from_text(&body("shape.mesh.file = 'u.obj'"), &meshes);
    let Err(error) = error else {
        panic!("a mesh with a hole collides")
    };
    let error = error.to_string();
    assert!(error.contains("cannot collide as its mesh"), "{error}");
    assert!(error.contains("collide = \"hull\""), "{error}");
    for remedy in [
        "shape.mesh = { file = 'u.obj', collide = 'hull' }",
        "shape.mesh.file = 'u.obj'\ncollides = false",
    ] {
        assert!(from_text(&body(remedy), &meshes).is_ok(), "{remedy}");
    }
}

#[test]
fn wrong_keys_of_decomposition_are_refused() {
    let meshes = [("u.obj", u_shape())];
    let meshes = meshes.each_ref().map(|(n, t)| (*n, t.as_str()));
    let error = |text: &str| match from_text(&format!("{GROUND}{text}"), &meshes) {
        Ok(_) => panic!("{text}"),
        Err(error) => error.to_string(),
    };
    let parts =
        error("[[body]]\nmass = 1\nshape.mesh = { file = 'u.obj', decompose = { max_parts = 0 } }");
    assert!(parts.contains("give from 1 to 256"), "{parts}");
    let flat = error(
        "[[body]]\nmass = 1\nshape.mesh = { file = 'u.obj', decompose = { concavity = -1.0 } }",
    );
    assert!(flat.contains("concavity"), "{flat}");
    let obstacle = error("[[obstacle]]\nshape.mesh = { file = 'u.obj', collide = 'hull' }");
    assert!(obstacle.contains("collides as its triangles"), "{obstacle}");
    let none = error("[[body]]\nmass = 1\nshape.compound = []");
    assert!(none.contains("at least one part"), "{none}");
    let bad = error("[[body]]\nmass = 1\nshape.compound = [{ shape.sphere.radius = -1 }]");
    assert!(bad.contains("radius"), "{bad}");
}

#[test]
fn coarse_parts_are_reported() {
    let text = "[[body]]\nname = 'ring'\nmass = 1\nposition = [0, 0, 1]\n\
        shape.mesh = { file = 'torus.obj', decompose = { max_parts = 3 } }\n";
    let warnings = setup(text, &[("torus.obj", &torus(1.0, 0.3, 24, 10))]).warnings;
    let warnings = warnings.to_string();
    assert!(
        warnings.contains("convex parts, which together are"),
        "{warnings}"
    );
    assert!(warnings.contains("max_parts"), "{warnings}");
}

#[test]
fn a_compound_is_the_same_as_the_parts_of_a_body() {
    let part = |density: &str| {
        format!(
            "[{{ shape.cylinder = {{ radius = 0.1, height = 1.0 }}{density} }}, \
              {{ shape.box.half_extents = [0.3, 0.2, 0.1]{density}, position = [0, 0, 0.6], turn = {{ axis = [0, 0, 1], degrees = 30 }} }}]"
        )
    };
    let body = |keys: &str| format!("[[body]]\nname = 'hammer'\nposition = [0, 0, 1.2]\n{keys}\n");
    let parts = body(&format!("parts = {}", part(", density = 700")));
    let compound = body(&format!("density = 700\nshape.compound = {}", part("")));
    let nested = body(&format!(
        "density = 700\nshape.compound = [{{ shape.compound = {} }}]",
        part("")
    ));
    let found = [&parts, &compound, &nested].map(|text| {
        let mut setup = setup(text, &[]);
        let info = setup.header.bodies[0].clone();
        let (_, kept) = run(&mut setup);
        // After the first impact; later ones would magnify rounding.
        let early = kept.frames.len() / 4;
        (
            info.mass,
            info.moments,
            kept.frames[early].bodies[0].position,
        )
    });
    for (mass, moments, position) in &found[1..] {
        assert!((mass - found[0].0).abs() < 1e-9);
        assert!((*moments - found[0].1).length() < 1e-9);
        assert!((*position - found[0].2).length() < 1e-8);
    }
}

#[test]
fn a_compound_obstacle_is_one_obstacle_with_several_colliders() {
    let text = "[[obstacle]]\nname = 'corner'\nposition = [0, 0, 0.5]\n\
        shape.compound = [{ shape.box.half_extents = [1, 1, 0.1] }, { shape.box.half_extents = [0.1, 1, 0.5], position = [0.9, 0, 0.6] }]\n\
        [[body]]\nname = 'ball'\nshape.sphere.radius = 0.2\nmass = 1\nposition = [0, 0, 0.85]\nvelocity = [1, 0, 0]\nrolling_friction = 0.01\n";
    let start = setup(text, &[]);
    let names: Vec<&str> = (0..start.world.contact_engine.colliders.len() as u32)
        .map(|k| start.world.collider_name(k))
        .collect();
    assert_eq!(names.iter().filter(|n| **n == "corner").count(), 2);
    start.header.check().unwrap();
    assert_eq!(start.header.physics.colliders.len(), names.len());
    let ball = last_frame(text, &[]).bodies[0].position;
    assert!((ball.z - 0.8).abs() < 1e-3 && ball.x < 0.601, "{ball}");
}

#[test]
fn a_ball_comes_to_rest_in_the_dip_of_a_heightfield() {
    let text = "[[obstacle]]\nname = 'dip'\nposition = [0, 0, 1]\n\
        shape.heightfield = { spacing = 0.5, heights = [[1, 1, 1, 1, 1], [1, 0.5, 0.4, 0.5, 1], [1, 0.4, 0, 0.4, 1], [1, 0.5, 0.4, 0.5, 1], [1, 1, 1, 1, 1]] }\n\
        [[body]]\nname = 'ball'\nshape.sphere.radius = 0.1\nmass = 1\nposition = [0.5, 0.3, 2.2]\nrestitution = 0.1\nfriction = 0.8\nrolling_friction = 0.02\n";
    let start = setup(text, &[]);
    let ground = start.world.contact_engine.colliders.iter();
    let mut ground = ground.filter(|c| matches!(c.shape(), Shape::Heightfield(_)));
    assert!(ground.next().is_some());
    let ball = last_frame(text, &[]).bodies[0].position;
    assert!((ball - DVec3::new(0.0, 0.0, 1.35)).length() < 0.2, "{ball}");
}
