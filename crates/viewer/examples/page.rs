//! Writes made-up recordings as HTML files, to look at:
//! `cargo run -p conatus-viewer --example page -- FOLDER`.

#[path = "../../record/tests/support/mod.rs"]
mod made_up;

use conatus_viewer::html;
use conatus_viewer::page::page;
use made_up::walker;
use std::path::PathBuf;

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
