//! Tables as text and as JSON.

use serde_json::{Map, Value, json};

/// One entry: its text and its value.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    value: Value,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            value: json!(text),
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

/// A number with a fixed count of decimals.
pub fn fixed(value: f64, decimals: usize) -> Cell {
    Cell {
        text: format!("{value:.decimals$}"),
        value: json!(value),
    }
}

/// A number with an exponent.
pub fn power(value: f64) -> Cell {
    Cell {
        text: format!("{value:.2e}"),
        value: json!(value),
    }
}

/// A whole number.
pub fn count(value: u64) -> Cell {
    Cell {
        text: value.to_string(),
        value: json!(value),
    }
}

/// An empty entry.
pub fn blank() -> Cell {
    Cell {
        text: String::new(),
        value: Value::Null,
    }
}

/// A lower bound and whether `value` meets it.
pub fn at_least(value: f64, bound: f64) -> Cell {
    target(value >= bound, format!("≥ {}", short(bound)))
}

/// An upper bound and whether `value` meets it.
pub fn at_most(value: f64, bound: f64) -> Cell {
    target(value <= bound, format!("≤ {}", short(bound)))
}

fn short(bound: f64) -> String {
    if bound != 0.0 && bound < 1e-3 {
        format!("{bound:e}")
    } else {
        bound.to_string()
    }
}

fn target(met: bool, bound: String) -> Cell {
    let word = if met { "met" } else { "MISSED" };
    Cell {
        text: format!("{bound}: {word}"),
        value: json!({ "target": bound, "met": met }),
    }
}

/// A titled table.
#[derive(Clone, Debug)]
pub struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        Self {
            title: title.into(),
            columns: columns.iter().map(|&c| c.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing entries at its end are blank.
    pub fn row(&mut self, mut cells: Vec<Cell>) {
        cells.resize(self.columns.len(), blank());
        self.rows.push(cells);
    }

    /// The table as text.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|k| self.width(k)).collect();
        let mut text = self.title_and_columns(&widths);
        for row in &self.rows {
            text += &line(row.iter().map(|cell| cell.text.as_str()), &widths);
        }
        text
    }

    /// Title and columns of a table whose rows are printed one by one.
    pub fn head(&self) -> String {
        self.title_and_columns(&self.fixed_widths())
    }

    /// The latest row of such a table.
    pub fn last_line(&self) -> String {
        let cells = self.rows.last().into_iter().flatten();
        line(cells.map(|cell| cell.text.as_str()), &self.fixed_widths())
    }

    fn title_and_columns(&self, widths: &[usize]) -> String {
        let columns = self.columns.iter().map(String::as_str);
        format!("{}\n{}", self.title, line(columns, widths))
    }

    /// The width of a column with the rows so far.
    fn width(&self, k: usize) -> usize {
        let entries = self.rows.iter().map(|row| row[k].text.chars().count());
        let name = self.columns[k].chars().count();
        entries.max().unwrap_or(0).max(name)
    }

    /// Widths that do not depend on the rows: enough for names, targets and
    /// most numbers.
    fn fixed_widths(&self) -> Vec<usize> {
        let width = |(k, name): (usize, &String)| {
            let least = match name.as_str() {
                "fail-safe" | "what" => 23,
                name if name.ends_with("target") => 13,
                _ if k == 0 => 38,
                _ => 6,
            };
            name.chars().count().max(least)
        };
        self.columns.iter().enumerate().map(width).collect()
    }

    /// The table as JSON: its rows as objects.
    pub fn json(&self) -> Value {
        let rows = self.rows.iter().map(|row| {
            let entries = self.columns.iter().zip(row);
            let object: Map<_, _> = entries
                .map(|(column, cell)| (column.clone(), cell.value.clone()))
                .collect();
            Value::Object(object)
        });
        json!({ "title": self.title, "rows": rows.collect::<Vec<_>>() })
    }
}

/// The first column is aligned to the left, all others to the right.
fn line<'a>(entries: impl Iterator<Item = &'a str>, widths: &[usize]) -> String {
    let padded = entries.zip(widths).enumerate().map(|(k, (e, &w))| {
        if k == 0 {
            format!("{e:<w$}")
        } else {
            format!("{e:>w$}")
        }
    });
    format!("  {}\n", padded.collect::<Vec<_>>().join("   ").trim_end())
}
