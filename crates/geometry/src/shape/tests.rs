use super::*;
use crate::{Aabb, Heightfield, Ray, generate};
use conatus_math::{DMat3, rotation};

fn solids() -> Vec<Shape> {
    let (radius, height, axis) = (0.3, 0.7, Axis::Y);
    vec![
        Shape::Sphere { radius },
        Shape::Box {
            half_extents: DVec3::new(0.2, 0.3, 0.4),
        },
        Shape::Capsule {
            radius,
            height,
            axis,
        },
        Shape::Cylinder {
            radius,
            height,
            axis,
        },
        Shape::Cone {
            radius,
            height,
            axis,
        },
        Shape::Ellipsoid {
            semi_axes: DVec3::new(0.2, 0.3, 0.4),
        },
    ]
}

fn block(half_extents: DVec3) -> Shape {
    Shape::Box { half_extents }
}

/// Two cubes side by side along x: a block from -1 to 1.
fn two_cubes() -> Shape {
    let turn = rotation::exp(DVec3::Z * std::f64::consts::FRAC_PI_2);
    let half = |x: f64| {
        let pose = Pose::new(turn, DVec3::X * x);
        (pose, block(DVec3::new(0.25, 0.5, 0.25)))
    };
    Shape::compound([half(-0.5), half(0.5)])
}

fn ground() -> Shape {
    Shape::Heightfield(Arc::new(HeightGrid::new(Heightfield {
        origin: DVec3::new(-1.0, -1.0, 0.0),
        spacing: 1.0,
        columns: 3,
        heights: vec![0.0; 9],
    })))
}

#[test]
fn a_flat_capsule_is_a_ball_and_an_even_ellipsoid_too() {
    let ball = Shape::Sphere { radius: 2.0 }.volume().unwrap();
    let capsule = Shape::Capsule {
        radius: 2.0,
        height: 0.0,
        axis: Axis::Z,
    };
    let ellipsoid = Shape::Ellipsoid {
        semi_axes: DVec3::splat(2.0),
    };
    assert_eq!(capsule.volume(), Some(ball));
    assert_eq!(ellipsoid.volume(), Some(ball));
    assert!((ball - 33.510_321_638_291_124).abs() < 1e-13);
}

#[test]
fn closed_forms_agree_with_the_integrals_of_fine_meshes() {
    for shape in solids() {
        let exact = shape.solid_properties().unwrap();
        let mesh = Shape::mesh_of(shape.mesh()).solid_properties().unwrap();
        assert!((mesh.volume / exact.volume - 1.0).abs() < 0.02, "{shape:?}");
        assert!((mesh.centre - exact.centre).length() < 1e-3, "{shape:?}");
        let scale = exact.inertia.x_axis.length();
        let close = mesh.inertia.abs_diff_eq(exact.inertia, 0.02 * scale);
        assert!(close, "{shape:?}");
    }
}

#[test]
fn a_compound_of_two_halves_has_the_properties_of_the_whole() {
    let whole = block(DVec3::new(1.0, 0.25, 0.25));
    let (sum, exact) = (
        two_cubes().solid_properties().unwrap(),
        whole.solid_properties().unwrap(),
    );
    assert!((sum.volume - exact.volume).abs() < 1e-15);
    assert!(sum.centre.length() < 1e-15);
    assert!(sum.inertia.abs_diff_eq(exact.inertia, 1e-15));
    assert_eq!(two_cubes().aabb(&Pose::IDENTITY).max.x, 1.0);
}

#[test]
fn a_hull_of_the_corners_of_a_block_has_its_properties() {
    let whole = block(DVec3::new(0.5, 0.25, 0.125));
    let hull = Shape::hull(&whole.mesh().vertices).unwrap();
    let (a, b) = (
        hull.solid_properties().unwrap(),
        whole.solid_properties().unwrap(),
    );
    assert!((a.volume - b.volume).abs() < 1e-15);
    assert!(a.inertia.abs_diff_eq(b.inertia, 1e-15));
}

#[test]
fn surfaces_and_half_spaces_have_no_volume() {
    let sheet = Shape::mesh_of(generate::rectangle(1.0, 1.0, 2, 2));
    let plane = Shape::from(HalfSpace::through(DVec3::ZERO, DVec3::Z));
    for shape in [sheet, plane, ground()] {
        assert_eq!(shape.volume(), None);
        assert_eq!(shape.convex(), None);
        assert_eq!(shape.validate(), Ok(()));
    }
}

#[test]
fn an_inverted_mesh_has_the_volume_of_the_right_one() {
    let mesh = block(DVec3::ONE).mesh();
    let inverted = Shape::mesh_of(mesh.clone().flipped());
    let (a, b) = (
        inverted.solid_properties(),
        Shape::mesh_of(mesh).solid_properties(),
    );
    assert_eq!(a.map(|s| s.volume), b.map(|s| s.volume));
    let eight_thirds = DMat3::from_diagonal(DVec3::splat(2.0 / 3.0));
    assert!(a.unwrap().inertia.abs_diff_eq(eight_thirds, 1e-14));
}

#[test]
fn boxes_and_balls_around_shapes_contain_their_surfaces() {
    let pose = Pose::new(
        rotation::exp(DVec3::new(0.3, -0.7, 1.1)),
        DVec3::new(1.0, 2.0, 3.0),
    );
    for shape in solids().into_iter().chain([two_cubes(), ground()]) {
        let bounds = shape.aabb(&pose).grow(1e-12);
        for v in shape.mesh().vertices {
            assert!(v.length() <= shape.bounding_radius() + 1e-12, "{shape:?}");
            let p = pose.point(v);
            assert!(bounds.overlaps(&Aabb::new(p, p)), "{shape:?}");
        }
    }
}

#[test]
fn nested_compounds_become_one_list_of_parts() {
    let nested = Shape::compound([(Pose::shift(DVec3::Z), two_cubes())]);
    let parts = nested.convex_parts().unwrap();
    assert_eq!(parts.len(), 2);
    assert_eq!(parts[1].0.translation, DVec3::new(0.5, 0.0, 1.0));
    assert_eq!(
        Shape::compound([(Pose::IDENTITY, ground())]).convex_parts(),
        None
    );
}

#[test]
fn queries_see_a_compound_as_the_union_of_its_parts() {
    let (pair, whole) = (two_cubes(), block(DVec3::new(1.0, 0.25, 0.25)));
    let pose = Pose::new(rotation::exp(DVec3::Y * 0.4), DVec3::new(0.0, 0.1, 0.2));
    let ball = Shape::Sphere { radius: 0.1 };
    for k in 0..40 {
        let angle = f64::from(k) * 0.15;
        let from = DVec3::new(3.0 * angle.cos(), 0.2 * angle.sin(), 3.0 * angle.sin());
        let ray = Ray::new(from, -from).unwrap();
        let hits = [&pair, &whole].map(|s| s.ray_cast(&pose, &ray, 10.0).unwrap().distance);
        assert!((hits[0] - hits[1]).abs() < 1e-9);
        let near = [&pair, &whole].map(|s| s.nearest(&pose, from, 10.0).unwrap().distance);
        assert!((near[0] - near[1]).abs() < 1e-6);
        let at = Pose::shift(from);
        let moved = [&pair, &whole].map(|s| {
            let hit = s.shape_cast(&pose, &ball, &at, ray.direction, 10.0);
            hit.unwrap().distance
        });
        assert!((moved[0] - moved[1]).abs() < 1e-6);
        let close = Pose::shift(from * 0.35);
        let overlap = [&pair, &whole].map(|s| s.overlaps(&pose, &ball, &close));
        assert_eq!(overlap[0], overlap[1]);
        assert_eq!(ball.overlaps(&close, &pair, &pose), overlap[0]);
    }
}

#[test]
fn a_ray_hits_the_ground_of_a_heightfield() {
    let ray = Ray::new(DVec3::new(0.2, 0.3, 5.0), DVec3::NEG_Z).unwrap();
    let hit = ground().ray_cast(&Pose::IDENTITY, &ray, 10.0).unwrap();
    assert!((hit.distance - 5.0).abs() < 1e-12);
    assert_eq!(hit.normal, DVec3::Z);
    let beside = Ray::new(DVec3::new(1.2, 0.3, 5.0), DVec3::NEG_Z).unwrap();
    assert_eq!(ground().ray_cast(&Pose::IDENTITY, &beside, 10.0), None);
}

#[test]
fn wrong_shapes_are_refused_with_the_reason() {
    let message = |shape: Shape| shape.validate().unwrap_err().to_string();
    let (radius, axis) = (1.0, Axis::Z);
    assert!(message(Shape::Sphere { radius: -1.0 }).contains("the radius is -1"));
    assert!(message(block(DVec3::new(1.0, f64::NAN, 1.0))).contains("a half extent is NaN"));
    let flat = Shape::Cone {
        radius,
        height: 0.0,
        axis,
    };
    assert!(message(flat).contains("the height is 0"));
    assert!(message(Shape::Sphere { radius: 1e-200 }).contains("volume"));
    assert!(message(Shape::compound([])).contains("at least one part"));
    let part = Shape::compound([(Pose::IDENTITY, Shape::Sphere { radius: 0.0 })]);
    assert!(message(part).contains("part 0: the radius is 0"));
    assert!(message(Shape::mesh_of(Mesh::default())).contains("no triangles"));
    let tilted = HalfSpace::through(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0));
    assert!(message(tilted.into()).contains("length 2"));
    assert_eq!(
        Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y]),
        Err(HullError::TooFewPoints)
    );
    let in_plane = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE.with_z(0.0)];
    assert_eq!(Shape::hull(&in_plane), Err(HullError::Flat));
    let capsule = Shape::Capsule {
        radius,
        height: 0.0,
        axis,
    };
    assert_eq!(capsule.validate(), Ok(()));
}
