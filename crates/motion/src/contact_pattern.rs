//! Contact patterns, which decide whether two movements are different.
//!
//! Movements that differ by a few centimetres count as the same. Movements that step
//! with the other foot first, or use a hand on the ground, are different. Movements are
//! therefore compared by their contact pattern: for each phase and each contact, whether
//! the contact is in use.

use crate::program::Program;
use crate::score::TrueForces;
use crate::variables::MotionState;

/// Two movements are different if the [`distance`] of their patterns is above this
/// threshold: of ten pairs of a phase and a contact that one of the two uses, the other
/// does not use more than one. A step that comes a phase later changes two such pairs.
/// The value is a choice, not a measurement.
pub const MIN_PATTERN_DISTANCE: f64 = 0.1;

/// The number of samples in a segment.
const SAMPLES_PER_SEGMENT: usize = 7;

/// For each phase and each contact, in this order, whether the contact touches and bears
/// load for at least half of the phase. Forces at a distance, which the optimiser may
/// use, do not count.
pub fn contact_pattern(program: &Program, x: &[f64]) -> Vec<bool> {
    let layout = &program.layout;
    let mut seconds = vec![0.0; layout.phases * layout.contacts];
    let (mut state, mut forces) = (MotionState::default(), TrueForces::default());
    for moment in layout.moments(SAMPLES_PER_SEGMENT) {
        program.update_state(x, &moment, &mut state);
        forces.solve(program, &state);
        for contact in forces.in_use() {
            seconds[moment.phase * layout.contacts + contact] += moment.weight;
        }
    }
    let half = 0.5 * layout.phase_seconds;
    seconds.iter().map(|&s| s >= half).collect()
}

/// The distance of two patterns: the number of pairs of a phase and a contact in which
/// they differ (Hamming distance), divided by the number that at least one of the two
/// uses. 0 for equal patterns, 1 for patterns with nothing in common. Contacts that
/// neither uses have no influence.
pub fn distance(a: &[bool], b: &[bool]) -> f64 {
    let pairs = || a.iter().zip(b);
    let used = pairs().filter(|(a, b)| **a || **b).count();
    let differ = pairs().filter(|(a, b)| a != b).count();
    differ as f64 / used.max(1) as f64
}

/// Selects at most `keep` patterns that are all different from each other, in the order
/// of the list, and returns their indices.
pub fn select_different(patterns: &[Vec<bool>], keep: usize) -> Vec<usize> {
    let mut selected: Vec<usize> = Vec::new();
    for (i, pattern) in patterns.iter().enumerate() {
        let is_new =
            (selected.iter()).all(|&c| distance(pattern, &patterns[c]) > MIN_PATTERN_DISTANCE);
        if selected.len() < keep && is_new {
            selected.push(i);
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn the_distance_counts_only_contacts_that_one_of_the_two_uses() {
        assert_eq!(distance(&of("##.."), &of("##..")), 0.0);
        assert_eq!(distance(&of("##.."), &of("..##")), 1.0);
        assert_eq!(distance(&of("###."), &of("##.#")), 0.5);
        // Further contacts that neither uses change nothing.
        assert_eq!(distance(&of("###....."), &of("##.#....")), 0.5);
        assert_eq!(distance(&of("...."), &of("....")), 0.0);
        assert_eq!(distance(&[], &[]), 0.0);
    }

    #[test]
    fn the_first_is_selected_and_then_each_that_differs_from_all_before() {
        let patterns = ["##..", "##..", "..##", "#..#", "..##"].map(of);
        assert_eq!(select_different(&patterns, 5), [0, 2, 3]);
        assert_eq!(select_different(&patterns, 2), [0, 2]);
        assert_eq!(select_different(&patterns, 0), [0; 0]);
        assert_eq!(select_different(&[], 3), [0; 0]);
    }

    #[test]
    fn patterns_that_differ_in_one_of_ten_pairs_are_not_different() {
        let same = of("##########");
        let [one, two] = [of("#########."), of("########..")];
        assert_eq!(select_different(&[same.clone(), one], 2), [0]);
        assert_eq!(select_different(&[same, two], 2), [0, 1]);
    }
}
