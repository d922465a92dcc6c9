//! Every cost's gradient against central differences, in both forms: as a sum
//! for L-BFGS and as rows for Levenberg-Marquardt.

mod common;

use conatus_math::banded::BlockTridiagonal;
use conatus_motion::Program;
use conatus_motion::costs::Mix;
use conatus_motion::costs::physics::Objective;
use conatus_motion::objective::Evaluator;

fn check(name: &str, program: &Program, mix: &Mix, size: f64) {
    for seed in 0..6 {
        let x = common::shaken(program, seed, size);
        let mut evaluator = Evaluator::new(program, 4);
        let mut gradient = vec![0.0; x.len()];
        let value = evaluator.gradient(mix, &x, &mut gradient);
        assert!(value > 0.0, "{name}: the cost is off");

        // Rows say the same.
        let mut matrix = BlockTridiagonal::new(&program.layout.sizes());
        let mut rows = vec![0.0; x.len()];
        let half = evaluator.linearise(mix, &x, &mut rows, &mut matrix);
        assert!(
            (2.0 * half - value).abs() < 1e-9 * value,
            "{name}: {half} {value}"
        );
        let scale = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for (i, (g, r)) in gradient.iter().zip(&rows).enumerate() {
            assert!(
                (g - 2.0 * r).abs() < 1e-9 * scale,
                "{name}: unknown {i} of {}: {g} {r}",
                x.len()
            );
        }

        let mut random = common::Random::new(seed + 100);
        for _ in 0..8 {
            let direction: Vec<f64> = x.iter().map(|_| random.normal()).collect();
            let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            let mut at = |h: f64| {
                let moved: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
                evaluator.gradient(mix, &moved, &mut vec![0.0; x.len()])
            };
            // Torques have kinks where a force comes to its bound; a kink closer
            // than one of the steps is hardly closer than all of them.
            let measured = [1e-6, 1e-7, 1e-8].map(|h| (at(h) - at(-h)) / (2.0 * h));
            let tolerance = 3e-6 * (slope.abs() + scale + value);
            assert!(
                measured.iter().any(|m| (m - slope).abs() < tolerance),
                "{name}, seed {seed}: {slope} should be {measured:?}"
            );
        }
    }
}

#[test]
fn every_term_has_the_gradient_that_differences_measure() {
    let off = Mix::OFF;
    for segments in [1, 2] {
        let mut problem = common::walk();
        problem.phases = 3;
        problem.segments = segments;
        let program = Program::new(&problem);
        check(
            "contact",
            &program,
            &Mix {
                contact: 1.0,
                ..off
            },
            0.1,
        );
        check(
            "bounds",
            &program,
            &Mix {
                bounds: 1.0,
                penetration: 1.0,
                ..off
            },
            0.3,
        );
        check("task", &program, &Mix { task: 1.0, ..off }, 0.1);
        check(
            "effort",
            &program,
            &Mix {
                effort: 1.0,
                contact: 1e-9,
                ..off
            },
            0.1,
        );
        check(
            "physics",
            &program,
            &Mix {
                physics: 1.0,
                ..off
            },
            0.1,
        );
        // Torques need forces, so physics is on.
        let torques = Mix {
            physics: 1e-6,
            torque: 1.0,
            ..off
        };
        check("torques", &program, &torques, 0.1);
        let mut with_forces = program.clone();
        with_forces.weights.force = 3.0;
        check("forces", &with_forces, &torques, 0.1);
        let mut printed = program.clone();
        printed.objective = Objective::Residual;
        check(
            "residual",
            &printed,
            &Mix {
                physics: 1.0,
                ..off
            },
            0.1,
        );
        let mut hinted = program.clone();
        hinted.weights.hint = 2.0;
        check("hint", &hinted, &Mix { hint: 1.0, ..off }, 0.3);
        check("all", &program, &Mix::FULL, 0.1);
    }
}

/// Limbs of three links bend by Newton's method, and stand as they say.
#[test]
fn many_legs_of_many_links_have_gradients_too() {
    let description = conatus_motion::character::ready_made("hexapod").unwrap();
    let character = description.build("hexapod").unwrap();
    let pose = description.build_pose(&character, "standing").unwrap();
    let mut problem = common::walk();
    problem.goals.truncate(1);
    let conatus_motion::Goal::Stand { on, .. } = &mut problem.goals[0] else {
        panic!("a walk ends standing");
    };
    *on = (0..character.limbs.len()).collect();
    problem.characters = vec![(character, pose)];
    problem.phases = 2;
    let program = Program::new(&problem);
    let off = Mix::OFF;
    check("stance", &program, &Mix { task: 1.0, ..off }, 0.1);
    let bounds = Mix {
        bounds: 1.0,
        penetration: 1.0,
        ..off
    };
    check("bounds of three links", &program, &bounds, 0.1);
    check("all of six legs", &program, &Mix::FULL, 0.05);
}
