//! Writes synthetic recordings in every format, to look at:
//! `cargo run -p conatus-export --example synthetic -- FOLDER [SCENE]`.

#[path = "../../record/tests/support/mod.rs"]
mod support;

use conatus_export::{ExportError, ExportOptions};
use conatus_record::Up;
use std::path::PathBuf;

fn main() -> Result<(), ExportError> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    let all = [
        support::demo(241),
        support::sea(Up::Z, 241),
        support::cloth::drape(61, 121),
        support::joints::machine(61),
        support::walker::recording(support::walker::clip(2.6)),
    ];
    let only = std::env::args().nth(2);
    for recording in all {
        let wanted = |name: &String| recording.header.scene == *name;
        if !only.as_ref().is_none_or(wanted) {
            continue;
        }
        let of_clips = ["clip.json", "bvh"];
        let endings = ["mcap", "glb", "usda", "obj", "csv", "svg", "png"];
        let further = of_clips.iter().filter(|_| recording.clip.is_some());
        for ending in endings.iter().chain(further) {
            let name = format!("{}.{ending}", recording.header.scene);
            let begin = std::time::Instant::now();
            let notes = conatus_export::write_file(
                &recording,
                folder.join(&name),
                &ExportOptions::default(),
            )?;
            println!("{name}: {:.2} s", begin.elapsed().as_secs_f64());
            notes.iter().for_each(|note| println!("  {note}"));
        }
    }
    Ok(())
}
