//! Movements with objects and between characters show what the scene is named for.
//! The scores of a movement are checked by the search itself.

use crate::support::gait::{effector, last, movement, touches};
use conatus_math::DVec3;
use conatus_record::clip::{Clip, ClipCharacter, ClipEffector, ClipObject};

const FEET: [&str; 2] = ["left foot", "right foot"];
const HANDS: [&str; 2] = ["left hand", "right hand"];

/// Hands lift the object and carry its weight for a while; it ends at rest at `place`.
/// Nothing else moves it.
fn assert_carried(scene: &str, place: DVec3) {
    let clip = movement(scene);
    let (who, thing): (_, &ClipObject) = (&clip.characters[0], &clip.objects[0]);
    let end = last(&clip);
    assert!(
        thing.position[end].distance(place) < 0.05,
        "{}",
        thing.position[end]
    );
    assert!(touches(who, &HANDS, &thing.name));
    let weight = thing.mass * clip.gravity.length();
    let hand = |with: &str| with.ends_with(" hand");
    let lifted = (0..clip.time.len()).filter(|&i| {
        let all = thing.contacts.iter().filter(|c| hand(&c.with));
        let up: f64 = all.map(|c| c.force[i].z).sum();
        up > 0.9 * weight
    });
    let seconds = lifted.count() as f64 * clip.dt;
    assert!(seconds > 0.5, "carried for {seconds} s");
    // Action and reaction: the forces on hands are the opposite of those on the object.
    for i in 0..clip.time.len() {
        let on_thing = thing.contacts.iter().filter(|c| hand(&c.with));
        let felt: DVec3 = on_thing.map(|c| c.force[i]).sum();
        let hands = HANDS.map(|h| effector(who, h));
        let with_it = |e: &&ClipEffector| e.touches[i].as_ref() == Some(&thing.name);
        let given: DVec3 = hands.into_iter().filter(with_it).map(|e| e.force[i]).sum();
        assert!((felt + given).length() < 1e-9 * weight, "{felt} {given}");
    }
}

#[test]
fn a_parcel_is_carried() {
    assert_carried("carry", DVec3::new(2.6, 0.0, 0.15));
}

#[test]
fn a_wide_human_carries_a_parcel() {
    assert_carried("wide-human-carry", DVec3::new(2.6, 0.0, 0.15));
}

#[test]
fn a_heavy_box_is_carried() {
    assert_carried("carry-heavy", DVec3::new(2.6, 0.0, 0.15));
}

#[test]
fn a_parcel_gets_on_a_shelf() {
    let clip = movement("shelf");
    let (thing, end) = (&clip.objects[0], last(&clip));
    assert!(thing.position[end].distance(DVec3::new(1.45, 0.0, 1.32)) < 0.05);
    let mut below = thing.contacts.iter().filter(|c| c.with == "shelf");
    assert!(below.any(|c| c.active[end]), "the shelf carries it");
    assert!(touches(&clip.characters[0], &HANDS, "parcel"));
}

/// The force of all contacts of an object with partners whose name fits.
fn force_of(thing: &ClipObject, i: usize, with: impl Fn(&str) -> bool) -> DVec3 {
    let contacts = thing.contacts.iter().filter(|c| with(&c.with));
    contacts.map(|c| c.force[i]).sum()
}

#[test]
fn a_crate_is_pushed_along_the_ground_against_friction() {
    let clip = movement("push");
    let (thing, end) = (&clip.objects[0], last(&clip));
    assert!((thing.position[end].x - 2.3).abs() < 0.05);
    assert!(thing.position.iter().all(|p| (p.z - 0.45).abs() < 0.01));
    assert!(touches(&clip.characters[0], &HANDS, "crate"));
    let mut slid = 0;
    for i in 1..end {
        let v = (thing.position[i + 1] - thing.position[i - 1]) / (2.0 * clip.dt);
        let ground = force_of(thing, i, |with| with == "ground");
        if v.length() > 0.1 {
            slid += 1;
            let along = ground.dot(v.normalize());
            let wanted = -0.4 * ground.z;
            assert!((along - wanted).abs() < 0.03 * ground.z, "{along} {wanted}");
        }
    }
    assert!(slid as f64 * clip.dt > 1.0, "it slides for a while");
}

#[test]
fn a_ball_leaves_the_hand_and_flies() {
    let clip = movement("throw");
    let (ball, end) = (&clip.objects[0], last(&clip));
    assert!(ball.position[end].distance(DVec3::new(3.0, 0.0, 0.5)) < 0.05);
    assert!(touches(&clip.characters[0], &HANDS, "ball"));
    let free = |i: usize| ball.contacts.iter().all(|c| !c.active[i]);
    let flight = (0..=end).rev().take_while(|&i| free(i)).count();
    assert!(flight as f64 * clip.dt > 0.3, "{flight} moments in the air");
    // In the air only gravity acts.
    for i in end - flight + 2..end {
        let [a, b, c] = [i - 1, i, i + 1].map(|k| ball.position[k]);
        let acceleration = (a + c - b * 2.0) / (clip.dt * clip.dt);
        assert!(acceleration.distance(clip.gravity) < 0.5, "{acceleration}");
    }
    // It was released far from its end position.
    assert!(ball.position[end - flight].x < 1.6);
}

/// Whether the hands of a character hold an object at a sample.
fn holds(who: &ClipCharacter, thing: &str, i: usize) -> bool {
    let hands = HANDS.map(|h| effector(who, h));
    hands.iter().any(|h| h.touches[i].as_deref() == Some(thing))
}

#[test]
fn a_parcel_changes_hands() {
    let clip = movement("handover");
    let [anna, ben] = [&clip.characters[0], &clip.characters[1]];
    let mut all = 0..clip.time.len();
    let first_ben = all.clone().find(|&i| holds(ben, "parcel", i)).unwrap();
    let first_anna = all.clone().find(|&i| holds(anna, "parcel", i)).unwrap();
    let last_ben = all.clone().rfind(|&i| holds(ben, "parcel", i)).unwrap();
    let last_anna = all.rfind(|&i| holds(anna, "parcel", i)).unwrap();
    assert!(first_anna < first_ben, "Anna has it first");
    assert!(last_anna < last_ben, "Ben has it last");
    let end = last(&clip);
    assert!(clip.objects[0].position[end].distance(DVec3::new(1.3, 0.0, 0.15)) < 0.05);
    for (who, x) in [(anna, 0.0), (ben, 1.8)] {
        let place = who.torso.position[end];
        assert!((place.x - x).hypot(place.y) < 0.05 && place.z > 1.0);
    }
}

/// The share of one character in the impulse of all hands on the object.
fn share(clip: &Clip, name: &str) -> f64 {
    let thing = &clip.objects[0];
    let sum = |of: &dyn Fn(&str) -> bool| -> f64 {
        let contacts = thing.contacts.iter().filter(|c| of(&c.with));
        contacts.flat_map(|c| &c.force).map(|f| f.length()).sum()
    };
    let hands = sum(&|with| with.ends_with(" hand"));
    sum(&|with| with.ends_with(" hand") && with.starts_with(name)) / hands
}

#[test]
fn a_character_with_costlier_forces_does_less_work() {
    let (equal, costlier) = (movement("handover"), movement("workload"));
    let [before, after] = [&equal, &costlier].map(|clip| share(clip, "ben"));
    assert!(before > 0.1, "{before}");
    assert!(after <= 0.5 * before, "{before} became {after}");
}

#[test]
fn a_beam_is_carried_by_two() {
    let clip = movement("shared-load");
    let beam = &clip.objects[0];
    let weight = beam.mass * clip.gravity.length();
    let both = (0..clip.time.len()).filter(|&i| {
        ["anna", "ben"].iter().all(|name| {
            let hand = |with: &str| with.starts_with(name) && with.ends_with(" hand");
            force_of(beam, i, hand).z > 0.25 * weight
        })
    });
    let seconds = both.count() as f64 * clip.dt;
    assert!(seconds > 0.5, "both carry for {seconds} s");
    let end = last(&clip);
    assert!(beam.position[end].distance(DVec3::new(2.0, 0.0, 0.1)) < 0.05);
}

#[test]
fn one_human_climbs_on_the_other_and_stays() {
    let clip = movement("boost");
    let (anna, end) = (&clip.characters[0], last(&clip));
    let held = clip.time.iter().position(|t| *t > clip.time[end] - 1.4);
    for i in held.unwrap()..=end {
        assert!(anna.torso.position[i].z > 2.25, "at {} s", clip.time[i]);
        let down = anna.effectors.iter().filter(|e| e.active[i]);
        for part in down {
            let on = part.touches[i].as_deref().unwrap_or_default();
            assert!(on.starts_with("ben"), "{} on {on}", part.name);
        }
    }
    assert!(touches(&clip.characters[1], &FEET, "ground"));
}
