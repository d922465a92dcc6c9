//! Errors and warnings about a scene, with their places in its texts.
//!
//! A [`Diagnostic`] is one message with its place; a [`DiagnosticList`] is several of them
//! with the texts that they point into; a [`SceneError`] is a list that made the scene
//! unusable. The program decides how they are drawn on a terminal.

use super::tree::{Span, TreeNode};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A text that a scene is made from: the scene file, a `--set` argument, a
/// mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its name in messages, mostly a path.
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
        let offset = self.char_boundary(offset);
        let before = &self.text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// The last character boundary at or before `offset`.
    fn char_boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, without a full stop.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
    /// Its place, if it is in a text.
    pub span: Option<Span>,
    /// A few words to write beside the place.
    pub label: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a place.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
            span: None,
            label: None,
        }
    }

    /// Adds how to fix it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds its place.
    pub fn span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Adds the words beside the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }
}

/// The most diagnostics that are shown at once.
pub const MAX_SHOWN: usize = 20;

/// Diagnostics and the texts that their places refer to.
///
/// It displays as one `file:line:column: message` per diagnostic, with a line of
/// help below.
#[derive(Clone, Debug, Default)]
pub struct DiagnosticList {
    sources: Vec<SourceText>,
    diagnostics: Vec<Diagnostic>,
}

impl DiagnosticList {
    /// Diagnostics and the texts that their places refer to.
    pub fn new(sources: Vec<SourceText>, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            sources,
            diagnostics,
        }
    }

    /// All diagnostics.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The first diagnostics, and the number of the others.
    pub fn shown(&self) -> (&[Diagnostic], usize) {
        let shown = self.diagnostics.len().min(MAX_SHOWN);
        (&self.diagnostics[..shown], self.diagnostics.len() - shown)
    }

    /// The texts, in the order that [`Span::source`] counts.
    pub fn sources(&self) -> &[SourceText] {
        &self.sources
    }

    /// The text that a diagnostic is in, and the bytes it covers there, which are
    /// always within the text and on character boundaries.
    pub fn place(&self, diagnostic: &Diagnostic) -> Option<(&SourceText, std::ops::Range<usize>)> {
        let span = diagnostic.span?;
        let source = self.sources.get(span.source)?;
        let start = source.char_boundary(span.start);
        Some((source, start..source.char_boundary(span.end).max(start)))
    }
}

impl fmt::Display for DiagnosticList {
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

/// The errors of a scene that cannot be used; at least one.
#[derive(Clone, Debug)]
pub struct SceneError(DiagnosticList);

impl SceneError {
    /// Errors and the texts that their places refer to.
    pub fn new(sources: Vec<SourceText>, diagnostics: Vec<Diagnostic>) -> Self {
        Self(DiagnosticList::new(sources, diagnostics))
    }

    /// An error that is not in any text.
    pub fn placeless(diagnostic: Diagnostic) -> Self {
        Self::new(Vec::new(), vec![diagnostic])
    }
}

impl Deref for SceneError {
    type Target = DiagnosticList;

    fn deref(&self) -> &DiagnosticList {
        &self.0
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl std::error::Error for SceneError {}

/// Collects errors and warnings while a world is built from a scene whose keys are valid.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    tree: Arc<TreeNode>,
    sources: Vec<SourceText>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Diagnostics {
    /// An empty collection; see `Scene::diagnostics`.
    pub(super) fn new(tree: Arc<TreeNode>, sources: Vec<SourceText>) -> Self {
        Self {
            tree,
            sources,
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds an error about the value at a path such as `body[2].mass`. If there is no such
    /// value (its absence may be the error), the closest ancestor that exists is shown. An
    /// empty `help` is none.
    pub fn at(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        let mut diagnostic = Diagnostic::new(message);
        diagnostic.help = Some(help.into()).filter(|help| !help.is_empty());
        self.push_at(path, diagnostic);
    }

    /// Adds an error at a path, unless the error already has a place.
    pub fn push_at(&mut self, path: &str, mut diagnostic: Diagnostic) {
        let tree = &self.tree;
        diagnostic
            .span
            .get_or_insert_with(|| tree.nearest_span(path));
        self.errors.push(diagnostic);
    }

    /// Adds a warning about the value at a path. A scene with warnings can be run.
    pub fn warn(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        let span = self.tree.nearest_span(path);
        self.warnings
            .push(Diagnostic::new(message).help(help).span(span));
    }

    /// Adds warnings that have their places already.
    pub(super) fn push_warnings(&mut self, warnings: &[Diagnostic]) {
        self.warnings.extend_from_slice(warnings);
    }

    /// Adds an error in another text, such as a mesh file.
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
        self.errors.push(diagnostic);
    }

    /// The number of errors so far.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Whether there are no errors so far.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// All errors, of which the caller has reported at least one.
    pub fn into_error(self) -> SceneError {
        SceneError::new(self.sources, self.errors)
    }

    /// The warnings, or all errors if there are any.
    pub fn finish(self) -> Result<DiagnosticList, SceneError> {
        if self.errors.is_empty() {
            Ok(DiagnosticList::new(self.sources, self.warnings))
        } else {
            Err(self.into_error())
        }
    }
}

/// The candidate most similar to a word, if any is similar enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes time in proportion to both lengths, and no key is that long.
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
            // A prefix counts as one edit.
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
    fn a_diagnostic_shows_file_line_column_and_help() {
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
