//! `conatus export`: converts a recording to other formats.

use crate::Done;
use crate::args::ExportArgs;
use crate::outputs::{Outputs, list_written};
use crate::terminal::{eprint_line, escape, print, shown};
use conatus_export::ExportOptions;
use conatus_record::{Header, Recording};
use conatus_world::text::counted;

/// Reads a recording and writes it in the requested formats.
pub fn export(args: &ExportArgs) -> Done {
    let options = ExportOptions {
        frames: args.frames.map(Into::into),
    };
    let outputs = Outputs::check(&args.outputs, &args.recording, options)?.quiet(args.quiet);
    let recording = Recording::read(&args.recording)?;
    let frames = counted(recording.frames.len(), "frame", "frames");
    if !recording.is_complete() && !args.quiet {
        let path = shown(&args.recording);
        eprint_line(&format!("note: {path} is incomplete; it holds {frames}"));
    }
    let written = outputs.export(&recording)?;
    if args.quiet {
        return Ok(());
    }
    print(&format!(
        "{}: {frames}{}\n{}",
        escape(&recording.header.scene),
        contents(&recording.header),
        list_written(&written)
    ))
}

/// What is in a recording: ` of 2 bodies and 1 piece of cloth`.
fn contents(header: &Header) -> String {
    let parts = [
        (header.bodies.len(), "body", "bodies"),
        (header.cloths.len(), "piece of cloth", "pieces of cloth"),
    ];
    let parts: Vec<String> = (parts.into_iter())
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" of {}", parts.join(" and ")),
    }
}
