//! Reads JSON of the same shape as the TOML scenes into a [`TreeNode`] tree.
//!
//! Strict JSON: no comments, no trailing commas, no duplicate keys.

use super::diagnostic::Diagnostic;
use super::tree::{MAX_DEPTH, Span, TreeKey, TreeNode, TreeValue, not_finite, too_deep};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use std::collections::BTreeMap;

/// Reads a JSON document.
pub fn parse(text: &str, source: usize) -> Result<TreeNode, Vec<Diagnostic>> {
    check_depth(text, source)?;
    let span = |start: usize, end: usize| Span { source, start, end };
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: false,
    };
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &collect, &strict).map_err(|error| {
        let message = error.kind().to_string();
        let mut letters = message.chars();
        let message = match letters.next() {
            Some(first) => first.to_lowercase().chain(letters).collect(),
            None => message,
        };
        let range = error.range();
        vec![Diagnostic::new(message).span(span(range.start, range.end))]
    })?;
    let Some(value) = parsed.value else {
        return Err(vec![
            Diagnostic::new("there is no JSON value in this file").span(span(0, 0)),
        ]);
    };
    let mut reader = Reader {
        source,
        diagnostics: Vec::new(),
    };
    let node = reader.node(value);
    if reader.diagnostics.is_empty() {
        Ok(node)
    } else {
        Err(reader.diagnostics)
    }
}

struct Reader {
    source: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn node(&mut self, value: ast::Value<'_>) -> TreeNode {
        let range = value.range();
        let span = self.span(range.start, range.end);
        let value = match value {
            ast::Value::StringLit(text) => TreeValue::String(text.value.into_owned()),
            ast::Value::BooleanLit(value) => TreeValue::Bool(value.value),
            ast::Value::NullKeyword(_) => TreeValue::Null,
            ast::Value::NumberLit(number) => match number.value.parse::<i64>() {
                Ok(value) => TreeValue::Integer(value),
                Err(_) => match number.value.parse::<f64>() {
                    Ok(value) if value.is_finite() => TreeValue::Float(value),
                    _ => {
                        self.diagnostics.push(not_finite(number.value, span));
                        TreeValue::Null
                    }
                },
            },
            ast::Value::Array(array) => {
                TreeValue::Array(array.elements.into_iter().map(|e| self.node(e)).collect())
            }
            ast::Value::Object(object) => TreeValue::Table(self.table(object)),
        };
        TreeNode { value, span }
    }

    fn table(&mut self, object: ast::Object<'_>) -> Vec<(TreeKey, TreeNode)> {
        let mut seen = BTreeMap::new();
        let mut entries = Vec::with_capacity(object.properties.len());
        for property in object.properties {
            let range = property.name.range();
            let span = self.span(range.start, range.end);
            let name = property.name.into_string();
            if seen.insert(name.clone(), ()).is_some() {
                self.diagnostics.push(
                    Diagnostic::new(format!("the key `{name}` is given twice"))
                        .help("keep one of the two")
                        .span(span),
                );
            }
            let value = self.node(property.value);
            entries.push((TreeKey { name, span }, value));
        }
        entries
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span {
            source: self.source,
            start,
            end,
        }
    }
}

/// Counts brackets outside of strings.
fn check_depth(text: &str, source: usize) -> Result<(), Vec<Diagnostic>> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(vec![too_deep(source, at)]);
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(text: &str) -> (String, usize) {
        let diagnostic = parse(text, 0).unwrap_err().remove(0);
        (
            diagnostic.message,
            diagnostic.span.map_or(0, |span| span.start),
        )
    }

    #[test]
    fn values_keep_their_places() {
        let text = r#"{ "a": [1, 2.5, null], "b": { "c": true } }"#;
        let tree = parse(text, 1).unwrap();
        assert_eq!(tree.span.end, text.len());
        let c = tree.get("b").unwrap().get("c").unwrap();
        assert_eq!((c.span.source, c.span.start, c.span.end), (1, 35, 39));
        let TreeValue::Array(elements) = &tree.get("a").unwrap().value else {
            panic!("not a list");
        };
        assert_eq!(elements[0].value, TreeValue::Integer(1));
        assert_eq!(elements[1].value, TreeValue::Float(2.5));
        assert_eq!(elements[2].value, TreeValue::Null);
    }

    #[test]
    fn extensions_of_json_are_refused() {
        for (text, start) in [
            ("{ \"a\": 1, }", 8),
            ("{ \"a\": 1 /* b */ }", 9),
            ("{ 'a': 1 }", 2),
            ("{ a: 1 }", 2),
            ("{ \"a\": 1e999 }", 7),
            ("{ \"a\": NaN }", 7),
            ("{ \"a\": 1, \"a\": 2 }", 10),
            ("{} {}", 3),
        ] {
            assert_eq!(diagnostic(text).1, start, "{text}");
        }
        assert!(diagnostic("").0.contains("no JSON value"));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_parsed() {
        let deep = "[".repeat(200_000);
        assert!(diagnostic(&deep).0.contains("levels"));
        let deep = "{\"a\":".repeat(200_000);
        assert!(diagnostic(&deep).0.contains("levels"));
        parse(&format!("[\"{}\"]", "[".repeat(1000)), 0).unwrap();
    }
}
