//! What must be seen when characters meet obstacles and handle things: each scene
//! is what its name says. Figures are judged by the search itself.

mod support;

use conatus_math::DVec3;
use conatus_record::clip::{Character, Clip, Object};
use support::seen::{assert_steps, effector, movement};

const FEET: [&str; 2] = ["left foot", "right foot"];
const HANDS: [&str; 2] = ["left hand", "right hand"];

fn last(clip: &Clip) -> usize {
    clip.time.len() - 1
}

/// Whether some part of a list is in contact with something of this name at some
/// time.
fn touches(who: &Character, parts: &[&str], what: &str) -> bool {
    let mut parts = parts.iter().map(|name| effector(who, name));
    parts.any(|e| e.touches.iter().flatten().any(|t| t.starts_with(what)))
}

/// Upright at the end, on the feet alone, so high above where they stand.
fn assert_stands_on(clip: &Clip, what: &str) {
    let (who, end) = (&clip.characters[0], last(clip));
    let down = who.effectors.iter().filter(|e| e.active[end]);
    let down: Vec<_> = down
        .map(|e| (&e.name[..], e.touches[end].as_deref()))
        .collect();
    assert!(!down.is_empty());
    for (name, on) in &down {
        assert!(FEET.contains(name), "{down:?}");
        assert!(on.is_some_and(|on| on.starts_with(what)), "{down:?}");
    }
    let up = who.torso.orientation[end] * DVec3::Z;
    assert!(up.z > 0.97, "{up}");
}

/// Both feet are in the air above a stretch of the way, each at its own time, and
/// nothing but feet carries.
fn assert_goes_over(scene: &str, from: f64, to: f64) {
    let clip = movement(scene);
    let who = &clip.characters[0];
    assert_stands_on(&clip, "ground");
    assert_steps(who, &FEET, 0.15, 1);
    for foot in FEET {
        let foot = effector(who, foot);
        let above = |p: &DVec3| (from..to).contains(&p.x);
        assert!(foot.position.iter().any(above), "{} goes over", foot.name);
        let stands = foot.active.iter().zip(&foot.position);
        let on_it = stands.filter(|(active, p)| **active && above(p)).count();
        assert_eq!(on_it, 0, "{} stands on it", foot.name);
    }
}

#[test]
fn a_low_bar_is_stepped_over() {
    assert_goes_over("step-over", 0.75, 1.05);
}

#[test]
fn a_hurdle_is_stepped_over() {
    assert_goes_over("hurdle", 0.75, 1.05);
}

#[test]
fn a_thin_hurdle_is_stepped_over() {
    assert_goes_over("hurdle-thin", 0.85, 0.95);
}

#[test]
fn stairs_are_climbed_step_by_step() {
    let clip = movement("stairs");
    let who = &clip.characters[0];
    assert_stands_on(&clip, "stairs 5");
    let feet = FEET.map(|foot| effector(who, foot));
    let steps = (1..=5).filter(|k| {
        let name = format!("stairs {k}");
        let on = |t: &Option<String>| t.as_ref() == Some(&name);
        feet.iter().any(|foot| foot.touches.iter().any(on))
    });
    assert!(steps.count() >= 3, "no more than two steps at once");
    assert!(!touches(who, &HANDS, "stairs"), "hands are not needed");
}

#[test]
fn a_block_is_climbed() {
    let clip = movement("climb");
    assert_stands_on(&clip, "block");
    assert!(clip.characters[0].torso.position[last(&clip)].z > 1.6);
}

/// A thing is lifted by hands, which bear its weight for a while, and ends at rest
/// where it belongs. Nothing else moves it.
fn assert_carried(scene: &str, place: DVec3) {
    let clip = movement(scene);
    let (who, thing): (_, &Object) = (&clip.characters[0], &clip.objects[0]);
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
    // Action and reaction: what hands feel is what the thing feels.
    for i in 0..clip.time.len() {
        let on_thing = thing.contacts.iter().filter(|c| hand(&c.with));
        let felt: DVec3 = on_thing.map(|c| c.force[i]).sum();
        let hands = HANDS.map(|h| effector(who, h));
        let with_it =
            |e: &&conatus_record::clip::Effector| e.touches[i].as_ref() == Some(&thing.name);
        let given: DVec3 = hands.into_iter().filter(with_it).map(|e| e.force[i]).sum();
        assert!((felt + given).length() < 1e-9 * weight, "{felt} {given}");
    }
}

#[test]
fn a_parcel_is_carried() {
    assert_carried("carry", DVec3::new(2.6, 0.0, 0.15));
}

#[test]
fn a_wide_human_carries_too() {
    assert_carried("wide-human-carry", DVec3::new(2.6, 0.0, 0.15));
}
