//! What the report says of the contacts that carried a movement.

use crate::support::{find, from_text};
use conatus_world::motion::{ContactReport, MotionReport};

/// A search that takes no time.
const QUICK: &str = r#"
[motion]
phases = 2
phase_seconds = 0.3
iterations = [30, 60, 60]
polish = 6
attempts = 1
bars = { residual_max = 10, residual_mean = 10, drift = 1, limb = 1, penetration = 1, task = 1 }
"#;

/// How long those movements are.
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
fn the_feet_of_who_stands_carry_the_weight_all_the_time() {
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
    // Nobody touches anybody.
    assert_eq!(found.reaction_error_bw, 0.0);
}

#[test]
fn hands_and_what_they_hold_feel_the_same_force() {
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
    // What somebody does to it is in both lists, as large.
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
    // It lies on the ground, at least for a while, and something carries it.
    assert!(parcel.iter().map(|c| c.impulse).sum::<f64>() > 0.5 * 5.0 * GRAVITY * SECONDS);
    assert!(
        found.reaction_error_bw < 1e-12,
        "{}",
        found.reaction_error_bw
    );
}

#[test]
fn a_parcel_that_is_carried_is_carried_by_hands() {
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
