//! The dynamics seam: another model of a character's dynamics is another
//! implementation of `DynamicModel`, and costs, gradients and true forces follow it.

use crate::common;
use conatus_math::{DMat3, DVec3};
use conatus_motion::Program;
use conatus_motion::character::Limb;
use conatus_motion::character::limb::LimbGradient;
use conatus_motion::costs::TermWeights;
use conatus_motion::dynamics::{BodyMotion, DynamicModel, MomentumRate, SingleRigidBody};
use conatus_motion::objective::Evaluator;
use conatus_motion::score::TrueForces;
use conatus_motion::variables::{FrameGradient, MotionState};
use std::sync::Arc;

/// A rigid torso with point masses in the effectors.
#[derive(Debug)]
struct EffectorMasses {
    torso: SingleRigidBody,
    limbs: Vec<Limb>,
    each: f64,
}

impl EffectorMasses {
    /// The share of the whole mass that each point of the body has: torso, effectors.
    fn shares(&self) -> impl Iterator<Item = f64> {
        let whole = self.mass();
        let effectors = self.limbs.iter().map(move |_| self.each / whole);
        std::iter::once(self.torso.mass / whole).chain(effectors)
    }

    fn joint(motion: BodyMotion, limb: usize, joint: usize) -> DVec3 {
        match joint {
            0 => motion.limbs[limb].base,
            k => motion.limbs[limb].joints[k - 1],
        }
    }
}

impl DynamicModel for EffectorMasses {
    fn mass(&self) -> f64 {
        self.torso.mass + self.each * self.limbs.len() as f64
    }

    fn base_inertia(&self) -> DMat3 {
        self.torso.base_inertia()
    }

    fn centre_of_mass(&self, motion: BodyMotion) -> DVec3 {
        let points = motion.frames.iter().zip(self.shares());
        points.map(|(frame, share)| frame.position * share).sum()
    }

    fn centre_of_mass_vjp(&self, _: BodyMotion, by: DVec3, out: &mut [FrameGradient]) {
        for (frame, share) in out.iter_mut().zip(self.shares()) {
            frame.position += by * share;
        }
    }

    fn momentum_rate(&self, motion: BodyMotion) -> MomentumRate {
        let centre = self.centre_of_mass(motion);
        let mut rate = MomentumRate {
            linear_per_mass: DVec3::ZERO,
            angular: self.torso.momentum_rate(motion).angular,
        };
        for (frame, share) in motion.frames.iter().zip(self.shares()) {
            rate.linear_per_mass += frame.acceleration * share;
            let arm = (frame.position - centre) * (share * self.mass());
            rate.angular += arm.cross(frame.acceleration);
        }
        rate
    }

    fn momentum_rate_vjp(&self, motion: BodyMotion, by: &MomentumRate, out: &mut [FrameGradient]) {
        let spin = MomentumRate {
            linear_per_mass: DVec3::ZERO,
            angular: by.angular,
        };
        self.torso.momentum_rate_vjp(motion, &spin, out);
        let centre = self.centre_of_mass(motion);
        let mut by_centre = DVec3::ZERO;
        for ((frame, out), share) in motion.frames.iter().zip(&mut *out).zip(self.shares()) {
            let mass = share * self.mass();
            out.acceleration += by.linear_per_mass * share;
            out.acceleration += by.angular.cross(frame.position - centre) * mass;
            let by_arm = frame.acceleration.cross(by.angular) * mass;
            out.position += by_arm;
            by_centre -= by_arm;
        }
        self.centre_of_mass_vjp(motion, by_centre, out);
    }

    fn distal_torque(
        &self,
        motion: BodyMotion,
        gravity: DVec3,
        limb: usize,
        joint: usize,
    ) -> DVec3 {
        let effector = &motion.frames[1 + limb];
        let arm = effector.position - Self::joint(motion, limb, joint);
        arm.cross(effector.acceleration - gravity) * self.each
    }

    fn distal_torque_vjp(
        &self,
        motion: BodyMotion,
        gravity: DVec3,
        limb: usize,
        joint: usize,
        by: DVec3,
        out: &mut [FrameGradient],
    ) {
        let effector = &motion.frames[1 + limb];
        let arm = effector.position - Self::joint(motion, limb, joint);
        let by_arm = (effector.acceleration - gravity).cross(by) * self.each;
        out[1 + limb].position += by_arm;
        out[1 + limb].acceleration += by.cross(arm) * self.each;
        let state = &motion.limbs[limb];
        let mut gradient = LimbGradient::default();
        gradient.clear(state.joints.len());
        match joint {
            0 => gradient.base = -by_arm,
            k => gradient.joints[k - 1] = -by_arm,
        }
        let [torso, effector] = out.get_disjoint_mut([0, 1 + limb]).unwrap();
        state.vector_jacobian_product(&self.limbs[limb], &gradient, torso, effector);
    }

    fn has_limb_masses(&self) -> bool {
        true
    }
}

/// A walk whose hands and feet have 3 kg each.
fn with_effector_masses() -> Program {
    let mut problem = common::walk();
    problem.phases = 2;
    let mut program = Program::new(&problem);
    let human = &program.characters[0];
    let each = 3.0;
    let torso = SingleRigidBody {
        mass: human.base.mass - each * human.limbs.len() as f64,
        inertia: human.base.inertia,
    };
    program.dynamics[0] = Arc::new(EffectorMasses {
        torso,
        limbs: human.limbs.clone(),
        each,
    });
    program
}

/// The largest relative error of directional derivatives of the whole objective.
fn gradient_error(program: &Program, mix: &TermWeights) -> f64 {
    let x = common::shaken(program, 7, 0.05);
    let mut evaluator = Evaluator::new(program, 4);
    let mut gradient = vec![0.0; x.len()];
    evaluator.gradient(mix, &x, &mut gradient);
    let mut random = common::Random::new(3);
    let mut worst = 0.0f64;
    for _ in 0..5 {
        let direction: Vec<f64> = x.iter().map(|_| random.normal()).collect();
        let h = 1e-6;
        let mut at = |h: f64| {
            let moved: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
            evaluator.value(mix, &moved)
        };
        let measured = (at(h) - at(-h)) / (2.0 * h);
        let found: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
        worst = worst.max((measured - found).abs() / measured.abs().max(1.0));
    }
    worst
}

#[test]
fn gradients_follow_a_model_with_masses_in_the_limbs() {
    let program = with_effector_masses();
    let physics = TermWeights {
        physics: 1.0,
        ..TermWeights::NONE
    };
    let torque = TermWeights {
        torque: 1.0,
        ..physics
    };
    for (name, mix) in [
        ("physics", physics),
        ("torque", torque),
        ("all", TermWeights::ALL),
    ] {
        let error = gradient_error(&program, &mix);
        assert!(error < 1e-5, "{name}: {error}");
    }
}

#[test]
fn costs_depend_on_the_model() {
    let with_masses = with_effector_masses();
    let mut single = with_masses.clone();
    single.dynamics[0] = Arc::new(SingleRigidBody::new(&single.characters[0].base));
    let x = common::shaken(&single, 7, 0.05);
    let cost = |program: &Program, mix: TermWeights| Evaluator::new(program, 4).value(&mix, &x);
    for mix in [
        TermWeights {
            physics: 1.0,
            ..TermWeights::NONE
        },
        TermWeights {
            physics: 1.0,
            torque: 1.0,
            ..TermWeights::NONE
        },
    ] {
        let (a, b) = (cost(&with_masses, mix), cost(&single, mix));
        assert!((a - b).abs() > 1e-3 * b, "{a} {b}");
    }
}

/// The contact forces of a character that stands still carry its weight at the centre of
/// mass of its model.
#[test]
fn true_forces_balance_the_weight_at_the_centre_of_mass_of_the_model() {
    let program = with_effector_masses();
    let state = program.start_state();
    let mut forces = TrueForces::default();
    forces.solve(&program, &state);
    assert!(forces.residual() < 1e-3, "{}", forces.residual());
    let motion = program.body_motion(&state, 0);
    let centre = program.dynamics[0].centre_of_mass(motion);
    assert!(centre.distance(state.frames[0].position) > 1e-3);
    let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
    for (contact, f) in forces.contacts.iter().zip(&forces.solution.forces) {
        let (push, turn) = conatus_motion::inverse_dynamics::wrench(contact, f);
        force += push;
        moment += (contact.position - centre).cross(push) + turn;
    }
    assert!((force - DVec3::Z).length() < 1e-3, "{force}");
    assert!(moment.length() < 1e-3, "{moment}");
}

#[test]
fn a_single_rigid_body_has_the_derivatives_of_differences() {
    let mut problem = common::walk();
    problem.phases = 1;
    let program = Program::new(&problem);
    let x = common::shaken(&program, 5, 0.2);
    let mut state = MotionState::default();
    program.update_state(&x, &program.layout.moment(0, 0.4, 1.0), &mut state);
    let model = &program.dynamics[0];
    let by = MomentumRate {
        linear_per_mass: DVec3::new(0.3, -0.2, 0.7),
        angular: DVec3::new(-0.4, 0.5, 0.1),
    };
    let value = |state: &MotionState| {
        let rate = model.momentum_rate(program.body_motion(state, 0));
        rate.linear_per_mass.dot(by.linear_per_mass) + rate.angular.dot(by.angular)
    };
    let mut out = vec![FrameGradient::ZERO; program.frames_of(0).len()];
    model.momentum_rate_vjp(program.body_motion(&state, 0), &by, &mut out);
    let h = 1e-6;
    for k in 0..3 {
        let moved = |change: &dyn Fn(&mut MotionState, f64)| {
            let at = |h: f64| {
                let mut moved = state.clone();
                change(&mut moved, h);
                value(&moved)
            };
            (at(h) - at(-h)) / (2.0 * h)
        };
        let found = [
            (
                moved(&|s, h| s.frames[0].acceleration[k] += h),
                out[0].acceleration[k],
            ),
            (moved(&|s, h| s.frames[0].omega[k] += h), out[0].omega[k]),
            (moved(&|s, h| s.frames[0].alpha[k] += h), out[0].alpha[k]),
            (
                moved(&|s, h| s.frames[0].matrix.col_mut(k).y += h),
                out[0].matrix.col(k).y,
            ),
        ];
        for (measured, found) in found {
            assert!((measured - found).abs() < 1e-6, "{measured} {found}");
        }
    }
}
