//! Packages every crate that users need, and checks that the packages compile
//! from their own contents.

use crate::process::{Outcome, captured, cargo, command, root, shown, target, work_folder};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A package that is meant for users.
struct Package {
    name: String,
    version: String,
}

/// Makes the packages, unpacks them side by side into a separate workspace,
/// and has cargo check it: a file that a package refers to but does not contain,
/// or a dependency without a version, is an error there.
///
/// `cargo package` can verify as well, but compiles every crate in full.
pub fn check() -> Outcome {
    let packages = published()?;
    let mut package = cargo(&["package", "--no-verify", "--allow-dirty", "--quiet"]);
    for Package { name, .. } in &packages {
        package.args(["--package", name]);
    }
    shown(package)?;
    let folder = work_folder()?.join("packages");
    let _ = fs::remove_dir_all(&folder);
    unpack(&packages, &folder)?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(failed)?;
    let workspace = workspace(&packages) + &profiles(&manifest);
    fs::write(folder.join("Cargo.toml"), workspace).map_err(failed)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed)?;
    let mut check = cargo(&["check", "--workspace", "--quiet"]);
    check.current_dir(&folder);
    check.env("CARGO_TARGET_DIR", target()?);
    // A user's build has no such requirement.
    check.env_remove("CONATUS_PAGE");
    shown(check)?;
    Ok(format!("{} packages", packages.len()))
}

/// The packages of the workspace that may be published.
fn published() -> Result<Vec<Package>, String> {
    let metadata = captured(cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let packages: Vec<Package> = packages
        .filter(|package| package["publish"].is_null())
        .filter_map(|package| {
            Some(Package {
                name: package["name"].as_str()?.to_owned(),
                version: package["version"].as_str()?.to_owned(),
            })
        })
        .collect();
    match packages.is_empty() {
        true => Err("no package of the workspace may be published".into()),
        false => Ok(packages),
    }
}

fn unpack(packages: &[Package], folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for Package { name, version } in packages {
        let file = target()?
            .join("package")
            .join(format!("{name}-{version}.crate"));
        let mut tar = command("tar", &["-xzf"]);
        tar.arg(file).arg("-C").arg(folder);
        captured(tar)?;
    }
    Ok(())
}

/// A workspace of unpacked packages, which depend on each other's folders
/// instead of the registry.
fn workspace(packages: &[Package]) -> String {
    let folder = |package: &Package| format!("{}-{}", package.name, package.version);
    let members: Vec<String> = packages
        .iter()
        .map(|p| format!("{:?}", folder(p)))
        .collect();
    let mut text = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[patch.crates-io]\n",
        members.join(", ")
    );
    for package in packages {
        text += &format!("{} = {{ path = {:?} }}\n", package.name, folder(package));
    }
    text
}

/// The profiles of a manifest, which stand at its end. With the same profiles cargo
/// uses the dependencies that clippy has checked already.
fn profiles(manifest: &str) -> String {
    let start = manifest.find("\n[profile.").unwrap_or(manifest.len());
    manifest[start..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_taken_over() {
        let manifest = "[workspace]\nmembers = []\n\n[profile.dev]\nopt-level = 3\n";
        assert_eq!(profiles(manifest), "\n[profile.dev]\nopt-level = 3\n");
        assert_eq!(profiles("[workspace]\n"), "");
    }

    #[test]
    fn packages_depend_on_each_other_by_their_folders() {
        let package = |name: &str| Package {
            name: name.into(),
            version: "0.1.0".into(),
        };
        let text = workspace(&[package("a"), package("b")]);
        assert!(
            text.contains("members = [\"a-0.1.0\", \"b-0.1.0\"]"),
            "{text}"
        );
        assert!(text.contains("b = { path = \"b-0.1.0\" }"), "{text}");
    }
}
