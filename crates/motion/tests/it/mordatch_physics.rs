//! Forces and accelerations: the balance (4), inverse dynamics (5) and the cost
//! of what is left (8).

use conatus_math::DVec3;
use conatus_math::rotation::rodrigues;
use conatus_motion::Program;
use conatus_motion::costs::TermWeights;
use conatus_motion::costs::physics::{self, Objective, PhysicsMemory};
use conatus_motion::inverse_dynamics::MOMENT_SCALE;
use conatus_motion::objective::Evaluator;
use conatus_motion::score::{TrueForces, torque_excess};
use conatus_motion::variables::{CostSum, MotionState};

const PHYSICS: TermWeights = TermWeights {
    physics: 1.0,
    ..TermWeights::NONE
};

/// A program in which forces cost so much that all of τ is left as residual.
fn without_forces() -> Program {
    let mut problem = crate::common::walk();
    problem.weights.k0 = 1e15;
    Program::new(&problem)
}

/// A human in motion.
fn busy(program: &Program) -> MotionState {
    let mut state = program.start_state();
    let torso = &mut state.frames[0];
    torso.acceleration = DVec3::new(0.7, -0.4, 1.3);
    torso.omega = DVec3::new(0.8, -1.1, 0.6);
    torso.alpha = DVec3::new(1.5, 0.9, -0.7);
    torso.matrix = rodrigues(DVec3::new(0.6, 0.0, 0.8), 0.3);
    state.contacts.fill(1.0);
    state.update_limbs(&program.characters, false);
    state
}

/// Mordatch (5): M q̈ + C q̇ + g of a single rigid body.
#[test]
fn free_fall_needs_no_force_and_rest_needs_the_weight() {
    let program = without_forces();
    let mut state = program.start_state();
    let (_, memory) = crate::common::cost(&program, &PHYSICS, &state);
    let still = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    for (l, expected) in memory.solution.lambda.iter().zip(still) {
        assert!((l - expected).abs() < 1e-9);
    }
    state.frames[0].acceleration = program.gravity;
    let (cost, _) = crate::common::cost(&program, &PHYSICS, &state);
    assert!(cost < 1e-12, "{cost}");
}

/// Mordatch (5): the moment is the rate of angular momentum, whatever the
/// rotation does.
#[test]
fn the_moment_is_the_change_of_angular_momentum_per_time() {
    let program = without_forces();
    let layout = &program.layout;
    let one = &program.characters[0].base;
    let weight = one.mass * program.gravity.length();
    for seed in 0..10 {
        let x = crate::common::shaken(&program, seed, 0.3);
        let mut state = MotionState::default();
        let mut momentum = |time: f64| {
            state.update(layout, &x, &layout.moment_at(time));
            let torso = &state.frames[0];
            torso.matrix * (one.inertia * (torso.matrix.transpose() * torso.omega))
        };
        let (time, h) = (0.6, 1e-5);
        let rate = (momentum(time + h) - momentum(time - h)) / (2.0 * h);
        state.update(layout, &x, &layout.moment_at(time));
        let (_, memory) = crate::common::cost(&program, &PHYSICS, &state);
        let found = DVec3::from_slice(&memory.solution.lambda[3..]) * (weight / MOMENT_SCALE);
        assert!(
            (found - rate).length() < 1e-5 * rate.length(),
            "{found} {rate}"
        );
    }
}

/// Mordatch (4), its rows for the torso: the residual is τ minus the contact forces.
#[test]
fn contact_forces_and_residual_add_up_to_the_required_wrench() {
    let program = Program::new(&crate::common::walk());
    let state = busy(&program);
    let (_, memory) = crate::common::cost(&program, &PHYSICS, &state);
    let (torso, one) = (&state.frames[0], &program.characters[0].base);
    let g = program.gravity.length();
    let inertia = |v: DVec3| torso.matrix * (one.inertia * (torso.matrix.transpose() * v));
    let push = (torso.acceleration - program.gravity) / g;
    let spin = torso.omega.cross(inertia(torso.omega));
    let turn = (inertia(torso.alpha) + spin) / (one.mass * g);
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for (i, f) in memory.solution.forces.iter().enumerate() {
        let (at, f, m) = crate::common::wrench(&program, &state, i, f);
        force += f;
        moment += (at - torso.position).cross(f) + m;
    }
    let left = &memory.solution.lambda;
    assert!((force + DVec3::from_slice(left) - push).length() < 1e-9);
    let left = DVec3::from_slice(&left[3..]) / MOMENT_SCALE;
    assert!((moment + left - turn).length() < 1e-9);
    assert!(force.z > 0.5, "contacts push");
}

/// Mordatch (4), its rows for the joints: the torque u of a massless limb does the work
/// of the contact force when all that is distal to the joint turns about it. The squares
/// are ‖u‖² of Mordatch (9).
#[test]
fn torques_of_joints_do_the_work_of_the_contact_forces() {
    let mut problem = crate::common::walk();
    problem.weights.torque = 1.0;
    let program = Program::new(&problem);
    let state = busy(&program);
    let torques = TermWeights {
        torque: 1.0,
        ..PHYSICS
    };
    let (with, memory) = crate::common::cost(&program, &torques, &state);
    let (without, _) = crate::common::cost(&program, &PHYSICS, &state);
    let mut expected = 0.0;
    for (spec, limb) in program.limbs.iter().zip(&state.limbs) {
        let f = &memory.solution.forces[spec.contact];
        let (at, force, moment) = crate::common::wrench(&program, &state, spec.contact, f);
        for joint in [limb.base].iter().chain(&limb.joints) {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let h = 1e-5;
                let moved = |angle: f64| rodrigues(axis, angle) * (at - *joint);
                let work = force.dot(moved(h) - moved(-h)) + moment.dot(axis) * 2.0 * h;
                expected += (work / (2.0 * h)).powi(2);
            }
        }
    }
    assert!(expected > 1e-3, "{expected}");
    let found = with - without;
    assert!(
        (found - expected).abs() < 1e-6 * expected,
        "{found} {expected}"
    );
}

/// Mordatch (8), and the value of (6) which takes its place by default.
#[test]
fn the_cost_of_physics_is_the_sum_of_squared_residuals() {
    for objective in [Objective::Residual, Objective::Envelope] {
        let mut problem = crate::common::walk();
        problem.objective = objective;
        problem.phases = 3;
        let program = Program::new(&problem);
        let x = crate::common::shaken(&program, 9, 0.1);
        let mut expected = 0.0;
        let mut state = MotionState::default();
        for moment in program.layout.moments(5) {
            state.update(&program.layout, &x, &moment);
            state.update_limbs(&program.characters, false);
            let mut memory = PhysicsMemory::default();
            let value = &mut CostSum::default();
            physics::evaluate(&program, &PHYSICS, 1.0, &state, &mut memory, value);
            let left: f64 = memory.solution.lambda.iter().map(|l| l * l).sum();
            let mut price = 0.0;
            for (i, f) in memory.solution.forces.iter().enumerate() {
                let weight = program.force_weight(i, state.contacts[i]).0;
                price += weight * f.iter().map(|f| f * f).sum::<f64>();
            }
            expected += moment.weight
                * match objective {
                    Objective::Residual => left,
                    Objective::Envelope => left + price,
                };
        }
        expected *= program.weights.physics;
        let found = Evaluator::new(&program, 5).value(&PHYSICS, &x);
        assert!(
            (found - expected).abs() < 1e-9 * expected,
            "{found} {expected}"
        );
    }
}

/// A human stands on both feet: each carries half of the weight on a line through its hip, and
/// its knee is in front of that line.
#[test]
fn the_knees_of_a_standing_human_carry_half_of_the_weight_times_their_lever() {
    let mut program = Program::new(&crate::common::walk());
    let state = program.start_state();
    let mut forces = TrueForces::default();
    forces.solve(&program, &state);
    assert!(forces.residual() < 1e-4, "{}", forces.residual());
    let (mut lever, strength) = (0.0f64, 0.001);
    for (spec, limb) in program.limbs.iter_mut().zip(&state.limbs) {
        let is_leg = spec.strength.len() == 3 && spec.strength[2].is_finite();
        spec.strength
            .iter_mut()
            .for_each(|most| *most = f64::INFINITY);
        if is_leg {
            // The weight is above the origin.
            lever = lever.max(limb.joints[0].x.abs());
            spec.strength[1] = strength;
        }
    }
    assert!(lever > 0.02, "{lever}");
    let excess = torque_excess(&program, &state, &forces);
    let expected = 0.5 * lever / strength - 1.0;
    assert!(
        (excess - expected).abs() < 0.02 * expected,
        "{excess} {expected}"
    );
}
