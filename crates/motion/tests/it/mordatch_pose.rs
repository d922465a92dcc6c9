//! The pose (12), the unknowns (13), and the bounds of limbs and parts (§4.2.2).

use conatus_math::rotation::exp;
use conatus_math::{DMat3, DVec3};
use conatus_motion::Program;
use conatus_motion::costs::TermWeights;
use conatus_motion::variables::MotionState;

/// Mordatch (12).
#[test]
fn a_pose_is_where_torso_and_effectors_are_and_joints_follow_from_it() {
    let problem = crate::common::walk();
    let program = Program::new(&problem);
    let (layout, x) = (&program.layout, program.layout.still());
    let mut state = MotionState::default();
    state.update(layout, &x, &layout.moment_at(1.0));
    assert_eq!(program.pose(&state, 0), problem.characters[0].pose);

    let x = crate::common::shaken(&program, 2, 0.03);
    for time in [0.3, 1.1, 2.7] {
        state.update(layout, &x, &layout.moment_at(time));
        state.update_limbs(&program.characters, true);
        for (spec, limb) in program.limbs.iter().zip(&state.limbs) {
            let of = &program.characters[0].limbs[spec.limb];
            let base = state.frames[0].point(of.base);
            let tip = state.frames[spec.effector].point(of.tip);
            assert!((limb.base - base).length() < 1e-12);
            assert!((limb.tip - tip).length() < 1e-12);
            if limb.chord > spec.reach {
                continue;
            }
            let points: Vec<DVec3> = limb.points().collect();
            for (pair, link) in points.windows(2).zip(&of.links) {
                let length = pair[0].distance(pair[1]);
                assert!((length - link.length).abs() < 1e-9, "{}: {length}", of.name);
            }
        }
    }
}

/// Mordatch (12): rotations are exponential maps.
#[test]
fn rotations_are_exponential_maps_relative_to_the_start() {
    let program = Program::new(&crate::common::walk());
    let layout = &program.layout;
    let x = crate::common::shaken(&program, 8, 0.4);
    let mut state = MotionState::default();
    for knot in 1..4 {
        state.update(layout, &x, &layout.moment(knot - 1, 1.0, 1.0));
        for frame in 0..layout.frames {
            let at = layout.frame(knot, frame).expect("an unknown");
            let turn = DMat3::from_quat(exp(DVec3::from_slice(&x[at + 3..])));
            let expected = turn * layout.start[frame].orientation;
            let off = state.frames[frame].matrix - expected;
            assert!(off.to_cols_array().iter().all(|o| o.abs() < 1e-9));
            let place = DVec3::from_slice(&x[at..]);
            let velocity = DVec3::from_slice(&x[at + 6..]);
            assert!((state.frames[frame].position - place).length() < 1e-12);
            assert!((state.frames[frame].velocity - velocity).length() < 1e-12);
        }
    }
}

/// Mordatch (13): s ∈ R^{(12(N+1)+N)K}.
#[test]
fn there_are_as_many_unknowns_as_the_paper_counts() {
    for (phases, segments) in [(1, 1), (10, 1), (20, 1), (10, 2)] {
        let mut problem = crate::common::walk();
        problem.characters[0].character.base.patches.clear();
        (problem.phases, problem.segments) = (phases, segments);
        let layout = Program::new(&problem).layout;
        let n = problem.characters[0].character.limbs.len();
        assert_eq!(layout.contacts, n);
        let knots = phases * segments;
        assert_eq!(layout.len(), 12 * (n + 1) * knots + n * phases);
        assert_eq!(layout.sizes().iter().sum::<usize>(), layout.len());
    }
}

/// Mordatch (13): cubic splines between the knots, and c constant in a phase.
#[test]
fn movements_are_smooth_across_knots_and_contacts_constant_in_a_phase() {
    let program = Program::new(&crate::common::walk());
    let layout = &program.layout;
    let x = crate::common::shaken(&program, 6, 0.2);
    let (mut before, mut after) = (MotionState::default(), MotionState::default());
    for segment in 0..layout.blocks() - 1 {
        before.update(layout, &x, &layout.moment(segment, 1.0, 1.0));
        after.update(layout, &x, &layout.moment(segment + 1, 0.0, 1.0));
        for (a, b) in before.frames.iter().zip(&after.frames) {
            assert!((a.position - b.position).length() < 1e-12);
            assert!((a.velocity - b.velocity).length() < 1e-9);
            assert!((a.omega - b.omega).length() < 1e-9);
        }
        // Phases have two segments.
        let same_phase = segment % 2 == 0;
        assert_eq!(before.contacts == after.contacts, same_phase);
        // The third derivative of a cubic is constant.
        let mut at = |s: f64| {
            before.update(layout, &x, &layout.moment(segment, s, 1.0));
            before.frames[0].acceleration
        };
        let (a, b, c) = (at(0.0), at(0.5), at(1.0));
        assert!((a + c - b * 2.0).length() < 1e-9 * (1.0 + b.length()));
    }
}

/// Mordatch §4.2.2: limb lengths and joint limits, quadratic.
#[test]
fn a_limb_costs_the_square_of_its_excess_length() {
    let program = Program::new(&crate::common::walk());
    let bounds = TermWeights {
        bounds: 1.0,
        ..TermWeights::NONE
    };
    let spec = &program.limbs[0];
    let cost = |stretch: f64| {
        let mut state = program.start_state();
        let limb = &state.limbs[0];
        let way = limb.along * (spec.reach + stretch - limb.chord);
        state.frames[spec.effector].position += way;
        crate::common::cost(&program, &bounds, &state).0
    };
    assert_eq!(
        crate::common::cost(&program, &bounds, &program.start_state()).0,
        0.0
    );
    let roots = [0.05, 0.1, 0.2].map(|s| (cost(s) / program.weights.limb).sqrt());
    assert!((roots[1] - roots[0] - 0.05).abs() < 1e-3, "{roots:?}");
    assert!((roots[2] - roots[1] - 0.1).abs() < 1e-3, "{roots:?}");
}

/// Mordatch §4.2.2: parts do not penetrate the ground or each other.
#[test]
fn penetration_of_ground_and_limbs_costs_the_square_of_its_depth() {
    let program = Program::new(&crate::common::walk());
    let penetration = TermWeights {
        penetration: 1.0,
        ..TermWeights::NONE
    };
    let start = program.start_state();
    assert_eq!(crate::common::cost(&program, &penetration, &start).0, 0.0);
    // All four corners of a foot.
    let foot = program.contacts[crate::common::contact(&program, "left foot")].frame;
    let mut state = start.clone();
    state.frames[foot].position.z -= 0.02;
    let (found, _) = crate::common::cost(&program, &penetration, &state);
    let expected = program.weights.penetration * 4.0 * 0.02 * 0.02;
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    // One foot in the other.
    let other = program.contacts[crate::common::contact(&program, "right foot")].frame;
    let mut state = start.clone();
    state.frames[foot].position = start.frames[other].position;
    assert!(crate::common::cost(&program, &penetration, &state).0 > 0.1);
}
