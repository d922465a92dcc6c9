//! What must be seen when those who are no ordinary humans move: feet that lift
//! and land in the order of a gait. Figures are judged by the search itself.

mod support;

use support::seen::{assert_alternate, assert_steps, assert_uses_its_time, effector, movement};

#[test]
fn a_wide_human_walks_with_alternate_feet() {
    let clip = movement("wide-human-walk");
    assert_uses_its_time(&clip);
    let who = &clip.characters[0];
    let feet = ["left foot", "right foot"];
    assert_steps(who, &feet, 0.03, 2);
    assert_alternate(who, feet, 0.03);
}

#[test]
fn a_quadruped_trots_on_diagonal_pairs() {
    let clip = movement("quadruped-trot");
    assert_uses_its_time(&clip);
    let who = &clip.characters[0];
    let pairs = [
        ["left front paw", "right hind paw"],
        ["right front paw", "left hind paw"],
    ];
    assert_steps(who, pairs.as_flattened(), 0.03, 2);
    // The two of a pair do the same, and not what their neighbours do.
    let alike = |a: &str, b: &str| {
        let (a, b) = (effector(who, a), effector(who, b));
        let same = a.active.iter().zip(&b.active).filter(|(a, b)| a == b);
        same.count() as f64 / clip.time.len() as f64
    };
    for [front, hind] in pairs {
        let together = alike(front, hind);
        assert!(together > 0.6, "{front} and {hind}: {together}");
    }
    let [[left, _], [right, _]] = pairs;
    assert!(alike(left, right) < 0.4, "{left} and {right}");
    assert!(alike("left hind paw", "right hind paw") < 0.4);
}

#[test]
fn a_hexapod_walks_on_three_feet_mostly() {
    let clip = movement("hexapod-walk");
    assert_uses_its_time(&clip);
    let who = &clip.characters[0];
    let feet: Vec<&str> = (who.effectors.iter())
        .filter(|e| e.name.ends_with("foot"))
        .map(|e| e.name.as_str())
        .collect();
    assert_eq!(feet.len(), 6);
    assert_steps(who, &feet, 0.015, 2);
    // Two feet may balance it for a while, as on a line; mostly three carry.
    let carrying = |i: usize| who.effectors.iter().filter(|e| e.active[i]).count();
    let moments = clip.time.len();
    let tripods = (0..moments).filter(|&i| carrying(i) >= 3).count();
    assert!(2 * tripods > moments, "{tripods} of {moments}");
    assert!((0..moments).all(|i| carrying(i) >= 1));
}
