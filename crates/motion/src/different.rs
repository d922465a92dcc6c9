//! Which movements are different: those that use other contacts at other times.
//!
//! Two movements that differ by a few centimetres are the same to whoever has to
//! choose; two that step with the other foot first, or with a hand on the ground,
//! are not. So movements are compared by their *pattern*: for each phase and each
//! contact, whether it is really in use then.

use crate::program::Program;
use crate::score::TrueForces;
use crate::variables::State;

/// Two movements are different when the [`distance`] between their patterns is
/// above this: of ten pairs of a phase and a contact that one of the two uses, more
/// than one is of no use to the other. A step that comes a phase later changes two
/// such pairs. The number is a choice, not a measurement.
pub const DIFFERENT: f64 = 0.1;

/// Moments to a segment at which contacts are looked at.
const MOMENTS: usize = 7;

/// For each phase and each contact, in this order, whether the contact is really
/// in use for at least half of the phase: it touches and bears load. What
/// the optimiser relies on without touching does not count.
pub fn pattern(program: &Program, x: &[f64]) -> Vec<bool> {
    let layout = &program.layout;
    let mut seconds = vec![0.0; layout.phases * layout.contacts];
    let (mut state, mut forces) = (State::default(), TrueForces::default());
    for moment in layout.moments(MOMENTS) {
        state.update(layout, x, &moment);
        state.update_limbs(&program.characters, false);
        forces.solve(program, &state);
        for contact in forces.in_use() {
            seconds[moment.phase * layout.contacts + contact] += moment.weight;
        }
    }
    let half = 0.5 * layout.phase_seconds;
    seconds.iter().map(|&s| s >= half).collect()
}

/// How far two patterns are from each other: in how many pairs of a phase and a
/// contact they differ (Hamming's distance), of those that at least one of the two
/// uses. 0 for the same pattern, 1 for patterns with nothing in common. Contacts
/// that neither uses say nothing, however many a character has.
pub fn distance(a: &[bool], b: &[bool]) -> f64 {
    let pairs = || a.iter().zip(b);
    let used = pairs().filter(|(a, b)| **a || **b).count();
    let differ = pairs().filter(|(a, b)| a != b).count();
    differ as f64 / used.max(1) as f64
}

/// Chooses at most `keep` of these patterns that are all [`DIFFERENT`] from each
/// other; those that come first go first. The numbers of those that are chosen.
pub fn choose(patterns: &[Vec<bool>], keep: usize) -> Vec<usize> {
    let mut chosen: Vec<usize> = Vec::new();
    for (i, pattern) in patterns.iter().enumerate() {
        let is_new = (chosen.iter()).all(|&c| distance(pattern, &patterns[c]) > DIFFERENT);
        if chosen.len() < keep && is_new {
            chosen.push(i);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<bool> {
        text.chars().map(|c| c == '#').collect()
    }

    #[test]
    fn the_distance_counts_only_what_one_of_the_two_uses() {
        assert_eq!(distance(&of("##.."), &of("##..")), 0.0);
        assert_eq!(distance(&of("##.."), &of("..##")), 1.0);
        assert_eq!(distance(&of("###."), &of("##.#")), 0.5);
        // More contacts that nobody uses change nothing.
        assert_eq!(distance(&of("###....."), &of("##.#....")), 0.5);
        assert_eq!(distance(&of("...."), &of("....")), 0.0);
        assert_eq!(distance(&[], &[]), 0.0);
    }

    #[test]
    fn the_first_is_chosen_and_then_whoever_differs_from_all_before() {
        let patterns = ["##..", "##..", "..##", "#..#", "..##"].map(of);
        assert_eq!(choose(&patterns, 5), [0, 2, 3]);
        assert_eq!(choose(&patterns, 2), [0, 2]);
        assert_eq!(choose(&patterns, 0), [0; 0]);
        assert_eq!(choose(&[], 3), [0; 0]);
    }

    #[test]
    fn one_in_ten_is_not_yet_different() {
        let same = of("##########");
        let [one, two] = [of("#########."), of("########..")];
        assert_eq!(choose(&[same.clone(), one], 2), [0]);
        assert_eq!(choose(&[same, two], 2), [0, 1]);
    }
}
