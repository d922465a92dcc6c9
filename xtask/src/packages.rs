//! Packages every crate that users need, and checks that the packages compile
//! from their own contents, and the library with any of its features.

use crate::process::{Outcome, captured, cargo, command, root, shown, target, work_folder};
use crate::variants::{COPIED, VARIANTS};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A package that is meant for users.
struct Package {
    name: String,
    version: String,
}

/// Makes the packages, unpacks them side by side into a separate workspace,
/// and has cargo check it: a file that a package refers to but does not contain,
/// or a dependency without a version, is an error there. Variants of the library
/// with fewer features are checked with them.
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
    let variants = copy_variants(&packages, &folder)?;
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(failed)?;
    let workspace = workspace(&packages, &variants) + &profiles(&manifest);
    fs::write(folder.join("Cargo.toml"), workspace).map_err(failed)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed)?;
    let mut check = cargo(&["check", "--workspace", "--quiet"]);
    check.current_dir(&folder);
    check.env("CARGO_TARGET_DIR", target()?);
    // A user's build has no such requirement.
    check.env_remove("CONATUS_PAGE");
    shown(check)?;
    Ok(format!(
        "{} packages, {} variants of the library",
        packages.len(),
        VARIANTS.len()
    ))
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
    for package in packages {
        captured(untar(package, folder)?)?;
    }
    Ok(())
}

/// A command that unpacks a package into a folder.
fn untar(package: &Package, folder: &Path) -> Result<Command, String> {
    let Package { name, version } = package;
    let file = target()?
        .join("package")
        .join(format!("{name}-{version}.crate"));
    // The files of a package have a fixed time, by which cargo would not see that they changed
    // since the last check.
    let mut tar = command("tar", &["-xzmf"]);
    tar.arg(file).arg("-C").arg(folder);
    Ok(tar)
}

/// Unpacks what variants of the library copy, changes the manifests, and returns the
/// names of the copies.
fn copy_variants(packages: &[Package], folder: &Path) -> Result<Vec<String>, String> {
    let mut copies = Vec::new();
    for variant in &VARIANTS {
        for name in COPIED {
            let package = packages.iter().find(|package| package.name == name);
            let package = package.ok_or_else(|| format!("{name} is not packaged"))?;
            let copy = variant.copy_of(name);
            let place = folder.join(&copy);
            let failed = |error: std::io::Error| format!("{}: {error}", place.display());
            fs::create_dir_all(&place).map_err(failed)?;
            let mut tar = untar(package, &place)?;
            tar.arg("--strip-components=1");
            captured(tar)?;
            let manifest = place.join("Cargo.toml");
            let text = fs::read_to_string(&manifest).map_err(failed)?;
            fs::write(&manifest, variant.manifest(name, &text)?).map_err(failed)?;
            copies.push(copy);
        }
    }
    Ok(copies)
}

/// A workspace of unpacked packages, which depend on each other's folders
/// instead of the registry, and of variants in folders of their own.
fn workspace(packages: &[Package], variants: &[String]) -> String {
    let folder = |package: &Package| format!("{}-{}", package.name, package.version);
    let folders = packages.iter().map(folder);
    let members: Vec<String> = folders
        .chain(variants.iter().cloned())
        .map(|folder| format!("{folder:?}"))
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
        let text = workspace(&[package("a"), package("b")], &["b-only-c".into()]);
        assert!(
            text.contains("members = [\"a-0.1.0\", \"b-0.1.0\", \"b-only-c\"]"),
            "{text}"
        );
        assert!(text.contains("b = { path = \"b-0.1.0\" }"), "{text}");
    }
}
