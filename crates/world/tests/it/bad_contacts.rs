//! Bodies and joints that cannot be: refused with place and remedy, or warned of and
//! simulated without harm.

use crate::support::{from_text, run};

const TWO_BOXES: &str = r#"
[time]
step = 0.01
seconds = 3
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[body]]
name = "a"
shape.box.half_extents = [0.2, 0.2, 0.2]
mass = 1
position = [0, 0, 0.2]
[[body]]
name = "b"
shape.box.half_extents = [0.2, 0.2, 0.2]
mass = 1
position = [1, 0, 0.2]
"#;

/// Two boxes and a joint with these keys.
fn joined(keys: &str) -> String {
    format!("{TWO_BOXES}\n[[joint]]\n{keys}\n")
}

/// A body with this hull.
fn hull(points: &str) -> String {
    format!("[[body]]\nname = \"hull\"\nmass = 1\nshape.hull.points = {points}\n")
}

fn error(text: &str) -> String {
    match from_text(text, &[]) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn impossible_joints_and_hulls_are_refused_at_their_place() {
    let cases = [
        (joined(r#"bodies = ["a", "a"]"#), "joined to itself"),
        (
            joined("type = \"hinge\"\nbodies = [\"a\", \"b\"]\nlimits = [1, -1]"),
            "1",
        ),
        (
            joined("type = \"slider\"\nbodies = [\"a\", \"b\"]\nlimits = [nan, 1]"),
            "",
        ),
        (
            joined("type = \"hinge\"\nbodies = [\"a\"]\nmotor = { speed = 1, max_force = 0 }"),
            "greatest force of a motor",
        ),
        (
            joined("type = \"hinge\"\nbodies = [\"a\"]\nmotor = { max_force = 5 }"),
            "a motor needs one target",
        ),
        (joined("type = \"hinge\"\nbodies = [\"a\", \"c\"]"), "`c`"),
        (
            joined("type = \"hinge\"\nbodies = [\"a\"]\naxis = [0, 0, 0]"),
            "",
        ),
        (
            joined("type = \"rope\"\nbodies = [\"a\", \"b\"]\nlength = -1"),
            "",
        ),
        (
            hull("[[0, 0, 0], [1, 0, 0], [0, 1, 0]]"),
            "four different points",
        ),
        (
            hull("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0]]"),
            "four different points",
        ),
        (
            hull("[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.5, 0.5, 0]]"),
            "plane",
        ),
    ];
    for (text, message) in cases {
        let found = error(&text);
        assert!(found.contains("scene.toml:"), "no place: {found}");
        assert!(found.contains(message), "{message}: {found}");
        assert!(found.contains("help:"), "no remedy: {found}");
    }
}

/// Bodies that start in each other are pushed apart slowly.
#[test]
fn deep_overlaps_at_the_start_are_warned_of_and_throw_nothing() {
    let shapes = [
        "shape.box.half_extents = [0.2, 0.2, 0.2]",
        "shape.sphere.radius = 0.2",
        "shape.cylinder = { radius = 0.2, height = 0.4 }",
        "shape.capsule = { radius = 0.15, height = 0.2 }",
        "shape.cone = { radius = 0.2, height = 0.4 }",
        "shape.hull.points = [[0.2, 0, 0], [-0.2, 0, 0], [0, 0.2, 0], [0, -0.2, 0], [0, 0, 0.2], [0, 0, -0.2]]",
    ];
    for first in shapes {
        for second in shapes {
            // The same centre, and nearly so.
            for shift in [0.0, 0.03] {
                let text = format!(
                    r#"
[time]
step = 0.01
seconds = 2
[[plane]]
point = [0, 0, 0]
normal = [0, 0, 1]
[[body]]
name = "a"
{first}
mass = 1
position = [0, 0, 0.25]
[[body]]
name = "b"
{second}
mass = 1
position = [{shift}, 0, 0.25]
"#
                );
                let mut setup = from_text(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
                let warnings = setup.warnings.to_string();
                assert!(warnings.contains("inside each other"), "{warnings}");
                let (report, kept) = run(&mut setup);
                assert!(report.rigid.quarantined.is_empty(), "{text}");
                for frame in &kept.frames {
                    for body in &frame.bodies {
                        let speed = body.velocity.length();
                        assert!(speed < 4.5, "{speed} m/s: {text}");
                        assert!(body.position.is_finite() && body.position.z > -0.01);
                    }
                }
            }
        }
    }
}

/// Boxes that stand deep in the ground come out of it.
#[test]
fn a_body_that_starts_in_the_ground_comes_out() {
    let text = TWO_BOXES.replace("position = [0, 0, 0.2]", "position = [0, 0, 0]");
    let mut setup = from_text(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (_, kept) = run(&mut setup);
    let last = &kept.frames.last().unwrap().bodies[0];
    assert!((last.position.z - 0.2).abs() < 1e-3, "{}", last.position);
    for frame in &kept.frames {
        let speed = frame.bodies[0].velocity.length();
        assert!(speed < 3.5, "{speed}");
    }
}

/// A weak motor cannot lift what hangs on it, and does no harm.
#[test]
fn a_motor_that_is_too_weak_holds_nothing_and_adds_no_energy() {
    let text = joined(
        "type = \"hinge\"\nbodies = [\"b\"]\nat = [0, 0, 2]\naxis = [0, 1, 0]\nmotor = { position = 0, max_force = 1e-9 }",
    )
    .replace("position = [1, 0, 0.2]", "position = [1, 0, 2]");
    let mut setup = from_text(&text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = run(&mut setup);
    assert_eq!(report.energy.unexplained, None);
    let lowest = kept.frames.iter().map(|f| f.bodies[1].position.z);
    assert!(lowest.fold(f64::INFINITY, f64::min) < 1.1);
}
