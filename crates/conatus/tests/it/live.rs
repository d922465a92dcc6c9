//! Simulations that change while they run.

use conatus::prelude::*;
use conatus_record::Status;

fn close(a: DVec3, b: DVec3, tolerance: f64) {
    assert!(a.distance(b) < tolerance, "{a} is not {b}");
}

/// `World::new` once disabled gravity and collisions between bodies, which scene files
/// enable: two balls that moved towards each other passed through.
#[test]
fn bodies_collide_and_fall_by_default() {
    let mut scene = SceneBuilder::new("head-on");
    let ball = |x: f64| {
        BodySpec::sphere(0.1)
            .mass(1.0)
            .position([x, 0.0, 0.0])
            .velocity([-x.signum(), 0.0, 0.0])
            .restitution(1.0)
    };
    let (left, right) = (scene.add_body(ball(-0.5)), scene.add_body(ball(0.5)));
    let mut simulation = scene.simulate().unwrap();
    let mut met = 0;
    while simulation.time() < 1.0 {
        simulation.step();
        met += simulation
            .contacts()
            .filter(|c| (c.a, c.b) == (left, Some(right)))
            .count();
    }
    assert_eq!(met, 1);
    let velocity = simulation.state(left).velocity;
    close(velocity, DVec3::new(-1.0, 0.0, -9.81), 1e-9);
}

#[test]
fn a_removed_body_and_its_springs_are_no_longer_recorded() {
    let mut scene = SceneBuilder::new("pair");
    let a = scene.add_body(BodySpec::sphere(0.1).mass(1.0));
    let b = scene.add_body(BodySpec::sphere(0.1).mass(1.0).position([1.0, 0.0, 0.0]));
    scene.connect(a, b, SpringSpec::with_stiffness(100.0).length(0.5));
    scene.gravity([0.0; 3]);
    let mut simulation = scene.simulate().unwrap();
    simulation.record();
    simulation.run_until(0.1);
    simulation.remove_body(b).unwrap();
    assert!(simulation.is_removed(b));
    assert!(simulation.remove_body(b).is_err(), "only once");
    let free = simulation.state(a);
    simulation.run_until(0.3);
    let now = simulation.state(a);
    close(now.velocity, free.velocity, 1e-12);
    close(now.position, free.position + free.velocity * 0.2, 1e-12);
    let energy = 0.5 * free.velocity.length_squared();
    assert!((simulation.energy() - energy).abs() < 1e-9 * energy);
    let run = simulation.finish();
    let last = run.frames().last().unwrap();
    assert_eq!(last.bodies[b.index()].status, Status::Removed);
    assert_eq!(run.frames()[0].bodies[b.index()].status, Status::Free);
}

#[test]
fn a_removed_body_does_not_collide() {
    let mut scene = SceneBuilder::new("obstacle gone");
    let wall = scene.add_body(BodySpec::sphere(0.5).locked().position([1.0, 0.0, 0.0]));
    let ball = scene.add_body(BodySpec::sphere(0.1).mass(1.0).velocity([1.0, 0.0, 0.0]));
    scene.gravity([0.0; 3]);
    let mut simulation = scene.simulate().unwrap();
    simulation.remove_body(wall).unwrap();
    simulation.run_until(2.0);
    close(simulation.state(ball).position, DVec3::X * 2.0, 1e-12);
}

#[test]
fn a_body_added_later_falls_floats_and_is_in_the_recording() {
    let mut scene = SceneBuilder::new("later");
    let first = scene.add_body(BodySpec::sphere(0.1).mass(1.0).position([5.0, 0.0, 9.0]));
    scene.add_water(WaterSpec::new(0.0).linear_drag(400.0));
    let mut simulation = scene.simulate().unwrap();
    simulation.record();
    simulation.run_until(0.2);
    let cork = BodySpec::cuboid([0.2, 0.2, 0.2])
        .density(500.0)
        .position([0.0, 0.0, 0.3]);
    let cork = simulation.add_body(cork).unwrap();
    let same_name = BodySpec::sphere(0.1).name(simulation.name_of(cork).to_owned());
    assert!(simulation.add_body(same_name).is_err(), "names are unique");
    simulation.run_until(8.0);
    // A block of half the density of water floats half submerged.
    assert!(simulation.state(cork).position.z.abs() < 1e-3);
    let run = simulation.finish();
    assert_eq!(run.recording.header.bodies.len(), 2);
    let mass = run.recording.header.bodies[cork.index()].mass;
    assert!((mass - 500.0 * 0.064).abs() < 1e-12 * mass);
    assert_eq!(run.frames()[0].bodies[cork.index()].status, Status::Removed);
    assert_eq!(run.frames()[0].bodies[first.index()].status, Status::Free);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("later.mcap");
    run.save(&path).unwrap();
    let read = conatus::Recording::read(&path).unwrap();
    assert_eq!(read.frames, run.recording.frames);
}

#[test]
fn a_plane_added_later_stops_falling_bodies() {
    let mut scene = SceneBuilder::new("floor");
    let ball = scene.add_body(BodySpec::sphere(0.1).mass(1.0).restitution(0.0));
    let mut simulation = scene.simulate().unwrap();
    let floor = PlaneSpec::new([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
    simulation.add_plane(floor).unwrap();
    simulation.run_until(3.0);
    assert!((simulation.state(ball).position.z + 0.9).abs() < 1e-3);
}

#[cfg(feature = "export")]
#[test]
fn every_format_that_holds_bodies_is_written() {
    let mut scene = SceneBuilder::new("formats");
    scene.add_body(BodySpec::sphere(0.1).position([0.0, 0.0, 1.0]));
    scene.seconds(0.1);
    let run = scene.run().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for ending in ["mcap", "glb", "usda", "obj", "csv", "svg", "png"] {
        let path = folder.path().join(format!("run.{ending}"));
        run.save(&path).unwrap();
        assert!(path.exists(), "{ending}");
    }
    let unknown = run.save(folder.path().join("run.blend"));
    assert!(unknown.is_err());
}

#[test]
fn bodies_and_joints_that_come_and_go_are_replayed_from_the_recording() {
    let mut scene = SceneBuilder::new("changes");
    let ball = scene.add_body(BodySpec::sphere(0.2).name("ball").position([0.0, 0.0, 2.0]));
    scene.add_plane(PlaneSpec::ground());
    scene.add_obstacle(ObstacleSpec::cuboid([0.2; 3]).position([3.0, 0.0, 0.2]));
    scene.seconds(2.0);
    let mut simulation = scene.simulate().unwrap();
    simulation.record();
    simulation.run_until(0.3);
    let cube = BodySpec::cuboid([0.2; 3]).position([0.5, 0.0, 2.0]);
    let cube = simulation.add_body(cube).unwrap();
    let rope = simulation
        .add_joint(ball, cube, JointSpec::rope(0.7))
        .unwrap();
    simulation.run_until(0.8);
    assert!(simulation.remove_joint(&rope));
    assert!(!simulation.remove_joint("no such joint"));
    let error = simulation.add_joint(cube, cube, JointSpec::ball([0.0; 3]));
    assert!(error.unwrap_err().to_string().contains("joined to itself"));
    simulation.run_until(1.2);
    simulation.remove_body(ball).unwrap();
    simulation.run_until(2.0);
    let run = simulation.finish();

    let recorded = &run.recording;
    let scene = Scene::from_recording(
        &recorded.header.scene,
        &recorded.sources,
        &recorded.overrides,
        recorded.header.seed,
    )
    .unwrap();
    let mut setup = scene.build().unwrap();
    setup.repeat_inputs(&scene, &recorded.events).unwrap();
    assert_eq!(setup.header, recorded.header);
    let mut bits = Vec::new();
    for frame in &recorded.frames {
        while setup.world.steps() < frame.step {
            setup.world.step();
        }
        let again = setup.world.frame();
        let [mut a, mut b] = [Vec::new(), Vec::new()];
        again.encode(&mut a);
        frame.encode(&mut b);
        bits.push(a == b);
    }
    assert!(bits.len() > 90 && bits.iter().all(|same| *same), "{bits:?}");
    assert_eq!(setup.world.take_events(), recorded.events);
}
