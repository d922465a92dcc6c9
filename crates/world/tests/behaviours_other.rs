//! What must be seen when those who are no ordinary humans move: feet that lift
//! and land in the order of a gait. Figures are judged by the search itself.

mod support;

use conatus_record::clip::{Character, Clip, Effector};
use support::{built_in, find};

/// The movement that a built-in scene finds, which keeps all bars.
fn movement(scene: &str) -> Clip {
    let mut setup = built_in(scene, &[]);
    find(&mut setup);
    let motion = setup.world.motion.as_ref().unwrap();
    let report = motion.report().unwrap();
    assert!(report.good, "{scene}: {:?}", report.failure);
    motion.clip().clone()
}

fn effector<'a>(character: &'a Character, name: &str) -> &'a Effector {
    let mut all = character.effectors.iter();
    all.find(|e| e.name == name)
        .unwrap_or_else(|| panic!("no effector {name}"))
}

/// A time in which nothing pushes a foot: when it lands again, and how high it
/// gets.
struct Swing {
    land: usize,
    height: f64,
}

/// Swings that end on the ground and are higher than `least`.
fn swings(foot: &Effector, least: f64) -> Vec<Swing> {
    let mut swings = Vec::new();
    let mut lift = None;
    for (i, &active) in foot.active.iter().enumerate() {
        match (active, lift) {
            (false, None) => lift = Some(i),
            (true, Some(from)) => {
                let heights = foot.position[from..i].iter().map(|p| p.z);
                let height = heights.fold(0.0, f64::max);
                swings.push(Swing { land: i, height });
                lift = None;
            }
            _ => {}
        }
    }
    swings.retain(|swing| swing.height > least);
    swings
}

/// Every foot lifts and lands at least twice.
fn assert_steps(character: &Character, feet: &[&str], least: f64) {
    for name in feet {
        let count = swings(effector(character, name), least).len();
        assert!(count >= 2, "{name} lifts {count} times");
    }
}

/// Something moves within the first fifth, and two thirds of the way are not
/// left to the last third.
fn assert_uses_its_time(clip: &Clip) {
    let who = &clip.characters[0];
    let moments = clip.time.len();
    let fifth = moments / 5;
    let paths = who.effectors.iter().map(|e| &e.position);
    let moved = paths
        .chain([&who.torso.position])
        .any(|path| path[fifth].distance(path[0]) > 0.02);
    assert!(moved, "{} waits", who.name);
    let x = |i: usize| who.torso.position[i].x - who.torso.position[0].x;
    let share = x(2 * moments / 3) / x(moments - 1);
    assert!(
        share > 1.0 / 3.0,
        "{} hurries at the end: {share}",
        who.name
    );
}

#[test]
fn a_wide_human_walks_with_alternate_feet() {
    let clip = movement("wide-human-walk");
    assert_uses_its_time(&clip);
    let who = &clip.characters[0];
    let feet = ["left foot", "right foot"];
    assert_steps(who, &feet, 0.03);
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (k, name) in feet.iter().enumerate() {
        let landings = swings(effector(who, name), 0.03);
        order.extend(landings.iter().map(|s| (s.land, k)));
    }
    order.sort_unstable();
    // One foot may step once more on its place when it begins or ends.
    let twice = order.windows(2).filter(|pair| pair[0].1 == pair[1].1);
    assert!(twice.count() <= 1, "{order:?}");
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
    assert_steps(who, pairs.as_flattened(), 0.03);
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
    assert_steps(who, &feet, 0.015);
    // Two feet may balance it for a while, as on a line; mostly three carry.
    let carrying = |i: usize| who.effectors.iter().filter(|e| e.active[i]).count();
    let moments = clip.time.len();
    let tripods = (0..moments).filter(|&i| carrying(i) >= 3).count();
    assert!(2 * tripods > moments, "{tripods} of {moments}");
    assert!((0..moments).all(|i| carrying(i) >= 1));
}
