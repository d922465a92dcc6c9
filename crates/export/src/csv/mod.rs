//! Comma-separated numbers: one row per body and frame, for spreadsheets and
//! data frames. A piece of cloth has a row too, with the mean of its vertices
//! as its position and nothing in the other columns.
//!
//! Numbers are written with as few digits as give the same f64 back.

use crate::ExportError;
use crate::shared::cloth;
use conatus_record::{Recording, Status};
use std::borrow::Cow;
use std::io::Write;

/// The first line.
pub const HEADER: &str = "time,frame,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,status";

/// Writes the recording as CSV (RFC 4180, but with plain line feeds).
pub fn write(recording: &Recording, out: &mut impl Write) -> Result<(), ExportError> {
    rows(recording, out).map_err(ExportError::Output)
}

fn rows(recording: &Recording, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{HEADER}")?;
    let header = &recording.header;
    let names: Vec<_> = header.bodies.iter().map(|b| quoted(&b.name)).collect();
    let pieces: Vec<_> = header.cloths.iter().map(|c| quoted(&c.name)).collect();
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

/// A name in quotes if a reader would stumble over it otherwise.
fn quoted(name: &str) -> Cow<'_, str> {
    if name.contains(['"', ',', '\n', '\r']) || name.trim() != name {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    }
}
