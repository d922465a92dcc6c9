//! Reads TOML into a [`TreeNode`] tree.

use super::diagnostic::Diagnostic;
use super::tree::{MAX_DEPTH, Span, TreeKey, TreeNode, TreeValue, not_finite, too_deep};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Reads a TOML document. All numbers that are not finite are reported at once, but only
/// the first syntax error, because the others often follow from it.
pub fn parse(text: &str, source: usize) -> Result<TreeNode, Vec<Diagnostic>> {
    check_depth(text, false).map_err(|at| vec![too_deep(source, at)])?;
    let table = DeTable::parse(text).map_err(|error| vec![syntax_error(&error, source, 0)])?;
    let mut reader = Reader::new(text, source, 0);
    let value = TreeValue::Table(reader.table(table.into_inner()));
    let span = Span {
        source,
        start: 0,
        end: 0,
    };
    reader.finish(TreeNode { value, span })
}

/// Reads a single TOML value, `offset` bytes into its source.
pub fn parse_value(text: &str, source: usize, offset: usize) -> Result<TreeNode, Vec<Diagnostic>> {
    check_depth(text, true).map_err(|at| vec![too_deep(source, at + offset)])?;
    let value = DeValue::parse(text).map_err(|error| vec![syntax_error(&error, source, offset)])?;
    let mut reader = Reader::new(text, source, offset);
    let node = reader.node(value);
    reader.finish(node)
}

fn syntax_error(error: &toml::de::Error, source: usize, offset: usize) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.message().trim().replace('\n', "; "));
    match error.span() {
        Some(span) => diagnostic.span(Span {
            source,
            start: span.start + offset,
            end: span.end + offset,
        }),
        None => diagnostic,
    }
}

struct Reader<'a> {
    text: &'a str,
    source: usize,
    offset: usize,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, source: usize, offset: usize) -> Self {
        Self {
            text,
            source,
            offset,
            diagnostics: Vec::new(),
        }
    }

    fn finish(self, node: TreeNode) -> Result<TreeNode, Vec<Diagnostic>> {
        if self.diagnostics.is_empty() {
            Ok(node)
        } else {
            Err(self.diagnostics)
        }
    }

    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span {
            source: self.source,
            start: range.start + self.offset,
            end: range.end + self.offset,
        }
    }

    fn table(&mut self, table: DeTable<'_>) -> Vec<(TreeKey, TreeNode)> {
        let mut entries: Vec<(TreeKey, TreeNode)> = table
            .into_iter()
            .map(|(key, value)| {
                let span = self.span(key.span());
                let name = key.into_inner().into_owned();
                (TreeKey { name, span }, self.node(value))
            })
            .collect();
        // The parser sorts keys by name; errors are reported in the order of the file.
        entries.sort_by_key(|(key, _)| key.span.start);
        entries
    }

    fn node(&mut self, value: Spanned<DeValue<'_>>) -> TreeNode {
        let range = value.span();
        let span = self.span(range.clone());
        let written = self.text.get(range).unwrap_or_default();
        let value = match value.into_inner() {
            DeValue::String(text) => TreeValue::String(text.into_owned()),
            DeValue::Boolean(value) => TreeValue::Bool(value),
            DeValue::Integer(digits) => {
                match i64::from_str_radix(digits.as_str(), digits.radix()) {
                    Ok(value) => TreeValue::Integer(value),
                    // Too large for an integer, but a valid mass or stiffness.
                    Err(_) if digits.radix() == 10 => self.float(digits.as_str(), written, span),
                    Err(_) => {
                        self.diagnostics.push(
                            Diagnostic::new(format!("`{written}` does not fit into 64 bits"))
                                .span(span),
                        );
                        TreeValue::Null
                    }
                }
            }
            DeValue::Float(digits) => self.float(digits.as_str(), written, span),
            DeValue::Datetime(_) => {
                self.diagnostics.push(
                    Diagnostic::new("a date or time has no meaning in a scene")
                        .help("times are given in seconds, as in `time = 2.5`")
                        .span(span),
                );
                TreeValue::Null
            }
            DeValue::Array(elements) => {
                TreeValue::Array(elements.into_iter().map(|e| self.node(e)).collect())
            }
            DeValue::Table(table) => TreeValue::Table(self.table(table)),
        };
        TreeNode { value, span }
    }

    fn float(&mut self, digits: &str, written: &str, span: Span) -> TreeValue {
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() => TreeValue::Float(value),
            _ => {
                self.diagnostics.push(not_finite(written, span));
                TreeValue::Null
            }
        }
    }
}

/// Measures how deep tables and lists nest, dotted keys included, from the tokens of the
/// text. The parser limits brackets, but it would build a table for each of a million dots.
/// The error is the byte where the limit is exceeded.
fn check_depth(text: &str, is_value: bool) -> Result<(), usize> {
    struct Level {
        dots: usize,
        in_key: bool,
        is_list: bool,
    }
    let entry = |is_list: bool| Level {
        dots: 0,
        in_key: !is_list,
        is_list,
    };
    let bytes = text.as_bytes();
    let mut levels = vec![entry(is_value)];
    let mut depth = 0;
    let mut at = 0;
    while at < bytes.len() {
        let next = match bytes[at] {
            quote @ (b'"' | b'\'') => end_of_string(bytes, at, quote),
            b'#' => end_of_line(bytes, at),
            _ => at + 1,
        };
        let nested = levels.len() > 1;
        let Some(level) = levels.last_mut() else {
            break;
        };
        match bytes[at] {
            b'.' if level.in_key => {
                level.dots += 1;
                depth += 1;
            }
            b'=' => level.in_key = false,
            b',' | b'\n' => {
                depth -= level.dots;
                level.dots = 0;
                level.in_key = !level.is_list;
            }
            // A header: its brackets nest nothing by themselves.
            b'[' if !nested && level.in_key => {}
            bracket @ (b'[' | b'{') => {
                levels.push(entry(bracket == b'['));
                depth += 1;
            }
            b']' | b'}' if nested => {
                depth -= level.dots + 1;
                levels.pop();
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Err(at);
        }
        at = next;
    }
    Ok(())
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    bytes[from..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| from + length)
}

/// The byte after a string that opens at `from`; a string on one line that is
/// not closed ends with its line.
fn end_of_string(bytes: &[u8], from: usize, quote: u8) -> usize {
    let escapes = quote == b'"';
    let long = bytes[from..].starts_with(&[quote; 3]);
    let mut at = from + if long { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if escapes => at += 1,
            b'\n' if !long => return at,
            byte if byte == quote && !long => return at + 1,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => {
                // Up to two more quotes belong to the text.
                let mut end = at + 3;
                while end < bytes.len() && end < at + 5 && bytes[end] == quote {
                    end += 1;
                }
                return end;
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(text: &str) -> Diagnostic {
        parse(text, 0).unwrap_err().remove(0)
    }

    #[test]
    fn values_keep_their_places() {
        let text = "a = 1\n[b]\nc = { d = [1.5, 'x'] }\n";
        let tree = parse(text, 3).unwrap();
        let d = tree.get("b").unwrap().get("c").unwrap().get("d").unwrap();
        assert_eq!(d.span.source, 3);
        assert_eq!(&text[d.span.start..d.span.end], "[1.5, 'x']");
        let TreeValue::Array(elements) = &d.value else {
            panic!("not a list: {d:?}");
        };
        assert_eq!(elements[0].value, TreeValue::Float(1.5));
        assert_eq!(&text[elements[1].span.start..elements[1].span.end], "'x'");
    }

    #[test]
    fn numbers_that_are_not_finite_are_reported_at_their_place() {
        for (text, start) in [
            ("a = nan", 4),
            ("a = [1, -inf]", 8),
            ("a = 1e999", 4),
            ("\n a = { b = +inf }", 12),
        ] {
            let diagnostic = diagnostic(text);
            assert!(
                diagnostic.message.contains("not a finite"),
                "{diagnostic:?}"
            );
            assert_eq!(diagnostic.span.unwrap().start, start, "{text}");
        }
        assert_eq!(parse("a = nan\nb = inf", 0).unwrap_err().len(), 2);
    }

    #[test]
    fn an_integer_beyond_64_bits_becomes_a_float() {
        let tree = parse("a = 100_000_000_000_000_000_000", 0).unwrap();
        assert_eq!(tree.get("a").unwrap().value, TreeValue::Float(1e20));
        assert!(diagnostic("a = 0xfffffffffffffffff").message.contains("64"));
    }

    #[test]
    fn dates_are_refused() {
        assert!(diagnostic("a = 1979-05-27").message.contains("date"));
    }

    #[test]
    fn deep_nesting_is_refused_before_it_is_parsed() {
        let deep = 200_000;
        for text in [
            format!("a = {}1{}", "[".repeat(deep), "]".repeat(deep)),
            format!("a = {}", "{ b = ".repeat(deep)),
            format!("{}a = 1", "a.".repeat(deep)),
            format!("[{}a]", "a.".repeat(deep)),
            format!("[[{}a]]", "a . ".repeat(deep)),
            format!("x = {{ {}a = 1 }}", "'a'.".repeat(deep)),
        ] {
            assert!(
                diagnostic(&text).message.contains("levels"),
                "{}",
                &text[..20]
            );
        }
    }

    #[test]
    fn long_flat_files_are_not_deep() {
        for text in [
            format!("a = [{}]", "1.5, ".repeat(1000)),
            format!("a = [{}]", "[1.5, 2.5],\n".repeat(1000)),
            "[[c]]\nd.e = { f = 1.5 }\n".repeat(1000),
            format!("a = '{}' # {}", "[".repeat(100), "{.".repeat(100)),
            format!("a = \"\"\"{}\"\"\"", "\n[{.".repeat(100)),
        ] {
            parse(&text, 0).unwrap();
        }
    }
}
