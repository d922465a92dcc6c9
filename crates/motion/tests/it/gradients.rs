//! Every cost's gradient against central differences, in both forms: as a sum
//! for L-BFGS and as rows for Levenberg-Marquardt.

use conatus_geometry::{HalfSpace, Heightfield};
use conatus_math::banded::BlockTridiagonal;
use conatus_math::{DMat3, DVec3};
use conatus_motion::character::{Knee, Patch, Placement};
use conatus_motion::costs::TermWeights;
use conatus_motion::costs::physics::Objective;
use conatus_motion::object::Form;
use conatus_motion::objective::Evaluator;
use conatus_motion::surface::{Capsule, RoundedBox, RoundedShape, Surface};
use conatus_motion::{CharacterStart, Object, ObjectStart, Program};

fn check(name: &str, program: &Program, mix: &TermWeights, size: f64) {
    check_with(name, program, mix, size, |_| {});
}

/// At places that were changed in some way.
fn check_with(
    name: &str,
    program: &Program,
    mix: &TermWeights,
    size: f64,
    change: impl Fn(&mut [f64]),
) {
    for seed in 0..6 {
        let mut x = crate::common::shaken(program, seed, size);
        change(&mut x);
        let mut evaluator = Evaluator::new(program, 4);
        let mut gradient = vec![0.0; x.len()];
        let value = evaluator.gradient(mix, &x, &mut gradient);
        assert!(value > 0.0, "{name}: the cost is zero");

        // The rows give the same gradient.
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

        let mut random = crate::common::Random::new(seed + 100);
        for _ in 0..8 {
            let direction: Vec<f64> = x.iter().map(|_| random.normal()).collect();
            let slope: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
            let mut at = |h: f64| {
                let moved: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + h * d).collect();
                evaluator.gradient(mix, &moved, &mut vec![0.0; x.len()])
            };
            // Torques have kinks where a force reaches its bound. A kink within one of
            // the steps is rarely within all of them.
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
fn every_term_has_the_gradient_of_central_differences() {
    let off = TermWeights::NONE;
    for segments in [1, 2] {
        let mut problem = crate::common::walk();
        problem.phases = 3;
        problem.segments = segments;
        let program = Program::new(&problem);
        check(
            "contact",
            &program,
            &TermWeights {
                contact: 1.0,
                ..off
            },
            0.1,
        );
        check(
            "bounds",
            &program,
            &TermWeights {
                bounds: 1.0,
                penetration: 1.0,
                ..off
            },
            0.3,
        );
        // The goals include required contacts, most of which are not active at first.
        check("task", &program, &TermWeights { task: 1.0, ..off }, 0.1);
        check("rest", &program, &TermWeights { rest: 1.0, ..off }, 0.1);
        check(
            "effort",
            &program,
            &TermWeights {
                effort: 1.0,
                contact: 1e-9,
                ..off
            },
            0.1,
        );
        check(
            "physics",
            &program,
            &TermWeights {
                physics: 1.0,
                ..off
            },
            0.1,
        );
        // Torques need forces, so physics is on.
        let torques = TermWeights {
            physics: 1e-6,
            torque: 1.0,
            ..off
        };
        check("torques", &program, &torques, 0.1);
        let mut with_forces = program.clone();
        with_forces.weights.force = 3.0;
        check("forces", &with_forces, &torques, 0.1);
        // So weak that most joints are overloaded, alone and beside the cost of torques.
        let mut weak = program.clone();
        for limb in &mut weak.limbs {
            limb.strength.iter_mut().for_each(|most| *most *= 0.02);
        }
        let strength = TermWeights {
            torque: 0.0,
            strength: 1.0,
            ..torques
        };
        check("strength", &weak, &strength, 0.1);
        let both = TermWeights {
            strength: 1.0,
            ..torques
        };
        check("torques and strength", &weak, &both, 0.1);
        // Feet are level with a slope.
        let mut on_slope = problem.clone();
        let normal = DVec3::new(-0.3, 0.1, 1.0).normalize();
        let plane = HalfSpace::through(DVec3::ZERO, normal);
        on_slope.surfaces = vec![Surface::new("slope", RoundedShape::HalfSpace(plane))];
        let on_slope = Program::new(&on_slope);
        assert!(on_slope.around.has_slopes());
        check("slope", &on_slope, &TermWeights { task: 1.0, ..off }, 0.1);
        let mut printed = program.clone();
        printed.objective = Objective::Residual;
        check(
            "residual",
            &printed,
            &TermWeights {
                physics: 1.0,
                ..off
            },
            0.1,
        );
        let mut hinted = program.clone();
        hinted.weights.hint = 2.0;
        check("hint", &hinted, &TermWeights { hint: 1.0, ..off }, 0.3);
        check("all", &program, &TermWeights::ALL, 0.1);
    }
}

/// Limbs of three links are bent by Newton's method, and the standing goal includes them.
#[test]
fn legs_with_many_links_have_exact_gradients() {
    let description = conatus_motion::character::built_in("hexapod").unwrap();
    let character = description.build("hexapod").unwrap();
    let pose = description.build_pose(&character, "standing").unwrap();
    let mut problem = crate::common::walk();
    problem.goals.truncate(1);
    let conatus_motion::Goal::Stand { on, .. } = &mut problem.goals[0] else {
        panic!("a walk ends standing");
    };
    *on = (0..character.limbs.len()).collect();
    problem.characters = vec![CharacterStart::at_rest(character, pose)];
    problem.phases = 2;
    let program = Program::new(&problem);
    let off = TermWeights::NONE;
    check("stance", &program, &TermWeights { task: 1.0, ..off }, 0.1);
    let bounds = TermWeights {
        bounds: 1.0,
        penetration: 1.0,
        ..off
    };
    check("bounds of three links", &program, &bounds, 0.1);
    check("all of six legs", &program, &TermWeights::ALL, 0.05);
}

/// A crowded place: everything that can be touched, held or entered.
fn crowded() -> conatus_motion::Problem {
    let mut problem = crate::common::walk();
    problem.phases = 2;
    problem.characters[0].character.limb_contacts = true;
    let CharacterStart {
        character, pose, ..
    } = problem.characters[0].clone();
    let mut other = character.clone();
    other.base.name = "other".into();
    other.workload = 3.0;
    for limb in other.limbs.iter_mut().filter(|l| l.name.contains("leg")) {
        let patch = Patch {
            name: format!("knee of {}", limb.name),
            half_extents: [0.0; 2],
            friction: 0.7,
            grasps: false,
            effort: 2.0,
        };
        limb.knees = vec![Knee { joint: 0, patch }];
    }
    let beside = pose.moved(2.0, DVec3::new(0.5, 0.1, 0.0));
    problem
        .characters
        .push(CharacterStart::at_rest(other, beside));
    let still = |position: DVec3| Placement {
        position,
        orientation: DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.4),
    };
    let color = [0.5; 3];
    let form = Form::Box(DVec3::new(0.15, 0.2, 0.1));
    let parcel = Object::new("parcel", form, 7.0, 0.5, true, color);
    let place = still(DVec3::new(0.2, -0.1, 0.7));
    problem.objects.push(ObjectStart::at_rest(parcel, place));
    let ball = Object::new("ball", Form::Ball(0.12), 0.6, 0.5, false, color);
    let place = still(DVec3::new(0.35, 0.2, 0.2));
    problem.objects.push(ObjectStart::at_rest(ball, place));
    let form = Form::Box(DVec3::new(0.2, 0.15, 0.25));
    let mut sliding = Object::new("crate", form, 30.0, 0.4, false, color);
    sliding.slides = true;
    let place = still(DVec3::new(-0.3, 0.2, 0.3));
    problem.objects.push(ObjectStart::at_rest(sliding, place));
    problem.goals.push(conatus_motion::Goal::Crawl {
        character: 0,
        height: 0.8,
        on: vec![0, 2],
    });
    let turned = DMat3::from_rotation_z(0.3);
    let mut step = RoundedBox::new(
        DVec3::new(0.2, 0.3, 0.1),
        turned,
        DVec3::new(0.3, 0.2, 0.15),
    );
    step.grounded = true;
    let bar = Capsule {
        start: DVec3::new(-0.2, -1.0, 1.2),
        end: DVec3::new(0.4, 1.0, 1.0),
        radius: 0.05,
    };
    let hills = Heightfield {
        origin: DVec3::new(-1.0, -1.0, -0.1),
        spacing: 0.4,
        columns: 6,
        heights: (0..36).map(|i| 0.05 * ((i * 7) % 11) as f64).collect(),
    };
    let mut bar = Surface::new("bar", RoundedShape::Capsule(bar));
    bar.grippable = true;
    problem.surfaces.extend([
        Surface::new("step", RoundedShape::RoundedBox(step)),
        bar,
        Surface::new(
            "hills",
            RoundedShape::Heightfield(std::sync::Arc::new(hills)),
        ),
    ]);
    problem
}

/// Obstacles, objects, knees and other characters.
#[test]
fn with_obstacles_objects_and_several_characters_gradients_are_exact() {
    let off = TermWeights::NONE;
    let mut problem = crowded();
    problem.segments = 1;
    let program = Program::new(&problem);
    assert!(program.contacts.len() > 50);
    let contact = TermWeights {
        contact: 1.0,
        ..off
    };
    check("contact", &program, &contact, 0.05);
    let bounds = TermWeights {
        bounds: 1.0,
        penetration: 1.0,
        ..off
    };
    check("bounds", &program, &bounds, 0.05);
    let physics = TermWeights {
        physics: 1.0,
        ..off
    };
    check("physics", &program, &physics, 0.05);
    let torques = TermWeights {
        physics: 1e-6,
        torque: 1.0,
        ..off
    };
    check("torques", &program, &torques, 0.05);
    check("task", &program, &TermWeights { task: 1.0, ..off }, 0.05);
}

/// Contacts with moving surfaces fade out as their variables approach zero: here some are
/// active, some inactive and some in between.
#[test]
fn fading_contacts_have_exact_gradients() {
    let off = TermWeights::NONE;
    let mut problem = crowded();
    problem.segments = 1;
    let program = Program::new(&problem);
    let fade = |x: &mut [f64]| {
        let fading = (0..program.contacts.len()).filter(|&i| program.contacts[i].fades);
        for (k, i) in fading.enumerate() {
            for phase in 0..program.layout.phases {
                let a = [0.011, 0.024, 0.8, 0.045, -0.03, 0.0][(k + phase) % 6];
                x[program.layout.contact(phase, i)] = a;
            }
        }
    };
    let contact = TermWeights {
        contact: 1.0,
        ..off
    };
    check_with("contact", &program, &contact, 0.05, fade);
    let physics = TermWeights {
        physics: 1.0,
        ..off
    };
    check_with("physics", &program, &physics, 0.05, fade);
    let torques = TermWeights {
        physics: 1e-6,
        torque: 1.0,
        ..off
    };
    check_with("torques", &program, &torques, 0.05, fade);
    let mut printed = program.clone();
    printed.objective = Objective::Residual;
    check_with("residual", &printed, &physics, 0.05, fade);
}
