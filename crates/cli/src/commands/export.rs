//! `conatus export`: from a recording to other formats.

use crate::Done;
use crate::args::Export;
use crate::errors::print;
use crate::outputs::{Outputs, human_list};
use conatus_record::Recording;
use conatus_record::export::Options;
use std::io::Write;

/// Reads a recording and writes it in the formats asked for.
pub fn export(args: &Export) -> Done {
    let options = Options {
        frames: args.frames.into(),
    };
    let outputs = Outputs::check(&args.outputs, &args.recording, options)?;
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
    print(&format!(
        "{}: {} frames of {} bodies\n{}",
        recording.header.scene,
        recording.frames.len(),
        recording.header.bodies.len(),
        human_list(&written)
    ))
}
