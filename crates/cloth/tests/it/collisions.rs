//! Cloth that falls, crosses, folds and is pressed, checked by the exact
//! intersection test, which shares no code with detection.

use crate::collision_support::*;
use conatus_cloth::collide::ClothPlane;
use conatus_cloth::response::{Response, ZoneFriction};
use conatus_cloth::{ClothParts, Collisions, Solver};
use conatus_geometry::Shape;
use conatus_math::DVec3;

/// A sheet of 21 × 21 vertices above a ball above a plane.
fn over_ball(response: Response) -> Scene {
    let mut parts = ClothParts::default();
    let place = |v: DVec3| v + DVec3::new(0.07, 0.03, 0.8);
    add_sheet(&mut parts, (1.0, 21), fabric(8e-3, 0.3), place);
    let centre = DVec3::Z * 0.45;
    parts
        .obstacles
        .push(obstacle(ball(0.3, 3), &[(0.0, centre)]));
    parts
        .planes
        .push(ClothPlane::new(DVec3::ZERO, DVec3::Z, None));
    let mut scene = Scene::new(parts);
    scene.cloth.collisions.response = response;
    scene
}

/// It drapes over the ball or slides down to the floor: nothing ever passes
/// through anything, no edge grows by half, and two seconds after settling it
/// rests.
#[test]
fn a_sheet_that_falls_on_a_ball_never_intersects_and_comes_to_rest() {
    let mut scene = over_ball(Response::InelasticProjection);
    let mut worst: f64 = 0.0;
    let mut speeds = Vec::new();
    for frame in 0..84 {
        for _ in 0..8 {
            scene.step(1.0 / 192.0).expect("no pinch");
            worst = worst.max(scene.stretch());
        }
        assert_eq!(scene.intersections(), 0, "frame {frame}");
        speeds.push(scene.mean_speed());
    }
    assert!(worst < 1.5, "an edge grew to {worst} of its length");
    // It has settled once its mean speed stays below 5 cm/s; two seconds are 48
    // frames.
    let lies = speeds.iter().rposition(|v| *v >= 0.05).unwrap_or(0) + 1;
    let rest = speeds.get(lies + 48..).unwrap_or_default();
    assert!(!rest.is_empty(), "settled only after {lies} frames");
    let fastest = rest.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!(fastest < 0.01, "mean speed {fastest} m/s");
    // It lies on the ball, and its corners hang down.
    let heights = scene.cloth.positions().iter().map(|p| p.z);
    let (low, high) = heights.fold((f64::MAX, 0.0f64), |(l, h), z| (l.min(z), h.max(z)));
    assert!(low < 0.4 && (0.75..0.78).contains(&high), "{low} to {high}");
}

/// Without stages 1 and 2: the fail-safe resolves all collisions.
fn fail_safe_alone(response: Response) -> Collisions {
    Collisions {
        response,
        sweeps: 0,
        passes: 0,
        ..Collisions::default()
    }
}

/// Harmon et al., Algorithm 1, until it terminates: the loop stops only when
/// nothing collides.
#[test]
fn every_fail_safe_alone_keeps_a_falling_sheet_free_of_intersections() {
    for response in RESPONSES {
        for zone_friction in [ZoneFriction::PerZone, ZoneFriction::PerConstraint] {
            let mut scene = over_ball(response);
            scene.cloth.collisions = fail_safe_alone(response);
            scene.cloth.collisions.zone_friction = zone_friction;
            for step in 0..100 {
                scene.step(1.0 / 192.0).expect("no pinch");
                if step % 4 == 3 {
                    let found = scene.intersections();
                    assert_eq!(found, 0, "{response:?}, {zone_friction:?}, step {step}");
                }
            }
            assert!(scene.cloth.stats.failsafe_calls > 10);
        }
    }
}

/// Two sheets that fly at each other at 20 m/s, edge on and rotated: without
/// response they would pass each other by many thicknesses in a step.
#[test]
fn sheets_that_cross_at_high_speed_never_tangle() {
    for response in RESPONSES {
        let early = Collisions {
            response,
            ..Collisions::default()
        };
        for collisions in [early, fail_safe_alone(response)] {
            let mut scene = crossing();
            scene.cloth.collisions = collisions;
            assert_eq!(scene.intersections(), 0);
            for step in 0..24 {
                scene.step(1.0 / 240.0).expect("no pinch");
                assert_eq!(scene.intersections(), 0, "{collisions:?}, step {step}");
            }
            let stats = scene.cloth.stats;
            assert!(stats.collisions > 0);
            assert!(collisions.passes > 0 || stats.failsafe_calls > 0);
        }
    }
}

fn crossing() -> Scene {
    let mut parts = ClothParts::default();
    let material = fabric(4e-3, 0.2);
    add_sheet(&mut parts, (0.4, 11), material, |v| v + DVec3::Z * 0.3);
    // On edge, and rotated so that nothing is parallel.
    let turn = conatus_math::rotation::exp(DVec3::new(1.2, 0.3, 0.5));
    let place = |v: DVec3| turn * v - DVec3::Z * 0.1;
    add_sheet(&mut parts, (0.4, 11), material, place);
    let count = parts.positions.len() / 2;
    parts.velocities = vec![DVec3::Z * -10.0; count];
    parts.velocities.extend(vec![DVec3::Z * 10.0; count]);
    Scene::new(parts)
}

/// A zigzag of four layers, 3 cm apart, that collapses on the floor and on
/// itself.
fn folded() -> Scene {
    let mut parts = ClothParts::default();
    let place = |v: DVec3| {
        let s = (v.x + 0.5) * 4.0;
        let layer = s.floor().min(3.0);
        let there = s - layer;
        let x = if layer as i32 % 2 == 0 {
            there
        } else {
            1.0 - there
        };
        DVec3::new(0.25 * x, v.y, 0.03 + 0.03 * s)
    };
    add_sheet(&mut parts, (1.0, 17), fabric(4e-3, 0.1), place);
    parts
        .planes
        .push(ClothPlane::new(DVec3::ZERO, DVec3::Z, None));
    Scene::new(parts)
}

/// With all stages, and with minimal stages before the fail-safe.
#[test]
fn a_sheet_folded_on_itself_never_intersects() {
    for response in RESPONSES {
        for stages in [8, 1] {
            let mut scene = folded();
            scene.cloth.collisions = Collisions {
                response,
                sweeps: stages,
                passes: stages,
                ..Collisions::default()
            };
            assert_eq!(scene.intersections(), 0);
            for step in 0..24 {
                scene.step(1.0 / 48.0).expect("no pinch");
                let found = scene.intersections();
                assert_eq!(found, 0, "{response:?}, {stages}, step {step}");
            }
            // Four layers lie on the floor, none through another.
            let top = scene.cloth.positions().iter().map(|p| p.z);
            let top = top.fold(0.0, f64::max);
            assert!(top < 0.09, "{top}");
            assert!(stages > 1 || scene.cloth.stats.failsafe_calls > 0);
        }
    }
}

/// A sheet between two boxes that close until they meet.
fn press(response: Response) -> Scene {
    let mut parts = ClothParts::default();
    add_sheet(&mut parts, (0.3, 6), fabric(4e-3, 0.2), |v| v);
    let half_extents = DVec3::new(0.3, 0.3, 0.1);
    let jaw = Shape::Box { half_extents }.mesh();
    for side in [-1.0, 1.0] {
        let path = [0.12, 0.1].map(|z| DVec3::Z * (side * z));
        let places = [(0.0, path[0]), (0.2, path[1])];
        parts.obstacles.push(obstacle(jaw.clone(), &places));
    }
    let mut scene = Scene::new(parts);
    scene.cloth.collisions.response = response;
    scene
}

/// Harmon et al. §3: a vertex pinched by scripted objects cannot be resolved.
/// The step fails and names vertices of the cloth, and cloth and obstacles are
/// unchanged.
#[test]
fn boxes_that_close_completely_are_a_pinch_that_names_vertices() {
    for response in RESPONSES {
        let mut scene = press(response);
        let h = 1.0 / 96.0;
        let pinch = loop {
            let x = scene.cloth.positions().to_vec();
            let v = scene.cloth.velocities().to_vec();
            let points = scene.cloth.points().to_vec();
            match scene.step(h) {
                Ok(()) => assert_eq!(scene.intersections(), 0, "{response:?}"),
                Err(pinch) => {
                    assert_eq!(scene.cloth.positions(), x);
                    assert_eq!(scene.cloth.velocities(), v);
                    assert_eq!(scene.cloth.points(), points);
                    break pinch;
                }
            }
            assert!(scene.time < 0.3, "{response:?}: no pinch");
        };
        assert!(!pinch.vertices.is_empty());
        assert!(
            pinch
                .vertices
                .iter()
                .all(|&(piece, v)| piece == 0 && v < 36)
        );
        assert!(pinch.time >= scene.time && pinch.time < scene.time + h);
        // They are thicker than the gap of continuous detection, so they cannot
        // meet earlier.
        assert!(scene.time > 0.15, "already at {} s", scene.time);
        assert_eq!(scene.intersections(), 0);
    }
}

/// A failed step is undone: smaller steps continue from there as if it had not
/// been tried.
#[test]
fn a_step_that_failed_leaves_no_trace() {
    let mut tried = press(Response::InelasticProjection);
    let mut never = press(Response::InelasticProjection);
    // The boxes close completely in a step of this length, also in the first.
    assert!(tried.cloth.step(0.0, 0.5, &mut []).is_err());
    for scene in [&mut tried, &mut never] {
        scene.cloth.elastic.settings.solver = Solver::Cholesky;
        for _ in 0..8 {
            scene.step(1.0 / 96.0).expect("still open");
        }
    }
    assert!(tried.cloth.step(tried.time, 0.5, &mut []).is_err());
    for _ in 0..4 {
        tried.step(1.0 / 96.0).expect("still open");
        never.step(1.0 / 96.0).expect("still open");
    }
    assert_eq!(tried.cloth.positions(), never.cloth.positions());
    assert_eq!(tried.cloth.velocities(), never.cloth.velocities());
}

/// The same bits for any number of threads.
#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let run = |threads: usize, response: Response| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads").install(|| {
            let mut scene = over_ball(response);
            scene.cloth.collisions = fail_safe_alone(response);
            for _ in 0..90 {
                scene.step(1.0 / 192.0).expect("no pinch");
            }
            let (x, v) = (scene.cloth.positions(), scene.cloth.velocities());
            assert!(scene.cloth.stats.failsafe_calls > 0);
            (x.to_vec(), v.to_vec())
        })
    };
    for response in RESPONSES {
        assert_eq!(run(1, response), run(2, response), "{response:?}");
    }
}
