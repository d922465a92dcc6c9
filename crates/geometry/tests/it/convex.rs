//! Contacts of convex solids against brute force: no direction separates two overlapping
//! solids with less than the reported depth, and the reported direction needs no more.

use conatus_geometry::HalfSpace;
use conatus_geometry::convex::{Convex, ConvexHull, PairCache, collide, half_space_convex};
use conatus_math::{DQuat, DVec3, Pose};
use proptest::prelude::*;

pub fn direction() -> impl Strategy<Value = DVec3> {
    let part = -1.0..1.0f64;
    (part.clone(), part.clone(), part)
        .prop_map(|(x, y, z)| DVec3::new(x, y, z))
        .prop_filter("long enough", |v| v.length() > 0.1)
        .prop_map(DVec3::normalize)
}

pub fn pose(reach: f64) -> impl Strategy<Value = Pose> {
    let at = -reach..reach;
    (direction(), 0.0..6.2f64, at.clone(), at.clone(), at).prop_map(|(axis, angle, x, y, z)| {
        Pose::new(DQuat::from_axis_angle(axis, angle), DVec3::new(x, y, z))
    })
}

fn ball_or_box() -> impl Strategy<Value = Convex> {
    let size = 0.2..1.0f64;
    let sizes = (size.clone(), size.clone(), size.clone());
    prop_oneof![
        size.prop_map(|radius| Convex::Sphere { radius }),
        sizes.prop_map(|(x, y, z)| Convex::Box {
            half_extents: DVec3::new(x, y, z)
        }),
    ]
}

/// Solids of every kind.
pub fn solid() -> impl Strategy<Value = Convex> {
    let size = 0.2..1.0f64;
    let points = prop::collection::vec(direction(), 8..20);
    let round = (direction(), size.clone(), size, 0..4);
    prop_oneof![
        ball_or_box(),
        round.prop_map(|(axis, radius, length, kind)| match kind {
            0 => Convex::Capsule {
                half: axis * length,
                radius,
            },
            1 => Convex::Cylinder {
                axis,
                radius,
                half_height: length,
            },
            2 => Convex::Cone {
                axis,
                radius,
                base_and_tip: [-0.25 * length, 0.75 * length],
            },
            _ => Convex::Ellipsoid {
                semi_axes: DVec3::new(radius, length, 0.5 * (radius + length)),
            },
        }),
        points.prop_filter_map("a volume", |points| {
            ConvexHull::new(&points).ok().map(Convex::from)
        }),
    ]
}

/// How far the second solid is beyond the first along a unit direction; negative if
/// they overlap along it.
pub fn gap_along(a: &Convex, pa: &Pose, b: &Convex, pb: &Pose, d: DVec3) -> f64 {
    let top = |shape: &Convex, pose: &Pose, d: DVec3| {
        let own = pose.rotation.conjugate() * d;
        pose.point(shape.support(own).0).dot(d) + shape.radius()
    };
    -top(b, pb, -d) - top(a, pa, d)
}

/// About even directions on the sphere.
pub fn directions(count: usize) -> impl Iterator<Item = DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    (0..count).map(move |k| {
        let z = 1.0 - 2.0 * (k as f64 + 0.5) / count as f64;
        let r = (1.0 - z * z).sqrt();
        let (sin, cos) = (golden * k as f64).sin_cos();
        DVec3::new(r * cos, r * sin, z)
    })
}

proptest! {
    #[test]
    fn a_contact_is_the_shortest_way_out(
        a in solid(), b in solid(), pa in pose(0.8), pb in pose(0.8)
    ) {
        let margin = 0.3;
        let found = collide(&a, &pa, &b, &pb, margin, &mut PairCache::default());
        let best = directions(3000)
            .map(|d| gap_along(&a, &pa, &b, &pb, d))
            .fold(f64::NEG_INFINITY, f64::max);
        let size = a.bounding_radius().min(b.bounding_radius());
        let Some(manifold) = found else {
            // Some direction separates them by more than the margin; a coarse sample
            // finds one that is nearly as good.
            prop_assert!(best > margin - 0.2, "{best}");
            return Ok(());
        };
        prop_assert!((manifold.normal.length() - 1.0).abs() < 1e-9);
        prop_assert!(!manifold.is_empty());
        let along = gap_along(&a, &pa, &b, &pb, manifold.normal);
        let least = manifold.points().iter().map(|p| p.separation).fold(f64::INFINITY, f64::min);
        if along < 0.0 {
            // The deepest point is as deep as the solids are along the normal.
            prop_assert!((least - along).abs() < 0.06 * size + 1e-6, "{least} {along}");
            // No direction of the sample leads out faster. Faces are preferred to edges
            // by a thousandth of the size.
            prop_assert!(best <= along + 3e-3 * size, "{best} {along}");
        }
    }

    #[test]
    fn the_deepest_point_over_a_plane_is_the_support_point(
        shape in solid(), at in pose(0.7), normal in direction(), offset in -0.5..0.5f64
    ) {
        let own = at.rotation.conjugate() * -normal;
        let lowest = at.point(shape.support(own).0).dot(normal) - shape.radius();
        let separation = lowest - offset;
        let found = half_space_convex(&HalfSpace { normal, offset }, &shape, &at, 0.1);
        match found {
            None => prop_assert!(separation > 0.1 - 1e-9),
            Some(manifold) => {
                let least = manifold.points().iter().map(|p| p.separation);
                let least = least.fold(f64::INFINITY, f64::min);
                let size = shape.bounding_radius();
                prop_assert!((least - separation).abs() < 3e-3 * size, "{least} {separation}");
                prop_assert_eq!(manifold.normal, normal);
            }
        }
    }

    #[test]
    fn swapping_two_solids_turns_the_normal_around(
        a in solid(), b in solid(), pa in pose(0.6), pb in pose(0.6)
    ) {
        let there = collide(&a, &pa, &b, &pb, 0.0, &mut PairCache::default());
        let back = collide(&b, &pb, &a, &pa, 0.0, &mut PairCache::default());
        if let (Some(there), Some(back)) = (there, back) {
            let depth = |m: &conatus_geometry::convex::Manifold| {
                m.points().iter().map(|p| p.separation).fold(f64::INFINITY, f64::min)
            };
            let size = a.bounding_radius().min(b.bounding_radius());
            // Two directions may be equally good; the depths agree.
            prop_assert!((depth(&there) - depth(&back)).abs() < 0.06 * size);
        }
    }
}

/// A box that lies on another: four points, at its corners.
#[test]
fn a_box_lies_on_four_corners() {
    let lower = Convex::Box {
        half_extents: DVec3::new(2.0, 2.0, 0.5),
    };
    let upper = Convex::Box {
        half_extents: DVec3::splat(0.5),
    };
    let at = Pose::shift(DVec3::new(0.3, -0.2, 0.999));
    let found = collide(
        &lower,
        &Pose::IDENTITY,
        &upper,
        &at,
        0.01,
        &mut PairCache::default(),
    )
    .unwrap();
    assert_eq!(found.normal, DVec3::Z);
    assert_eq!(found.points().len(), 4);
    for p in found.points() {
        assert!((p.separation + 0.001).abs() < 1e-12);
        assert!(((p.point.x - 0.3).abs() - 0.5).abs() < 1e-12);
        assert!(((p.point.y + 0.2).abs() - 0.5).abs() < 1e-12);
    }
}
