//! Characters: the time of the search for a movement and its score, compared with
//! the figures of Mordatch et al. (2012), where the time goes, and how many problems
//! that are not built in are solved.

pub mod more;
pub mod problem_set;
pub mod scenes;
pub mod terms;

use conatus_motion::Problem;
use conatus_world::scene::{LoadOptions, Scene, SceneError, library};

/// The names and problems of the built-in scenes with characters.
fn problems() -> Result<Vec<(&'static str, Problem)>, SceneError> {
    let mut problems = Vec::new();
    for scene in library::list() {
        let setup = match scene.family {
            "motion" => Scene::load(scene.name, &LoadOptions::default())?.build()?,
            _ => continue,
        };
        problems.extend(setup.planner.map(|planner| (scene.name, planner.problem)));
    }
    Ok(problems)
}
