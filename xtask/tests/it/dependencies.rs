//! Users of physics compile no file formats.

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

#[test]
fn physics_crates_do_not_depend_on_the_crates_of_file_formats() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    for package in PHYSICS {
        let output = Command::new(&cargo)
            .args(["tree", "--package", package, "--edges", "normal,build"])
            .args(["--prefix", "none", "--format", "{p}"])
            .current_dir(crate::root())
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{package}: {errors}");
        let tree = String::from_utf8_lossy(&output.stdout).into_owned();
        let names: Vec<&str> = tree
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(names.first(), Some(&package));
        for format in FORMATS {
            assert!(!names.contains(&format), "{package} depends on {format}");
        }
    }
}
