//! Di Pierro §9: compound bodies.

use crate::support::{
    DOWN, Universe, assert_matrix_near, assert_near, assert_ratio, general_state, moving,
};
use conatus_geometry::Shape;
use conatus_math::{DMat3, DVec3, Pose, rotation};
use conatus_rigid::forces::{End, Spring};
use conatus_rigid::mass::parallel_axis;
use conatus_rigid::{Activity, Bodies, Constants, MassProperties};

type Parts = Vec<(MassProperties, Pose)>;
type Particles = Vec<(f64, DVec3)>;

/// Dumbbells of particles at three poses, as parts and all in one list.
fn dumbbells() -> (Parts, Particles) {
    let mut parts = Vec::new();
    let mut all = Vec::new();
    for i in 0..3 {
        let s = f64::from(i);
        let own = [
            (1.0 + s, DVec3::new(1.0, 0.2 * s, 0.0)),
            (0.5, DVec3::new(-1.0, 0.0, 0.3)),
            (0.7, DVec3::new(0.1, 0.8, -0.9)),
        ];
        let pose = Pose::new(
            rotation::exp(DVec3::new(s, 1.0 - s, 0.5)),
            DVec3::new(2.0 * s, -s, 1.0),
        );
        all.extend(own.map(|(m, r)| (m, pose.point(r))));
        parts.push((MassProperties::from_particles(&own), pose));
    }
    (parts, all)
}

/// Di Pierro (64)-(66): combining the parts is the same as summing all their
/// particles at once.
#[test]
fn a_compound_body_is_the_body_of_all_its_particles() {
    let (parts, all) = dumbbells();
    let (found, expected) = (
        MassProperties::combine(&parts),
        MassProperties::from_particles(&all),
    );
    assert_ratio(found.mass, expected.mass, 1e-15);
    assert_near(found.centre, expected.centre, 1e-14);
    assert_matrix_near(found.inertia, expected.inertia, 1e-13);
}

/// Di Pierro (66)-(67): a block cut in two at any height is the block again.
#[test]
fn the_two_parts_of_a_cut_block_make_the_block() {
    let block = |h: DVec3| {
        MassProperties::of_shape(&Shape::Box { half_extents: h }, 8.0 * h.x * h.y * h.z).unwrap()
    };
    let whole = block(DVec3::new(0.4, 1.0, 1.5));
    for cut in [0.1, 0.75, 1.2] {
        let (low, high) = (cut, 1.5 - cut);
        let parts = [
            (
                block(DVec3::new(0.4, 1.0, low)),
                Pose::shift(DVec3::Z * (low - 1.5)),
            ),
            (
                block(DVec3::new(0.4, 1.0, high)),
                Pose::shift(DVec3::Z * (1.5 - high)),
            ),
        ];
        let found = MassProperties::combine(&parts);
        assert_ratio(found.mass, whole.mass, 1e-15);
        assert_near(found.centre, DVec3::ZERO, 1e-15);
        assert_matrix_near(found.inertia, whole.inertia, 1e-13);
    }
}

/// Di Pierro (67): entry by entry, and as what one particle adds.
#[test]
fn moving_a_mass_adds_its_parallel_axis_terms() {
    let (m, r) = (3.0, DVec3::new(1.0, -2.0, 0.5));
    let found = parallel_axis(m, r).to_cols_array_2d();
    let (r_j, r2) = (r.to_array(), r.length_squared());
    for j in 0..3 {
        for k in 0..3 {
            let delta = if j == k { r2 } else { 0.0 };
            assert!((found[j][k] - m * (delta - r_j[j] * r_j[k])).abs() < 1e-14);
        }
    }
    // Steiner: about an axis through r itself nothing is added.
    assert_near(parallel_axis(m, r) * r, DVec3::ZERO, 1e-14);
}

/// Di Pierro (64)-(67), `operator+` corrected: merging two moving bodies
/// conserves mass, momentum and angular momentum, and both move on as one rigid
/// body.
#[test]
fn two_bodies_that_merge_keep_their_momenta() {
    let mut bodies = Bodies::new();
    let first = Constants::new(2.0, DVec3::new(1.0, 2.0, 2.5));
    let second = Constants::new(0.5, DVec3::new(0.2, 0.3, 0.3));
    bodies.add(first, general_state(), Activity::Free);
    let other = moving(DVec3::new(2.0, -1.0, 2.5), DVec3::new(-1.0, 2.0, 0.0));
    bodies.add(second, other, Activity::Free);
    let (energy, momentum, spin) = bodies.totals();
    let poses = [bodies.state(0).pose(), bodies.state(1).pose()];
    assert_eq!(bodies.merge(&[0, 1]), Some(0));
    let (energy_after, momentum_after, spin_after) = bodies.totals();
    assert_ratio(bodies.constants(0).mass, 2.5, 1e-15);
    assert_near(momentum_after, momentum, 1e-14);
    assert_near(spin_after, spin, 1e-13);
    assert!(energy_after < energy);
    for (i, pose) in poses.iter().enumerate() {
        let found = bodies.state(i).pose();
        assert_near(found.translation, pose.translation, 1e-14);
        assert_matrix_near(
            rotation::to_matrix(found.rotation),
            rotation::to_matrix(pose.rotation),
            1e-14,
        );
    }
    // Both rotate together.
    assert_near(bodies.state(0).omega(), bodies.state(1).omega(), 1e-14);
    let tensor = MassProperties::combine(&[(own(&first), poses[0]), (own(&second), poses[1])]);
    let r = bodies.mover_state(0).rotation();
    let found = r * DMat3::from_diagonal(bodies.constants(0).moments) * r.transpose();
    assert_matrix_near(found, tensor.inertia, 1e-13);
}

/// Di Pierro (64)-(67): a merged body moves under forces on its parts as one
/// body of the same mass properties.
#[test]
fn merged_bodies_move_under_forces_as_one() {
    let parts = [
        (2.0, DVec3::new(1.0, 2.0, 2.5), general_state()),
        (0.5, DVec3::new(0.2, 0.3, 0.3), moving(DVec3::X, DVec3::Y)),
    ];
    let mut merged = Universe::new(0.005, DOWN);
    for (mass, moments, state) in parts {
        merged.add(mass, moments, state);
    }
    merged.bodies.merge(&[0, 1]);
    let mover = merged.bodies.mover_state(0);
    let hook = DVec3::new(0.1, 0.2, -0.3);
    let on_mover = mover
        .pose()
        .inverse()
        .point(merged.state(1).point_position(hook));

    let mut single = Universe::new(0.005, DOWN);
    let constants = *merged.bodies.constants(0);
    single.bodies.add(constants, mover, Activity::Free);
    let spring = |end: End| Spring {
        a: end,
        b: End::Pin(DVec3::new(1.0, 1.0, 4.0)),
        stiffness: 30.0,
        length: 0.5,
        damping: 0.2,
    };
    merged.push(spring(End::Body(1, hook)));
    single.push(spring(End::Body(0, on_mover)));
    merged.run(400);
    single.run(400);
    let (a, b) = (merged.bodies.mover_state(0), single.state(0));
    assert_near(a.position, b.position, 1e-11);
    assert_near(a.omega(), b.omega(), 1e-10);
    assert_near(
        merged.state(1).point_position(hook),
        single.state(0).point_position(on_mover),
        1e-11,
    );
}

/// A body merged with a locked body is locked.
#[test]
fn a_body_merged_with_a_locked_body_is_locked() {
    let mut u = Universe::new(0.01, DOWN);
    u.add(1.0, DVec3::ONE, general_state());
    u.add(1.0, DVec3::ONE, moving(DVec3::X, DVec3::Y));
    u.bodies.set_activity(1, Activity::Locked);
    let before = u.state(0).pose();
    u.bodies.merge(&[0, 1]);
    u.run(10);
    assert_near(u.state(0).position, before.translation, 1e-15);
    assert_eq!(u.state(0).velocity, DVec3::ZERO);
    assert_eq!(u.state(0).omega_body, DVec3::ZERO);
    assert_eq!(u.bodies.activity(0), Activity::Locked);
}

fn own(c: &Constants) -> MassProperties {
    MassProperties {
        mass: c.mass,
        centre: DVec3::ZERO,
        inertia: DMat3::from_diagonal(c.moments),
    }
}
