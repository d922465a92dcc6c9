//! `conatus export`: from a recording to other formats.

use crate::Done;
use crate::args::Export;
use crate::errors::print;
use crate::outputs::{Outputs, human_list};
use conatus_export::ExportOptions;
use conatus_record::Recording;
use std::io::Write;

/// Reads a recording and writes it in the formats asked for.
pub fn export(args: &Export) -> Done {
    let options = ExportOptions {
        frames: args.frames.map(Into::into),
    };
    let outputs = Outputs::check(&args.outputs, &args.recording, options)?.quiet(args.quiet);
    let recording = Recording::read(&args.recording)?;
    if !recording.is_complete() && !args.quiet {
        let _ = writeln!(
            std::io::stderr(),
            "note: {} was cut off; there are {} frames in it",
            args.recording.display(),
            recording.frames.len()
        );
    }
    let written = outputs.export(&recording)?;
    if args.quiet {
        return Ok(());
    }
    let cloth = match recording.header.cloths.len() {
        0 => String::new(),
        1 => " and 1 piece of cloth".into(),
        n => format!(" and {n} pieces of cloth"),
    };
    print(&format!(
        "{}: {} frames of {} bodies{cloth}\n{}",
        recording.header.scene,
        recording.frames.len(),
        recording.header.bodies.len(),
        human_list(&written)
    ))
}
