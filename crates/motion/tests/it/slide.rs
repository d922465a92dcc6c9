//! Friction of what slides: Coulomb's law, and its derivatives.

use conatus_math::DVec3;
use conatus_motion::slide::{Lean, SLOW};

#[test]
fn friction_acts_against_the_way_with_all_of_mu() {
    let (normal, velocity) = (DVec3::Z, DVec3::new(0.3, -0.4, 0.7));
    let lean = Lean::new(0.6, SLOW, normal, velocity);
    let wanted = DVec3::new(-0.6, 0.8, 0.0) * 0.6;
    assert!(lean.by.distance(wanted) < 2e-4, "{}", lean.by);
    assert!(lean.by.dot(normal).abs() < 1e-15);
}

#[test]
fn what_rests_feels_none() {
    let lean = Lean::new(0.6, SLOW, DVec3::Z, DVec3::ZERO);
    assert_eq!(lean.by, DVec3::ZERO);
}

#[test]
fn its_derivatives_are_those_of_differences() {
    let normal = DVec3::new(0.2, -0.1, 0.95);
    let velocity = DVec3::new(0.03, 0.02, -0.01);
    let seed = DVec3::new(0.7, -1.1, 0.4);
    let at = |n: DVec3, v: DVec3| Lean::new(0.6, SLOW, n, v);
    let (by_normal, by_velocity) = at(normal, velocity).pull(seed);
    let h = 1e-7;
    for k in 0..3 {
        let mut step = DVec3::ZERO;
        step[k] = h;
        let slope = |a: DVec3, b: DVec3| (a - b).dot(seed) / (2.0 * h);
        let n = slope(
            at(normal + step, velocity).by,
            at(normal - step, velocity).by,
        );
        let v = slope(
            at(normal, velocity + step).by,
            at(normal, velocity - step).by,
        );
        assert!((n - by_normal[k]).abs() < 1e-5, "{n} {by_normal}");
        assert!((v - by_velocity[k]).abs() < 1e-4, "{v} {by_velocity}");
    }
}
