//! A scene file as a tree of values, each with its place in the text.
//!
//! TOML and JSON files both become such a tree, `--set` arguments change it,
//! and then it is checked against the scene's keys. Every [`TreeNode`] keeps
//! its [`Span`], so that later errors can point to it. The tree does not interpret the keys.

use super::diagnostic::Diagnostic;

/// A range of bytes in one of the texts that a scene is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which text: an index into the scene's sources.
    pub source: usize,
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The value.
    pub value: TreeValue,
    /// Its place; for a table with a header, the header.
    pub span: Span,
}

/// A value of a scene file.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeValue {
    /// JSON's `null`; the same as an absent key.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// Any other number; never NaN or infinite.
    Float(f64),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<TreeNode>),
    /// Keys and their values, in the order of the file.
    Table(Vec<(TreeKey, TreeNode)>),
}

/// A key and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeKey {
    /// The key itself, without quotes.
    pub name: String,
    /// Its place.
    pub span: Span,
}

impl TreeNode {
    /// The value of a key, if this is a table that has it.
    pub fn get(&self, name: &str) -> Option<&TreeNode> {
        self.entry(name).map(|(_, value)| value)
    }

    fn entry(&self, name: &str) -> Option<&(TreeKey, TreeNode)> {
        match &self.value {
            TreeValue::Table(entries) => entries.iter().find(|(key, _)| key.name == name),
            _ => None,
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            TreeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The place of the value at a path such as `body[2].mass`, or of the closest ancestor
    /// that exists.
    pub fn nearest_span(&self, path: &str) -> Span {
        let mut here = self;
        for step in path.split(['.', '[', ']']).filter(|step| !step.is_empty()) {
            let next = match &here.value {
                TreeValue::Table(_) => here.get(step),
                TreeValue::Array(elements) => step
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| elements.get(index)),
                _ => None,
            };
            match next {
                Some(node) => here = node,
                None => break,
            }
        }
        here.span
    }

    /// The same values without their places.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            TreeValue::Null => serde_json::Value::Null,
            TreeValue::Bool(value) => (*value).into(),
            TreeValue::Integer(value) => (*value).into(),
            TreeValue::Float(value) => (*value).into(),
            TreeValue::String(value) => value.clone().into(),
            TreeValue::Array(elements) => elements.iter().map(TreeNode::to_json).collect(),
            TreeValue::Table(entries) => entries
                .iter()
                .map(|(key, value)| (key.name.clone(), value.to_json()))
                .collect(),
        }
    }
}

/// The deepest nesting of values. Scenes need six levels. The parsers and everything that
/// walks the tree recurse, so the depth of a text is checked before it is parsed.
pub const MAX_DEPTH: usize = 64;

/// The error of a text that nests deeper than [`MAX_DEPTH`].
pub(super) fn too_deep(source: usize, at: usize) -> Diagnostic {
    Diagnostic::new(format!(
        "values are nested more than {MAX_DEPTH} levels deep here"
    ))
    .help("scene files need about six levels: look for an unclosed bracket")
    .span(Span {
        source,
        start: at,
        end: at + 1,
    })
}

/// The error of a number that is not finite.
pub(super) fn not_finite(text: &str, span: Span) -> Diagnostic {
    Diagnostic::new(format!("`{text}` is not a finite number"))
        .help("every number of a scene must be finite, from -1.7e308 to 1.7e308")
        .span(span)
        .label("not finite")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_that_does_not_exist_points_to_its_nearest_ancestor() {
        let text = "[[body]]\nname = 'a'\n[[body]]\nname = 'b'\nmass = 2\n";
        let tree = crate::scene::parse_toml::parse(text, 0).unwrap();
        let shown = |path: &str| {
            let span = tree.nearest_span(path);
            (span.start, &text[span.start..span.end])
        };
        assert_eq!(shown("body[1].mass"), (47, "2"));
        assert_eq!(shown("body[0].mass"), (0, "[[body]]"));
        assert_eq!(shown("body[1].shape.sphere.radius"), (20, "[[body]]"));
        assert_eq!(shown("body[7]"), (0, "[[body]]"));
    }
}
