//! Typed access to the attributes of XML elements, with messages at their places.

use super::include::Included;
use crate::scene::diagnostic::Diagnostic;
use crate::scene::tree::Span;
use conatus_math::DVec3;
use roxmltree::{Attribute, Node};

/// Something of a file that the scene does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The element, as `joint \`knee\``.
    pub element: String,
    /// The file, if it is one that the robot's file includes.
    pub file: Option<String>,
    /// Its line in the file, counted from 1.
    pub line: usize,
    /// What was done with it, and why.
    pub reason: String,
}

impl std::fmt::Display for Note {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(file) = &self.file {
            write!(out, "{file}, ")?;
        }
        write!(out, "line {}, {}: {}", self.line, self.element, self.reason)
    }
}

/// An element, and elements that give the attributes that it does not have: the defaults of
/// MJCF.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    /// The element itself.
    pub node: Node<'a, 'a>,
    /// Where else to look, in this order.
    pub defaults: Vec<Node<'a, 'a>>,
}

impl<'a> From<Node<'a, 'a>> for Element<'a> {
    fn from(node: Node<'a, 'a>) -> Self {
        Self {
            node,
            defaults: Vec::new(),
        }
    }
}

impl<'a> Element<'a> {
    fn attribute(&self, name: &str) -> Option<Attribute<'a, 'a>> {
        let own = std::iter::once(&self.node).chain(&self.defaults);
        own.into_iter().find_map(|node| node.attribute_node(name))
    }

    /// The text of an attribute.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.attribute(name).map(|a| a.value().trim())
    }

    /// Whether the attribute is given.
    pub fn has(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Its place: the tag that opens it.
    pub fn span(&self) -> Span {
        node_span(&self.node)
    }
}

/// The place of an element: the tag that opens it.
pub fn node_span(node: &Node) -> Span {
    let range = node.range();
    let text = &node.document().input_text()[range.clone()];
    let length = text.find('>').map_or(text.len(), |at| at + 1);
    Span {
        source: 0,
        start: range.start,
        end: range.start + length,
    }
}

/// The elements of a name directly below another.
pub fn children<'a>(node: &Node<'a, 'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    node.children().filter(move |n| n.has_tag_name(name))
}

/// The first element of a name directly below another.
pub fn child<'a>(node: &Node<'a, 'a>, name: &'a str) -> Option<Node<'a, 'a>> {
    children(node, name).next()
}

/// Collects what is wrong and what is left out.
#[derive(Debug)]
pub struct Reader<'a> {
    source: &'a Included,
    /// What makes the file unusable.
    pub errors: Vec<Diagnostic>,
    /// What was left out.
    pub notes: Vec<Note>,
}

impl<'a> Reader<'a> {
    /// A reader of a text.
    pub fn new(source: &'a Included) -> Self {
        Self {
            source,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Adds an error at a place.
    pub fn error(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.errors
            .push(Diagnostic::new(message).help(help).span(span));
    }

    /// Adds an error at an attribute, or at its element if it is absent.
    pub fn error_at(
        &mut self,
        element: &Element,
        name: &str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let span = match element.attribute(name) {
            Some(attribute) => {
                let range = attribute.range_value();
                Span {
                    source: 0,
                    start: range.start,
                    end: range.end,
                }
            }
            None => element.span(),
        };
        self.error(span, message, help);
    }

    /// Notes that something was left out or changed.
    pub fn note(&mut self, node: &Node, reason: impl Into<String>) {
        let tag = node.tag_name().name();
        let element = match node.attribute("name") {
            Some(name) => format!("{tag} `{name}`"),
            None => tag.to_owned(),
        };
        self.note_at(node_span(node), element, reason);
    }

    /// Notes that something was left out or changed, by its place.
    pub fn note_at(&mut self, span: Span, element: impl Into<String>, reason: impl Into<String>) {
        let (file, line) = self.source.line(span.start);
        self.notes.push(Note {
            element: element.into(),
            file: file.map(str::to_owned),
            line,
            reason: reason.into(),
        });
    }

    /// The numbers of an attribute; none if it is absent or wrong, which is reported.
    pub fn numbers(&mut self, element: &Element, name: &str) -> Option<Vec<f64>> {
        let text = element.text(name)?;
        let words = text.split_ascii_whitespace();
        let numbers: Option<Vec<f64>> = words
            .map(|w| w.parse().ok().filter(|n: &f64| n.is_finite()))
            .collect();
        if numbers.is_none() {
            self.error_at(
                element,
                name,
                format!("`{text}` is not a list of finite numbers"),
                format!("`{name}` takes numbers with spaces between them"),
            );
        }
        numbers
    }

    /// A fixed count of numbers.
    pub fn array<const N: usize>(&mut self, element: &Element, name: &str) -> Option<[f64; N]> {
        let numbers = self.numbers(element, name)?;
        let found = numbers.len();
        let array = numbers.try_into().ok();
        if array.is_none() {
            self.error_at(
                element,
                name,
                format!("`{name}` has {found} numbers"),
                format!("give {N} {}", if N == 1 { "number" } else { "numbers" }),
            );
        }
        array
    }

    /// A number.
    pub fn number(&mut self, element: &Element, name: &str) -> Option<f64> {
        self.array::<1>(element, name).map(|[x]| x)
    }

    /// A vector.
    pub fn vector(&mut self, element: &Element, name: &str) -> Option<DVec3> {
        self.array::<3>(element, name).map(DVec3::from)
    }

    /// A number that must be greater than zero.
    pub fn positive(&mut self, element: &Element, name: &str) -> Option<f64> {
        let value = self.number(element, name)?;
        if value <= 0.0 {
            self.error_at(
                element,
                name,
                format!("`{name}` is {value}, but must be greater than zero"),
                "give a positive number",
            );
            return None;
        }
        Some(value)
    }

    /// A direction of length one; none, with a report, if it is zero.
    pub fn direction(&mut self, element: &Element, name: &str, default: DVec3) -> DVec3 {
        let given = self.vector(element, name).unwrap_or(default);
        given.try_normalize().unwrap_or_else(|| {
            self.error_at(
                element,
                name,
                format!("`{name}` has no direction: its length is zero"),
                "give a vector such as `0 0 1`",
            );
            default
        })
    }

    /// An attribute that must be there.
    pub fn required<'e>(&mut self, element: &Element<'e>, name: &str) -> Option<&'e str> {
        let text = element.text(name).filter(|text| !text.is_empty());
        if text.is_none() {
            let tag = element.node.tag_name().name().to_owned();
            self.error(
                element.span(),
                format!("`{tag}` has no `{name}`"),
                format!("add the attribute `{name}`"),
            );
        }
        text
    }
}
