//! Random piles of squares, with minimal stages before the fail-safe: one sweep
//! and one pass, in steps of a whole frame.

use crate::collision_support::*;
use conatus_cloth::collide::ClothPlane;
use conatus_cloth::response::{Response, ZoneFriction};
use conatus_cloth::{ClothParts, Collisions};
use conatus_math::{DVec3, rotation};
use proptest::prelude::*;

/// Position, rotation and velocity of a square.
type Square = ([f64; 3], [f64; 3], [f64; 3]);

fn square() -> impl Strategy<Value = Square> {
    let three = |most: f64| proptest::array::uniform3(-most..most);
    (three(0.1), three(0.15), three(2.0))
}

fn pile(squares: &[Square], friction: f64) -> Scene {
    let mut parts = ClothParts::default();
    for (k, (shift, turn, velocity)) in squares.iter().enumerate() {
        let turn = rotation::exp(DVec3::from(*turn) * DVec3::new(1.0, 1.0, 10.0));
        // Layers far enough apart to start without intersections.
        let height = 0.2 + 0.2 * k as f64;
        let shift = DVec3::from(*shift) * DVec3::new(1.0, 1.0, 0.2) + DVec3::Z * height;
        let place = |v: DVec3| turn * v + shift;
        add_sheet(&mut parts, (0.5, 2), fabric(1e-2, friction), place);
        let velocity = DVec3::from(*velocity);
        parts.velocities.extend([velocity; 4]);
    }
    parts
        .planes
        .push(ClothPlane::new(DVec3::ZERO, DVec3::Z, None));
    Scene::new(parts)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases * 25 / 16,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(4),
        ..ProptestConfig::default()
    })]

    /// Nothing ever passes through anything. Rigid zones may fail; the other
    /// responses may not.
    #[test]
    fn piles_of_squares_never_intersect(
        squares in prop::collection::vec(square(), 3..9),
        rough in 0..2,
        which in 0..3usize,
        by_constraint in any::<bool>(),
    ) {
        let mut scene = pile(&squares, 0.3 * f64::from(rough));
        let response = RESPONSES[which];
        let how = [ZoneFriction::PerZone, ZoneFriction::PerConstraint];
        scene.cloth.collisions = Collisions {
            response,
            zone_friction: how[usize::from(by_constraint)],
            sweeps: 1,
            passes: 1,
            ..Collisions::default()
        };
        prop_assert_eq!(scene.intersections(), 0);
        for step in 0..20 {
            if let Err(pinch) = scene.step(1.0 / 24.0) {
                prop_assert_eq!(response, Response::RigidImpactZones);
                prop_assert!(!pinch.vertices.is_empty());
                break;
            }
            prop_assert_eq!(scene.intersections(), 0, "{:?}, step {}", response, step);
        }
        prop_assert!(scene.cloth.positions().iter().all(|p| p.is_finite()));
    }
}
