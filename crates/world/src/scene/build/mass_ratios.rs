//! Warnings about masses that differ so much that contacts or joints between them converge
//! too slowly to hold.

use super::bodies::BuiltBody;
use crate::scene::diagnostic::Diagnostics;
use crate::text;
use crate::world::World;

/// Where a body rests on one that is this much lighter, it sinks into it.
const MAX_CONTACT_RATIO: f64 = 1e5;
/// Where a joint holds a body on one that is this much lighter, it opens.
const MAX_JOINT_RATIO: f64 = 1e3;
const REMEDY: &str = "bring the masses nearer to each other, or give smaller steps (`time.step`) or more of them (`contact.substeps`)";

/// Warns of bodies that collide or are joined and whose masses differ too much.
pub fn check(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    let engine = &world.contact_engine;
    let mass = |body: usize| world.bodies.constants(world.bodies.mount(body).mover).mass;
    let is_mobile = |body: usize| {
        let mover = world.bodies.mount(body).mover;
        world.bodies.activity(mover).is_mobile()
    };
    let named = |body: usize| format!("`{}` ({} kg)", built[body].name, text::number(mass(body)));
    for (k, joint) in engine.joints.iter().enumerate() {
        let [Some(a), Some(b)] = joint.bodies else {
            continue;
        };
        // Bodies that a command adds later are not there yet.
        if a.max(b) >= world.bodies.len() {
            continue;
        }
        let ratio = (mass(a) / mass(b)).max(mass(b) / mass(a));
        if is_mobile(a) && is_mobile(b) && ratio > MAX_JOINT_RATIO {
            diagnostics.warn(
                &format!("joint[{k}]"),
                format!(
                    "the joint holds {} and {} together: it opens where the heavier one hangs or rests on the lighter one",
                    named(a),
                    named(b)
                ),
                REMEDY,
            );
        }
    }
    if !engine.between_bodies {
        return;
    }
    let solid = engine.colliders.iter().filter(|c| !c.sensor);
    let known = |b: &usize| *b < world.bodies.len();
    let bodies = solid
        .filter_map(|c| c.body)
        .filter(known)
        .filter(|&b| is_mobile(b));
    let order = |a: &usize, b: &usize| mass(*a).total_cmp(&mass(*b));
    let (Some(light), Some(heavy)) = (bodies.clone().min_by(order), bodies.max_by(order)) else {
        return;
    };
    if mass(heavy) > MAX_CONTACT_RATIO * mass(light) {
        diagnostics.warn(
            &built[heavy].path,
            format!(
                "{} has {} times the mass of {}: where it rests on bodies that light it passes through them",
                named(heavy),
                text::number((mass(heavy) / mass(light)).round()),
                named(light)
            ),
            REMEDY,
        );
    }
}
