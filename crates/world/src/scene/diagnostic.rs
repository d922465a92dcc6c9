//! What is wrong with a scene, said so that it can be put right.
//!
//! A [`Problem`] is one complaint with its place; a [`SceneError`] is all of
//! them together with the texts they point into. How they are drawn on a
//! terminal is the program's business.

use super::tree::{Span, TreeNode};
use std::fmt;
use std::sync::Arc;

/// A text that a scene is made from: the scene file, a `--set` argument, a
/// mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// What to call it in messages, mostly a path.
    pub name: String,
    /// The text.
    pub text: Arc<str>,
}

impl SourceText {
    /// A text with a name.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
        }
    }

    /// The line and the column, counted in characters from 1, of a byte.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Where it is, if it is in a text.
    pub span: Option<Span>,
    /// A few words to write beside the place.
    pub label: Option<String>,
}

impl Diagnostic {
    /// A problem without a place so far.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            span: None,
            label: None,
        }
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says where it is.
    pub fn span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Says what to write beside the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

/// How many problems are worth showing at once.
pub const MAX_SHOWN: usize = 20;

/// Everything that was found wrong with a scene.
///
/// It displays as one `file:line:column: message` per problem, with a line of
/// help below.
#[derive(Clone, Debug)]
pub struct SceneError {
    sources: Vec<SourceText>,
    diagnostics: Vec<Diagnostic>,
}

impl SceneError {
    /// Problems and the texts that their places refer to.
    pub fn new(sources: Vec<SourceText>, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            sources,
            diagnostics,
        }
    }

    /// A problem that is not in any text.
    pub fn placeless(diagnostic: Diagnostic) -> Self {
        Self::new(Vec::new(), vec![diagnostic])
    }

    /// The problems, at least one.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The first problems, and how many there are besides.
    pub fn shown(&self) -> (&[Diagnostic], usize) {
        let shown = self.diagnostics.len().min(MAX_SHOWN);
        (&self.diagnostics[..shown], self.diagnostics.len() - shown)
    }

    /// The texts, in the order that [`Span::source`] counts.
    pub fn sources(&self) -> &[SourceText] {
        &self.sources
    }

    /// The text that a problem is in, and the bytes it covers there, which are
    /// always within the text and on character boundaries.
    pub fn place(&self, diagnostic: &Diagnostic) -> Option<(&SourceText, std::ops::Range<usize>)> {
        let span = diagnostic.span?;
        let source = self.sources.get(span.source)?;
        let on_boundary = |mut offset: usize| {
            offset = offset.min(source.text.len());
            while !source.text.is_char_boundary(offset) {
                offset -= 1;
            }
            offset
        };
        let start = on_boundary(span.start);
        Some((source, start..on_boundary(span.end).max(start)))
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shown, more) = self.shown();
        for (index, diagnostic) in shown.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            if let Some((source, range)) = self.place(diagnostic) {
                let (line, column) = source.line_column(range.start);
                write!(out, "{}:{line}:{column}: ", source.name)?;
            }
            write!(out, "{}", diagnostic.message)?;
            if let Some(help) = &diagnostic.help {
                write!(out, "\n  help: {help}")?;
            }
        }
        if more > 0 {
            write!(out, "\nand {more} more")?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}

/// Collects what is wrong with a scene whose keys are all right, while a
/// world is built from it.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    tree: Arc<TreeNode>,
    sources: Vec<SourceText>,
    diagnostics: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Nothing wrong so far; see `Scene::diagnostics`.
    pub(super) fn new(tree: Arc<TreeNode>, sources: Vec<SourceText>) -> Self {
        Self {
            tree,
            sources,
            diagnostics: Vec::new(),
        }
    }

    /// Something is wrong with the value at a path such as `body[2].mass`. If
    /// there is no such value (it may be the lack of it that is wrong), the
    /// closest thing around it is shown. An empty `help` is none.
    pub fn at(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        let mut diagnostic = Diagnostic::new(message);
        diagnostic.help = Some(help.into()).filter(|help| !help.is_empty());
        self.push_at(path, diagnostic);
    }

    /// Adds a problem at a path, unless it has a place of its own.
    pub fn push_at(&mut self, path: &str, mut diagnostic: Diagnostic) {
        let tree = &self.tree;
        diagnostic
            .span
            .get_or_insert_with(|| tree.nearest_span(path));
        self.diagnostics.push(diagnostic);
    }

    /// Something is wrong in another text, such as a mesh file.
    pub fn in_source(
        &mut self,
        name: &str,
        text: &str,
        offset: usize,
        length: usize,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let known = |source: &SourceText| source.name == name && *source.text == *text;
        let source = match self.sources.iter().position(known) {
            Some(index) => index,
            None => {
                self.sources.push(SourceText::new(name, text));
                self.sources.len() - 1
            }
        };
        let span = Span {
            source,
            start: offset,
            end: offset.saturating_add(length),
        };
        let mut diagnostic = Diagnostic::new(message).span(span);
        diagnostic.help = Some(help.into()).filter(|help| !help.is_empty());
        self.diagnostics.push(diagnostic);
    }

    /// How much is wrong so far.
    pub fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// Whether nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// All is well, or everything that is not.
    pub fn finish(self) -> Result<(), SceneError> {
        if self.diagnostics.is_empty() {
            Ok(())
        } else {
            Err(SceneError::new(self.sources, self.diagnostics))
        }
    }
}

/// The candidate most like a word, if any is like it.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time in proportion to both lengths; no key is that long.
    if word.len() > 100 {
        return None;
    }
    let plain = |text: &str| text.to_lowercase().replace(['-', ' '], "_");
    let word = plain(word);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 100)
        .map(|candidate| {
            let other = plain(candidate);
            let mut distance = strsim::damerau_levenshtein(&word, &other);
            // A word cut short, or with something added, is like it too.
            let shorter = word.len().min(other.len());
            if shorter >= 3 && (other.starts_with(&word) || word.starts_with(&other)) {
                distance = distance.min(1);
            }
            (distance, candidate)
        })
        .filter(|(distance, candidate)| {
            let length = word.chars().count().min(candidate.chars().count());
            *distance <= (length / 3).max(1)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = SourceText::new("a", "é = 1\nπ = ü");
        assert_eq!(source.line_column(0), (1, 1));
        assert_eq!(source.line_column(source.text.len()), (2, 6));
        assert_eq!(source.line_column(1), (1, 1));
        assert_eq!(source.line_column(1000), (2, 6));
    }

    #[test]
    fn a_problem_shows_file_line_column_and_help() {
        let span = Span {
            source: 0,
            start: 6,
            end: 7,
        };
        let error = SceneError::new(
            vec![SourceText::new("x.toml", "a = 1\nb = 2")],
            vec![
                Diagnostic::new("b is wrong")
                    .help("leave it out")
                    .span(span),
                Diagnostic::new("so is the rest"),
            ],
        );
        assert_eq!(
            error.to_string(),
            "x.toml:2:1: b is wrong\n  help: leave it out\nso is the rest"
        );
    }

    #[test]
    fn a_misspelt_word_finds_its_neighbour() {
        let keys = ["mass", "momentum", "position", "color", "omega_body"];
        assert_eq!(nearest("colour", keys), Some("color"));
        assert_eq!(nearest("masss", keys), Some("mass"));
        assert_eq!(nearest("pos", keys), Some("position"));
        assert_eq!(nearest("omega-body", keys), Some("omega_body"));
        assert_eq!(nearest("temperature", keys), None);
        assert_eq!(nearest("x", keys), None);
    }
}
