//! Queries, groups, sensors, events and callbacks, as a user of the library sees them.

use conatus::prelude::*;
use std::sync::mpsc;

/// The events of a run: the kind, the names of the two, and the time.
fn events(simulation: &mut Simulation, seconds: f64) -> Vec<(TouchKind, String, String, f64)> {
    let mut all = Vec::new();
    while simulation.time() < seconds {
        simulation.step();
        let time = simulation.time();
        for event in simulation.contact_events() {
            let [a, b] = [event.a, event.b].map(|side| simulation.name_of_side(side).to_owned());
            all.push((event.kind, a, b, time));
        }
    }
    all
}

#[test]
fn a_ball_that_bounces_begins_and_ends_a_contact_each_time() {
    let mut scene = SceneBuilder::new("bounce");
    let ball = BodySpec::sphere(0.1).position([0.0, 0.0, 0.5]);
    scene.add_body(ball.restitution(1.0));
    scene.add_plane(PlaneSpec::ground().name("floor"));
    let found = events(&mut scene.simulate().unwrap(), 1.9);
    let kinds: Vec<TouchKind> = found.iter().map(|e| e.0).collect();
    let (begin, end) = (TouchKind::ContactBegin, TouchKind::ContactEnd);
    assert_eq!(kinds, [begin, end, begin, end, begin, end]);
    let first = (2.0f64 * 0.4 / 9.81).sqrt();
    for (k, event) in found.iter().step_by(2).enumerate() {
        assert_eq!((event.1.as_str(), event.2.as_str()), ("body-1", "floor"));
        let expected = first * (2 * k + 1) as f64;
        assert!((event.3 - expected).abs() < 0.011, "{} {expected}", event.3);
    }
}

#[test]
fn a_body_that_rests_and_sleeps_touches_once_until_its_floor_is_removed() {
    let mut scene = SceneBuilder::new("rest");
    let floor = scene.add_body(BodySpec::cuboid([1.0, 1.0, 0.1]).name("floor").locked());
    let cube = BodySpec::cuboid([0.1; 3])
        .name("box")
        .position([0.0, 0.0, 0.21]);
    let cube = scene.add_body(cube.restitution(0.0).friction(0.5));
    let mut simulation = scene.simulate().unwrap();
    let found = events(&mut simulation, 3.0);
    assert!(simulation.is_asleep(cube));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, TouchKind::ContactBegin);
    simulation.remove_body(floor).unwrap();
    let found = events(&mut simulation, 3.1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, TouchKind::ContactEnd);
    assert!(simulation.state(cube).velocity.z < -0.5);
}

#[test]
fn a_ball_crosses_a_sensor_without_being_touched() {
    let mut scene = SceneBuilder::new("gate");
    let ball = BodySpec::sphere(0.1).name("ball").position([0.0, 0.0, 2.0]);
    let ball = scene.add_body(ball);
    let gate = BodySpec::cuboid([1.0, 1.0, 0.1])
        .name("gate")
        .position([0.0, 0.0, 1.0]);
    scene.add_body(gate.locked().sensor());
    let mut simulation = scene.simulate().unwrap();
    let found = events(&mut simulation, 1.0);
    let kinds: Vec<_> = found
        .iter()
        .map(|e| (e.0, e.1.as_str(), e.2.as_str()))
        .collect();
    let pair = |kind| (kind, "gate", "ball");
    assert_eq!(
        kinds,
        [pair(TouchKind::SensorEnter), pair(TouchKind::SensorLeave)]
    );
    let fall = |height: f64| (2.0 * height / 9.81f64).sqrt();
    assert!((found[0].3 - fall(0.8)).abs() < 0.011);
    assert!((found[1].3 - fall(1.2)).abs() < 0.011);
    let state = simulation.state(ball);
    assert!((state.velocity.z + 9.81 * simulation.time()).abs() < 1e-9);
}

#[test]
fn a_bullet_that_crosses_a_thin_sensor_within_a_step_is_noticed() {
    let mut scene = SceneBuilder::new("light barrier");
    let bullet = BodySpec::sphere(0.01)
        .name("bullet")
        .position([-1.003, 0.0, 0.0]);
    scene.add_body(bullet.velocity([300.0, 0.0, 0.0]));
    scene.add_obstacle(
        ObstacleSpec::cuboid([0.01, 1.0, 1.0])
            .name("barrier")
            .sensor(),
    );
    let found = events(&mut scene.gravity([0.0; 3]).simulate().unwrap(), 0.1);
    let kinds: Vec<TouchKind> = found.iter().map(|e| e.0).collect();
    assert_eq!(kinds, [TouchKind::SensorEnter, TouchKind::SensorLeave]);
}

#[test]
fn groups_decide_what_collides() {
    let mut scene = SceneBuilder::new("groups");
    let ball = |x: f64| {
        BodySpec::sphere(0.1)
            .position([x, 0.0, 0.5])
            .restitution(0.0)
    };
    let ghost = scene.add_body(ball(0.0).groups(["ghosts"]).collides_with(["ghosts"]));
    let solid = scene.add_body(ball(1.0));
    let both = scene.add_body(ball(2.0).groups(["ghosts", "default"]));
    scene.add_plane(PlaneSpec::ground());
    let mut simulation = scene.simulate().unwrap();
    simulation.run_until(1.0);
    let height = |body| simulation.state(body).position.z;
    assert!(height(ghost) < -3.0, "{}", height(ghost));
    assert!((height(solid) - 0.1).abs() < 1e-3);
    assert!((height(both) - 0.1).abs() < 1e-3);
    // A body that is added knows the groups of the scene.
    let wall = BodySpec::cuboid([1.0; 3])
        .position([0.0, 0.0, 5.0])
        .locked();
    let wall = simulation
        .add_body(wall.groups(["walls"]).collides_with(["ghosts"]))
        .unwrap();
    let up = |groups: &[&str]| {
        let filter = QueryFilter::new().groups(groups.iter().copied());
        let hit = simulation.ray_cast([0.0; 3], [0.0, 0.0, 1.0], 9.0, &filter);
        hit.and_then(|hit| hit.body)
    };
    assert_eq!(up(&["walls"]), Some(wall));
    assert_eq!(up(&["ghosts"]), None);
    let unknown = BodySpec::sphere(0.1).collides_with(["gosts"]);
    let error = simulation.add_body(unknown).unwrap_err().to_string();
    assert!(error.contains("there is no group `gosts`"), "{error}");
}

#[test]
fn unknown_and_too_many_groups_are_refused() {
    let mut scene = SceneBuilder::new("typo");
    scene.add_body(BodySpec::sphere(0.1).groups(["walls"]));
    scene.add_plane(PlaneSpec::ground().collides_with(["wals"]));
    let error = scene.simulate().err().unwrap().to_string();
    assert!(
        error.contains("plane[0].collides_with[0]") || error.contains("wals"),
        "{error}"
    );
    assert!(error.contains("did you mean `walls`?"), "{error}");

    let mut scene = SceneBuilder::new("declared");
    scene.spec().contact.groups = vec!["ships".to_owned()];
    scene.add_body(BodySpec::sphere(0.1).groups(["shpis"]));
    let error = scene.simulate().err().unwrap().to_string();
    assert!(error.contains("did you mean `ships`?"), "{error}");

    let mut scene = SceneBuilder::new("many");
    for k in 0..32 {
        let ball = BodySpec::sphere(0.1).position([f64::from(k), 0.0, 0.0]);
        scene.add_body(ball.groups([format!("group-{k}")]));
    }
    let error = scene.simulate().err().unwrap().to_string();
    assert!(error.contains("32 groups"), "{error}");
}

#[test]
fn a_platform_can_be_passed_from_below_alone() {
    let mut scene = SceneBuilder::new("one way");
    let ball = BodySpec::sphere(0.1)
        .position([0.0, 0.0, -1.0])
        .velocity([0.0, 0.0, 7.0]);
    let ball = scene.add_body(ball.restitution(0.0));
    scene.add_obstacle(ObstacleSpec::cuboid([1.0, 1.0, 0.05]).name("platform"));
    let mut simulation = scene.simulate().unwrap();
    simulation.on_contact(move |contact| {
        let up = match contact.sides() {
            [ContactSide::Body(_), _] => -contact.relative_velocity().z,
            _ => contact.relative_velocity().z,
        };
        if up > 0.0 || contact.separation() < -0.02 {
            contact.disable();
        }
    });
    let mut highest = f64::MIN;
    while simulation.time() < 3.0 {
        simulation.step();
        highest = highest.max(simulation.state(ball).position.z);
    }
    assert!(
        (highest - (7.0f64.powi(2) / (2.0 * 9.81) - 1.0)).abs() < 0.01,
        "{highest}"
    );
    let end = simulation.state(ball).position.z;
    assert!((end - 0.15).abs() < 2e-3, "{end}");
}

#[test]
fn a_callback_sees_contacts_in_order_and_changes_friction_and_restitution() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut scene = SceneBuilder::new("callback");
            let balls: Vec<BodyId> = (0..6)
                .map(|k| {
                    let ball = BodySpec::sphere(0.1).position([0.3 * f64::from(k), 0.0, 0.5]);
                    scene.add_body(ball.restitution(0.0))
                })
                .collect();
            scene.add_plane(PlaneSpec::ground());
            let mut simulation = scene.simulate().unwrap();
            let (send, receive) = mpsc::channel();
            let bouncy = balls[2];
            simulation.on_contact(move |contact| {
                let _ = send.send(contact.sides());
                if contact.involves(bouncy) {
                    *contact.restitution() = 1.0;
                }
            });
            let mut highest = [0.0f64; 6];
            while simulation.time() < 1.0 {
                simulation.step();
                for (high, &ball) in highest.iter_mut().zip(&balls) {
                    if simulation.time() > 0.4 {
                        *high = high.max(simulation.state(ball).position.z);
                    }
                }
            }
            (receive.try_iter().collect::<Vec<_>>(), highest)
        })
    };
    let (calls, highest) = run(1);
    assert!(highest[2] > 0.49, "{highest:?}");
    assert!(highest[1] < 0.11 && highest[3] < 0.11, "{highest:?}");
    let order = calls.iter().map(|sides| format!("{sides:?}"));
    assert!(order.clone().count() > 6);
    assert_eq!(run(2), (calls, highest));
}

#[test]
fn queries_follow_bodies_that_move_and_leave_out_removed_ones() {
    let mut scene = SceneBuilder::new("queries");
    let ball = BodySpec::sphere(0.5).position([0.0, 0.0, 5.0]);
    let ball = scene.add_body(ball.velocity([0.0, 0.0, -1.0]));
    scene.gravity([0.0; 3]);
    scene.add_obstacle(
        ObstacleSpec::cuboid([1.0; 3])
            .name("lift")
            .keyframe(KeyframeSpec::new(0.0, [9.0, 0.0, 0.0]))
            .keyframe(KeyframeSpec::new(2.0, [9.0, 0.0, 2.0])),
    );
    let mut simulation = scene.simulate().unwrap();
    let all = QueryFilter::new();
    for k in 0..3 {
        simulation.run_until(f64::from(k));
        let hit = simulation
            .ray_cast([0.0; 3], [0.0, 0.0, 2.0], 50.0, &all)
            .unwrap();
        assert_eq!(hit.body, Some(ball));
        assert!(
            (hit.distance - (4.5 - f64::from(k))).abs() < 1e-9,
            "{hit:?}"
        );
        let down = simulation
            .ray_cast([9.0, 0.0, 9.0], [0.0, 0.0, -1.0], 50.0, &all)
            .unwrap();
        assert_eq!(simulation.collider_name(down.collider), "lift");
        assert!(
            (down.point.z - (1.0 + f64::from(k))).abs() < 1e-9,
            "{down:?}"
        );
    }
    assert_eq!(simulation.containing([0.0, 0.0, 3.0], &all).len(), 1);
    let probe = Shape::Sphere { radius: 1.0 };
    let over = simulation.overlapping(&probe, &Pose::shift(DVec3::Z * 1.6), &all);
    assert_eq!(
        over.iter()
            .filter_map(|&c| simulation.body_of(c))
            .collect::<Vec<_>>(),
        [ball]
    );
    simulation.remove_body(ball).unwrap();
    assert_eq!(
        simulation.ray_cast_all([0.0; 3], [0.0, 0.0, 1.0], 50.0, &all),
        []
    );
    assert!(simulation.nearest([0.0; 3], 3.0, &all).is_none());
    assert!(
        simulation
            .ray_cast([0.0; 3], [0.0; 3], 50.0, &all)
            .is_none()
    );
    assert!(
        simulation
            .ray_cast([f64::NAN; 3], [1.0; 3], 50.0, &all)
            .is_none()
    );
}
