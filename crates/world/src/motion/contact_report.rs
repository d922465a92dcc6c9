//! Which contacts carried a movement, by how much, and whether action and reaction of
//! each are equal.
//!
//! Figures come from the clip where possible, so that they describe what is recorded.

use conatus_math::DVec3;
use conatus_motion::score::TrueForces;
use conatus_record::Clip;
use conatus_record::clip::{ClipEffector, ClipObject};
use serde::{Deserialize, Serialize};

/// A contact over the whole movement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactReport {
    /// The character or object that the force acts on.
    pub of: String,
    /// The patch of a character; none for objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// What exerts the force: a surface, an object, the torso of another character; for
    /// objects also a patch of a character.
    pub with: String,
    /// The time in contact, in seconds.
    pub seconds: f64,
    /// The integral of the magnitude of the force over time, in N·s.
    pub impulse: f64,
}

/// All contacts that were active: characters first and then objects, in the order of
/// the scene, the largest impulse of each first.
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
            // Corners on the same surface are one contact.
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

/// The samples and their weights for the trapezoid rule, in seconds.
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

/// The largest sum, in newtons, of the force of an object on a patch and its reaction. A
/// clip has no reactions on characters; for these see [`super::clip::Sampled`].
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

/// The force on the patch, and the force on the object, at a sample.
fn both_sides(
    object: &ClipObject,
    effector: &ClipEffector,
    name: &str,
    i: usize,
) -> (DVec3, DVec3) {
    let touches = effector.touches[i].as_ref() == Some(&object.name);
    let on_patch = match touches && effector.active[i] {
        true => effector.force[i],
        false => DVec3::ZERO,
    };
    let on_object = (object.contacts.iter())
        .filter(|c| c.with == name && c.active[i])
        .map(|c| c.force[i])
        .sum();
    (on_patch, on_object)
}

/// The largest difference between the force of a contact on its owner and its reaction
/// at one moment, in newtons. Forces are in weights of the owner; the reaction is that
/// times a ratio, in weights of the other body.
pub fn reaction_imbalance(weights: &[f64], forces: &TrueForces) -> f64 {
    let each = forces.contacts.iter().zip(&forces.solution.forces);
    let pairs = each.filter_map(|(contact, f)| Some((contact, f, contact.against?)));
    let errors = pairs.map(|(contact, f, (other, ratio))| {
        let force = DVec3::new(f[0], f[1], f[2]).length();
        force * (weights[contact.on] - ratio * weights[other]).abs()
    });
    errors.fold(0.0, f64::max)
}

/// A force in newtons, in weights of the lightest character.
pub fn in_body_weights(clip: &Clip, newtons: f64) -> f64 {
    let masses = clip.characters.iter().map(|c| c.mass);
    let weight = masses.fold(f64::INFINITY, f64::min) * clip.gravity.length();
    match weight > 0.0 {
        true => newtons / weight,
        false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{LoadOptions, Scene};
    use conatus_math::DMat3;
    use conatus_motion::inverse_dynamics::PatchContact;
    use conatus_record::clip::ClipObjectContact;

    #[test]
    fn a_ratio_other_than_that_of_the_weights_is_an_imbalance() {
        let push = |ratio: f64| {
            let mut forces = TrueForces::default();
            forces.contacts.push(PatchContact {
                on: 0,
                against: Some((1, ratio)),
                position: DVec3::ZERO,
                matrix: DMat3::IDENTITY,
                cone: None,
                weight: 1.0,
            });
            let force = [0.0, 0.3, 0.4, 9.0, 9.0, 9.0];
            forces.solution.forces.push(force);
            forces
        };
        let weights = [600.0, 1200.0];
        assert_eq!(reaction_imbalance(&weights, &push(0.5)), 0.0);
        // Half of the owner's weight acts, and twice as much reacts.
        assert_eq!(reaction_imbalance(&weights, &push(1.0)), 300.0);
    }

    #[test]
    fn a_reaction_that_differs_from_the_force_of_the_hand_is_an_error() {
        let scene = Scene::load("carry", &LoadOptions::default()).unwrap();
        let mut clip = scene.build().unwrap().planner.unwrap().start();
        assert_eq!(reaction_error(&clip), 0.0);
        let hand = (clip.characters[0].effectors.iter_mut())
            .find(|e| e.name == "left hand")
            .unwrap();
        hand.active[0] = true;
        hand.touches[0] = Some("parcel".into());
        hand.force[0] = DVec3::new(0.0, 0.0, -20.0);
        // The force on the hand has no reaction.
        assert_eq!(reaction_error(&clip), 20.0);
        clip.objects[0].contacts.push(ClipObjectContact {
            with: "human/left hand".into(),
            force: vec![DVec3::new(0.0, 5.0, 20.0)],
            point: vec![DVec3::ZERO],
            torque: vec![DVec3::ZERO],
            normal: vec![DVec3::Z],
            active: vec![true],
        });
        assert_eq!(reaction_error(&clip), 5.0);
        let contacts = contacts(&clip);
        let named = |of: &str, with: &str| contacts.iter().any(|c| c.of == of && c.with == with);
        assert!(named("human", "parcel") && named("parcel", "human/left hand"));
        let weights = in_body_weights(&clip, 70.0 * clip.gravity.length());
        assert!((weights - 1.0).abs() < 1e-12, "{weights}");
    }
}
