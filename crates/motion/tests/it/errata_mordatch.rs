//! Errata of Mordatch et al.: the printed formulas, computed here, fail against an
//! independent reference, and the code does not. See docs/errata.md.

use conatus_math::lbfgs;
use conatus_math::minimise::Limits;
use conatus_math::rotation::rodrigues;
use conatus_math::{DMat3, DVec3};
use conatus_motion::costs::TermWeights;
use conatus_motion::objective::Evaluator;
use conatus_motion::score::limb_error;
use conatus_motion::surface::SoftNearestPoint;
use conatus_motion::variables::MotionState;
use conatus_motion::{Problem, Program, phases};
use std::ops::ControlFlow;

const CONTACT: TermWeights = TermWeights {
    contact: 1.0,
    ..TermWeights::NONE
};

/// Mordatch (2) sums over t alone and leaves i free; the cost is a sum over contacts.
#[test]
fn the_cost_of_contacts_is_a_sum_over_contacts() {
    let program = Program::new(&crate::common::walk());
    let mut state = program.start_state();
    let feet = ["left foot", "right foot"].map(|name| crate::common::contact(&program, name));
    let mut cost = |active: &[usize]| {
        state.contacts.fill(0.0);
        for &i in active {
            state.contacts[i] = 1.0;
            state.frames[program.contacts[i].frame].position.z = 0.05 + 0.01 * i as f64;
        }
        crate::common::cost(&program, &CONTACT, &state).0
    };
    let apart = [cost(&feet[..1]), cost(&feet[1..])];
    let both = cost(&feet);
    assert!(apart.iter().all(|c| *c > 0.01 && *c < 0.9 * both));
    assert!((apart[0] + apart[1] - both).abs() < 1e-12);
}

/// Mordatch (2): ė, the rate of the vector from the nearest point. On a plane the
/// nearest point moves with the foot, and a foot that skates at 1 m/s has ė = 0.
#[test]
fn a_skating_foot_costs_the_square_of_its_velocity() {
    let program = Program::new(&crate::common::walk());
    let mut state = program.start_state();
    let foot = crate::common::contact(&program, "left foot");
    state.contacts.fill(0.0);
    state.contacts[foot] = 1.0;
    let frame = program.contacts[foot].frame;
    state.frames[frame].velocity = DVec3::X;
    let p = state.frames[frame].position;
    let e = |t: f64| SoftNearestPoint::new(&program.around, p + DVec3::X * t).gap;
    let printed = e(0.0).length_squared() + ((e(1e-6) - e(0.0)) / 1e-6).length_squared();
    assert!(printed < 1e-12, "the printed cost: {printed}");
    let (found, _) = crate::common::cost(&program, &CONTACT, &state);
    assert!((found - program.weights.contact).abs() < 1e-9, "{found}");
}

/// Mordatch §4.1: the angle between two normals has a kink where they agree, which is
/// the optimum of every contact. The length of the difference of the normals equals the
/// angle to second order, and the difference is smooth.
#[test]
fn the_difference_of_normals_is_smooth_where_the_angle_has_a_kink() {
    let normal = |tilt: f64| rodrigues(DVec3::Y, tilt) * DVec3::Z;
    let angle = |tilt: f64| normal(tilt).dot(DVec3::Z).min(1.0).acos();
    let h = 1e-4;
    let slopes = [(angle(h) - angle(0.0)) / h, (angle(0.0) - angle(-h)) / h];
    assert!(slopes[0] > 0.9 && slopes[1] < -0.9, "printed: {slopes:?}");
    let chord = |tilt: f64| normal(tilt) - DVec3::Z;
    let slopes = [(chord(h) - chord(0.0)) / h, (chord(0.0) - chord(-h)) / h];
    assert!((slopes[0] - slopes[1]).length() < 1e-3, "{slopes:?}");
    assert!((chord(0.1).length() / angle(0.1) - 1.0).abs() < 1e-3);
}

/// Runs the first stage of a walk with a mix: returns how much too long or too short
/// limbs are at the end.
fn first_stage(problem: &Problem, mix: &TermWeights) -> f64 {
    let program = Program::new(problem);
    let mut x = program.layout.still();
    let mut evaluator = Evaluator::new(&program, 3);
    let settings = lbfgs::Settings {
        limits: Limits {
            iterations: 250,
            ..Limits::default()
        },
        ..lbfgs::Settings::default()
    };
    lbfgs::minimise(
        &mut x,
        &settings,
        |x, g| evaluator.gradient(mix, x, g),
        |_| ControlFlow::Continue(()),
    );
    let mut state = MotionState::default();
    let end = program.layout.moment_at(program.layout.seconds());
    state.update(&program.layout, &x, &end);
    state.update_limbs(&program.characters, false);
    let torso = state.frames[0].position.x;
    assert!((torso - 2.5).abs() < 0.1, "the goal is reached: {torso}");
    limb_error(&program, &state)
}

/// Mordatch §4.5: "only L_Task" in the first stage moves the torso to its goal
/// and leaves the hands at their start.
#[test]
fn the_first_stage_keeps_the_hands_within_reach() {
    let mut problem = crate::common::walk();
    (problem.phases, problem.segments) = (6, 1);
    for limb in &mut problem.characters[0].character.limbs {
        limb.comfort = 0.0;
    }
    let printed = TermWeights {
        task: 1.0,
        effort: 1.0,
        ..TermWeights::NONE
    };
    let behind = first_stage(&problem, &printed);
    assert!(behind > 1.0, "as printed: {behind}");
    let along = first_stage(&problem, &phases::term_weights(0));
    assert!(along < 0.05, "{along}");
}

/// Mordatch §4.3: the torso between the feet, the legs extended, the torso
/// upright. Sitting in the splits meets all three conditions.
#[test]
fn sitting_in_the_splits_is_not_standing() {
    let program = Program::new(&crate::common::walk());
    let mut state = program.start_state();
    let legs: Vec<usize> = (0..program.limbs.len())
        .filter(|&l| {
            program.contacts[program.limbs[l].contact]
                .name
                .ends_with("foot")
        })
        .collect();
    state.frames[0].matrix = DMat3::IDENTITY;
    for &l in &legs {
        let spec = &program.limbs[l];
        let limb = &program.characters[0].limbs[spec.limb];
        let base = state.frames[0].point(limb.base);
        let (sin, cos) = f64::sin_cos(1.3);
        let aside = DVec3::new(0.0, sin * limb.base.y.signum(), -cos);
        let foot = &mut state.frames[spec.effector];
        foot.matrix = DMat3::IDENTITY;
        foot.position = base + aside * spec.reach - limb.tip;
    }
    state.update_limbs(&program.characters, false);
    let middle: DVec3 = legs.iter().map(|&l| state.limbs[l].tip * 0.5).sum();
    let aside = middle - state.frames[0].position;
    let mut printed = aside.x.hypot(aside.y) + (state.frames[0].matrix.z_axis - DVec3::Z).length();
    for &l in &legs {
        printed += (state.limbs[l].chord - program.limbs[l].reach).abs();
    }
    assert!(printed < 1e-9, "printed: {printed}");
    let errors = program
        .task_terms
        .iter()
        .filter(|term| !term.excluded_from_score);
    let stand = errors.filter(|term| format!("{:?}", term.feature).starts_with("Limb"));
    let worst = stand.fold(0.0, |m: f64, term| {
        m.max(term.feature.error(&program, &state).length())
    });
    assert!(worst > 0.5, "{worst}");
}

/// Mordatch (12)-(13): one cubic for a phase. A foot that rests before and after
/// has zero velocities at both ends, and between them moves along a straight
/// line: it cannot be lifted.
#[test]
fn a_step_within_one_phase_needs_a_knot_in_its_middle() {
    for (segments, lifted) in [(1, 0.0), (2, 0.1)] {
        let mut problem = crate::common::walk();
        problem.segments = segments;
        let program = Program::new(&problem);
        let (layout, mut x) = (&program.layout, program.layout.still());
        let frame = program.limbs[0].effector;
        for knot in 1..=layout.blocks() {
            let at = layout.frame(knot, frame).expect("an unknown");
            x[at] += 0.5;
            if knot < segments {
                (x[at], x[at + 2]) = (x[at] - 0.25, x[at + 2] + 0.1);
            }
        }
        let start = layout.start[frame].position;
        let mut state = MotionState::default();
        let mut highest = 0.0f64;
        for i in 0..=100 {
            let time = i as f64 / 100.0 * layout.phase_seconds;
            state.update(layout, &x, &layout.moment_at(time));
            highest = highest.max(state.frames[frame].position.z - start.z);
        }
        let ahead = state.frames[frame].position.x - start.x;
        assert!((ahead - 0.5).abs() < 1e-9, "{ahead}");
        assert!((highest - lifted).abs() < 1e-9, "{segments}: {highest}");
    }
}

/// Mordatch (9) with §4.2.2: all mass is in the torso, so the rows of (4) for the
/// limbs have no τ, and u transmits the contact force across the joints. Without u, as
/// in "no penalty for using" muscles, bent legs cost nothing.
#[test]
fn bent_legs_cost_torque_although_limbs_have_no_mass() {
    let program = Program::new(&crate::common::walk());
    let feet = ["left foot", "right foot"].map(|name| crate::common::contact(&program, name));
    let torque = |lower: f64| {
        let mut state = program.start_state();
        state.contacts.fill(0.0);
        for foot in feet {
            state.contacts[foot] = 1.0;
        }
        state.frames[0].position.z -= lower;
        let mix = |torque: f64| TermWeights {
            physics: 1.0,
            torque,
            ..TermWeights::NONE
        };
        let (without, _) = crate::common::cost(&program, &mix(0.0), &state);
        crate::common::cost(&program, &mix(1.0), &state).0 - without
    };
    let (straight, bent) = (torque(0.0), torque(0.2));
    assert!(bent > 2.0 * straight && bent > 1e-3, "{straight} {bent}");
}

/// Mordatch §4.5: differences with ε = 10⁻³. Where physics is stiff they are not a
/// gradient: after a few hundred iterations their error is larger than the gradient.
#[test]
fn finite_differences_as_coarse_as_printed_are_not_a_gradient() {
    let mut problem = crate::common::walk();
    (problem.phases, problem.segments) = (4, 1);
    let program = Program::new(&problem);
    let mut evaluator = Evaluator::new(&program, 4);
    let mut x = crate::common::shaken(&program, 3, 0.01);
    let settings = lbfgs::Settings {
        limits: Limits {
            iterations: 300,
            ..Limits::default()
        },
        ..lbfgs::Settings::default()
    };
    let mix = TermWeights::ALL;
    lbfgs::minimise(
        &mut x,
        &settings,
        |x, g| evaluator.gradient(&mix, x, g),
        |_| ControlFlow::Continue(()),
    );
    let mut exact = vec![0.0; x.len()];
    let value = evaluator.gradient(&mix, &x, &mut exact);
    let mut at = |k: usize, h: f64| {
        let mut moved = x.clone();
        moved[k] += h;
        evaluator.value(&mix, &moved)
    };
    let printed: Vec<f64> = (0..x.len()).map(|k| (at(k, 1e-3) - value) / 1e-3).collect();
    let fine: Vec<f64> = (0..x.len())
        .map(|k| (at(k, 1e-6) - at(k, -1e-6)) / 2e-6)
        .collect();
    let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let off = |v: &[f64]| {
        let difference: Vec<f64> = v.iter().zip(&exact).map(|(v, e)| v - e).collect();
        length(&difference) / length(&exact)
    };
    assert!(off(&fine) < 0.01, "{}", off(&fine));
    assert!(off(&printed) > 1.0, "{}", off(&printed));
}
