//! Runs the program and keeps what it says.

use std::path::Path;
use std::process::{Command, Stdio};

/// What the program said and did.
#[derive(Debug)]
pub struct Said {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs the program in a folder.
pub fn conatus(folder: &Path, arguments: &[&str]) -> Said {
    let output = Command::new(env!("CARGO_BIN_EXE_conatus"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let said = Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).expect("standard output is UTF-8"),
        err: String::from_utf8(output.stderr).expect("standard error is UTF-8"),
    };
    assert!(
        !said.err.contains("panicked"),
        "{arguments:?}: {}",
        said.err
    );
    said
}

/// A new folder for one test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
