//! The text of a robot with the files that it includes, as MJCF's `include` does it: the
//! content of their outermost elements takes the place of the element that names them.

use super::shapes::plain_path;
use super::xml::node_span;
use crate::scene::diagnostic::{Diagnostic, SceneError, SourceText};
use crate::scene::files::Files;
use crate::scene::tree::Span;

/// The most files of a robot.
const MAX_FILES: usize = 100;

/// A text that is put together from several files.
#[derive(Clone, Debug)]
pub struct Included {
    /// The whole text, with the name of the first file.
    pub text: SourceText,
    /// The files, the robot's own first.
    files: Vec<SourceText>,
    /// Where a piece of a file starts in the whole, which file, and where it starts there.
    pieces: Vec<(usize, usize, usize)>,
}

impl Included {
    /// Reads a text and what it includes; `folder` is that of the robot's file.
    pub fn read(source: &SourceText, folder: &str, files: &Files) -> Result<Self, SceneError> {
        let mut out = Self {
            text: source.clone(),
            files: Vec::new(),
            pieces: Vec::new(),
        };
        let mut whole = String::new();
        out.add(source.clone(), folder, files, &mut whole)?;
        if out.files.len() > 1 {
            out.text = SourceText::new(source.name.clone(), whole);
        }
        Ok(out)
    }

    fn add(
        &mut self,
        source: SourceText,
        folder: &str,
        files: &Files,
        whole: &mut String,
    ) -> Result<(), SceneError> {
        let number = self.files.len();
        self.files.push(source.clone());
        let failed = |d: Diagnostic| SceneError::new(vec![source.clone()], vec![d]);
        let text = &source.text;
        let document = roxmltree::Document::parse(text)
            .map_err(|error| failed(super::xml_error(&error, text)))?;
        let root = document.root_element();
        // Of an included file, what is inside its outermost element.
        let inner = match (root.first_child(), root.last_child()) {
            (Some(first), Some(last)) => first.range().start..last.range().end,
            _ => 0..0,
        };
        let range = if number == 0 { 0..text.len() } else { inner };
        let mut at = range.start;
        let named = |n: &roxmltree::Node| n.has_tag_name("include");
        let is_mjcf = root.tag_name().name().starts_with("mujoco");
        for node in root.descendants().filter(|n| is_mjcf && named(n)) {
            let span = node_span(&node);
            let wrong = |message: String, help: &str| {
                failed(Diagnostic::new(message).help(help).span(span))
            };
            let Some(file) = node.attribute("file") else {
                return Err(wrong("`include` has no `file`".into(), "add `file=\"…\"`"));
            };
            let name = plain_path(&format!("{folder}{file}"));
            let read = files.read(&name).map_err(|mut why| {
                let help = "the address is relative to the folder of the robot's file";
                why.help.get_or_insert(help.into());
                failed(why.span(span))
            })?;
            if self.files.len() >= MAX_FILES || self.files.iter().any(|f| f.name == read.name) {
                let help = "a file may be included once, and not by itself";
                return Err(wrong(format!("`{file}` is included twice"), help));
            }
            self.piece(whole, number, at);
            whole.push_str(&text[at..node.range().start]);
            at = node.range().end;
            self.add(read, folder, files, whole)?;
        }
        self.piece(whole, number, at);
        whole.push_str(&text[at..range.end]);
        Ok(())
    }

    fn piece(&mut self, whole: &str, file: usize, at: usize) {
        self.pieces.push((whole.len(), file, at));
    }

    /// The file and the offset in it of a byte of the whole text.
    fn locate(&self, offset: usize) -> (usize, usize) {
        let after = self.pieces.partition_point(|piece| piece.0 <= offset);
        match after.checked_sub(1).and_then(|k| self.pieces.get(k)) {
            Some((start, file, at)) => (*file, at + (offset - start)),
            None => (0, offset),
        }
    }

    /// The line of a byte of the whole text in its file, and the name of the file if it is
    /// not the robot's own.
    pub fn line(&self, offset: usize) -> (Option<&str>, usize) {
        let (file, offset) = self.locate(offset);
        let source = &self.files[file];
        let name = Some(source.name.as_str()).filter(|_| file > 0);
        (name, source.line_column(offset).0)
    }

    /// Errors about the whole text, with their places in its files.
    pub fn error(&self, mut errors: Vec<Diagnostic>) -> SceneError {
        for span in errors.iter_mut().filter_map(|d| d.span.as_mut()) {
            let (source, start) = self.locate(span.start);
            *span = Span {
                source,
                start,
                end: start + (span.end - span.start),
            };
        }
        SceneError::new(self.files.clone(), errors)
    }
}
