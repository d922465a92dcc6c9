//! The sum of all costs (1), effort and smoothness (9), goals (10), and how the
//! stages weigh them (§4.5).

use conatus_math::DVec3;
use conatus_motion::costs::task::{self, Feature, MIN_REQUIRED_CONTACT, TaskTerm};
use conatus_motion::costs::{TermWeights, Terms};
use conatus_motion::objective::Evaluator;
use conatus_motion::phases;
use conatus_motion::variables::{CostSum, MotionState};
use conatus_motion::{Goal, Program, Subject};

/// Mordatch (1).
#[test]
fn the_whole_cost_is_the_sum_of_its_four_terms() {
    let mut problem = crate::common::walk();
    problem.phases = 3;
    problem.weights.hint = 5.0;
    let program = Program::new(&problem);
    let x = crate::common::shaken(&program, 4, 0.2);
    let mut evaluator = Evaluator::new(&program, 4);
    let all = TermWeights {
        hint: 1.0,
        ..TermWeights::ALL
    };
    let whole = evaluator.value(&all, &x);
    let terms = evaluator.terms(&x);
    let Terms {
        contact,
        physics,
        task,
        hint,
    } = terms;
    for term in [contact, physics, task, hint] {
        assert!(term > 0.0, "{terms:?}");
    }
    assert!(
        (terms.total() - whole).abs() < 1e-9 * whole,
        "{terms:?} {whole}"
    );
    assert!((contact + physics + task + hint - whole).abs() < 1e-9 * whole);
}

/// Mordatch (9): q̈.
#[test]
fn accelerations_cost_their_squares() {
    let mut problem = crate::common::walk();
    for limb in &mut problem.characters[0].character.limbs {
        limb.comfort = 0.0;
    }
    let program = Program::new(&problem);
    let w = &program.weights;
    let mut state = program.start_state();
    let (a, b) = (DVec3::new(1.0, 2.0, -3.0), DVec3::new(0.5, -0.25, 4.0));
    state.frames[0].acceleration = a;
    state.frames[0].turn[2] = b;
    state.frames[2].acceleration = b;
    state.frames[3].turn[2] = a;
    let torso = w.torso_acceleration * a.length_squared() + w.torso_turning * b.length_squared();
    let effectors =
        w.effector_acceleration * b.length_squared() + w.effector_turning * a.length_squared();
    let effort = TermWeights {
        effort: 1.0,
        ..TermWeights::NONE
    };
    let (found, _) = crate::common::cost(&program, &effort, &state);
    assert!((found - torso - effectors).abs() < 1e-12, "{found}");
}

/// Mordatch (9): ‖f‖².
#[test]
fn forces_cost_their_squares() {
    let mut problem = crate::common::walk();
    (problem.weights.torque, problem.weights.force) = (0.0, 3.0);
    let program = Program::new(&problem);
    let state = program.start_state();
    let mix = |torque: f64| TermWeights {
        physics: 1.0,
        torque,
        ..TermWeights::NONE
    };
    let (with, memory) = crate::common::cost(&program, &mix(1.0), &state);
    let (without, _) = crate::common::cost(&program, &mix(0.0), &state);
    let squares: f64 = memory.solution.forces.iter().flatten().map(|f| f * f).sum();
    assert!(squares > 0.1);
    assert!((with - without - 3.0 * squares).abs() < 1e-9 * with);
}

/// The cost of goals in a pose that is held to the end.
fn goals(goals: Vec<Goal>, state: &dyn Fn(&Program) -> MotionState) -> (f64, f64) {
    let mut problem = crate::common::walk();
    problem.goals = goals;
    let program = Program::new(&problem);
    let mut state = state(&program);
    // All contacts are active.
    state.contacts.fill(MIN_REQUIRED_CONTACT.sqrt());
    let mut value = CostSum::default();
    for term in &program.task_terms {
        task::evaluate(&program, &TermWeights::ALL, term, &state, &mut value);
    }
    (value.0, problem.weights.task)
}

/// Mordatch (10).
#[test]
fn a_goal_costs_the_square_of_its_error() {
    let position = Goal::Position {
        subject: Subject::Character(0),
        target: [Some(2.5), None, Some(1.0)],
        time: None,
        hold: 0.0,
        moving: false,
    };
    let at = |program: &Program| {
        let mut state = program.start_state();
        state.frames[0].position = DVec3::new(2.0, 7.0, 1.3);
        state
    };
    let (found, weight) = goals(vec![position], &at);
    let expected = weight * (0.5 * 0.5 + 0.3 * 0.3);
    assert!(
        (found - expected).abs() < 1e-9 * expected,
        "{found} {expected}"
    );

    let facing = Goal::Facing {
        character: 0,
        direction: DVec3::Y,
    };
    // From x to y is a chord of √2.
    let (found, _) = goals(vec![facing], &|program| program.start_state());
    assert!((found - 2.0 * weight).abs() < 1e-9 * found, "{found}");
}

/// Mordatch (10), at a target hit: places and velocities.
#[test]
fn a_strike_costs_position_and_velocity_errors_at_its_time() {
    let mut problem = crate::common::walk();
    problem.goals = vec![Goal::Strike {
        character: 0,
        limb: 0,
        time: 1.3,
        position: DVec3::new(0.4, 0.1, 0.5),
        velocity: DVec3::new(4.0, 0.0, 0.0),
    }];
    let program = Program::new(&problem);
    let frame = program.limbs[0].effector;
    let mut state = program.start_state();
    state.frames[frame].position = DVec3::new(0.3, 0.1, 0.5);
    state.frames[frame].velocity = DVec3::new(4.0, 2.0, 0.0);
    let mut found = 0.0;
    let hit =
        |term: &&TaskTerm| term.moment.time < 4.9 && !matches!(term.feature, Feature::Hold { .. });
    for term in program.task_terms.iter().filter(hit) {
        assert!((term.moment.time - 1.25).abs() < 1e-9, "the nearest knot");
        let mut value = CostSum::default();
        task::evaluate(&program, &TermWeights::ALL, term, &state, &mut value);
        found += value.0;
    }
    let expected = problem.weights.task * 0.01 + problem.weights.task_velocity * 4.0;
    assert!(
        (found - expected).abs() < 1e-9 * expected,
        "{found} {expected}"
    );
}

/// Mordatch §4.5. Contacts are as weak as physics in the second stage, unlike in
/// the paper: feet would never leave the ground.
#[test]
fn the_stages_have_no_physics_then_a_tenth_of_it_with_hints_then_all_without_hints() {
    let [first, second, third] = [0, 1, 2].map(phases::term_weights);
    assert_eq!((first.contact, first.physics, first.hint), (0.0, 0.0, 0.0));
    assert_eq!(first.task, 1.0);
    assert_eq!((second.physics, second.hint), (0.1, 1.0));
    assert_eq!((second.contact, second.task), (0.1, 1.0));
    assert_eq!((third.physics, third.hint), (1.0, 0.0));
    assert_eq!(third, TermWeights::ALL);
}

/// The required contacts: phase and name.
fn holds(program: &Program) -> Vec<(usize, &str)> {
    let terms = program.task_terms.iter();
    let held = terms.filter_map(|term| match term.feature {
        Feature::Hold { contact } => Some((term.moment.phase, &*program.contacts[contact].name)),
        _ => None,
    });
    let mut held: Vec<_> = held.collect();
    held.sort_unstable();
    held
}

#[test]
fn contacts_that_carry_the_start_and_the_end_are_required() {
    let mut problem = crate::common::walk();
    let feet = ["left foot", "right foot"];
    let expected: Vec<_> = [0, 9]
        .into_iter()
        .flat_map(|p| feet.map(|f| (p, f)))
        .collect();
    assert_eq!(holds(&Program::new(&problem)), expected);

    // Lying on the back needs only the back: feet and hands may move at once.
    let description = conatus_motion::character::built_in("human").unwrap();
    let human = &problem.characters[0].character;
    let pose = description.build_pose(human, "lying on the back").unwrap();
    problem.characters[0].pose = pose;
    let program = Program::new(&problem);
    let found = holds(&program);
    assert_eq!(found[0], (0, "back"));
    assert_eq!(found.len(), 3);
}

#[test]
fn a_required_contact_costs_what_its_variable_lacks() {
    let problem = crate::common::walk();
    let program = Program::new(&problem);
    let mut state = program.start_state();
    let terms = program.task_terms.iter();
    let holds: Vec<&TaskTerm> = terms
        .filter(|a| matches!(a.feature, Feature::Hold { .. }))
        .collect();
    for (a, lacks) in [
        (1.0, MIN_REQUIRED_CONTACT.sqrt() - 1.0),
        (-2.0, MIN_REQUIRED_CONTACT.sqrt() - 2.0),
        (4.0, 0.0),
    ] {
        state.contacts.fill(a);
        for term in &holds {
            let mut value = CostSum::default();
            task::evaluate(&program, &TermWeights::ALL, term, &state, &mut value);
            assert!((value.0 - problem.weights.task * lacks * lacks).abs() < 1e-9);
        }
    }
}
