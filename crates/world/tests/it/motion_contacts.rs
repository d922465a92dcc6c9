//! The contacts that carried a movement, in the report.

use crate::support::{find, from_text};
use conatus_world::motion::{ContactReport, MotionReport};

/// Settings of a search that takes less than a second.
const QUICK: &str = r#"
[motion]
phases = 2
phase_seconds = 0.3
iterations = [30, 60, 60]
polish = 6
attempts = 1
thresholds = { residual_max = 10, residual_mean = 10, drift = 1, limb = 1, penetration = 1, task = 1 }
"#;

/// The length of those movements in seconds.
const SECONDS: f64 = 0.6;
const GRAVITY: f64 = 9.81;

fn report(more: &str) -> MotionReport {
    let mut setup = from_text(&format!("{QUICK}\n{more}"), &[]).unwrap_or_else(|e| panic!("{e}"));
    find(&mut setup);
    let motion = setup.world.motion.as_ref().unwrap();
    motion.report().unwrap().clone()
}

fn of<'a>(report: &'a MotionReport, name: &str) -> Vec<&'a ContactReport> {
    report.contacts.iter().filter(|c| c.of == name).collect()
}

#[test]
fn the_feet_of_a_standing_character_bear_its_weight_all_the_time() {
    let found = report("[[character]]\nname = 'ada'\n[[goal]]\nkind = 'stand'\n");
    let contacts = of(&found, "ada");
    assert_eq!(contacts.len(), found.contacts.len());
    let mut parts: Vec<&str> = contacts.iter().filter_map(|c| c.part.as_deref()).collect();
    parts.sort_unstable();
    assert_eq!(parts, ["left foot", "right foot"]);
    for contact in &contacts {
        assert_eq!(contact.with, "ground");
        assert!((contact.seconds - SECONDS).abs() < 1e-9, "{contact:?}");
    }
    assert!(contacts[0].impulse >= contacts[1].impulse);
    let sum: f64 = contacts.iter().map(|c| c.impulse).sum();
    let weight = 70.0 * GRAVITY;
    assert!(
        (sum / (weight * SECONDS) - 1.0).abs() < 0.02,
        "{contacts:?}"
    );
    // No moving bodies touch each other.
    assert_eq!(found.reaction_error_bw, 0.0);
}

#[test]
fn a_hand_and_the_object_it_holds_have_equal_impulses() {
    let held = "
[[character]]
name = 'ada'
[[object]]
name = 'parcel'
shape.box.half_extents = [0.15, 0.15, 0.15]
mass = 5
position = [0.5, 0]
[[goal]]
kind = 'stand'
";
    let found = report(held);
    let parcel = of(&found, "parcel");
    assert!(!parcel.is_empty() && parcel.iter().all(|c| c.part.is_none()));
    // A contact with her is in both lists, with the same impulse.
    for theirs in &parcel {
        if let Some(part) = theirs.with.strip_prefix("ada/") {
            let hers = of(&found, "ada");
            let hers = hers
                .iter()
                .find(|c| c.part.as_deref() == Some(part) && c.with == "parcel");
            let hers = hers.unwrap_or_else(|| panic!("{theirs:?} is not hers"));
            assert!((hers.impulse - theirs.impulse).abs() < 1e-9 * theirs.impulse.max(1.0));
        }
    }
    // It lies on the ground for a while, and something bears its weight.
    assert!(parcel.iter().map(|c| c.impulse).sum::<f64>() > 0.5 * 5.0 * GRAVITY * SECONDS);
    assert!(
        found.reaction_error_bw < 1e-12,
        "{}",
        found.reaction_error_bw
    );
}

#[test]
fn hands_bear_the_weight_of_a_carried_parcel() {
    let movement = crate::support::movement("carry");
    let found = &movement.report;
    let parcel = of(found, "parcel");
    let by_hands = parcel.iter().filter(|c| c.with.contains("hand"));
    assert!(
        by_hands.map(|c| c.impulse).sum::<f64>() > 10.0,
        "{parcel:?}"
    );
    assert!(
        found.reaction_error_bw < 1e-9,
        "{}",
        found.reaction_error_bw
    );
}
