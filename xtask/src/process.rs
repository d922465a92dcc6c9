//! Starting other programs: cargo, the program `conatus` and the tools of the tests.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The result of a part or a command: a remark for the summary, or what went wrong.
pub type Outcome = Result<String, String>;

/// The outcome of a part without a remark.
pub fn no_remark(result: Result<(), String>) -> Outcome {
    result.map(|()| String::new())
}

/// The project's root folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Cargo's target folder.
pub fn target() -> Result<PathBuf, String> {
    static TARGET: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let find = || {
        let metadata = captured(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
        let metadata: serde_json::Value =
            serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
        let folder = metadata["target_directory"].as_str();
        folder
            .map(PathBuf::from)
            .ok_or_else(|| "cargo metadata names no target folder".into())
    };
    TARGET.get_or_init(find).clone()
}

/// The folder of this program below cargo's target folder.
pub fn work_folder() -> Result<PathBuf, String> {
    Ok(target()?.join("xtask"))
}

/// A call of the cargo that runs this program, in the root folder. All calls
/// require the page (`CONATUS_PAGE=required`), because cargo builds a crate
/// again when its environment changes.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    command.env("CONATUS_PAGE", "required");
    command
}

/// A program with arguments.
pub fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Whether a program can be started and succeeds with these arguments.
pub fn succeeds(program: impl AsRef<OsStr>, arguments: &[&str]) -> bool {
    let output = command(program, arguments).output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs a command and shows its output at once.
pub fn shown(mut command: Command) -> Result<(), String> {
    let name = command_line(&command);
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{name}`: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{name}` ended with {status}")),
    }
}

/// Runs a command and returns its standard output; prints everything if it fails.
pub fn captured(mut command: Command) -> Result<String, String> {
    let name = command_line(&command);
    let output = command
        .output()
        .map_err(|error| format!("cannot start `{name}`: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    println!("{text}{errors}");
    Err(format!("`{name}` ended with {}", output.status))
}

/// A command as a user would type it, without the folder of the program.
pub fn command_line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![
        program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    ];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}

/// Processor time of all child processes that ended, in seconds; only on Linux.
pub fn children_cpu_seconds() -> Option<f64> {
    /// Linux reports times to programs in this unit on every architecture.
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The fields after the name, which stands in parentheses: `state` is field 3;
    // `cutime` and `cstime` are fields 16 and 17.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<f64>().ok();
    Some((ticks(16)? + ticks(17)?) / TICKS_PER_SECOND)
}
