//! Errors and omissions in Chaney's document: the printed formula, computed
//! here, fails against an independent check, and the code does not. See
//! docs/errata.md.

use crate::support::{
    Universe, assert_matrix_near, assert_near, assert_ratio, general_state, largest,
};
use conatus_geometry::{Axis, Mesh, Shape};
use conatus_math::{DMat3, DQuat, DVec3, eigen, rotation};
use conatus_rigid::{Activity, Constants, MassProperties, State};

/// Chaney (1): with second moments instead of first ones, a pair of equal
/// particles would not balance about its middle.
#[test]
fn the_centre_of_mass_needs_first_moments() {
    let particles = [
        (1.0, DVec3::new(-3.0, 1.0, 0.0)),
        (1.0, DVec3::new(1.0, 1.0, 4.0)),
    ];
    let middle = DVec3::new(-1.0, 1.0, 2.0);
    let printed = particles.iter().map(|(m, r)| *r * *r * *m).sum::<DVec3>() / 2.0;
    assert!((printed - middle).length() > 1.0);
    let found = MassProperties::from_particles(&particles);
    assert_near(found.centre, middle, 1e-15);
}

/// Chaney §2.2: eigenvectors as rows may be left-handed, which mirrors the
/// shape; a closed mesh is then inverted.
#[test]
fn diagonalising_never_mirrors_a_shape() {
    let mirrored_volume = |m: DMat3| {
        let corner = Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]
                .into_iter()
                .map(|v| m * v)
                .collect(),
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        };
        corner.volume_integrals().volume
    };
    for i in 0..100 {
        let s = f64::from(i);
        let r = rotation::to_matrix(rotation::exp(DVec3::new(s.sin(), s.cos(), 0.3 * s)));
        let tensor = r * DMat3::from_diagonal(DVec3::new(1.0, 1.5, 2.0)) * r.transpose();
        let (values, rows) = eigen::symmetric_eigen(tensor);
        assert_matrix_near(
            rows * tensor * rows.transpose(),
            DMat3::from_diagonal(values),
            1e-13,
        );
        // The printed recipe also accepts one row negated, ...
        let flipped = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)) * rows;
        let still_diagonal = flipped * tensor * flipped.transpose();
        assert_matrix_near(still_diagonal, DMat3::from_diagonal(values), 1e-13);
        // ... but that makes the volume negative.
        assert!(mirrored_volume(flipped) < 0.0);
        assert_ratio(mirrored_volume(rows), 1.0 / 6.0, 1e-13);
    }
}

/// Chaney §8.2: the sizes of `setBox` are half extents, the height of
/// `setCylinder` is the full height along x.
#[test]
fn boxes_take_half_extents_and_cylinders_whole_heights() {
    let half_extents = DVec3::new(4.0, 2.0, 1.0);
    let block = Shape::Box { half_extents };
    let bounds = block.mesh().aabb();
    assert_eq!(bounds.max - bounds.min, half_extents * 2.0);
    let by_mesh = MassProperties::of_mesh(&block.mesh(), 1000.0);
    let found = MassProperties::of_shape(&block, 1000.0).unwrap();
    assert_matrix_near(found.inertia, by_mesh.inertia, 1e-9);
    // Taken as full edges the same numbers give a quarter of it.
    let taken_whole = 1000.0 * (2.0 * 2.0 + 1.0) / 12.0;
    assert_ratio(by_mesh.inertia.x_axis.x, 4.0 * taken_whole, 1e-12);

    let cylinder = Shape::Cylinder {
        radius: 1.0,
        height: 2.0,
        axis: Axis::X,
    };
    let bounds = cylinder.mesh().aabb();
    assert_near(bounds.max - bounds.min, DVec3::splat(2.0), 1e-12);
    let by_mesh = MassProperties::of_mesh(&cylinder.mesh(), 500.0);
    let found = MassProperties::of_shape(&cylinder, 500.0).unwrap();
    let error = largest(found.inertia - by_mesh.inertia) / largest(found.inertia);
    assert!(error < 0.01, "{error}");
    // A half height of 2 would add far more than the error of the mesh.
    let taken_half = 500.0 * (0.25 + 4.0 * 4.0 / 12.0);
    assert!(taken_half > 2.0 * found.inertia.y_axis.y);
}

/// Chaney (33): m g z is the potential energy for gravity along −z only; for
/// any other direction it drifts, and −m g·x does not.
#[test]
fn the_energy_of_height_follows_the_vector_of_gravity() {
    let (mass, moments) = (2.0, DVec3::ONE);
    let gravity = DVec3::new(0.0, -9.8, 0.0);
    let mut u = Universe::new(0.01, gravity);
    u.add(mass, moments, general_state());
    let printed = |s: &State| s.kinetic_energy(mass, moments) + mass * 9.8 * s.position.z;
    let before = u.state(0);
    u.run(100);
    let after = u.state(0);
    assert!((printed(&after) - printed(&before)).abs() > 10.0);
    assert_ratio(
        after.energy(mass, moments, gravity),
        before.energy(mass, moments, gravity),
        1e-12,
    );
}

/// Chaney §8.3: automatic damping is a force and a torque at every stage, so
/// motion decays exponentially; applied once per step it is only of first
/// order.
#[test]
fn automatic_damping_acts_at_every_stage() {
    let (mass, moment, lin_kd, rot_kd) = (2.0, 0.5, 0.8, 0.3);
    let constants = Constants {
        mass,
        moments: DVec3::splat(moment),
        linear_damping: lin_kd,
        angular_damping: rot_kd,
    };
    let start = general_state();
    let (h, steps) = (0.05, 40);
    let mut u = Universe::new(h, DVec3::ZERO);
    u.bodies.add(constants, start, Activity::Free);
    u.run(steps);
    let t = h * steps as f64;
    let slower = (-lin_kd / mass * t).exp();
    let calmer = (-rot_kd / moment * t).exp();
    let end = u.state(0);
    assert_near(end.velocity, start.velocity * slower, 1e-8);
    assert_near(end.omega_body, start.omega_body * calmer, 1e-7);
    // Once per step, the velocity shrinks by the factor 1 − h·linKD/m.
    let once = (1.0 - h * lin_kd / mass).powi(steps as i32);
    assert!((once - slower).abs() > 1e-3);
    // The distance covered agrees, too: m (v₀ − v)/linKD.
    let way = (start.velocity - start.velocity * slower) * (mass / lin_kd);
    assert_near(end.position - start.position, way, 1e-8);
}

/// Chaney (10), §4.1: between stages the quaternion is longer than 1, and its
/// matrix is not a rotation; the matrix of the state is.
#[test]
fn the_matrix_is_made_from_a_normalised_quaternion() {
    let mut s = general_state();
    s.omega_body *= 8.0;
    // The state of the second stage of a step of 0.05 s.
    s.orientation += rotation::quaternion_rate(s.orientation, s.omega_body) * 0.025;
    let off = |r: DMat3| largest(r * r.transpose() - DMat3::IDENTITY);
    assert!(off(rotation::to_matrix(s.orientation)) > 1e-3);
    assert!(off(s.rotation()) < 1e-15);
    let arm = DVec3::new(0.3, 0.4, 1.2);
    assert_ratio(
        (s.point_position(arm) - s.position).length(),
        arm.length(),
        1e-15,
    );
}

/// Chaney (29), §4.1: without normalisation the length of the quaternion drifts
/// over many steps; normalised after each it stays 1.
#[test]
fn the_quaternion_is_normalised_after_every_step() {
    let omega = DVec3::new(0.0, 0.0, 12.0);
    let (h, steps) = (0.05, 2000);
    // RK4 on Q̇ = ½ Q ω without normalising: the exponential to fourth order.
    let mut q = DQuat::IDENTITY;
    for _ in 0..steps {
        let k1 = rotation::quaternion_rate(q, omega) * h;
        let k2 = rotation::quaternion_rate(q + k1 * 0.5, omega) * h;
        let k3 = rotation::quaternion_rate(q + k2 * 0.5, omega) * h;
        let k4 = rotation::quaternion_rate(q + k3, omega) * h;
        q += (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (1.0 / 6.0);
    }
    assert!((q.length() - 1.0).abs() > 1e-3, "{}", q.length());
    let mut u = Universe::new(h, DVec3::ZERO);
    let spinning = State {
        omega_body: omega,
        ..State::default()
    };
    u.add(1.0, DVec3::ONE, spinning);
    u.run(steps);
    assert_ratio(u.state(0).orientation.length(), 1.0, 1e-15);
}
