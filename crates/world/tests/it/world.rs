//! The world's own rules: commands, locked bodies, quarantine, resting contacts, custom
//! forces.

use crate::support::{from_text, run};
use conatus_geometry::Shape;
use conatus_math::DVec3;
use conatus_record::Status;
use conatus_rigid::contact::{Collider, ContactMaterial};
use conatus_rigid::forces::Callback;
use conatus_rigid::{Constants, State};
use conatus_world::{Command, World};

fn ball_over_floor(h: f64, height: f64, restitution: f64) -> World {
    let mut world = World::new(h);
    world.gravity = DVec3::new(0.0, 0.0, -9.81);
    let state = State {
        position: DVec3::Z * height,
        ..State::default()
    };
    let body = world.add_body("ball", Constants::new(2.0, DVec3::splat(0.2)), state);
    world.add_collider(ball(body, restitution));
    let floor = ContactMaterial::default();
    world.add_collider(Collider::plane(DVec3::ZERO, DVec3::Z, floor));
    world
}

/// A ball of 0.5 m without friction.
fn ball(body: usize, restitution: f64) -> Collider {
    let material = ContactMaterial {
        restitution: Some(restitution),
        friction: Some(0.0),
        rolling: 0.0,
    };
    Collider::on_body(body, Shape::Sphere { radius: 0.5 }, material)
}

fn energy(world: &World) -> f64 {
    let t = world.totals();
    t.kinetic + t.potential
}

#[test]
fn an_elastic_ball_bounces_for_ever_at_any_step() {
    for h in [0.001, 0.01, 0.03] {
        let mut world = ball_over_floor(h, 3.0, 1.0);
        let start = energy(&world);
        let (mut low, mut high) = (f64::MAX, 0.0f64);
        for _ in 0..20_000 {
            world.step();
            let z = world.bodies.state(0).position.z;
            low = low.min(z);
            high = high.max(z);
        }
        assert!((energy(&world) - start).abs() < 1e-9 * start, "h = {h}");
        assert!(low >= 0.5 - 1e-12 && high <= 3.0 + 1e-9);
    }
}

#[test]
fn a_ball_at_rest_stays_at_rest() {
    let mut world = ball_over_floor(0.01, 0.5, 0.9);
    for _ in 0..1000 {
        world.step();
        let s = world.bodies.state(0);
        // A resting contact is a stiff spring.
        assert!((s.position.z - 0.5).abs() < 5e-5 && s.velocity.length() < 1e-12);
    }
}

#[test]
fn an_inelastic_ball_comes_to_rest_instead_of_trembling() {
    let mut world = ball_over_floor(0.01, 2.0, 0.6);
    for _ in 0..1000 {
        world.step();
    }
    let s = world.bodies.state(0);
    assert!((s.position.z - 0.5).abs() < 5e-5 && s.velocity.length() < 1e-9);
}

#[test]
fn a_locked_body_never_moves_and_others_bounce_off_it() {
    let scene = r#"
        gravity = [0, 0, 0]
        [time]
        seconds = 2
        [contact]
        restitution = 1
        [[body]]
        name = "rock"
        shape.sphere.radius = 1
        mass = 1
        locked = true
        velocity = [5, 0, 0]
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.5
        mass = 1
        position = [3, 0, 0]
        velocity = [-2, 0, 0]
    "#;
    let mut setup = from_text(scene, &[]).unwrap();
    let (_, kept) = run(&mut setup);
    let last = kept.frames.last().unwrap();
    assert_eq!(last.bodies[0].position, DVec3::ZERO);
    assert_eq!(last.bodies[0].status, Status::Locked);
    assert!((last.bodies[1].velocity - DVec3::X * 2.0).length() < 1e-12);
}

#[test]
fn a_body_can_be_locked_and_unlocked_by_command() {
    let mut world = ball_over_floor(0.01, 10.0, 0.0);
    world.command(0.2, Command::Lock(0));
    world.command(0.5, Command::Unlock(0));
    for _ in 0..50 {
        world.step();
    }
    let held = world.bodies.state(0).position.z;
    assert!((held - (10.0 - 0.5 * 9.81 * 0.04)).abs() < 1e-9);
    for _ in 0..10 {
        world.step();
    }
    assert!((world.bodies.state(0).position.z - (held - 0.5 * 9.81 * 0.01)).abs() < 1e-9);
}

#[test]
fn an_impulse_at_a_point_moves_and_turns() {
    let mut world = World::new(0.01);
    world.gravity = DVec3::ZERO;
    let ball = world.add_body(
        "b",
        Constants::new(2.0, DVec3::splat(0.5)),
        State::default(),
    );
    world.command(
        0.0,
        Command::Impulse {
            body: ball,
            impulse: DVec3::Y * 3.0,
            point_body: DVec3::X,
        },
    );
    world.step();
    let s = world.bodies.state(ball);
    assert!((s.velocity - DVec3::Y * 1.5).length() < 1e-15);
    assert!((s.omega_body - DVec3::Z * 6.0).length() < 1e-12);
}

#[test]
fn commands_are_carried_out_once_in_the_nearest_step() {
    let mut world = ball_over_floor(0.1, 10.0, 0.0);
    for k in 0..3 {
        world.command(
            0.3,
            Command::Kick {
                body: 0,
                momentum: Some(DVec3::X * f64::from(k)),
                angular_momentum: None,
            },
        );
    }
    for _ in 0..10 {
        world.step();
    }
    let events = world.take_events();
    assert_eq!(events.len(), 3);
    assert!(events.iter().all(|e| e.step == 3));
    // The last of them wins.
    assert!((world.bodies.state(0).velocity.x - 1.0).abs() < 1e-15);
}

#[test]
fn diverging_bodies_are_quarantined_and_the_others_continue() {
    // A spring far too stiff for Euler's method: its body flies apart.
    let scene = r#"
        [time]
        step = 0.1
        seconds = 100
        integrator = "euler"
        [[body]]
        name = "wild"
        shape.sphere.radius = 0.1
        mass = 0.001
        position = [1, 0, 0]
        [[spring]]
        a = { body = "wild" }
        b = { pin = [0, 0, 0] }
        stiffness = 1e9
        length = 0.5
        [[body]]
        name = "tame"
        shape.sphere.radius = 0.1
        mass = 1
        position = [0, 50, 0]
    "#;
    let mut setup = from_text(scene, &[]).unwrap();
    let (report, kept) = run(&mut setup);
    assert_eq!(report.rigid.quarantined, ["wild"]);
    assert!(!report.succeeded());
    assert!(kept.events.iter().any(|e| e.kind == "quarantine"));
    let last = kept.frames.last().unwrap();
    assert_eq!(last.bodies[0].status, Status::Quarantined);
    assert_eq!(last.bodies[1].status, Status::Free);
    assert!((last.time - 100.0).abs() < 1e-9);
    for f in &kept.frames {
        assert!(f.bodies.iter().all(|b| b.position.is_finite()));
    }
}

#[test]
fn a_callback_is_a_force_at_every_stage() {
    // A custom harmonic force: x = cos t, to the accuracy of RK4.
    let mut world = World::new(0.01);
    world.gravity = DVec3::ZERO;
    let state = State {
        position: DVec3::X,
        ..State::default()
    };
    world.add_body("b", Constants::new(1.0, DVec3::ONE), state);
    world.add_force(Callback::new(|_t, view, loads| {
        let x = view.state(0).position;
        loads.central_force(view, 0, -x);
    }));
    for _ in 0..1000 {
        world.step();
    }
    let x = world.bodies.state(0).position.x;
    assert!((x - 10f64.cos()).abs() < 1e-8);
}

#[test]
fn a_body_that_no_force_reaches_moves_alike_beside_one_that_is_pulled() {
    let free = r#"
        [[body]]
        name = "a"
        shape.box.half_extents = [1, 2, 3]
        mass = 2
        omega_body = [1, 2, 3]
        velocity = [1, 0, 2]
        damping = { linear = 0.3, angular = 0.4 }
    "#;
    let pulled = format!(
        "{free}
        [[body]]
        name = \"b\"
        shape.sphere.radius = 1
        mass = 1
        position = [100, 0, 0]
        [[spring]]
        a = {{ body = \"b\" }}
        b = {{ pin = [90, 0, 0] }}
        stiffness = 10"
    );
    let last = |text: &str| {
        let mut setup = from_text(text, &[]).unwrap();
        run(&mut setup).1.frames.last().unwrap().bodies[0]
    };
    assert_eq!(last(free), last(&pulled));
}

#[test]
fn a_row_of_touching_balls_passes_the_impulse_on() {
    // Newton's cradle: one in, one out.
    let mut world = World::new(0.001);
    world.gravity = DVec3::ZERO;
    for k in 0..5 {
        let gap = if k == 0 { -1.0 } else { 0.0 };
        let state = State {
            position: DVec3::X * (f64::from(k) + gap),
            velocity: DVec3::X * if k == 0 { 2.0 } else { 0.0 },
            ..State::default()
        };
        let body = world.add_body("b", Constants::new(1.0, DVec3::ONE), state);
        world.add_collider(ball(body, 1.0));
    }
    for _ in 0..1500 {
        world.step();
    }
    for k in 0..4 {
        assert!(world.bodies.state(k).velocity.length() < 1e-9, "ball {k}");
    }
    assert!((world.bodies.state(4).velocity.x - 2.0).abs() < 1e-9);
}

/// A ball thrown along a rough floor ends rolling at 5/7 of its speed also
/// when the step is coarse: friction acts at the ball's own surface, not at
/// where the overlap happens to end.
#[test]
fn a_ball_that_falls_onto_a_rough_floor_rolls_at_five_sevenths_of_its_speed() {
    let scene = r#"
        [time]
        step = 0.01
        seconds = 6
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.2
        mass = 1
        position = [0, 0, 2]
        velocity = [1, 0, 0]
        restitution = 0.6
        [[plane]]
        point = [0, 0, 0]
        normal = [0, 0, 1]
        friction = 0.4
    "#;
    let mut setup = from_text(scene, &[]).unwrap();
    let last = run(&mut setup).1.frames.last().unwrap().bodies[0];
    assert!(
        (last.velocity.x - 5.0 / 7.0).abs() < 5e-5,
        "{}",
        last.velocity
    );
    assert!((last.omega_body.y - 5.0 / 7.0 / 0.2).abs() < 5e-4);
}

#[test]
fn symplectic_euler_keeps_a_tumbling_top_s_energy_and_spin() {
    let sets = ["time.integrator=symplectic-euler"];
    let mut setup = crate::support::built_in("tumbling-top", &sets);
    let (report, _) = run(&mut setup);
    assert!(
        report.energy.max_relative_drift < 1e-3,
        "{:?}",
        report.energy
    );
    assert!(report.angular_momentum.max_relative_drift < 1e-11);
}

#[test]
fn a_locked_body_cannot_be_kicked() {
    let mut world = ball_over_floor(0.01, 3.0, 0.5);
    world.command(0.0, Command::Lock(0));
    let momentum = Some(DVec3::X);
    world.command(
        0.05,
        Command::Kick {
            body: 0,
            momentum,
            angular_momentum: None,
        },
    );
    for _ in 0..10 {
        world.step();
    }
    let s = world.bodies.state(0);
    assert_eq!((s.position, s.velocity), (DVec3::Z * 3.0, DVec3::ZERO));
}

#[test]
fn the_mass_of_a_whole_is_shared_out_by_volume() {
    let scene = r#"
        [[body]]
        name = "bar"
        mass = 6
        parts = [
            { shape.box.half_extents = [1, 1, 1] },
            { shape.box.half_extents = [2, 1, 1], position = [3, 0, 0] },
        ]
    "#;
    let setup = from_text(scene, &[]).unwrap();
    // Together a box of half extents (3, 1, 1).
    let c = setup.world.bodies.constants(0);
    assert!((c.mass - 6.0).abs() < 1e-12);
    assert!(c.moments.distance(DVec3::new(4.0, 20.0, 20.0)) < 1e-11);
}

/// Bodies in a heap push each other into the floor, and the floor lifts them:
/// an elastic heap used to gain energy without end, 5% in ten seconds.
#[test]
fn an_elastic_heap_keeps_its_energy() {
    let scene = r#"
        [time]
        step = 0.01
        seconds = 20
        [contact]
        restitution = 1
        [[body]]
        name = "ball"
        shape.sphere.radius = 0.1
        mass = 0.1
        position = [0.2, 0.2, 0.2]
        array = { count = [5, 5, 5], spacing = [0.21, 0.21, 0.21], jitter = 0.004, speed = 1 }
        [[plane]]
        point = [0, 0, 0]
        normal = [0, 0, 1]
        [[plane]]
        point = [0, 0, 0]
        normal = [1, 0, 0]
        [[plane]]
        point = [0, 0, 0]
        normal = [0, 1, 0]
        [[plane]]
        point = [1.4, 0, 0]
        normal = [-1, 0, 0]
        [[plane]]
        point = [0, 1.4, 0]
        normal = [0, -1, 0]
    "#;
    let mut setup = from_text(scene, &[]).unwrap();
    let (report, _) = run(&mut setup);
    assert!(report.rigid.contacts_max > 50);
    assert!(
        report.energy.max_relative_drift < 1e-3,
        "{:?}",
        report.energy
    );
}

fn resting_height(water: &str, half_extents: &str) -> f64 {
    let scene = format!(
        "[time]
        step = 0.01
        seconds = 40
        steps_per_frame = 4000
        [[water]]
        {water}
        linear_drag = 800
        [[body]]
        name = \"box\"
        shape.box.half_extents = {half_extents}
        density = 500
        centre = [0, 0, -0.2]"
    );
    let mut setup = from_text(&scene, &[]).unwrap();
    let last = run(&mut setup).1.frames.last().unwrap().bodies[0];
    last.position.z
}

/// A vertex above the highest crest was once treated as if the water were at the height of
/// the crest, so a tall hull in a trough floated centimetres too deep.
#[test]
fn a_tall_hull_in_a_trough_floats_as_in_flat_water_of_that_level() {
    let flat = resting_height("level = -0.3", "[0.3, 0.3, 0.5]");
    let trough = "level = 0
        waves = [{ amplitude = 0.3, wavelength = 1e6, direction = [1, 0], speed = 0, phase = -1.5707963267948966 }]";
    let trough = resting_height(trough, "[0.3, 0.3, 0.5]");
    assert!((flat - trough).abs() < 1e-4, "{flat} {trough}");
}

/// A wide raft once sampled short waves at its corners only.
#[test]
fn a_wide_raft_averages_over_short_waves() {
    let waves = "level = 0
        waves = [{ amplitude = 0.1, wavelength = 2, direction = [1, 0], speed = 0, phase = 1.5707963267948966 }]";
    let flat = resting_height("level = 0", "[4, 4, 0.4]");
    let short = resting_height(waves, "[4, 4, 0.4]");
    assert!((flat - short).abs() < 0.01, "{flat} {short}");
}

#[test]
fn nothing_merges_with_a_quarantined_body() {
    let mut world = World::new(0.1);
    world.gravity = DVec3::ZERO;
    let wild = State {
        velocity: DVec3::X * 1e300,
        ..State::default()
    };
    world.add_body("wild", Constants::new(1.0, DVec3::ONE), wild);
    world.add_body("tame", Constants::new(1.0, DVec3::ONE), State::default());
    world.step();
    world.command(0.1, Command::Merge(vec![0, 1]));
    world.step();
    let frame = world.frame();
    assert_eq!(frame.bodies[0].status, Status::Quarantined);
    assert_eq!(frame.bodies[1].status, Status::Free);
}

#[test]
fn a_run_can_be_stopped_between_two_frames() {
    let mut setup = crate::support::built_in("gas", &["time.steps_per_frame=1000000"]);
    let mut kept = crate::support::Kept::default();
    let mut asked = 0;
    let Ok(report) = conatus_world::run(&mut setup.world, &setup.schedule, &mut kept, |_| {
        asked += 1;
        asked < 3
    });
    assert!(report.interrupted && report.steps < 1000);
    assert_eq!(kept.frames.last().unwrap().step, report.steps);
}

/// Story: obstacles count as cloth's business, so no body of a scene with an obstacle ever
/// slept, with or without cloth.
#[test]
fn a_box_on_an_obstacle_sleeps_until_the_obstacle_moves() {
    let mut setup = from_text(
        r#"
        time = { step = 0.01, seconds = 4, steps_per_frame = 10 }
        [contact]
        friction = 0.5
        [[body]]
        shape.box.half_extents = [0.1, 0.1, 0.1]
        density = 500
        position = [0, 0, 0.201]
        [[obstacle]]
        shape.box.half_extents = [1, 1, 0.1]
        keyframe = [
          { time = 2.5, position = [0, 0, 0] },
          { time = 4, position = [0.3, 0, 0] },
        ]
        "#,
        &[],
    )
    .unwrap_or_else(|e| panic!("{e}"));
    let (report, kept) = run(&mut setup);
    assert!(report.succeeded());
    let at = |seconds: f64| {
        let frame = kept.frames.iter().find(|f| f.time > seconds - 1e-6);
        &frame.expect("a frame").bodies[0]
    };
    assert_eq!(at(2.0).status, Status::Asleep);
    assert_eq!(at(2.0).velocity, DVec3::ZERO);
    assert_eq!(at(1.8).position, at(2.4).position);
    assert!(
        (at(4.0).position.x - 0.3).abs() < 0.01,
        "{}",
        at(4.0).position
    );
}
