//! Contacts: the cost of not touching (2), the soft nearest point (3), and the cost of
//! forces (7).

use conatus_geometry::HalfSpace;
use conatus_math::rotation::rodrigues;
use conatus_math::{DMat3, DVec3};
use conatus_motion::Program;
use conatus_motion::costs::TermWeights;
use conatus_motion::costs::contact_invariant;
use conatus_motion::program::{Against, ContactCandidate};
use conatus_motion::surface::{RoundedShape, SOFTNESS, SoftNearestPoint, Surface, Surroundings};
use conatus_motion::variables::CostSum;

const CONTACT: TermWeights = TermWeights {
    contact: 1.0,
    ..TermWeights::NONE
};

/// Mordatch (2).
#[test]
fn a_contact_costs_gap_tilt_slip_and_spin_in_proportion_to_c() {
    let program = Program::new(&crate::common::walk());
    let w = &program.weights;
    let mut state = program.start_state();
    state.contacts.fill(0.0);
    let foot = crate::common::contact(&program, "left foot");
    let (height, tilt, c) = (0.07, 0.4, 2.5);
    let (slip, spin) = (DVec3::new(0.3, -0.2, 0.1), DVec3::new(0.5, 0.6, -0.7));
    let frame = &mut state.frames[program.contacts[foot].frame];
    frame.position.z = height;
    frame.matrix = rodrigues(DVec3::Y, tilt);
    (frame.velocity, frame.omega) = (slip, spin);
    state.contacts[foot] = f64::sqrt(c);
    // The chord of the angle between the two normals.
    let normals = 2.0 * f64::sin(tilt / 2.0);
    let place = height * height + w.contact_normal * normals * normals;
    let rate = slip.length_squared() + w.contact_spin * spin.length_squared();
    let expected = w.contact * c * (place + rate);
    let (found, _) = crate::common::cost(&program, &CONTACT, &state);
    assert!(
        (found - expected).abs() < 1e-12 * expected,
        "{found} {expected}"
    );
    // With c = 0 the cost is zero.
    state.contacts[foot] = 0.0;
    assert_eq!(crate::common::cost(&program, &CONTACT, &state).0, 0.0);
}

fn corner() -> Surroundings {
    let wall = HalfSpace::through(DVec3::X, -DVec3::X);
    let wall = Surface::new("wall", RoundedShape::HalfSpace(wall));
    Surroundings::new(vec![Surface::ground(), wall])
}

/// Mordatch (3), from the nearest points themselves.
#[test]
fn the_nearest_point_is_the_average_with_weights_eta() {
    assert_eq!(SOFTNESS, 1e4);
    let mut random = crate::common::Random::new(3);
    for _ in 0..200 {
        let p = DVec3::new(random.uniform(), random.normal(), random.uniform());
        let nearest = [DVec3::new(p.x, p.y, 0.0), DVec3::new(1.0, p.y, p.z)];
        let eta = nearest.map(|n| 1.0 / (1.0 + 1e4 * p.distance_squared(n)));
        let average = (nearest[0] * eta[0] + nearest[1] * eta[1]) / (eta[0] + eta[1]);
        let found = SoftNearestPoint::new(&corner(), p).gap;
        assert!((found - (p - average)).length() < 1e-12, "{p}");
    }
}

/// Mordatch (3).
#[test]
fn close_to_a_surface_the_nearest_point_is_on_it_and_far_from_all_between_them() {
    let close = SoftNearestPoint::new(&corner(), DVec3::new(0.3, 0.0, 0.001));
    assert!(
        (close.gap - DVec3::Z * 0.001).length() < 3e-4,
        "{}",
        close.gap
    );
    assert!(close.normal.z > 0.99);
    let middle = SoftNearestPoint::new(&corner(), DVec3::new(0.5, 0.0, 0.5));
    let between = DVec3::new(-0.25, 0.0, 0.25);
    assert!((middle.gap - between).length() < 1e-12, "{}", middle.gap);
}

/// Mordatch (3): with its derivatives, which L_CI needs.
#[test]
fn the_nearest_point_and_its_normal_have_the_derivatives_of_differences() {
    let mut random = crate::common::Random::new(5);
    for _ in 0..100 {
        let p = DVec3::new(random.uniform(), random.normal(), 0.2 * random.uniform());
        let (by_gap, by_normal) = (DVec3::new(0.3, 0.5, -0.4), DVec3::new(-0.2, 0.7, 0.1));
        let at = |p: DVec3| {
            let near = SoftNearestPoint::new(&corner(), p);
            near.gap.dot(by_gap) + near.normal.dot(by_normal)
        };
        let slope = SoftNearestPoint::new(&corner(), p).vector_jacobian_product(by_gap, by_normal);
        let h = 1e-6;
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let measured = (at(p + axis * h) - at(p - axis * h)) / (2.0 * h);
            let error = (measured - slope.dot(axis)).abs();
            assert!(error < 1e-4 * (1.0 + measured.abs()), "{p}: {error}");
        }
    }
}

/// Mordatch (7).
#[test]
fn forces_of_inactive_contacts_cost_more_and_those_of_hands_four_times_as_much() {
    let program = Program::new(&crate::common::walk());
    let w = &program.weights;
    let foot = crate::common::contact(&program, "left foot");
    let hand = crate::common::contact(&program, "right hand");
    for c in [0.0f64, 0.01, 0.1, 1.0, 7.0] {
        let a = c.sqrt();
        let expected = w.k0 / (c * c + w.k1);
        let (found, slope) = program.force_weight(foot, a);
        assert!((found - expected).abs() < 1e-12 * expected);
        assert!((program.force_weight(hand, a).0 - 4.0 * expected).abs() < 1e-12 * expected);
        let h = 1e-6;
        let at = |a: f64| program.force_weight(foot, a).0;
        let measured = (at(a + h) - at(a - h)) / (2.0 * h);
        assert!((measured - slope).abs() < 1e-6 * (expected + slope.abs()));
    }
    assert_eq!((w.k0, w.k1), (1e-2, 1e-3), "as printed");
}

/// Mordatch (2) is the same wherever the world's origin is, and however it is
/// turned about the vertical.
#[test]
fn the_cost_of_a_contact_does_not_depend_on_its_place_on_the_ground() {
    let program = Program::new(&crate::common::walk());
    let x = crate::common::shaken(&program, 1, 0.1);
    let mut state = program.start_state();
    let moment = program.layout.moment(1, 0.3, 1.0);
    state.update(&program.layout, &x, &moment);
    let (before, _) = crate::common::cost(&program, &CONTACT, &state);
    let turn: DMat3 = rodrigues(DVec3::Z, 1.1);
    for frame in &mut state.frames {
        frame.position = turn * frame.position + DVec3::new(3.0, -2.0, 0.0);
        frame.matrix = turn * frame.matrix;
        frame.velocity = turn * frame.velocity;
        frame.omega = turn * frame.omega;
    }
    let (after, _) = crate::common::cost(&program, &CONTACT, &state);
    assert!((before - after).abs() < 1e-9 * before, "{before} {after}");
}

/// A contact with a moving surface has the force cost of Mordatch (7) where c is large
/// and no force where c is nearly zero; there Mordatch (2) does not depend on its place.
#[test]
fn contacts_with_moving_surfaces_fade_out() {
    let mut problem = crate::common::walk();
    let mut other = problem.characters[0].clone();
    other.pose = other.pose.moved(0.0, DVec3::new(0.0, 1.0, 0.0));
    problem.characters.push(other);
    let program = Program::new(&problem);
    let with_other = |c: &ContactCandidate| c.against != Against::Surroundings;
    let other = program.contacts.iter().position(with_other).unwrap();
    let own = program.contacts[other].limb.unwrap();
    let own = program.limbs[own].contact;
    for c in [3e-4f64, 4e-4, 1e-3, 4e-3, 5e-3] {
        let a = c.sqrt() * (1.0 + 1e-15);
        let (weight, _) = program.force_weight(other, a);
        let (printed, _) = program.force_weight(own, a);
        let share = ((c - 4e-4) / 3.6e-3).clamp(0.0, 1.0);
        let share = share * share * (3.0 - 2.0 * share);
        if c < 4e-4 {
            assert_eq!(weight, f64::INFINITY);
        } else {
            let found = printed / weight;
            assert!((found - share).abs() < 1e-9, "{c}: {found} {share}");
        }
    }
    // The cost of a contact that is off is that of one a metre away, wherever it is.
    let mut state = program.start_state();
    state.contacts.fill(0.0);
    let cost = |c: f64, higher: f64| {
        let mut state = state.clone();
        state.contacts[other] = c.sqrt();
        state.frames[program.contacts[other].frame].position.z += higher;
        let mut value = CostSum::default();
        contact_invariant::evaluate(&program, &state, 1.0, &mut value);
        value.0
    };
    assert!((cost(3e-4, 0.0) - 3e-4).abs() < 1e-15);
    assert_eq!(cost(3e-4, 0.0), cost(3e-4, 0.5));
    assert_ne!(cost(0.01, 0.0), cost(0.01, 0.5));
}
