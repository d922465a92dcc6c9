//! Runs the program and keeps its output.

use conatus_record::Recording;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The output of a finished program.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Runs the program in a folder.
pub fn conatus(folder: &Path, arguments: &[&str]) -> ProgramOutput {
    conatus_with(folder, arguments, &[])
}

/// Runs the program with variables of the environment.
pub fn conatus_with(
    folder: &Path,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> ProgramOutput {
    let finished = program()
        .args(arguments)
        .current_dir(folder)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let output = ProgramOutput {
        code: finished.status.code().unwrap_or(-1),
        out: String::from_utf8(finished.stdout).expect("standard output is UTF-8"),
        err: String::from_utf8(finished.stderr).expect("standard error is UTF-8"),
    };
    assert!(
        !output.err.contains("panicked"),
        "{arguments:?}: {}",
        output.err
    );
    output
}

/// The program, without the variables of the user's environment that affect it.
fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_conatus"));
    for name in ["CONATUS_LOG", "RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        program.env_remove(name);
    }
    program
}

/// A new folder for one test.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Checks and runs a scene with this text. Both must be refused.
pub fn assert_scene_refused(name: &str, text: impl AsRef<[u8]>) -> ProgramOutput {
    assert_scene_refused_with(name, text, &[])
}

/// Does the same with other files beside the scene.
pub fn assert_scene_refused_with(
    name: &str,
    text: impl AsRef<[u8]>,
    beside: &[(&str, &str)],
) -> ProgramOutput {
    let folder = folder();
    fs::write(folder.path().join(name), text).unwrap();
    for (name, text) in beside {
        fs::write(folder.path().join(name), text).unwrap();
    }
    fs::write(folder.path().join("out.csv"), "precious").unwrap();
    let checked = conatus(folder.path(), &["check", name]);
    let run = conatus(folder.path(), &["run", name, "-o", "out.csv"]);
    assert_eq!((checked.code, run.code), (1, 1), "{checked:?} {run:?}");
    assert_eq!(checked.err, run.err, "both commands print the same");
    assert!(checked.out.is_empty() && run.out.is_empty());
    assert_unchanged(&folder.path().join("out.csv"));
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        2 + beside.len(),
        "no new files"
    );
    checked
}

/// The file still holds its first contents.
pub fn assert_unchanged(path: &Path) {
    assert_eq!(fs::read_to_string(path).unwrap(), "precious");
}

/// Standard error contains all of these.
#[track_caller]
pub fn assert_error_contains(output: &ProgramOutput, parts: &[&str]) {
    for part in parts {
        assert!(output.err.contains(part), "no {part:?} in: {}", output.err);
    }
}

/// Starts the program in a folder and discards its output.
pub fn start(folder: &Path, arguments: &[&str]) -> Child {
    program()
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Sends the signal of Ctrl-C.
pub fn interrupt(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill starts");
    assert!(sent.success());
}

/// Kills the program at once.
pub fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Waits until something is true, for at most 100 s.
#[track_caller]
pub fn wait_until(mut is_true: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_true() {
        assert!(begin.elapsed() < Duration::from_secs(100), "too slow");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// How many frames can be read from a recording by now.
pub fn frames(path: &Path) -> usize {
    Recording::read(path).map_or(0, |r| r.frames.len())
}
