//! Choices that Mordatch et al. leave open, or that differ from the paper; each is an
//! entry of docs/errata.md.

use crate::common::Random;
use conatus_math::{DMat3, DVec3};
use conatus_motion::character::Placement;
use conatus_motion::costs::TermWeights;
use conatus_motion::costs::hint::{self, SUPPORT_MARGIN_M};
use conatus_motion::costs::task::Feature;
use conatus_motion::inverse_dynamics::{BodyDemand, Cone, PatchContact, Solution, Vector6};
use conatus_motion::object::Form;
use conatus_motion::objective::Evaluator;
use conatus_motion::phases::term_weights;
use conatus_motion::score::TrueForces;
use conatus_motion::variables::{CostSum, MotionState};
use conatus_motion::{CostWeights, Goal, Object, ObjectStart, Program, Subject};

/// Mordatch (1) and (9) add metres, radians and forces without weights.
#[test]
fn every_cost_has_its_own_weight() {
    let weights: [fn(&mut CostWeights) -> &mut f64; 15] = [
        |w| &mut w.contact,
        |w| &mut w.physics,
        |w| &mut w.limb,
        |w| &mut w.joint_limit,
        |w| &mut w.penetration,
        |w| &mut w.torque,
        |w| &mut w.force,
        |w| &mut w.torso_acceleration,
        |w| &mut w.torso_turning,
        |w| &mut w.effector_acceleration,
        |w| &mut w.effector_turning,
        |w| &mut w.clearance,
        |w| &mut w.task,
        |w| &mut w.task_velocity,
        |w| &mut w.hint,
    ];
    let mut problem = crate::common::walk();
    problem.phases = 2;
    (problem.weights.force, problem.weights.hint) = (1.0, 1.0);
    let program = Program::new(&problem);
    let x = crate::common::shaken(&program, 2, 0.3);
    let all = TermWeights {
        hint: 1.0,
        ..TermWeights::ALL
    };
    for (k, weight) in weights.into_iter().enumerate() {
        let value = |times: f64| {
            let mut problem = problem.clone();
            *weight(&mut problem.weights) *= times;
            Evaluator::new(&Program::new(&problem), 3).value(&all, &x)
        };
        let [none, one, two] = [0.0, 1.0, 2.0].map(value);
        assert!(one > none, "weight {k} weighs nothing");
        assert!((two - 2.0 * one + none).abs() < 1e-9 * two, "weight {k}");
    }
}

/// A body supported by three patches.
fn carried(random: &mut Random) -> (Vec<BodyDemand>, Vec<PatchContact>) {
    let demand: Vector6 = std::array::from_fn(|k| if k == 2 { 1.0 } else { 0.2 * random.normal() });
    let body = BodyDemand {
        position: DVec3::Z,
        demand,
    };
    let contact = |at: DVec3| PatchContact {
        on: 0,
        against: None,
        position: at,
        matrix: DMat3::IDENTITY,
        cone: Some(Cone::new(0.8, [0.1, 0.05])),
        weight: 0.05,
    };
    let places = [DVec3::X, DVec3::Y, -DVec3::X].map(|p| contact(p * 0.3));
    (vec![body], places.to_vec())
}

/// Mordatch (8) is the residual of (6), not the value that (6) minimises. By the
/// envelope theorem the gradient of the minimum treats forces as constant, so it needs
/// no derivative of them.
#[test]
fn the_gradient_of_the_optimal_value_treats_forces_as_constant() {
    let mut random = Random::new(21);
    for _ in 0..50 {
        let (bodies, contacts) = carried(&mut random);
        let direction: Vector6 = std::array::from_fn(|_| random.normal());
        let at = |h: f64| {
            let mut bodies = bodies.clone();
            let demand = &mut bodies[0].demand;
            demand
                .iter_mut()
                .zip(direction)
                .for_each(|(t, d)| *t += h * d);
            let mut solution = Solution::default();
            solution.solve(&bodies, &contacts);
            let left: f64 = solution.lambda.iter().map(|l| l * l).sum();
            let held = solution.lambda.iter().zip(direction);
            let slope: f64 = held.map(|(l, d)| 2.0 * l * d).sum();
            (solution.value(&contacts), left, slope)
        };
        let h = 1e-5;
        let (ahead, behind, slope) = (at(h), at(-h), at(0.0).2);
        let envelope = (ahead.0 - behind.0) / (2.0 * h);
        let printed = (ahead.1 - behind.1) / (2.0 * h);
        assert!((envelope - slope).abs() < 1e-6, "{envelope} {slope}");
        assert!((printed - slope).abs() > 1e-4, "{printed} {slope}");
    }
}

/// Mordatch (6) has a pyramid, which allows √2 times the friction along its edges.
#[test]
fn friction_is_the_same_in_all_directions() {
    let cone = Cone::new(0.8, [0.1, 0.05]);
    let mut largest = Vec::new();
    for i in 0..16 {
        let (sin, cos) = f64::sin_cos(i as f64 * std::f64::consts::TAU / 16.0);
        let f = cone.project(&[10.0 * cos, 10.0 * sin, 1.0, 0.0, 0.0, 0.0]);
        largest.push(f[0].hypot(f[1]) / f[2]);
    }
    assert!(
        largest.iter().all(|l| (l - 0.8).abs() < 1e-12),
        "{largest:?}"
    );
    // The corner of the pyramid is within the pyramid's bounds, but outside the cone.
    let corner: Vector6 = [0.8, 0.8, 1.0, 0.0, 0.0, 0.0];
    assert!(cone.project(&corner)[0] < 0.79);
}

/// Mordatch §4.5 samples every 0.1 s, wherever that is in a segment. Accelerations
/// jump at knots, so both sides of each knot are sampled.
#[test]
fn both_ends_of_every_segment_are_sampled() {
    let program = Program::new(&crate::common::walk());
    let layout = &program.layout;
    for count in [2, 3, 6, 21] {
        let moments = layout.moments(count);
        assert_eq!(moments.len(), count * layout.blocks());
        for (k, group) in moments.chunks(count).enumerate() {
            let times = [group[0].time, group[count - 1].time];
            let expected = [k, k + 1].map(|k| k as f64 * layout.segment_seconds());
            assert!((times[0] - expected[0]).abs() < 1e-12);
            assert!((times[1] - expected[1]).abs() < 1e-12);
            assert!(group.iter().all(|m| m.segment == k));
        }
        let whole: f64 = moments.iter().map(|m| m.weight).sum();
        assert!((whole - layout.seconds()).abs() < 1e-9);
    }
}

/// Mordatch §4.2.1: (8) allows forces at a distance. With only contacts that touch, a
/// hovering character has no support at all.
#[test]
fn hovering_is_explained_by_forces_at_a_distance_but_not_by_contacts_that_touch() {
    let program = Program::new(&crate::common::walk());
    let mut state = program.start_state();
    for frame in &mut state.frames {
        frame.position.z += 0.1;
    }
    let physics = TermWeights {
        physics: 1.0,
        ..TermWeights::NONE
    };
    let (_, memory) = crate::common::cost(&program, &physics, &state);
    let left: f64 = memory.solution.lambda.iter().map(|l| l * l).sum();
    assert!(left.sqrt() < 0.01, "printed: {left}");
    let mut forces = TrueForces::default();
    forces.solve(&program, &state);
    assert!((forces.residual() - 1.0).abs() < 1e-9);
}

/// Mordatch (7) has a zero derivative at c = 0, so a contact that starts there would
/// never change.
#[test]
fn contact_variables_start_where_their_gradient_is_not_zero() {
    let problem = crate::common::walk();
    let program = Program::new(&problem);
    let layout = &program.layout;
    let slopes = |x: &[f64]| {
        let mut gradient = vec![0.0; x.len()];
        Evaluator::new(&program, 3).gradient(&TermWeights::ALL, x, &mut gradient);
        let places = (0..layout.contacts).map(|i| layout.contact(1, i));
        places.map(|at| gradient[at].abs()).fold(0.0, f64::max)
    };
    let mut x = layout.still();
    assert!((0..layout.contacts).all(|i| x[layout.contact(1, i)] == 1.0));
    assert!(slopes(&x) > 1e-6);
    for i in 0..layout.contacts {
        x[layout.contact(1, i)] = 0.0;
    }
    assert_eq!(slopes(&x), 0.0);
}

/// Mordatch (13) counts K boundaries for K phases, which have K + 1: the first is
/// the pose at the start, at rest.
#[test]
fn the_first_boundary_is_given_and_not_an_unknown() {
    let program = Program::new(&crate::common::walk());
    let layout = &program.layout;
    assert_eq!(layout.frame(0, 0), None);
    let x = crate::common::shaken(&program, 5, 0.5);
    let mut state = MotionState::default();
    state.update(layout, &x, &layout.moment(0, 0.0, 1.0));
    for (at, start) in state.frames.iter().zip(&layout.start) {
        assert_eq!(
            (at.position, at.matrix),
            (start.position, start.orientation)
        );
        assert_eq!((at.velocity, at.omega), (DVec3::ZERO, DVec3::ZERO));
    }
}

/// Mordatch (11) does not say at which height the zero moment point is; feet may
/// stand at several.
#[test]
fn the_zero_moment_point_is_taken_at_the_height_of_each_foot() {
    let mut problem = crate::common::walk();
    problem.weights.hint = 1.0;
    let program = Program::new(&problem);
    let mut state = program.start_state();
    let foot = crate::common::contact(&program, "left foot");
    state.contacts.fill(0.0);
    state.contacts[foot] = 3.0;
    state.frames[0].acceleration = DVec3::new(5.0, 0.0, 0.0);
    let on_line = hint::zero_moment_point(&program, &state, 0, 0.5);
    let on_ground = hint::zero_moment_point(&program, &state, 0, 0.0);
    assert!(on_line.x - on_ground.x > 2.0 * SUPPORT_MARGIN_M);
    let mut cost = |place: DVec3| {
        state.frames[program.contacts[foot].frame].position = place;
        let mut value = CostSum::default();
        hint::evaluate(&program, 1.0, &state, &mut value);
        value.0
    };
    assert_eq!(cost(on_line), 0.0);
    assert!(cost(DVec3::new(on_ground.x, on_ground.y, 0.5)) > 1e-3);
}

/// Mordatch (9) does not penalise feet that are dragged along the ground.
#[test]
fn lifted_feet_cost_less_than_dragged_feet() {
    let program = Program::new(&crate::common::walk());
    let frame = program.limbs[0].effector;
    let cost = |height: f64, velocity: DVec3| {
        let mut state = program.start_state();
        state.contacts.fill(0.0);
        state.frames[frame].position.z = height;
        state.frames[frame].velocity = velocity;
        let mix = TermWeights {
            effort: 1.0,
            contact: 1.0,
            ..TermWeights::NONE
        };
        crate::common::cost(&program, &mix, &state).0
    };
    let [dragged, low, high] =
        [0.0, 0.04, 0.12].map(|height| cost(height, DVec3::X) - cost(height, DVec3::ZERO));
    let clearance = program.weights.clearance;
    assert!((dragged - clearance).abs() < 1e-9, "{dragged}");
    assert!((low - clearance / 4.0).abs() < 1e-9, "{low}");
    assert!(high < 0.02 * dragged, "{high}");
    // Vertical velocity costs nothing.
    assert!((cost(0.0, DVec3::Z) - cost(0.0, DVec3::ZERO)).abs() < 1e-9);
}

/// Mordatch §4.2.2: arms have no mass, so gravity does not make them hang.
#[test]
fn arms_at_their_rest_position_cost_least() {
    let program = Program::new(&crate::common::walk());
    let arm = program.limbs.iter().position(|spec| {
        let limb = &program.characters[spec.character].limbs[spec.limb];
        limb.name == "left arm"
    });
    let arm = arm.expect("there is a left arm");
    let spec = &program.limbs[arm];
    let rest = program.characters[0].limbs[spec.limb]
        .rest
        .expect("it hangs");
    let cost = |offset: DVec3| {
        let mut state = program.start_state();
        let by = state.limbs[arm].base + offset - state.limbs[arm].tip;
        state.frames[spec.effector].position += by;
        let effort = TermWeights {
            effort: 1.0,
            ..TermWeights::NONE
        };
        crate::common::cost(&program, &effort, &state).0
    };
    assert!(cost(rest) < cost(rest + DVec3::X * 0.2));
    assert!(cost(rest) < cost(-rest) - 0.1);
}

/// Mordatch §4.5: with goals at the end only, the movement happens in the last moment.
#[test]
fn goals_at_the_end_have_guides_while_physics_is_weak() {
    let program = Program::new(&crate::common::walk());
    let guides: Vec<_> = program
        .task_terms
        .iter()
        .filter(|term| term.is_guide)
        .collect();
    assert_eq!(guides.len(), program.layout.blocks() - 1);
    let mut before = 0.0;
    for guide in &guides {
        let Feature::Point { target, share, .. } = guide.feature else {
            panic!("{:?}", guide.feature);
        };
        // Along x, at constant speed except for the first and the last fifth; any height.
        let step = target.x - before;
        assert!(step > 0.0 && step < 0.2, "{target}");
        assert_eq!((target.y, share), (0.0, DVec3::new(1.0, 1.0, 0.0)));
        before = target.x;
        for (stage, on) in [(0, true), (1, true), (2, false), (3, false)] {
            assert_eq!(
                guide.weight_in_stage(&term_weights(stage)) > 0.0,
                on,
                "stage {stage}"
            );
        }
        assert!(
            guide.excluded_from_score,
            "guides do not count in the score"
        );
    }
    assert!(before < 2.5 && before > 2.4);
}

/// Guides of objects: on a path along the floor, the floor would hold the object up and
/// a character nearby would push it.
#[test]
fn objects_are_guided_at_arm_height_and_put_down_from_above() {
    let mut problem = crate::common::walk();
    let from = DVec3::new(0.5, 0.0, 0.15);
    let form = Form::Box(DVec3::splat(0.15));
    let parcel = Object::new("parcel", form, 5.0, 0.5, true, [0.5; 3]);
    let place = Placement {
        position: from,
        orientation: DMat3::IDENTITY,
    };
    problem.objects.push(ObjectStart::at_rest(parcel, place));
    problem.goals.push(Goal::Position {
        subject: Subject::Object(0),
        target: [Some(2.5), Some(0.0), Some(0.15)],
        time: None,
        hold: 0.0,
        moving: false,
    });
    let program = Program::new(&problem);
    let frame = program.base_frames[1];
    let guides = program.task_terms.iter().filter(|term| term.is_guide);
    let path: Vec<DVec3> = guides
        .filter_map(|term| match term.feature {
            Feature::Point {
                frame: of, target, ..
            } => (of == frame).then_some(target),
            _ => None,
        })
        .collect();
    let arm = 0.8 * program.layout.start[program.base_frames[0]].position.z;
    for place in &path {
        assert!(place.z >= 0.15 - 1e-12 && place.z <= arm + 1e-12, "{place}");
        if place.x > 1.0 && place.x < 2.0 {
            assert!((place.z - arm).abs() < 1e-9, "{place} should be {arm} high");
        }
    }
    // It waits, is carried the whole path and arrives before the end.
    assert_eq!(
        (path[0], path.last().copied()),
        (from, Some(DVec3::new(2.5, 0.0, 0.15)))
    );
    assert!(path.iter().any(|place| place.x > 1.0 && place.x < 2.0));
    assert!(path.is_sorted_by(|a, b| a.x <= b.x));
}
