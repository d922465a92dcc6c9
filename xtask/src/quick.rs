//! `cargo xtask test --quick`: what a change of one crate most likely breaks.

use crate::artifacts::SELECTION;
use crate::gate;
use crate::part::{Part, Stage};
use crate::process::{Outcome, captured, cargo, command, no_remark, root, shown};
use crate::tools;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Files outside of the folders of crates, and the crate whose tests read them.
const READERS: [(&str, &str); 2] = [
    ("docs/", "conatus-rigid"),
    ("docs/scenes.md", "conatus-world"),
];

/// Format and lints of everything, then the fast tests of the changed crates and
/// of the crates that depend on them.
pub fn stages() -> Vec<Stage> {
    vec![
        Stage::of(vec![
            Part::new("rustfmt", gate::rustfmt),
            Part::new("clippy", gate::clippy),
        ])
        .required(),
        Stage::of(vec![Part::new("fast tests of changed crates", tests)]),
    ]
}

fn tests() -> Outcome {
    let changed = changed_packages()?;
    if changed.is_empty() {
        return Ok("nothing has changed".into());
    }
    let names: Vec<&str> = changed.iter().map(String::as_str).collect();
    println!("changed: {}", names.join(", "));
    if !tools::has_nextest() {
        // Without nextest there are no filters: the tests of the changed crates alone.
        let mut tests = cargo(&["test", "--quiet", "--no-fail-fast"]);
        names.iter().for_each(|name| {
            tests.args(["--package", name]);
        });
        shown(tests)?;
        return Ok(format!(
            "only {}: cargo-nextest is missing",
            names.join(", ")
        ));
    }
    let affected: Vec<String> = names.iter().map(|name| format!("rdeps(={name})")).collect();
    let filter = format!(
        "({}) & not package(conatus-browser-tests)",
        affected.join(" | ")
    );
    let mut tests = cargo(&["nextest", "run", "--profile", "quick", "--no-tests=pass"]);
    tests.args(SELECTION).args(["-E", &filter]);
    no_remark(shown(tests))
}

/// The packages with files that differ from the main branch.
fn changed_packages() -> Result<BTreeSet<String>, String> {
    let git = |arguments: &[&str]| {
        let mut git = command("git", arguments);
        git.current_dir(root());
        captured(git)
    };
    let base = ["origin/main", "main"].into_iter().find_map(|branch| {
        let mut base = command("git", &["merge-base", "HEAD", branch]);
        let output = base.current_dir(root()).output().ok()?;
        let commit = String::from_utf8(output.stdout).ok()?;
        (output.status.success()).then(|| commit.trim().to_owned())
    });
    let base = base.unwrap_or_else(|| "HEAD".into());
    let mut files = git(&["diff", "--name-only", &base])?;
    files += &git(&["ls-files", "--others", "--exclude-standard"])?;
    let packages = packages()?;
    Ok(files
        .lines()
        .flat_map(|file| owners(file, &packages))
        .collect())
}

/// The folders of the workspace's packages relative to the root, and their names.
fn packages() -> Result<BTreeMap<String, String>, String> {
    let metadata = captured(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let root = root();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages
        .filter_map(|package| {
            let manifest = std::path::Path::new(package["manifest_path"].as_str()?);
            let folder = manifest.parent()?.strip_prefix(&root).ok()?;
            let folder = folder.to_str()?.replace('\\', "/");
            Some((format!("{folder}/"), package["name"].as_str()?.to_owned()))
        })
        .collect())
}

/// The packages whose tests a file concerns. A file at the root, such as
/// Cargo.toml, concerns all of them.
fn owners(file: &str, packages: &BTreeMap<String, String>) -> Vec<String> {
    let own = packages
        .iter()
        .filter(|(folder, _)| file.starts_with(*folder));
    if let Some((_, name)) = own.max_by_key(|(folder, _)| folder.len()) {
        return vec![name.clone()];
    }
    let readers = READERS.iter().filter(|(start, _)| file.starts_with(start));
    let readers: Vec<String> = readers.map(|(_, name)| (*name).to_owned()).collect();
    if readers.is_empty() && (file == "Cargo.toml" || file == "Cargo.lock") {
        return packages.values().cloned().collect();
    }
    readers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> BTreeMap<String, String> {
        [
            ("crates/world/", "conatus-world"),
            ("crates/rigid/", "conatus-rigid"),
            ("xtask/", "xtask"),
        ]
        .map(|(folder, name)| (folder.to_owned(), name.to_owned()))
        .into()
    }

    #[test]
    fn a_file_concerns_the_package_of_its_folder() {
        let owners = |file| owners(file, &packages());
        assert_eq!(owners("crates/world/src/step.rs"), ["conatus-world"]);
        assert_eq!(owners("xtask/src/main.rs"), ["xtask"]);
        assert!(owners("README.md").is_empty());
    }

    #[test]
    fn scenes_and_documents_concern_the_packages_that_test_them() {
        let owners = |file| owners(file, &packages());
        assert_eq!(owners("crates/world/scenes/walk.toml"), ["conatus-world"]);
        assert_eq!(owners("docs/equations.md"), ["conatus-rigid"]);
        assert_eq!(owners("docs/scenes.md"), ["conatus-rigid", "conatus-world"]);
        assert_eq!(owners("Cargo.toml").len(), packages().len());
    }
}
