//! `cargo xtask golden`: the golden hashes of all built-in scenes, from new runs.

use crate::process::{Outcome, command, no_remark, root, shown};
use crate::{artifacts, runs};
use std::path::Path;

/// The crate with the tests of golden hashes.
const WORLD: &str = "crates/world";

/// Runs the scenes with characters, then the tests of golden hashes, which
/// compare with the files in crates/world/tests/golden or write them again.
pub fn run(renew: bool) -> Outcome {
    let tests = artifacts::test_binaries(|package| package == Path::new(WORLD))?;
    let tests = tests.into_iter().find(|binary| binary.name == "it");
    let tests = tests.ok_or("cargo built no integration tests of the world")?;
    runs::with_characters()?;
    let mut golden = command(&tests.path, &["golden::"]);
    golden.current_dir(root().join(WORLD));
    golden.env(runs::VARIABLE, runs::folder()?);
    if renew {
        golden.env("CONATUS_RENEW_GOLDEN", "1");
    }
    no_remark(shown(golden))
}
