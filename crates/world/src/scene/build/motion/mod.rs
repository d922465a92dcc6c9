//! Builds the planning problem of a scene from `[motion]`, `[[character]]`,
//! `[[object]]` and `[[goal]]`. It does not search for a movement: that takes seconds
//! and is part of the run ([`MotionPlanner::plan`]).

mod characters;
mod goals;
mod objects;
mod settings;
mod surroundings;
#[cfg(test)]
mod tests;

use super::bodies::BuiltBody;
use super::obstacles::PlacedObstacle;
use crate::cloth::part_paths;
use crate::motion::{MotionPlanner, MotionWorld};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::SceneFile;
use conatus_math::DVec3;
use conatus_motion::Problem;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A scene may have at most this many characters.
const MAX_CHARACTERS: usize = 16;

/// The characters of a scene, ready for planning.
pub struct BuiltMotion {
    /// Plans their movement.
    pub planner: MotionPlanner,
    /// The characters in their start poses.
    pub world: MotionWorld,
    /// Their parts as obstacles for cloth and rigid bodies.
    pub parts: Vec<PlacedObstacle>,
}

/// Adds ground to a scene with characters that has no plane.
pub fn add_ground(file: &mut SceneFile) {
    if !file.character.is_empty() && file.plane.is_empty() {
        file.plane.push(crate::scene::model::PlaneSpec {
            point: [0.0; 3],
            normal: [0.0, 0.0, 1.0],
            restitution: None,
            friction: None,
        });
    }
}

/// The length of the movement in seconds; none without characters.
pub fn seconds(file: &SceneFile) -> Option<f64> {
    let motion = &file.motion;
    let phases = motion.phases.unwrap_or(settings::PHASES);
    let each = motion.phase_seconds.unwrap_or(settings::PHASE_SECONDS);
    (!file.character.is_empty()).then(|| f64::from(phases) * each)
}

/// Checks characters, objects, goals and settings, and builds the planning problem.
/// `bodies` and `obstacles` share the recording's list of names with the parts of
/// characters.
pub fn build(
    scene: &Scene,
    file: &SceneFile,
    bodies: &[BuiltBody],
    obstacles: &[PlacedObstacle],
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
    let parts = parts(&world);
    let taken: BTreeSet<&str> = (bodies.iter().map(|b| b.name.as_str()))
        .chain(obstacles.iter().map(|o| o.name.as_str()))
        .collect();
    if let Some(twice) = parts.iter().find(|p| taken.contains(p.name.as_str())) {
        diagnostics.at(
            "character",
            format!("the name `{}` is used twice", twice.name),
            "parts of characters are named like `human/left foot`; rename the body or obstacle",
        );
    }
    Some(BuiltMotion {
        planner,
        world,
        parts,
    })
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

/// The parts of characters and objects as obstacles for cloth and rigid bodies.
/// Their solids come from the characters' own descriptions, which the clip carries.
fn parts(world: &MotionWorld) -> Vec<PlacedObstacle> {
    let clip = world.clip();
    let paths = part_paths(world);
    (clip.parts().into_iter().zip(paths))
        .map(|(part, motion)| PlacedObstacle {
            name: part.name,
            mesh: Arc::new(part.shape.map(|shape| shape.mesh()).unwrap_or_default()),
            motion,
            friction: None,
            color: part.color,
        })
        .collect()
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
