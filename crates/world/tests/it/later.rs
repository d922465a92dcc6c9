//! Bodies and joints that commands add and remove.

use crate::support::from_text;
use conatus_math::DVec3;

/// A scene's errors.
fn error(text: &str) -> String {
    match from_text(text, &[]) {
        Ok(_) => panic!("the scene was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_body_that_a_command_adds_moves_as_if_it_had_just_started() {
    let body = r#"shape = { sphere = { radius = 0.1 } }, mass = 1, position = [1, 2, 3], velocity = [1, 0, 0]"#;
    let late = format!("[[command]]\ntime = 0.5\nadd_body = {{ {body} }}\n");
    let mut setup = from_text(&late, &[]).unwrap_or_else(|e| panic!("{e}"));
    let world = &mut setup.world;
    assert!(world.is_removed(0));
    for _ in 0..50 {
        world.step();
        assert!(world.is_removed(0));
        assert_eq!(world.totals().kinetic, 0.0);
    }
    for _ in 0..100 {
        world.step();
    }
    let expected = DVec3::new(2.0, 2.0, 3.0 - 0.5 * 9.81);
    assert!(world.bodies.state(0).position.distance(expected) < 1e-9);
}

#[test]
fn a_joint_that_a_command_adds_holds_bodies_where_they_are_then() {
    let text = r#"
time.step = 0.005
[[body]]
name = "a"
shape.sphere.radius = 0.1
mass = 1
position = [0, 0, 0]
[[body]]
name = "b"
shape.sphere.radius = 0.1
mass = 1
position = [1, 0, 0]
velocity = [0, 1, 0]
[[command]]
time = 0.5
add_joint = { name = "weld", type = "fixed", bodies = ["a", "b"] }
[[command]]
time = 1
remove_joint = "weld"
"#;
    let mut setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let world = &mut setup.world;
    let mut gap = |until: u64| {
        while world.steps() < until {
            world.step();
        }
        let [a, b] = [0, 1].map(|k| world.bodies.state(k).position);
        b.distance(a)
    };
    let joined = gap(100);
    assert!((joined - 1.25f64.sqrt()).abs() < 1e-9, "{joined}");
    assert!((gap(150) - joined).abs() < 1e-4);
    assert!((gap(200) - joined).abs() < 1e-4);
    assert!(gap(300) > joined + 0.05);
}

#[test]
fn wrong_additions_and_removals_are_refused_at_their_place() {
    let body = "[[body]]\nname = \"ball\"\nshape.sphere.radius = 0.1\nmass = 1\n";
    let command = |action: &str| error(&format!("{body}[[command]]\ntime = 1\n{action}\n"));
    let message = command("add_body = { shape = { sphere = { radius = -1 } }, mass = 1 }");
    assert!(message.contains("scene.toml:7"), "{message}");
    let message =
        command("add_body = { name = \"ball\", shape = { sphere = { radius = 1 } }, mass = 1 }");
    assert!(
        message.contains("the name `ball` is used twice"),
        "{message}"
    );
    let message = command("remove_body = \"bal\"");
    assert!(message.contains("did you mean `ball`?"), "{message}");
    let message = command("add_joint = { type = \"hinge\", bodies = [\"ball\", \"ball\"] }");
    assert!(message.contains("joined to itself"), "{message}");
    let message = command("remove_joint = \"weld\"");
    assert!(message.contains("there is no joint `weld`"), "{message}");
    let array = "array = { count = [2, 1, 1], spacing = [1, 1, 1] }";
    let message = command(&format!(
        "add_body = {{ shape = {{ sphere = {{ radius = 1 }} }}, mass = 1, {array} }}"
    ));
    assert!(message.contains("a command adds one body"), "{message}");
    let message = command("lock = \"ball\"\nremove_body = \"ball\"");
    assert!(message.contains("exactly one action"), "{message}");
}
