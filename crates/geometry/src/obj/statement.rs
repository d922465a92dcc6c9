//! Splits the text of an OBJ file into statements and those into words.

use super::error::Place;

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) place: Place,
}

impl Word<'_> {
    /// The word for a message, shortened if it is very long.
    pub(super) fn excerpt(&self) -> String {
        const MAX_EXCERPT_CHARS: usize = 40;
        match self.text.char_indices().nth(MAX_EXCERPT_CHARS) {
            Some((end, _)) => format!("{}…", self.text.get(..end).unwrap_or_default()),
            None => self.text.to_owned(),
        }
    }
}

/// A keyword with its arguments: one line, or several joined by `\`.
#[derive(Clone, Debug)]
pub(super) struct Statement<'a> {
    pub(super) keyword: Word<'a>,
    pub(super) arguments: Vec<Word<'a>>,
    /// Whether the text ends right after this statement, without a line end.
    pub(super) cut_off: bool,
    /// Whether the text ends after a `\` that should join another line.
    pub(super) dangling: bool,
}

impl<'a> Statement<'a> {
    /// The last word.
    pub(super) fn last(&self) -> &Word<'a> {
        self.arguments.last().unwrap_or(&self.keyword)
    }

    /// From the keyword to the last argument.
    pub(super) fn place(&self) -> Place {
        let (start, last) = (self.keyword.place.offset, self.last().place);
        Place {
            offset: start,
            length: last.offset + last.length - start,
        }
    }

    /// All arguments as one text: names of groups may hold spaces.
    pub(super) fn name(&self) -> String {
        let words: Vec<&str> = self.arguments.iter().map(|w| w.text).collect();
        words.join(" ")
    }
}

/// The statements of a text, without blank lines and comments.
pub(super) fn split(text: &str) -> impl Iterator<Item = Statement<'_>> {
    // Some editors put a byte order mark before the first keyword.
    let mut offset = text.len() - text.trim_start_matches('\u{feff}').len();
    std::iter::from_fn(move || {
        while offset < text.len() {
            if let Some(statement) = next(text, &mut offset) {
                return Some(statement);
            }
        }
        None
    })
}

/// Reads one statement and moves `offset` behind it; `None` if the line, with
/// those joined to it, has no word.
fn next<'a>(text: &'a str, offset: &mut usize) -> Option<Statement<'a>> {
    let mut words = Vec::new();
    let (mut joined, mut line_end) = (true, true);
    while joined && *offset < text.len() {
        let rest = text.get(*offset..).unwrap_or_default();
        let (line, length) = match rest.find('\n') {
            Some(i) => (rest.get(..i).unwrap_or_default(), i + 1),
            None => (rest, rest.len()),
        };
        line_end = length > line.len();
        let content = line.split('#').next().unwrap_or_default();
        // A comment ends the statement; a `\` in a comment joins nothing.
        let joint = match content.len() == line.len() {
            true => content.trim_end().strip_suffix('\\'),
            false => None,
        };
        joined = joint.is_some();
        split_words(joint.unwrap_or(content), *offset, &mut words);
        *offset += length;
    }
    let mut words = words.into_iter();
    Some(Statement {
        keyword: words.next()?,
        arguments: words.collect(),
        cut_off: !line_end,
        dangling: joined,
    })
}

fn split_words<'a>(content: &'a str, offset: usize, words: &mut Vec<Word<'a>>) {
    let mut rest = content;
    loop {
        rest = rest.trim_start();
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        if text.is_empty() {
            return;
        }
        words.push(Word {
            text,
            place: Place {
                offset: offset + content.len() - rest.len(),
                length: end,
            },
        });
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<&str>> {
        split(text)
            .map(|s| {
                std::iter::once(s.keyword.text)
                    .chain(s.arguments.iter().map(|w| w.text))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn blanks_tabs_comments_and_line_ends_separate_words() {
        let text = "  v\t1 2 3 # four\r\n\r\n# none\nf 1 2\\\r\n 3\n\n";
        assert_eq!(
            words(text),
            [vec!["v", "1", "2", "3"], vec!["f", "1", "2", "3"]]
        );
    }

    #[test]
    fn words_have_their_place_in_the_text() {
        let text = "# ä\n\tv  1.5";
        let statement = split(text).next().unwrap();
        let place = statement.arguments[0].place;
        assert_eq!(&text[place.offset..place.offset + place.length], "1.5");
        assert!(statement.cut_off && !statement.dangling);
    }

    #[test]
    fn a_backslash_at_the_end_of_the_text_is_dangling() {
        assert!(split("f 1 2 \\").next().unwrap().dangling);
        assert!(split("f 1 2 \\\n").next().unwrap().dangling);
        assert!(!split("f 1 2 3 # \\").next().unwrap().dangling);
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(words("\u{feff}v 1"), [["v", "1"]]);
    }

    #[test]
    fn a_name_may_hold_spaces() {
        let text = "g  left arm  # mine\n";
        assert_eq!(split(text).next().unwrap().name(), "left arm");
    }
}
