//! Comma-separated numbers: one row per body and frame, for spreadsheets and
//! data frames. A piece of cloth has a row too, with the mean of its vertices
//! as its position and nothing in the other columns.
//!
//! Numbers are written with as few digits as give the same f64 back. Names are
//! data from the scene's author: their control characters are escaped, and a
//! name that a spreadsheet would take for a formula gets an apostrophe in front.

use crate::ExportError;
use crate::shared::cloth;
use conatus_record::text::escape_control_characters;
use conatus_record::{Recording, Status};
use std::borrow::Cow;
use std::io::Write;

/// How cells begin that spreadsheets evaluate.
const FORMULA_STARTS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// The first line.
pub const HEADER: &str = "time,frame,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,status";

/// Writes the recording as CSV (RFC 4180, but with plain line feeds).
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    rows(recording, out).map_err(ExportError::Output)
}

fn rows(recording: &Recording, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{HEADER}")?;
    let header = &recording.header;
    let names: Vec<_> = header.bodies.iter().map(|b| name_cell(&b.name)).collect();
    let pieces: Vec<_> = header.cloths.iter().map(|c| name_cell(&c.name)).collect();
    for (number, frame) in recording.frames.iter().enumerate() {
        for (body, name) in frame.bodies.iter().zip(&names) {
            write!(out, "{:?},{number},{name}", frame.time)?;
            let q = body.orientation;
            let columns = [
                &body.position.to_array()[..],
                &[q.w, q.x, q.y, q.z],
                &body.velocity.to_array(),
                &body.omega_body.to_array(),
            ];
            for value in columns.into_iter().flatten() {
                write!(out, ",{value:?}")?;
            }
            let status = match body.status {
                Status::Free => "free",
                Status::Locked => "locked",
                Status::Merged => "merged",
                Status::Quarantined => "quarantined",
                Status::Scripted => "scripted",
                Status::Removed => "removed",
                Status::Asleep => "asleep",
            };
            writeln!(out, ",{status}")?;
        }
        for ((_, range), name) in header.cloth_pieces().zip(&pieces) {
            write!(out, "{:?},{number},{name}", frame.time)?;
            let mean = cloth::mean(frame.cloth.get(range).unwrap_or_default());
            for value in mean.to_array() {
                write!(out, ",{value:?}")?;
            }
            writeln!(out, ",,,,,,,,,,,cloth")?;
        }
    }
    Ok(())
}

/// A name as a cell: without control characters, never a formula, and in quotes
/// where RFC 4180 requires them or spaces at its ends would be lost.
fn name_cell(name: &str) -> Cow<'_, str> {
    let guard = if is_formula(name) { "'" } else { "" };
    let name = escape_control_characters(name);
    let quotes = name.contains(['"', ',']) || name.trim() != name;
    match (guard, quotes) {
        ("", false) => name,
        (_, false) => Cow::Owned(format!("{guard}{name}")),
        (_, true) => Cow::Owned(format!("\"{guard}{}\"", name.replace('"', "\"\""))),
    }
}

/// Whether a spreadsheet would evaluate a cell with this text. Plain numbers
/// also begin with a sign, and are harmless.
fn is_formula(text: &str) -> bool {
    let begins = text.trim_start_matches(' ').starts_with(FORMULA_STARTS);
    begins && text.parse::<f64>().is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user received a scene with a body called `=HYPERLINK("http://…")`. The
    /// user exported the run as `.csv`, opened it in a spreadsheet, and the
    /// spreadsheet evaluated the name as a formula. Names must stay text.
    #[test]
    fn names_that_begin_like_formulas_stay_text() {
        for (name, cell) in [
            ("=1+1", "'=1+1"),
            ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1:A9)", "'@SUM(A1:A9)"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            (" =1", "\"' =1\""),
            (
                "=HYPERLINK(\"a\",\"b\")",
                "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"",
            ),
        ] {
            assert_eq!(name_cell(name), cell);
        }
    }

    #[test]
    fn plain_names_and_numbers_stay_as_they_are() {
        for name in ["ball", "-1", "+2.5e-3", "a=b", "a-b", "Ω'", "it's"] {
            assert_eq!(name_cell(name), name);
        }
    }

    #[test]
    fn control_characters_of_names_are_escaped() {
        assert_eq!(name_cell("a\nb"), "a\\nb");
        assert_eq!(name_cell("\u{1b}[2J"), "\\u{1b}[2J");
        assert_eq!(name_cell("a,\r\n\"b\""), "\"a,\\r\\n\"\"b\"\"\"");
    }
}
