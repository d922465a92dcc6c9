//! Runs all parts, whatever becomes of each, and sums up at the end.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// What a part comes to: a remark for the summary, or what went wrong.
pub type Outcome = Result<String, String>;

/// The outcome of something that leaves no remark.
pub fn done(result: Result<(), String>) -> Outcome {
    result.map(|()| String::new())
}

/// One thing that has to pass.
pub struct Part {
    /// What the summary calls it.
    pub name: &'static str,
    /// Does it.
    pub run: fn() -> Outcome,
    /// By what flag it was left out, if it was.
    pub left_out: Option<&'static str>,
}

/// Runs all parts, prints one summary, and fails if any part did.
pub fn all(parts: &[Part]) -> ExitCode {
    let mut rows = Vec::new();
    for part in parts {
        println!("\n== {}", part.name);
        if let Some(flag) = part.left_out {
            println!("left out by {flag}");
            rows.push((part, Ok(format!("by {flag}")), 0.0));
            continue;
        }
        let begin = Instant::now();
        let outcome = (part.run)();
        if let Err(problem) = &outcome {
            println!("FAILED: {problem}");
        }
        rows.push((part, outcome, begin.elapsed().as_secs_f64()));
    }
    let wide = parts.iter().map(|part| part.name.chars().count()).max();
    println!(
        "\n{:<wide$}  result    seconds",
        "part",
        wide = wide.unwrap_or(0)
    );
    for (part, outcome, seconds) in &rows {
        let (result, remark) = match outcome {
            Ok(remark) if part.left_out.is_some() => ("LEFT OUT", remark.as_str()),
            Ok(remark) => ("passed", remark.as_str()),
            Err(problem) => ("FAILED", problem.lines().next().unwrap_or_default()),
        };
        let line = format!(
            "{:<wide$}  {result:<8}  {seconds:>7.1}  {remark}",
            part.name,
            wide = wide.unwrap_or(0)
        );
        println!("{}", line.trim_end());
    }
    let failed = rows
        .iter()
        .filter(|(_, outcome, _)| outcome.is_err())
        .count();
    let left_out = parts.iter().filter(|part| part.left_out.is_some()).count();
    let passed = rows.len() - failed - left_out;
    match left_out {
        0 => println!("{passed} passed, {failed} failed"),
        _ => println!("{passed} passed, {failed} failed, {left_out} left out"),
    }
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The project's root folder.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Where cargo puts what it builds, as it tells.
pub fn target() -> Result<PathBuf, String> {
    let said = quiet(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let key = "\"target_directory\":\"";
    let from = said
        .find(key)
        .ok_or("cargo does not tell its target folder")?
        + key.len();
    let path = said[from..].split('"').next().unwrap_or_default();
    Ok(PathBuf::from(path.replace("\\\\", "\\")))
}

/// Builds the program as users have it.
pub fn release() -> Result<(), String> {
    shown(cargo(&["build", "--release", "--package", "conatus-cli"]))
}

/// The program, as the release build leaves it.
pub fn program() -> Result<PathBuf, String> {
    let name = format!("conatus{}", std::env::consts::EXE_SUFFIX);
    Ok(target()?.join("release").join(name))
}

/// A call of the cargo that runs this, in the root folder. A page that cannot
/// be built is an error to it; all calls say so, since cargo builds anew what
/// was built in another environment.
pub fn cargo(arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    command.env("CONATUS_PAGE", "required");
    command
}

/// Runs a command with its output shown as it comes.
pub fn shown(mut command: Command) -> Result<(), String> {
    let name = spelled(&command);
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{name}`: {error}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("`{name}` ended with {status}")),
    }
}

/// Runs a command, keeps what it prints on stdout, and shows all of it only if
/// it fails.
pub fn quiet(mut command: Command) -> Result<String, String> {
    let name = spelled(&command);
    let output = command
        .output()
        .map_err(|error| format!("cannot start `{name}`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(said);
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    println!("{said}{complaints}");
    Err(format!("`{name}` ended with {}", output.status))
}

/// A command as one would type it.
fn spelled(command: &Command) -> String {
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
