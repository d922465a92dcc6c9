//! Contacts of cloth where they are hard to get right: on ground made of many
//! triangles, and between a heavy body and a table.

use crate::support::{built_in, from_text};
use conatus_math::DVec3;
use conatus_record::Frame;

fn run(text: &str) -> Vec<Frame> {
    let mut setup = from_text(text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = crate::support::run(&mut setup);
    assert!(report.succeeded());
    assert_eq!(report.cloth.expect("cloth").intersections, 0);
    kept.frames
}

fn mean(frame: &Frame) -> DVec3 {
    frame.cloth.iter().sum::<DVec3>() / frame.cloth.len() as f64
}

const SHEET: &str = r#"
    [cloth.material.sheet]
    density = 0.2
    stretch = 500
    shear = 200
    bend = 5e-5
    damping_mass = 0
    drag_normal = 0
    drag_tangential = 0

    [[cloth.piece]]
    shape.rectangle = { width = 0.4, height = 0.4, vertices = [11, 11] }
    material = "sheet"
    position = [-1.5789, 0, 1.2319]
    turn = { axis = [0, 1, 0], degrees = 35 }
"#;

/// How far a sheet slides in a second down a slope of 35°, which `ramp` describes.
fn slid(friction: f64, ramp: &str) -> f64 {
    let frames = run(&format!(
        r#"
        time = {{ step = 0.0020833333333333333, seconds = 1, steps_per_frame = 48 }}
        [cloth]
        friction = {friction}
        thickness = 0.003
        {SHEET}
        {ramp}
        "#
    ));
    mean(&frames[0]).distance(mean(&frames[frames.len() - 1]))
}

/// Without friction nothing slows the sheet, and edges within flat ground are no
/// obstacles: the distance is g sin α t²/2, and less with friction.
#[test]
fn a_sheet_slides_over_the_triangles_of_its_ramp_as_over_a_plane() {
    let (sin, cos) = 35f64.to_radians().sin_cos();
    let (x, z) = (0.1 * sin, 0.1 * cos);
    let plane = format!("[[plane]]\npoint = [{x}, 0, {z}]\nnormal = [{sin}, 0, {cos}]");
    let mesh = "[[obstacle]]\nshape.box.half_extents = [3, 0.5, 0.1]\n\
                turn = { axis = [0, 1, 0], degrees = 35 }\ndetail = 0.1";
    let expected = |friction: f64| 0.5 * 9.81 * (sin - friction * cos);
    for ground in [plane.as_str(), mesh] {
        for (friction, most) in [(0.0, 0.015), (0.1, 0.03), (0.3, 0.05), (0.6, 0.25)] {
            let (slid, expected) = (slid(friction, ground), expected(friction));
            assert!(
                (slid / expected - 1.0).abs() < most,
                "{slid} m instead of {expected} with friction {friction} on {ground}"
            );
        }
    }
}

/// A kilogram on a sheet of eighty grams on a table: the body is thousands of times as
/// heavy as the vertices below it, and rests on them.
#[test]
fn a_heavy_body_rests_on_thin_cloth_on_a_table() {
    let frames = run(r#"
        time = { step = 0.0020833333333333333, seconds = 0.75, steps_per_frame = 20 }
        [cloth]
        thickness = 0.003
        friction = 0.3
        [[cloth.piece]]
        shape.rectangle = { width = 0.6, height = 0.6, vertices = [25, 25] }
        material = "cotton"
        position = [0, 0, 0.804]
        [[body]]
        name = "cup"
        shape.cylinder = { radius = 0.06, height = 0.08 }
        mass = 1
        position = [0, 0, 0.8475]
        [[obstacle]]
        name = "table"
        shape.box.half_extents = [0.5, 0.4, 0.4]
        position = [0, 0, 0.4]
        detail = 0.2
    "#);
    let wanted = 0.8 + 2.0 * 0.003 + 0.04;
    for frame in &frames[frames.len() / 3..] {
        let cup = &frame.bodies[0];
        assert!(
            (cup.position.z - wanted).abs() < 1e-3,
            "at {} s the cup is at {}",
            frame.time,
            cup.position
        );
        let lean = (cup.orientation * DVec3::Z).distance(DVec3::Z);
        assert!(lean < 0.01, "at {} s it leans by {lean}", frame.time);
        assert!(cup.velocity.length() < 0.03, "{}", cup.velocity);
    }
}

/// The displacements of the cup and the bottle, and of the cloth, if it is pulled from
/// 0.5 s until the given time.
fn pulled(until: f64) -> (Vec<f64>, f64) {
    let pull = format!("cloth.piece.tablecloth.pin[0].keyframe[1].time={until}");
    let mut setup = built_in("tablecloth", &["time.seconds=1.25", &pull]);
    let (report, kept) = crate::support::run(&mut setup);
    let cloth = report.cloth.expect("cloth");
    assert_eq!(cloth.intersections, 0);
    assert!(cloth.max_stretch < 1.5, "{}", cloth.max_stretch);
    let [first, last] = [&kept.frames[0], &kept.frames[kept.frames.len() - 1]];
    let bodies = first.bodies.iter().zip(&last.bodies).take(2);
    let displacements = bodies.map(|(a, b)| b.position.x - a.position.x).collect();
    (displacements, mean(last).x - mean(first).x)
}

/// Friction acts while the cloth slides below the bodies: a fifth of a second is too short
/// to move a body far.
#[test]
fn bodies_stay_when_the_tablecloth_is_pulled_quickly() {
    let (bodies, cloth) = pulled(0.9);
    assert!(cloth > 1.5, "the cloth went {cloth} m");
    assert!(bodies.iter().all(|x| (0.0..0.03).contains(x)), "{bodies:?}");
    let (bodies, _) = pulled(2.0);
    assert!(bodies.iter().all(|x| *x > 0.06), "{bodies:?}");
}

/// Cloth at rest keeps its positions bit for bit, and wakes when something touches it.
#[test]
fn cloth_at_rest_sleeps_until_something_moves_it() {
    let frames = run(r#"
        time = { step = 0.0020833333333333333, seconds = 3.5, steps_per_frame = 24 }
        [cloth]
        thickness = 0.003
        friction = 0.3
        [[cloth.piece]]
        shape.rectangle = { width = 0.3, height = 0.3, vertices = [11, 11] }
        material = "cotton"
        position = [0, 0, 0.06]
        [[obstacle]]
        name = "table"
        shape.box.half_extents = [0.4, 0.4, 0.05]
        detail = 0.2
        keyframe = [
          { time = 2.5, position = [0, 0, 0] },
          { time = 3.5, position = [0.3, 0, 0] },
        ]
    "#);
    let at = |seconds: f64| {
        let place = frames.iter().position(|f| f.time > seconds - 1e-6);
        &frames[place.expect("a frame")].cloth
    };
    assert_eq!(at(1.5), at(2.5), "it did not rest");
    // The table moves it.
    let moved = mean(&frames[frames.len() - 1]).x - mean(&frames[0]).x;
    assert!((0.2..0.31).contains(&moved), "it moved by {moved} m");
}

/// Two seconds after it lies, cloth is slower than 1 cm/s on the mean, and stays so. It
/// lies once its mean speed stays below 5 cm/s. Here steps are as long as the paper's, and
/// squares that lie on each other are pressed together and pushed apart again.
#[test]
fn a_stack_of_squares_rests_two_seconds_after_it_lies() {
    let sets = ["time.seconds=9", "cloth.piece.square.array.count=[1, 1, 8]"];
    let mut setup = built_in("squares-plane", &sets);
    let mut speeds = Vec::new();
    for _ in 0..setup.schedule.steps {
        setup.world.step();
        let cloth = setup.world.cloth.as_ref().expect("cloth");
        let v = cloth.cloth.velocities();
        speeds.push(v.iter().map(|v| v.length()).sum::<f64>() / v.len() as f64);
    }
    let lies = speeds.iter().rposition(|v| *v >= 0.05).expect("a fall") + 1;
    let later = lies + (2.0 / setup.world.step_seconds()).round() as usize;
    let rest = speeds.get(later..).unwrap_or_default();
    assert!(!rest.is_empty(), "it lies after {lies} steps only");
    let fastest = rest.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!(fastest < 0.01, "mean speed {fastest} m/s");
}
