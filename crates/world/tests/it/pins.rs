//! Cloth that is pinned to bodies, obstacles and characters.

use crate::support::{built_in, from_text, run};
use conatus_math::{DVec3, Pose};
use conatus_record::Frame;
use conatus_world::scene::Setup;

/// A material on which nothing outside acts.
const CLOSED: &str = r#"
    [cloth.material.closed]
    density = 0.2
    stretch = 300
    shear = 100
    bend = 1e-4
    damping_mass = 0
    drag_normal = 0
    drag_tangential = 0
"#;

fn setup(text: &str) -> Setup {
    from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"))
}

/// The message of a scene with errors.
#[track_caller]
fn refused(text: &str) -> String {
    match from_text(text, &[]) {
        Ok(_) => panic!("the scene was built"),
        Err(error) => error.to_string(),
    }
}

/// The largest distance, over all frames, of pinned vertices from their places in
/// the frame of the body, obstacle or part at `index` in the recording.
#[track_caller]
fn farthest_from_frame(frames: &[Frame], index: usize, vertices: &[usize]) -> f64 {
    let pose = |frame: &Frame| {
        let b = &frame.bodies[index];
        Pose::new(b.orientation, b.position)
    };
    let start = pose(&frames[0]).inverse();
    let distance = |frame: &Frame, v: usize| {
        let place = start.point(frames[0].cloth[v]);
        pose(frame).point(place).distance(frame.cloth[v])
    };
    let all = frames.iter();
    all.flat_map(|f| vertices.iter().map(move |&v| distance(f, v)))
        .fold(0.0, f64::max)
}

fn index_of(setup: &Setup, name: &str) -> usize {
    let mut bodies = setup.header.bodies.iter();
    bodies.position(|b| b.name == name).expect("a body")
}

#[test]
fn the_cape_follows_the_shoulders_at_every_frame() {
    let mut setup = built_in("caped-walker", &[]);
    let (report, kept) = run(&mut setup);
    let cloth = report.cloth.as_ref().expect("cloth");
    assert!(report.succeeded() && cloth.intersections == 0);
    let torso = index_of(&setup, "human/torso");
    let top: Vec<usize> = (23 * 13..24 * 13).collect();
    let far = farthest_from_frame(&kept.frames, torso, &top);
    assert!(far < 1e-9, "{far} m");
    let last = kept.frames.last().expect("a frame");
    assert!(last.cloth[top[0]].x > 1.5, "the cape stayed behind");
}

#[test]
fn pins_follow_an_obstacle_that_turns_and_moves() {
    let mut setup = setup(
        r#"
        time = { step = 0.004, seconds = 1, steps_per_frame = 5 }
        [[obstacle]]
        name = "pole"
        shape.box.half_extents = [0.02, 0.02, 0.5]
        keyframe = [
            { time = 0, position = [0, 0, 1] },
            { time = 1, position = [0.5, 0.2, 1.2], turn = { axis = [0, 0, 1], degrees = 80 } },
        ]
        [[cloth.piece]]
        shape.rectangle = { width = 0.4, height = 0.3, vertices = [9, 7] }
        position = [0.25, 0, 1.2]
        turn = { axis = [1, 0, 0], degrees = 90 }
        pin = [{ within = [[-0.21, -1, -1], [-0.19, 1, 1]], obstacle = "pole" }]
        "#,
    );
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    let edge: Vec<usize> = (0..7).map(|row| 9 * row).collect();
    let pole = index_of(&setup, "pole");
    let far = farthest_from_frame(&kept.frames, pole, &edge);
    assert!(far < 1e-12, "{far} m");
}

/// A cloth with a body at either end, thrown with a spin.
fn thrown(step: f64, more: &str) -> String {
    format!(
        r#"
        time = {{ step = {step}, seconds = {}, steps_per_frame = 1 }}
        gravity = [0, 0, 0]
        [cloth]
        {more}
        {CLOSED}
        [[cloth.piece]]
        shape.rectangle = {{ width = 0.5, height = 0.2, vertices = [11, 5] }}
        material = "closed"
        velocity = [0, 0, 0.5]
        pin = [
            {{ within = [[-0.26, -1, -1], [-0.24, 1, 1]], body = "a" }},
            {{ within = [[0.24, -1, -1], [0.26, 1, 1]], body = "b" }},
        ]
        [[body]]
        name = "a"
        shape.box.half_extents = [0.05, 0.1, 0.03]
        mass = 0.3
        position = [-0.32, 0, 0]
        velocity = [-0.4, 0.6, 0.2]
        angular_velocity = [3, 1, -2]
        [[body]]
        name = "b"
        shape.sphere.radius = 0.05
        mass = 0.05
        position = [0.32, 0, 0.01]
        velocity = [0.1, -0.5, 1]
        "#,
        250.0 * step
    )
}

/// The largest change of momentum in a step, as a fraction of the sum of the sizes of
/// all momenta, and the same for angular momentum over the whole run.
fn momentum_changes(text: &str) -> (f64, f64) {
    let mut setup = setup(text);
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded(), "{report:?}");
    let (a, b) = (index_of(&setup, "a"), index_of(&setup, "b"));
    let edges = [(a, 0), (b, 10)];
    for (body, column) in edges {
        let edge: Vec<usize> = (0..5).map(|row| 11 * row + column).collect();
        let far = farthest_from_frame(&kept.frames, body, &edge);
        assert!(far < 1e-12, "{far} m");
    }
    let scale = 0.3 * 0.75 + 0.05 * 1.1 + 0.02 * 0.5;
    let pairs = kept.frames.windows(2);
    let steps = pairs.map(|f| (f[1].totals.momentum - f[0].totals.momentum).length() / scale);
    let spin = |frame: &Frame| frame.totals.angular_momentum;
    let (first, last) = (&kept.frames[0], kept.frames.last().expect("a frame"));
    let turned = (spin(last) - spin(first)).length() / spin(first).length();
    (steps.fold(0.0, f64::max), turned)
}

#[test]
fn cloth_and_the_bodies_it_is_pinned_to_keep_their_momentum() {
    let (exact, turned) = momentum_changes(&thrown(0.002, "solver = \"cholesky\""));
    assert!(exact < 1e-9, "{exact} of the momentum in a step");
    // Euler's method is of first order for rotations.
    assert!(turned < 0.05, "{turned} of the angular momentum");
    let (rough, _) = momentum_changes(&thrown(0.002, ""));
    assert!(rough < 1e-9, "{rough} with conjugate gradients");
    let (explicit, _) = momentum_changes(&thrown(0.0002, "integrator = \"symplectic-euler\""));
    assert!(explicit < 1e-12, "{explicit} with explicit steps");
}

/// A ball hits the cloth between its bodies. Later it reaches the vertices that are fixed
/// to `b`: such a contact pushes only one of the two bodies (docs/scenes.md), so that only
/// the frames before are compared.
#[test]
fn contacts_of_pinned_cloth_keep_momentum() {
    let ball = r#"
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.06
        mass = 0.2
        position = [0.05, 0, 0.15]
        velocity = [0, 0, -3]
    "#;
    let text = thrown(0.002, "solver = \"cholesky\"") + ball;
    let mut setup = setup(&text);
    let (report, kept) = run(&mut setup);
    let cloth = report.cloth.as_ref().expect("cloth");
    assert!(report.succeeded() && cloth.intersections == 0);
    let frames = &kept.frames[..60];
    let ball = |frame: &Frame| frame.bodies[2].velocity.z;
    assert!(ball(&frames[59]) > 0.8 * ball(&frames[0]), "no contact");
    let steps = frames.windows(2);
    let steps = steps.map(|f| (f[1].totals.momentum - f[0].totals.momentum).length());
    let most = steps.fold(0.0, f64::max);
    assert!(most < 1e-9, "{most} N·s in a step");
}

#[test]
fn a_body_too_heavy_to_move_holds_cloth_like_a_locked_one() {
    let hang = |keys: &str| {
        let mut setup = setup(&format!(
            r#"
            time = {{ step = 0.004, seconds = 0.5, steps_per_frame = 125 }}
            [cloth]
            tolerance = 1e-8
            [[cloth.piece]]
            shape.rectangle = {{ width = 0.3, height = 0.3, vertices = [7, 7] }}
            position = [0, 0, 1]
            pin = [{{ vertices = [1, 7], body = "bar" }}]
            [[body]]
            name = "bar"
            shape.box.half_extents = [0.2, 0.02, 0.02]
            position = [0, -0.2, 1]
            {keys}
            "#
        ));
        let (report, mut kept) = run(&mut setup);
        assert!(report.succeeded());
        kept.frames.pop().expect("a frame").cloth
    };
    let locked = hang("mass = 1\nlocked = true");
    // Gravity is balanced by a force, so that only the cloth can move the body.
    let heavy = hang("mass = 1e9\n[[push]]\nbody = \"bar\"\nforce = [0, 0, 9.81e9]");
    let pairs = locked.iter().zip(&heavy);
    let most = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(most < 1e-5, "{most} m");
}

#[test]
fn a_body_hangs_from_the_cloth_that_is_pinned_to_it() {
    let mut setup = setup(&format!(
        r#"
        time = {{ step = 0.004, seconds = 6, steps_per_frame = 25 }}
        {CLOSED}
        damping_stiffness = 0.02
        [[cloth.piece]]
        shape.rectangle = {{ width = 0.2, height = 0.4, vertices = [5, 9] }}
        material = "closed"
        position = [0, 0, 1]
        turn = {{ axis = [1, 0, 0], degrees = 90 }}
        pin = [
            {{ within = [[-1, 0.19, -1], [1, 0.21, 1]] }},
            {{ within = [[-1, -0.21, -1], [1, -0.19, 1]], body = "load" }},
        ]
        [[body]]
        name = "load"
        shape.box.half_extents = [0.1, 0.02, 0.05]
        mass = 0.2
        position = [0, 0, 0.74]
        damping = {{ linear = 0.5, angular = 2e-3 }}
        "#
    ));
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded(), "{report:?}");
    let last = kept.frames.last().expect("a frame");
    let load = &last.bodies[0];
    let before = &kept.frames[kept.frames.len() - 2].bodies[0];
    let moved = load.position.distance(before.position);
    assert!(moved < 1e-6, "{moved} m in 0.1 s");
    // The cloth carries the load: 0.2 kg and half of its own 0.016 kg, over a width of
    // 0.2 m at 300 N/m. The sag is that of a bar under tension.
    let strain = (0.2 + 0.008) * 9.81 / (0.2 * 300.0);
    let sag = 0.74 - load.position.z;
    assert!((sag / (0.4 * strain) - 1.0).abs() < 0.1, "{sag} m");
    let bottom: Vec<usize> = (0..5).collect();
    let far = farthest_from_frame(&kept.frames, 0, &bottom);
    assert!(far < 1e-12, "{far} m");
}

#[test]
fn cloth_follows_a_locked_body_and_one_that_does_not_collide() {
    for keys in [
        "locked = true",
        "collides = false\nangular_velocity = [0, 0, 3]",
    ] {
        let mut setup = setup(&format!(
            r#"
            time = {{ step = 0.004, seconds = 0.4, steps_per_frame = 5 }}
            [[cloth.piece]]
            shape.rectangle = {{ width = 0.3, height = 0.3, vertices = [7, 7] }}
            position = [0, 0, 1]
            pin = [{{ corners = true, body = "frame" }}]
            [[body]]
            name = "frame"
            shape.box.half_extents = [0.05, 0.05, 0.05]
            mass = 1
            position = [0, 0, 1.3]
            {keys}
            "#
        ));
        let (report, kept) = run(&mut setup);
        assert!(report.succeeded());
        let far = farthest_from_frame(&kept.frames, 0, &[0, 6, 42, 48]);
        assert!(far < 1e-12, "{keys}: {far} m");
    }
}

const PIECE: &str = r#"
    [[cloth.piece]]
    shape.rectangle = { width = 0.3, height = 0.3, vertices = [5, 5] }
    position = [0, 0, 3]
"#;

#[test]
fn what_a_pin_cannot_follow_is_refused_at_its_place() {
    let refused = |pin: &str, rest: &str| {
        let message = refused(&format!(
            "{PIECE}\npin = [{{ corners = true, {pin} }}]\n{rest}"
        ));
        assert!(message.contains("scene.toml:6:"), "{message}");
        message
    };
    let body = "[[body]]\nname = \"crate\"\nshape.sphere.radius = 0.1\nmass = 1";
    let message = refused("body = \"crates\"", body);
    assert!(message.contains("there is no body `crates`"), "{message}");
    assert!(message.contains("did you mean `crate`?"), "{message}");
    let message = refused("obstacle = \"mast\"", "");
    assert!(message.contains("there is no obstacle `mast`"), "{message}");
    let message = refused("part = \"human/torso\"", "");
    assert!(message.contains("the scene has no characters"), "{message}");
    let human = "[[character]]\nname = \"human\"\n[[goal]]\nkind = \"stand\"";
    let message = refused("part = \"human/chest\"", human);
    assert!(
        message.contains("there is no part `human/chest`"),
        "{message}"
    );
    assert!(message.contains("human/torso, "), "{message}");
    let message = refused("body = \"crate\", obstacle = \"crate\"", body);
    assert!(
        message.contains("`body` and `obstacle` exclude each other"),
        "{message}"
    );
    let message = refused(
        "body = \"crate\", keyframe = [{ time = 0, position = [0, 0, 0] }]",
        body,
    );
    assert!(
        message.contains("`keyframe` and `body` exclude each other"),
        "{message}"
    );
}

/// Explicit steps of cloth panicked as soon as there was a body in the scene: the
/// matrix for the damping has rows for bodies, its vectors had none.
#[test]
fn explicit_steps_of_cloth_run_with_a_body() {
    let mut setup = setup(
        r#"
        time = { step = 0.0005, seconds = 0.1 }
        [cloth]
        integrator = "symplectic-euler"
        [[cloth.piece]]
        name = "sheet"
        shape.rectangle = { width = 1, height = 1, vertices = [5, 5] }
        position = [0, 0, 1]
        pin = [{ corners = true }]
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.1
        mass = 1
        position = [0, 0, 1.12]
        "#,
    );
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded(), "{report:?}");
    let last = kept.frames.last().expect("a frame");
    assert!(last.cloth.iter().all(|x: &DVec3| x.is_finite()));
    assert!(last.bodies[0].position.z < 1.12);
}
