//! Output to the terminal.
//!
//! Titles, names, keys and file names come from files that other users may
//! have written. A control character in them could change colours, move the
//! cursor or retitle the window, so all text is escaped before it is printed.

use crate::errors::Failure;
use conatus_record::text::escape_control_characters;
use indicatif::ProgressBar;
use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Writes text for people to standard output. Line breaks stay; all other
/// control characters are escaped.
pub fn print(text: &str) -> Result<(), Failure> {
    print_verbatim(&escape_lines(text))
}

/// Writes JSON to standard output. JSON itself escapes only the first 32
/// characters; the other control characters become `\u009b` and the like.
pub fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print_verbatim(&escape_json(&format!("{value:#}\n")))
}

fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && has_control(character.encode_utf8(&mut [0; 4])) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                escaped += &format!("\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Writes a text of the program itself to standard output. A reader that has
/// gone away is reported as [`Failure::BrokenPipe`], which is no error.
pub fn print_verbatim(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes());
    match written.and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::BrokenPipe),
        Err(error) => Err(Failure::file(
            format!("cannot write to standard output: {error}"),
            "",
        )),
    }
}

/// Writes a line to standard error, above a progress bar if there is one. If
/// standard error is closed, the line is lost.
pub fn eprint_line(line: &str) {
    eprint_verbatim(&format!("{}\n", escape(line)));
}

/// Writes a text that is escaped already to standard error.
pub fn eprint_verbatim(text: &str) {
    let write = || {
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    };
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// The progress bar on standard error.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// From now on lines on standard error go above this bar.
pub fn set_bar(bar: Option<ProgressBar>) {
    *BAR.lock().unwrap_or_else(PoisonError::into_inner) = bar;
}

/// A text of one line with all control characters escaped, line breaks too.
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_control_characters(text)
}

/// Whether anything in a text would be escaped.
pub fn has_control(text: &str) -> bool {
    matches!(escape(text), Cow::Owned(_))
}

/// A path with all control characters escaped.
pub fn shown(path: &Path) -> String {
    escape(&path.display().to_string()).into_owned()
}

/// A text with all control characters escaped but for line breaks.
pub fn escape_lines(text: &str) -> String {
    escape_source(text, 0..0).0
}

/// The text of a file with all control characters escaped but for line breaks
/// and tabs, and where a range of its bytes has gone. The range must begin and
/// end between characters.
pub fn escape_source(text: &str, range: Range<usize>) -> (String, Range<usize>) {
    let mut escaped = String::with_capacity(text.len());
    let mut moved = 0..0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if at <= range.start {
            moved.start = escaped.len();
        }
        if at <= range.end {
            moved.end = escaped.len();
        }
        let next = characters.peek().map(|(_, c)| *c);
        match character {
            '\n' | '\t' => escaped.push(character),
            // Part of a line break.
            '\r' if next == Some('\n') => {}
            _ => escaped += &escape(character.encode_utf8(&mut [0; 4])),
        }
    }
    if range.start >= text.len() {
        moved.start = escaped.len();
    }
    if range.end >= text.len() {
        moved.end = escaped.len();
    }
    (escaped, moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_stay_and_all_other_control_characters_are_visible() {
        let text = escape_lines("a\u{1b}[31m\r\nb\u{7}\u{9b}c\n");
        assert_eq!(text.lines().count(), 2);
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
        assert!(text.contains("[31m") && text.ends_with("c\n"), "{text}");
        assert_eq!(shown(Path::new("a\nb")).lines().count(), 1);
    }

    #[test]
    fn json_is_escaped_without_changing_its_value() {
        let value = serde_json::json!({ "a\u{9b}": "\u{202e}\u{7f}\u{1b}\n", "b": ["plain", 1.5] });
        let escaped = escape_json(&format!("{value:#}\n"));
        assert!(escaped.chars().all(|c| c == '\n' || !c.is_control()));
        assert!(!escaped.contains('\u{202e}'), "{escaped}");
        let read: serde_json::Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(read, value);
    }

    #[test]
    fn a_range_of_an_escaped_text_covers_the_same_characters() {
        let text = "é\u{1b}key\u{7} = 1\r\nnext\u{1b}";
        for (word, is) in [("key", "key"), ("next", "next"), ("1", "1")] {
            let start = text.find(word).unwrap();
            let (escaped, range) = escape_source(text, start..start + word.len());
            assert_eq!(&escaped[range], is);
        }
        let (escaped, range) = escape_source(text, text.len()..text.len());
        assert_eq!(range, escaped.len()..escaped.len());
        assert_eq!(escape_source("", 0..0), (String::new(), 0..0));
    }
}
