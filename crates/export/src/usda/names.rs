//! Names of prims: letters, digits and underscores, not starting with a digit, and
//! unique among siblings.

use std::collections::BTreeSet;

/// The names in use.
#[derive(Default)]
pub(super) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// A valid, unused name similar to one in the scene.
    pub fn unique(&mut self, name: &str) -> String {
        let valid_char = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut base: String = name.chars().map(valid_char).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            base.insert(0, '_');
        }
        let mut candidate = base.clone();
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{base}_{number}");
            number += 1;
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_unique_for_any_names_in_the_scene() {
        let mut names = Names::default();
        let made = ["ball", "ball", "ball_2", "2nd", "", "", "Ω & <x>", "a/b"]
            .map(|name| names.unique(name));
        let expected = [
            "ball", "ball_2", "ball_2_2", "_2nd", "_", "__2", "_____x_", "a_b",
        ];
        assert_eq!(made, expected);
    }
}
