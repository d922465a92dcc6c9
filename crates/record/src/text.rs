//! Makes text from scene files safe to print on a terminal.

use std::borrow::Cow;

/// The text with every control character written as an escape sequence:
/// `\n`, `\t`, `\r` or `\u{1b}`.
///
/// Scene titles, names, keys and file names come from files that others wrote.
/// Printed as they are, they could move the cursor, change colours or retitle
/// the window. Escaped are the control characters of Unicode (C0, DEL and C1),
/// line and paragraph separators, and the characters that change the direction
/// of writing.
pub fn escape_control_characters(text: &str) -> Cow<'_, str> {
    if !text.contains(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match needs_escape(c) {
            true => escaped.extend(c.escape_default()),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

fn needs_escape(c: char) -> bool {
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    // Bidirectional marks, embeddings, overrides and isolates.
    let direction = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || separator || direction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in ["", "a ball", "Ω ≠ 0, ελ, 球, \\u{1b}", "a\u{301}"] {
            assert!(matches!(escape_control_characters(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn control_characters_become_visible() {
        for (text, escaped) in [
            ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{0}\u{7f}\u{9b}31m", "\\u{0}\\u{7f}\\u{9b}31m"),
            ("a\u{2028}\u{202e}b", "a\\u{2028}\\u{202e}b"),
        ] {
            assert_eq!(escape_control_characters(text), escaped);
        }
    }

    #[test]
    fn no_control_character_is_left() {
        let all: String = (0..=0x2fff).filter_map(char::from_u32).collect();
        let escaped = escape_control_characters(&all);
        assert!(!escaped.chars().any(char::is_control));
    }
}
