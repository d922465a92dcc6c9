//! What the benchmark says: on the terminal row by row, as soon as it is
//! known, or as one JSON text at the end.

use crate::table::{Cell, Table};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Where tables go.
pub struct Output {
    json: bool,
    tables: Vec<Value>,
}

impl Output {
    /// For people, or for scripts.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            tables: Vec::new(),
        }
    }

    /// A line for people.
    pub fn say(&mut self, line: &str) -> io::Result<()> {
        match self.json {
            true => Ok(()),
            false => print(&format!("{line}\n")),
        }
    }

    /// A table that is complete.
    pub fn show(&mut self, table: &Table) -> io::Result<()> {
        self.tables.push(table.json());
        self.say(&table.text())
    }

    /// A table whose rows take long: its head is shown at once, each row as
    /// soon as it is there.
    pub fn begin(&mut self, table: Table) -> io::Result<Growing<'_>> {
        self.say(table.head().trim_end())?;
        Ok(Growing {
            output: self,
            table,
        })
    }

    /// Closes with everything as JSON, if that was asked for.
    pub fn end(self, processor: &str) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let all = json!({ "processor": processor, "tables": self.tables });
        print(&format!("{all:#}\n"))
    }
}

/// A table that is shown while it grows.
pub struct Growing<'a> {
    output: &'a mut Output,
    table: Table,
}

impl Growing<'_> {
    /// Adds a row and shows it.
    pub fn row(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        self.table.row(cells);
        self.output.say(self.table.last_line().trim_end())
    }

    /// No more rows.
    pub fn end(self) -> io::Result<()> {
        self.output.tables.push(self.table.json());
        self.output.say("")
    }
}

/// `println!` panics when nobody reads any more; this tells instead.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
