//! The hint (11): where the zero moment point is, and its cost outside the support.

use conatus_math::DVec3;
use conatus_motion::Program;
use conatus_motion::costs::hint::{SUPPORT_MARGIN_M, evaluate, zero_moment_point};
use conatus_motion::costs::physics::{self, PhysicsMemory};
use conatus_motion::costs::{TermWeights, evaluate_running_costs};
use conatus_motion::variables::{CostSum, GradientSink, MotionState};

fn standing() -> (Program, MotionState) {
    let mut problem = crate::common::walk();
    problem.weights.hint = 1.0;
    let program = Program::new(&problem);
    let mut state = program.start_state();
    // Feet are contacts, nothing else is, and the torso is over their middle.
    let mut middle = DVec3::ZERO;
    for (i, contact) in program.contacts.iter().enumerate() {
        let foot = contact.name.ends_with("foot");
        state.contacts[i] = if foot { 3.0 } else { 0.0 };
        if foot {
            middle += state.frames[contact.frame].position * 0.5;
        }
    }
    state.frames[0].position.x = middle.x;
    state.frames[0].position.y = middle.y;
    (program, state)
}

fn cost(program: &Program, state: &MotionState) -> f64 {
    let mut value = CostSum::default();
    evaluate(program, 1.0, state, &mut value);
    value.0
}

fn move_everything_but_feet(state: &mut MotionState, by: DVec3) {
    state.frames[0].position += by;
}

/// Mordatch (11): a half-quadratic that begins ε from the hull.
#[test]
fn over_the_support_the_hint_costs_nothing() {
    let (program, mut state) = standing();
    assert_eq!(cost(&program, &state), 0.0);
    for by in [DVec3::X, DVec3::Y, -DVec3::X, -DVec3::Y] {
        move_everything_but_feet(&mut state, by * (0.9 * SUPPORT_MARGIN_M));
        assert_eq!(cost(&program, &state), 0.0, "{by}");
        move_everything_but_feet(&mut state, by * (-0.9 * SUPPORT_MARGIN_M));
    }
}

/// Mordatch (11).
#[test]
fn beside_the_support_it_costs_the_square_of_the_distance_and_pulls_back() {
    let (mut program, mut state) = standing();
    move_everything_but_feet(&mut state, DVec3::X * 0.5);
    // Inactive contacts still help a little, because (7) is finite. Most of that comes
    // from the seat, which is right below the torso.
    let whole = (0.5 - SUPPORT_MARGIN_M).powi(2);
    let helped = cost(&program, &state);
    let seat = program.contacts.iter().position(|c| c.name == "seat");
    program.contacts[seat.expect("there is a seat")].effort = 1e6;
    let found = cost(&program, &state);
    assert!(found < whole && found > 0.95 * whole, "{found} {whole}");
    assert!(helped < found, "{helped} {found}");
    program.weights.k1 = 1e-6;
    let found = cost(&program, &state);
    assert!(found < whole && found > 0.999 * whole, "{found} {whole}");
    let mut descent = GradientSink::new(&program.layout);
    evaluate(&program, 1.0, &state, &mut descent);
    let torso = &descent.local.frames[0];
    assert!(torso.position.x > 0.1, "the torso is pulled back");
    assert!(
        torso.acceleration.x < 0.0,
        "an acceleration of the torso reduces the cost as well, as when leaning"
    );
    for (i, contact) in program.contacts.iter().enumerate() {
        let foot = contact.name.ends_with("foot");
        let pull = descent.local.frames[contact.frame].position.x;
        assert!(!foot || pull < -0.1, "foot {i} is pulled under the torso");
    }
}

/// Mordatch (11), with the weights (7).
#[test]
fn an_inactive_contact_is_no_support() {
    let (program, mut state) = standing();
    // All of the weight over the left foot.
    let left = program.contacts.iter().position(|c| c.name == "left foot");
    let left = left.expect("there is a left foot");
    let aside = state.frames[program.contacts[left].frame].position.y;
    move_everything_but_feet(&mut state, DVec3::Y * (aside * 1.5));
    assert_eq!(cost(&program, &state), 0.0);
    state.contacts[left] = 0.0;
    assert!(cost(&program, &state) > 1e-3);
}

/// Mordatch (11): contact forces that explain a movement have their common
/// centre of pressure at z.
#[test]
fn the_zero_moment_point_is_the_centre_of_pressure() {
    let (program, mut state) = standing();
    let torso = &mut state.frames[0];
    torso.acceleration = DVec3::new(0.4, -0.3, 0.8);
    torso.omega = DVec3::new(0.5, -0.7, 0.3);
    torso.alpha = DVec3::new(0.6, 0.4, -0.2);
    let z = zero_moment_point(&program, &state, 0, 0.0);

    let mut memory = PhysicsMemory::default();
    let mix = TermWeights {
        physics: 1.0,
        ..TermWeights::NONE
    };
    physics::evaluate(
        &program,
        &mix,
        1.0,
        &state,
        &mut memory,
        &mut CostSum::default(),
    );
    let left: f64 = memory.solution.lambda.iter().map(|l| l * l).sum();
    assert!(left < 1e-6, "the feet can explain it: {left}");
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for (i, six) in memory.solution.forces.iter().enumerate() {
        let (position, f, m) = crate::common::wrench(&program, &state, i, six);
        force += f;
        moment += (position - z).cross(f) + m;
    }
    assert!(force.z > 1.0);
    let along = DVec3::new(moment.x, moment.y, 0.0).length();
    assert!(along < 2e-3, "{moment}");
}

#[test]
fn the_hint_is_off_if_its_weight_or_the_stage_is_zero() {
    let (mut program, mut state) = standing();
    move_everything_but_feet(&mut state, DVec3::X);
    let moment = program.layout.moment(0, 0.5, 1.0);
    let all = |program: &Program, hint: f64| {
        let mut value = CostSum::default();
        let mix = TermWeights {
            hint,
            ..TermWeights::NONE
        };
        let memory = &mut PhysicsMemory::default();
        evaluate_running_costs(program, &mix, &moment, &state, memory, &mut value);
        value.0
    };
    assert!(all(&program, 1.0) > 0.1);
    assert_eq!(all(&program, 0.0), 0.0);
    program.weights.hint = 0.0;
    assert_eq!(all(&program, 1.0), 0.0);
}
