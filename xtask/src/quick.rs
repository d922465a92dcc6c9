//! `cargo xtask test --quick`: what a change of one crate most likely breaks.

use crate::gate;
use crate::part::{Part, Stage};
use crate::process::{Outcome, captured, cargo, command, root, shown};
use crate::tools;
use serde_json::Value;
use std::collections::BTreeSet;

/// Files outside of the folders of crates, and the crate whose tests read them.
const READERS: [(&str, &str); 2] = [
    ("docs/", "conatus-rigid"),
    ("docs/scenes.md", "conatus-world"),
];

/// The crate that joins all others: its tests run when a crate that it uses has
/// changed. The crates above it take longer to build than their tests would tell.
const JOINS_ALL: &str = "conatus-world";

/// Their tests need a browser, or minutes to build a rival.
const LEFT_OUT: [&str; 2] = ["conatus-browser-tests", "conatus-bench"];

/// Format and lints of everything, then the fast tests of the changed crates and
/// of the one that joins them.
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
    let packages = packages()?;
    let mut tested = changed_packages(&packages)?;
    if tested.is_empty() {
        return Ok("nothing has changed".into());
    }
    let joined = packages.iter().find(|package| package.name == JOINS_ALL);
    if joined.is_some_and(|joined| !tested.is_disjoint(&joined.dependencies)) {
        tested.insert(JOINS_ALL.into());
    }
    tested.retain(|name| !LEFT_OUT.contains(&name.as_str()));
    let names: Vec<&str> = tested.iter().map(String::as_str).collect();
    let mut tests = match tools::has_nextest() {
        true => cargo(&["nextest", "run", "--profile", "quick", "--no-tests=pass"]),
        false => cargo(&["test", "--quiet", "--no-fail-fast"]),
    };
    for name in &names {
        tests.args(["--package", name]);
    }
    shown(tests)?;
    Ok(names.join(", "))
}

/// The packages with files that differ from the main branch.
fn changed_packages(packages: &[Package]) -> Result<BTreeSet<String>, String> {
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
    Ok(files
        .lines()
        .flat_map(|file| owners(file, packages))
        .collect())
}

/// A package of the workspace.
struct Package {
    name: String,
    /// Relative to the root, with a slash at the end.
    folder: String,
    /// The names of the packages that it uses.
    dependencies: BTreeSet<String>,
}

fn packages() -> Result<Vec<Package>, String> {
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
            let dependencies = package["dependencies"].as_array().into_iter().flatten();
            Some(Package {
                name: package["name"].as_str()?.to_owned(),
                folder: format!("{folder}/"),
                dependencies: dependencies
                    .filter_map(|used| Some(used["name"].as_str()?.to_owned()))
                    .collect(),
            })
        })
        .collect())
}

/// The packages whose tests a file concerns. A file at the root, such as
/// Cargo.toml, concerns all of them.
fn owners(file: &str, packages: &[Package]) -> Vec<String> {
    let own = packages
        .iter()
        .filter(|package| file.starts_with(&package.folder));
    if let Some(package) = own.max_by_key(|package| package.folder.len()) {
        return vec![package.name.clone()];
    }
    let readers = READERS.iter().filter(|(start, _)| file.starts_with(start));
    let readers: Vec<String> = readers.map(|(_, name)| (*name).to_owned()).collect();
    if readers.is_empty() && (file == "Cargo.toml" || file == "Cargo.lock") {
        return packages
            .iter()
            .map(|package| package.name.clone())
            .collect();
    }
    readers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packages() -> Vec<Package> {
        [
            ("crates/world/", "conatus-world"),
            ("crates/rigid/", "conatus-rigid"),
            ("xtask/", "xtask"),
        ]
        .map(|(folder, name)| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: BTreeSet::new(),
        })
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
