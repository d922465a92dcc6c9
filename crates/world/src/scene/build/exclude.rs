//! Pairs of bodies that do not collide with each other, from `[[exclude]]`.

use super::bodies::BuiltBody;
use super::forces;
use crate::scene::diagnostic::Diagnostics;
use crate::scene::model::SceneFile;
use crate::world::World;

/// Keeps the bodies of `[[exclude]]` from colliding with each other.
pub fn build(
    world: &mut World,
    file: &SceneFile,
    built: &[BuiltBody],
    diagnostics: &mut Diagnostics,
) {
    for (i, spec) in file.exclude.iter().enumerate() {
        let path = format!("exclude[{i}].bodies");
        if spec.bodies.len() < 2 {
            diagnostics.at(
                &path,
                "bodies that do not collide with each other are at least two",
                "name them; `collides = false` of a body keeps it from all collisions",
            );
        }
        let mut known = Vec::new();
        for (k, name) in spec.bodies.iter().enumerate() {
            known.extend(forces::find(
                built,
                name,
                &format!("{path}[{k}]"),
                diagnostics,
            ));
        }
        for (k, &b) in known.iter().enumerate() {
            let pairs = known[..k].iter().map(|&a| [a, b]);
            world.contact_engine.excluded.extend(pairs);
        }
    }
}
