//! One file for each command.

pub mod check;
pub mod completions;
pub mod export;
pub mod import;
pub mod list;
pub mod new;
pub mod play;
pub mod resume;
pub mod run;
pub mod schema;
pub mod several;

/// Whether a file's name is that of a recording.
fn is_recording(name: &str) -> bool {
    let ending = std::path::Path::new(name).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("mcap"))
}
