//! `cargo xtask golden`: the golden hashes of all built-in scenes, from new runs.

use crate::process::{Outcome, cargo, no_remark, shown};
use crate::runs;

/// Runs the scenes with characters, then the tests of golden hashes, which
/// compare with the files in crates/world/tests/golden or write them again.
pub fn run(renew: bool) -> Outcome {
    runs::with_characters()?;
    let mut tests = cargo(&["test", "--package", "conatus-world"]);
    tests.args(["--test", "it", "golden::"]);
    tests.env(runs::VARIABLE, runs::folder()?);
    if renew {
        tests.env("CONATUS_RENEW_GOLDEN", "1");
    }
    no_remark(shown(tests))
}
