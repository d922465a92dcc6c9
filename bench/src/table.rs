//! Tables for the terminal, and the same as JSON.

use serde_json::{Map, Value, json};

/// One entry: what people read, and the number behind it if there is one.
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

/// A number in powers of ten.
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

/// A bar and whether `value` clears it.
pub fn at_least(value: f64, bar: f64) -> Cell {
    judged(value >= bar, format!("≥ {}", short(bar)))
}

/// A bar and whether `value` stays below it.
pub fn at_most(value: f64, bar: f64) -> Cell {
    judged(value <= bar, format!("≤ {}", short(bar)))
}

fn short(bar: f64) -> String {
    if bar != 0.0 && bar < 1e-3 {
        format!("{bar:e}")
    } else {
        bar.to_string()
    }
}

fn judged(passed: bool, bar: String) -> Cell {
    let word = if passed { "met" } else { "MISSED" };
    Cell {
        text: format!("{bar}: {word}"),
        value: json!({ "bar": bar, "met": passed }),
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

    /// Adds a row; entries left out at its end are blank.
    pub fn row(&mut self, mut cells: Vec<Cell>) {
        cells.resize(self.columns.len(), blank());
        self.rows.push(cells);
    }

    /// The table as people read it.
    pub fn text(&self) -> String {
        let widths: Vec<usize> = (0..self.columns.len()).map(|k| self.width(k)).collect();
        let mut text = self.titled(&widths);
        for row in &self.rows {
            text += &line(row.iter().map(|cell| cell.text.as_str()), &widths);
        }
        text
    }

    /// Title and columns of a table whose rows are not all there yet.
    pub fn head(&self) -> String {
        self.titled(&self.growing())
    }

    /// The latest row of such a table.
    pub fn last_line(&self) -> String {
        let cells = self.rows.last().into_iter().flatten();
        line(cells.map(|cell| cell.text.as_str()), &self.growing())
    }

    fn titled(&self, widths: &[usize]) -> String {
        let columns = self.columns.iter().map(String::as_str);
        format!("{}\n{}", self.title, line(columns, widths))
    }

    /// How wide a column is with the rows so far.
    fn width(&self, k: usize) -> usize {
        let entries = self.rows.iter().map(|row| row[k].text.chars().count());
        let name = self.columns[k].chars().count();
        entries.max().unwrap_or(0).max(name)
    }

    /// Widths that do not change while rows come: room for names, bars and
    /// most numbers.
    fn growing(&self) -> Vec<usize> {
        let wide = |(k, name): (usize, &String)| {
            let least = match name.as_str() {
                "fail-safe" | "what" => 23,
                name if name.ends_with("bar") => 13,
                _ if k == 0 => 38,
                _ => 6,
            };
            name.chars().count().max(least)
        };
        self.columns.iter().enumerate().map(wide).collect()
    }

    /// The table for scripts: its rows as objects.
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

/// The first column to the left, all others to the right.
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
