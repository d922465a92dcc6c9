//! Movements around obstacles show what the scene is named for. The scores of a
//! movement are checked by the search itself.

use crate::support::gait::{assert_steps, effector, last, movement, touches};
use conatus_math::DVec3;
use conatus_record::clip::Clip;

const FEET: [&str; 2] = ["left foot", "right foot"];
const HANDS: [&str; 2] = ["left hand", "right hand"];

/// Upright at the end, on the feet alone, which touch `what`.
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

/// Both feet are in the air above an interval of the path, each at its own time, and only
/// feet make contact.
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
fn a_ramp_is_walked_up_with_feet_level_with_it() {
    let clip = movement("slope-walk");
    assert_stands_on(&clip, "ramp");
    let (who, end) = (&clip.characters[0], last(&clip));
    let normal = DVec3::new(-15f64.to_radians().sin(), 0.0, 15f64.to_radians().cos());
    for foot in FEET {
        let up = effector(who, foot).orientation[end] * DVec3::Z;
        assert!(up.dot(normal) > 0.999, "{foot}: {up}");
    }
    assert_steps(who, &FEET, 0.03, 1);
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

#[test]
fn a_tall_block_is_climbed_with_the_hands() {
    let clip = movement("climb-tall");
    assert_stands_on(&clip, "block");
    assert!(clip.characters[0].torso.position[last(&clip)].z > 2.0);
    assert!(touches(&clip.characters[0], &HANDS, "block"), "hands help");
}

#[test]
fn a_wall_is_climbed_by_hands_that_grip() {
    let clip = movement("climb-wall");
    assert_stands_on(&clip, "wall");
    assert!(clip.characters[0].torso.position[last(&clip)].z > 2.8);
    assert!(touches(&clip.characters[0], &HANDS, "wall"), "hands help");
}

#[test]
fn a_human_ducks_under_a_bar_and_stands_up_again() {
    let clip = movement("under-bar");
    assert_stands_on(&clip, "ground");
    let torso = &clip.characters[0].torso;
    let below = torso.position.iter().filter(|p| (p.x - 1.2).abs() < 0.15);
    let highest = below.map(|p| p.z).fold(0.0, f64::max);
    assert!(highest > 0.0, "it passes below");
    assert!(highest < 0.75, "{highest}");
}

#[test]
fn a_four_legged_animal_gets_on_a_block() {
    let clip = movement("quadruped-climb");
    let (who, end) = (&clip.characters[0], last(&clip));
    let paws = who.effectors.iter().filter(|e| e.name.ends_with("paw"));
    let on: Vec<_> = paws.map(|e| e.touches[end].as_deref()).collect();
    assert_eq!(on, [Some("block"); 4]);
    assert!(who.torso.position[end].z > 0.7);
}

/// How often a part makes contact after it had none.
fn landings(clip: &Clip, part: &str) -> usize {
    let active = &effector(&clip.characters[0], part).active;
    active.windows(2).filter(|w| !w[0] && w[1]).count()
}

#[test]
fn a_crawl_is_low_and_level_on_hands_and_knees() {
    let clip = movement("crawl");
    let who = &clip.characters[0];
    for i in 0..clip.time.len() {
        assert!(who.torso.position[i].z < 0.6, "{} s", clip.time[i]);
        let along = who.torso.orientation[i] * DVec3::Z;
        assert!(along.z.abs() < 0.35, "{along} at {} s", clip.time[i]);
    }
    let knees = ["left knee", "right knee"];
    for pair in [HANDS, knees] {
        let count: usize = pair.iter().map(|part| landings(&clip, part)).sum();
        assert!(count >= 2, "{pair:?} land {count} times");
        assert!(touches(who, &pair, "ground"));
    }
    assert!(who.torso.position[last(&clip)].x > 1.4);
}
