//! Distances from obstacles: what they are, and their derivatives against
//! differences.

use conatus_geometry::Heightfield;
use conatus_math::{DMat3, DVec3};
use conatus_motion::surface::{
    Capsule, Distance, RoundedBox, RoundedShape, SoftNearestPoint, Surface, Surroundings,
};
use std::sync::Arc;

fn block(grounded: bool) -> RoundedBox {
    let turn = DMat3::from_rotation_z(0.4) * DMat3::from_rotation_x(0.2);
    let mut block = RoundedBox::new(DVec3::new(0.1, -0.2, 0.3), turn, DVec3::new(0.3, 0.2, 0.4));
    block.grounded = grounded;
    block
}

fn shapes() -> Vec<(&'static str, RoundedShape)> {
    let heights = (0..25).map(|i| 0.1 * ((i * 7) % 11) as f64).collect();
    let field = Heightfield {
        origin: DVec3::new(-0.6, -0.6, 0.0),
        spacing: 0.3,
        columns: 5,
        heights,
    };
    let bar = Capsule {
        start: DVec3::new(-0.3, 0.0, 0.2),
        end: DVec3::new(0.4, 0.1, 0.5),
        radius: 0.05,
    };
    vec![
        ("block", RoundedShape::RoundedBox(block(false))),
        ("block on the ground", RoundedShape::RoundedBox(block(true))),
        ("bar", RoundedShape::Capsule(bar)),
        (
            "ball",
            RoundedShape::Capsule(Capsule::ball_at(DVec3::X * 0.2, 0.3)),
        ),
        ("field", RoundedShape::Heightfield(Arc::new(field))),
    ]
}

fn place(random: &mut crate::common::Random) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal()) * 0.4
}

/// Every derivative of a distance agrees with central differences.
#[test]
fn distances_have_the_derivatives_of_differences() {
    let mut random = crate::common::Random::new(1);
    let h = 1e-6;
    for (name, shape) in shapes() {
        let mut off = 0;
        for _ in 0..400 {
            let p = place(&mut random);
            let d: Distance = shape.distance(p);
            assert!(
                (d.normal.length() - 1.0).abs() < 1e-9,
                "{name}: {}",
                d.normal
            );
            let mut worst = 0.0f64;
            for (k, axis) in [DVec3::X, DVec3::Y, DVec3::Z].into_iter().enumerate() {
                let (a, b) = (shape.distance(p + axis * h), shape.distance(p - axis * h));
                let value = (a.value - b.value) / (2.0 * h);
                let normal = (a.normal - b.normal) / (2.0 * h);
                worst = worst.max((value - d.gradient[k]).abs());
                worst = worst.max((normal - d.slope.col(k)).length() / (1.0 + normal.length()));
            }
            // Second derivatives jump where an edge begins; only a few places are near
            // enough to matter.
            off += usize::from(worst > 1e-4);
        }
        assert!(off <= 2, "{name}: {off} of 400 are off");
    }
}

/// Outside, the distance is that of the nearest point: no surface point is nearer, and
/// one is exactly that near.
#[test]
fn the_distance_of_a_rounded_box_is_that_of_its_nearest_point() {
    let block = block(false);
    let core = block.half_extents - DVec3::splat(block.radius);
    let mut random = crate::common::Random::new(2);
    for _ in 0..200 {
        let p = place(&mut random) * 2.0;
        let local = block.orientation.transpose() * (p - block.position);
        let nearest = local.clamp(-core, core);
        let true_distance = local.distance(nearest) - block.radius;
        let found = block.distance(p).value;
        if true_distance > -block.radius {
            assert!(
                (found - true_distance).abs() < 1e-12,
                "{p}: {found} {true_distance}"
            );
        } else {
            // Inside: no deeper than the nearest face, and more than half of it.
            let face = (local.abs() - block.half_extents).max_element();
            assert!(found >= face - 1e-12 && found < 0.0, "{p}: {found} {face}");
        }
    }
}

/// A box on the ground pushes nothing out downwards.
#[test]
fn a_box_on_the_ground_never_pushes_down() {
    let mut block = RoundedBox::new(DVec3::Z * 0.3, DMat3::IDENTITY, DVec3::new(0.5, 0.5, 0.3));
    block.grounded = true;
    let mut random = crate::common::Random::new(3);
    for _ in 0..400 {
        let p = place(&mut random) + DVec3::Z * 0.2;
        assert!(block.distance(p).normal.z >= 0.0, "{p}");
    }
}

/// Distant obstacles are ignored, and values are continuous where they come into range.
#[test]
fn obstacles_fade_in_with_their_distance() {
    let far = Capsule::ball_at(DVec3::new(0.0, 0.0, 2.0), 0.3);
    let around = Surroundings::new(vec![
        Surface::ground(),
        Surface::new("ball", RoundedShape::Capsule(far)),
    ]);
    // From beyond a metre to close by.
    let mut last = SoftNearestPoint::new(&around, DVec3::new(0.2, 0.0, 0.3));
    for i in 1..1000 {
        let z = 0.3 + i as f64 * 1e-3;
        let p = DVec3::new(0.2, 0.0, z);
        let near = SoftNearestPoint::new(&around, p);
        assert!(near.gap.distance(last.gap) < 0.02, "{z}");
        if z < 0.69 {
            let plain = DVec3::Z * z;
            assert!(near.gap.distance(plain) < 1e-12, "out of range");
        }
        last = near;
    }
    let h = 1e-6;
    for z in [0.5, 0.75, 0.9, 1.1, 1.4, 1.6] {
        let p = DVec3::new(0.2, 0.1, z);
        let seed = (DVec3::new(0.3, 0.5, -0.4), DVec3::new(-0.2, 0.7, 0.1));
        let at = |p: DVec3| {
            let near = SoftNearestPoint::new(&around, p);
            near.gap.dot(seed.0) + near.normal.dot(seed.1)
        };
        let slope = SoftNearestPoint::new(&around, p).vector_jacobian_product(seed.0, seed.1);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let measured = (at(p + axis * h) - at(p - axis * h)) / (2.0 * h);
            assert!((measured - slope.dot(axis)).abs() < 1e-5 * (1.0 + measured.abs()));
        }
    }
}

/// Hills are smooth, and level beyond their border.
#[test]
fn a_heightfield_continues_level_beyond_its_border() {
    let field = Heightfield {
        origin: DVec3::ZERO,
        spacing: 0.5,
        columns: 2,
        heights: vec![0.2; 4],
    };
    let shape = RoundedShape::Heightfield(Arc::new(field));
    for p in [DVec3::new(-5.0, 9.0, 1.0), DVec3::new(0.3, 0.2, 0.7)] {
        let d = shape.distance(p);
        assert!((d.value - (p.z - 0.2)).abs() < 1e-12);
        assert!(d.normal.distance(DVec3::Z) < 1e-12);
    }
}
