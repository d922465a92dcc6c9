//! The initial guess and the contacts before the polish.

use super::contacts::decide_contacts;
use super::initial::{INACTIVE_CONTACT_VARIABLE, INITIAL_BEND_RAD, guess};
use crate::character::{Character, built_in};
use crate::costs::task::MIN_REQUIRED_CONTACT;
use crate::program::Program;
use crate::score::MIN_ACTIVE_CONTACT;
use crate::surface::Surface;
use crate::variables::FRAME;
use crate::{CharacterStart, CostWeights, Effort, Goal, Problem};
use conatus_math::DVec3;

/// A human that starts in a pose and has to stand, on the hands if `upside_down`.
fn program(pose: &str, upside_down: bool) -> Program {
    let description = built_in("human").expect("there is a human");
    let human = description
        .build("human")
        .expect("the description is valid");
    let pose = description
        .build_pose(&human, pose)
        .expect("the pose exists");
    let (on, up) = match upside_down {
        true => (limbs(&human, "arm"), limbs(&human, "leg")),
        false => (limbs(&human, "leg"), Vec::new()),
    };
    Program::new(&Problem {
        characters: vec![CharacterStart::at_rest(human, pose)],
        objects: Vec::new(),
        surfaces: vec![Surface::ground()],
        gravity: DVec3::new(0.0, 0.0, -9.81),
        phases: 4,
        phase_seconds: 0.5,
        segments: 2,
        goals: vec![Goal::Stand {
            character: 0,
            on,
            up,
            upside_down,
        }],
        weights: CostWeights::default(),
        objective: Default::default(),
        effort: Effort::default(),
        thresholds: Default::default(),
    })
}

fn limbs(character: &Character, word: &str) -> Vec<usize> {
    let all = character.limbs.iter().enumerate();
    let with_word = all.filter(|(_, limb)| limb.name.contains(word));
    with_word.map(|(k, _)| k).collect()
}

/// The contact variables of a patch in all phases of the initial guess.
fn initial_variables(program: &Program, name: &str) -> Vec<f64> {
    let contact = program.contacts.iter().position(|c| c.name == name);
    let contact = contact.expect("the patch has a contact");
    let x = guess(program);
    let phases = 0..program.layout.phases;
    phases
        .map(|phase| x[program.layout.contact(phase, contact)])
        .collect()
}

#[test]
fn torso_patches_that_do_not_touch_start_with_a_small_contact_variable() {
    let standing = program("standing", false);
    for patch in ["back", "belly", "seat"] {
        let all = initial_variables(&standing, patch);
        assert_eq!(all, [INACTIVE_CONTACT_VARIABLE; 4], "{patch}");
    }
    assert_eq!(initial_variables(&standing, "left hand"), [1.0; 4]);
    let foot = initial_variables(&standing, "left foot");
    assert!(foot.iter().all(|a| *a >= 1.0), "{foot:?}");

    let lying = program("lying on the back", false);
    let back = initial_variables(&lying, "back");
    assert!(back.iter().all(|a| *a >= 1.0), "{back:?}");
    let belly = initial_variables(&lying, "belly");
    assert_eq!(belly, [INACTIVE_CONTACT_VARIABLE; 4]);
}

#[test]
fn a_character_that_has_to_turn_over_starts_bent_forwards() {
    let final_rotation = |program: &Program| {
        let (layout, x) = (&program.layout, guess(program));
        let at = layout.block_start(layout.blocks() - 1) + program.base_frames[0] * FRAME;
        DVec3::from_slice(&x[at + 3..])
    };
    assert_eq!(final_rotation(&program("standing", false)), DVec3::ZERO);
    // About the axis to the left, so that the head moves forwards and down.
    let bent = final_rotation(&program("standing", true));
    assert!(bent.distance(DVec3::Y * INITIAL_BEND_RAD) < 1e-12, "{bent}");
}

#[test]
fn before_the_polish_every_contact_is_firm_or_off() {
    let program = program("standing", false);
    let layout = &program.layout;
    let (threshold, firm) = (MIN_ACTIVE_CONTACT.sqrt(), MIN_REQUIRED_CONTACT.sqrt());
    let mut expected = layout.still();
    for phase in 0..layout.phases {
        for contact in 0..layout.contacts {
            expected[layout.contact(phase, contact)] = firm;
        }
    }
    for (before, after) in [
        (0.0, 0.0),
        (0.99 * threshold, 0.0),
        (-0.99 * threshold, 0.0),
        (1.01 * threshold, firm),
        (-1.01 * threshold, firm),
        (2.0 * firm, 2.0 * firm),
        (-2.0 * firm, 2.0 * firm),
    ] {
        let mut x = layout.still();
        x[layout.contact(1, 2)] = before;
        decide_contacts(&program, &mut x);
        expected[layout.contact(1, 2)] = after;
        assert_eq!(x, expected, "{before}");
    }
}
