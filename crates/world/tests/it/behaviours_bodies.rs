//! Characters with other bodies lift and land their feet in the order of a gait. The
//! scores of a movement are checked by the search itself.

use crate::support::gait::{
    assert_alternate, assert_spreads_over_its_time, assert_steps, effector, movement,
    swing_together, swings,
};
use std::collections::BTreeSet;

#[test]
fn a_wide_human_walks_with_alternate_feet() {
    let clip = movement("wide-human-walk");
    assert_spreads_over_its_time(&clip);
    let who = &clip.characters[0];
    let feet = ["left foot", "right foot"];
    assert_steps(who, &feet, 0.03, 2);
    assert_alternate(who, feet, 0.03);
}

#[test]
fn a_quadruped_trots_on_diagonal_pairs() {
    let clip = movement("quadruped-trot");
    assert_spreads_over_its_time(&clip);
    let who = &clip.characters[0];
    let pairs = [
        ["left front paw", "right hind paw"],
        ["right front paw", "left hind paw"],
    ];
    assert_steps(who, pairs.as_flattened(), 0.03, 2);
    // The feet of a pair swing together, at other times than their neighbours.
    for pair in pairs {
        let together = swing_together(who, pair, 0.02);
        assert!(together > 0.5, "{pair:?}: {together}");
    }
    for neighbours in [
        ["left front paw", "right front paw"],
        ["left hind paw", "right hind paw"],
    ] {
        let together = swing_together(who, neighbours, 0.02);
        assert!(together < 0.2, "{neighbours:?}: {together}");
    }
}

#[test]
fn a_hexapod_walks_on_at_least_three_feet() {
    let clip = movement("hexapod-walk");
    assert_spreads_over_its_time(&clip);
    let who = &clip.characters[0];
    let feet: Vec<&str> = (who.effectors.iter())
        .filter(|e| e.name.ends_with("foot"))
        .map(|e| e.name.as_str())
        .collect();
    assert_eq!(feet.len(), 6);
    assert_steps(who, &feet, 0.015, 2);
    // Two may carry for a moment while others land.
    let carrying = |i: &usize| who.effectors.iter().filter(|e| e.active[*i]).count();
    let moments = 0..clip.time.len();
    assert!(moments.clone().all(|i| carrying(&i) >= 2));
    let few = moments.filter(|i| carrying(i) < 3).count();
    let share = few as f64 / clip.time.len() as f64;
    assert!(
        share < 0.03,
        "fewer than three feet carry {share} of the time"
    );
    // The feet lift at many different times.
    let lifts = |name: &&str| {
        swings(effector(who, name), 0.015)
            .into_iter()
            .map(|s| s.lift)
    };
    let times: BTreeSet<usize> = feet.iter().flat_map(lifts).collect();
    assert!(times.len() >= 5, "{times:?}");
}
