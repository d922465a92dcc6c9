//! Reads docs/equations.md and docs/errata.md, the tags in doc comments, and
//! the items that carry them.

use std::collections::BTreeSet;

/// One of the documents that equations are numbered in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Document {
    Chaney,
    DiPierro,
    Harmon,
    Mordatch,
}

impl Document {
    pub const ALL: [Self; 4] = [Self::Chaney, Self::DiPierro, Self::Harmon, Self::Mordatch];

    /// As tags and headings spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chaney => "Chaney",
            Self::DiPierro => "Di Pierro",
            Self::Harmon => "Harmon",
            Self::Mordatch => "Mordatch",
        }
    }

    /// The number of its last equation; the first is 1.
    pub fn last(self) -> u32 {
        match self {
            Self::Chaney => 33,
            Self::DiPierro => 80,
            Self::Harmon => 7,
            Self::Mordatch => 13,
        }
    }
}

/// An item in a file: `path: item`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    pub item: String,
}

/// A row of docs/equations.md.
#[derive(Clone, Debug)]
pub struct Row {
    pub document: Document,
    /// Its numbers; none for a formula without one.
    pub equations: Vec<u32>,
    /// For those, what stands for it: `§4` or `Algorithm 1`.
    pub section: String,
    pub code: Vec<Place>,
    pub tests: Vec<Place>,
}

/// An entry of docs/errata.md.
#[derive(Clone, Debug)]
pub struct Erratum {
    pub title: String,
    pub tests: Vec<Place>,
}

/// The rows of docs/equations.md: tables of four columns under headings `##
/// Chaney` and the like. A row begins with numbers, with a section or with an
/// algorithm.
pub fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut document = None;
    let mut rows = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let fail = |what: &str| Err(format!("line {}: {what}: {line}", number + 1));
        if let Some(heading) = line.strip_prefix("## ") {
            document = Document::ALL
                .into_iter()
                .find(|d| heading.starts_with(d.name()));
        }
        let first = ["| (", "| §", "| Algorithm "];
        if !first.iter().any(|f| line.starts_with(f)) {
            continue;
        }
        let Some(document) = document else {
            return fail("a row before any document's heading");
        };
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [equations, meaning, code, tests] = cells[..] else {
            return fail("not four columns");
        };
        let words = if equations.starts_with('§') { 1 } else { 2 };
        let section: Vec<&str> = equations.split_whitespace().take(words).collect();
        let section = match equations.starts_with('(') {
            true => String::new(),
            false => section.join(" "),
        };
        let (equations, rest) = equation_list(equations);
        let unreadable = equations.is_empty() || !rest.is_empty();
        if section.is_empty() && unreadable || meaning.is_empty() {
            return fail("unreadable equations or no meaning");
        }
        let (Some(code), Some(tests)) = (places(code), places(tests)) else {
            return fail("a cell that is not `path: item`");
        };
        rows.push(Row {
            document,
            equations,
            section,
            code,
            tests,
        });
    }
    Ok(rows)
}

/// The entries of docs/errata.md: a heading `### …` and a line `Test: …` each.
pub fn errata(text: &str) -> Result<Vec<Erratum>, String> {
    let mut errata: Vec<Erratum> = Vec::new();
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            errata.push(Erratum {
                title: title.to_owned(),
                tests: Vec::new(),
            });
        } else if let Some(cell) = line.strip_prefix("Test: ") {
            let tests = places(cell).ok_or(format!("not `path: item`: {line}"))?;
            let entry = errata.last_mut().ok_or("a test before any entry")?;
            entry.tests.extend(tests);
        }
    }
    Ok(errata)
}

/// `path: item` entries, divided by semicolons, backquotes ignored.
fn places(cell: &str) -> Option<Vec<Place>> {
    cell.replace('`', "")
        .split(';')
        .map(|entry| {
            let (path, item) = entry.trim().split_once(": ")?;
            Some(Place {
                path: path.to_owned(),
                item: item.to_owned(),
            })
        })
        .collect()
}

/// Reads `(1)`, `(18)-(20)`, `(12), (16) and (48)` from the start of `text`;
/// returns the numbers and what follows the list.
pub fn equation_list(text: &str) -> (Vec<u32>, &str) {
    let mut numbers = Vec::new();
    let mut rest = text;
    let mut end = text;
    while let Some((first, after)) = parenthesised(rest) {
        numbers.push(first);
        (rest, end) = (after, after);
        let dash = after.strip_prefix('-').or(after.strip_prefix('–'));
        if let Some((last, after)) = dash.and_then(parenthesised) {
            numbers.extend(first + 1..=last);
            (rest, end) = (after, after);
        }
        let separator = [", and ", ", ", " and "]
            .into_iter()
            .find_map(|s| rest.strip_prefix(s));
        match separator {
            Some(after) => rest = after,
            None => break,
        }
    }
    (numbers, end)
}

fn parenthesised(text: &str) -> Option<(u32, &str)> {
    let (number, after) = text.strip_prefix('(')?.split_once(')')?;
    Some((number.parse().ok()?, after))
}

/// All tags in a piece of source, `Chaney (18)-(20)` and the like, also where
/// a comment breaks them over two lines.
pub fn tags(source: &str) -> BTreeSet<(Document, u32)> {
    let words: Vec<&str> = source
        .lines()
        .map(|line| line.trim().trim_start_matches(['/', '!']))
        .flat_map(str::split_whitespace)
        .collect();
    let text = words.join(" ");
    let mut tags = BTreeSet::new();
    for document in Document::ALL {
        for (at, name) in text.match_indices(document.name()) {
            let list = text[at + name.len()..].trim_start();
            tags.extend(equation_list(list).0.into_iter().map(|n| (document, n)));
        }
    }
    tags
}

/// Every item called `name` (its last segment) in `source`, each with the
/// comments above it and all of its body: functions, types, constants, fields
/// and variants.
pub fn items<'a>(source: &'a str, name: &str) -> Vec<String> {
    let name = name.rsplit([':', '.']).next().unwrap_or(name);
    let lines: Vec<&'a str> = source.lines().collect();
    (0..lines.len())
        .filter(|&i| declares(lines[i], name))
        .map(|i| {
            let from = (0..i)
                .rev()
                .take_while(|&j| {
                    let above = lines[j].trim();
                    above.starts_with("//") || above.starts_with("#[")
                })
                .last()
                .unwrap_or(i);
            lines[from..=end_of_item(&lines, i)].join("\n")
        })
        .collect()
}

/// Whether this line begins the declaration of `name`.
fn declares(line: &str, name: &str) -> bool {
    let mut words = line.trim();
    for visibility in ["pub(crate) ", "pub(super) ", "pub "] {
        words = words.strip_prefix(visibility).unwrap_or(words);
    }
    let keywords = ["fn ", "struct ", "enum ", "trait ", "const ", "type "];
    let keyword = keywords.iter().find_map(|k| words.strip_prefix(k));
    let rest = match keyword {
        Some(rest) => rest.strip_prefix(name),
        // A field or a variant.
        None => words
            .strip_prefix(name)
            .filter(|rest| line.ends_with([',', '{']) && rest.starts_with([',', ':', '(', ' '])),
    };
    rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The line on which the item that begins on line `i` ends: the next closing
/// brace at its own depth of indentation, or its own line if it has no body.
fn end_of_item(lines: &[&str], i: usize) -> usize {
    if lines[i].ends_with([',', ';', '}']) {
        return i;
    }
    let depth = lines[i].len() - lines[i].trim_start().len();
    let closing = format!("{}}}", " ".repeat(depth));
    (i..lines.len())
        .find(|&j| lines[j].trim_end() == closing)
        .unwrap_or(i)
}
