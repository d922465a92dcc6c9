//! From `[motion]`, `[[character]]` and `[[goal]]` to what is asked of
//! characters. Nothing is found here: that takes seconds, and belongs to the
//! run ([`Ask::find`]).

mod characters;
mod goals;
mod objects;
mod settings;
mod surroundings;

pub use surroundings::field;

use super::bodies::BuiltBody;
use super::check;
use super::obstacles::PlacedObstacle;
use crate::motion::{Ask, MotionWorld};
use crate::scene::diagnostic::Diagnostics;
use crate::scene::load::Scene;
use crate::scene::model::SceneFile;
use conatus_cloth::script::Path;
use conatus_math::DVec3;
use conatus_motion::Problem;
use std::collections::BTreeSet;
use std::sync::Arc;

/// More characters than this make no sense.
const MOST_CHARACTERS: usize = 16;

/// The characters of a scene, ready to find out how to move.
pub struct BuiltMotion {
    /// What is asked of them.
    pub ask: Ask,
    /// They themselves, as they start.
    pub world: MotionWorld,
    /// Their parts, as cloth meets them.
    pub parts: Vec<PlacedObstacle>,
}

/// Whether a scene has characters; then it has ground as well.
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

/// How long the movement of a scene's characters is, if there are any.
pub fn seconds(file: &SceneFile) -> Option<f64> {
    let motion = &file.motion;
    let phases = motion.phases.unwrap_or(settings::PHASES);
    let each = motion.phase_seconds.unwrap_or(settings::PHASE_SECONDS);
    (!file.character.is_empty()).then(|| f64::from(phases) * each)
}

/// Checks all that is said about characters; `taken` are those who share the
/// recording's list of names.
pub fn build(
    scene: &mut Scene,
    file: &SceneFile,
    bodies: &[BuiltBody],
    obstacles: &[PlacedObstacle],
    diagnostics: &mut Diagnostics,
) -> Option<BuiltMotion> {
    let before = diagnostics.len();
    let settings = settings::build(scene, file, diagnostics);
    if file.character.is_empty() {
        nobody(file, diagnostics);
        return None;
    }
    let gravity = surroundings(file, diagnostics);
    if file.character.len() > MOST_CHARACTERS {
        diagnostics.at(
            &format!("character[{MOST_CHARACTERS}]"),
            format!("there are {} characters", file.character.len()),
            format!("at most {MOST_CHARACTERS} can move together"),
        );
        return None;
    }
    let characters = characters::build(scene, file, diagnostics);
    let surfaces = surroundings::build(file, diagnostics);
    let objects = objects::build(file, diagnostics);
    if diagnostics.len() > before {
        // Goals name limbs, and the start pose is of characters.
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
    let ask = Ask {
        problem,
        goals: names,
        targets,
    };
    let start = ask.start();
    if let Err(why) = start.check() {
        diagnostics.at(
            "character",
            format!("a character cannot be recorded: {why}"),
            "give every limb, effector, patch and named ball of the hull a name of its own",
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
    Some(BuiltMotion { ask, world, parts })
}

/// What is said about characters when there are none.
fn nobody(file: &SceneFile, diagnostics: &mut Diagnostics) {
    if !file.goal.is_empty() {
        diagnostics.at(
            "goal[0]",
            "there is a goal, but no character to reach it",
            "add [[character]], which is a human who stands if nothing more is said",
        );
    }
    if !file.object.is_empty() {
        diagnostics.at(
            "object[0]",
            "there is a thing to handle, but no character to do so",
            "add [[character]], or make it a [[body]], which moves by itself",
        );
    }
}

/// Characters stand on the ground, with z up; returns gravity.
fn surroundings(file: &SceneFile, diagnostics: &mut Diagnostics) -> DVec3 {
    let gravity = super::gravity(file);
    if file.up != crate::scene::model::UpAxisSpec::Z {
        diagnostics.at(
            "up",
            "characters need z to point up",
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
    let paths: Vec<Path> = world.paths();
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

/// A number of things within what makes sense.
fn count(diagnostics: &mut Diagnostics, path: &str, what: &str, value: u32, least: u32, most: u32) {
    if !(least..=most).contains(&value) {
        diagnostics.at(
            path,
            format!("{value} {what}"),
            format!("give from {least} to {most}"),
        );
    }
}

use check::short;
