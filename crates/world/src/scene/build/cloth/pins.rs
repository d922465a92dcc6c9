//! What the pins of cloth follow: keyframes, a body, an obstacle or a part of a
//! character.

use super::obstacles::{self, PlacedObstacle};
use crate::scene::build::bodies::BuiltBody;
use crate::scene::build::{check, forces};
use crate::scene::diagnostic::{Diagnostics, nearest};
use crate::scene::model::{ClothPinSpec, ClothSpec};
use conatus_cloth::PinFrame;
use std::collections::BTreeSet;

/// Everything that a pin can follow.
pub(super) struct Targets<'a> {
    /// All bodies of the scene.
    pub bodies: &'a [BuiltBody],
    /// The indices of those that the cloth knows, in its order.
    pub coupled: &'a [usize],
    /// The obstacles of the scene, and the parts of characters after them.
    pub colliders: &'a [PlacedObstacle],
    /// How many of them are obstacles.
    pub own_obstacles: usize,
}

/// The names of all bodies that pins follow.
pub(super) fn followed_bodies(cloth: &ClothSpec) -> BTreeSet<&str> {
    let pins = cloth.piece.iter().flat_map(|piece| &piece.pin);
    pins.filter_map(|pin| pin.body.as_deref()).collect()
}

impl Targets<'_> {
    /// What a pin follows; the world if that is unknown.
    pub(super) fn frame(
        &self,
        pin: &ClothPinSpec,
        path: &str,
        diagnostics: &mut Diagnostics,
    ) -> PinFrame {
        let sources = [
            ("keyframe", !pin.keyframe.is_empty()),
            ("body", pin.body.is_some()),
            ("obstacle", pin.obstacle.is_some()),
            ("part", pin.part.is_some()),
        ];
        check::at_most_one(diagnostics, path, &sources);
        let (obstacles, parts) = self.colliders.split_at(self.own_obstacles);
        let found = if let Some(name) = &pin.body {
            self.body(name, &format!("{path}.body"), diagnostics)
        } else if let Some(name) = &pin.obstacle {
            let found = position(obstacles, name);
            if found.is_none() {
                let help = match nearest(name, names(obstacles)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "obstacles are named by `name` in their `[[obstacle]]`".to_owned(),
                };
                let message = format!("there is no obstacle `{name}`");
                diagnostics.at(&format!("{path}.obstacle"), message, help);
            }
            found.map(PinFrame::Obstacle)
        } else if let Some(name) = &pin.part {
            let found = position(parts, name);
            if found.is_none() {
                let message = format!("there is no part `{name}`");
                diagnostics.at(&format!("{path}.part"), message, part_help(name, parts));
            }
            found.map(|k| PinFrame::Obstacle(self.own_obstacles + k))
        } else if !pin.keyframe.is_empty() {
            let motion = obstacles::keyframes(&pin.keyframe, pin.ease, path, diagnostics);
            Some(PinFrame::Path(motion))
        } else {
            None
        };
        found.unwrap_or(PinFrame::World)
    }

    fn body(&self, name: &str, path: &str, diagnostics: &mut Diagnostics) -> Option<PinFrame> {
        let index = forces::find(self.bodies, name, path, diagnostics)?;
        let body = self.coupled.iter().position(|&i| i == index)?;
        let start = self.bodies[index].state.pose();
        Some(PinFrame::Body { body, start })
    }
}

fn names(of: &[PlacedObstacle]) -> impl Iterator<Item = &str> {
    of.iter().map(|o| o.name.as_str())
}

fn position(of: &[PlacedObstacle], name: &str) -> Option<usize> {
    of.iter().position(|o| o.name == name)
}

/// The nearest part, and a list of all.
fn part_help(name: &str, parts: &[PlacedObstacle]) -> String {
    let all: Vec<&str> = names(parts).collect();
    match nearest(name, names(parts)) {
        _ if all.is_empty() => {
            "the scene has no characters; `body` and `obstacle` name other things".to_owned()
        }
        Some(near) => format!("did you mean `{near}`? The parts are {}", all.join(", ")),
        None => format!("the parts are {}", all.join(", ")),
    }
}
