//! Prints tables: on the terminal row by row, as soon as a row is measured, or
//! as one JSON text at the end.

use crate::table::{Cell, Table};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Prints tables.
pub struct Output {
    json: bool,
    tables: Vec<Value>,
}

impl Output {
    /// Prints text, or JSON for scripts.
    pub fn new(json: bool) -> Self {
        Self {
            json,
            tables: Vec::new(),
        }
    }

    /// Prints a line of text, unless the output is JSON.
    pub fn print_line(&mut self, line: &str) -> io::Result<()> {
        match self.json {
            true => Ok(()),
            false => print(&format!("{line}\n")),
        }
    }

    /// Prints a table that is complete.
    pub fn show(&mut self, table: &Table) -> io::Result<()> {
        self.tables.push(table.json());
        self.print_line(&table.text())
    }

    /// Prints the head of a table; its rows follow one by one as they are
    /// measured.
    pub fn begin(&mut self, table: Table) -> io::Result<TablePrinter<'_>> {
        self.print_line(table.head().trim_end())?;
        Ok(TablePrinter {
            output: self,
            table,
        })
    }

    /// Prints all tables as JSON, if that was requested.
    pub fn finish(self, processor: &str) -> io::Result<()> {
        if !self.json {
            return Ok(());
        }
        let all = json!({ "processor": processor, "tables": self.tables });
        print(&format!("{all:#}\n"))
    }
}

/// Prints a table row by row.
pub struct TablePrinter<'a> {
    output: &'a mut Output,
    table: Table,
}

impl TablePrinter<'_> {
    /// Adds a row and prints it.
    pub fn row(&mut self, cells: Vec<Cell>) -> io::Result<()> {
        self.table.row(cells);
        self.output.print_line(self.table.last_line().trim_end())
    }

    /// Ends the table.
    pub fn finish(self) -> io::Result<()> {
        self.output.tables.push(self.table.json());
        self.output.print_line("")
    }
}

/// Like `print!`, but returns an error instead of a panic if the output is closed.
fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
