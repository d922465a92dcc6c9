//! Writes synthetic recordings as HTML files, to look at:
//! `cargo run -p conatus-viewer --example page -- FOLDER`.

#[path = "../../record/tests/support/mod.rs"]
mod synthetic;

use conatus_viewer::html;
use conatus_viewer::page::page;
use std::path::PathBuf;
use synthetic::walker;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let page = page().ok_or("the program was built without its page")?;
    let mut two = walker::recording(walker::two(2.6));
    two.header.scene = "two".into();
    for recording in [walker::recording(walker::clip(2.6)), two] {
        let file = folder.join(format!("{}.html", recording.header.scene));
        html::write_file(&recording, page, &file)?;
        println!(
            "{}: {} bytes",
            file.display(),
            std::fs::metadata(&file)?.len()
        );
    }
    Ok(())
}
