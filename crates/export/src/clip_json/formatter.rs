//! JSON without raw control characters.

use serde_json::ser::Formatter;
use std::io::{self, Write};

/// Writes compact JSON whose strings also escape the control characters that
/// JSON allows as they are, such as DEL and C1, so that a file can be printed on
/// a terminal. A reader gets the same strings back.
pub(super) struct EscapingFormatter;

impl Formatter for EscapingFormatter {
    fn write_string_fragment<W>(&mut self, out: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| c.is_control()) {
            out.write_all(&rest.as_bytes()[..at])?;
            // Control characters are below U+00A0: one unit of UTF-16.
            write!(out, "\\u{:04x}", u32::from(c))?;
            rest = &rest[at + c.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Serialize;

    #[test]
    fn strings_come_back_and_no_control_character_is_written() {
        let text = "a\u{1b}[2J \u{7f}\u{9b}31m\n\t\"\\ Ω\u{0}";
        let mut json = Vec::new();
        let mut out = serde_json::Serializer::with_formatter(&mut json, EscapingFormatter);
        text.serialize(&mut out).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert!(!json.chars().any(char::is_control), "{json:?}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
