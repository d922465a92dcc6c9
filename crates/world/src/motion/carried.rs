//! What carried a movement: which contacts did how much, and whether both sides
//! of each feel the same force.
//!
//! All of it is read from the clip, so that it is about what others are shown.

use conatus_math::DVec3;
use conatus_record::Clip;
use conatus_record::clip::{Effector, Object};
use serde::{Deserialize, Serialize};

/// What a part of somebody had to do with something, over the whole movement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactReport {
    /// The character or the thing that the force acts on.
    pub of: String,
    /// The patch of a character; things have no names for theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What exerts it: a surface, a thing, another character's torso; for things
    /// also a character's patch.
    pub with: String,
    /// For how long they touched.
    pub seconds: f64,
    /// The size of the force, summed over time, in N·s.
    pub impulse: f64,
}

/// All contacts that were active: characters first and then things, in the order of
/// the scene, and the largest impulse of each first.
pub fn contacts(clip: &Clip) -> Vec<ContactReport> {
    let mut all = Vec::new();
    for character in &clip.characters {
        let mut own = Vec::new();
        for effector in &character.effectors {
            for (i, share) in shares(clip) {
                let Some(with) = effector.touches[i].as_ref().filter(|_| effector.active[i]) else {
                    continue;
                };
                let entry = entry(&mut own, &character.name, Some(&effector.name), with);
                entry.seconds += share;
                entry.impulse += share * effector.force[i].length();
            }
        }
        all.extend(sorted(own));
    }
    for object in &clip.objects {
        let mut own = Vec::new();
        for (i, share) in shares(clip) {
            // Corners that lie on the same thing are one contact.
            let mut now: Vec<(&str, DVec3)> = Vec::new();
            for contact in object.contacts.iter().filter(|c| c.active[i]) {
                match now.iter_mut().find(|(with, _)| *with == contact.with) {
                    Some((_, force)) => *force += contact.force[i],
                    None => now.push((&contact.with, contact.force[i])),
                }
            }
            for (with, force) in now {
                let entry = entry(&mut own, &object.name, None, with);
                entry.seconds += share;
                entry.impulse += share * force.length();
            }
        }
        all.extend(sorted(own));
    }
    all
}

/// The moments, and for how much of the time each stands.
fn shares(clip: &Clip) -> impl Iterator<Item = (usize, f64)> + use<> {
    let (count, dt) = (clip.time.len(), clip.dt);
    (0..count).map(move |i| match i == 0 || i + 1 == count {
        true => (i, 0.5 * dt),
        false => (i, dt),
    })
}

fn entry<'a>(
    all: &'a mut Vec<ContactReport>,
    of: &str,
    part: Option<&str>,
    with: &str,
) -> &'a mut ContactReport {
    let fits = |c: &ContactReport| c.part.as_deref() == part && c.with == with;
    let at = all.iter().position(fits).unwrap_or_else(|| {
        all.push(ContactReport {
            of: of.to_owned(),
            part: part.map(str::to_owned),
            with: with.to_owned(),
            ..ContactReport::default()
        });
        all.len() - 1
    });
    &mut all[at]
}

fn sorted(mut all: Vec<ContactReport>) -> Vec<ContactReport> {
    all.sort_by(|a, b| b.impulse.total_cmp(&a.impulse));
    all
}

/// The largest difference, in newtons, of what a patch feels of a thing and what the
/// thing feels of the patch. A character that others touch has no record of its own
/// in a clip: what it feels is told by [`super::clip::Sampled`].
pub fn reaction_error(clip: &Clip) -> f64 {
    let mut worst = 0.0f64;
    for object in &clip.objects {
        for character in &clip.characters {
            for effector in &character.effectors {
                let name = format!("{}/{}", character.name, effector.name);
                for i in 0..clip.time.len() {
                    let (felt, given) = both_sides(object, effector, &name, i);
                    worst = worst.max((felt + given).length());
                }
            }
        }
    }
    worst
}

/// The force on the patch, and the force on the thing, at a moment.
fn both_sides(object: &Object, effector: &Effector, name: &str, i: usize) -> (DVec3, DVec3) {
    let touches = effector.touches[i].as_ref() == Some(&object.name);
    let on_patch = match touches && effector.active[i] {
        true => effector.force[i],
        false => DVec3::ZERO,
    };
    let on_thing = (object.contacts.iter())
        .filter(|c| c.with == name && c.active[i])
        .map(|c| c.force[i])
        .sum();
    (on_patch, on_thing)
}

/// Newtons in weights of the lightest character.
pub fn in_weights(clip: &Clip, newtons: f64) -> f64 {
    let masses = clip.characters.iter().map(|c| c.mass);
    let weight = masses.fold(f64::INFINITY, f64::min) * clip.gravity.length();
    match weight > 0.0 {
        true => newtons / weight,
        false => 0.0,
    }
}
