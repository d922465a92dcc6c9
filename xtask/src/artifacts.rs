//! One build for everything: the test binaries, the program and the examples.
//!
//! Cargo chooses the features of shared dependencies by the packages that are
//! selected, so all calls select the same ones; otherwise it would build
//! dependencies a second time.

use crate::process::{cargo, command_line, root, shown, target};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

/// What is built and tested. The benchmark would include its reference, another
/// physics engine, along; clippy checks it.
pub const SELECTION: [&str; 3] = ["--workspace", "--exclude", "conatus-bench"];

/// The folder of the tests that need a browser.
pub const BROWSER_TESTS: &str = "browser-tests";

/// A program that cargo built.
#[derive(Clone, Debug)]
pub struct Executable {
    /// The folder of its package, relative to the root.
    pub package: PathBuf,
    /// The name of its target.
    pub name: String,
    /// Whether it runs tests.
    pub test: bool,
    /// Where it is.
    pub path: PathBuf,
}

static BUILT: OnceLock<Vec<Executable>> = OnceLock::new();

/// Builds everything once and returns what can be started.
pub fn build() -> Result<&'static [Executable], String> {
    if let Some(built) = BUILT.get() {
        return Ok(built);
    }
    let mut build = cargo(&["test", "--no-run"]);
    build
        .args(SELECTION)
        .arg("--message-format=json-render-diagnostics");
    let name = command_line(&build);
    let cannot = |error: std::io::Error| format!("`{name}`: {error}");
    let mut child = build.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let mut built = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            built.extend(executable(&line.map_err(cannot)?, &root()));
        }
    }
    let status = child.wait().map_err(cannot)?;
    match status.success() {
        true => Ok(BUILT.get_or_init(|| built)),
        false => Err(format!("`{name}` ended with {status}")),
    }
}

/// The executable that one of cargo's messages is about, if it is about one.
fn executable(message: &str, root: &Path) -> Option<Executable> {
    let message: Value = serde_json::from_str(message).ok()?;
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    Some(Executable {
        package: folder.strip_prefix(root).unwrap_or(folder).to_owned(),
        name: message["target"]["name"].as_str()?.to_owned(),
        test: message["profile"]["test"].as_bool()?,
        path,
    })
}

/// The program `conatus`: what `CONATUS_PROGRAM` names, or a build of it.
pub fn program() -> Result<PathBuf, String> {
    if let Some(named) = std::env::var_os("CONATUS_PROGRAM").filter(|named| !named.is_empty()) {
        return Ok(named.into());
    }
    if BUILT.get().is_none() {
        shown(cargo(&["build", "--bin", "conatus"]))?;
        let name = format!("conatus{}", std::env::consts::EXE_SUFFIX);
        return Ok(target()?.join("debug").join(name));
    }
    find("conatus")
}

/// An example or program by its name.
pub fn find(name: &str) -> Result<PathBuf, String> {
    let mut all = build()?.iter();
    let found = all.find(|executable| executable.name == name && !executable.test);
    found
        .map(|executable| executable.path.clone())
        .ok_or_else(|| format!("cargo built no program `{name}`"))
}

/// The test binaries of a package, or of all but that one.
pub fn test_binaries(keep: impl Fn(&Path) -> bool) -> Result<Vec<Executable>, String> {
    let all = build()?.iter();
    Ok(all
        .filter(|executable| executable.test && keep(&executable.package))
        .cloned()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executables_are_found_in_the_messages_of_cargo() {
        let root = Path::new("/project");
        let test = r#"{"reason":"compiler-artifact","manifest_path":"/project/crates/world/Cargo.toml","target":{"kind":["test"],"name":"it"},"profile":{"test":true},"executable":"/project/target/debug/deps/it-1"}"#;
        let found = executable(test, root).unwrap();
        assert_eq!(found.package, Path::new("crates/world"));
        assert_eq!((found.name.as_str(), found.test), ("it", true));
        assert_eq!(found.path, Path::new("/project/target/debug/deps/it-1"));
        let library = r#"{"reason":"compiler-artifact","manifest_path":"/project/crates/math/Cargo.toml","target":{"kind":["lib"],"name":"m"},"profile":{"test":false},"executable":null}"#;
        assert!(executable(library, root).is_none());
        assert!(executable("not json", root).is_none());
    }
}
