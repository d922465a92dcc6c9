//! Scenes described in code are equal to scenes of files.

use conatus::prelude::*;
use conatus_world::scene::{Files, SourceText, library};

#[test]
fn code_and_file_give_the_same_frames() {
    let mut built = SceneBuilder::new("both");
    let ball = built.add_body(
        BodySpec::sphere(0.2)
            .name("ball")
            .density(500.0)
            .position([0.1, 0.0, 1.0])
            .velocity([1.0, 0.0, 0.0])
            .restitution(0.7),
    );
    let block = built.add_body(
        BodySpec::cuboid([0.1, 0.2, 0.3])
            .mass(2.0)
            .position([3.0, 0.0, 2.0]),
    );
    built.connect(
        (ball, [0.0, 0.1, 0.0]),
        block,
        SpringSpec::with_stiffness(30.0).damping(0.2),
    );
    built.connect(
        [0.0, 0.0, 4.0],
        block,
        SpringSpec::with_stiffness(50.0).length(1.5),
    );
    built.add_plane(PlaneSpec::ground().friction(0.3));
    built.add_water(WaterSpec::new(0.1).linear_drag(20.0).wave(WaveSpec::new(
        0.05,
        2.0,
        [1.0, 0.0],
    )));
    built.add_command(CommandSpec::kick(0.5, "ball", [0.0, 3.0, 5.0]));
    built.seconds(1.5).gravity([0.0, 0.0, -9.0]).step(0.005);

    let text = r#"
        gravity = [0, 0, -9]
        [time]
        step = 0.005
        seconds = 1.5
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.2
        density = 500
        position = [0.1, 0, 1]
        velocity = [1, 0, 0]
        restitution = 0.7
        [[body]]
        shape.box.half_extents = [0.1, 0.2, 0.3]
        mass = 2
        position = [3, 0, 2]
        [[spring]]
        a = { body = "ball", point = [0, 0.1, 0] }
        b = { body = "body-2" }
        stiffness = 30
        damping = 0.2
        [[spring]]
        a = { pin = [0, 0, 4] }
        b = { body = "body-2" }
        stiffness = 50
        length = 1.5
        [[plane]]
        point = [0, 0, 0]
        normal = [0, 0, 1]
        friction = 0.3
        [[water]]
        level = 0.1
        linear_drag = 20
        waves = [{ amplitude = 0.05, wavelength = 2, direction = [1, 0] }]
        [[command]]
        time = 0.5
        kick = { body = "ball", momentum = [0, 3, 5] }
    "#;
    let source = SourceText::new("both.toml", text);
    let written = Scene::parse(
        "both",
        source,
        Files::in_memory([]),
        &LoadOptions::default(),
    )
    .unwrap();

    let (code, file) = (built.run().unwrap(), run(&written).unwrap());
    assert_eq!(code.frames().len(), file.frames().len());
    assert_eq!(code.frames(), file.frames());
}

/// A scene file is read into structs, written and read again without a loss: a key that
/// the writer omits, or writes wrongly, would be missing the second time.
#[test]
fn every_built_in_scene_is_the_same_after_it_is_written_and_read() {
    for built_in in library::SCENES {
        let scene = Scene::load(built_in.name, &LoadOptions::default()).unwrap();
        let text = scene.file.to_toml().unwrap();
        let files = Files::built_in();
        let again = Scene::from_spec(built_in.name, &scene.file, files, &LoadOptions::default());
        let again = again.unwrap_or_else(|error| panic!("{}: {error}\n{text}", built_in.name));
        assert_eq!(again.file.to_toml().unwrap(), text, "{}", built_in.name);
        let keys = |scene: &Scene| format!("{:?}", scene.file);
        assert_eq!(keys(&scene), keys(&again), "{}", built_in.name);
    }
}

#[test]
fn mistakes_are_reported_together_with_their_paths() {
    let mut scene = SceneBuilder::new("wrong");
    scene.add_body(BodySpec::sphere(-1.0).name("a"));
    scene.add_body(BodySpec::sphere(1.0).mass(-1.0).name("b"));
    let message = scene.simulate().err().expect("it is wrong").to_string();
    assert!(
        message.contains("radius") && message.contains("mass"),
        "{message}"
    );
}

#[test]
fn an_array_gives_a_handle_for_every_copy() {
    let mut scene = SceneBuilder::new("grid");
    let array = ArraySpec::new([2, 3, 1], [1.0, 1.0, 1.0]);
    let balls = scene.add_bodies(BodySpec::sphere(0.1).name("ball").array(array));
    let last = scene.add_body(BodySpec::sphere(0.1).position([0.0, 0.0, 5.0]));
    assert_eq!(balls.len(), 6);
    let simulation = scene.simulate().unwrap();
    assert_eq!(simulation.name_of(balls[5]), "ball-5");
    assert_eq!(
        simulation.state(balls[5]).position,
        DVec3::new(1.0, 2.0, 0.0)
    );
    assert_eq!(simulation.state(last).position.z, 5.0);
    assert_eq!(simulation.body("ball-3"), Some(balls[3]));
    assert_eq!(simulation.bodies().count(), 7);
}
