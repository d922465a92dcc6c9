//! Chaney §2: the centre of mass, the inertia tensor, and the coordinates in
//! which it is diagonal.

use crate::support::{assert_matrix_near, assert_near, assert_ratio, largest};
use conatus_geometry::{Axis, Shape};
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_rigid::{Diagonal, MassProperties};

/// Particles without symmetry.
fn particles() -> Vec<(f64, DVec3)> {
    (0..40)
        .map(|i| {
            let s = f64::from(i);
            let r = DVec3::new(
                2.0 + (1.3 * s).sin(),
                (0.7 * s).cos() * 2.0 - 1.0,
                0.5 * (2.1 * s).sin() + 0.1 * s,
            );
            (0.1 + 0.05 * f64::from(i % 7), r)
        })
        .collect()
}

/// The six sums of (4), written out one by one, about the origin.
fn six_sums(particles: &[(f64, DVec3)]) -> DMat3 {
    let sum = |f: fn(DVec3) -> f64| particles.iter().map(|(m, r)| m * f(*r)).sum::<f64>();
    let xx = sum(|r| r.y * r.y + r.z * r.z);
    let yy = sum(|r| r.x * r.x + r.z * r.z);
    let zz = sum(|r| r.x * r.x + r.y * r.y);
    let (xy, xz, yz) = (sum(|r| r.x * r.y), sum(|r| r.x * r.z), sum(|r| r.y * r.z));
    rotation::rows([xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz])
}

fn shifted(particles: &[(f64, DVec3)], by: DVec3) -> Vec<(f64, DVec3)> {
    particles.iter().map(|(m, r)| (*m, *r + by)).collect()
}

/// Chaney (1)-(2): about the centre of mass the first moments vanish.
#[test]
fn particles_balance_about_their_centre_of_mass() {
    let particles = particles();
    let found = MassProperties::from_particles(&particles);
    let total: f64 = particles.iter().map(|p| p.0).sum();
    assert_ratio(found.mass, total, 1e-15);
    let moment: DVec3 = shifted(&particles, -found.centre)
        .iter()
        .map(|(m, r)| *r * *m)
        .sum();
    assert_near(moment, DVec3::ZERO, 1e-13);
    // Two particles balance on a lever at the inverse ratio of their masses.
    let lever = MassProperties::from_particles(&[(3.0, DVec3::X), (1.0, DVec3::X * 5.0)]);
    assert_near(lever.centre, DVec3::X * 2.0, 1e-15);
}

/// Chaney (3)-(4): the tensor is the six sums about the centre of mass, with
/// the products of inertia negative off the diagonal.
#[test]
fn the_tensor_of_particles_is_the_six_sums() {
    let particles = particles();
    let found = MassProperties::from_particles(&particles);
    let expected = six_sums(&shifted(&particles, -found.centre));
    assert_matrix_near(found.inertia, expected, 1e-12);
    assert!(found.inertia.x_axis.y.abs() > 0.1, "a test with products");
}

/// Chaney (17), §2.2: eigenvectors as rows rotate the particles so that their
/// tensor is diagonal, and the rotation is proper.
#[test]
fn particles_in_principal_axes_have_a_diagonal_tensor() {
    let particles = particles();
    let d = MassProperties::from_particles(&particles).diagonalise();
    let carried: Vec<_> = particles
        .iter()
        .map(|(m, r)| (*m, d.diag_rotation * *r + d.diag_offset))
        .collect();
    let tensor = six_sums(&carried);
    assert_matrix_near(tensor, DMat3::from_diagonal(d.moments), 1e-12);
    assert_ratio(d.diag_rotation.determinant(), 1.0, 1e-14);
    for (_, r) in &particles {
        let by_pose = d.carry().point(*r);
        assert_near(by_pose, d.diag_rotation * *r + d.diag_offset, 1e-13);
    }
}

/// Chaney (17) for the example of §8.2: a box and a cylinder, by hand.
#[test]
fn the_box_and_cylinder_of_the_example_have_their_hand_made_moments() {
    let block = Shape::Box {
        half_extents: DVec3::new(4.0, 2.0, 1.0),
    };
    let cylinder = Shape::Cylinder {
        radius: 1.0,
        height: 2.0,
        axis: Axis::X,
    };
    let whole = MassProperties::combine(&[
        (
            MassProperties::of_shape(&block, 1000.0).unwrap(),
            Pose::IDENTITY,
        ),
        (
            MassProperties::of_shape(&cylinder, 500.0).unwrap(),
            Pose::shift(DVec3::X * 5.0),
        ),
    ]);
    // Half extents: m(b² + c²)/3 and so on. The centres are 5 m apart, so the
    // reduced mass 1000/3 adds 25 · 1000/3 across x.
    let apart = 25.0 * 1000.0 * 500.0 / 1500.0;
    let d: Diagonal = whole.diagonalise();
    let expected = DVec3::new(
        1000.0 * 5.0 / 3.0 + 500.0 * 0.5,
        1000.0 * 17.0 / 3.0 + 500.0 * (0.25 + 1.0 / 3.0) + apart,
        1000.0 * 20.0 / 3.0 + 500.0 * (0.25 + 1.0 / 3.0) + apart,
    );
    assert_near(d.moments, expected, 1e-9);
    assert_eq!(d.diag_rotation, DMat3::IDENTITY);
    assert_near(d.diag_offset, DVec3::new(-5.0 / 3.0, 0.0, 0.0), 1e-14);
}

/// Every solid against a grid of particles that fills it: the closed forms are
/// the limit of Chaney (1)-(4).
#[test]
fn fine_particles_converge_to_the_closed_forms_of_all_solids() {
    let (radius, height, axis) = (0.8, 1.4, Axis::Z);
    let across = |r: DVec3| r.truncate().length();
    type Inside = Box<dyn Fn(DVec3) -> bool>;
    let solids: Vec<(Shape, Inside)> = vec![
        (
            Shape::Sphere { radius },
            Box::new(move |r| r.length() < radius),
        ),
        (
            Shape::Box {
                half_extents: DVec3::new(0.9, 0.5, 0.7),
            },
            Box::new(|r| r.x.abs() < 0.9 && r.y.abs() < 0.5 && r.z.abs() < 0.7),
        ),
        (
            Shape::Ellipsoid {
                semi_axes: DVec3::new(0.9, 0.5, 0.7),
            },
            Box::new(|r| (r / DVec3::new(0.9, 0.5, 0.7)).length() < 1.0),
        ),
        (
            Shape::Cylinder {
                radius,
                height,
                axis,
            },
            Box::new(move |r| across(r) < radius && r.z.abs() < 0.5 * height),
        ),
        (
            Shape::Cone {
                radius,
                height,
                axis,
            },
            Box::new(move |r| {
                let to_tip = (0.75 * height - r.z) / height;
                to_tip < 1.0 && across(r) < radius * to_tip
            }),
        ),
        (
            Shape::Capsule {
                radius: 0.5,
                height: 0.9,
                axis,
            },
            Box::new(move |r| {
                let beyond = (r.z.abs() - 0.45).max(0.0);
                across(r).hypot(beyond) < 0.5
            }),
        ),
    ];
    for (solid, inside) in solids {
        // A grid of 50³ cells over the solid's bounding box.
        let (bounds, cells) = (solid.mesh().aabb(), 50);
        let size = (bounds.max - bounds.min) / f64::from(cells);
        let mut grid = Vec::new();
        for i in 0..cells {
            for j in 0..cells {
                for k in 0..cells {
                    let cell = DVec3::new(f64::from(i), f64::from(j), f64::from(k));
                    let r = bounds.min + size * (cell + 0.5);
                    if inside(r) {
                        grid.push((1.0, r));
                    }
                }
            }
        }
        let found = MassProperties::from_particles(&grid);
        let exact = MassProperties::of_shape(&solid, found.mass).unwrap();
        assert_near(found.centre, exact.centre, 0.005);
        let error = largest(found.inertia - exact.inertia) / largest(exact.inertia);
        assert!(error < 0.015, "{solid:?}: {error}");
    }
}
