//! Properties of a movement: steps, flight, use of time.

use conatus_record::clip::{Clip, ClipCharacter, ClipEffector};

/// The clip of a built-in scene, whose movement keeps all thresholds.
pub fn movement(scene: &str) -> Clip {
    let movement = super::movement(scene);
    let report = &movement.report;
    assert!(report.good, "{scene}: {:?}", report.failure);
    movement.clip.clone()
}

/// The last moment.
pub fn last(clip: &Clip) -> usize {
    clip.time.len() - 1
}

/// Whether some part of a list is in contact with something of this name at some
/// time.
pub fn touches(who: &ClipCharacter, parts: &[&str], what: &str) -> bool {
    let mut parts = parts.iter().map(|name| effector(who, name));
    parts.any(|e| e.touches.iter().flatten().any(|t| t.starts_with(what)))
}

pub fn effector<'a>(character: &'a ClipCharacter, name: &str) -> &'a ClipEffector {
    let mut all = character.effectors.iter();
    all.find(|e| e.name == name)
        .unwrap_or_else(|| panic!("no effector {name}"))
}

/// An interval without force on a foot: when it lifts and lands, and its largest height.
pub struct Swing {
    pub lift: usize,
    pub land: usize,
    pub height: f64,
}

/// Swings that end on the ground and are higher than `least`.
pub fn swings(foot: &ClipEffector, least: f64) -> Vec<Swing> {
    let mut swings = Vec::new();
    let mut lift = None;
    for (i, &active) in foot.active.iter().enumerate() {
        match (active, lift) {
            (false, None) => lift = Some(i),
            (true, Some(from)) => {
                let heights = foot.position[from..i].iter().map(|p| p.z);
                let height = heights.fold(0.0, f64::max);
                swings.push(Swing {
                    lift: from,
                    land: i,
                    height,
                });
                lift = None;
            }
            _ => {}
        }
    }
    swings.retain(|swing| swing.height > least);
    swings
}

/// Every foot lifts and lands at least `times` times.
pub fn assert_steps(character: &ClipCharacter, feet: &[&str], least: f64, times: usize) {
    for name in feet {
        let count = swings(effector(character, name), least).len();
        assert!(count >= times, "{name} lifts {count} times");
    }
}

/// Two feet land alternately; one may take an extra step at the start or the end.
pub fn assert_alternate(character: &ClipCharacter, feet: [&str; 2], least: f64) {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (k, name) in feet.iter().enumerate() {
        let landings = swings(effector(character, name), least);
        order.extend(landings.iter().map(|s| (s.land, k)));
    }
    order.sort_unstable();
    let twice = order.windows(2).filter(|pair| pair[0].1 == pair[1].1);
    assert!(twice.count() <= 1, "{order:?}");
}

/// The time in which both of two feet swing, divided by the swing time of the foot that
/// swings less.
pub fn swing_together(character: &ClipCharacter, feet: [&str; 2], least: f64) -> f64 {
    let swinging = feet.map(|name| {
        let foot = effector(character, name);
        let mut moments = vec![false; foot.active.len()];
        for swing in swings(foot, least) {
            moments[swing.lift..swing.land].fill(true);
        }
        moments
    });
    let [a, b] = &swinging;
    let both = a.iter().zip(b).filter(|(a, b)| **a && **b).count();
    let count = |moments: &[bool]| moments.iter().filter(|m| **m).count();
    both as f64 / count(a).min(count(b)).max(1) as f64
}

/// The largest share of all paths that may fall into the last third of the time.
const MAX_LATE_SHARE: f64 = 0.6;

/// Something moves within the first fifth, and the last third has no more than
/// its share and half of the others'.
pub fn assert_spreads_over_its_time(clip: &Clip) {
    let who = &clip.characters[0];
    let moments = clip.time.len();
    let limbs = who.effectors.iter().filter(|e| e.limb.is_some());
    let mut paths: Vec<_> = limbs.map(|e| &e.position).collect();
    paths.push(&who.torso.position);
    let early = |path: &&Vec<conatus_math::DVec3>| {
        (0..moments / 5).any(|i| path[i].distance(path[0]) > 0.03)
    };
    assert!(paths.iter().any(early), "{} waits", who.name);
    let (mut all, mut late) = (0.0, 0.0);
    for path in paths {
        for i in 1..moments {
            let distance = path[i].distance(path[i - 1]);
            all += distance;
            late += if 3 * i > 2 * moments { distance } else { 0.0 };
        }
    }
    assert!(
        late < MAX_LATE_SHARE * all,
        "{}: {late} of {all} m late",
        who.name
    );
}
