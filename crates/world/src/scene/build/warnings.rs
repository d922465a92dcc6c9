//! Warnings about a scene that can be run but may not do what its author expects: bodies
//! that start inside each other or behind a plane, and bodies that collide as bounding
//! spheres.

use super::bodies::BuiltBody;
use crate::scene::diagnostic::Diagnostics;
use crate::text;
use crate::world::World;
use conatus_rigid::contact::Contact;
use conatus_rigid::contact::detect::Detector;
use std::collections::BTreeSet;

/// Overlaps up to this share of the smaller radius are not reported: bodies that rest on
/// each other touch, and their coordinates are rounded.
const OVERLAP_TOLERANCE: f64 = 1e-3;
/// Pairs, or bodies, that a warning names.
const MAX_NAMED: usize = 4;

/// Warns of how the bodies of a world start and of what they collide as.
pub fn check(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    warn_of_overlaps(world, built, diagnostics);
    warn_of_bounding_spheres(world, built, diagnostics);
}

fn warn_of_overlaps(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    if world.detector.is_idle() {
        return;
    }
    let overlaps = overlaps(world);
    let radius = |body: usize| built[body].radius();
    let behind = |c: &&Contact| c.body_b.is_none() && c.penetration > radius(c.body_a);
    let in_plane = |c: &&Contact| c.body_b.is_none() && c.penetration <= radius(c.body_a);
    let name = |body: usize| format!("`{}`", built[body].name);
    let deepest = |list: &[&Contact]| {
        let depth = list.iter().map(|c| c.penetration).fold(0.0, f64::max);
        text::number(depth)
    };

    // Bodies that touch become one body in sticky scenes, without being pushed apart.
    let between = |c: &&Contact| c.body_b.is_some() && !world.sticky;
    let pairs: Vec<&Contact> = overlaps.iter().filter(between).collect();
    if let Some(first) = pairs.first() {
        let names: Vec<String> = pairs
            .iter()
            .map(|c| {
                format!(
                    "{} and {}",
                    name(c.body_a),
                    name(c.body_b.unwrap_or(c.body_a))
                )
            })
            .collect();
        diagnostics.warn(
            &format!("{}.position", built[first.body_a].path),
            format!(
                "bodies start inside each other, by up to {} m: {}",
                deepest(&pairs),
                text::listed(names.iter().map(String::as_str), MAX_NAMED)
            ),
            "contacts push them apart in the first steps; move them apart, or set `collides = false`",
        );
    }
    let sunk: Vec<&Contact> = overlaps.iter().filter(in_plane).collect();
    let lost: Vec<&Contact> = overlaps.iter().filter(behind).collect();
    for (contacts, words) in [
        (sunk, "start inside a plane"),
        (lost, "start behind a plane"),
    ] {
        let Some(first) = contacts.first() else {
            continue;
        };
        let names: BTreeSet<String> = contacts.iter().map(|c| name(c.body_a)).collect();
        diagnostics.warn(
            &format!("{}.position", built[first.body_a].path),
            format!(
                "bodies {words}, by up to {} m: {}",
                deepest(&contacts),
                text::listed(names.iter().map(String::as_str), MAX_NAMED)
            ),
            "contacts push them out in the first steps; move them to where the plane's `normal` points",
        );
    }
}

/// The contacts at the start that are deeper than rounding explains. The world's own
/// detector stays as it is.
fn overlaps(world: &World) -> Vec<Contact> {
    let mut detector = Detector::default();
    detector.spheres.clone_from(&world.detector.spheres);
    detector.planes.clone_from(&world.detector.planes);
    detector.between_bodies = world.detector.between_bodies;
    let mut states = Vec::new();
    world.bodies.gather(&mut states);
    let mut contacts = Vec::new();
    detector.find(&world.bodies, &states, &mut contacts);
    let mut radii = vec![f64::INFINITY; world.bodies.len()];
    for sphere in &world.detector.spheres {
        radii[sphere.body] = radii[sphere.body].min(sphere.radius);
    }
    contacts.retain(|c| {
        let smaller = c.body_b.map_or(f64::INFINITY, |b| radii[b]);
        c.penetration > OVERLAP_TOLERANCE * radii[c.body_a].min(smaller)
    });
    contacts
}

fn warn_of_bounding_spheres(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    let colliding = built.iter().filter(|b| !b.spheres.is_empty()).count();
    let meets_bodies = world.detector.between_bodies && colliding > 1;
    if !meets_bodies && world.detector.planes.is_empty() {
        return;
    }
    // Copies of an array share the entry of the scene file.
    let mut entries = BTreeSet::new();
    let mut rounded: Vec<&BuiltBody> = Vec::new();
    for body in built.iter().filter(|b| b.collides_as_bounding_sphere) {
        if entries.insert(&*body.path) {
            rounded.push(body);
        }
    }
    let Some(first) = rounded.first() else {
        return;
    };
    let names: Vec<String> = rounded.iter().map(|b| format!("`{}`", b.name)).collect();
    diagnostics.warn(
        &first.path,
        format!(
            "collides with planes and other bodies as a bounding sphere, not as its shape: {}",
            text::listed(names.iter().map(String::as_str), MAX_NAMED)
        ),
        "give it `parts` that are spheres where its shape matters, or set `collides = false`",
    );
}
