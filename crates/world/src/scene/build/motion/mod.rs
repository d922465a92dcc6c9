//! Builds the planning problem of a scene from `[motion]`, `[[character]]`,
//! `[[object]]` and `[[goal]]`. It does not search for a movement: that takes seconds
//! and is part of the run ([`MotionPlanner::plan`]).

mod characters;
mod goals;
mod objects;
mod settings;
mod surroundings;

use crate::motion::{MotionPlanner, MotionWorld};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::SceneFile;
use conatus_math::DVec3;
use conatus_motion::Problem;
use conatus_record::BodyInfo;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A scene may have at most this many characters.
const MAX_CHARACTERS: usize = 16;

/// The characters of a scene, ready for planning.
pub struct BuiltMotion {
    /// Plans their movement.
    pub planner: MotionPlanner,
    /// The characters in their start poses.
    pub world: MotionWorld,
}

/// The scene file with the ground and the length that characters need by default.
/// Without characters it is the file itself: large scenes are not copied.
pub fn with_defaults(scene: &Scene) -> Cow<'_, SceneFile> {
    let mut file = Cow::Borrowed(&scene.file);
    if let Some(seconds) = seconds(&scene.file) {
        let file = file.to_mut();
        let time = scene.tree().get("time");
        let is_given = time.is_some_and(|time| time.get("seconds").is_some());
        if !is_given {
            file.time.seconds = seconds;
        }
        add_ground(file);
    }
    file
}

/// Adds ground to a scene that has no plane.
fn add_ground(file: &mut SceneFile) {
    if file.plane.is_empty() {
        file.plane.push(crate::scene::model::PlaneSpec::ground());
    }
}

/// The length of the movement in seconds; none without characters.
fn seconds(file: &SceneFile) -> Option<f64> {
    let motion = &file.motion;
    let phases = motion.phases.unwrap_or(settings::PHASES);
    let each = motion.phase_seconds.unwrap_or(settings::PHASE_SECONDS);
    (!file.character.is_empty()).then(|| f64::from(phases) * each)
}

/// Checks characters, objects, goals and settings, and builds the planning problem.
/// `others` are the bodies and obstacles that the recording lists before the parts of
/// characters.
pub fn build(
    scene: &Scene,
    file: &SceneFile,
    others: &[BodyInfo],
    diagnostics: &mut Diagnostics,
) -> Option<BuiltMotion> {
    let before = diagnostics.len();
    let settings = settings::build(scene, file, diagnostics);
    if file.character.is_empty() {
        reject_goals_and_objects(file, diagnostics);
        return None;
    }
    let gravity = checked_gravity(file, diagnostics);
    if file.character.len() > MAX_CHARACTERS {
        diagnostics.at(
            &format!("character[{MAX_CHARACTERS}]"),
            format!("there are {} characters", file.character.len()),
            format!("at most {MAX_CHARACTERS} can move together"),
        );
        return None;
    }
    let characters = characters::build(scene, file, diagnostics);
    let surfaces = surroundings::build(file, diagnostics);
    let objects = objects::build(file, diagnostics);
    if diagnostics.len() > before {
        // Goals refer to limbs and start poses, which are incomplete.
        return None;
    }
    let seconds = seconds(file).unwrap_or(0.0);
    let (goals, names, targets) = goals::build(
        file,
        (&characters, &objects),
        &surfaces,
        seconds,
        diagnostics,
    );
    let problem = Problem {
        characters,
        objects,
        surfaces,
        gravity,
        goals,
        ..settings
    };
    characters::check_start(file, &problem, diagnostics);
    if diagnostics.len() > before {
        return None;
    }
    let planner = MotionPlanner {
        problem,
        goals: names,
        targets,
        start_seconds: 0.0,
    };
    let start = planner.start();
    if let Err(why) = start.check() {
        diagnostics.at(
            "character",
            format!("a character cannot be recorded: {why}"),
            "give every limb, effector, patch and named ball of the hull a unique name",
        );
        return None;
    }
    let world = MotionWorld::still(start);
    let taken: BTreeSet<&str> = others.iter().map(|other| other.name.as_str()).collect();
    let mut parts = world.clip().parts().into_iter();
    if let Some(twice) = parts.find(|part| taken.contains(part.name.as_str())) {
        diagnostics.at(
            "character",
            format!("the name `{}` is used twice", twice.name),
            "parts of characters are named like `human/left foot`; rename the body or obstacle",
        );
    }
    Some(BuiltMotion { planner, world })
}

/// Rejects goals and objects in a scene without characters.
fn reject_goals_and_objects(file: &SceneFile, diagnostics: &mut Diagnostics) {
    if !file.goal.is_empty() {
        diagnostics.at(
            "goal[0]",
            "there is a goal, but no character",
            "add [[character]]; without keys it is a standing human",
        );
    }
    if !file.object.is_empty() {
        diagnostics.at(
            "object[0]",
            "there is an object to handle, but no character",
            "add [[character]], or make it a [[body]], which moves under forces",
        );
    }
}

/// Gravity; reports if it does not point down, or if z is not up.
fn checked_gravity(file: &SceneFile, diagnostics: &mut Diagnostics) -> DVec3 {
    let gravity = super::gravity(file);
    if file.up != crate::scene::model::UpAxisSpec::Z {
        diagnostics.at(
            "up",
            "characters need z up",
            "leave `up` out of scenes with characters",
        );
    } else if !(gravity.x == 0.0 && gravity.y == 0.0 && gravity.z < 0.0) {
        diagnostics.at(
            "gravity",
            "characters need gravity that points down",
            "for example gravity = [0, 0, -9.81], or leave it out",
        );
    }
    gravity
}

/// Reports a count that is out of range.
fn check_count(
    diagnostics: &mut Diagnostics,
    path: &str,
    what: &str,
    value: u32,
    least: u32,
    most: u32,
) {
    if !(least..=most).contains(&value) {
        diagnostics.at(
            path,
            format!("{value} {what}"),
            format!("give from {least} to {most}"),
        );
    }
}

use crate::text::number as short;
