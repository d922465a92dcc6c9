//! Movements of one human show what the scene is named for. The scores of a movement
//! are checked by the search itself, which has to keep all thresholds.

use crate::support::gait::{
    assert_alternate, assert_spreads_over_its_time, assert_steps, effector, last, movement,
    swing_together, swings,
};
use conatus_math::DVec3;
use conatus_record::clip::{Clip, ClipCharacter};

const FEET: [&str; 2] = ["left foot", "right foot"];
const HANDS: [&str; 2] = ["left hand", "right hand"];

/// The names of the effectors in contact at a sample.
fn touching(who: &ClipCharacter, moment: usize) -> Vec<&str> {
    let active = who.effectors.iter().filter(|e| e.active[moment]);
    active.map(|e| e.name.as_str()).collect()
}

/// Upright at full height, in contact with both feet alone.
fn assert_stands(clip: &Clip) {
    let who = &clip.characters[0];
    let end = last(clip);
    assert_eq!(touching(who, end), FEET);
    assert!(
        who.torso.position[end].z > 1.05,
        "{}",
        who.torso.position[end]
    );
    let up = who.torso.orientation[end] * DVec3::Z;
    assert!(up.z > 0.98, "{up}");
}

#[test]
fn a_standing_human_keeps_both_feet_down() {
    let clip = movement("stand");
    assert_stands(&clip);
    for foot in FEET {
        assert!(
            effector(&clip.characters[0], foot)
                .active
                .iter()
                .all(|a| *a)
        );
    }
}

#[test]
fn a_walk_has_alternate_steps_with_lifted_feet() {
    let clip = movement("walk");
    assert_spreads_over_its_time(&clip);
    assert_stands(&clip);
    let who = &clip.characters[0];
    assert_steps(who, &FEET, 0.03, 2);
    assert_alternate(who, FEET, 0.03);
    // It has set off within the first second and a half.
    let early = clip.time.iter().position(|t| *t > 1.5).unwrap();
    assert!(who.torso.position[early].x > 0.15);
    // Upright all the way.
    for orientation in &who.torso.orientation {
        assert!((*orientation * DVec3::Z).z > 0.8);
    }
}

#[test]
fn a_walk_that_turns_ends_at_its_position_and_heading() {
    let clip = movement("walk-turn");
    assert_spreads_over_its_time(&clip);
    assert_stands(&clip);
    let who = &clip.characters[0];
    assert_steps(who, &FEET, 0.03, 1);
    let end = last(&clip);
    let forward = who.torso.orientation[end] * DVec3::X;
    assert!(forward.y > 0.98, "{forward}");
    let place = who.torso.position[end];
    assert!((place.x - 1.5).hypot(place.y - 1.2) < 0.03, "{place}");
}

/// The longest time without contacts, in seconds, and the largest height of the lower
/// foot in it.
fn flight(clip: &Clip) -> (f64, f64) {
    let who = &clip.characters[0];
    let (mut longest, mut so_far, mut height) = (0, 0, 0.0f64);
    for i in 0..clip.time.len() {
        so_far = if touching(who, i).is_empty() {
            so_far + 1
        } else {
            0
        };
        longest = longest.max(so_far);
        let low = FEET.map(|f| effector(who, f).position[i].z);
        height = height.max(low[0].min(low[1]));
    }
    (longest as f64 * clip.dt, height)
}

#[test]
fn a_jump_leaves_the_ground_with_both_feet() {
    let clip = movement("jump");
    assert_spreads_over_its_time(&clip);
    assert_stands(&clip);
    let (seconds, height) = flight(&clip);
    assert!(seconds >= 0.15, "{seconds} s in the air");
    assert!(height > 0.1, "feet {height} m up");
    // Only the feet make contact, and both lift at once.
    let who = &clip.characters[0];
    let feet = FEET.map(|f| effector(who, f));
    for i in 0..clip.time.len() {
        assert!(touching(who, i).iter().all(|name| FEET.contains(name)));
    }
    assert!(feet.iter().all(|f| swings(f, 0.05).len() == 1));
    let together = swing_together(who, FEET, 0.05);
    assert!(together > 0.9, "{together}");
    let place = who.torso.position[last(&clip)];
    assert!((place.x - 0.9).hypot(place.y) < 0.03, "{place}");
}

#[test]
fn a_walk_has_no_flight_phase() {
    assert!(flight(&movement("walk")).0 < 0.05);
}

#[test]
fn getting_up_begins_on_the_back_and_ends_on_the_feet() {
    let clip = movement("get-up-back");
    assert_spreads_over_its_time(&clip);
    assert_eq!(touching(&clip.characters[0], 0), ["back"]);
    assert_stands(&clip);
}

#[test]
fn getting_up_begins_on_the_belly_and_ends_on_the_feet() {
    let clip = movement("get-up-front");
    assert_spreads_over_its_time(&clip);
    let who = &clip.characters[0];
    assert!(
        touching(who, 0).contains(&"belly"),
        "{:?}",
        touching(who, 0)
    );
    let pushed = |hand: &&str| effector(who, hand).active.iter().any(|a| *a);
    assert!(HANDS.iter().any(pushed), "hands help");
    assert_stands(&clip);
}

#[test]
fn sitting_up_raises_the_back_from_the_ground() {
    let clip = movement("sit-up");
    assert_spreads_over_its_time(&clip);
    let who = &clip.characters[0];
    let end = last(&clip);
    assert!(touching(who, 0).contains(&"back"));
    assert!(
        touching(who, end).contains(&"seat"),
        "{:?}",
        touching(who, end)
    );
    let up = who.torso.orientation[end] * DVec3::Z;
    assert!(up.z > 0.97, "{up}");
    assert!(who.torso.position[end].z < 0.35);
}

/// Only the hands make contact, and the feet are above the hips.
fn assert_on_the_hands(clip: &Clip) {
    let who = &clip.characters[0];
    let end = last(clip);
    assert_eq!(touching(who, end), HANDS);
    let hips = who.torso.position[end] + who.torso.orientation[end] * DVec3::new(0.0, 0.0, -0.24);
    for foot in FEET {
        assert!(effector(who, foot).position[end].z > hips.z + 0.6);
    }
}

#[test]
fn a_handstand_ends_on_the_hands_alone() {
    let clip = movement("handstand");
    assert_spreads_over_its_time(&clip);
    assert_eq!(touching(&clip.characters[0], 0), FEET);
    assert_on_the_hands(&clip);
}

#[test]
fn a_walk_on_the_hands_has_hands_that_step() {
    let clip = movement("handstand-walk");
    assert_spreads_over_its_time(&clip);
    assert_on_the_hands(&clip);
    let who = &clip.characters[0];
    assert_steps(who, &HANDS, 0.03, 1);
    for i in 0..clip.time.len() {
        assert!(touching(who, i).iter().all(|name| HANDS.contains(name)));
        let up = who.torso.orientation[i] * DVec3::Z;
        assert!(up.z < -0.7, "{up} at {} s", clip.time[i]);
    }
    let place = who.torso.position[last(&clip)];
    assert!((place.x - 0.8).hypot(place.y) < 0.03, "{place}");
}

/// A limb's end is within 3 cm of a place and within a tenth of a velocity at a
/// time.
fn assert_strikes(clip: &Clip, name: &str, time: f64, place: DVec3, velocity: DVec3) {
    let path = &effector(&clip.characters[0], name).position;
    let i = (time / clip.dt).round() as usize;
    assert!((clip.time[i] - time).abs() < 1e-9);
    assert!(path[i].distance(place) < 0.03, "{} at {}", path[i], place);
    let found = (path[i + 1] - path[i - 1]) / (2.0 * clip.dt);
    let off = found.distance(velocity) / velocity.length();
    assert!(off < 0.1, "{found} instead of {velocity}");
}

#[test]
fn a_punch_hits_its_target_at_its_velocity() {
    let clip = movement("punch");
    assert_spreads_over_its_time(&clip);
    let (place, velocity) = (DVec3::new(0.75, 0.0, 1.35), DVec3::new(4.0, 0.0, 0.0));
    assert_strikes(&clip, "right hand", 1.5, place, velocity);
    assert_stands(&clip);
}

#[test]
fn a_kick_hits_its_target_at_its_velocity() {
    let clip = movement("kick");
    assert_spreads_over_its_time(&clip);
    let (place, velocity) = (DVec3::new(0.75, -0.1, 0.9), DVec3::new(4.0, 0.0, 3.0));
    assert_strikes(&clip, "right foot", 1.5, place, velocity);
    assert_stands(&clip);
}
