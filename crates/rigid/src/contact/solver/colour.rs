//! Graph colouring: constraints of one colour share no moving body, so they can be
//! solved side by side, in lanes and on threads, with the same result as one after
//! another.

/// Colours at most; constraints that find none are solved one after another.
pub const MAX_COLOURS: usize = 32;

/// Puts each pair of bodies into the first colour that neither has yet. Body 0 never
/// moves and has no colour. Returns the colours, each with the indices of its pairs;
/// the last one, with pairs that found no colour, may repeat bodies.
pub fn colour(
    pairs: impl ExactSizeIterator<Item = [u32; 2]>,
    bodies: usize,
    used: &mut Vec<u32>,
    colours: &mut Vec<Vec<u32>>,
) {
    used.clear();
    used.resize(bodies, 0);
    colours.resize_with(MAX_COLOURS + 1, Vec::new);
    colours.iter_mut().for_each(Vec::clear);
    for (index, [a, b]) in (0u32..).zip(pairs) {
        let taken = |k: u32| if k == 0 { 0 } else { used[k as usize] };
        let free = !(taken(a) | taken(b));
        let chosen = (free.trailing_zeros() as usize).min(MAX_COLOURS);
        colours[chosen].push(index);
        if chosen < MAX_COLOURS {
            used[a as usize] |= 1 << chosen;
            used[b as usize] |= 1 << chosen;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moving_body_appears_twice_in_a_colour_and_no_pair_is_lost() {
        let mut pairs = Vec::new();
        for a in 1..60u32 {
            for b in (a + 1)..60 {
                if (a * 7 + b * 13) % 5 == 0 {
                    pairs.push([a, b]);
                }
            }
            pairs.push([0, a]);
        }
        let (mut used, mut colours) = (Vec::new(), Vec::new());
        colour(pairs.iter().copied(), 60, &mut used, &mut colours);
        let mut seen = vec![0; pairs.len()];
        for members in &colours[..MAX_COLOURS] {
            let mut bodies = Vec::new();
            for &k in members {
                seen[k as usize] += 1;
                bodies.extend(pairs[k as usize].into_iter().filter(|b| *b != 0));
            }
            bodies.sort_unstable();
            let count = bodies.len();
            bodies.dedup();
            assert_eq!(count, bodies.len());
        }
        for &k in &colours[MAX_COLOURS] {
            seen[k as usize] += 1;
        }
        assert!(seen.iter().all(|n| *n == 1));
    }
}
