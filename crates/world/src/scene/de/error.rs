//! Translates serde's errors into the words of the scene file.

use crate::scene::diagnostic::{Diagnostic, nearest};
use crate::scene::tree::Span;
use serde::de::{Expected, Unexpected};
use std::fmt;

/// The error of a value, with the innermost place that is known.
#[derive(Debug)]
pub struct DeserializeError {
    diagnostic: Box<Diagnostic>,
}

impl DeserializeError {
    pub(super) fn new(diagnostic: Diagnostic) -> Self {
        Self {
            diagnostic: Box::new(diagnostic),
        }
    }

    /// Sets the place unless an inner value has set it already.
    pub(super) fn or_at(mut self, span: Span) -> Self {
        self.diagnostic.span.get_or_insert(span);
        self
    }

    pub(super) fn into_diagnostic(self) -> Diagnostic {
        *self.diagnostic
    }
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for DeserializeError {}

impl serde::de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(Diagnostic::new(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let (expected, found) = (plain_expected(expected), plain_found(found));
        let diagnostic = Diagnostic::new(format!("expected {expected}, found {found}"))
            .label(format!("should be {expected}"));
        Self::new(match remedy(&expected, &found) {
            "" => diagnostic,
            remedy => diagnostic.help(remedy),
        })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(Diagnostic::new(format!(
            "expected {}, found {length}",
            plain_expected(expected)
        )))
    }

    fn unknown_variant(found: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            Diagnostic::new(format!("`{found}` is not one of the choices here")).help(suggestion(
                found,
                expected,
                "the choices are",
            )),
        )
    }

    fn unknown_field(found: &str, expected: &'static [&'static str]) -> Self {
        Self::new(
            Diagnostic::new(format!("unknown key `{found}`"))
                .help(suggestion(found, expected, "the keys here are"))
                .label("not known here"),
        )
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(
            Diagnostic::new(format!("the key `{field}` is missing"))
                .help(format!("add `{field} = …` here")),
        )
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(Diagnostic::new(format!("the key `{field}` is given twice")))
    }
}

/// How to fix a value of the wrong type, where that is known.
fn remedy(expected: &str, found: &str) -> &'static str {
    match () {
        _ if expected.contains("list") && found.contains("table") => {
            "there may be several of these: begin each with [[double brackets]]"
        }
        _ if expected.contains("number") && found.contains("string") => {
            "write the number without quotes"
        }
        _ if expected.contains("string") => "write it in quotes",
        _ if expected.contains("list") => "write several values in brackets: [x, y, z]",
        _ if expected.contains("table") => "write keys and values in braces: { key = value }",
        _ => "docs/scenes.md and `conatus schema` list what every key takes",
    }
}

pub(super) fn suggestion(found: &str, expected: &[&'static str], all: &str) -> String {
    let list = expected
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match nearest(found, expected.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{all} {list}"),
    }
}

/// What serde expects, in the words of the scene file.
fn plain_expected(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "f32" | "f64" => "a number".into(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or greater".into(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".into(),
        "a boolean" => "true or false".into(),
        "a string" | "str" => "a string in quotes".into(),
        "a sequence" => "a list".into(),
        _ if text.starts_with("struct ") || text == "a map" => "a table".into(),
        _ => match text.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length}"),
            None => text,
        },
    }
}

pub(super) fn plain_found(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(value) => format!("{value}"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value:?}"),
        Unexpected::Str(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
        Unexpected::Str(_) => "a string".into(),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "a table".into(),
        other => other.to_string(),
    }
}
