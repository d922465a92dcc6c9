//! Writes an imported robot as a commented scene file.

use super::Imported;
use std::fmt::Write;

/// The longest line of comments.
const COLUMNS: usize = 92;

impl Imported {
    /// The text of a scene file, with comments that say where everything comes from and
    /// what was left out.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let body = self.file.to_toml()?;
        let mut text = String::new();
        comment(
            &mut text,
            &format!("From {}, by `conatus import`.", self.source),
        );
        if self.notes.is_empty() {
            comment(&mut text, "Nothing was left out.");
        } else {
            comment(&mut text, "Left out or changed:");
        }
        for note in &self.notes {
            comment(&mut text, &format!("- {note}"));
        }
        text.push('\n');
        let mut bodies = self.body_places.iter();
        let mut joints = self.joint_places.iter();
        for line in body.lines() {
            let place = match line {
                "[[body]]" => bodies.next(),
                "[[joint]]" => joints.next(),
                _ => None,
            };
            if let Some(place) = place {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "# {}", plain(place));
            }
            let _ = writeln!(text, "{line}");
        }
        Ok(text)
    }
}

/// Adds a comment, broken into lines.
fn comment(text: &mut String, words: &str) {
    let mut column = 0;
    for word in plain(words).split(' ') {
        let length = word.chars().count();
        if column == 0 || column + 1 + length > COLUMNS {
            let indent = if column == 0 { "#" } else { "\n#  " };
            let _ = write!(text, "{indent} {word}");
            column = indent.len() + length;
        } else {
            let _ = write!(text, " {word}");
            column += 1 + length;
        }
    }
    text.push('\n');
}

/// Control characters would end a comment.
fn plain(text: &str) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
