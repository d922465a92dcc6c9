//! The stages of `cargo xtask test`, in the order in which they run.

use crate::artifacts::{self, BROWSER_TESTS, SELECTION};
use crate::part::{Part, Stage};
use crate::process::{Outcome, cargo, command, no_remark, root, shown};
use crate::{packages, page, runs, tools, validate};
use std::path::Path;

/// The seed of property tests: a gate that passed passes again. `cargo xtask soak
/// properties` uses new seeds.
const PROPERTY_SEED: &str = "1";

/// All stages. What fails fastest comes first. Installations and the tests of
/// the page's scripts run beside cargo, which often waits for one crate.
pub fn stages(without_browser: bool) -> Vec<Stage> {
    let browser_flag = without_browser.then_some("--without-browser");
    vec![
        Stage::of(vec![
            Part::new("tools", tools::check),
            Part::new("rustfmt", rustfmt),
        ])
        .required(),
        Stage::side_by_side(vec![
            vec![
                Part::new("clippy", clippy),
                Part::new("rustdoc", rustdoc),
                Part::new("packages", packages::check),
            ],
            vec![
                Part::new("validators installed", validate::install),
                Part::new("browser found", page::find_browser).left_out_by(browser_flag),
                Part::new("page: types and unit tests", page::unit_tests),
                Part::new("clip checker's own test", validate::self_test),
            ],
        ])
        .required(),
        Stage::of(vec![Part::new("build", build)]).required(),
        Stage::of(vec![
            Part::new("built-in scenes", runs::all),
            Part::new("synthetic recordings", runs::synthetic),
            Part::new("exports validated", validate::all),
            Part::new("scenes fit the schema", validate::schema),
            Part::new("tests of all crates", tests),
            Part::new("documentation tests", doc_tests),
            Part::new("page in a browser", page::in_browser).left_out_by(browser_flag),
        ]),
    ]
}

/// The format of all Rust files.
pub fn rustfmt() -> Outcome {
    no_remark(shown(cargo(&["fmt", "--all", "--check"])))
}

/// Lints of all targets of all crates, the benchmark included.
pub fn clippy() -> Outcome {
    no_remark(shown(cargo(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--quiet",
        "--",
        "-D",
        "warnings",
    ])))
}

/// The documentation of all crates for users, with broken links as errors.
fn rustdoc() -> Outcome {
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    // Tools, whose dependencies would be checked once more for this.
    doc.args(["--exclude=conatus-bench", "--exclude=conatus-browser-tests"]);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    no_remark(shown(doc))
}

/// Everything that later parts start.
fn build() -> Outcome {
    let built = artifacts::build()?;
    let tests = built.iter().filter(|executable| executable.test).count();
    Ok(format!("{tests} test binaries"))
}

/// Unit and integration tests of all crates; those in a browser are a part of
/// their own.
fn tests() -> Outcome {
    if tools::has_nextest() {
        let mut tests = cargo(&["nextest", "run"]);
        tests.args(SELECTION);
        tests.args(["-E", "not package(conatus-browser-tests)"]);
        tests.env(runs::VARIABLE, runs::folder()?);
        tests.env("PROPTEST_RNG_SEED", PROPERTY_SEED);
        return no_remark(shown(tests));
    }
    let binaries = artifacts::test_binaries(|package| package != Path::new(BROWSER_TESTS))?;
    let folder = runs::folder()?;
    let mut failed = Vec::new();
    for binary in binaries {
        println!("{} of {}", binary.name, binary.package.display());
        let mut tests = command(&binary.path, &["--quiet"]);
        tests.current_dir(root().join(&binary.package));
        tests.env(runs::VARIABLE, &folder);
        tests.env("PROPTEST_RNG_SEED", PROPERTY_SEED);
        failed.extend(shown(tests).err());
    }
    match failed.is_empty() {
        true => Ok(String::new()),
        false => Err(failed.join("; ")),
    }
}

/// Examples in the documentation, which nextest does not run.
fn doc_tests() -> Outcome {
    let mut tests = cargo(&["test", "--doc", "--quiet", "--no-fail-fast"]);
    tests.args(SELECTION);
    no_remark(shown(tests))
}
