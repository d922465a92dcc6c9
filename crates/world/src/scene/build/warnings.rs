//! Warnings about a scene that can be run but may not do what its author expects: bodies
//! that start inside each other or behind a plane, and meshes that collide as convex parts
//! which are much larger.

use super::bodies::BuiltBody;
use crate::scene::diagnostic::Diagnostics;
use crate::text;
use crate::world::World;
use conatus_rigid::contact::Overlap;
use std::collections::BTreeSet;

/// Overlaps up to this share of the smaller radius are not reported: bodies that rest on
/// each other touch, and their coordinates are rounded.
const OVERLAP_TOLERANCE: f64 = 1e-3;
/// Convex parts that are larger than their mesh by more than this share are reported.
const MAX_EXCESS: f64 = 0.05;
/// Pairs, or bodies, that a warning names.
const MAX_NAMED: usize = 4;

/// Warns of how the bodies of a world start and of what they collide as.
pub fn check(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    warn_of_overlaps(world, built, diagnostics);
    warn_of_coarse_parts(world, built, diagnostics);
}

fn warn_of_overlaps(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    if world.contact_engine.is_idle() {
        return;
    }
    let overlaps = overlaps(world);
    let in_plane = |c: &&Overlap| c.b.is_none() && !c.scripted && c.depth <= c.size;
    let behind = |c: &&Overlap| c.b.is_none() && !c.scripted && c.depth > c.size;
    let in_obstacle = |c: &&Overlap| c.scripted;
    let name = |body: usize| format!("`{}`", built[body].name);
    let deepest = |list: &[&Overlap]| {
        let depth = list.iter().map(|c| c.depth).fold(0.0, f64::max);
        text::number(depth)
    };

    // Bodies that touch become one body in sticky scenes, without being pushed apart.
    let between = |c: &&Overlap| c.b.is_some() && !world.sticky;
    let pairs: Vec<&Overlap> = overlaps.iter().filter(between).collect();
    if let Some(first) = pairs.first() {
        let names: Vec<String> = pairs
            .iter()
            .map(|c| format!("{} and {}", name(c.a), name(c.b.unwrap_or(c.a))))
            .collect();
        diagnostics.warn(
            &format!("{}.position", built[first.a].path),
            format!(
                "bodies start inside each other, by up to {} m: {}",
                deepest(&pairs),
                text::listed(names.iter().map(String::as_str), MAX_NAMED)
            ),
            "contacts push them apart in the first steps; move them apart, or set `collides = false`",
        );
    }
    let sunk: Vec<&Overlap> = overlaps.iter().filter(in_plane).collect();
    let lost: Vec<&Overlap> = overlaps.iter().filter(behind).collect();
    let stuck: Vec<&Overlap> = overlaps.iter().filter(in_obstacle).collect();
    let before_plane = "move them to where the plane's `normal` points";
    for (contacts, words, remedy) in [
        (sunk, "start inside a plane", before_plane),
        (lost, "start behind a plane", before_plane),
        (
            stuck,
            "start inside an obstacle or character",
            "move them apart",
        ),
    ] {
        let Some(first) = contacts.first() else {
            continue;
        };
        let names: BTreeSet<String> = contacts.iter().map(|c| name(c.a)).collect();
        diagnostics.warn(
            &format!("{}.position", built[first.a].path),
            format!(
                "bodies {words}, by up to {} m: {}",
                deepest(&contacts),
                text::listed(names.iter().map(String::as_str), MAX_NAMED)
            ),
            format!("contacts push them out in the first steps; {remedy}"),
        );
    }
}

/// The overlaps at the start that are deeper than rounding explains.
fn overlaps(world: &World) -> Vec<Overlap> {
    let mut overlaps = world.contact_engine.overlaps(&world.bodies);
    overlaps.retain(|c| c.depth > OVERLAP_TOLERANCE * c.size);
    overlaps
}

fn warn_of_coarse_parts(world: &World, built: &[BuiltBody], diagnostics: &mut Diagnostics) {
    if world.contact_engine.is_idle() {
        return;
    }
    // Copies of an array share the entry of the scene file.
    let mut entries = BTreeSet::new();
    for body in built {
        let Some(division) = body.division.filter(|d| d.excess > MAX_EXCESS) else {
            continue;
        };
        if entries.insert(&*body.path) {
            diagnostics.warn(
                &body.path,
                format!(
                    "the mesh of `{}` collides as {} convex parts, which together are {} % larger",
                    body.name,
                    division.parts,
                    text::number((100.0 * division.excess).round())
                ),
                "give `shape.mesh.decompose` a greater `max_parts` or a smaller `concavity`, \
                 or leave it if that is near enough",
            );
        }
    }
}
