//! Friction of sliding contacts: Coulomb's law, and its derivatives.

use conatus_math::DVec3;
use conatus_motion::slide::{REGULARISATION_SPEED_M_S, SlidingFriction};

#[test]
fn sliding_friction_is_mu_times_the_normal_force_against_the_velocity() {
    let (normal, velocity) = (DVec3::Z, DVec3::new(0.3, -0.4, 0.7));
    let friction = SlidingFriction::new(0.6, REGULARISATION_SPEED_M_S, normal, velocity);
    let wanted = DVec3::new(-0.6, 0.8, 0.0) * 0.6;
    assert!(friction.tilt.distance(wanted) < 2e-4, "{}", friction.tilt);
    assert!(friction.tilt.dot(normal).abs() < 1e-15);
}

#[test]
fn a_contact_at_rest_has_no_sliding_friction() {
    let friction = SlidingFriction::new(0.6, REGULARISATION_SPEED_M_S, DVec3::Z, DVec3::ZERO);
    assert_eq!(friction.tilt, DVec3::ZERO);
}

#[test]
fn sliding_friction_has_the_derivatives_of_differences() {
    let normal = DVec3::new(0.2, -0.1, 0.95);
    let velocity = DVec3::new(0.03, 0.02, -0.01);
    let seed = DVec3::new(0.7, -1.1, 0.4);
    let at = |n: DVec3, v: DVec3| SlidingFriction::new(0.6, REGULARISATION_SPEED_M_S, n, v);
    let (by_normal, by_velocity) = at(normal, velocity).vector_jacobian_product(seed);
    let h = 1e-7;
    for k in 0..3 {
        let mut step = DVec3::ZERO;
        step[k] = h;
        let slope = |a: DVec3, b: DVec3| (a - b).dot(seed) / (2.0 * h);
        let n = slope(
            at(normal + step, velocity).tilt,
            at(normal - step, velocity).tilt,
        );
        let v = slope(
            at(normal, velocity + step).tilt,
            at(normal, velocity - step).tilt,
        );
        assert!((n - by_normal[k]).abs() < 1e-5, "{n} {by_normal}");
        assert!((v - by_velocity[k]).abs() < 1e-4, "{v} {by_velocity}");
    }
}
