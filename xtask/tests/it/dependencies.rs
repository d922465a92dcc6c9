//! Users of physics compile no file formats, and users of the library only the crates of
//! the features that they enable.

use std::process::Command;

/// The crates that simulate, and those below them.
const PHYSICS: [&str; 7] = [
    "conatus-math",
    "conatus-geometry",
    "conatus-rigid",
    "conatus-cloth",
    "conatus-motion",
    "conatus-record",
    "conatus-world",
];

/// Crates that only exporters need.
const FORMATS: [&str; 2] = ["png", "gltf-json"];

/// The features of the library and the crate that each brings.
const FEATURES: [(&str, &str); 4] = [
    ("cloth", "conatus-cloth"),
    ("motion", "conatus-motion"),
    ("export", "conatus-export"),
    ("viewer", "conatus-viewer"),
];

/// The names of a package and of all crates that it depends on, with these arguments for
/// features.
fn tree(package: &str, features: &[&str]) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        .args(["tree", "--package", package, "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(features)
        .current_dir(crate::root())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{package}: {errors}");
    let tree = String::from_utf8_lossy(&output.stdout).into_owned();
    let names: Vec<String> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    assert_eq!(names.first().map(String::as_str), Some(package));
    names
}

/// Of the crates that are optional in the library, those that it compiles with some
/// features.
fn optional_crates(features: &[&str]) -> Vec<&'static str> {
    let names = tree("conatus", features);
    let optional = FEATURES.iter().map(|(_, name)| *name);
    optional
        .filter(|optional| names.iter().any(|name| name == optional))
        .collect()
}

#[test]
fn physics_crates_do_not_depend_on_the_crates_of_file_formats() {
    for package in PHYSICS {
        let names = tree(package, &[]);
        for format in FORMATS {
            let found = names.iter().any(|name| name == format);
            assert!(!found, "{package} depends on {format}");
        }
    }
}

/// `cloth` and `motion` once chose the interface alone: their crates were compiled in every
/// build of the library.
#[test]
fn a_feature_of_the_library_brings_its_own_crate_alone() {
    let none: [&str; 0] = [];
    assert_eq!(optional_crates(&["--no-default-features"]), none);
    for (feature, brings) in &FEATURES[..3] {
        let alone = optional_crates(&["--no-default-features", "--features", feature]);
        assert_eq!(alone, [*brings], "{feature}");
    }
    let all = FEATURES.map(|(_, name)| name);
    assert_eq!(optional_crates(&[]), all[..3]);
    assert_eq!(optional_crates(&["--features", "viewer"]), all);
}
