//! Di Pierro §10: impulses between particles, bodies and planes.

use crate::support::{Universe, assert_near, assert_ratio, moving};
use conatus_math::{DMat3, DVec3, rotation};
use conatus_rigid::contact::impulse::{
    Meeting, Participant, collide, friction_impulse, normal_impulse,
};

/// A particle: an impulse does not rotate it.
fn particle(mass: f64, velocity: DVec3) -> Participant {
    Participant {
        velocity,
        omega: DVec3::ZERO,
        inverse_mass: 1.0 / mass,
        inverse_inertia: DMat3::ZERO,
    }
}

/// A body with moments (1, 2, 2.5) times `mass`, in some orientation.
fn body(mass: f64, velocity: DVec3, omega: DVec3) -> (Participant, DMat3) {
    let r = rotation::to_matrix(rotation::exp(omega * 0.4 + DVec3::X));
    let tensor = r * DMat3::from_diagonal(DVec3::new(1.0, 2.0, 2.5) * mass) * r.transpose();
    let participant = Participant {
        velocity,
        omega,
        inverse_mass: 1.0 / mass,
        inverse_inertia: tensor.inverse(),
    };
    (participant, tensor)
}

fn pair() -> ((Participant, DMat3), (Participant, DMat3), Meeting) {
    let a = body(2.0, DVec3::new(1.0, 0.5, 0.2), DVec3::new(0.3, -0.8, 0.5));
    let b = body(0.7, DVec3::new(-2.0, 0.1, 0.4), DVec3::new(-1.0, 0.2, 0.9));
    let at = Meeting {
        arm_a: DVec3::new(0.8, 0.3, -0.2),
        arm_b: DVec3::new(-0.5, 0.4, 0.1),
        normal: DVec3::new(2.0, 1.0, -0.5).normalize(),
        friction: 0.0,
    };
    (a, b, at)
}

fn relative(a: &Participant, b: &Participant, at: &Meeting) -> DVec3 {
    b.velocity_at(at.arm_b) - a.velocity_at(at.arm_a)
}

fn closing(a: &Participant, b: &Participant, at: &Meeting) -> f64 {
    -relative(a, b, at).dot(at.normal)
}

const HEAD_ON: Meeting = Meeting {
    arm_a: DVec3::ZERO,
    arm_b: DVec3::ZERO,
    normal: DVec3::X,
    friction: 0.0,
};

/// Di Pierro (68)-(70): points of contact separate at c times their closing
/// speed, for particles and for rotating bodies.
#[test]
fn contact_points_separate_at_a_fraction_of_their_closing_speed() {
    for c in [0.0, 0.3, 1.0] {
        let ((mut a, _), (mut b, _), at) = pair();
        let before = closing(&a, &b, &at);
        assert!(before > 0.5);
        collide(&mut a, &mut b, &at, c * before);
        assert!((closing(&a, &b, &at) + c * before).abs() < 1e-13);
    }
}

/// Di Pierro (71)-(73): two particles on a line, against the textbook's
/// formulas for any restitution.
#[test]
fn two_particles_on_a_line_separate_as_in_the_textbook() {
    for (m_a, m_b, v_a, v_b) in [
        (1.0, 1.0, 2.0, -1.0),
        (3.0, 0.5, 1.0, 0.2),
        (0.1, 9.0, 4.0, 0.0),
    ] {
        for c in [0.0, 0.6, 1.0] {
            let mut a = particle(m_a, DVec3::X * v_a);
            let mut b = particle(m_b, DVec3::X * v_b);
            let impulse = collide(&mut a, &mut b, &HEAD_ON, c * (v_a - v_b));
            let centre = (m_a * v_a + m_b * v_b) / (m_a + m_b);
            let expected_a = centre - c * m_b * (v_a - v_b) / (m_a + m_b);
            let expected_b = centre + c * m_a * (v_a - v_b) / (m_a + m_b);
            assert_near(a.velocity, DVec3::X * expected_a, 1e-14);
            assert_near(b.velocity, DVec3::X * expected_b, 1e-14);
            assert_near(impulse, DVec3::X * (m_a * (expected_a - v_a)), 1e-14);
        }
    }
}

/// Di Pierro (74): against an immovable body, the limit of a huge mass.
#[test]
fn a_wall_is_the_limit_of_a_huge_mass() {
    let velocity = DVec3::new(2.0, 1.0, 0.0);
    let bounce = |wall: Participant| {
        let (mut a, mut b) = (particle(0.4, velocity), wall);
        collide(&mut a, &mut b, &HEAD_ON, 0.7 * 2.0);
        a.velocity
    };
    let fixed = bounce(Participant::FIXED);
    assert_near(fixed, DVec3::new(-1.4, 1.0, 0.0), 1e-15);
    for huge in [1e3, 1e6, 1e9] {
        assert_near(bounce(particle(huge, DVec3::ZERO)), fixed, 4.0 / huge);
    }
}

/// Di Pierro (75): the impulse is the only one along the normal that gives the
/// separation speed; found here by bisection, without the formula.
#[test]
fn the_normal_impulse_gives_the_separation_speed() {
    let ((a, tensor_a), (b, tensor_b), at) = pair();
    let parting = 0.5 * closing(&a, &b, &at);
    let after = |j: f64| {
        let impulse = at.normal * j;
        let point = |p: &Participant, tensor: DMat3, arm: DVec3, impulse: DVec3| {
            let omega = p.omega + tensor.inverse() * arm.cross(impulse);
            p.velocity + impulse * p.inverse_mass + omega.cross(arm)
        };
        (point(&b, tensor_b, at.arm_b, -impulse) - point(&a, tensor_a, at.arm_a, impulse))
            .dot(at.normal)
    };
    let (mut low, mut high) = (-100.0, 0.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if after(middle) > parting {
            low = middle;
        } else {
            high = middle;
        }
    }
    let impulse = normal_impulse(&a, &b, &at, parting);
    assert_near(impulse, at.normal * low, 1e-12);
    assert!(impulse.dot(at.normal) < 0.0, "A is pushed back from B");
}

/// Di Pierro (76): friction acts along the sliding, stops it if possible, and
/// is otherwise at most μ times the normal impulse.
#[test]
fn friction_stops_sliding_or_reaches_its_cone() {
    let ((a, _), (b, _), mut at) = pair();
    let sliding = |a: &Participant, b: &Participant| {
        let v = relative(a, b, &at);
        v - at.normal * v.dot(at.normal)
    };
    let direction = sliding(&a, &b).normalize();
    let speed = sliding(&a, &b).length();
    at.friction = 0.2;
    let small = friction_impulse(&a, &b, &at, 1.0);
    assert_near(small, direction * 0.2, 1e-15);
    at.friction = 1e6;
    let stopping = friction_impulse(&a, &b, &at, 1.0);
    let (mut a2, mut b2) = (a, b);
    a2.push(stopping, at.arm_a);
    b2.push(-stopping, at.arm_b);
    let left = relative(&a2, &b2, &at).dot(direction);
    assert!(left.abs() < 1e-13 * speed, "still sliding at {left}");
    assert!(stopping.dot(direction) > 0.0, "A is dragged along with B");
}

/// Di Pierro (77)-(80): an impulse J at r changes K by J and L by r × J, on A
/// directly and on B with the opposite sign.
#[test]
fn an_impulse_changes_momentum_and_angular_momentum() {
    let ((mut a, tensor_a), (mut b, tensor_b), mut at) = pair();
    at.friction = 0.4;
    let (a0, b0) = (a, b);
    let parting = 0.5 * closing(&a, &b, &at);
    let j = collide(&mut a, &mut b, &at, parting);
    assert_near((a.velocity - a0.velocity) * 2.0, j, 1e-13);
    assert_near((b.velocity - b0.velocity) * 0.7, -j, 1e-13);
    assert_near(tensor_a * (a.omega - a0.omega), at.arm_a.cross(j), 1e-13);
    assert_near(tensor_b * (b.omega - b0.omega), -at.arm_b.cross(j), 1e-13);
    assert!(at.arm_a.cross(j).length() > 0.1);
}

/// Di Pierro §10: each body is moved out of a penetration in proportion to the
/// other's mass, so the common centre of mass does not move.
#[test]
fn bodies_in_each_other_move_apart_about_their_centre_of_mass() {
    let mut u = Universe::new(0.01, DVec3::ZERO);
    u.add_ball(3.0, 1.0, 0.5, 0.0, moving(DVec3::ZERO, DVec3::ZERO));
    u.add_ball(1.0, 0.5, 0.5, 0.0, moving(DVec3::X * 1.3, DVec3::ZERO));
    u.run(200);
    let (a, b) = (u.state(0).position, u.state(1).position);
    assert_ratio(b.x - a.x, 1.5, 1e-6);
    assert_ratio(3.0 * a.x + b.x, 1.3, 1e-12);
    assert_ratio(a.x, -0.05, 1e-4);
}
