//! Rays, casts of shapes, distances and searches in trees, against brute force.

use super::convex::{direction, directions, gap_along, pose, solid};
use conatus_geometry::convex::{Convex, gap, shape_cast};
use conatus_geometry::{Aabb, Bvh, Ray};
use conatus_math::{DVec3, Pose};
use proptest::prelude::*;

/// How far a point is inside of a solid, by its definition: positive inside, and zero on
/// the surface. A length but for the ellipsoid and the cone.
fn inside(shape: &Convex, p: DVec3) -> f64 {
    match shape {
        Convex::Sphere { radius } => radius - p.length(),
        Convex::Capsule { half, radius } => {
            let t = (p.dot(*half) / half.length_squared()).clamp(-1.0, 1.0);
            radius - p.distance(*half * t)
        }
        Convex::Box { half_extents } => (*half_extents - p.abs()).min_element(),
        Convex::Hull(hull) => {
            let gaps = hull.faces().iter().map(|f| f.offset - f.normal.dot(p));
            gaps.fold(f64::INFINITY, f64::min)
        }
        Convex::Cylinder {
            axis,
            radius,
            half_height,
        } => {
            let along = p.dot(*axis);
            (radius - (p - *axis * along).length()).min(half_height - along.abs())
        }
        Convex::Cone {
            axis,
            radius,
            base_and_tip: [base, tip],
        } => {
            let along = p.dot(*axis);
            let width = radius * (tip - along) / (tip - base);
            (width - (p - *axis * along).length()).min(along - base)
        }
        Convex::Ellipsoid { semi_axes } => 1.0 - (p / *semi_axes).length(),
        Convex::Triangle(_) => f64::NEG_INFINITY,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_ray_enters_a_solid_where_its_first_point_inside_is(
        shape in solid(), at in direction(), far in 0.0..3.0f64, towards in direction(),
        aim in 0.0..0.9f64,
    ) {
        const STEPS: usize = 1000;
        let origin = at * far;
        let target = towards * aim;
        let Some(ray) = Ray::new(origin, target - origin) else { return Ok(()) };
        let hit = shape.ray_cast(&ray);
        let step = 6.0 / STEPS as f64;
        let first = (0..STEPS).find(|&k| inside(&shape, ray.at(k as f64 * step)) > 1e-9);
        match (hit, first) {
            (Some(hit), Some(0)) => {
                prop_assert_eq!(hit.distance, 0.0);
                prop_assert_eq!(hit.normal, -ray.direction);
            }
            (Some(hit), first) => {
                let end = first.unwrap_or(STEPS) as f64 * step;
                prop_assert!(hit.distance <= end);
                if first.is_some() {
                    prop_assert!(hit.distance >= end - step - 1e-9);
                }
                let p = ray.at(hit.distance);
                prop_assert!(inside(&shape, p).abs() < 1e-9, "{}", inside(&shape, p));
                prop_assert!((hit.normal.length() - 1.0).abs() < 1e-9);
                prop_assert!(hit.normal.dot(ray.direction) <= 1e-9);
                // All of the solid is below the plane at the hit.
                let (top, _) = shape.support(hit.normal);
                let height = (top - p).dot(hit.normal) + shape.radius();
                prop_assert!(height < 1e-8, "{height}");
            }
            (None, first) => prop_assert_eq!(first, None),
        }
    }

    #[test]
    fn the_gap_of_two_solids_is_the_greatest_along_any_direction(
        a in solid(), pa in pose(0.5), b in solid(), pb in pose(3.0),
    ) {
        let best = directions(500).map(|d| gap_along(&a, &pa, &b, &pb, d)).fold(f64::MIN, f64::max);
        match gap(&a, &pa, &b, &pb) {
            Some(found) => {
                prop_assert!(best <= found.distance + 1e-9);
                prop_assert!((found.b - found.a).distance(found.normal * found.distance) < 1e-7);
                let along = gap_along(&a, &pa, &b, &pb, found.normal);
                prop_assert!((along - found.distance).abs() < 2e-5, "{along} {}", found.distance);
            }
            None => prop_assert!(best <= 1e-8),
        }
    }

    #[test]
    fn a_cast_stops_where_solids_touch_first(
        a in solid(), pa in pose(0.5), b in solid(), pb in pose(3.0), towards in direction(),
        aim in 0.0..1.0f64,
    ) {
        let way = pb.translation + towards * aim - pa.translation;
        let Some(direction) = way.try_normalize() else { return Ok(()) };
        let at = |t: f64| Pose::new(pa.rotation, pa.translation + direction * t);
        let hit = shape_cast(&a, &pa, direction, &b, &pb, 6.0);
        let free = hit.map_or(6.0, |hit| hit.distance);
        // Distances of round cores are known to 2e-5 m; at a flat angle that is a longer way.
        let steep = hit.map_or(1.0, |hit| -hit.normal.dot(direction)).max(1e-4);
        let rest = 2e-5 / steep;
        for k in 0..30 {
            let t = (free - rest) * f64::from(k) / 29.0;
            prop_assert!(free <= rest || gap(&a, &at(t), &b, &pb).is_some(), "overlap at {t} of {free}");
        }
        if let Some(hit) = hit {
            let left = gap(&a, &at(hit.distance), &b, &pb).map_or(0.0, |g| g.distance);
            prop_assert!(left < 1e-4, "{left}");
            if hit.distance > 0.0 {
                prop_assert!(hit.normal.dot(direction) <= 1e-9);
                prop_assert!((inside(&b, pb.inverse().point(hit.point))).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_search_in_a_tree_finds_the_nearest_box(
        centres in prop::collection::vec((-9.0..9.0f64, -9.0..9.0f64, -9.0..9.0f64), 1..300),
        at in direction(), to in direction(),
    ) {
        let boxes: Vec<Aabb> = centres.iter()
            .map(|&(x, y, z)| Aabb::of_sphere(DVec3::new(x, y, z), 0.2 + 0.02 * x))
            .collect();
        let bvh = Bvh::build(&boxes);
        let ray = Ray::new(at * 12.0, to * 3.0 - at * 12.0).unwrap();
        let point = to * 5.0;
        let distance = |b: &Aabb| point.distance(point.clamp(b.min, b.max));
        let entry = |b: &Aabb| ray.entry(b);
        let bounds: [&dyn Fn(&Aabb) -> f64; 2] = [&distance, &entry];
        for bound in bounds {
            let mut best = (f64::INFINITY, u32::MAX);
            let mut visits = 0;
            bvh.search(f64::INFINITY, &bound, |k| {
                visits += 1;
                let own = (bound(&boxes[k as usize]), k);
                if own < best {
                    best = own;
                }
                best.0
            });
            let all = (0u32..).zip(&boxes).map(|(k, b)| (bound(b), k)).filter(|b| b.0 < f64::INFINITY);
            let expected = all.min_by(|a, b| a.partial_cmp(b).unwrap());
            prop_assert_eq!((best.1 < u32::MAX).then_some(best), expected);
            prop_assert!(boxes.len() < 100 || visits < boxes.len());
        }
    }
}

#[test]
fn no_ray_slips_between_the_triangles_of_a_closed_mesh() {
    let mesh = conatus_geometry::icosphere(2);
    for (k, direction) in directions(300).enumerate() {
        // Through corners and edges as well.
        let [a, b, c] = mesh.corners(k % mesh.triangles.len());
        let through = [direction, a, 0.5 * (a + b), c][k % 4];
        let ray = Ray::new(through * 3.0, -through).unwrap();
        let hits = (0..mesh.triangles.len())
            .filter_map(|t| Convex::Triangle(mesh.corners(t)).ray_cast(&ray));
        let first = hits.map(|h| h.distance).fold(f64::INFINITY, f64::min);
        assert!(
            (first - (3.0 * through.length() - 1.0)).abs() < 0.1,
            "{first}"
        );
    }
}
