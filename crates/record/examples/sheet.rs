//! Writes a made-up recording in every format, to look at:
//! `cargo run -p conatus-record --example sheet -- FOLDER`.

#[path = "../tests/support/mod.rs"]
mod support;

use conatus_record::export::{self, Options};
use conatus_record::{RecordError, Up};
use std::path::PathBuf;

fn main() -> Result<(), RecordError> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    for recording in [support::demo(241), support::sea(Up::Z, 241)] {
        for ending in ["mcap", "glb", "csv", "svg", "png"] {
            let name = format!("{}.{ending}", recording.header.scene);
            export::write_file(&recording, folder.join(name), &Options::default())?;
        }
    }
    Ok(())
}
