//! The parts that test the page of `conatus play`.

use crate::artifacts::{self, BROWSER_TESTS};
use crate::process::{Outcome, captured, command, root, shown, work_folder};
use crate::{runs, tools};
use std::path::Path;

/// Type checks and unit tests of the page, in a copy below the target folder.
pub fn unit_tests() -> Outcome {
    let copy = work_folder()?.join("page");
    tools::install_once(&root().join("crates/viewer/web"), &copy)?;
    captured(tools::npm(&copy, &["run", "check"]))?;
    captured(tools::npm(&copy, &["test"]))?;
    Ok(String::new())
}

/// Installs the browser where it is missing and may be installed.
pub fn find_browser() -> Outcome {
    tools::browser().map(|browser| browser.display().to_string())
}

/// The page in a real browser, driven by the built program.
pub fn in_browser() -> Outcome {
    let browser = tools::browser()?;
    let program = artifacts::program()?;
    for tests in artifacts::test_binaries(|package| package == Path::new(BROWSER_TESTS))? {
        let mut tests_run = command(&tests.path, &[]);
        tests_run.current_dir(root().join(&tests.package));
        tests_run.env("CONATUS_BROWSER", &browser);
        tests_run.env("CONATUS_PROGRAM", &program);
        tests_run.env(runs::VARIABLE, runs::folder()?);
        shown(tests_run)?;
    }
    Ok(format!("with {}", browser.display()))
}
