//! The built-in characters: every pose is a valid start.

use conatus_math::DVec3;
use conatus_motion::character::description::BUILT_IN;
use conatus_motion::character::{Character, CharacterPose, Description, built_in};
use conatus_motion::costs::{limb, task};
use conatus_motion::variables::CostSum;
use conatus_motion::{CharacterStart, Goal, Problem, Program};

fn description(text: &str) -> Description {
    toml::from_str(text).expect("built-in descriptions are valid")
}

/// The goal to stand on all legs at the start position.
fn still(character: &Character, pose: CharacterPose) -> Problem {
    let legs = (0..character.limbs.len()).filter(|k| character.limbs[*k].name.contains("leg"));
    Problem {
        goals: vec![Goal::Stand {
            character: 0,
            on: legs.collect(),
            up: Vec::new(),
            upside_down: false,
        }],
        characters: vec![CharacterStart::at_rest(character.clone(), pose)],
        ..crate::common::walk()
    }
}

/// Every pose of every character, with the names of both.
fn poses() -> impl Iterator<Item = (String, Problem)> {
    BUILT_IN.iter().flat_map(|(name, text)| {
        let description = description(text);
        let character = description.build(name).unwrap();
        let poses: Vec<String> = description.poses().map(str::to_owned).collect();
        poses.into_iter().map(move |pose| {
            let place = description.build_pose(&character, &pose).unwrap();
            (format!("{name} {pose}"), still(&character, place))
        })
    })
}

#[test]
fn every_pose_is_within_reach_of_its_limbs_and_above_the_ground() {
    let faults: Vec<_> = poses()
        .map(|(name, problem)| (name, problem.check()))
        .filter(|(_, faults)| !faults.is_empty())
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_pose_violates_a_joint_limit() {
    let strain = |problem: &Problem| {
        let program = Program::new(problem);
        let mut cost = CostSum::default();
        limb::evaluate(&program, 1.0, &program.start_state(), &mut cost);
        cost.0
    };
    let strained: Vec<_> = poses()
        .map(|(name, problem)| (name, strain(&problem)))
        .filter(|(_, cost)| *cost > 0.0)
        .collect();
    assert!(strained.is_empty(), "{strained:#?}");
}

/// The standing poses already meet the goal to stand, in every heading.
#[test]
fn standing_poses_meet_the_standing_goal() {
    for (name, text) in BUILT_IN {
        let description = description(text);
        let character = description.build(name).unwrap();
        let pose = description.build_pose(&character, "standing").unwrap();
        let pose = pose.moved(2.0, DVec3::new(3.0, -1.0, 0.0));
        let problem = still(&character, pose);
        let program = Program::new(&problem);
        let mut state = program.start_state();
        state.contacts.fill(task::MIN_REQUIRED_CONTACT.sqrt());
        for term in task::task_terms(&problem, &program) {
            let error = term.feature.error(&program, &state).length();
            assert!(error < 0.03, "{name}: {:?} is {error} away", term.feature);
        }
    }
}

#[test]
fn a_stance_out_of_reach_is_an_error() {
    let mut far = built_in("quadruped").unwrap();
    far.limb[0].stance = Some([0.0, 0.0, -2.0]);
    let error = far.build("far").unwrap_err();
    assert_eq!(error.path, "limb[0].stance");
    assert!(error.what.contains("spans 2.000 m"), "{error}");
    far.limb[0].stance = Some([0.0, f64::NAN, 0.0]);
    assert!(far.build("nowhere").is_err());
}
